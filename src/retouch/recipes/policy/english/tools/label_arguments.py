"""Labels that a tool adds to a thing, or removes from it, in two arguments: `addLabelIds` and `removeLabelIds`.

Some labels of a mailbox are states: an e-mail with the label `TRASH` is deleted, and one without `INBOX` is archived.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.inner_names import slots_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Level
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

LABELLING = word_set("label unlabel relabel")
_CHANGING = word_set("modify update edit change patch")
_MAILS = word_set("email message thread conversation")
_PUT, _TAKEN = True, False  # a label is put on, or taken off
_DELETED = ("TRASH", _PUT)
STATES: Mapping[str, tuple[str, bool]] = {
    "archive": ("INBOX", _TAKEN), "unarchive": ("INBOX", _PUT), "trash": _DELETED, "star": ("STARRED", _PUT),
    "unstar": ("STARRED", _TAKEN), "markread": ("UNREAD", _TAKEN), "markunread": ("UNREAD", _PUT),
    "markspam": ("SPAM", _PUT), "markimportant": ("IMPORTANT", _PUT),
}  # fmt: skip
_NAMES = frozenset(label for label, _ in STATES.values())
# Who may not delete e-mails may not put them into the trash, and who may delete them is not told how.
_RESTRICTED: Mapping[str, tuple[str, bool]] = dict.fromkeys(("delete", "erase", "destroy", "discard"), _DELETED)
_HIDING = ("TRASH", "SPAM")


def label_arguments(one: KnownTool) -> tuple[str, str] | None:
    """Return the argument with the labels that are added, and the one with those that are removed. None if none are."""
    words = {arg: {*map(singular, split_name(arg))} for arg in one.tool.args}
    added = [arg for arg, each in words.items() if {"add", "label"} <= each]
    removed = [arg for arg, each in words.items() if {"remove", "label"} <= each]
    if len(added) != 1 or len(removed) != 1 or not one.verbs <= _CHANGING or {added[0], removed[0]} & one.required:
        return None
    return added[0], removed[0]


def label_tests(one: KnownTool, verb: str, nouns: Iterable[str], level: Level) -> list[tuple[Limit, ...]] | None:
    """Return the tests, as alternatives, of a call that does what a verb says to the labels of things.

    None if the tool or the verb does not. Who may label e-mails may not take labels off: that moves them out of the
    inbox.
    """
    known = set(nouns)
    mails = _MAILS if one.vocabulary & _MAILS else frozenset[str]()
    found = label_arguments(one) if known <= one.vocabulary | mails else None
    if found is None:
        return None
    added, removed = found
    if verb == "relabel":
        return [()]
    if verb in LABELLING:
        pairs = ((added, removed) if verb == "label" else (removed, added),)
        tests = [_only(one, arg, other, level) for arg, other in pairs]
        plain = _plain_argument(one) if level == "perhaps" and verb == "label" else None
        return tests if plain is None else [*tests, (Limit(arg=plain, state="present"),)]
    state = STATES.get(verb) or (_RESTRICTED.get(verb) if level == "perhaps" else None)
    if state is None or not known <= _MAILS:
        return None
    label, puts = state
    own, other = (added, removed) if puts else (removed, added)
    named = Limit(arg=own, among=(label,))
    tests = [(*_only(one, own, other, level), named)]
    plain = _plain_argument(one) if level == "perhaps" and puts else None
    return tests if plain is None else [*tests, (Limit(arg=plain, state="present"), replace(named, arg=plain))]


def inner_label_tests(one: KnownTool, verb: str) -> Iterator[tuple[Limit, ...]]:
    """Yield the tests of calls that have it done to e-mails by labels inside of an argument: by a filter."""
    state = STATES.get(verb) or _RESTRICTED.get(verb)
    if state is None or one.reads or one.described_words.isdisjoint(_MAILS | {"mail"}):
        return
    label, puts = state
    for slot in slots_of(one):
        if slot.key is not None and {"add" if puts else "remove", "label"} <= {*slot.words}:
            yield (*slot.given(one), Limit(arg=slot.arg, among=(label,)))


def _only(one: KnownTool, arg: str, other: str, level: Level) -> tuple[Limit, ...]:
    """Return the tests that labels are given in one argument, and for a permission in no other one."""
    given = Limit(arg=arg, state="present")
    rest = [each for each in (other, _plain_argument(one)) if each]
    return (given,) if level == "perhaps" else (given, *(Limit(arg=each, state="absent") for each in rest))


def _plain_argument(one: KnownTool) -> str | None:
    """Return the argument whose labels are added or replace the others: `labelIds`. None if a tool has none."""
    found = [arg for arg in one.tool.args if {*map(singular, split_name(arg))} - {"id"} == {"label"}]
    return found[0] if found else None


def is_state_label(limit: Limit) -> bool:
    """Return whether a test is for a label that is a state of an e-mail."""
    return (
        bool(limit.among) and _NAMES.issuperset(limit.among) and "label" in map(singular, split_name(limit.arg or ""))
    )


def words_of_state(limit: Limit) -> set[str]:
    """Return the verbs that mean the label of a test. Empty if it is no state."""
    if not is_state_label(limit):
        return set()
    verbs = {**_RESTRICTED, **STATES}
    return {verb for verb, (label, _) in verbs.items() if label in limit.among}


def without_hiding(meaning: Meaning, tools: Iterable[KnownTool]) -> Meaning:
    """Return a meaning in which who may put labels on e-mails may not put them into the trash, or among the spam.

    A permission that names such a label stays.
    """
    added = {one.key: found[0] for one in tools if (found := label_arguments(one)) is not None}

    def kept(part: ToolPart) -> ToolPart:
        arg = added.get((part.server, part.tool))
        own = [limit for limit in part.where if limit.arg == arg]
        if arg is None or not any(limit.state == "present" for limit in own) or any(limit.among for limit in own):
            return part
        return part if part.unless else replace(part, unless=(Limit(arg=arg, among=_HIDING),))

    return replace(meaning, allow=frozenset(map(kept, meaning.allow)))

"""How else a tool may bring a thing into a state: by its verb, by a value such as `status: done`, or by a flag."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import nouns_of_argument, split_name
from retouch.recipes.policy.english.tools.said_verbs import in_form
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool

STATES = word_set("status state stage phase outcome resolution")
_SAME = tuple(
    word_set(one)
    for one in (
        "complete finish done",
        "resolve solve",
        "reject decline",
        "deactivate disable inactive",
        "activate enable active",
        "win won",
        "lose lost",
        "unpublish unpublished",
    )
)  # verbs and states that mean the same
_MADE_FALSE = {
    "on": frozenset({"turn off"}),
    "active": word_set("deactivate disable suspend block ban lock"),
    "enabled": word_set("deactivate disable suspend"),
    "published": word_set("unpublish hide"),
    "visible": word_set("hide unpublish"),
    "open": word_set("close"),
    "draft": word_set("publish"),
    "public": word_set("unpublish"),
}  # flags, and the verbs that make them false
_MADE_TRUE = {
    "on": frozenset({"turn on"}),
    "active": word_set("activate enable"),
    "enabled": word_set("activate enable"),
    "live": word_set("publish"),
    "hidden": word_set("hide"),
    "done": word_set("complete finish"),
    "public": word_set("publish"),
    **dict.fromkeys(("trash", "trashed", "deleted"), word_set("delete trash remove erase destroy discard")),
}
_VERBS = lexicon.VERBS.keys() | lexicon.ENDING | {one for same in _SAME for one in same}
_NO_VERBS = word_set("done inactive active won lost unpublished on off")
_WHEN = word_set("at on after when now immediately if by before in once")


@lru_cache(maxsize=512)
def state_words(word: str, *, is_verb: bool = False) -> frozenset[str]:
    """Return a verb or state with its base form, its participle, and what means the same: `done` for "complete".

    `is_verb`: it is a verb, whether it is a common one or not.
    """
    low = word.lower()
    bases = frozenset({low, *(one for one in _bases(low) if one in _VERBS)})
    bases |= {one for same in _SAME for one in same if bases & same}
    verbs = {one for one in bases if one in _VERBS or (is_verb and one == low)} - _NO_VERBS
    done = {lexicon.DONE.get(one, in_form(one, "ed")) for one in verbs if " " not in one}
    spelled = {"cancelled", "canceled"} if "cancel" in bases else set[str]()
    spelled |= {low.removeprefix("turn ")} if low in {"turn on", "turn off"} else set()
    return bases | done | spelled


def _bases(low: str) -> tuple[str, ...]:
    return () if low in _NO_VERBS else bases_of(low, form="ed")


def ways_to(one: KnownTool, words: frozenset[str], *, only_states: bool = False) -> Iterator[tuple[Limit, ...]]:
    """Yield the tests, as alternatives, of the calls that bring a thing into a state. `words` name it.

    `only_states`: they are said as a state, so that an argument for something else has another value.
    """
    found = [*_values(one, words, only_states=only_states), *_flags(one, words)]
    for each in found:
        arg = each.arg or ""
        given = arg in one.required or not words.isdisjoint(_defaults(one, arg))
        yield (each,) if given else (Limit(arg=arg, state="present"), each)
    named = not words.isdisjoint(one.verbs | one.done)
    told = re.search(rf"\b(?:as|to) (?:an? )?(?:{'|'.join(sorted(map(re.escape, words)))})\b", one.tool.comment.lower())
    if not found and (named or told is not None):
        yield ()


def _defaults(one: KnownTool, arg: str) -> set[str]:
    """Return the words for what an argument may be if it is left out."""
    told = re.search(r"\bdefaults?\b(?: is| to|:|=)* ['\"`]?([A-Za-z_]+)", one.described(arg))
    return _plain(str(one.default_of(arg))) | (_plain(told[1]) if told else set())


def _values(one: KnownTool, words: frozenset[str], *, only_states: bool) -> Iterator[Limit]:
    """Yield the tests of values that schemas list, and of a text for a state."""
    for arg in one.tool.args:
        is_state = split_name(arg)[-1:] != [] and split_name(arg)[-1] in STATES
        if arg in one.listed and (is_state or not only_states):
            values = tuple(value for value in one.listed[arg] if not words.isdisjoint(_plain(value)))
            if values:
                yield Limit(arg=arg, among=values)
        elif is_state and arg not in one.listed and one.takes_one_text(arg):
            told = {word for word in re.findall(r"[A-Za-z_]+", one.described(arg)) if word.lower() in words}
            every = sorted(words | told)
            yield Limit(
                arg=arg, among=tuple(dict.fromkeys(f(each) for each in every for f in (str, str.capitalize, str.upper)))
            )


def _plain(value: str) -> set[str]:
    low = value.lower()
    return {low, *(one for one in _bases(low) if one in _VERBS)}


def _flags(one: KnownTool, words: frozenset[str]) -> Iterator[Limit]:
    """Yield the tests of flags: `active: false` for "deactivate", `cancel_at_period_end` for "cancel"."""
    for name, arg in one.flags.items():
        first, *rest = name.split() or [""]
        own = first in words and (not rest or rest[0] in _WHEN or singular(rest[-1]) == one.head)
        last = name.split()[-1] if name else ""
        if own or not words.isdisjoint(_MADE_TRUE.get(last, frozenset())):
            yield Limit(arg=arg, among=(True,))
        elif not words.isdisjoint(_MADE_FALSE.get(last, frozenset())):
            yield Limit(arg=arg, among=(False,))


def is_about(one: KnownTool, thing: str | None) -> bool:
    """Return whether a tool does something to a thing: by its noun, its description, or an id that it takes."""
    if thing is None:
        return True
    told = {each[-1] for each in one.told}
    ids = {noun for arg in one.required for noun in nouns_of_argument(one, arg) if split_name(arg)[-1] in _IDS}
    return thing in {one.head} | told or thing in ids | {singular(each) for each in one.verbs}


_IDS = word_set("id ids key keys number iid uuid")

"""What an act of a sentence is about, and what a tool of it can reach."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.given_arguments import optional_nouns
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.name_parts import ALL_VERBS
from retouch.recipes.policy.english.tools.on_files import FILES, MOVING
from retouch.recipes.policy.english.words.acts import ANYTHING, complement_of
from retouch.recipes.policy.english.words.lexicon import CREATING, LEAVE_ALONE, READ, TALKS, VERBS, singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.acts import Act, Qualifier
    from retouch.recipes.policy.english.words.sentences import ToolPart

_PLAIN_CHANGES = word_set("create delete update insert drop remove write")  # `create_access_list` reads no list
_ANALYSING = READ | word_set("analyze analyse explain profile")
_SCHEDULED = word_set("start end date day time when due deadline from until at schedule begin finish")
_AROUND_MESSAGES = word_set("context history thread reply")
_ADDRESSING = word_set("reply respond post message call share")
_WHO_IT_IS = word_set(
    "user person member recipient assignee customer client payee contact participant attendee skipper"
)
_WHOSE = word_set(
    "account assignee author calendar client creator customer employee login member organizer owner patient person "
    "profile tenant user username"
)


def may_change(one: KnownTool) -> bool:
    """Return whether a tool may do more than to read: by its verbs, or if no word of its name says that it reads."""
    words = {*one.words}
    shows = not READ.isdisjoint(words) and one.verbs.isdisjoint(ALL_VERBS)
    reads = one.reads or one.verbs <= _ANALYSING
    reads = (reads and words.isdisjoint(_PLAIN_CHANGES)) or shows
    return not (reads or one.computes or one.code)


def shows_talks(one: KnownTool, nouns: AbstractSet[str]) -> bool:
    """Return whether nouns are chats, and a tool shows the messages that are in them."""
    of_messages = "message" in {one.head, *(words[-1] for words in one.told)}
    around = "message" in one.nouns and one.head in _AROUND_MESSAGES
    return one.reads and not TALKS.isdisjoint(nouns) and (of_messages or around)


def is_about(one: KnownTool, verb: str, qualifier: Qualifier) -> bool:
    """Return whether a tool is about the things of a phrase such as "to the cart" and "to anyone"."""
    if qualifier.word == "of" and qualifier.names[:1] == ("existing",) and len(qualifier.names) > 1:
        qualifier = replace(qualifier, names=qualifier.names[1:])  # what is changed exists
    nouns = tuple(map(singular, qualifier.names))
    if not nouns:
        chosen = any(_WHO_IT_IS & set(split_name(arg)) for arg in one.required)
        return chosen or "email-address" in one.roles or (verb in _ADDRESSING and verb in one.verbs)
    if " ".join(qualifier.names).lower() in one.flags:
        return False  # "with a public address" is true or false
    if qualifier.word in {"with", "without"} and len(nouns) == 1 and nouns[0] in optional_nouns(one):
        return False  # "with an attachment" is an argument that is given
    if nouns == ("thread",) and "thread" in optional_nouns(one):
        return False  # a message is in a thread only if the call names it
    if one.code and verb in {"run", "execute"} and nouns in {("terminal",), ("shell",), ("console",)}:
        return True
    if qualifier.is_owned and nouns[-1] in one.argument_words:
        return False  # "of my team": which team it is would have to be tested
    if len(nouns) == 2 and nouns[-1] in one.named_arguments:
        return False  # "the family calendar" is chosen by `calendar_id`
    if nouns in one.told or _is_told(one, qualifier):
        return True
    return all(noun in one.subjects for noun in nouns) and (len(nouns) == 1 or one.has_phrase(nouns))


def _is_told(one: KnownTool, qualifier: Qualifier) -> bool:
    """Return whether a phrase limits nothing: "in a page" for "Run a script in the current page", "for any recipient".

    Only "any" of what a description names: "to customers" may be some of those that a tool can reach.
    """
    nouns = [singular(name) for name in qualifier.names]
    same = re.search(rf"\b{qualifier.word} (?:an?|the) (?:current |given )?{re.escape(nouns[-1])}\b", one.tool.comment)
    return (len(nouns) == 1 and same is not None) or (qualifier.is_any and one.described_words.issuperset(nouns))


def is_scheduled(arg: str) -> bool:
    """Return whether an argument may be a time: `start`, `due_date`, `from`, and not `from_account`."""
    words = set(arg.lower().replace("-", "_").split("_"))
    if words & {"birth", "born"}:
        return False
    return bool(words & _SCHEDULED) if len(words) == 1 else bool(words & (_SCHEDULED - {"from", "at", "schedule"}))


def beyond(act: Act) -> Iterator[Act]:
    """Yield what "at most 5 nights" in a permission is not for."""
    for one in act.qualifiers:
        rest = complement_of(one) if one.is_bound else None
        if rest is not None:
            yield replace(
                act, qualifiers=tuple(rest if other is one else other for other in act.qualifiers), exceptions=()
            )


def is_all_yours(one: KnownTool) -> bool:
    """Return whether all that a tool can reach is the user's, so that "my" excludes nothing.

    A tool that only reads, or works on a mailbox, and that does not choose an account, reaches the user's own things. A
    calendar also has the events of others, and who may look at it may look at all of them.
    """
    words = one.told_words | one.vocabulary
    of_others = not words.isdisjoint({"shared", "everyone", "everybody"}) or words >= {"all", "user"}
    looks = one.reads and "calendar" in one.server_words and one.head in {"event", "calendar", "freebusy", "busy"}
    whose = one.argument_words & (_WHOSE - {"calendar"} if looks else _WHOSE)
    return not (whose or of_others) and (one.reads or "email" in one.vocabulary)


def is_left_alone(one: KnownTool, act: Act) -> bool:
    """Return whether a tool does nothing to a thing that must be left alone: it looks at many, or makes a new one.

    What must not be used may be looked at neither.
    """
    makes = one.verbs <= CREATING and any(one.head in {each.arg, each.word} for each in act.qualifiers)
    if LEAVE_ALONE not in act.verbs:
        return makes and "use" in act.verbs
    return one.reads or makes


def on_files(act: Act, verb: str) -> bool:
    """Return whether a verb is about files. The roles of arguments show if no tool here does that to files."""
    known = VERBS.get(verb)
    named = all(set(thing.nouns) <= FILES for thing in act.things)
    return named and (verb in MOVING or (known is not None and bool(known.deeds)))


def has_place(act: Act) -> bool:
    """Return whether an act names a directory."""
    return any(one.kind in {"inside", "outside"} and one.word != "emails" for one in act.qualifiers)


def is_everywhere(act: Act) -> bool:
    """Return whether an act says that it is about any file: "any file", "anything"."""
    return bool(act.things) and all(thing == ANYTHING or thing.amount for thing in act.things)


def words_of(act: Act) -> str:
    """Return the verbs and objects of an act, for messages."""
    things = ", ".join(" ".join(one.raw) or "anything" for one in act.things)
    return f"{' and '.join(act.verbs)} {things}".strip()


def excepted_parts(act: Act, allowed: frozenset[ToolPart], excepted: frozenset[ToolPart]) -> frozenset[ToolPart]:
    """Return what the exceptions of a permission exclude.

    Raises:
        Unclear: a tool that is permitted cannot test the exception that another one tests.
    """
    open_ones = {(one.server, one.tool) for one in allowed} - {(one.server, one.tool) for one in excepted}
    if act.exceptions and excepted and open_ones:
        raise Unclear(f"no argument of {'/'.join(min(open_ones))} can be tested for the exception")
    return excepted

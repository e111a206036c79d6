"""Spares calls that a restriction does not mean: without a flag that is false then, with an empty list, without guests.

"Never put anybody in bcc" is not about `bcc=[]`, "public buckets are forbidden" is not about a call without `public`
where that is false by default, and an update without a `status` does not close a ticket.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.demanding import CHANGERS
from retouch.recipes.policy.english.tools.defaults import default_of, is_off_if_omitted, meets
from retouch.recipes.policy.english.tools.known_tools import is_id, split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

# A call without them has none, where one without `to` may have those that the server knows.
_ATTRIBUTES = word_set(
    "priority severity urgency importance label labels tag tags category categories color colour reason"
)
# An update without them changes a thing in the one that the server takes then: they do not say what it becomes.
_LOCATING = word_set(
    "id calendar folder directory path repo repository owner project workspace channel account table database "
    "collection region cluster namespace environment board store site tenant bucket drive mailbox thread server host "
    "org organization organisation space"
)
_SETTING = re.compile(
    r"\b(?:put|putting|set|setting|give|giving|assign|assigning|assigned|mark|marking|marked|tag|tagging|tagged|label|"
    r"labelling|labeling)\b|\b(?:chang|updat|rais|lower|reduc|increas|mov)(?:e|es|ed|ing|)\b.* to\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"\b(?:chang|edit|updat|modif|alter|adjust|remov|clear|touch)\w*", re.IGNORECASE)
_ENDS = word_set("done canceled cancelled closed resolved completed complete finished")
_KEPT = word_set("price cost score value salary rate discount budget stock amount quantity")  # without a new one
_MAKING_NEW = word_set("create add make new post send schedule open book")
_REPLY_VERBS = word_set("reply respond answer")
_REPLIES = re.compile(r"\b(?:repl(?:y|ies|ying|ied)|respond(?:ing|ed)?|answer(?:ing|ed)?)\b", re.IGNORECASE)
_OTHER_MAIL = re.compile(
    r"\b(?:send|sending|sent|write|writing|e-?mailing|messaging|forward\w*|comment\w*|note\w*)\b|\bemail (?:or|and) ",
    re.IGNORECASE,
)
_GUESTS = word_set("attendee attendees guest guests participant participants invitee invitees cc bcc")


def sparing(meaning: Meaning, text: str, toolbox: Toolbox) -> Meaning:
    """Return the meaning of a text whose restrictions test whether an argument is given, and a list has items.

    Raises:
        Unclear: it is about any change of an argument that null removes.
    """
    known = {one.key: one for one in toolbox.tools}

    def narrowed(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        each = [(known.get((part.server, part.tool)), part) for part in parts]
        left = [(one, part) for one, part in each if one is None or not _makes_another(one, part, text)]
        return frozenset(
            part if one is None else replace(part, where=tuple(_tests(one, part, text)))
            for one, part in (left if any(one is not None for one, _ in left) else each)
        )

    def restricted(parts: frozenset[ToolPart]) -> frozenset[ToolPart]:
        return frozenset(
            each for part in parts for each in _only_replies(known.get((part.server, part.tool)), part, text)
        )

    return replace(
        meaning,
        allow=frozenset(each for part in meaning.allow for each in _without(known.get((part.server, part.tool)), part)),
        ask=restricted(narrowed(meaning.ask)),
        never=restricted(narrowed(meaning.never)),
        excepted=narrowed(meaning.excepted),
    )


def _only_replies(one: KnownTool | None, part: ToolPart, text: str) -> Iterator[ToolPart]:
    """Yield the calls that answer a message, if a sentence is about replies alone, and a tool sends other ones too."""
    kept = _internal(one) if one is not None and one.head == "comment" and _REPLIES.search(text) else None
    if kept is not None and not part.unless and not _OTHER_MAIL.search(text):
        yield replace(part, unless=(kept,))  # a note for the team is no reply
        return
    args = () if one is None else tuple(arg for arg in one.tool.args if _answers(one, arg))
    sends = one is not None and bool(one.verbs & {"send", "draft", "create"}) and one.verbs.isdisjoint(_REPLY_VERBS)
    if not args or not sends or not _REPLIES.search(text) or _OTHER_MAIL.search(text):
        yield part
        return
    for arg in args:
        yield replace(part, where=(*part.where, Limit(arg=arg, state="present")))


def _internal(one: KnownTool) -> Limit | None:
    """Return the test of a comment that only the team sees. None if no flag shows it."""
    flags = {"public": False, "internal": True, "private": True}
    found = [Limit(arg=one.flags[name], among=(value,)) for name, value in flags.items() if name in one.flags]
    return found[0] if len(found) == 1 else None


def _answers(one: KnownTool, arg: str) -> bool:
    """Return whether an optional argument says which message a call replies to."""
    told = f"{' '.join(split_name(arg))} {one.described(arg)}".lower()
    return arg not in one.required and one.takes_one_text(arg) and re.search(r"\b(?:reply|replied)\b", told) is not None


def _without(one: KnownTool | None, part: ToolPart) -> Iterator[ToolPart]:
    """Yield a permission without guests, also for an empty list: who makes an event with `guests=[]` invites nobody.

    A change with an empty list removes what was there.
    """
    yield part
    left_out = [limit for limit in part.where if limit.state == "absent" and one is not None and limit.arg in one.lists]
    left_out = [limit for limit in left_out if not _GUESTS.isdisjoint(split_name(limit.arg or ""))]
    if one is not None and len(left_out) == 1 and one.verbs <= _MAKING_NEW:
        none = Limit(arg=left_out[0].arg, size="items", at_most=0)
        yield replace(part, where=tuple(none if limit == left_out[0] else limit for limit in part.where))


def _tests(one: KnownTool, part: ToolPart, text: str) -> Iterator[Limit]:
    """Yield the tests of a restriction of a tool, with further ones."""
    given = {limit.arg for limit in part.where if limit.state == "present"}
    updates = bool(one.verbs & CHANGERS)
    if stays := _stays(one, part, text):
        yield Limit(arg=stays, state="present")
    for limit in part.where:
        is_given = limit.state == "present" or limit.like == ("*",)
        if is_given and limit.arg and one.takes_null(limit.arg) and _CHANGES.search(text):
            raise Unclear(f"{one.tool.name} may remove '{limit.arg}' by null, which no test tells from a call without")
        guests = _guests(one, limit)
        arg = guests or ((limit.arg or "") if _is_spared(one, limit, text) else "")
        if arg and arg not in given:
            yield Limit(arg=arg, state="present")
            if guests in one.lists:
                yield Limit(arg=guests, size="items", above=0)
        yield limit
        alone = sum(other.arg == limit.arg for other in part.where) == 1
        if limit.state == "present" and limit.arg in one.lists and alone and not updates:
            yield Limit(arg=limit.arg, size="items", above=0)  # an update with an empty list removes what was there


def _makes_another(one: KnownTool, part: ToolPart, text: str) -> bool:
    """Return whether existing things are meant, and a tool only makes a new one: "leave existing tasks alone"."""
    found = re.match(
        r"(?:leave|never touch|hands off)?(?: ?(?:the|our|my|all))* ?existing ([a-z]+) ", f"{text} ", re.IGNORECASE
    )
    if found is None or part.where or part.unless or one.head != singular(found[1].lower()):
        return False
    ids = (arg for arg in one.tool.args if is_id(arg) and singular(split_name(arg)[0]) == one.head)
    return one.verbs <= _MAKING_NEW and not any(ids)


def _stays(one: KnownTool, part: ToolPart, text: str) -> str:
    """Return the argument without which a change keeps what a text lets it only be set to. "" if there is none."""
    arg = part.unless[0].arg or "" if len(part.unless) == 1 and not part.where else ""
    sets = _SETTING.search(text) is not None and not part.unless[0].is_of_state if arg else False
    free = arg and arg not in one.required and default_of(one, arg) is None and bool(one.verbs & CHANGERS)
    return arg if sets and free and _LOCATING.isdisjoint(split_name(arg)) else ""


def _guests(one: KnownTool, limit: Limit) -> str:
    """Return the argument for people whom a call may leave out, and then means nobody. "" if there are others."""
    args = [arg for arg, spec in one.tool.args.items() if limit.role in spec.all_roles]
    free = len(args) == 1 and args[0] not in one.required and not _GUESTS.isdisjoint(split_name(args[0]))
    return args[0] if limit.emails and free else ""


def _is_spared(one: KnownTool, limit: Limit, text: str) -> bool:
    """Return whether a call without the tested argument is not meant: its default, or what it stays, is another value.

    A text that sets something is about what it becomes, and not about what it is.
    """
    arg = limit.arg or ""
    if not arg or arg in one.required or limit.state:
        return False
    default = default_of(one, arg)
    if default is not None:
        return not meets(limit, default)
    if limit.like == ("*",):
        return True  # the test is whether it is given
    if limit.among == (True,):
        return is_off_if_omitted(one, arg)
    words = split_name(arg)
    sets = _SETTING.search(text) is not None
    if one.verbs & CHANGERS:
        is_state = bool(limit.among) and (words[-1:] in (["status"], ["state"]) or words[-2:] == ["state", "event"])
        kept = bool(limit.bounds) and not limit.size and not _KEPT.isdisjoint(words[-1:])
        return kept or is_state or (sets and _LOCATING.isdisjoint(words))
    noun = words[-1]  # "with the reason fraud", "with fraud as the reason"
    named = re.search(rf"\bwith (?:the |an? )?{noun} |\bas (?:the|its) {noun}\b", text, re.IGNORECASE) is not None
    values = {str(value).lower() for value in limit.among}
    if values and values <= _ENDS and words[-1:] in (["status"], ["state"]):
        return True  # what is new is not done yet
    none = any(value.startswith("no ") for value in one.listed.get(arg, ()))  # "0 = No priority"
    said = none and any(value in text.lower() for value in values)
    return (sets or named or said) and bool(limit.among) and not _ATTRIBUTES.isdisjoint(words)

"""Direct messages of a chat whose tools take a channel: one whose name begins with `@`, as its description says.

"Never send direct messages" is "never send messages", for all calls whose channel is not certainly another one. What
searches reads direct messages too, unless it looks in one channel. A permission is for what certainly is a direct
message. A sentence that says more than this is refused: which calls its limits are for cannot be seen.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import ToolPart
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Meaning

_DIRECT = r"(?:direct message|private message|dm)"
_NOUN = re.compile(rf"\b{_DIRECT}s?\b", re.IGNORECASE)
_TOLD = re.compile(r"direct message|\bDMs?\b|_dm\b|\bIMs?\b")
_ANYONE = r"(?:anyone|anybody|someone|somebody|people|others|other people|a person|any person|a colleague|colleagues)"
_ONES = r"(?:(?:an?|any|my|our|your|the|new) )*"
_GIVEN = re.compile(
    rf"\b(?P<verb>send|sending|write|writing) {_ANYONE} (?:an? |any )?{_DIRECT}(?P<many>s?)\b", re.IGNORECASE
)
_IN = re.compile(rf" in {_ONES}{_DIRECT}s?\b", re.IGNORECASE)
_PLAIN = re.compile(rf"\b(?P<ones>{_ONES}){_DIRECT}(?P<many>s?)\b(?: (?:to|with) {_ANYONE}\b)?", re.IGNORECASE)
_VERB = r"(?:send|write|read|search|post|open|view|see|sending|writing|reading|searching|posting)"
_BOTH = re.compile(rf"\b(?P<one>{_VERB}) (?:and|or|nor) (?P<other>{_VERB})\b(?= {_ONES}messages?\b)", re.IGNORECASE)
# "Stay out of my DMs: no reading, no searching"
_OUT_OF = re.compile(
    r"(?:please )?(?:stay|keep) (?:away from|out of) (?:my |our |the |any )?(?P<what>(?:direct|private) messages|dms)"
    r"(?P<acts>(?:(?::|,| -|;) no [a-z]+(?:,? (?:and |or )?no [a-z]+)*)?)(?=[.!]?$)",
    re.IGNORECASE,
)
_DOING = {"reading": "read", "searching": "search", "writing": "send", "sending": "send", "posting": "send"}
# Which calls these words are for cannot be seen once direct messages are messages.
_MORE = re.compile(
    r"[,;:]|\b(?:and|or|nor|but|only|except|unless (?!i\b|you\b)|other|others|else|instead|besides|apart|channels?|"
    r"groups?|touch|access|off[- ]limits|taboo|private|alone|away|out of|with|from|about|containing|that|who|whom|"
    r"which|reply|replies|threads?|all)\b|@",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\bonly (?=(?:be [a-z]+ )?(?:after|if|when|once|with) (?:i|we|my|our)\b)", re.IGNORECASE)
_READING = re.compile(r"\b(?:read|reading|view|see|open|look|search|searching|viewing|opening)\b", re.IGNORECASE)
_CHANNELS = ("#*", "C*")  # what begins like this is no direct message
_PEOPLE = "@*"
_ID_SHOWN = re.compile(r"\bC[x0-9]")
_IDS = "D*"
_DIRECT_KINDS = frozenset({"dm", "im", "mpim", "direct"})


def direct_meaning(text: str, toolbox: Toolbox, read: Callable[[str], Meaning]) -> Meaning | None:
    """Return what a sentence about direct messages means. None if it is another one, or a tool is for these alone.

    `read` returns what a sentence means.

    Raises:
        Unclear: it says more, or a tool that it is about does not show what is a direct message.
    """
    if not _NOUN.search(text) or not any(_mentions(one) for one in toolbox.tools):
        return None
    if any({"dm", "direct"} & {*one.nouns, *one.verbs, *one.words} for one in toolbox.tools):
        return None
    plain = _as_messages(text)
    said = _ASKED.sub("", _BOTH.sub("send", plain.rstrip(".!")))
    if _MORE.search(said) or _NOUN.search(plain) or "`" in text or '"' in text:
        raise Unclear("which of its words are about direct messages is not clear; write one short sentence about them")
    meaning = read(plain)
    known = {one.key: one for one in toolbox.tools}
    if not _READING.search(plain) and any(known[part.server, part.tool].reads for part in meaning.parts):
        raise Unclear("it is not said whether direct messages are sent or read")

    def direct(parts: frozenset[ToolPart], *, permits: bool) -> frozenset[ToolPart]:
        tests = _permitted if permits else _restricted
        return frozenset(each for part in parts for each in tests(part, known[part.server, part.tool]))

    more = frozenset(part for one in known.values() for part in _of_any_channel(one, meaning))
    reads = any(known[part.server, part.tool].reads for part in meaning.ask | meaning.never)
    asked, barred = (more if reads and own else frozenset[ToolPart]() for own in (meaning.ask, meaning.never))
    return replace(
        meaning,
        allow=direct(meaning.allow, permits=True),
        ask=direct(meaning.ask, permits=False) | asked,
        never=direct(meaning.never, permits=False) | barred,
        excepted=direct(meaning.excepted, permits=False),
    )


def _as_messages(text: str) -> str:
    """Return a sentence with "messages" for "direct messages", and nothing for "in direct messages"."""
    text = _OUT_OF.sub(_named_acts, text)
    text = _GIVEN.sub(lambda found: f"{found['verb']} {'messages' if found['many'] else 'a message'}", text)
    text = _IN.sub("", text)
    return _PLAIN.sub(lambda found: f"{found['ones']}message{found['many']}", text)


def _named_acts(found: re.Match[str]) -> str:
    """Return "Never read or search direct messages" for "stay out of my DMs: no reading, no searching"."""
    said = re.findall(r"no ([a-z]+)", found["acts"].lower())
    verbs = [_DOING.get(one) for one in said] if said else ["read", "send"]
    return f"Never {' or '.join(map(str, verbs))} {found['what']}" if None not in verbs else found[0]


def _mentions(one: KnownTool) -> bool:
    """Return whether a tool says that its messages may be direct ones."""
    return any(_TOLD.search(text) for text in (one.tool.comment, *map(one.described, one.tool.args)))


def _channel_of(one: KnownTool) -> str:
    """Return the argument that is the name of a person for a direct message. "" if none is."""
    told = {arg: one.described(arg) for arg in one.tool.args if one.takes_one_text(arg)}
    found = [arg for arg, text in told.items() if arg in one.required and "@" in text and "#" in text]
    return found[0] if len(found) == 1 and _TOLD.search(f"{told[found[0]]} {one.tool.comment}") else ""


def _refuse_limits(part: ToolPart) -> None:
    if not all(limit.is_clock or limit.is_total for limit in (*part.where, *part.unless)):
        raise Unclear("it is not clear whether its limit is about direct messages, too")


def _restricted(part: ToolPart, one: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that may be about a direct message: all that do not name a channel.

    Raises:
        Unclear: no argument shows it.
    """
    if one.code:
        yield part
        return
    _refuse_limits(part)
    arg = _channel_of(one)
    if arg:
        yield replace(part, unless=(*part.unless, Limit(arg=arg, like=_CHANNELS)))
    elif one.reads and one.verbs & {"search", "find", "query"}:
        channels, people = _filters(one)
        if channels:
            yield replace(part, unless=(*part.unless, Limit(arg=channels, like=_CHANNELS)))
            yield from (replace(part, where=(*part.where, Limit(arg=each, state="present"))) for each in people)
        else:
            yield part
    else:
        raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")


def _of_any_channel(one: KnownTool, meaning: Meaning) -> Iterator[ToolPart]:
    """Yield the calls of a tool that reads messages of all channels unless it is told their kind: `unreads`.

    Raises:
        Unclear: it cannot be told to leave direct messages out.
    """
    known = {(part.server, part.tool) for part in meaning.parts}
    if not one.reads or one.key in known or "message" not in one.told_words or _channel_of(one) or one.code:
        return
    for arg, values in one.listed.items():
        if any(_DIRECT_KINDS & {*split_name(value)} for value in values):
            others = tuple(value for value in values if not (_DIRECT_KINDS | {"all"}) & {*split_name(value)})
            yield part_of(one, unless=(Limit(arg=arg, among=others),) if others else ())
            return
    if "unread" in one.told_words:
        raise Unclear(f"no argument of {one.tool.server}/{one.tool.name} can be tested for this")


def _filters(one: KnownTool) -> tuple[str, tuple[str, ...]]:
    """Return the argument with the channel in which a search looks, and those with a direct message."""
    direct = {arg for arg in one.tool.args if {"im", "mpim", "dm"} & {*split_name(arg)}}
    found = [arg for arg in one.tool.args if "channel" in split_name(arg) and arg not in direct and one.takes_text(arg)]
    return (found[0] if len(found) == 1 else "", tuple(sorted(direct)))


def _permitted(part: ToolPart, one: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls that are certainly about a direct message."""
    _refuse_limits(part)
    arg = _channel_of(one)
    if arg:
        yield replace(part, where=(*part.where, Limit(arg=arg, like=_names(one, arg))))
        return
    channels, people = _filters(one)
    if one.reads and len(people) == 1 and "@" in f"{one.described(people[0])}":
        none = () if not channels else (Limit(arg=channels, state="absent"),)
        yield replace(part, where=(*part.where, *none, Limit(arg=people[0], like=_names(one, people[0]))))


def _names(one: KnownTool, arg: str) -> tuple[str, ...]:
    return (_PEOPLE, _IDS) if _ID_SHOWN.search(one.described(arg)) else (_PEOPLE,)

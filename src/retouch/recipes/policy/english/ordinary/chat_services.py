"""What sentences say of groups, phone numbers, voice messages and files of a chat whose messages go to a number."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.recipes.policy.english.frames.restricted import Restricted
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_SEND = r"(?:send|post|write|share|forward)(?:ing|e|s)?|writing|sharing"
_WHAT = r"(?:anything|something|things?|(?:(?:an?|any|new|whatsapp) )*(?:messages?|texts?))"
_GROUP = (
    r"(?:(?:an?|any|the|my|our|your|whatsapp|big|all|other) )*(?:group(?: ?chats?| conversations?)?|groups|groupchats?)"
    r"(?: on whatsapp)?"
)
_TO_GROUP = re.compile(
    rf"(?:(?:{_SEND}|repl(?:y|ying)|answer(?:ing)?)(?: {_WHAT})? (?:to|in|into) {_GROUP}|(?:message|text|"
    rf"contact)(?:ing|s)? {_GROUP}|"
    rf"(?:any |all )?(?:messages?|texts?|posts?) (?:to|in|for) {_GROUP}|(?:any |all )?group messages?)",
    re.IGNORECASE,
)
_FILES_TO_GROUP = re.compile(
    rf"(?:{_SEND}) (?:(?:an?|any|my) )?(?:files?|documents?|media(?: files?)?|attachments?) (?:to|in|into) {_GROUP}",
    re.IGNORECASE,
)
_VOICE = re.compile(
    r"(?:(?:(?:send|record|leave|make|share)(?:ing)? )?(?:(?:an?|any|my) )?(?:voice|audio) (?:messages?|notes?|memos?|"
    r"recordings?)(?: (?:to|for) (?:anyone|anybody|somebody|someone|people|others)(?: else)?)?)",
    re.IGNORECASE,
)
_KIND = r"(?:files?|documents?|media(?: files?)?|photos?|pictures?|pics?|images?|videos?|pdfs?|attachments?)"
_KINDS = rf"(?:(?:an?|any|my) )?(?P<kinds>{_KIND}(?:(?:,? or |,? and |, |,? nor ){_KIND})*)"
_FILES = re.compile(
    rf"(?:(?:{_SEND}) {_KINDS}(?: (?:to|with) (?:anyone|anybody|somebody|someone|people|others)(?: else)?)?|"
    rf"{_KINDS.replace('<kinds>', '<sent>')}(?: (?:may|can|must|should|to|that) (?:ever )?(?:go|be sent|be shared|"
    r"leave|"
    r"get)(?: out)?)?(?: (?:to|with) (?:anyone|anybody|somebody|someone|people|others)(?: else)?)?)",
    re.IGNORECASE,
)
_NUMBER = r"\+?\d[\d ()-]{5,18}\d"
_NAMED = r"(?:(?:[A-Z][a-z]+(?: [A-Z][a-z]+)?|my [a-z]+(?: [A-Z][a-z]+)?),? (?:on|at|under|\(|using)? ?)?"
_PERSON = rf"{_NAMED}{_NUMBER}\)?"
_PERSONS = rf"(?P<numbers>{_PERSON}(?:(?:,? (?:and|or) |, ){_PERSON})*)"
_TO_NUMBER = re.compile(
    rf"(?:(?:{_SEND})(?: {_WHAT})? to|message|messaging|text|texting|contact|contacting|(?:reply|replying|answer) to|"
    rf"whatsapp) {_PERSONS}"
)
_ELSE = r"(?:anyone|anybody|any ?one else|anyone else|anybody else|people)"
_BUT_NUMBER = re.compile(
    rf"(?:(?:{_SEND})(?: {_WHAT})? to|message|messaging|text|texting|contact|contacting|write to) {_ELSE} "
    rf"(?:but|except|other than|besides) {_PERSONS}"
)
_MESSAGE = r"(?:message|text|write to|contact|send (?:messages?|texts?|an? message|an? text) to|whatsapp)"
_ONLY_NUMBER = re.compile(
    rf"(?:[Yy]ou (?:may|can|are allowed to) )?(?P<only>[Oo]nly )?(?P<verb>{_MESSAGE}|{_MESSAGE.capitalize()}) "
    rf"(?P<just>only )?{_PERSONS}(?P<else>,? (?:(?:but|and) )?(?:nobody|no one|no-one|not anyone|not anybody) "
    r"else| only)?[.!]?"
)
_TALK = r"(?:texts?|messages?)"
_LONG = (
    r"(?:longer than|over|above|more than|exceeding|exceed|with more than|of more than|have more than|be longer than|"
    r"be over|with over|of over) (?P<length>\d{1,5}) (?:characters|chars|letters|signs)(?: long)?"
)
_TOO_LONG = re.compile(
    rf"(?:(?:{_SEND}) )?(?:(?:an?|any|whatsapp) )*{_TALK}(?: (?:that|which) (?:is|are|has|have))?,? {_LONG}",
    re.IGNORECASE,
)
_MUST_NOT = re.compile(
    rf"(?:(?:an?|any|all|your|my|the|whatsapp) )*{_TALK} (?:must not|must never|may not|may never|cannot|can['\u2019]t|"
    rf"can not|should not|should never|shouldn['\u2019]t|mustn['\u2019]t) (?:be |exceed )?(?:{_LONG}|"
    r"(?P<bare>\d{1,5}) (?:characters|chars|letters|signs))[.!]?",
    re.IGNORECASE,
)
_MARK = re.compile(
    r"mark(?:ing)? (?:anything|everything|things|(?:(?:an?|any|my|the|all|unread|other|of) )*(?:messages?|channels?|"
    r"conversations?|dms?|chats?|threads?|emails?|e-mails?|it|them)) (?:as )?(?P<state>read|unread)",
    re.IGNORECASE,
)
_ONLY_TEXT = re.compile(
    r"(?:you (?:may|can) )?only (?:send|write) (?:plain )?texts?(?: messages?)?(?:,? (?:and )?(?:no|never|not) "
    r"(?:any )?"
    rf"{_KIND}(?:(?:,? or |,? and |, |,? nor ){_KIND})*)?[.!]?",
    re.IGNORECASE,
)
_INTO_GROUP = re.compile(
    r"(?:add|remove|put|invite)(?:t?ing|e)? (?:anyone|anybody|someone|somebody|people|users?|members?|others|"
    r"me)(?: else)? "
    r"(?:to|from|into|in) (?:(?:an?|any|the|my|our|other) )*user ?-?groups?",
    re.IGNORECASE,
)
_SENDING = word_set("send post reply forward share")
_TALKING = word_set("message text body payload content caption")
_SPOKEN = word_set("audio voice")
_MEMBERS = word_set("user member people")
_HOLDS_ALL = word_set("file document media attachment")


def parts_of_chats(one: Restricted, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the calls that a sentence about a chat forbids or asks about. Empty if it is another one.

    Raises:
        Unclear: no tool here marks things as unread.
    """
    if found := _MARK.fullmatch(one.said):
        return _marking(found["state"].lower(), toolbox)
    if _INTO_GROUP.fullmatch(one.said):
        return _joining(toolbox)
    sending = _senders(toolbox)
    return (_sent_to(one.said, sending) or _sent_what(one.said, sending)) if sending else frozenset()


def _sent_to(said: str, sending: list[KnownTool]) -> frozenset[ToolPart]:
    """Return the calls to groups, or to some numbers."""
    if _TO_GROUP.fullmatch(said):
        return _to(sending, Limit(like=("*@g.us",), arg=""))
    if _FILES_TO_GROUP.fullmatch(said):
        return _to([tool for tool in sending if tool.paths], Limit(like=("*@g.us",), arg=""))
    if found := _TO_NUMBER.fullmatch(said):
        return _to(sending, Limit(like=_spelled(found["numbers"]), arg=""))
    found = _BUT_NUMBER.fullmatch(said)
    return frozenset() if found is None else _beyond(sending, found["numbers"])


def _sent_what(said: str, sending: list[KnownTool]) -> frozenset[ToolPart]:
    """Return the calls that send voice messages, files or long texts.

    Raises:
        Unclear: the sentence is about some kinds of files, which a path does not show.
    """
    if _VOICE.fullmatch(said):
        return frozenset(part_of(tool) for tool in sending if _speaks(tool))
    if found := _FILES.fullmatch(said):
        return _files(found["kinds"] or found["sent"], sending)
    found = _TOO_LONG.fullmatch(said)
    return frozenset() if found is None else _long(sending, int(found["length"]))


def only_to_number(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "you can message Priya on 447700900456, but nobody else" means. None if it is another sentence.

    What is permitted are messages, and nothing is sent to anybody else.
    """
    sending = _senders(toolbox)
    if sending and (long := _MUST_NOT.fullmatch(text.strip())):
        return Meaning(never=_long(sending, int(long["length"] or long["bare"])))
    if sending and _ONLY_TEXT.fullmatch(text.strip()):
        return Meaning(never=frozenset(part_of(one) for one in sending if one.paths))
    found = _ONLY_NUMBER.fullmatch(text.strip())
    if not sending or found is None or any(one.code for one in toolbox.tools):
        return None
    closed = found["only"] or found["just"] or found["else"]
    if not closed and not text.strip().lower().startswith("you "):
        return None
    allowed = _to([one for one in sending if _has_text(one)], Limit(arg="", among=_chats(found["numbers"])))
    return Meaning(allow=allowed, never=_beyond(sending, found["numbers"]) if closed else frozenset())


def _senders(toolbox: Toolbox) -> list[KnownTool]:
    """Return the tools that send to a phone number or a group. Empty if one of them takes no such recipient."""
    sending = [one for one in toolbox.tools if not one.reads and not one.code and one.verbs & _SENDING]
    return sending if all(map(_recipient, sending)) else []


def _recipient(one: KnownTool) -> str:
    """Return the argument with a phone number or the JID of a group. "" if there is none."""
    args = [arg for arg in one.required if "JID" in one.described(arg) and one.takes_one_text(arg)]
    return args[0] if len(args) == 1 else ""


def _to(tools: Iterable[KnownTool], limit: Limit) -> frozenset[ToolPart]:
    """Return the calls whose recipient passes a test."""
    pairs = ((one, _recipient(one)) for one in tools)
    return frozenset(part_of(one, where=(_of(limit, arg),)) for one, arg in pairs)


def _of(limit: Limit, arg: str) -> Limit:
    return Limit(arg=arg, like=limit.like, among=limit.among)


def _beyond(tools: Iterable[KnownTool], numbers: str) -> frozenset[ToolPart]:
    """Return the calls to any other number."""
    known = _chats(numbers)
    return frozenset(part_of(one, unless=(Limit(arg=_recipient(one), among=known),)) for one in tools)


def _digits(numbers: str) -> list[str]:
    return [re.sub(r"\D", "", one) for one in re.findall(_NUMBER, numbers)]


def _chats(numbers: str) -> tuple[str, ...]:
    """Return how a call names the chats with some numbers."""
    return tuple(text for one in _digits(numbers) for text in (one, f"{one}@s.whatsapp.net"))


def _spelled(numbers: str) -> tuple[str, ...]:
    """Return patterns for how a call may name some numbers."""
    return tuple(text for one in _digits(numbers) for text in (one, f"{one}@*", f"+{one}", f"+{one}@*"))


def _speaks(one: KnownTool) -> bool:
    return not _SPOKEN.isdisjoint(one.words)


def _has_text(one: KnownTool) -> bool:
    return any(not _TALKING.isdisjoint(split_name(arg)) and one.takes_one_text(arg) for arg in one.required)


def _files(kinds: str, sending: Iterable[KnownTool]) -> frozenset[ToolPart]:
    """Return the tools that send files.

    Raises:
        Unclear: the sentence is about some kinds of files, which a path does not show.
    """
    named = {singular(word) for word in re.findall(r"[a-z]+", kinds.lower())} - {"or", "and", "nor"}
    tools = [one for one in sending if one.paths]
    if tools and named.isdisjoint(_HOLDS_ALL):
        raise Unclear(f"{tools[0].tool.name} sends files of all kinds; write 'files' or '.jpg files'")
    every = "file" in named or "media" in named or "attachment" in named
    return frozenset(part_of(one) for one in tools if every or not _speaks(one))


def _long(sending: Iterable[KnownTool], length: int) -> frozenset[ToolPart]:
    """Return the calls with a longer text."""
    texts = ((one, arg) for one in sending for arg in one.required if not _TALKING.isdisjoint(split_name(arg)))
    return frozenset(
        part_of(one, where=(Limit(arg=arg, size="characters", above=length),))
        for one, arg in texts
        if one.takes_one_text(arg)
    )


def _joining(toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the tools that say who is in a group of users: `usergroups_users_update(users)`."""
    found = (one for one in toolbox.tools if not one.reads and {"usergroup", "group"} & {*one.nouns, *one.core})
    named = [one for one in found if any(_MEMBERS & {*map(singular, split_name(arg))} for arg in one.tool.args)]
    return frozenset(map(part_of, named))


def _marking(state: str, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the tools that mark messages as read or unread.

    Raises:
        Unclear: none does.
    """
    tools = [one for one in toolbox.tools if "mark" in one.verbs | one.done and state in one.told_words]
    labels = any("label" in {*map(singular, split_name(arg))} for one in toolbox.tools for arg in one.tool.args)
    if not tools and not labels:
        raise Unclear(f"no tool here marks anything as {state}")
    return frozenset(map(part_of, tools))

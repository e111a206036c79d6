"""What sentences say of filters that forward mail, of single labels, and of the kinds of attached files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.json_schema import fields_of, has_only
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.tools.given_arguments import optional_nouns
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.tools.label_arguments import label_arguments
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.frames.restricted import Restricted
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_MAIL = r"(?:(?:my|our|any|all|the|incoming|new|other|of) )*(?:e-?mails?|messages?|mails?|anything|everything|them|it)"
_OTHERS = (
    r"(?:another|any other|some other|other|a different) (?:e-?mail )?(?:address(?:es)?|accounts?|mailbox(?:es)?|"
    r"people|"
    r"person)|anyone(?: else)?|someone(?: else)?|somebody(?: else)?|others|other people|elsewhere"
)
_FORWARDS = rf"(?:auto-?)?forward(?:s|ing)?(?: {_MAIL})?(?: (?:to )?(?:{_OTHERS}))?(?: automatically)?"
_DELETES = rf"(?:automatically )?(?:delete|trash|bin|remove)s?(?: {_MAIL})?(?: automatically)?"
_MAKE = r"(?:create|set up|make|add|install|define|write|build|configure|turn on|enable|activate|change|edit)"
_MAKING = r"(?:creating|setting up|making|adding|installing|defining|writing|building|configuring|enabling|changing)"
_ONES = r"(?:(?:an?|any|new|my|gmail|mail|e-?mail|inbox|automatic|auto) )*"
_RULES = r"(?:filters?|rules?)"
_FORWARDING = re.compile(
    rf"(?:(?:{_MAKE}|{_MAKING}) )?{_ONES}(?:{_RULES} (?:that|which|to) {_FORWARDS}|(?:auto-?)?forwarding {_RULES}"
    r"(?: of any kind)?)"
    rf"|(?:{_MAKE}|{_MAKING}) {_ONES}(?:auto-?)?forwarding(?: of {_MAIL})?(?: to (?:{_OTHERS}))?"
    rf"|{_ONES}(?:auto-?forwarding|automatic forwarding|forwarding of {_MAIL})(?: to (?:{_OTHERS}))?"
    rf"|(?:auto-?forward(?:ing)?|automatically forward(?:ing)?) {_MAIL}(?: to (?:{_OTHERS}))?"
    rf"|forward(?:ing)? {_MAIL} automatically(?: to (?:{_OTHERS}))?",
    re.IGNORECASE,
)
_DISCARDING = re.compile(rf"(?:(?:{_MAKE}|{_MAKING}) )?{_ONES}{_RULES} (?:that|which|to) {_DELETES}", re.IGNORECASE)
_SETTING = word_set("create add set update edit change enable make new insert patch modify")

_PUT = r"(?:add|adding|put|putting|apply|applying|set|setting|attach|attaching|assign|assigning|use|using)"
_TAKE = r"(?:remove|removing|take off|taking off|take away|strip|stripping|clear|clearing|delete|deleting)"
_EITHER = r"(?:change|changing|touch|touching|modify|modifying|edit|editing|toggle|toggling|mess with|alter)"
_ACTS = rf"(?P<acts>(?:{_PUT}|{_TAKE}|{_EITHER})(?:(?:,? or |,? and |,? nor |, )(?:{_PUT}|{_TAKE}|{_EITHER}))*)"
_NAME = r"(?P<{}>[A-Z][A-Z_]{{2,}}|Label_\w+)"
_LABEL = rf"(?:(?:the|any|my) )?(?:{_NAME.format('a')} labels?|labels? {_NAME.format('b')})"
_OTHER_LABEL = _LABEL.replace("<a>", "<c>").replace("<b>", "<d>")
_ON = (
    r"(?: (?:to|from|on|onto|off|of) (?:(?:an?|any|my|the|of|these|all) )*"
    r"(?:e-?mails?|messages?|mails?|threads?|anything))?"
)
_LABELLED = re.compile(rf"{_ACTS} {_LABEL}{_ON}")
_ALONE = re.compile(
    rf"(?:please )?(?:leave {_LABEL} (?:alone|untouched|as (?:it is|they are))|"
    rf"(?:(?:keep )?(?:your )?hands off|stay away from|keep away from) {_OTHER_LABEL})[.!]?",
    re.IGNORECASE,
)

_ENDINGS = {
    one: (one,)
    for one in sorted(word_set("pdf png gif csv txt zip docx doc xlsx xls pptx exe md json svg mp3 mp4 html"))
} | dict.fromkeys(("jpg", "jpeg"), ("jpg", "jpeg"))
_KIND = rf"\.?(?P<kind>{'|'.join(_ENDINGS)})s?(?: files?| documents?| attachments?| ones)?"
_ATTACH = r"(?:send|attach|e-?mail)(?:ing)?"
_ANY_FILES = (
    r"(?:(?:any|an?|other|the) )?(?:attachments?|attached files?|files?|e-?mails? with (?:an )?attachments?|documents?)"
    r"(?: of any kind)?"
)
_UNLESS_KIND = re.compile(
    rf"(?:never|do not|don['\u2019]t|you must not|you must never) {_ATTACH} {_ANY_FILES},? (?:unless (?:they are|"
    rf"they['\u2019]re|it is|it['\u2019]s|the (?:files?|attachments?) (?:are|is))(?: an?)?|except(?: for)?|other than|"
    rf"that (?:are not|aren['\u2019]t|is not|isn['\u2019]t)(?: an?)?|but) {_KIND}[.!]?",
    re.IGNORECASE,
)
_ONLY_KIND = re.compile(
    rf"(?:you (?:may|can|must|should) )?only (?:{_ATTACH} (?:{_KIND}(?: as attachments?)?|{_ANY_FILES} that "
    r"are(?: an?)? "
    rf"{_KIND.replace('<kind>', '<other>')})|{_KIND.replace('<kind>', '<third>')} (?:may|can) be (?:sent|attached)"
    r"(?: as attachments?)?)[.!]?",
    re.IGNORECASE,
)


def parts_of_mails(one: Restricted, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the calls that a sentence about filters or labels forbids or asks about. Empty if it is another one.

    Raises:
        Unclear: a label is given by its name, and the tools take ids.
    """
    if _FORWARDING.fullmatch(one.said):
        return frozenset(part for tool in toolbox.tools for part in _forwarding(tool))
    if _DISCARDING.fullmatch(one.said):
        return frozenset(part for tool in _filtering(toolbox) for part in _naming(tool, "TRASH"))
    if (found := _LABELLED.fullmatch(one.said)) and any(map(label_arguments, toolbox.tools)):
        return _labelled(found["a"] or found["b"], found["acts"], toolbox)
    return frozenset()


def label_left_alone(text: str, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the calls that add or remove a label that must be left alone. Empty if the sentence is another one."""
    found = _ALONE.fullmatch(text.strip())
    name = found and next((one for one in (found["a"], found["b"], found["c"], found["d"]) if one), None)
    known = name and any(map(label_arguments, toolbox.tools))
    return _labelled(name, "change", toolbox) if name and known else frozenset()


def _filtering(toolbox: Toolbox) -> Iterator[KnownTool]:
    """Yield the tools that make or change filters."""
    for one in toolbox.tools:
        if "filter" in one.core and not one.reads and one.verbs & _SETTING:
            yield one


def _forwarding(one: KnownTool) -> Iterator[ToolPart]:
    """Yield the calls of a tool that let mail be forwarded from then on: by a field of a filter, or by its name.

    Raises:
        Unclear: it may forward, and no field of it says so.
    """
    name = {singular(word) for word in one.words}
    if one.reads or one.code or not one.verbs & _SETTING:
        return
    if "forwarding" in name or {"auto", "forward"} <= name:
        yield part_of(one)
    elif "filter" in one.core:
        yield from _forwarding_filters(one)


def _forwarding_filters(one: KnownTool) -> Iterator[ToolPart]:
    plain = [arg for arg in one.tool.args if {"forward", "forwarding"} & {*split_name(arg)}]
    yield from (part_of(one, where=(Limit(arg=arg, state="present"),)) for arg in plain)
    nested = {arg: tuple(_fields_with(one.schema_of(arg), "forward")) for arg in one.tool.args}
    yield from (part_of(one, where=(Limit(arg=arg, among=names),)) for arg, names in nested.items() if names)
    objects = (arg for arg in one.tool.args if has_only(one.schema_of(arg), "object") and singular(arg) != "criteria")
    free = [arg for arg in objects if not fields_of(one.schema_of(arg))]
    if free and not plain and not any(nested.values()):
        raise Unclear(f"no field of {free[0]!r} of {one.tool.name} is known that says to whom it forwards")


def _fields_with(schema: object, word: str) -> Iterator[str]:
    """Yield the properties of an object whose names contain a word, at any depth."""
    for name, each in fields_of(schema).items():
        if word in map(singular, split_name(name)):
            yield name
        yield from _fields_with(each, word)


def _naming(one: KnownTool, value: str) -> Iterator[ToolPart]:
    """Yield the calls that name a label in what a filter does."""
    for arg in one.tool.args:
        if any(_fields_with(one.schema_of(arg), "label")):
            yield part_of(one, where=(Limit(arg=arg, among=(value,)),))


def _labelled(name: str, acts: str, toolbox: Toolbox) -> frozenset[ToolPart]:
    """Return the calls that add a label to e-mails, or remove it.

    Raises:
        Unclear: no call shows which label it is, as the tools take ids.
    """
    changes = re.search(_EITHER, acts) is not None
    adds, removes = changes or re.search(rf"\b{_PUT}\b", acts), changes or re.search(rf"\b{_TAKE}\b", acts)
    found: set[ToolPart] = set()
    for one in toolbox.tools:
        if (both := label_arguments(one)) is not None:
            added, removed = both
            plain = [arg for arg in one.tool.args if {*map(singular, split_name(arg))} - {"id"} == {"label"}]
            args = [*((added, *plain) if adds else ()), *((removed,) if removes else ())]
            tests = ((Limit(arg=arg, state="present"), Limit(arg=arg, among=(name,))) for arg in args)
            found |= {part_of(one, where=each) for each in tests}
    found |= {part for one in _filtering(toolbox) for part in _naming(one, name)}
    return frozenset(found)


def only_kinds_attached(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "don't send attachments unless they are PDF files" forbids. None if the sentence is another one."""
    found = _UNLESS_KIND.fullmatch(text.strip()) or _ONLY_KIND.fullmatch(text.strip())
    if found is None:
        return None
    named = found.groupdict()
    kind = next(one for one in (named.get("kind"), named.get("other"), named.get("third")) if one).lower()
    like = tuple(f"*.{each}" for one in _ENDINGS[kind] for each in (one, one.upper()))
    args = {one: optional_nouns(one).get("attachment") for one in toolbox.tools if not one.reads}
    sending = {one: arg for one, arg in args.items() if arg is not None and "draft" not in one.verbs}
    mails = all("email-address" in one.roles for one in sending)
    if not sending or not mails or any(one.code for one in toolbox.tools):
        return None
    unless = {arg: (Limit(arg=arg, like=like),) for arg in sending.values()}
    return Meaning(never=frozenset(part_of(one, where=_some(arg), unless=unless[arg]) for one, arg in sending.items()))


def _some(arg: str) -> tuple[Limit, ...]:
    return Limit(arg=arg, state="present"), Limit(arg=arg, size="items", above=0)

"""What sentences say of filters that forward mail, of single labels, and of the kinds of attached files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.frames.restricted import Restricted
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import ToolPart

_MAIL = r"(?:(?:my|our|any|all|the|incoming|new|other|of) )*(?:e-?mails?|messages?|mails?|anything|everything|them|it)"
_OTHERS = (
    r"(?:another|any other|some other|other|a different) (?:e-?mail )?(?:address(?:es)?|accounts?|mailbox(?:es)?|people|"
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
_ON = r"(?: (?:to|from|on|onto|off|of) (?:(?:an?|any|my|the|of|these|all) )*(?:e-?mails?|messages?|mails?|threads?|anything))?"
_LABELLED = re.compile(rf"{_ACTS} {_LABEL}{_ON}")
_ALONE = re.compile(
    rf"(?:please )?(?:leave {_LABEL} (?:alone|untouched|as (?:it is|they are))|"
    rf"(?:(?:keep )?(?:your )?hands off|stay away from|keep away from) {_LABEL.replace('<a>', '<c>').replace('<b>', '<d>')})"
    r"[.!]?",
    re.IGNORECASE,
)

_ENDINGS = {
    one: (one,) for one in "pdf png gif csv txt zip docx doc xlsx xls pptx exe md json svg mp3 mp4 html".split()
} | {"jpg": ("jpg", "jpeg"), "jpeg": ("jpg", "jpeg")}
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
    rf"(?:you (?:may|can|must|should) )?only (?:{_ATTACH} (?:{_KIND}(?: as attachments?)?|{_ANY_FILES} that are(?: an?)? "
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
    if one.reads or one.code:
        return
    name = {singular(word) for word in split_name(one.tool.name)}
    if "forwarding" in name or {"auto", "forward"} <= name:
        if one.verbs & _SETTING:
            yield part_of(one)
        return
    if "filter" not in one.core or not one.verbs & _SETTING:
        return
    plain = [arg for arg in one.tool.args if {"forward", "forwarding"} & {*split_name(arg)}]
    yield from (part_of(one, where=(Limit(arg=arg, state="present"),)) for arg in plain)
    nested = [arg for arg in one.tool.args if _has_field(one.schema_of(arg), "forward")]
    yield from (part_of(one, where=(Limit(arg=arg, among=("forward", "forwardTo")),)) for arg in nested)
    free = [
        arg
        for arg in one.tool.args
        if _is_free(one.schema_of(arg)) and singular(arg).lower() not in {"criteria", "criterion"}
    ]
    if not plain and not nested and free:
        raise Unclear(f"no field of {free[0]!r} of {one.tool.name} is known that says to whom it forwards")


def _has_field(schema: JSON, name: str) -> bool:
    """Return whether an object has a property whose name contains a word, at any depth."""
    if not isinstance(schema, dict):
        return False
    properties = schema.get("properties")
    fields = properties if isinstance(properties, dict) else {}
    return any(name in split_name(one) for one in fields) or any(_has_field(each, name) for each in fields.values())


def _is_free(schema: JSON) -> bool:
    """Return whether any field may be given in an argument."""
    return isinstance(schema, dict) and schema.get("type") == "object" and not schema.get("properties")


def _naming(one: KnownTool, value: str) -> Iterator[ToolPart]:
    """Yield the calls that name a value anywhere in what a filter does, and not in what it looks for."""
    for arg in one.tool.args:
        schema = one.schema_of(arg)
        if schema.get("type") == "object" and _has_label(schema):
            yield part_of(one, where=(Limit(arg=arg, among=(value,)),))


def _has_label(schema: JSON) -> bool:
    return _has_field(schema, "label") or _has_field(schema, "labels")


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
    sending = [one for one in toolbox.tools if not one.reads and "attachment" in optional_nouns(one)]
    sending = [one for one in sending if "draft" not in one.verbs]
    mails = all("email-address" in one.roles for one in sending)
    if not sending or not mails or any(one.code for one in toolbox.tools):
        return None
    return Meaning(
        never=frozenset(
            part_of(one, where=_some(arg), unless=(Limit(arg=arg, like=like),))
            for one in sending
            for arg in [optional_nouns(one)["attachment"]]
        )
    )


def _some(arg: str) -> tuple[Limit, ...]:
    return Limit(arg=arg, state="present"), Limit(arg=arg, size="items", above=0)

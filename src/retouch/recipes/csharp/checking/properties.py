"""Tier 2: compares one property with its listed field."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.csharp.asking.listing import STRING_CONVERTER, written_type
from retouch.recipes.csharp.checking.attributes import converter_name, unknown_attributes, validation_issues
from retouch.recipes.csharp.checking.descriptions import foreign_description
from retouch.recipes.csharp.language.literals import description_literal
from retouch.recipes.csharp.language.vocabulary import BUILT_IN_TYPES, FORBIDDEN_NAMES, KEYWORDS, VALUE_TYPES
from retouch.recipes.csharp.parsing.spelling import read_type

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Issue, Severity
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.ir import CsField
    from retouch.recipes.csharp.parsing.outline import Property

_PLAIN_VALUE = re.compile(
    r"""default!?|default\([^()]*\)!?|null!?|true|false|-?[\d.]+\w*|@?"[^"]*"|(?:System\.)?[sS]tring\.Empty!?|\[\s*\]
    |[A-Z]\w*\.\w+|new\s*[\w.<>?,\[\]\s]*(?:\(\)|\{\s*\})|(?:System\.)?Array\.Empty<[^>]*>\(\)""",
    re.VERBOSE,
)
_ODD_MODIFIERS = ("static", "abstract", "override", "new", "private", "protected", "internal", "extern", "unsafe")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One property to check, its page, and its field."""

    subject: Subject
    page: int
    written: Property
    field: CsField

    @property
    def shown(self) -> str:
        """The name of the property for messages."""
        return f"{self.written.name!r} of {self.subject.type.name!r}"

    def issue(
        self, code: str, message: str, fix: str, *, detail: dict[str, JSON] | None = None, severity: Severity = "error"
    ) -> Issue:
        """Return an issue at the property's line."""
        line = self.written.line
        return self.subject.issue(code, message, page=self.page, line=line, fix=fix, detail=detail, severity=severity)


def property_issues(subject: Subject, page: int, property_: Property, field: CsField) -> Iterator[Issue]:
    """Yield the issues of `property_`, the property of `field` on page `page`."""
    case = Case(subject=subject, page=page, written=property_, field=field)
    yield from _name(case)
    yield from _type(case)
    yield from _nullable(case)
    yield from _required(case)
    yield from _accessors(case)
    yield from _logic(case)
    yield from _json_attributes(case)
    yield from unknown_attributes(subject, page, property_.attributes)
    yield from validation_issues(subject, page, property_, field)
    yield from _description(case)
    yield from foreign_description(subject, page, property_, field)


def _description(case: Case) -> Iterator[Issue]:
    described = case.written.attribute("Description") or case.written.attribute("Title")
    if described is None and description_literal(case.field.description):
        message = f"The property {case.shown} has no [Description]."
        yield case.issue("DESCRIPTION", message, "Add it with the listed text.", severity="warning")


def _name(case: Case) -> Iterator[Issue]:
    name, wanted = case.written.name, case.field.name
    if name == wanted:
        return
    fix = f"Call it {wanted!r}, as listed."
    if name in KEYWORDS:
        yield case.issue("WRONG_NAME", f"The property name {name!r} is a keyword of C#.", fix)
    elif name.removeprefix("@") != wanted.removeprefix("@"):
        message = f"The property for {case.field.json_name!r} is called {name!r}; it should be {wanted!r}."
        yield case.issue("WRONG_NAME", message, fix)


def _type(case: Case) -> Iterator[Issue]:
    seen, wanted = case.written.type, read_type(case.field.type)
    if seen.canonical == wanted.canonical:
        return
    declared = case.subject.declared
    unknown = [name for name in seen.names if name not in declared and name not in BUILT_IN_TYPES]
    fix = f"Write the type as {written_type(case.field)}."
    for name in unknown:
        message = f"Property {case.written.name!r} references type {name!r} which is not declared in this file."
        yield case.issue("UNDECLARED_TYPE", message, fix, detail={"Declared types": _some(list(declared))})
    if not unknown:
        message = f"The property {case.shown} has the type {seen.canonical!r}; it should be {wanted.canonical!r}."
        yield case.issue("WRONG_TYPE", message, fix)


def _some(names: list[str], limit: int = 40) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def _nullable(case: Case) -> Iterator[Issue]:
    mark = case.written.type.nullable
    attribute = case.written.attribute("Nullable")
    has_attribute = attribute is not None and [argument.value for argument in attribute.arguments] == ["true"]
    wanted = case.field.nullable
    if mark == has_attribute == wanted:
        return
    if mark != has_attribute:
        seen = "'?' on its type without [Nullable(true)]" if mark else "[Nullable(true)] without '?' on its type"
    else:
        seen = "'?' and [Nullable(true)]" if mark else "neither '?' nor [Nullable(true)]"
    fix = "Write both [Nullable(true)] and '?'." if wanted else "Write neither [Nullable(true)] nor '?'."
    yield case.issue("NULLABLE_MISMATCH", f"The property {case.shown} has {seen}.", fix)


def _required(case: Case) -> Iterator[Issue]:
    has_attribute = case.written.attribute("Required") is not None
    keyword = "required" in case.written.modifiers
    if has_attribute != case.field.required:
        seen, fix = ("has", "Leave it out.") if has_attribute else ("lacks", "Add it.")
        yield case.issue("WRONG_REQUIRED", f"The property {case.shown} {seen} [Required].", fix)
    if keyword and not case.field.required:
        message = f"The property {case.shown} has the keyword 'required', but may be absent."
        yield case.issue("WRONG_REQUIRED", message, "Leave the keyword out.")
    if not keyword and case.field.required and not _may_stay_unset(case):
        message = f"The property {case.shown} is neither nullable, nor 'required', nor initialised."
        yield case.issue("WRONG_REQUIRED", message, "Add the keyword 'required' after 'public'.")


def _may_stay_unset(case: Case) -> bool:
    """Return whether the compiler accepts the property without the keyword `required`."""
    type_ = case.written.type
    named = case.subject.declared.get(type_.canonical)
    value = type_.canonical in VALUE_TYPES or (named is not None and named.kind == "enum")
    return value or type_.nullable or bool(case.written.initialiser)


def _accessors(case: Case) -> Iterator[Issue]:
    accessors = case.written.accessors
    if accessors == ("get", "init") or case.written.arrow:
        return
    shown = " ".join(f"{accessor};" for accessor in accessors)
    message = f"The property {case.shown} has the accessors {{ {shown} }}."
    fix = "Write { get; init; }."
    plain = [accessor.removesuffix("{}") for accessor in accessors]
    usable = sorted(plain) in (["get", "set"], ["get", "init"])
    if not usable:
        yield case.issue("ACCESSOR", message, fix)
    elif "set" in plain:
        yield case.issue("ACCESSOR", message, fix, severity="warning")


def _logic(case: Case) -> Iterator[Issue]:
    property_ = case.written
    fix = "Write a plain property: public TYPE NAME { get; init; }"
    if property_.arrow or any(accessor.endswith("{}") for accessor in property_.accessors):
        yield case.issue("LOGIC", f"The property {case.shown} is computed.", fix)
    odd = [word for word in property_.modifiers if word in _ODD_MODIFIERS]
    twice = len({*property_.modifiers}) < len(property_.modifiers)
    if odd or twice or "public" not in property_.modifiers:
        words = " ".join(property_.modifiers) or "no modifier"
        yield case.issue(
            "LOGIC", f"The property {case.shown} is declared with {words}; it should be public, each word once.", fix
        )
    if property_.initialiser and not _PLAIN_VALUE.fullmatch(property_.initialiser.strip()):
        message = f"The property {case.shown} is initialised with logic: {property_.initialiser[:60]!r}."
        used = FORBIDDEN_NAMES & set(re.findall(r"\w+", property_.initialiser))
        yield case.issue("FORBIDDEN" if used else "LOGIC", message, fix)


def _json_attributes(case: Case) -> Iterator[Issue]:
    ignore = case.written.attribute("JsonIgnore")
    if ignore is not None:
        conditions = [
            argument.value.rpartition(".")[2] for argument in ignore.arguments if argument.name == "Condition"
        ]
        never_lost = conditions in (["WhenWritingNull"], ["WhenWritingDefault"], ["Never"])
        if not never_lost or (case.field.required and conditions != ["Never"]):
            message = (
                f"[JsonIgnore] would keep {case.field.json_name!r} of {case.subject.type.name!r} from being written."
            )
            yield case.issue("WRONG_ATTRIBUTE", message, "Leave it out.")
    converter = case.written.attribute("JsonConverter")
    if converter is not None and not any(each.startswith("JsonConverter") for each in case.field.attributes):
        name = converter_name(converter)
        if name != STRING_CONVERTER:
            message = f"Property {case.written.name!r} references the converter {name!r} which is not declared."
            yield case.issue("UNDECLARED_TYPE", message, "Leave [JsonConverter] out.")

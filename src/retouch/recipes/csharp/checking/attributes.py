"""Tier 2: attributes that are unknown, forbidden, missing, not requested, or have other arguments than listed."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.vocabulary import FORBIDDEN_NAMES, HARMLESS, RESTRICTING
from retouch.recipes.csharp.parsing.page import outline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.checking.subject import Subject
    from retouch.recipes.csharp.ir import CsField
    from retouch.recipes.csharp.parsing.outline import Argument, Attribute, Property

_OF_TEXT = frozenset({"Description", "Title"})  # their only argument is a string
_NUMBER = re.compile(r"(-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)[uUlLdDfFmM]*")


def validation_issues(subject: Subject, page: int, property_: Property, field: CsField) -> Iterator[Issue]:
    """Yield an issue for each listed attribute that is missing or differs, and each restriction that is not listed."""
    listed = _parsed(field.attributes)
    fix = "Write the listed attributes as they are, and no other validation attribute."
    seen = {attribute.name: attribute for attribute in property_.attributes}
    for name, arguments in listed.items():
        attribute = seen.get(name)
        if attribute is None:
            problem, line = f"lacks [{name}]", property_.line
        elif argument_values(attribute) != arguments:
            problem, line = f"has [{name}] with other arguments than listed", attribute.line
        else:
            continue
        message = f"The property {property_.name!r} of {subject.type.name!r} {problem}."
        yield subject.issue("WRONG_ATTRIBUTE", message, page=page, line=line, fix=fix)
    for attribute in property_.attributes:
        if attribute.name in RESTRICTING and attribute.name not in listed:
            message = f"The property {property_.name!r} of {subject.type.name!r} has [{attribute.name}], not listed."
            yield subject.issue("WRONG_ATTRIBUTE", message, page=page, line=attribute.line, fix=fix)


def unknown_attributes(subject: Subject, page: int, attributes: tuple[Attribute, ...]) -> Iterator[Issue]:
    """Yield an issue for each attribute that is unknown, forbidden or repeated."""
    seen: set[str] = set()
    for attribute in attributes:
        name = attribute.name
        if "." in name and not FORBIDDEN_NAMES.isdisjoint(name.split(".")):
            code, message, fix = "FORBIDDEN", f"[{name}] is not allowed in a data object.", "Leave it out."
        elif name not in HARMLESS and name not in RESTRICTING and not name.startswith("System."):
            code, message = "WRONG_ATTRIBUTE", f"[{name}] is not one of the attributes of data objects."
            fix = "Leave it out; write the listed attributes only."
        elif name in _OF_TEXT and any(one.kind != "text" and _is_no_text(one.value) for one in attribute.arguments):
            code, message = "WRONG_ATTRIBUTE", f"[{name}] has an argument that is no string."
            fix = "Write the listed text in quotes."
        elif name in seen and name != "AlternateKey":
            code, message, fix = "WRONG_ATTRIBUTE", f"[{name}] appears more than once.", "Write it once."
        else:
            seen.add(name)
            continue
        yield subject.issue(code, message, page=page, line=attribute.line, fix=fix)


def _is_no_text(value: str) -> bool:
    return _NUMBER.fullmatch(value) is not None or value in {"true", "false", "null"} or value[:1] == "'"


def converter_name(converter: Attribute) -> str:
    """Return the plain name of the type in a [JsonConverter], or "" if it names none."""
    names = [argument.value.partition("<")[0].rpartition(".")[2] for argument in converter.arguments]
    return names[0] if len(names) == 1 else ""


@lru_cache(maxsize=4096)
def _parsed(attributes: tuple[str, ...]) -> dict[str, tuple[tuple[str, str], ...]]:
    if not attributes:
        return {}
    text = "".join(f"[{attribute}]\n" for attribute in attributes) + "class _ {}"
    types = outline(text, "type").types
    return {attribute.name: argument_values(attribute) for attribute in (types[0].attributes if types else ())}


def argument_values(attribute: Attribute) -> tuple[tuple[str, str], ...]:
    """Return the arguments of an attribute as (name, value) pairs in a canonical form, so that they can be compared."""
    return tuple((argument.name, _value(argument)) for argument in attribute.arguments)


def _value(argument: Argument) -> str:
    """Return an argument in a canonical form: numbers without suffix, names without namespace, strings quoted."""
    if argument.kind == "text":
        return repr(argument.value)
    number = _NUMBER.fullmatch(argument.value)
    if number is None:
        return ".".join(argument.value.split(".")[-2:])
    return str(Decimal(number[1].replace("_", "")).normalize())

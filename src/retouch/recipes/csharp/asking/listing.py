"""Lists the attributes, types and values of a type, for prompts and for checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.literals import quoted

if TYPE_CHECKING:
    from retouch.recipes.csharp.ir import CsField, CsType

STRING_CONVERTER = "JsonStringEnumConverter"


def type_attributes(type_: CsType) -> list[str]:
    """Return the attributes of a type without brackets and without its description."""
    if type_.kind == "enum":
        return [] if type_.integer else [f"JsonConverter(typeof({STRING_CONVERTER}))"]
    attributes: list[str] = []
    if type_.is_root and type_.key:
        names = {field.json_name: field.name for field in type_.fields}
        properties = [f"nameof({names[name]})" if name in names else quoted(name) for name in type_.key[1:]]
        attributes.append(f"PrimaryKey({', '.join([quoted(type_.key[0]), *properties])})")
    if type_.closed:
        attributes.append("AdditionalProperties(false)")
    return attributes


def underlying_type(type_: CsType) -> str:
    """Return the smallest of int, long and ulong that holds every value of an integer enum. For strings return int."""
    numbers = [value.value for value in type_.values if isinstance(value.value, int)]
    if not numbers or (min(numbers) >= -(2**31) and max(numbers) < 2**31):
        return "int"
    return "long" if max(numbers) < 2**63 else "ulong"


def value_literal(value: str | int) -> str:
    """Return an enum value for a list: quoted, or a plain number."""
    return quoted(value) if isinstance(value, str) else str(value)


def written_type(field: CsField) -> str:
    """Return the C# type of a field's property, with its `?`."""
    return field.type + "?" if field.nullable else field.type

"""Typical mistakes of models in C# data objects. Each function damages a page, or returns it unchanged."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from retouch.recipes.csharp.answering.fault_edits import (
    damaged,
    enum_members_of,
    outline_of,
    properties_of,
    retyped,
    spliced,
    without_attribute,
    without_list,
    without_member,
)
from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from retouch.recipes.csharp.answering.fault_edits import Fault
    from retouch.recipes.csharp.parsing.outline import EnumMember, Outline, Property

_OTHER_TYPE = {"string": "int", "long": "string", "int": "string", "bool": "string", "double": "string"}


def missing_field(page: Outline, chosen: Property, _random: Random) -> str:
    """Leave one property out."""
    return without_member(page, chosen)


def duplicate_field(page: Outline, chosen: Property, _random: Random) -> str:
    """Write a duplicate property."""
    copy = page.data[chosen.start : chosen.end]
    return spliced(page, chosen.end, chosen.end, "\n\n    " + copy.decode())


def phantom_field(text: str, random: Random) -> str:
    """Add a property that is not listed."""
    page = outline_of(text)
    properties = properties_of(page)
    if not properties:
        return text
    name = random.choice(("metadata", "internal_code", "legacy_ref", "extra_info")) + f"_{random.randrange(10, 99)}"
    cs_name = "".join(part.capitalize() for part in name.split("_"))
    added = f'[JsonPropertyName("{name}")]\n    [Nullable(true)]\n    public string? {cs_name} {{ get; init; }}\n\n    '
    at = random.choice(properties).start
    return spliced(page, at, at, added)


def undeclared_type(page: Outline, chosen: Property, random: Random) -> str:
    """Give one property a type that is not declared."""
    invented = chosen.name.removeprefix("@") + random.choice(("Info", "Details", "Enumeration", "Model"))
    return retyped(page, chosen, invented + ("?" if chosen.type.nullable else ""))


def wrong_type(page: Outline, chosen: Property, _random: Random) -> str:
    """Give one property another built-in type."""
    other = _OTHER_TYPE.get(chosen.type.canonical, "string")
    return retyped(page, chosen, other + ("?" if chosen.type.nullable else ""))


def wrong_nullability(page: Outline, chosen: Property, random: Random) -> str:
    """Allow null where it is forbidden, or the reverse. Half of the time the attribute is left unchanged."""
    attribute = chosen.attribute("Nullable")
    both = random.random() < 0.5
    end = chosen.type_end
    data = page.data
    if chosen.type.nullable:
        if data[end - 1 : end] != b"?":
            return data.decode()
        data = data[: end - 1] + data[end:]
        if both and attribute is not None and attribute.alone:
            data = data[: attribute.list_start] + data[attribute.list_end :].lstrip()
        return data.decode()
    data = data[:end] + b"?" + data[end:]
    added = b"[Nullable(true)]\n    " if both else b""
    return (data[: chosen.start] + added + data[chosen.start :]).decode()


def pasted_neighbour(text: str, random: Random) -> str:
    """Replace the JSON name of a property by that of the property before."""
    page = outline_of(text)
    named = [each for each in properties_of(page) if each.attribute("JsonPropertyName") is not None]
    if len(named) < 2:
        return text
    index = random.randrange(1, len(named))
    before, chosen = (named[at].attribute("JsonPropertyName") for at in (index - 1, index))
    if before is None or chosen is None:
        return text
    return spliced(page, chosen.start, chosen.end, page.data[before.start : before.end].decode())


def misspelled_name(text: str, random: Random) -> str:
    """Change the spelling of one JSON name, as models do that tidy names."""
    page = outline_of(text)
    named = [each for each in properties_of(page) if each.json_name]
    if not named:
        return text
    chosen = random.choice(named)
    attribute, name = chosen.attribute("JsonPropertyName"), chosen.json_name or ""
    joined = re.sub(r"[-_.](\w)", lambda match: match[1].upper(), name)
    other = next(other for other in (joined, name.swapcase(), f"{name}_") if other != name)
    if attribute is None:
        return text
    return spliced(page, attribute.start, attribute.end, f"JsonPropertyName({quoted(other)})")


def placeholder(text: str, random: Random) -> str:
    """Replace the last members by a comment."""
    page = outline_of(text)
    members = sorted([*properties_of(page), *enum_members_of(page)], key=lambda member: member.start)
    if not members:
        return text
    first = members[random.randrange(len(members) // 2, len(members))]
    comment = random.choice(("// ... remaining members unchanged", "// rest of the fields as before", "// ..."))
    last = members[-1]
    end = last.end + (1 if page.data[last.end : last.end + 1] == b"," else 0)
    return spliced(page, first.start, end, comment)


def unbalanced_brace(text: str, random: Random) -> str:
    """Drop or double one brace."""
    page = outline_of(text)
    places = [place for part in page.types for place in (part.body_start - 1, part.body_end)]
    places += [place for each in properties_of(page) for place in (each.accessors_start, each.accessors_end - 1)]
    braces = [place for place in places if page.data[place : place + 1] in (b"{", b"}") and place >= 0]
    if not braces:
        return spliced(page, len(page.data), len(page.data), "}\n")
    place = random.choice(braces)
    twice = page.data[place : place + 1].decode() * 2
    return spliced(page, place, place + 1, "" if random.random() < 0.7 else twice)


def missing_json_name(text: str, random: Random) -> str:
    """Drop the attribute with the JSON name of one property."""
    page = outline_of(text)
    found = [each.attribute("JsonPropertyName") for each in properties_of(page)]
    alone = [each for each in found if each is not None and each.alone]
    return without_list(page.data, random.choice(alone)) if alone else text


def missing_required(text: str, random: Random) -> str:
    """Make one required property optional."""
    page = outline_of(text)
    properties = properties_of(page)
    pairs = [(each, each.attribute("Required")) for each in properties if "required" in each.modifiers]
    alone = [(each, attribute) for each, attribute in pairs if attribute is not None and attribute.alone]
    if not alone:
        return text
    property_, attribute = random.choice(alone)
    keyword = page.data.rfind(b"required ", property_.start, property_.type_end)
    data = page.data[:keyword] + page.data[keyword + 9 :]
    return without_list(data, attribute)


def missing_key(text: str, _random: Random) -> str:
    """Drop the primary key."""
    return without_attribute(text, "PrimaryKey")


def mutable_property(page: Outline, chosen: Property, random: Random) -> str:
    """Drop the init accessor of one property, so that it cannot be deserialised."""
    return spliced(page, chosen.accessors_start, chosen.accessors_end, random.choice(("{ get; }", "{ get; set; }")))


def missing_enum_member(page: Outline, chosen: EnumMember, _random: Random) -> str:
    """Drop one member of an enum."""
    return without_member(page, chosen)


def renamed_enum_member(page: Outline, chosen: EnumMember, random: Random) -> str:
    """Change the value of one enum member."""
    block = page.data[chosen.start : chosen.end].decode()
    if chosen.attributes:
        changed = re.sub(r'\("(.*)"\)', lambda match: f'("{match[1]}_{random.randrange(2, 99)}")', block, count=1)
    else:
        changed = f"{chosen.name} = {random.randrange(100_000, 999_999)}"
    return spliced(page, chosen.start, chosen.end, changed)


def missing_comma(text: str, random: Random) -> str:
    """Drop the comma after one enum member."""
    page = outline_of(text)
    members = enum_members_of(page)
    chosen = [each for each in members[:-1] if page.data[each.end : each.end + 1] == b","]  # the last one needs none
    if not chosen:
        return text
    end = random.choice(chosen).end
    return spliced(page, end, end + 1, "")


def missing_converter(text: str, _random: Random) -> str:
    """Drop the converter of an enum."""
    return without_attribute(text, "JsonConverter")


def namespace_around(text: str, _random: Random) -> str:
    """Add usings and a namespace, which do not belong on a page."""
    if not outline_of(text).types or text.startswith(BEGIN_FIELDS):
        return text
    return f"using System;\n\nnamespace Connector.App.v1;\n\n{text}"


faults: Mapping[str, Fault] = {
    "missing_field": partial(damaged, properties_of, missing_field),
    "duplicate_field": partial(damaged, properties_of, duplicate_field),
    "phantom_field": phantom_field,
    "undeclared_type": partial(damaged, properties_of, undeclared_type),
    "wrong_type": partial(damaged, properties_of, wrong_type),
    "wrong_nullability": partial(damaged, properties_of, wrong_nullability),
    "pasted_neighbour": pasted_neighbour,
    "misspelled_name": misspelled_name,
    "placeholder": placeholder,
    "unbalanced_brace": unbalanced_brace,
    "missing_json_name": missing_json_name,
    "missing_required": missing_required,
    "missing_key": missing_key,
    "mutable_property": partial(damaged, properties_of, mutable_property),
    "missing_enum_member": partial(damaged, enum_members_of, missing_enum_member),
    "renamed_enum_member": partial(damaged, enum_members_of, renamed_enum_member),
    "missing_comma": missing_comma,
    "missing_converter": missing_converter,
    "namespace_around": namespace_around,
}

"""What models get wrong in C# data objects: functions that spoil a page, or leave it alone where they do not apply."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS
from retouch.recipes.csharp.parsing.page import outline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from retouch.recipes.csharp.parsing.outline import Attribute, EnumMember, Outline, Property

    Fault: TypeAlias = Callable[[str, Random], str]

_OTHER_TYPE = {"string": "int", "long": "string", "int": "string", "bool": "string", "double": "string"}


def missing_field(text: str, random: Random) -> str:
    """Leave one property out."""
    page, properties = _properties(text)
    return _without(page, random.choice(properties)) if properties else text


def duplicate_field(text: str, random: Random) -> str:
    """Write one property twice."""
    page, properties = _properties(text)
    if not properties:
        return text
    chosen = random.choice(properties)
    copy = page.data[chosen.start : chosen.end]
    return _spliced(page, chosen.end, chosen.end, "\n\n    " + copy.decode())


def phantom_field(text: str, random: Random) -> str:
    """Add a property that nobody listed."""
    page, properties = _properties(text)
    if not properties:
        return text
    name = random.choice(("metadata", "internal_code", "legacy_ref", "extra_info")) + f"_{random.randrange(10, 99)}"
    cs_name = "".join(part.capitalize() for part in name.split("_"))
    added = f'[JsonPropertyName("{name}")]\n    [Nullable(true)]\n    public string? {cs_name} {{ get; init; }}\n\n    '
    at = random.choice(properties).start
    return _spliced(page, at, at, added)


def undeclared_type(text: str, random: Random) -> str:
    """Give one property a type that nobody declares."""
    page, properties = _properties(text)
    if not properties:
        return text
    chosen = random.choice(properties)
    invented = chosen.name.removeprefix("@") + random.choice(("Info", "Details", "Enumeration", "Model"))
    return _retyped(page, chosen, invented + ("?" if chosen.type.nullable else ""))


def wrong_type(text: str, random: Random) -> str:
    """Give one property another built-in type."""
    page, properties = _properties(text)
    if not properties:
        return text
    chosen = random.choice(properties)
    other = _OTHER_TYPE.get(chosen.type.canonical, "string")
    return _retyped(page, chosen, other + ("?" if chosen.type.nullable else ""))


def wrong_nullability(text: str, random: Random) -> str:
    """Take null for allowed where it is not, or the reverse; half of the time without its attribute."""
    page, properties = _properties(text)
    if not properties:
        return text
    chosen = random.choice(properties)
    attribute = chosen.attribute("Nullable")
    both = random.random() < 0.5
    end = chosen.type_end
    data = page.data
    if chosen.type.nullable:
        if data[end - 1 : end] != b"?":
            return text
        data = data[: end - 1] + data[end:]
        if both and attribute is not None and attribute.alone:
            data = data[: attribute.list_start] + data[attribute.list_end :].lstrip()
        return data.decode()
    data = data[:end] + b"?" + data[end:]
    added = b"[Nullable(true)]\n    " if both else b""
    return (data[: chosen.start] + added + data[chosen.start :]).decode()


def pasted_neighbour(text: str, random: Random) -> str:
    """Write the JSON name of the property before over that of another one."""
    page, properties = _properties(text)
    named = [each for each in properties if each.attribute("JsonPropertyName") is not None]
    if len(named) < 2:
        return text
    index = random.randrange(1, len(named))
    before, chosen = (named[at].attribute("JsonPropertyName") for at in (index - 1, index))
    if before is None or chosen is None:
        return text
    return _spliced(page, chosen.start, chosen.end, page.data[before.start : before.end].decode())


def misspelled_name(text: str, random: Random) -> str:
    """Change the spelling of one JSON name, as models that tidy names do."""
    page, properties = _properties(text)
    named = [each for each in properties if each.json_name]
    if not named:
        return text
    chosen = random.choice(named)
    attribute, name = chosen.attribute("JsonPropertyName"), chosen.json_name or ""
    other = re.sub(r"[-_.](\w)", lambda match: match[1].upper(), name)
    other = other if other != name else name.swapcase() if name.swapcase() != name else f"{name}_"
    if attribute is None:
        return text
    return _spliced(page, attribute.start, attribute.end, f'JsonPropertyName("{_plain(other)}")')


def placeholder(text: str, random: Random) -> str:
    """Write a lazy comment where the last members should stand."""
    page = _outline(text)
    members = _members(page)
    if not members:
        return text
    first = members[random.randrange(len(members) // 2, len(members))]
    comment = random.choice(("// ... remaining members unchanged", "// rest of the fields as before", "// ..."))
    last = members[-1]
    end = last.end + (1 if page.data[last.end : last.end + 1] == b"," else 0)
    return _spliced(page, first.start, end, comment)


def unbalanced_brace(text: str, random: Random) -> str:
    """Lose one brace, or write one too many."""
    page = _outline(text)
    places = [place for part in page.types for place in (part.body_start - 1, part.body_end)]
    properties = [property_ for part in page.types for property_ in part.properties]
    places += [place for each in properties for place in (each.accessors_start, each.accessors_end - 1)]
    braces = [place for place in places if page.data[place : place + 1] in (b"{", b"}") and place >= 0]
    if not braces:
        return _spliced(page, len(page.data), len(page.data), "}\n")
    place = random.choice(braces)
    twice = page.data[place : place + 1].decode() * 2
    return _spliced(page, place, place + 1, "" if random.random() < 0.7 else twice)


def missing_json_name(text: str, random: Random) -> str:
    """Forget the attribute with the JSON name of one property."""
    page, properties = _properties(text)
    found = [each.attribute("JsonPropertyName") for each in properties]
    alone = [each for each in found if each is not None and each.alone]
    return _without_list(page, random.choice(alone)) if alone else text


def missing_required(text: str, random: Random) -> str:
    """Forget that one property is required."""
    page, properties = _properties(text)
    pairs = [(each, each.attribute("Required")) for each in properties if "required" in each.modifiers]
    alone = [(each, attribute) for each, attribute in pairs if attribute is not None and attribute.alone]
    if not alone:
        return text
    property_, attribute = random.choice(alone)
    keyword = page.data.rfind(b"required ", property_.start, property_.type_end)
    data = page.data[:keyword] + page.data[keyword + 9 :]
    return _without_list(replace(page, data=data), attribute)


def missing_key(text: str, _random: Random) -> str:
    """Forget the primary key."""
    page = _outline(text)
    keys = [each for part in page.types for each in part.attributes if each.name == "PrimaryKey" and each.alone]
    return _without_list(page, keys[0]) if keys else text


def mutable_property(text: str, random: Random) -> str:
    """Drop the init accessor of one property, so that nothing can be read into it."""
    page, properties = _properties(text)
    if not properties:
        return text
    chosen = random.choice(properties)
    return _spliced(page, chosen.accessors_start, chosen.accessors_end, random.choice(("{ get; }", "{ get; set; }")))


def missing_enum_member(text: str, random: Random) -> str:
    """Leave one member of an enum out."""
    page, members = _enum_members(text)
    return _without(page, random.choice(members)) if members else text


def renamed_enum_member(text: str, random: Random) -> str:
    """Change the value that one member of an enum stands for."""
    page, members = _enum_members(text)
    if not members:
        return text
    chosen = random.choice(members)
    block = page.data[chosen.start : chosen.end].decode()
    if chosen.attributes:
        changed = re.sub(r'\("(.*)"\)', lambda match: f'("{match[1]}_{random.randrange(2, 99)}")', block, count=1)
    else:
        changed = f"{chosen.name} = {random.randrange(100_000, 999_999)}"
    return _spliced(page, chosen.start, chosen.end, changed)


def missing_comma(text: str, random: Random) -> str:
    """Forget the comma behind one member of an enum."""
    page, members = _enum_members(text)
    chosen = [each for each in members[:-1] if page.data[each.end : each.end + 1] == b","]  # the last may lack it
    if not chosen:
        return text
    end = random.choice(chosen).end
    return _spliced(page, end, end + 1, "")


def missing_converter(text: str, _random: Random) -> str:
    """Forget the converter of an enum."""
    page = _outline(text)
    found = [each for part in page.types for each in part.attributes if each.name == "JsonConverter" and each.alone]
    return _without_list(page, found[0]) if found else text


def namespace_around(text: str, _random: Random) -> str:
    """Write usings and a namespace, which the page should leave out."""
    if not _outline(text).types or text.startswith(BEGIN_FIELDS):
        return text
    return f"using System;\n\nnamespace Connector.App.v1;\n\n{text}"


faults: Mapping[str, Fault] = {
    fault.__name__: fault
    for fault in (
        missing_field, duplicate_field, phantom_field, undeclared_type, wrong_type, wrong_nullability,
        pasted_neighbour, misspelled_name, placeholder, unbalanced_brace, missing_json_name, missing_required,
        missing_key, mutable_property, missing_enum_member, renamed_enum_member, missing_comma, missing_converter,
        namespace_around,
    )
}  # fmt: skip


def _outline(text: str) -> Outline:
    if not text.lstrip().startswith(BEGIN_FIELDS):
        return outline(text, "type")
    return outline(text, "members" if "{" in text else "values")


def _properties(text: str) -> tuple[Outline, list[Property]]:
    page = _outline(text)
    return page, [property_ for part in page.types for property_ in part.properties]


def _enum_members(text: str) -> tuple[Outline, list[EnumMember]]:
    page = _outline(text)
    return page, [member for part in page.types for member in part.members]


def _members(page: Outline) -> list[Property | EnumMember]:
    return [member for part in page.types for member in (*part.properties, *part.members)]


def _spliced(page: Outline, start: int, end: int, new: str) -> str:
    return (page.data[:start] + new.encode() + page.data[end:]).decode()


def _without(page: Outline, member: Property | EnumMember) -> str:
    end = member.end + (1 if page.data[member.end : member.end + 1] == b"," else 0)
    rest = page.data[end:].decode()
    return page.data[: member.start].decode().rstrip(" \t") + rest.lstrip("\n")


def _without_list(page: Outline, attribute: Attribute) -> str:
    after = page.data[attribute.list_end :].decode().lstrip()
    return page.data[: attribute.list_start].decode() + after


def _retyped(page: Outline, property_: Property, type_text: str) -> str:
    start = page.data.rfind(b"public ", property_.start, property_.type_end)
    head = page.data[start : property_.type_end].decode()
    words = "public required " if head.startswith("public required ") else "public "
    return _spliced(page, start, property_.type_end, words + type_text)


def _plain(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

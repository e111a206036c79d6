"""Edits of a page for the faults: choose a member and change the text at the position that the outline gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, TypeVar

from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS
from retouch.recipes.csharp.parsing.page import outline

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from retouch.recipes.csharp.parsing.outline import Attribute, EnumMember, Outline, Property

    Fault: TypeAlias = Callable[[str, Random], str]

Member = TypeVar("Member", "Property", "EnumMember")


def outline_of(text: str) -> Outline:
    """Return the outline of a page, with the form detected from its text."""
    if not text.lstrip().startswith(BEGIN_FIELDS):
        return outline(text, "type")
    return outline(text, "members" if "{" in text else "values")


def properties_of(page: Outline) -> list[Property]:
    """Return all properties of a page."""
    return [property_ for part in page.types for property_ in part.properties]


def enum_members_of(page: Outline) -> list[EnumMember]:
    """Return all enum members of a page."""
    return [member for part in page.types for member in part.members]


def damaged(
    found: Callable[[Outline], list[Member]],
    damage: Callable[[Outline, Member, Random], str],
    text: str,
    random: Random,
) -> str:
    """Return a page after `damage` to one random member of those `found` in it, or the page itself if it has none."""
    page = outline_of(text)
    members = found(page)
    return damage(page, random.choice(members), random) if members else text


def spliced(page: Outline, start: int, end: int, new: str) -> str:
    """Return the text of a page with its bytes from `start` to `end` replaced by `new`."""
    return (page.data[:start] + new.encode() + page.data[end:]).decode()


def retyped(page: Outline, property_: Property, type_text: str) -> str:
    """Return the text of a page with another type for one property."""
    start = page.data.rfind(b"public ", property_.start, property_.type_end)
    head = page.data[start : property_.type_end].decode()
    modifiers = "public required " if head.startswith("public required ") else "public "
    return spliced(page, start, property_.type_end, modifiers + type_text)


def without_member(page: Outline, member: Property | EnumMember) -> str:
    """Return the text of a page without a member, its comma and the blank line after it."""
    end = member.end + (1 if page.data[member.end : member.end + 1] == b"," else 0)
    rest = page.data[end:].decode()
    return page.data[: member.start].decode().rstrip(" \t") + rest.lstrip("\n")


def without_list(data: bytes, attribute: Attribute) -> str:
    """Return the text of a page without the attribute list that holds an attribute."""
    after = data[attribute.list_end :].decode().lstrip()
    return data[: attribute.list_start].decode() + after


def without_attribute(text: str, name: str) -> str:
    """Return the text of a page without the attribute `name` of a type, if it is alone in its list."""
    page = outline_of(text)
    found = [attribute for part in page.types for attribute in part.attributes if attribute.name == name]
    alone = next((attribute for attribute in found if attribute.alone), None)
    return text if alone is None else without_list(page.data, alone)

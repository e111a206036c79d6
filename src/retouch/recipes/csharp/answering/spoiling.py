"""How a page is spoiled: one of its members is chosen, and the text changes at the place where its outline says."""

from __future__ import annotations

from functools import wraps
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
    """Return the outline of a page whose form is told by its text alone."""
    if not text.lstrip().startswith(BEGIN_FIELDS):
        return outline(text, "type")
    return outline(text, "members" if "{" in text else "values")


def properties_of(page: Outline) -> list[Property]:
    """Return all properties of a page."""
    return [property_ for part in page.types for property_ in part.properties]


def enum_members_of(page: Outline) -> list[EnumMember]:
    """Return all enum members of a page."""
    return [member for part in page.types for member in part.members]


def of_one(
    found: Callable[[Outline], list[Member]],
) -> Callable[[Callable[[Outline, Member, Random], str]], Fault]:
    """Return the decorator of a fault of one member, which is chosen at random; a page without any is left alone."""

    def decorator(spoil: Callable[[Outline, Member, Random], str]) -> Fault:
        @wraps(spoil)
        def fault(text: str, random: Random) -> str:
            page = outline_of(text)
            members = found(page)
            return spoil(page, random.choice(members), random) if members else text

        return fault

    return decorator


def spliced(page: Outline, start: int, end: int, new: str) -> str:
    """Return the text of a page with `new` in the place of its bytes from `start` to `end`."""
    return (page.data[:start] + new.encode() + page.data[end:]).decode()


def retyped(page: Outline, property_: Property, type_text: str) -> str:
    """Return the text of a page in which a property has another type."""
    start = page.data.rfind(b"public ", property_.start, property_.type_end)
    head = page.data[start : property_.type_end].decode()
    words = "public required " if head.startswith("public required ") else "public "
    return spliced(page, start, property_.type_end, words + type_text)


def without_member(page: Outline, member: Property | EnumMember) -> str:
    """Return the text of a page without a member, and without the comma and the blank line behind it."""
    end = member.end + (1 if page.data[member.end : member.end + 1] == b"," else 0)
    rest = page.data[end:].decode()
    return page.data[: member.start].decode().rstrip(" \t") + rest.lstrip("\n")


def without_list(data: bytes, attribute: Attribute) -> str:
    """Return the text of a page without the brackets that hold an attribute."""
    after = data[attribute.list_end :].decode().lstrip()
    return data[: attribute.list_start].decode() + after


def without_attribute(text: str, name: str) -> str:
    """Return the text of a page without the attribute of that name above a type, where it stands alone."""
    page = outline_of(text)
    found = [attribute for part in page.types for attribute in part.attributes if attribute.name == name]
    alone = next((attribute for attribute in found if attribute.alone), None)
    return text if alone is None else without_list(page.data, alone)

"""Cuts types into pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from retouch.recipes.csharp.ir import CsType, Endpoint

Mode: TypeAlias = Literal["full_class", "class_only", "fields_only", "enum_only", "enum_values_only"]

_MEANING = 4  # times as many members are on a page


def type_named(endpoint: Endpoint, unit: str) -> CsType:
    """Return the type `unit`.

    Raises:
        RecipeBug: the endpoint has no such type.
    """
    if unit not in endpoint.by_name:
        raise RecipeBug(f"no type {unit!r}; the endpoint has {', '.join(sorted(endpoint.by_name)[:20])}")
    return endpoint.by_name[unit]


def page_size(endpoint: Endpoint, type_: CsType) -> int:
    """Return the number of fields, or enum values, on one page of `type_`."""
    of_all = endpoint.values_per_page if type_.kind == "enum" else endpoint.fields_per_page
    if endpoint.ask == "meaning":  # an answer has proposals only, and most members need none
        of_all *= _MEANING
    return max(1, type_.page_size or of_all)


def in_smaller_pages(endpoint: Endpoint, unit: str) -> Endpoint:
    """Return the endpoint with the page size of `unit` halved, or unchanged if it cannot shrink."""
    chosen = type_named(endpoint, unit)
    members = len(chosen.values) if chosen.kind == "enum" else len(chosen.fields)
    half = min(page_size(endpoint, chosen), members) // 2
    if half < 1:
        return endpoint
    types = tuple(replace(one, page_size=half) if one is chosen else one for one in endpoint.types)
    return replace(endpoint, types=types)


def page_count(endpoint: Endpoint, type_: CsType) -> int:
    """Return the number of pages of `type_`. A type without members has one."""
    members = len(type_.values) if type_.kind == "enum" else len(type_.fields)
    return max(1, -(-members // page_size(endpoint, type_)))


def mode_of(type_: CsType, page: int) -> Mode:
    """Return the output mode of page `page` (from 1): which part of the type its answer contains."""
    if type_.kind == "enum":
        return "enum_only" if page == 1 else "enum_values_only"
    if page > 1:
        return "fields_only"
    return "full_class" if type_.is_root else "class_only"

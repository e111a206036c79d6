"""Parses `--type` and `--page`."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING

from retouch.errors import BadInput, UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PAGES = re.compile(r"\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*")
_SUFFIX = "DataObject"


def chosen_pages(types: Sequence[str], pages: Sequence[int], units: Mapping[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the selected pages by unit, empty for a whole unit. `units` maps each unit to its number of pages.

    A type is `Name`, `Name:2,3` or `Name:2-4`. Case is ignored, and the suffix DataObject is optional.

    Raises:
        UnknownName: a type or a page does not exist.
        BadInput: the type of `--page` is missing or ambiguous.
    """
    meant: dict[str, tuple[int, ...]] = {}
    for text in types:
        unit, numbers = _one_type(text, units)
        whole = unit in meant and not (meant[unit] and numbers)
        meant[unit] = () if whole else tuple(dict.fromkeys((*meant.get(unit, ()), *numbers)))
    if pages:
        if len(meant) != 1:
            hint = "Name one --type with it, or write the pages behind each type: --type Name:2,3"
            raise BadInput(
                f"--page {pages[0]} does not say of which type"
                if not meant
                else "--page with several types is ambiguous",
                hint=hint,
            )
        unit = next(iter(meant))
        meant[unit] = tuple(dict.fromkeys((*meant[unit], *pages)))
    for unit, numbers in meant.items():
        _expect_pages(unit, numbers, units[unit])
    return meant


def unit_called(name: str, units: Mapping[str, int]) -> str:
    """Return the unit `name`: an exact match, else a match without case and the suffix DataObject.

    Raises:
        UnknownName: there is no match, or several. The message lists similar names.
    """
    if name in units:
        return name
    wanted = {name.casefold(), name.casefold() + _SUFFIX.casefold(), name.casefold().removesuffix(_SUFFIX.casefold())}
    found = [unit for unit in units if unit.casefold() in wanted]
    if len(found) == 1:
        return found[0]
    near = found or get_close_matches(name, units, n=5) or list(units)[:10]
    more = f" and {len(units) - len(near)} more" if len(units) > len(near) and not found else ""
    what = f"{name!r} may mean any of" if found else f"no type {name!r}; it has"
    raise UnknownName(f"{what} {', '.join(near)}{more}", hint="'retouch show DIR' lists the types of a run.")


def _one_type(text: str, units: Mapping[str, int]) -> tuple[str, tuple[int, ...]]:
    name, colon, tail = text.rpartition(":")
    if text in units or not colon:
        return unit_called(text, units), ()
    if not _PAGES.fullmatch(tail):
        raise BadInput(f"--type {text!r}: {tail!r} are no pages", hint="Write pages as Name:2,3 or Name:2-4.")
    numbers: list[int] = []
    for part in tail.split(","):
        first, _, last = part.partition("-")
        if last and int(last) < int(first):
            raise BadInput(f"--type {text!r}: {part!r} runs backwards", hint="Write pages as Name:2-4.")
        numbers += range(int(first), min(int(last or first), int(first) + 100_000) + 1)
    return unit_called(name, units), tuple(numbers)


def _expect_pages(unit: str, numbers: Sequence[int], total: int) -> None:
    for number in numbers:
        if not 1 <= number <= total:
            has = f"{total} pages" if total > 1 else "one page"
            raise UnknownName(f"{unit!r} has no page {number}; it has {has}", hint="Pages are counted from 1.")

"""Compares the name of a Verilog module with class names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.locate.errors import LocateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

How: TypeAlias = Literal[
    "same name",
    "same name but for its ending",
    "one name begins the other",
    "similar name",
    "implements what has the name",
]

SAME, SAME_BUT_ENDING, BEGINS = 1.0, 0.9, 0.8
_SIMILAR = 0.75  # times the ratio, so that it is less than the three above
_LEAST = 0.35
_SHORTEST_BEGINNING = 4
# Suffixes that generators add to the class with a module's hardware.
_ENDING = re.compile(r"(.+?)(?:lazymoduleimp|moduleimpl?|module|impl?)$")


@dataclass(frozen=True, kw_only=True)
class NameMatch:
    """The similarity of a class name and a Verilog module's name. `ratio` is that of their letters, 0 to 1."""

    verilog_module: str
    score: float
    ratio: float
    how: How


def match_names(modules: Iterable[str], names: Iterable[str]) -> Mapping[str, NameMatch]:
    """Return the best match of each of the lower-case `names` that is similar to one of the Verilog `modules`.

    Raises:
        LocateError: rapidfuzz is not installed.
    """
    try:
        from rapidfuzz import fuzz, process
    except ImportError:
        raise LocateError(
            "Comparing names needs rapidfuzz, which is not installed.", hint="Run: pip install 'retouch[chisel]'"
        ) from None
    found: dict[str, NameMatch] = {}
    choices = list(names)
    for module in modules:
        wanted = module.lower()
        start = without_ending(wanted)[:_SHORTEST_BEGINNING]
        similar = process.extract(wanted, choices, scorer=fuzz.ratio, score_cutoff=100 * _LEAST / _SIMILAR, limit=None)
        for name in dict.fromkeys(
            [*(name for name, _, _ in similar), *(one for one in choices if one.startswith(start))]
        ):
            score, how = _score_and_kind(wanted, name)
            ratio = fuzz.ratio(wanted, name) / 100
            score = score or _SIMILAR * ratio
            if score >= max(_LEAST, found[name].score if name in found else 0.0):
                found[name] = NameMatch(verilog_module=module, score=score, ratio=round(ratio, 4), how=how)
    return found


def _score_and_kind(wanted: str, name: str) -> tuple[float, How]:
    if name == wanted:
        return SAME, "same name"
    if without_ending(name) == without_ending(wanted):
        return SAME_BUT_ENDING, "same name but for its ending"
    shorter = min(len(name), len(wanted))
    if shorter >= _SHORTEST_BEGINNING and name[:shorter] == wanted[:shorter]:
        return BEGINS, "one name begins the other"
    return 0.0, "similar name"


def without_ending(name: str) -> str:
    """Return a lower-case name without the suffixes that generators add to a hardware class."""
    found = _ENDING.match(name)
    return found[1] if found else name

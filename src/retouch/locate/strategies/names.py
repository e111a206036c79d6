"""How like a Verilog module's name and a class's name are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.locate.errors import LocateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

How: TypeAlias = Literal["same name", "same name but for its ending", "one name begins the other", "similar name"]

SAME, SAME_BUT_ENDING, BEGINS = 1.0, 0.9, 0.8
_SIMILAR = 0.75  # times the ratio, so that it stays below the three above
_LEAST = 0.35
_SHORTEST_BEGINNING = 4
# What generators add to the class that holds a module's hardware.
_ENDINGS = ("lazymoduleimp", "moduleimpl", "moduleimp", "module", "impl", "imp")


@dataclass(frozen=True, kw_only=True)
class NameMatch:
    """The likeness of one class name and one Verilog module's name; `ratio` is that of their letters, 0 to 1."""

    verilog_module: str
    score: float
    ratio: float
    how: How


def match_names(modules: Iterable[str], names: Iterable[str]) -> Mapping[str, NameMatch]:
    """Return the best match of each of the lower-case `names` that is like one of the Verilog `modules`.

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
        for name, percent, _ in process.extract(wanted, choices, scorer=fuzz.ratio, limit=None):
            match = _match(module, wanted, name, percent / 100)
            if match and (name not in found or found[name].score < match.score):
                found[name] = match
    return found


def _match(module: str, wanted: str, name: str, ratio: float) -> NameMatch | None:
    score, how = _judged(wanted, name, ratio)
    return NameMatch(verilog_module=module, score=score, ratio=round(ratio, 4), how=how) if score >= _LEAST else None


def _judged(wanted: str, name: str, ratio: float) -> tuple[float, How]:
    if name == wanted:
        return SAME, "same name"
    if without_ending(name) == without_ending(wanted):
        return SAME_BUT_ENDING, "same name but for its ending"
    shorter = min(len(name), len(wanted))
    if shorter >= _SHORTEST_BEGINNING and name[:shorter] == wanted[:shorter]:
        return BEGINS, "one name begins the other"
    return _SIMILAR * ratio, "similar name"


def without_ending(name: str) -> str:
    """Return a lower-case name without what generators add to a class that holds hardware."""
    return next((name.removesuffix(end) for end in _ENDINGS if name.endswith(end) and name != end), name)

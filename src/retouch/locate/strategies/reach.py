"""How near the modules of a design are to those that have the Verilog module's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.locate.strategies.design import Design, Link, Tie

_STEP = 0.9
_TIES: Mapping[Tie, float] = {"extends": 1.0, "contains": 1.0, "makes": 0.8, "mentions": 0.8, "calls": 0.8}
_HOPS = 2
_OTHER_MODULE = 0.25  # a class that becomes a Verilog module of its own leaves no line in this one


@dataclass(frozen=True, kw_only=True)
class ReachedModule:
    """How near a module is, 0 to 1, and over which tie it was reached from which module."""

    nearness: float
    tie: Tie | None = None
    source: str = ""


def family_of(design: Design, seeds: Mapping[str, float]) -> frozenset[str]:
    """Return the modules that the Verilog modules consist of: those that have the name, and all that they extend."""
    return design.ancestors(seeds)


def reached(design: Design, seeds: Mapping[str, float], family: frozenset[str]) -> Mapping[str, ReachedModule]:
    """Return the modules that can be reached from `seeds` in two steps; each step and each tie makes them less near.

    A class outside the family that becomes a Verilog module of its own is far, unless something extends it.
    """
    found = {module_id: ReachedModule(nearness=score) for module_id, score in seeds.items()}
    front = dict(found)
    for hop in range(_HOPS):
        nearer: dict[str, ReachedModule] = {}
        for source, reach in front.items():
            for link in _ways(design, source, is_first=hop == 0):
                nearness = reach.nearness * _STEP * _TIES[link.tie]
                if link.tie != "extends" and link.module_id not in family and design.is_hardware(link.module_id):
                    nearness *= _OTHER_MODULE
                known = nearer.get(link.module_id) or found.get(link.module_id)
                if known is None or known.nearness < nearness:
                    nearer[link.module_id] = ReachedModule(nearness=nearness, tie=link.tie, source=source)
        found.update(nearer)
        front = nearer
    return found


def _ways(design: Design, module_id: str, *, is_first: bool) -> Iterator[Link]:
    yield from design.links(module_id)
    if is_first:
        yield from design.calls(module_id)

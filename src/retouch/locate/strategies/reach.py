"""Computes how near the modules of a design are to those with the Verilog module's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.locate.strategies.design import Design, Link, Tie

_STEP = 0.9
_TIES: Mapping[Tie, float] = {"extends": 1.0, "contains": 1.0, "makes": 0.8, "mentions": 0.8, "calls": 0.8}
_HOPS = 2
OTHER_MODULE = 0.25  # a class that becomes a separate Verilog module has no line in this one


@dataclass(frozen=True, kw_only=True)
class ReachedModule:
    """The nearness of a module, 0 to 1, and the relation and module by which it was reached."""

    nearness: float
    tie: Tie | None = None
    source: str = ""


def family_of(design: Design, named_modules: Mapping[str, float]) -> frozenset[str]:
    """Return the modules that the Verilog modules consist of: the named ones, and all that they extend."""
    return design.ancestors(named_modules)


def reached(design: Design, named_modules: Mapping[str, float], family: frozenset[str]) -> Mapping[str, ReachedModule]:
    """Return the modules that are at most two steps from `named_modules`. Each step and relation reduces the nearness.

    A class outside the family that becomes a separate Verilog module is far away, unless another class extends it.
    """
    found = {module_id: ReachedModule(nearness=score) for module_id, score in named_modules.items()}
    front = dict(found)
    for hop in range(_HOPS):
        nearer: dict[str, ReachedModule] = {}
        for source, reach in front.items():
            for link in _ways(design, source, is_first=hop == 0):
                nearness = reach.nearness * _STEP * _TIES[link.tie]
                if link.tie != "extends" and link.module_id not in family and design.is_hardware(link.module_id):
                    nearness *= OTHER_MODULE
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

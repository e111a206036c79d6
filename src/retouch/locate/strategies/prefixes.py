"""Finds the definition that made a signal by the parts of its name. Chisel prepends the names of enclosing values.

For example, `modifiedData_writeBytes_0` is a value `writeBytes` that was created inside `modifiedData`. A helper
defines the second name, and the module that calls it defines the first one.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from retouch.locate.diffs.verilog import named_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.strategies.question import LocateQuery

_UNEXPLAINED = 0.3  # the remaining share if no module of the family defines the prefix


def made_here(question: LocateQuery) -> Mapping[str, Mapping[str, float]]:
    """Return for reachable modules the names that they define and that the diff assigns, with their shares.

    All shares of a module sum to at most 1. Only the family defines prefixes. Modules that become separate Verilog
    modules count only if they are in the family.
    """
    found: dict[str, dict[str, float]] = {}
    total = sum(question.diff.targets.values())
    for target, weight in question.diff.targets.items():
        for module_id, (name, share) in _makers(question, named_parts(target)).items():
            names = found.setdefault(module_id, {})
            names[name] = names.get(name, 0.0) + weight * share / total
    return found


def _makers(question: LocateQuery, parts: Sequence[str]) -> Mapping[str, tuple[str, float]]:
    """Return the modules that define the last name of a signal, in its longest form, with that name and its share."""
    design, found = question.design, dict[str, tuple[str, float]]()
    for at in range(len(parts)):
        name = "_".join(parts[at:])
        definers = design.definers(name)
        for module_id in definers:
            if module_id in found or module_id not in question.reach or name in design.fields(module_id):
                continue
            if module_id in question.family or not design.is_hardware(module_id):
                explained = not at or _is_given(question, parts[:at])
                share = _rarity(question, len(definers)) * (1.0 if explained else _UNEXPLAINED)
                found[module_id] = name, share
    return found


def _is_given(question: LocateQuery, parts: Sequence[str]) -> bool:
    names = ("_".join(parts[:end]) for end in range(1, len(parts) + 1))
    return any(definer in question.family for name in names for definer in question.design.definers(name))


def _rarity(question: LocateQuery, definers: int) -> float:
    number = len(question.index.words)
    return log(1 + number / definers) / log(1 + number)

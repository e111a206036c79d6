"""Which definition made a signal, told by its name: Chisel puts the names of the values around it in front.

`modifiedData_writeBytes_0` is a value `writeBytes` made while `modifiedData` was being made: the second name is given
by a helper, the first one by the module that calls it.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

from retouch.locate.diffs.verilog import named_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.locate.strategies.question import LocateQuery

_UNEXPLAINED = 0.3  # what is left when nobody in the module's family gives the name in front


def made_here(question: LocateQuery) -> Mapping[str, Mapping[str, float]]:
    """Return for modules in reach the names that they give to what the diff assigns, with their shares of it.

    All shares of a module add up to 1 at most. Only the family gives the names in front, and of the others none
    counts that becomes a Verilog module of its own.
    """
    found: dict[str, dict[str, float]] = {}
    total = sum(question.diff.targets.values())
    for target, weight in question.diff.targets.items():
        for module_id, (name, share) in _makers(question, named_parts(target)).items():
            names = found.setdefault(module_id, {})
            names[name] = names.get(name, 0.0) + weight * share / total
    return found


def _makers(question: LocateQuery, parts: Sequence[str]) -> Mapping[str, tuple[str, float]]:
    """Return who gives the last name of a signal, in its longest reading, that name, and how much it tells."""
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

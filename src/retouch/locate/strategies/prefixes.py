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

    from retouch.locate.strategies.question import Question

_UNEXPLAINED = 0.3  # what is left when nobody in the module's family gives the name in front


def made_here(question: Question) -> Mapping[str, float]:
    """Return for modules in reach which share of what the diff assigns they make, in 0 to 1.

    Only the family gives the names in front, and of the others none counts that becomes a Verilog module of its own.
    """
    found: dict[str, float] = {}
    total = sum(question.diff.targets.values())
    for target, weight in question.diff.targets.items():
        for module_id, share in _makers(question, named_parts(target)).items():
            found[module_id] = found.get(module_id, 0.0) + weight * share / total
    return found


def _makers(question: Question, parts: Sequence[str]) -> Mapping[str, float]:
    """Return who gives the last name of a signal, the longest reading of it first, and how much that tells."""
    design, found = question.design, dict[str, float]()
    for at in range(len(parts)):
        name = "_".join(parts[at:])
        definers = design.definers(name)
        for module_id in definers:
            if module_id in found or module_id not in question.reach or name in design.fields(module_id):
                continue
            if module_id in question.family or not design.is_hardware(module_id):
                explained = not at or _is_given(question, parts[:at])
                found[module_id] = _rarity(question, len(definers)) * (1.0 if explained else _UNEXPLAINED)
    return found


def _is_given(question: Question, parts: Sequence[str]) -> bool:
    names = ("_".join(parts[:end]) for end in range(1, len(parts) + 1))
    return any(definer in question.family for name in names for definer in question.design.definers(name))


def _rarity(question: Question, definers: int) -> float:
    number = len(question.index.words)
    return log(1 + number / definers) / log(1 + number)

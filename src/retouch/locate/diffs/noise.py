"""Detects irrelevant changes: generated names with other numbers because of a change before them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from retouch.locate.diffs.verilog import assigned

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Numbers that compilers increment: _GEN_7, _T_12, x_T_3, REG_4, _RAND_1, x3_bore_9.
_COUNTED = re.compile(r"(?<![A-Za-z0-9])(GEN|T|REG|RAND|WIRE|MPORT)_\d+(?:_\d+)*|\bx\d+_bore_\d+")
_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"[A-Za-z_][\w$]*")
_MOST_COMPARED = 50  # lines with the same form


def normal(code: str) -> str:
    """Return a line of Verilog with normalised numbers of generated names and normalised white space."""
    counted = _COUNTED.sub(lambda found: f"{found[1] or 'bore'}_0", code)
    return _SPACE.sub(" ", counted).strip()


def is_renumbering(removed: Iterable[str], added: Iterable[str]) -> bool:
    """Return whether removed and added lines only differ in the numbers of generated names."""
    return Counter(map(normal, removed)) == Counter(map(normal, added))


def renumbered(removed: Sequence[str], added: Sequence[str]) -> list[tuple[int, int]]:
    """Return pairs of a removed and an added line (by position) that only differ in the numbers of generated names.

    A name that is declared in a removed line may have one other name in the added lines, the same one everywhere.
    All other names must be equal. So the lines of an operator that other signals enter are no such pair.
    """
    numbered = [_generated_names(code) for code in removed], [_generated_names(code) for code in added]
    free = {name for code, names in zip(removed, numbered[0], strict=True) if (name := assigned(code)) in names}
    by_form: dict[str, list[int]] = defaultdict(list)
    for at, code in enumerate(added):
        if numbered[1][at]:
            by_form[normal(code)].append(at)
    new_names: dict[str, str] = {}
    old_names: dict[str, str] = {}
    pairs: list[tuple[int, int]] = []
    for at, code in enumerate(removed):
        some = by_form.get(normal(code), [])
        for other in some[:_MOST_COMPARED]:
            both = dict(zip(numbered[0][at], numbered[1][other], strict=False))
            if all(_is_possible(old, new, free, new_names, old_names) for old, new in both.items()):
                new_names.update(both)
                old_names.update({new: old for old, new in both.items()})
                some.remove(other)
                pairs.append((at, other))
                break
    return pairs


def _generated_names(code: str) -> list[str]:
    return [name for name in _NAME.findall(code) if _COUNTED.search(name)]


def _is_possible(old: str, new: str, free: set[str], new_names: dict[str, str], old_names: dict[str, str]) -> bool:
    if old not in free:
        return old == new
    return new_names.get(old, new) == new and old_names.get(new, old) == old

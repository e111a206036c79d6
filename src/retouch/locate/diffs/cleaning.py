"""Cleans one file of a diff: removes comments, and separates lines that were only renumbered."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from retouch.locate.diffs.comments import split_comments
from retouch.locate.diffs.locators import Locator, locators
from retouch.locate.diffs.noise import is_renumbering, renumbered
from retouch.locate.diffs.verilog import module_named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.locate.diffs.scan import FileDiff, Hunk, Sign

NEAR_LINES = 3
_NEAR_WEIGHT = 0.1


@dataclass(frozen=True, kw_only=True)
class CleanLine:
    """A line of a hunk: its code without comments, and the source locators from its comments.

    `is_renumbered`: the other side has the same line with other numbers in generated names.
    """

    sign: Sign
    old: int
    new: int
    code: str
    locators: tuple[Locator, ...] = ()
    is_renumbered: bool = False

    @property
    def is_changed(self) -> bool:
        """True if the code was removed or added."""
        return self.sign != " " and not self.is_renumbered


@dataclass(frozen=True, kw_only=True)
class CleanFile:
    """The changes of a diff in one file. `is_noise`: only numbers of generated names changed.

    `module` is the first changed Verilog module, `modules` those of the hunks, in the same order.
    """

    path: str
    module: str
    hunks: tuple[tuple[CleanLine, ...], ...]
    is_noise: bool
    modules: tuple[str, ...] = ()

    @property
    def lines(self) -> Iterator[CleanLine]:
        """The lines of all hunks."""
        return chain.from_iterable(self.hunks)

    @cached_property
    def near_hunks(self) -> Sequence[Sequence[CleanLine]]:
        """The hunks. Those with renumbered lines only have the lines near real changes."""
        return [_near(hunk) if any(line.is_renumbered for line in hunk) else hunk for hunk in self.hunks]

    @cached_property
    def changed_count(self) -> int:
        """The number of changed lines."""
        return sum(line.is_changed for line in self.lines)

    @cached_property
    def text(self) -> str:
        """The file's part of a unified diff, with correct counts."""
        parts = [f"--- a/{self.path}\n+++ b/{self.path}\n"]
        for hunk in self.hunks:
            old, new = (sum(line.sign != sign for line in hunk) for sign in "+-")
            parts.append(f"@@ -{hunk[0].old},{old} +{hunk[0].new},{new} @@\n")
            parts += [f"{line.sign}{line.code}\n" for line in hunk]
        return "".join(parts)

    def locators(self) -> Iterator[tuple[Locator, float]]:
        """Yield the locators of changed lines (weight 1) and nearby lines. The locators of a line share its weight."""
        for hunk in self.hunks:
            changed = [at for at, line in enumerate(hunk) if line.is_changed]
            for at, line in enumerate(hunk):
                weight = near_weight(at, changed) if line.locators else 0.0
                yield from ((one, weight / len(line.locators)) for one in line.locators if weight)


def _near(hunk: Sequence[CleanLine]) -> Sequence[CleanLine]:
    changed = [at for at, line in enumerate(hunk) if line.is_changed]
    return [line for at, line in enumerate(hunk) if near_weight(at, changed)]


def near_weight(line: int, changed: Sequence[int]) -> float:
    """Return the weight of a line by its distance to the nearest of the `changed` lines, which are sorted."""
    after = bisect_left(changed, line)
    distance = min(abs(line - one) for one in changed[max(0, after - 1) : after + 1])
    return 1.0 if distance == 0 else _NEAR_WEIGHT / distance if distance <= NEAR_LINES else 0.0


def clean(file: FileDiff) -> CleanFile:
    """Return a file's changes without comments. Changes of comments only, and renumbering, do not count as changes."""
    hunks = [_without_comments(hunk) for hunk in file.hunks]
    named = list(_named(file, hunks))
    changed = [(hunk, name) for hunk, name in zip(hunks, named, strict=True) if any(one.is_changed for one in hunk)]
    meaningful = [(hunk, name) for hunk, name in changed if not _is_noise(hunk)]
    is_noise = not meaningful or _is_noise([line for hunk, _ in meaningful for line in hunk])
    kept = changed if is_noise else _with_renumbered(meaningful)
    first = next((name for _, name in changed if name), None) or PurePosixPath(file.path).stem
    return CleanFile(
        path=file.path,
        module=first,
        hunks=tuple(tuple(hunk) for hunk, _ in kept),
        is_noise=is_noise,
        modules=tuple(name or first for _, name in kept),
    )


def _without_comments(hunk: Hunk) -> list[CleanLine]:
    lines: list[CleanLine] = []
    inside = {"-": False, "+": False}  # whether a block comment is open, on each side
    for line in hunk.lines:
        sides = "-+" if line.sign == " " else line.sign
        code, comment, is_open = split_comments(line.text, inside=inside[sides[0]])
        inside.update(dict.fromkeys(sides, is_open))
        if code or not comment:
            lines.append(CleanLine(sign=line.sign, old=line.old, new=line.new, code=code, locators=locators(comment)))
    return _paired(lines)


def _paired(lines: Sequence[CleanLine]) -> list[CleanLine]:
    """Turn lines that are removed and added with the same code into context, because only their comments changed."""
    removed, added = (Counter(line.code for line in lines if line.sign == sign) for sign in "-+")
    same = removed & added
    dropped, kept = Counter(same), Counter(same)
    found: list[CleanLine] = []
    for line in lines:
        if line.sign == "-" and dropped[line.code] > 0:
            dropped[line.code] -= 1
        elif line.sign == "+" and kept[line.code] > 0:
            kept[line.code] -= 1
            found.append(replace(line, sign=" "))
        else:
            found.append(line)
    return found


def _with_renumbered(
    changed: Sequence[tuple[list[CleanLine], str | None]],
) -> list[tuple[list[CleanLine], str | None]]:
    """Return the hunks that have other changes than renumbered lines, in which these are marked."""
    same: set[int] = set()
    for module in dict.fromkeys(name for _, name in changed):
        lines = [line for hunk, name in changed if name == module for line in hunk]
        removed, added = ([line for line in lines if line.sign == sign] for sign in "-+")
        pairs = renumbered([line.code for line in removed], [line.code for line in added])
        same.update(id(line) for old, new in pairs for line in (removed[old], added[new]))
    marked = [([replace(one, is_renumbered=id(one) in same) for one in hunk], name) for hunk, name in changed]
    return [(hunk, name) for hunk, name in marked if any(line.is_changed for line in hunk)] or list(changed)


def _is_noise(lines: Sequence[CleanLine]) -> bool:
    return is_renumbering(*([line.code for line in lines if line.sign == sign] for sign in "-+"))


def _named(file: FileDiff, hunks: Sequence[Sequence[CleanLine]]) -> Iterator[str | None]:
    """Yield the module of the first change of each hunk. None before the first module that the diff names."""
    name: str | None = None
    for raw, hunk in zip(file.hunks, hunks, strict=True):
        name = module_named(raw.section) or name
        changed: str | None = None
        for line in hunk:
            name = module_named(line.code) or name
            if line.is_changed and changed is None:
                changed = name
        yield changed

"""Source locators that Chisel's compilers leave in Verilog comments: which Scala lines a Verilog line came from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# A position, with a path before it when it is not in the file of the position before: `x/Y.scala:12:34`,
# `Y.scala 12:34`, `:56:{7,9}`, `54:14`.
_POSITION = re.compile(
    r"(?:(?P<path>[^\s,|:@\[\]{}]+\.[A-Za-z]\w*)[\s:]*|(?<![\w@.]):?)(?P<line>\d+):(?P<columns>\d+|\{[\d,\s]*\})"
)
_SCALA = ".scala"


@dataclass(frozen=True, kw_only=True, order=True)
class Locator:
    """One place in a Scala file as a compiler names it: `path` may be a bare file name; lines are 1-based."""

    path: str
    line: int
    columns: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def locators(comment: str) -> tuple[Locator, ...]:
    """Return the source locators of a Verilog comment in their order, none when it holds none.

    Both compilers' spellings are read: `// @[Y.scala 12:34 56:7]` and `// x/Y.scala:12:34, :56:{7,9}`. A position
    without a path repeats the last one; places in files that are not Scala (FIRRTL, Verilog) are left out.
    """
    return tuple(_positions(comment)) if _SCALA in comment else ()


def _positions(comment: str) -> Iterator[Locator]:
    path = ""
    for found in _POSITION.finditer(comment):
        path = found["path"] or path
        if path.endswith(_SCALA):
            columns = tuple(int(number) for number in re.findall(r"\d+", found["columns"]))
            yield Locator(path=path, line=int(found["line"]), columns=columns)

"""Parses source locators that Chisel's compilers write in Verilog comments: the Scala lines of a Verilog line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# A position. Its path may be omitted if it is the same as before: `x/Y.scala:12:34`, `Y.scala 12:34`, `:56:{7,9}`,
# `54:14`.
_POSITION = re.compile(
    r"(?:(?P<path>[^\s,|:@\[\]{}]+\.[A-Za-z]\w*)[\s:]*|(?<![\w@.]):?)(?P<line>\d+):(?P<columns>\d+|\{[\d,\s]*\})"
)
_SCALA = ".scala"


@dataclass(frozen=True, kw_only=True, order=True)
class Locator:
    """One place in a Scala file, as named by a compiler. `path` may be only a file name. Lines are 1-based."""

    path: str
    line: int
    columns: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


def locators(comment: str) -> tuple[Locator, ...]:
    """Return the source locators of a Verilog comment in order. Empty if there are none.

    The formats of both compilers are accepted: `// @[Y.scala 12:34 56:7]` and `// x/Y.scala:12:34, :56:{7,9}`. A
    position without a path uses the previous one. Places in files other than Scala (FIRRTL, Verilog) are omitted.
    """
    return tuple(_positions(comment)) if _SCALA in comment else ()


def _positions(comment: str) -> Iterator[Locator]:
    path = ""
    for found in _POSITION.finditer(comment):
        path = found["path"] or path
        if path.endswith(_SCALA):
            columns = tuple(int(number) for number in re.findall(r"\d+", found["columns"]))
            yield Locator(path=path, line=int(found["line"]), columns=columns)

"""The parts of a source: tokens, values with widths, connections, modules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TOKEN = re.compile(
    r"(?P<skip>[ \t\r]+|//[^\n]*|/\*.*?\*/)|(?P<end>\n)|(?P<text>\"[^\"\n]*\")|(?P<number>\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>:=|===|=/=|<=|>=|&&|\|\||[-+&|^~!<>=(){}.,:])|(?P<wrong>.)",
    re.DOTALL,
)


class Wrong(Exception):
    """An error in a source, with its line."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


@dataclass(frozen=True)
class Token:
    """A token of a source and its position, from 1. `fresh` is True for the first one of its line."""

    text: str
    kind: str
    line: int
    column: int
    fresh: bool


@dataclass(frozen=True)
class Value:
    """An expression as Verilog, with its width in bits."""

    text: str
    width: int


@dataclass(frozen=True)
class Connect:
    """`sink := value`."""

    sink: str
    value: Value
    at: Token


@dataclass(frozen=True)
class When:
    """The branches of a `when`. The condition of the last one can be None."""

    branches: Sequence[tuple[Value | None, Sequence[Connect | When]]]


@dataclass
class Module:
    """A module: `widths` of all its signals, `sources` that must not be driven, registers with their reset values."""

    name: str
    file: str
    ports: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    widths: dict[str, int] = field(default_factory=dict[str, int])
    sources: set[str] = field(default_factory=set[str])
    registers: dict[str, Value] = field(default_factory=dict[str, Value])
    sinks: dict[str, Token] = field(default_factory=dict[str, Token])
    instances: dict[str, str] = field(default_factory=dict[str, str])
    body: list[Connect | When] = field(default_factory=list["Connect | When"])


def tokens(text: str) -> Iterator[Token]:
    line, begins, fresh = 1, 0, True
    for found in TOKEN.finditer(text):
        kind = found.lastgroup or "wrong"
        if kind == "wrong":
            raise Wrong(line, f"illegal character '{found[0]}'")
        if kind not in {"skip", "end"}:
            yield Token(found[0], kind, line, found.start() - begins + 1, fresh)
            fresh = False
        if "\n" in found[0]:
            line, begins, fresh = line + found[0].count("\n"), found.start() + found[0].rindex("\n") + 1, True
    yield Token("", "end", line, 1, True)

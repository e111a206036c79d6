"""The detector's result for a part of a path: fixed text, and columns of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from retouch.recipes.rule.detecting.known import NamedPart
    from retouch.recipes.rule.language.model import FieldPart, Source
    from retouch.recipes.rule.language.values import FieldType, Normalize


IMAGINED = "zq"
"""The text of what an imagined path has where others may differ."""

Kind: TypeAlias = Literal[
    "",
    "uuid",
    "date",
    "stamp",
    "month",
    "week",
    "year",
    "day_of_year",
    "hash",
    "number",
    "key",
    "region",
    "address",
    "locale",
    "epoch",
    "country",
    "version",
    "known",
    "ending",
    "parameter",
    "resource",
    "bound",
    "season",
    "host",
    "package",
]


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """Text that all samples share. If it is `optional`, some samples lack it."""

    text: str
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A place where samples differ, with the value of each sample, in order.

    `apart` holds the characters that end a value, so no value may contain them. `glob` is set if it is more specific
    than the values, and `form` if a pattern is. An `optional` slot is empty in some samples, which then also lack its
    `lead` and its `tail`, the texts before and after it. `kind` is set if the form of the values says what they are,
    for example "stamp" for 20240305T030000. A value of a well-known name has its `part`.
    """

    values: tuple[str, ...]
    apart: str = ""
    glob: str = ""
    form: str = ""
    optional: bool = False
    lead: str = ""
    tail: str = ""
    kind: Kind = ""
    part: NamedPart | None = None

    def written(self, value: str) -> str:
        """Return a value with the texts before and after it. A sample without the value lacks them, too."""
        return f"{self.lead}{value}{self.tail}" if value else ""


Piece: TypeAlias = Fixed | Slot


@dataclass(frozen=True, kw_only=True)
class Column:
    """A field that the detector proposes.

    `source` is the source of the field. `values` has one entry per sample, None if the sample lacks it. `question` is
    set if only the user can decide, for example whether a date has the day first. `pieces` are the pieces of the part
    of the path, and `at` is the index of the column among them. Both are empty for a key that may be missing.

    `rival` is another value that a labelled column could have in some sample, after the one that it has there.

    A value of several parts has the further ones in `rest`, with `join` between them, as a field has.
    """

    name: str
    source: Source
    pattern: str | None
    values: tuple[str | None, ...]
    type: FieldType = "string"
    format: str | None = None
    optional: bool = False
    question: str = ""
    pieces: tuple[Piece, ...] = ()
    at: int = 0
    nulls: tuple[str, ...] = ()
    normalize: Normalize | None = None
    rest: tuple[FieldPart, ...] = ()
    join: str = ""
    rival: tuple[str, str] | None = None

    @property
    def slot(self) -> Slot | None:
        """The piece that has its values, or None if there are no pieces."""
        piece = self.pieces[self.at] if self.pieces else None
        return piece if isinstance(piece, Slot) else None

"""What the detector finds in a part of a path: fixed text, and columns of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from retouch.recipes.rule.language.model import Source
    from retouch.recipes.rule.language.values import FieldType


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """Text that all samples share; `optional` text is missing from some."""

    text: str
    optional: bool = False


@dataclass(frozen=True, kw_only=True)
class Slot:
    """A place where samples differ: the value of each, in their order.

    `apart` are characters that no value may hold, since they end it. `glob` says more than the values would. An
    `optional` slot is empty in some samples, and there its `lead`, the text in front of it, is missing too.
    """

    values: tuple[str, ...]
    apart: str = ""
    glob: str = ""
    optional: bool = False
    lead: str = ""


Piece: TypeAlias = Fixed | Slot


@dataclass(frozen=True, kw_only=True)
class Column:
    """A field that the detector proposes.

    `source` is that of a field. `values` has one entry for each sample, None where an optional one is missing.
    `question` is what only a person can decide. `pieces` are what the part of the path was cut into, and `at` is where
    among them the column stands; none are known of a key that may be missing.
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

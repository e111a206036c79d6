"""Builds the fields of a rule from a model's answer about the columns. The patterns are written by this code."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.patterns import pattern_of, quoted, type_of, with_marks
from retouch.recipes.rule.language.model import Field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.recipes.rule.detecting.columns import Column, Piece
    from retouch.recipes.rule.language.values import FieldType, Normalize

_NOTHING = Fixed(text="")


class Misfit(Exception):
    """The answer about columns cannot be applied. The message explains why, and `hint` how to correct it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True, kw_only=True)
class Part:
    """A field inside of a column: `chars` wide, or of any length. `before` and `after` are strings that appear only
    with it.
    """

    name: str
    type: FieldType | None = None
    format: str | None = None
    normalize: Normalize | None = None
    chars: int = 0
    optional: bool = False
    before: str = ""
    after: str = ""


@dataclass(frozen=True, kw_only=True)
class ColumnChange:
    """A model's changes to one column, or to several adjacent ones."""

    of: tuple[str, ...]
    name: str | None = None
    type: FieldType | None = None
    format: str | None = None
    normalize: Normalize | None = None
    optional: bool | None = None
    parts: tuple[Part | str, ...] = ()
    drop: bool = False


def fields_of(change: ColumnChange, columns: Sequence[Column]) -> list[Field]:
    """Return the fields that `columns`, the ones that `change` names, become.

    Raises:
        Misfit: they are not adjacent, or cannot be cut in this way.
    """
    if change.drop:
        return []
    column = columns[0] if len(columns) == 1 else _merged(columns)
    if change.parts:
        return _cut(column, change.parts)
    kind, form = _kind(change.type, change.format, column)
    return [
        Field(
            name=change.name or column.name,
            source=column.source,
            pattern=column.pattern,
            type=kind,
            format=form,
            normalize=change.normalize or column.normalize,
            optional=column.optional if change.optional is None else change.optional,
            nulls=column.nulls,
            rest=column.rest,
            join=column.join,
        )
    ]


def _kind(kind: FieldType | None, form: str | None, column: Column) -> tuple[FieldType, str | None]:
    """Return type and format. A format is kept only if the type is a date or was not given."""
    if kind is None:
        return ("date", form) if form else (column.type, column.format)
    if kind not in {"date", "timestamp"}:
        return kind, None
    if kind == "timestamp":
        return kind, form
    return kind, form or (column.format if column.type == "date" else None)


def _merged(columns: Sequence[Column]) -> Column:
    """Return the column of adjacent columns, including the text between them."""
    first, last = columns[0], columns[-1]
    same = all(one.pieces == first.pieces and one.source == first.source for one in columns)
    order = [one.at for one in columns]
    between = {at for at, piece in enumerate(first.pieces) if isinstance(piece, Slot) and first.at < at < last.at}
    if not first.pieces or not same or order != sorted(set(order)) or not between <= set(order):
        message = "these columns do not stand beside each other in one part of the path"
        raise Misfit(message, hint="Name neighbours of one segment, in their order; or answer with a rule in YAML.")
    parts = [_piece_texts(piece, len(first.values)) for piece in first.pieces[first.at : last.at + 1]]
    texts = ["".join(row) for row in zip(*parts, strict=True)]
    if not all(texts):
        raise Misfit("some paths have none of these columns", hint="Leave these columns apart.")
    end = first.pieces[last.at]
    slot = Slot(values=tuple(texts), apart=end.apart if isinstance(end, Slot) else "")
    pieces = (*first.pieces[: first.at], slot, *first.pieces[last.at + 1 :])
    pattern = _pattern(first, pieces, pattern_of(pieces, slot))
    kind, form, question = type_of(slot.values)
    whole = replace(first, pattern=pattern, values=slot.values, type=kind, format=form, optional=False, pieces=pieces)
    return replace(whole, question=question)


def _piece_texts(piece: Piece, count: int) -> tuple[str, ...]:
    """Return the text of a piece in each of `count` samples."""
    if isinstance(piece, Slot):
        return tuple(map(piece.written, piece.values))
    if not piece.optional:
        return (piece.text,) * count
    raise Misfit("there is text between them that some paths lack", hint="Leave these columns apart.")


def _pattern(column: Column, pieces: Sequence[Piece], inner: str) -> str | None:
    """Return the pattern of a column from the pattern of its part of the path."""
    if column.source == "full_path":
        return f"/{inner}(?:/|$)"
    return f"^{inner}$" if len(pieces) > 1 else None


def _cut(column: Column, parts: Sequence[Part | str]) -> list[Field]:
    """Return the fields of a column that is cut into parts."""
    around = _around(column)
    loose = re.compile("".join(_part_pattern(parts, at, group=True) for at in range(len(parts))), re.DOTALL)
    there = [value for value in column.values if value is not None]
    found = [hit for value in there if (hit := loose.fullmatch(value)) is not None]
    if not found:
        message = f"the parts fit no value of the column {column.name!r}"
        raise Misfit(message, hint="See that the fixed texts and widths are those of the values.")
    whole = len(found) == len(column.values)
    fields: list[Field] = []
    for number, part in enumerate((part for part in parts if isinstance(part, Part)), 1):
        values = [hit[number] for hit in found if hit[number] is not None]
        inner = "".join(_part_pattern(parts, at, group=one is part) for at, one in enumerate(parts))
        kind, form = _kind_of_part(part, values)
        fields.append(
            Field(
                name=part.name,
                source=column.source,
                pattern=around(inner),
                type=kind,
                format=form,
                normalize=part.normalize,
                optional=part.optional or not whole,
            )
        )
    return fields


def _around(column: Column) -> Callable[[str], str]:
    """Return a function from the pattern of a column's text to the pattern of its part of the path.

    Raises:
        Misfit: the text around the column is not known.
    """
    if column.rest or (not column.pieces and column.pattern is not None):
        raise Misfit(f"the column {column.name!r} cannot be cut", hint="Answer with a rule in YAML.")
    before = pattern_of([*column.pieces[: column.at], _NOTHING], None)
    after = pattern_of([*column.pieces[column.at + 1 :], _NOTHING], None)
    slot = column.slot

    def written(inner: str) -> str:
        text = f"{before}{inner if slot is None else with_marks(slot, inner)}{after}"
        return f"/{text}(?:/|$)" if column.source == "full_path" else f"^{text}$"

    return written


def _kind_of_part(part: Part, values: Sequence[str]) -> tuple[FieldType, str | None]:
    if part.type is not None or part.format:
        return part.type or "date", part.format if part.type in {None, "date", "timestamp"} else None
    kind, form, _ = type_of(values) if values else ("string", None, "")
    return kind, form


def _part_pattern(parts: Sequence[Part | str], at: int, *, group: bool) -> str:
    """Return the pattern of one part, with a group around its value if `group` is set."""
    part = parts[at]
    if isinstance(part, str):
        return quoted(part)
    value = _value_pattern(part, parts[at + 1 :])
    value = f"({value})" if group else value
    whole = f"{quoted(part.before)}{value}{quoted(part.after)}"
    return f"(?:{whole})?" if part.optional else whole


def _value_pattern(part: Part, following: Sequence[Part | str]) -> str:
    """Return the pattern of a value: of fixed width, only digits, or up to the following part."""
    if part.chars:
        return f"{'[0-9]' if part.type == 'integer' else '.'}{{{part.chars}}}"
    if part.type == "integer":
        return "[0-9]+"
    return ".+" if not following and not part.after else ".+?"

"""Writes rows of extracted values as JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from retouch._lib.disk import replacing
from retouch.commands import printable
from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule import ExtractionRule

    Row = Mapping[str, Any]

_INT64 = range(-(1 << 63), 1 << 63)


def write_rows(rows: Iterable[Row], rules: Sequence[ExtractionRule], *, form: str, output: Path | None) -> None:
    """Write rows of {"path", "rule", "status", "values", ...} in the format `form`, to stdout without `output`.

    A file is replaced atomically.
    """
    if form == "parquet":
        _write_parquet(rows, rules, output)
        return
    with _opened(output) as stream:
        if form == "csv":
            _write_csv(rows, rules, stream)
        else:
            as_json = json.JSONEncoder(check_circular=False).encode
            for row in rows:
                stream.write(f"{as_json(row)}\n")


@contextmanager
def _opened(output: Path | None) -> Generator[IO[str]]:
    if output is None:
        yield sys.stdout
        return
    with (
        replacing(output) as temporary,
        temporary.open("w", encoding="utf-8", errors="surrogateescape", newline="") as stream,
    ):
        yield stream


def _columns(rules: Sequence[ExtractionRule]) -> list[str]:
    return list(dict.fromkeys(field.name for rule in rules for field in rule.fields))


def _write_csv(rows: Iterable[Row], rules: Sequence[ExtractionRule], stream: IO[str]) -> None:
    columns = _columns(rules)
    in_terminal = stream.isatty()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*_first_columns(columns), *columns])
    for row in rows:
        values = row["values"]
        cells = [row["path"], row["rule"], row["status"], *map(values.get, columns)]
        writer.writerow([printable(one) if isinstance(one, str) else one for one in cells] if in_terminal else cells)


def _first_columns(columns: Sequence[str]) -> list[str]:
    """Return the names of the first columns. If a field has the same name, the column gets a leading underscore."""
    return [f"_{name}" if name in columns else name for name in ("path", "rule", "status")]


def _write_parquet(rows: Iterable[Row], rules: Sequence[ExtractionRule], output: Path | None) -> None:
    if output is None:
        raise BadInput("Parquet cannot be written to a terminal or a pipe.", hint="Name a file with -o FILE.")
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingTool("Parquet needs pyarrow.", hint="Install it with 'pip install pyarrow', or use csv.") from None
    every = list(rows)
    columns = _columns(rules)
    table: dict[str, Any] = {
        head: arrow.array([_storable(row[name]) for row in every], arrow.string())
        for head, name in zip(_first_columns(columns), ("path", "rule", "status"), strict=True)
    }
    for name in columns:
        table[name] = _parquet_column(arrow, [row["values"].get(name) for row in every], _types(rules, name))
    with replacing(output) as temporary:
        parquet.write_table(arrow.table(table), str(temporary))


def _types(rules: Sequence[ExtractionRule], name: str) -> set[str]:
    return {field.type for rule in rules for field in rule.fields if field.name == name}


def _parquet_column(arrow: Any, values: Sequence[JSON], types: set[str]) -> Any:
    """Return a typed column. It is text if rules disagree on the type, or if a number is too large."""
    if types == {"integer"} and all(value is None or value in _INT64 for value in values):
        return arrow.array(values, arrow.int64())
    if types == {"date"}:
        from datetime import date

        days = [date.fromisoformat(value) if isinstance(value, str) else None for value in values]
        return arrow.array(days, arrow.date32())
    return arrow.array([None if value is None else _storable(str(value)) for value in values], arrow.string())


def _storable(text: str | None) -> str | None:
    """Return text that is valid Unicode. Bytes of a file name that are not valid become escapes."""
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()

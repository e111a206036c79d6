"""Writes rows of extracted values as JSON lines, CSV or Parquet."""

from __future__ import annotations

import csv
import json
import sys
from contextlib import contextmanager
from datetime import datetime
from importlib import import_module
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

from retouch._lib.disk import replacing
from retouch.commands import printable
from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule import ExtractionRule

    Row = Mapping[str, Any]

_BATCH = 20_000


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
    """Write rows in batches.

    Raises:
        BadInput: there is no file, a number has more than 64 bits, or timestamps of a column are only partly in UTC.
        MissingTool: pyarrow is not installed.
    """
    if output is None:
        raise BadInput("Parquet cannot be written to a terminal or a pipe.", hint="Name a file with -o FILE.")
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        hint = "Install it with 'pip install \"retouch[rule]\"', or use csv."
        raise MissingTool("Parquet needs pyarrow.", hint=hint) from None
    columns = _columns(rules)
    heads = dict(zip(_first_columns(columns), ("path", "rule", "status"), strict=True))
    types = {name: _arrow_type(arrow, _types(rules, name)) for name in columns}
    schema = arrow.schema([(head, arrow.string()) for head in heads] + [*types.items()])
    too_large: set[str] = set()
    zones: set[tuple[str, bool]] = set()
    with replacing(output) as temporary:
        with parquet.ParquetWriter(str(temporary), schema) as writer:
            for batch in _batches(rows):
                arrays = [_texts(arrow, [row[name] for row in batch]) for name in heads.values()]
                for name in columns:
                    values = [row["values"].get(name) for row in batch]
                    if types[name] == arrow.timestamp("us"):
                        zones.update((name, one.endswith("Z")) for one in values if isinstance(one, str))
                    try:
                        arrays.append(_parquet_column(arrow, values, types[name]))
                    except OverflowError:
                        too_large.add(name)
                        arrays.append(arrow.nulls(len(values), types[name]))
                writer.write_table(arrow.Table.from_arrays(arrays, schema=schema))
        if too_large:
            hint = "Give the field the type decimal or string in the rule."
            raise BadInput(f"numbers of {', '.join(sorted(too_large))} have more than 64 bits", hint=hint)
        _refuse_mixed(zones)


def _refuse_mixed(zones: set[tuple[str, bool]]) -> None:
    mixed = sorted(name for name, in_utc in zones if in_utc and (name, False) in zones)
    if mixed:
        hint = "Parquet has one type for the column: give the field the type string in the rule, or use csv."
        raise BadInput(f"some timestamps of {', '.join(mixed)} end with Z (UTC) and others do not", hint=hint)


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


def _types(rules: Sequence[ExtractionRule], name: str) -> set[str]:
    return {field.type for rule in rules for field in rule.fields if field.name == name}


def _arrow_type(arrow: Any, types: set[str]) -> Any:
    """Return the type of a column; text if rules disagree. A decimal is text, because its width is not known before."""
    by_type = {
        "integer": arrow.int64(),
        "date": arrow.date32(),
        "float": arrow.float64(),
        "timestamp": arrow.timestamp("us"),
    }
    return by_type.get(next(iter(types)), arrow.string()) if len(types) == 1 else arrow.string()


def _parquet_column(arrow: Any, values: Sequence[JSON], kind: Any) -> Any:
    if kind == arrow.date32():
        return arrow.array(values, arrow.string()).cast(kind)
    if kind == arrow.timestamp("us"):
        times = [datetime.fromisoformat(one.removesuffix("Z")) if isinstance(one, str) else None for one in values]
        return arrow.array(times, kind)
    if kind == arrow.string():
        return _texts(arrow, values)
    return arrow.array(values, kind)


def _texts(arrow: Any, values: Sequence[JSON]) -> Any:
    """Return a column of text. Only if a value is no text, or no valid Unicode, are the values converted one by one."""
    try:
        return arrow.array(values, arrow.string())
    except (arrow.ArrowException, TypeError, UnicodeError):
        return arrow.array([None if one is None else _storable(str(one)) for one in values], arrow.string())


def _storable(text: str) -> str:
    """Return text that is valid Unicode. Bytes of a file name that are not valid become escapes."""
    return text.encode("utf-8", "backslashreplace").decode()

"""The records of a fleet in one file."""

from __future__ import annotations

import csv
import importlib
import json
from collections import Counter
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from retouch._lib.disk import replacing
from retouch.errors import BadInput, MissingTool
from retouch.fleet.running import read_out
from retouch.fleet.statuses import is_changed, read_commits

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retouch.fleet.job import FleetPlace

_COLUMNS = ("key", "status", "value", "issues")
_SUFFIXES = (".jsonl", ".csv", ".parquet")


def export_records(place: FleetPlace, output: Path, *, only_verified: bool = False) -> int:
    """Write the committed records into one file, and return how many there are.

    A verified record of a shard whose files were changed since its commit, or whose commit counts other records, is
    written as unverified.

    Raises:
        BadInput: the format is unknown, or answers are missing or not as they were committed. No file is written.
        MissingTool: Parquet needs a package that is not installed.
    """
    suffix = output.suffix.lower()
    if suffix not in _SUFFIXES:
        raise BadInput(f"{str(output)!r} has an unknown format {suffix!r}", hint=f"Use {', '.join(_SUFFIXES)}.")
    lines = (one for one in _lines(place) if not only_verified or one["status"] == "verified")
    write = {".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}[suffix]
    output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(output) as temporary:
        return write(temporary, lines)


def _lines(place: FleetPlace) -> Iterator[dict[str, Any]]:
    for number, commit in read_commits(place):
        lines = read_out(place, commit["files"])
        counted = Counter(line["status"] for line in lines) == Counter(commit["records"])
        changed = not counted or is_changed(place, number, commit)
        for line in lines:
            yield {**line, "status": "unverified"} if changed and line["status"] == "verified" else line


def _write_jsonl(place: Path, lines: Iterator[dict[str, Any]]) -> int:
    number = 0
    with place.open("w", encoding="ascii", newline="") as file:
        for number, line in enumerate(lines, 1):  # noqa: B007 - the last number is the result
            file.write(json.dumps(line) + "\n")
    return number


def _write_csv(place: Path, lines: Iterator[dict[str, Any]]) -> int:
    number = 0
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_COLUMNS)
        for number, line in enumerate(lines, 1):  # noqa: B007 - the last number is the result
            writer.writerow(_cells(line))
    return number


def _write_parquet(place: Path, lines: Iterator[dict[str, Any]]) -> int:
    try:
        duckdb: Any = importlib.import_module("duckdb")
    except ImportError as error:
        raise MissingTool("Parquet needs the package duckdb", hint="pip install 'retouch[extract]'") from error
    with TemporaryDirectory() as name, duckdb.connect() as database:
        rows = f"{name}/rows.jsonl"
        number = 0
        with open(rows, "w", encoding="ascii") as file:  # noqa: PTH123 - a name for the database
            for number, line in enumerate(lines, 1):  # noqa: B007 - the last number is the result
                file.write(json.dumps(dict(zip(_COLUMNS, _cells(line), strict=True))) + "\n")
        columns = dict.fromkeys(_COLUMNS, "VARCHAR")
        database.execute(
            "CREATE TABLE records AS SELECT * FROM read_json(?, columns = ?, format = 'newline_delimited')",
            [rows, columns],
        )
        database.table("records").write_parquet(str(place))
    return number


def _cells(line: dict[str, Any]) -> tuple[str, str, str, str]:
    """Return the cells of a record; its value and its issues are JSON."""
    value = json.dumps(line["value"], ensure_ascii=False)
    return line["key"], line["status"], value, json.dumps(line.get("issues", []), ensure_ascii=False)

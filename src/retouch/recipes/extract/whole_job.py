"""Checks over all records of a job: unique values, references to another file, and SQL."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import BadInput
from retouch.recipes.extract.inputs import connected, database_error, read_rows
from retouch.recipes.extract.pointers import ABSENT, part_at
from retouch.recipes.extract.results import json_line
from retouch.recipes.extract.schemas import column_types

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from retouch._lib.json_text import JSON

NOT_UNIQUE, NO_REFERENCE, SQL_FAILED = "NOT_UNIQUE", "REFERENCE_MISSING", "SQL_CHECK_FAILED"
_SHOWN = 3
_HUGEST = 2**127 - 1  # the largest integer of the database
_EXACT = 2**53  # up to here floating-point numbers hold every integer
_TYPES = {"string": "VARCHAR", "integer": "HUGEINT", "number": "DOUBLE", "boolean": "BOOLEAN"}


@dataclass(frozen=True, kw_only=True)
class JobChecks:
    """The checks over all records together.

    `unique` are JSON Pointers whose values may occur once. `references` map a JSON Pointer to a file and a column that
    must have the value. Each of `queries` is SQL over the table `records` (the column `key`, and one for each property
    of a value); every row that it returns is a violation, of the record in its column `key`. If values have a property
    `key` of their own, the columns are `record.key` and `value.key`, and a query names the one that it means.
    """

    unique: tuple[str, ...] = ()
    references: tuple[tuple[str, str, str], ...] = ()
    queries: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether there is any."""
        return bool(self.unique or self.references or self.queries)

    def expect_usable(self, schema: Mapping[str, JSON]) -> None:
        """Run the queries on an empty table, and read the files of references, before anything is paid for.

        Raises:
            BadInput: a query or a file is unusable.
        """
        for _, file, column in self.references:
            _column(file, column)
        list(_queried(self.queries, schema, ()))


def violations(
    checks: JobChecks, values: Mapping[str, JSON], schema: Mapping[str, JSON]
) -> dict[str, list[dict[str, JSON]]]:
    """Return the violations by the key of their record. Each has `code`, `pointer` and `message`.

    Raises:
        BadInput: a query or a file is unusable, or a query returned a row with the key of no record.
    """
    found: defaultdict[str, list[dict[str, JSON]]] = defaultdict(list)
    for pointer in checks.unique:
        for key, message in _duplicates(values, pointer):
            found[key].append({"code": NOT_UNIQUE, "pointer": pointer, "message": message})
    for pointer, file, column in checks.references:
        known = _column(file, column)
        for key, value in values.items():
            part = part_at(value, pointer)
            if part is not ABSENT and part is not None and str(part) not in known:
                message = f"{pointer}: {part!r} is not in the column {column!r} of {file!r}"
                found[key].append({"code": NO_REFERENCE, "pointer": pointer, "message": message})
    if checks.queries:
        rows = ((key, value if isinstance(value, dict) else {}) for key, value in values.items())
        for key, message in _queried(checks.queries, schema, rows):
            if key not in values:
                hint = f"Return the key of each wrong record in the column {key_column(schema)!r}."
                raise BadInput(f"{message}, and no record has the key {key!r}", hint=hint)
            found[key].append({"code": SQL_FAILED, "pointer": "", "message": message})
    return dict(found)


def _duplicates(values: Mapping[str, JSON], pointer: str) -> Iterator[tuple[str, str]]:
    keys: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in values.items():
        part = part_at(value, pointer)
        if part is not ABSENT and part is not None:
            keys[json.dumps(_plain_numbers(part), sort_keys=True)].append(key)
    for text, same in keys.items():
        for key in same if len(same) > 1 else ():
            others = [one for one in same if one != key]
            more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
            yield key, f"{pointer}: {text} is also the value of {', '.join(map(repr, others[:_SHOWN]))}{more}"


def _plain_numbers(value: Any) -> Any:
    """Return the value with 9.0 as 9, because both are the same number."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_plain_numbers(one) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: _plain_numbers(one) for name, one in cast("dict[str, Any]", value).items()}
    return value


def _column(file: str, column: str) -> set[str]:
    found: set[str] = set()
    for number, row in enumerate(read_rows(Path(file)), 1):
        if column not in row:
            raise BadInput(f"row {number} of {file!r} has no column {column!r}", hint=f"It has {', '.join(row)}.")
        found.add(str(row[column]))
    return found


def _queried(
    queries: Iterable[str], schema: Mapping[str, JSON], rows: Iterable[tuple[str, Mapping[str, JSON]]]
) -> Iterator[tuple[str, str]]:
    """Yield the key and a message for each row that a query returns. The table has a column for each property."""
    queries = list(queries)
    if not queries:
        return
    database = connected()
    key = key_column(schema)
    with TemporaryDirectory() as directory:
        place = Path(directory) / "records.jsonl"
        columns = _written_rows(place, rows, schema)
        try:
            database.execute(
                "CREATE TABLE records AS SELECT * FROM read_json(?, columns = ?, format = 'newline_delimited')",
                [str(place), columns],
            )
            for query in queries:
                yield from _rows_of(database, query, key)
        except database_error() as error:
            first = str(error).partition("\n")[0]
            hint = f"The table is 'records', and its keys are in the column \"{key}\"; see --sql."
            raise BadInput(f"an SQL check cannot be run: {first}", hint=hint) from error
        finally:
            database.close()


def _written_rows(
    place: Path, rows: Iterable[tuple[str, Mapping[str, JSON]]], schema: Mapping[str, JSON]
) -> dict[str, str]:
    """Write the rows as JSON lines, and return the columns with types that hold their values.

    A column of numbers that are all integers holds them exactly. One with an integer beyond 128 bits holds
    floating-point numbers.

    Raises:
        BadInput: a column has fractions, and integers that a floating-point number cannot hold.
    """
    key, names = key_column(schema), _column_names(schema)
    kinds = column_types(schema)
    numbers = {name: _NumbersSeen() for name, kind in kinds.items() if kind in {"integer", "number"}}
    with place.open("w", encoding="ascii") as file:
        for own, value in rows:
            file.write(json_line({key: own, **{head: value.get(name) for name, head in names.items()}}))
            for name, seen in numbers.items():
                seen.add(value.get(name))
    types = {head: _TYPES.get(kinds[name], "JSON") for name, head in names.items()}
    types.update({names[name]: seen.type_of(name, kinds[name]) for name, seen in numbers.items()})
    return {key: "VARCHAR", **types}


@dataclass(kw_only=True)
class _NumbersSeen:
    """Which numbers a column has: fractions, and how large its integers are."""

    has_floats: bool = False  # that are no integers of 128 bits
    largest: int = 0

    def add(self, value: JSON) -> None:
        if isinstance(value, float):
            self.has_floats = self.has_floats or not value.is_integer() or abs(value) > _HUGEST
        elif isinstance(value, int) and not isinstance(value, bool):
            self.largest = max(self.largest, abs(value))

    def type_of(self, name: str, kind: str) -> str:
        """Return the type that holds all numbers exactly, as far as there is one.

        Raises:
            BadInput: there is none.
        """
        if self.has_floats and self.largest > _EXACT:
            message = f"{name!r} has fractions, and integers of more than 53 bits, which no column holds together"
            raise BadInput(f"an SQL check cannot be run: {message}", hint="Use --check, or text for such numbers.")
        if self.has_floats or self.largest > _HUGEST:
            return "DOUBLE"
        return "HUGEINT" if kind == "integer" or self.largest > _EXACT else "DOUBLE"


def key_column(schema: Mapping[str, JSON]) -> str:
    """Return the name of the column with the keys of the records: "key", if no property has that name."""
    return "record.key" if any(name.lower() == "key" for name in column_types(schema)) else "key"


def _column_names(schema: Mapping[str, JSON]) -> dict[str, str]:
    """Return the column of each property. The names of columns are the same in upper and lower case."""
    return {name: f"value.{name}" if name.lower() == "key" else name for name in column_types(schema)}


def _rows_of(database: Any, query: str, key: str) -> Iterator[tuple[str, str]]:
    found = database.execute(query)
    heads = [str(column[0]) for column in found.description]
    if key not in heads:
        hint = "Return the key of each wrong record."
        raise BadInput(f"the SQL check {query!r} returns no column {key!r}", hint=hint)
    for row in found.fetchall():
        cells = dict(zip(heads, row, strict=True))
        shown = ", ".join(f"{name} = {one}" for name, one in cells.items() if name != key)
        yield str(cells[key]), f"the SQL check {query!r} returned it" + (f": {shown}" if shown else "")

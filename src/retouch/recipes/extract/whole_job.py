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
_TYPES = {"string": "VARCHAR", "integer": "HUGEINT", "number": "DOUBLE", "boolean": "BOOLEAN"}


@dataclass(frozen=True, kw_only=True)
class JobChecks:
    """The checks over all records together.

    `unique` are JSON Pointers whose values may occur once. `references` map a JSON Pointer to a file and a column that
    must have the value. Each of `queries` is SQL over the table `records` (the column `key`, and one for each property
    of a value); every row that it returns is a violation, of the record in its column `key`.
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
        rows = ({**(value if isinstance(value, dict) else {}), "key": key} for key, value in values.items())
        for key, message in _queried(checks.queries, schema, rows):
            if key not in values:
                hint = "Return the key of each wrong record in the column 'key'."
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
    queries: Iterable[str], schema: Mapping[str, JSON], rows: Iterable[Mapping[str, JSON]]
) -> Iterator[tuple[str, str]]:
    """Yield the key and a message for each row that a query returns. The table has a column for each property."""
    queries = list(queries)
    if not queries:
        return
    database = connected()
    columns = _columns(schema)
    with TemporaryDirectory() as directory:
        place = Path(directory) / "records.jsonl"
        columns = _written_rows(place, rows, columns)
        try:
            database.execute(
                "CREATE TABLE records AS SELECT * FROM read_json(?, columns = ?, format = 'newline_delimited')",
                [str(place), columns],
            )
            for query in queries:
                yield from _rows_of(database, query)
        except database_error() as error:
            first = str(error).partition("\n")[0]
            raise BadInput(f"an SQL check cannot be run: {first}", hint="The table is 'records'; see --sql.") from error
        finally:
            database.close()


def _written_rows(place: Path, rows: Iterable[Mapping[str, JSON]], columns: Mapping[str, str]) -> dict[str, str]:
    """Write the rows as JSON lines, and return the columns with types that hold their values.

    A column with an integer beyond 128 bits holds floating-point numbers.
    """
    types = dict(columns)
    integers = [name for name, kind in columns.items() if kind == "HUGEINT"]
    with place.open("w", encoding="ascii") as file:
        for row in rows:
            file.write(json_line({name: row.get(name) for name in columns}))
            for name in integers:
                if isinstance(one := row.get(name), (int, float)) and not -_HUGEST <= one <= _HUGEST:
                    types[name] = "DOUBLE"
    return types


def _columns(schema: Mapping[str, JSON]) -> dict[str, str]:
    """Return the columns of the table and their types. A value without a single simple type is a JSON column."""
    own = {name: _TYPES.get(kind, "JSON") for name, kind in column_types(schema).items()}
    return {**own, "key": "VARCHAR"}


def _rows_of(database: Any, query: str) -> Iterator[tuple[str, str]]:
    found = database.execute(query)
    heads = [str(column[0]) for column in found.description]
    if "key" not in heads:
        raise BadInput(f"the SQL check {query!r} returns no column 'key'", hint="Return the key of each wrong record.")
    for row in found.fetchall():
        cells = dict(zip(heads, row, strict=True))
        shown = ", ".join(f"{name} = {one}" for name, one in cells.items() if name != "key")
        yield str(cells["key"]), f"the SQL check {query!r} returned it" + (f": {shown}" if shown else "")

"""The records of a job as a Parquet file.

It has the columns `key`, `status`, `value` (all of it, as JSON), `quotes` (JSON Pointer to words of the record) and
`issues` (JSON), and one for each property of the schema at the top level, so that it can be queried at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch._lib.disk import temporary_beside
from retouch.errors import BrokenFile
from retouch.recipes.extract.inputs import connected, database_error
from retouch.recipes.extract.schemas import column_types

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON

_OWN = {
    "key": "VARCHAR",
    "status": "VARCHAR",
    "value": "JSON",
    "quotes": "MAP(VARCHAR, VARCHAR)",
    "issues": "JSON",
}
_TYPES = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN"}


def write_parquet(records: Path, place: Path, schema: Mapping[str, JSON]) -> None:
    """Write the lines of the file `records` (records.jsonl) as a Parquet file at `place`, in the same order.

    A property that its column cannot hold exactly is a column of JSON, for example if it has an integer of more than
    64 bits, or fractions and an integer of more than 53 bits.

    Raises:
        BrokenFile: the file cannot be written.
    """
    database, temporary = connected(), temporary_beside(place)
    try:
        own = ", ".join(f"{_name(name)}: {_text(kind)}" for name, kind in _OWN.items())
        source = f"read_json(?, columns = {{{own}}}, format = 'newline_delimited')"
        database.execute(f"CREATE TABLE lines AS SELECT * FROM {source}", [str(records)])  # noqa: S608 - names and texts are quoted
        columns = [
            *map(_name, _OWN),
            *(_column(database, name, kind) for name, kind in column_types(schema).items()),
        ]
        chosen, target = ", ".join(columns), _text(str(temporary))
        database.execute(f"COPY (SELECT {chosen} FROM lines) TO {target} (FORMAT parquet)")  # noqa: S608 - the same
        temporary.replace(place)
    except database_error() as error:
        first = str(error).partition("\n")[0]
        raise BrokenFile(f"{str(place)!r} cannot be written: {first}", hint="Use --format jsonl.") from error
    finally:
        database.close()
        temporary.unlink(missing_ok=True)


def _column(database: Any, name: str, simple: str) -> str:
    kind = _TYPES.get(simple, "JSON")
    pointer = _text("/" + name.replace("~", "~0").replace("/", "~1"))
    taken = {one.lower() for one in _OWN}
    head = _name(f"value.{name}" if name.lower() in taken else name)
    part, text = f"json_extract(value, {pointer})", f"json_extract_string(value, {pointer})"
    if kind in {"BIGINT", "DOUBLE", "BOOLEAN"}:
        lost = f"TRY_CAST({text} AS {kind}) IS NULL"
        if kind == "DOUBLE":  # an integer that is rounded is lost too
            exact, rounded = f"TRY_CAST({text} AS HUGEINT)", f"TRY_CAST(TRY_CAST({text} AS DOUBLE) AS HUGEINT)"
            lost += f" OR {text} SIMILAR TO '-?[0-9]+' AND ({exact} IS NULL OR {rounded} IS DISTINCT FROM {exact})"
        lost = f"SELECT count(*) FROM lines WHERE {text} IS NOT NULL AND ({lost})"  # noqa: S608 - names and texts are quoted
        if database.execute(lost).fetchall()[0][0]:
            return f"{part} AS {head}"
        return f"CAST({text} AS {kind}) AS {head}"
    return f"{text} AS {head}" if kind == "VARCHAR" else f"{part} AS {head}"


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

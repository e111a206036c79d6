"""Input records: JSON lines, CSV, Parquet, directories of text files and PDFs, standard input, Python mappings."""

from __future__ import annotations

import csv
import hashlib
import importlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from math import isfinite, isinf, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from retouch._lib.redaction import redactor
from retouch.errors import BadInput, MissingTool
from retouch.recipes.extract.pages import compact, has_lone_surrogates
from retouch.recipes.extract.source import InputRecord
from retouch.text import is_same_json

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from types import ModuleType

    from retouch._lib.json_text import JSON

Row: TypeAlias = "Mapping[str, JSON]"
STDIN = Path("-")
_LINES, _ARRAY, _TABLES, _PARQUET = (".jsonl", ".ndjson"), (".json",), (".csv", ".tsv"), (".parquet",)
_TEXTS = frozenset(
    {".txt", ".md", ".markdown", ".html", ".htm", ".xml", ".json", ".csv", ".log", ".eml", ".tex", ".rst"}
)
_PDF = ".pdf"
WITH_ROWS = frozenset({*_LINES, *_ARRAY, *_TABLES, *_PARQUET})
"""Formats of files with several records. Any other file is one record, with its path."""
_PATH = "path"
_FETCHED = 1_000
_READERS = {".parquet": "read_parquet", ".csv": "read_csv", ".tsv": "read_csv"}
_POSITION = "retouch_position"
_FORMATS = "Give JSON lines, a JSON array, CSV, TSV, Parquet, a text, a PDF, a directory of such, or - for JSON lines."
_KEY_CHARS = 12
_LARGEST_CELL = 2**31 - 1  # characters; what every platform takes
_INSTANT = "TIMESTAMP WITH TIME ZONE"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class InputFilter:
    """Which rows and columns of the input are used.

    `where` and `select` are parts of a SQL query (`SELECT select FROM input WHERE where`), "" for everything. `limit`
    is the number of rows from the start, None for all.
    """

    where: str = ""
    select: str = ""
    limit: int | None = None


EVERYTHING = InputFilter()


def input_records(rows: Iterable[Row], key: str) -> Iterator[InputRecord]:
    """Yield the records of `rows`, with their keys from the field `key`; several fields are separated by commas.

    If `key` is "", a key is made from the content of a row. A second row with the same content is an error too.

    Raises:
        BadInput: a row has no key, or the key of an earlier row.
    """
    names = [name.strip() for name in key.split(",")] if key else []
    seen: dict[str, tuple[int, tuple[JSON, ...]]] = {}
    clean = redactor()  # the job's directory gets no secret of this environment
    for number, row in enumerate(map(clean.value, map(_encodable, rows)), 1):
        found = _key_of(row, names, number)
        values = tuple(row.get(name) for name in names)
        if found in seen:
            raise _twice(found, number, values, *seen[found])
        seen[found] = number, values
        yield InputRecord(key=found, fields=row)


def _twice(key: str, number: int, values: tuple[JSON, ...], first: int, others: tuple[JSON, ...]) -> BadInput:
    again = f"rows {first} and {number} of the input have the same key {key!r}"
    if not values:
        return BadInput(again, hint="Remove duplicate rows, or give --key.")
    if is_same_json([*values], [*others]):
        return BadInput(again, hint="Name fields that together are unique: --key a,b.")
    why = f"their values {compact([*others])} and {compact([*values])} differ, but are written alike in a key"
    return BadInput(f"{again}: {why}", hint="Change one of them, for example with --select, or use another field.")


def read_rows(place: Path, only: InputFilter = EVERYTHING) -> Iterator[Row]:
    """Yield the rows of a file, of the files of a directory, or of standard input (`-`), in order.

    A text file, also each one of a directory, is a row with its `path` and its `text`; a PDF gives its text layer.

    Raises:
        BadInput: the input cannot be read, or is no input. The message names the place.
        MissingTool: a package that the format needs is not installed.
    """
    return islice(_rows(place, only), only.limit)


def _rows(place: Path, only: InputFilter) -> Iterator[Row]:
    suffix = place.suffix.lower()
    if place == STDIN:
        _expect_no_query(only, "standard input")
        return _json_lines(sys.stdin.buffer, "standard input")
    if place.is_dir():
        _expect_no_query(only, f"the directory {str(place)!r}")
        return _files(place)
    if not place.is_file():
        raise BadInput(f"{str(place)!r} is not a file or a directory", hint=_FORMATS)
    if suffix in {*_TEXTS, _PDF} - WITH_ROWS:
        _expect_no_query(only, f"the text {str(place)!r}")
        return iter([_text_row(place, place.name)])
    if suffix not in WITH_ROWS:
        raise BadInput(f"{str(place)!r} has an unknown format {suffix!r}", hint=_FORMATS)
    if only.select or suffix in _PARQUET:
        return _queried(place, only)
    rows = _as_written(place)
    return _filtered(place, only, rows) if only.where else rows


def _as_written(place: Path) -> Iterator[Row]:
    suffix = place.suffix.lower()
    if suffix in _ARRAY:
        return _json_array(place)
    return _json_lines_of(place) if suffix in _LINES else _table(place, "\t" if suffix == ".tsv" else ",")


def _encodable(row: Row) -> Row:
    """Return a row in which "?" replaces lone halves of surrogate pairs, which no file and no request can hold."""
    if has_lone_surrogates(dict(row)):
        return cast("Row", json.loads(compact(dict(row)).encode("utf-8", "replace")))
    return row


def _expect_no_query(only: InputFilter, what: str) -> None:
    if only.where or only.select:
        raise BadInput(f"--where and --select cannot query {what}", hint="They work on JSON, CSV and Parquet files.")


def _key_of(row: Row, names: list[str], number: int) -> str:
    if not names:
        text = json.dumps(row, sort_keys=True, ensure_ascii=False, default=str)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_CHARS]
    parts: list[str] = []
    for name in names:
        value = row.get(name)
        if value is None or value == "" or isinstance(value, (dict, list)):
            seen = "no field" if name not in row else f"{value!r} in its field"
            hint = f"The row has the fields {', '.join(map(str, row)) or 'none'}."
            raise BadInput(f"row {number} of the input has {seen} {name!r}, which should be its key", hint=hint)
        parts.append(str(value))
    return "|".join(parts)


def _json_lines_of(place: Path) -> Iterator[Row]:
    with place.open("rb") as lines:
        yield from _json_lines(lines, repr(str(place)))


def _json_lines(lines: Iterable[bytes], name: str) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        text = line.removeprefix(b"\xef\xbb\xbf").strip() if number == 1 else line.strip()
        if text:
            yield _row(_parsed(text, f"line {number} of {name}"), f"line {number} of {name}")


def _json_array(place: Path) -> Iterator[Row]:
    name = repr(str(place))
    found = _parsed(place.read_bytes().removeprefix(b"\xef\xbb\xbf"), name)
    if not isinstance(found, list):
        raise BadInput(f"{name} is not a JSON array of objects", hint=_FORMATS)
    for number, one in enumerate(cast("list[object]", found), 1):
        yield _row(one, f"element {number} of {name}")


def _parsed(text: bytes, name: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{name} is not JSON: {error}", hint="Correct the input.") from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object. Of a duplicate name, one value would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twice!r} occurs twice in an object")
    return found


def _no_number(name: str) -> object:
    raise ValueError(f"{name} is no number of JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError(f"{digits} is too large for a number")
    return number


def _row(value: object, name: str) -> Row:
    if not isinstance(value, dict):
        raise BadInput(f"{name} is not a JSON object", hint="Each record is an object with named fields.")
    return cast("dict[str, JSON]", value)


def _table(place: Path, delimiter: str) -> Iterator[Row]:
    """Yield the rows of a CSV or TSV file. All values are text; an empty cell is an empty text."""
    name = repr(str(place))
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))  # of the process: Python's own is 131,072
    try:
        with place.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=delimiter, strict=True)
            heads = next(rows, None)
            if heads is None or len(set(heads)) < len(heads):
                wrong = "is empty" if heads is None else "names a column twice in its first line"
                raise BadInput(f"{name} {wrong}", hint="The first line names the columns.")
            for row in rows:
                if row and len(row) != len(heads):
                    seen = f"line {rows.line_num} of {name} has {len(row)} cells, and there are {len(heads)} columns"
                    raise BadInput(seen, hint="Correct the line: a cell with a comma or a newline needs quotes.")
                if row:
                    yield dict(zip(heads, row, strict=True))
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not UTF-8 text: byte {error.start}", hint="Convert it to UTF-8.") from error
    except csv.Error as error:
        raise BadInput(f"{name} is not a table: {error}", hint="Check its quotes and its delimiter.") from error


def _files(place: Path) -> Iterator[Row]:
    found = sorted(path for path in place.rglob("*") if path.is_file() and not path.name.startswith("."))
    usable = [path for path in found if path.suffix.lower() in {*_TEXTS, _PDF}]
    if not usable:
        raise BadInput(f"the directory {str(place)!r} has no text files", hint="Texts and PDFs are read.")
    for path in usable:
        yield _text_row(path, path.relative_to(place).as_posix())


def _text_row(path: Path, name: str) -> Row:
    text = _pdf_text(path) if path.suffix.lower() == _PDF else _text_of(path)
    return {_PATH: name, "text": text}


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{str(path)!r} is not UTF-8 text: byte {error.start}"
        raise BadInput(message, hint="Convert it to UTF-8, or remove it from the directory.") from error


def _pdf_text(path: Path) -> str:
    library = _library("pypdf", "reading PDFs")
    try:
        pages = [page.extract_text() for page in library.PdfReader(path).pages]
    except Exception as error:
        raise BadInput(f"{str(path)!r} cannot be read as a PDF: {error}", hint="Remove or repair the file.") from error
    if not any(text.strip() for text in pages):
        raise BadInput(f"{str(path)!r} has no text layer: it is an image", hint="Run text recognition on it first.")
    return "\f".join(pages)


def _filtered(place: Path, only: InputFilter, rows: Iterator[Row]) -> Iterator[Row]:
    """Yield those of `rows`, the rows of a text file as they are there, for which `only.where` is true.

    The query engine only names their positions, because it would change values: dates, numbers, absent fields.
    """
    matching = iter([position for (position,) in _fetched(place, f"row_number() OVER () AS {_POSITION}", only.where)])
    wanted = next(matching, 0)
    count = 0
    for count, row in enumerate(rows, 1):
        if count == wanted:
            wanted = next(matching, 0)
            yield row
    (total,) = next(_fetched(place, "count(*)", ""))
    if total != count:
        message = f"{str(place)!r} cannot be queried: the query engine finds {total} rows in it, and there are {count}"
        raise BadInput(message, hint="Convert it to JSON lines, or filter it before.")


def _fetched(place: Path, columns: str, where: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows of `columns` of the file. `where` may use the columns of the file and those that are added."""
    database = connected()
    reader = _READERS.get(place.suffix.lower(), "read_json")
    table = f"{reader}(?)"
    query = f"SELECT {columns} FROM {table}"  # noqa: S608 - the user's own query of the user's own file
    if where:
        query = f"SELECT {_POSITION} FROM (SELECT *, {columns} FROM {table}) AS input WHERE ({where}\n) ORDER BY 1"  # noqa: S608 - the same
    try:
        found = database.execute(query, [str(place)])
        yield from _rows_of(found)
    except database_error() as error:
        raise _not_queried(place, error) from error
    finally:
        database.close()


def _not_queried(place: Path, error: Exception) -> BadInput:
    first = str(error).partition("\n")[0]
    return BadInput(f"{str(place)!r} cannot be queried: {first}", hint="See --where and --select.")


def _queried(place: Path, only: InputFilter) -> Iterator[Row]:
    """Yield the rows of a query over a file. Types are those that the query engine finds in the file."""
    database = connected()
    reader = _READERS.get(place.suffix.lower(), "read_json")
    where = f" WHERE ({only.where}\n)" if only.where else ""
    query = f"SELECT {only.select or '*'}\n FROM {reader}(?) AS input{where}"  # noqa: S608 - the user's own query of the user's own file
    try:
        found = database.execute(query, [str(place)])
        heads = found.description
        if instants := {name for name, kind, *_ in heads if str(kind) == _INSTANT}:
            found = database.execute(_with_instants(query, instants), [str(place)])
        for number, row in enumerate(_rows_of(found), 1):
            yield _queried_row(row, heads, instants, f"row {number} of {str(place)!r}")
    except database_error() as error:
        raise _not_queried(place, error) from error
    finally:
        database.close()


def _with_instants(query: str, instants: Collection[str]) -> str:
    """Return a query whose times with a zone are microseconds. To fetch them, the library needs yet another one."""
    endless = f"{2**63 - 1}"  # instead of infinity, which has no microseconds
    columns = ", ".join(
        f"coalesce(epoch_us({name}), CASE WHEN {name} IS NOT NULL THEN {endless} END) AS {name}"
        for name in map(_quoted, instants)
    )
    return f"SELECT * REPLACE ({columns}) FROM ({query}\n)"  # noqa: S608 - the same


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _rows_of(found: Any) -> Iterator[tuple[Any, ...]]:
    while some := found.fetchmany(_FETCHED):
        yield from some


def _queried_row(row: tuple[Any, ...], heads: Sequence[Any], instants: Collection[str], where: str) -> Row:
    made: dict[str, JSON] = {}
    for (name, kind, *_), one in zip(heads, row, strict=True):
        if _has_no_number(one):
            hint = (
                f"JSON has no NaN and no infinity. Choose another value with --select, for example NULL for {name!r}."
            )
            raise BadInput(f"{where} has {one!r} in the column {name!r}, which is no number of JSON", hint=hint)
        if name in instants and one is not None:
            made[name] = _instant(one, f"{where}: the column {name!r}")
        else:
            made[name] = json.loads(one) if str(kind) == "JSON" and isinstance(one, str) else plain(one)
    return made


def _instant(microseconds: int, where: str) -> str:
    try:
        return (_EPOCH + timedelta(microseconds=microseconds)).isoformat()
    except OverflowError as error:
        raise BadInput(
            f"{where} has a time outside of the years 1 to 9999", hint="See --where and --select."
        ) from error


def _has_no_number(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return any(map(_has_no_number, cast("Iterable[object]", value)))
    if isinstance(value, Mapping):
        return any(map(_has_no_number, cast("Mapping[object, object]", value).values()))
    return isinstance(value, (float, Decimal)) and not isfinite(value)


def connected() -> Any:
    """Return a database in memory that fetches nothing from a network.

    Raises:
        MissingTool: the package is not installed.
    """
    settings = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    return _library("duckdb", "SQL and Parquet").connect(config=settings)


def database_error() -> type[Exception]:
    """Return the class of all errors of the database."""
    return cast("type[Exception]", _library("duckdb", "SQL").Error)


def plain(value: object) -> JSON:
    """Return a value of a database as JSON: dates and times in ISO 8601, exact decimals as numbers or text.

    NaN is null: in Python it represents a missing value.

    Raises:
        BadInput: a number is infinite.
    """
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float):
        if isinf(value):
            raise BadInput(f"{value!r} is no number of JSON", hint="Give a finite number, or None.")
        return None if isnan(value) else value
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in cast("Iterable[object]", value)]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _decimal(value: Decimal) -> JSON:
    if not value.is_finite():
        return None
    number = int(value) if value == value.to_integral_value() else float(value)
    return number if Decimal(repr(number)) == value else str(value)


def _library(name: str, purpose: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        hint = "Install it: pip install 'retouch[extract]'."
        raise MissingTool(f"{purpose}: the package {name!r} is not installed", hint=hint) from error

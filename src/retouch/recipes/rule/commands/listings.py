"""Reads the paths of listings: plain lines, and the output of tools that list files.

A format is recognised only if every line matches it. What is recognised and has no paths, or cannot be read, is refused
by its name, because its lines would otherwise be read as paths.
"""

from __future__ import annotations

import csv
import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import unquote

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_READABLE = r"[0-9][0-9.]* (?:Bytes|B|[KMGTPE]iB)"
_SIZE = f"(?:[0-9]+|{_READABLE})"
_S3_TIME = "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}"
_S3_LS = re.compile(rf"{_S3_TIME} +[0-9]+ (.+)")
_S3_READABLE = re.compile(rf"{_S3_TIME} +{_READABLE} (.+)")
_S3_OTHER = re.compile(r" +PRE .+/|Total (?:Objects|Size): .*| +Total (?:Objects|Size): .*")
_GSUTIL = re.compile(rf" *{_SIZE} +[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}T[0-9:]{{8}}Z +((?:gs|s3)://.+?)(?:#[0-9]+.*)?")
_RCLONE = re.compile(r" *[0-9]+ [0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{9} (.+)")
_GSUTIL_OTHER = re.compile(r"TOTAL: .*| +(?:gs|s3)://.+/")
_MODE = r"[-dlbcps][-rwxsStT]{9}[.+@]?"
_WHEN = (
    r"(?:[A-Z][a-z]{2} +[0-9]{1,2} +(?:[0-9]{2}:[0-9]{2}|[0-9]{4})|"
    r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]{5,18}(?: [-+][0-9]{4})?)"
)
_LS = re.compile(rf"({_MODE}) +(?:[0-9]+|-) +\S+ +\S+ +[0-9][0-9.,KMGT]* +{_WHEN} (.+)")
_LS_HEADING = re.compile(r"(.+):")
_LS_OTHER = re.compile(r"total [0-9][0-9.,KMGT]*|Found [0-9]+ items")  # the second of `hdfs dfs -ls`
_FIND_LS = re.compile(rf" *[0-9]+ +[0-9]+ +({_MODE}) +[0-9]+ +\S+ +\S+ +[0-9]+ +{_WHEN} (.+)")
_REFUSED = (
    ("an HTML page", re.compile(r"\s*<(?:!doctype html|html)", re.IGNORECASE)),
    ("an XML listing (ListBucketResult)", re.compile(r"\s*<\?xml|\s*<ListBucketResult")),
    ("the output of `tree`", re.compile(r"[│├└]")),
    ("a Parquet file", re.compile("PAR1")),
    ("a diff", re.compile(r"diff --git |--- a/")),
)
_TABLE = re.compile(  # what other tools write: a mode, a size or a time, and further columns
    rf" *(?:{_MODE} .*[0-9]{{2}}:[0-9]{{2}}|{_SIZE} +[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ][0-9]{{2}}:[0-9]{{2}}"
    rf"|[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}[T ]+[0-9]{{2}}:[0-9]{{2}}\S* +(?:<DIR>|[0-9][0-9.,]*) ).*"
)
_MOST_ODD = 5  # one line in so many may be no line of a table
_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")  # of a pair; the rest represent bytes that are not UTF-8
_PATH_KEYS = ("path", "Path", "key", "Key", "object_key", "name", "Name", "file", "filename")
_HEADS = frozenset({"bucket", "key", "name", "object", "path", "size", "etag", "last_modified_date", "storage_class"})
_MARKS = ",;\t|"
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z| UTC|[-+][0-9:]{4,6})?"
)
_LEAST_COLUMNS = 3
_LONGEST_LINE = 131_072  # characters of a line of a table. Python's limit for a cell may be raised by the process.
_HINT = "Give one path per line, for example with `find . -type f`."


class PathList(NamedTuple):
    """The paths of a listing, and the name of its format ("" for plain lines)."""

    paths: list[str]
    form: str = ""


def read_listing(text: str) -> PathList:
    """Return the paths of a listing.

    Raises:
        BadInput: it is of a known format that has no paths, or that cannot be read.
    """
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    full = [line for line in lines if line.strip()]
    if not full:
        return PathList([])
    for name, refused in _REFUSED:
        if any(refused.match(line) for line in full[:3]):
            raise BadInput(f"the list of paths is {name}, which is not read", hint=_HINT)
    tables = (_json, _s3_ls, _gsutil, _rclone, _ls, _find_ls, _inventory)
    for read in tables if max(map(len, full)) <= _LONGEST_LINE else (_json,):
        with suppress(csv.Error):  # a NUL: no table
            found = read(full, text)
            if found is not None:
                return found
    expect_text(text)
    _expect_plain(full)
    return PathList([line for line in lines if line])


def expect_text(text: str) -> str:
    """Return the text, if it can be paths: no path has a NUL, which UTF-16 and `find -print0` have.

    Raises:
        BadInput: it has one.
    """
    if "\0" in text:
        hint = "Write it as UTF-8 with one path per line; of `find -print0` with `tr '\\0' '\\n'`."
        raise BadInput("the list of paths has NUL characters, as UTF-16 and `find -print0` have", hint=hint)
    return text


def _expect_plain(lines: Sequence[str]) -> None:
    """Check that lines are paths: the lines of a table would be read as paths, and rules made of sizes and times.

    Raises:
        BadInput: most have a mode, a size or a time in front.
    """
    odd = [line for line in lines if not _TABLE.fullmatch(line)]
    if len(odd) * _MOST_ODD <= len(lines):
        known = "`aws s3 ls`, `ls -l`, `hdfs dfs -ls`, `find -ls`, `gsutil ls -l` and `rclone lsl`"
        why = f"; the line {odd[0]!r} is none of it" if odd else ""
        raise BadInput(
            f"the list of paths is a table of sizes or times that is not read{why}",
            hint=f"{_HINT[:-1]}. Known are {known}.",
        )


def _by_lines(
    lines: Sequence[str], fits: re.Pattern[str], other: re.Pattern[str], form: str, clean: Callable[[str], str] = str
) -> PathList | None:
    paths: list[str] = []
    for line in lines:
        found = fits.fullmatch(line)
        if found is not None:
            paths.append(clean(found[1]))
        elif not other.fullmatch(line):
            return None
    return PathList([path for path in paths if not path.endswith("/")], form) if paths else None


def _s3_ls(lines: Sequence[str], _: str) -> PathList | None:
    readable = _by_lines(lines, _S3_READABLE, _S3_OTHER, "aws s3 ls")
    return readable or _by_lines(lines, _S3_LS, _S3_OTHER, "aws s3 ls")


def _gsutil(lines: Sequence[str], _: str) -> PathList | None:
    return _by_lines(lines, _GSUTIL, _GSUTIL_OTHER, "gsutil ls -l")


def _rclone(lines: Sequence[str], _: str) -> PathList | None:
    return _by_lines(lines, _RCLONE, _GSUTIL_OTHER, "rclone lsl")


def _ls(lines: Sequence[str], _: str) -> PathList | None:
    """Read `ls -l` and `ls -lR`. Directories are left out, and what a symbolic link points to is cut off."""
    above = ""
    paths: list[str] = []
    seen = False
    for line in lines:
        found = _LS.fullmatch(line)
        heading = _LS_HEADING.fullmatch(line)
        if found is not None:
            seen = True
            name = found[2].partition(" -> ")[0] if found[1][0] == "l" else found[2]
            paths += [] if found[1][0] == "d" else [f"{above}{name}"]
        elif heading is not None:
            above = f"{heading[1].rstrip('/')}/"
        elif not _LS_OTHER.fullmatch(line):
            return None
    return PathList(paths, "ls -l") if seen else None


def _find_ls(lines: Sequence[str], _: str) -> PathList | None:
    found = [_FIND_LS.fullmatch(line) for line in lines]
    if not all(found):
        return None
    rows = [one for one in found if one is not None and one[1][0] != "d"]
    return PathList([one[2].partition(" -> ")[0] for one in rows], "find -ls")


def _json(lines: Sequence[str], text: str) -> PathList | None:
    """Read a JSON array, an object with such an array, or one object or string per line."""
    if lines[0].lstrip()[:1] not in {"[", "{", '"'}:
        return None
    try:
        items = _items(json.loads(text))
    except (ValueError, RecursionError):
        try:
            items = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return None
    paths = [_path_of(item) for item in items]
    if not paths or None in paths:
        keys = ", ".join(_PATH_KEYS)
        raise BadInput("the list of paths is JSON whose entries have no path", hint=f"Known keys are {keys}.")
    found = [path for path in paths if path is not None]
    if half := next(filter(_HALF.search, found), None):
        raise BadInput(f"the list of paths is JSON with half of a character, in {half!r}", hint=_HINT)
    return PathList(found, "JSON")


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        lists = [cast("list[Any]", one) for one in fields.values() if isinstance(one, list)]
        return lists[0] if len(lists) == 1 and _path_of(fields) is None else [fields]
    return [value]


def _path_of(item: Any) -> str | None:
    if isinstance(item, str):
        return item
    if not isinstance(item, dict):
        return None
    fields = cast("dict[str, Any]", item)
    found = [str(fields[key]) for key in _PATH_KEYS if isinstance(fields.get(key), str)]
    return found[0] if found else None


def _inventory(lines: Sequence[str], _: str) -> PathList | None:
    """Read an inventory of S3 (no header, keys percent-encoded) or of Cloud Storage (a header with bucket and name)."""
    mark = max(_MARKS, key=lines[0].count)
    first = next(csv.reader(lines[:1], delimiter=mark), list[str]())
    head = [word.strip().lower() for word in first]
    if len(head) > 1 and set(head) <= _HEADS | {word for word in head if word.isidentifier()} and _HEADS & set(head):
        wanted = next((word for word in ("name", "key", "path", "object") if word in head), "")
        if not wanted:
            raise BadInput("the list of paths is a CSV table without a column of paths", hint=_HINT)
        at = head.index(wanted)
        rows = [row for row in csv.reader(lines[1:], delimiter=mark) if len(row) > at]
        return PathList([row[at] for row in rows], "CSV inventory")
    if not all(line.startswith('"') and line.count('","') >= 1 for line in lines):
        _expect_no_table(lines, mark)
        return None
    keys = list(_second_of(csv.reader(lines)))
    if len(keys) > 1 and len({*keys}) == 1:  # the bucket, not the keys of different objects
        _refuse_table()
    return PathList(keys, "S3 inventory")


def _expect_no_table(lines: Sequence[str], mark: str) -> None:
    """Check that lines are no table without a header, such as an inventory of Cloud Storage can be.

    Raises:
        BadInput: all lines have the same columns, one of which is a time.
    """
    rows = list(csv.reader(lines, delimiter=mark))
    same = len({len(row) for row in rows}) == 1 and len(rows[0]) >= _LEAST_COLUMNS
    if same and any(all(map(_MOMENT.fullmatch, column)) for column in zip(*rows, strict=True)):
        _refuse_table()


def _refuse_table() -> None:
    hint = "Give the inventory with its header, or only its column of names."
    raise BadInput("the list of paths is a CSV table without a header", hint=hint)


def _second_of(rows: Iterator[list[str]]) -> Iterator[str]:
    for row in rows:
        yield unquote(row[1].replace("+", " "))

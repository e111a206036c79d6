"""Reads a list of bugs: a directory of diffs, or a file with one description per bug."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from retouch._lib.disk import read_text
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_DIFFS = (".diff", ".patch")
_TEXTS, _FILES, _MODULES = ("unified_diff",), ("verilog_file", "file", "file_name"), ("id", "name", "bug_id")
_KEYS = (*_MODULES, *_TEXTS, *_FILES, "diff", "rtl", "compile", "lec")
_EXAMPLE = 'For example, a line of a .jsonl file: {"id": "alu", "diff": "alu.diff"}'


@dataclass(frozen=True, kw_only=True)
class Bug:
    """One bug: a name that is unique in its list, the Verilog diff, and what differs from the settings of the other
    bugs.

    `name` is usable as the name of a directory. `rtl`, `compile` and `lec` are None if they are those of all bugs.
    """

    name: str
    text: str
    rtl: Path | None = None
    compile: str | None = None
    lec: str | None = None


def read_bugs(path: Path) -> list[Bug]:
    """Return the bugs of a list, in its order.

    `path` is a directory with files *.diff or *.patch, or a file of JSON lines (`.jsonl`), JSON (`.json`) or YAML. Such
    a file is a list of descriptions, or has one under "bugs". A description has a diff: "diff", a path relative to the
    file, or "unified_diff", the text. "id", "file" (the Verilog file, if the diff does not name it), "rtl", "compile"
    and "lec" are optional.

    Raises:
        BadInput: it is empty, a description has no diff or an unknown key, or two bugs have the same name.

    Example:
        >>> read_bugs(Path("bugs.jsonl"))  # doctest: +SKIP
        [Bug(name='alu', text='--- a/Alu.v...', rtl=None, compile=None, lec=None)]
    """
    found = _of_directory(path) if path.is_dir() else list(_of_file(path))
    if not found:
        hint = f"Name a directory with *.diff or *.patch files, or a list. {_EXAMPLE}"
        raise BadInput(f"{str(path)!r} has no bugs", hint=hint)
    first: dict[str, int] = {}
    for number, bug in enumerate(found, 1):
        if bug.name.casefold() in first:
            other = first[bug.name.casefold()]
            raise BadInput(f"bugs {other} and {number} are both called {bug.name!r}", hint='Give each its own "id".')
        first[bug.name.casefold()] = number
    return found


def _of_directory(path: Path) -> list[Bug]:
    files = sorted(one for one in path.iterdir() if one.suffix in _DIFFS and one.is_file())
    return [Bug(name=_as_name(one.stem), text=read_text(one)) for one in files]


def _of_file(path: Path) -> Iterator[Bug]:
    for number, entry in enumerate(_entries(path), 1):
        where = f"bug {number} of {str(path)!r}"
        if not isinstance(entry, Mapping):
            raise BadInput(f"{where} is {type(entry).__name__}, not an object", hint=_EXAMPLE)
        given = cast("Mapping[str, object]", entry)
        for key, value in given.items():
            if key not in _KEYS:
                raise BadInput(f"{where} has the unknown key {key!r}", hint=f"The keys are: {', '.join(_KEYS)}.")
            if not isinstance(value, (str, int)):
                raise BadInput(f"{key!r} of {where} is {type(value).__name__}, not a text", hint=_EXAMPLE)
        yield _bug(given, number, where, path.parent)


def _bug(given: Mapping[str, object], number: int, where: str, home: Path) -> Bug:
    inline, diff = _first(given, _TEXTS), _first(given, ("diff",))
    if inline and diff:
        raise BadInput(f"{where} has both 'diff' and 'unified_diff'", hint="Keep one of them.")
    if not inline and diff and "\n" not in diff:
        if not (home / diff).is_file():
            raise BadInput(f"the diff {diff!r} of {where} does not exist", hint=f"It is looked for in {str(home)!r}.")
        text = read_text(home / diff)
    else:
        text = inline or diff
    if not text.strip():
        raise BadInput(f"{where} has no diff", hint=_EXAMPLE)
    file = _first(given, _FILES)
    if file and not re.search(r"^\+\+\+ ", text, re.MULTILINE):
        text = f"--- a/{file}\n+++ b/{file}\n{text}"
    name = _first(given, _MODULES) or (
        Path(diff).stem if diff and not inline else f"{Path(file).stem or 'bug'}-{number}"
    )
    rtl = _first(given, ("rtl",))
    own = {key: _first(given, (key,)) or None for key in ("compile", "lec")}
    return Bug(name=_as_name(name), text=text, rtl=home / rtl if rtl else None, **own)


def _entries(path: Path) -> Sequence[object]:
    text = read_text(path)
    try:
        found = _parsed(path, text)
    except json.JSONDecodeError as error:
        hint = "Write JSON lines (.jsonl), JSON (.json) or YAML (.yaml)."
        raise BadInput(f"{str(path)!r} cannot be read: line {error.lineno}: {error.msg}", hint=hint) from None
    if isinstance(found, dict):
        found = cast("dict[str, object]", found).get("bugs")
    if not isinstance(found, list):
        raise BadInput(f"{str(path)!r} is not a list of bugs", hint=_EXAMPLE)
    return cast("list[object]", found)


def _parsed(path: Path, text: str) -> object:
    if path.suffix in {".yaml", ".yml"}:
        from retouch._lib.yaml12 import parse_yaml

        return parse_yaml(text)[0]
    if path.suffix == ".jsonl":
        lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
        return [_of_line(number, line) for number, line in lines]
    return json.loads(text)


def _of_line(number: int, line: str) -> object:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise json.JSONDecodeError(error.msg, "\n" * (number - 1), number - 1) from None


def _first(given: Mapping[str, object], keys: Sequence[str]) -> str:
    return next((str(given[key]) for key in keys if given.get(key) not in (None, "")), "")


def _as_name(text: str) -> str:
    """Return `text` as the name of a directory."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-.") or "bug"

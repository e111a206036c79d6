"""Reads the JSON files of a run directory, whole or item by item. Errors name the file, the place and the remedy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import BadInput, BrokenFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import TextIO, TypeAlias

    Take: TypeAlias = Callable[[int, object], None]


_CHUNK = 1 << 18  # characters read at once
_IN_NUMBERS = ("", *"0123456789+-.eE")


def stored_object(path: Path, kinds: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object in a file, with keys of these kinds.

    Raises:
        BadInput: the file is not there; BrokenFile: it holds something else.
    """
    found = _load_whole_file(path)
    expect(path, found, kinds, at="")
    return cast("dict[str, Any]", found)


def stored_list(path: Path, nouns: str, take: Take) -> None:
    """Call `take` with each item of the list of `nouns` in a file, and its place. The file is streamed.

    Raises:
        BadInput: the file is not there; BrokenFile: it holds something else.
    """
    _scanned(path, f"a list of {nouns}", lambda scanner: scanner.list(take))


def stored_object_of(path: Path, kinds: Mapping[str, Any], key: str, take: Take) -> dict[str, Any]:
    """Return the object in a file, with keys of these kinds. `take` is called with each item of the list at `key`.

    Raises:
        BadInput: the file is not there; BrokenFile: it holds something else.
    """
    found: dict[str, Any] = {}
    _scanned(path, "an object", lambda scanner: scanner.object(found, key, take))
    expect(path, found, kinds, at="")
    return found


def _scanned(path: Path, kind: str, scan: Callable[[_Scanner], None]) -> None:
    _expect_there(path)
    try:
        with path.open(encoding="utf-8") as file:
            scanner = _Scanner(file)
            scan(scanner)
            scanner.expect_end()
    except BrokenFile:
        _load_whole_file(path)  # invalid JSON further on is reported first
        raise
    except (ValueError, RecursionError) as error:
        found = _load_whole_file(path)  # reports line and column
        raise broken(path, f"expected {kind}, found {type(found).__name__}") from error


class _Scanner:
    """Reads JSON from a file, value by value. Raises ValueError if it is invalid."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._decoder = json.JSONDecoder(parse_constant=_refuse_constant)
        self._text, self._at = "", 0

    def list(self, take: Take) -> None:
        """Read a list, item by item."""
        if self._next() != "[":
            raise ValueError("no list")
        place, last = 0, self._begun("]")
        while not last:
            take(place, self._value())
            place, last = place + 1, self._took(",]") == "]"

    def object(self, found: dict[str, Any], key: str, take: Take) -> None:
        """Read an object into `found`. A list under `key` is streamed, and stays empty in `found`."""
        if self._next() != "{":
            raise ValueError("no object")
        last = self._begun("}")
        while not last:
            name = self._value()
            self._took(":")
            if name == key and self._next() == "[":
                found[key] = list[Any]()
                self.list(take)
            else:
                found[str(name)] = self._value()
            last = self._took(",}") == "}"

    def expect_end(self) -> None:
        """Make sure that nothing follows."""
        if self._next():
            raise ValueError("something follows its end")

    def _begun(self, end: str) -> bool:
        """Consume the opening bracket. If the closing one follows, consume it too and return True."""
        self._at += 1
        if self._next() != end:
            return False
        self._at += 1
        return True

    def _next(self) -> str:
        """Return the next character that is not a space, "" at the end, without consuming it."""
        while True:
            while self._text[self._at : self._at + 1] in tuple(" \t\n\r"):
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _took(self, expected: str) -> str:
        found = self._next()
        if not found or found not in expected:
            raise ValueError(f"{found!r} where one of {expected!r} is expected")
        self._at += 1
        return found

    def _value(self) -> object:
        self._next()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if not self._more():
                    raise
                continue
            if self._text[end : end + 1] in _IN_NUMBERS and self._more():  # it may continue
                continue
            self._at = end
            return value

    def _more(self) -> bool:
        """Read the next chunk and drop the consumed text. Return whether there was more."""
        read = self._file.read(_CHUNK)
        if read:
            self._text, self._at = self._text[self._at :] + read, 0
        return bool(read)


def expect(path: Path, found: object, kinds: Mapping[str, Any], *, at: str) -> None:
    """Require that `found`, the value at the place `at` of a file, is an object with keys of these kinds.

    Raises:
        BrokenFile: it is not.
    """
    if not isinstance(found, dict):
        raise broken(path, f"{at or 'the file'} should be an object, found {type(found).__name__}")
    data = cast("dict[str, object]", found)
    for key, kind in kinds.items():
        name = f"{at}.{key}" if at else key
        if key not in data:
            raise broken(path, f"key {name!r} is missing")
        if not isinstance(data[key], kind) or (kind is int and isinstance(data[key], bool)):
            raise broken(path, f"key {name!r} has the wrong kind: {type(data[key]).__name__}")


def expect_version(path: Path, seen: int, known: int) -> None:
    """Require that this version of Retouch knows a file's format version, from 1 to `known`.

    Raises:
        BrokenFile: the version is newer, or does not exist. The file is unchanged.
    """
    if seen > known:
        hint = (
            "Upgrade Retouch (pip install --upgrade retouch), or work with the version that wrote the file. "
            "The file was left as it is."
        )
        raise BrokenFile(f"{str(path)!r} has version {seen}; this Retouch knows version {known}", hint=hint)
    if seen < 1:
        raise broken(path, f"there is no version {seen}; this Retouch knows version {known}")


def broken(path: Path, what: str) -> BrokenFile:
    """Return the error for a broken file, which stays unchanged."""
    hint = "Put back an earlier copy, or move the file away and run 'retouch generate' again; it was left as it is."
    return BrokenFile(f"{str(path)!r} is broken: {what}", hint=hint)


def _load_whole_file(path: Path) -> object:
    _expect_there(path)
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise broken(path, f"byte {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise broken(path, f"line {error.lineno} column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise broken(path, str(error)) from error


def _expect_there(path: Path) -> None:
    if not path.exists():
        hint = "Run 'retouch generate' to make one, or name the directory of an earlier run."
        raise BadInput(f"{str(path.parent)!r} is not a run directory: it has no {path.name}", hint=hint)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")

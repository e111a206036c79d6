"""Parses unambiguous JSON: duplicate keys, NaN and infinities are refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from retouch.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON


def parse_json(text: str, *, name: str) -> JSON:
    """Return the value of a JSON text. Messages use `name` for it.

    Raises:
        BadInput: it is not JSON, or an object has duplicate keys, which programs read differently.
    """
    try:
        if text[:1] == "{":  # without the search for white space around it
            value, end = _DECODER.raw_decode(text)
            if end == len(text):
                return cast("JSON", value)
        return cast("JSON", _DECODER.decode(text.removeprefix("\ufeff")))
    except json.JSONDecodeError as error:
        message = f"{name!r} is not JSON: line {error.lineno} column {error.colno}: {error.msg}"
        raise BadInput(message, hint="Correct it there, then run the command again.") from error
    except RecursionError as error:
        raise BadInput(f"{name!r} is nested too deeply", hint="A few levels of nesting are enough here.") from error
    except ValueError as error:
        raise BadInput(f"{name!r} is ambiguous: {error}", hint="Correct it, then try again.") from error


def read_json(path: Path) -> JSON:
    """Return the value of a JSON file.

    Raises:
        BadInput: it cannot be read, is not UTF-8, or is not unambiguous JSON.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{str(path)!r} cannot be read: {error.strerror}", hint="Check the path.") from error
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8."
        raise BadInput(f"{str(path)!r} is not UTF-8: byte {error.start}", hint=hint) from error
    return parse_json(text, name=str(path))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        duplicates = sorted({key for key, _ in pairs if key in seen or seen.add(key)})
        raise ValueError(f"an object has duplicate keys: {', '.join(map(repr, duplicates))}")
    return found


def _constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)

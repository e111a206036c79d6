"""Readable JSON text, written whole or item by item."""

from __future__ import annotations

import json
import re
from functools import lru_cache, partial
from itertools import repeat
from json.encoder import encode_basestring, encode_basestring_ascii
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""Any value of a JSON document."""


class RenderedJson(str):
    """A value that is JSON text already (`rendered_json`), so that objects that share it need not write it again."""

    __slots__ = ()


_NAMES = frozenset({str})
_EMPTY = {dict: "{}", list: "[]", tuple: "[]"}
_CONSTANTS = {None: "null", True: "true", False: "false"}
_LONE = re.compile("[\ud800-\udfff]")


def json_text(value: object) -> str:
    """Return `value` as readable JSON, one line per item, with lone surrogates escaped."""
    return escaped_surrogates(_written(value, "\n")) + "\n"


def json_list(items: Iterable[object], *, depth: int = 0) -> Iterator[str]:
    """Yield a list as `json_text` writes it at nesting depth `depth`, item by item, without the final newline."""
    margin, opened = "\n" + " " * depth, False
    for item in items:
        yield ("," if opened else "[") + margin + " " + escaped_surrogates(_written(item, margin + " "))
        opened = True
    yield margin + "]" if opened else "[]"


def escaped_surrogates(text: str) -> str:
    """Return a JSON text whose lone surrogates, which cannot be encoded, are escaped as JSON escapes them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text


def _written(value: Any, margin: str) -> str:
    """Return `value` as `json.dumps` with an indent writes it, which has no C code for indents and takes longer.

    `margin` is the newline and the indent of its first line.
    """
    kind = value.__class__
    if kind is str:
        return encode_basestring(value)
    if kind is int:
        return int.__repr__(value)
    if value is None or kind is bool:
        return _CONSTANTS[value]
    if not value and kind in _EMPTY:
        return _EMPTY[kind]
    if kind is float and isfinite(value):
        return float.__repr__(value)
    inner = margin + " "
    if kind is dict and _NAMES.issuperset(map(type, value)):
        items = [encode_basestring(name) + ": " + _written(one, inner) for name, one in value.items()]
        return "{" + inner + f",{inner}".join(items) + margin + "}"
    if kind is list or kind is tuple:
        return "[" + inner + f",{inner}".join(map(_written, value, repeat(inner))) + margin + "]"
    if kind is RenderedJson:
        return value.replace("\n", margin)
    return json.dumps(value, indent=1, ensure_ascii=False).replace("\n", margin)


def rendered_json(value: object) -> RenderedJson:
    """Return `value` as readable JSON, to be put into an object for `json_text` or `json_list` in its place."""
    return RenderedJson(_written(value, "\n"))


_MAKE: Any = getattr(json.encoder, "c_make_encoder", None)  # None in interpreters without C code
_FORM = (None, ": ", ", ", False, False, True)
_refuse = partial(json.JSONEncoder.default, cast("json.JSONEncoder", None))
_ROWS, _PLAIN = json.JSONEncoder(check_circular=False), json.JSONEncoder(check_circular=False, ensure_ascii=False)
row_pieces: Callable[[object, Any], Iterable[str]] = (
    _MAKE(None, _refuse, encode_basestring_ascii, *_FORM) if _MAKE else _ROWS.iterencode
)
"""`"".join(row_pieces(value, 0))` is what `json.dumps(value)` returns, in a third of its time."""
plain_pieces: Callable[[object, Any], Iterable[str]] = (
    _MAKE(None, _refuse, encode_basestring, *_FORM) if _MAKE else _PLAIN.iterencode
)
"""The same as with `ensure_ascii=False`."""
_DECODER = json.JSONDecoder()


def parsed_json(text: str) -> Any:
    """Return the value of a short JSON text without leading whitespace, in half of the time of `json.loads`."""
    value, end = _DECODER.raw_decode(text)
    return value if end == len(text) else json.loads(text)


@lru_cache(maxsize=256)
def shared_json(text: str) -> JSON:
    """Return the value of a JSON text. Equal strings share one object, so do not change it."""
    return cast("JSON", json.loads(text))

"""Readable JSON text, written whole or item by item."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
"""Any value of a JSON document."""


class RenderedJson(str):
    """A value that is JSON text already (`rendered_json`), so that objects that share it need not write it again."""

    __slots__ = ()


_NAMES = frozenset({str})
_FLAT = frozenset({str, int, float, bool, type(None), RenderedJson})
_LONE = re.compile("[\ud800-\udfff]")


def json_text(value: object) -> str:
    """Return `value` as readable JSON, one line per item, with lone surrogates escaped."""
    return _json(value) + "\n"


def json_list(items: Iterable[object], *, depth: int = 0) -> Iterator[str]:
    """Yield a list as `json_text` writes it at nesting depth `depth`, item by item, without the final newline."""
    margin, opened = "\n" + " " * depth, False
    for item in items:
        yield ("," if opened else "[") + margin + " " + _json(item, margin + " ")
        opened = True
    yield margin + "]" if opened else "[]"


def _json(value: object, margin: str = "\n") -> str:
    """Return `value` as JSON. `margin` is the newline and the indent of its first line."""
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else dict[str, object]()
    if fields and _FLAT.issuperset(map(type, fields.values())) and _NAMES.issuperset(map(type, fields)):
        inner = margin + " "
        items: list[str] = []
        for key, one in fields.items():
            if type(one) is str:
                written = _quoted(one)
            else:
                written = one.replace("\n", inner) if isinstance(one, RenderedJson) else json.dumps(one)
            items.append(f"{_quoted(key)}: {written}")
        text = "{" + inner + f",{inner}".join(items) + margin + "}"
    else:
        text = json.dumps(value, indent=1, ensure_ascii=False).replace("\n", margin)
    return text if _has_no_lone_surrogates(text) else _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def rendered_json(value: object) -> RenderedJson:
    """Return `value` as readable JSON, to be put into an object for `json_text` or `json_list` in its place."""
    return RenderedJson(json.dumps(value, indent=1, ensure_ascii=False))


@lru_cache(maxsize=256)
def _quoted(text: str) -> str:
    """Return a text as JSON. The latest are cached, since the pages of a run share names and a long text."""
    return json.dumps(text, ensure_ascii=False)


def _has_no_lone_surrogates(text: str) -> bool:
    """Return whether a text has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=256)
def shared_json(text: str) -> JSON:
    """Return the value of a JSON text. Equal texts share one object, so do not change it."""
    return cast("JSON", json.loads(text))

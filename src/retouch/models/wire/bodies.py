"""Cuts the body of a response into JSON values: server-sent events, one JSON document, or JSON lines.

The result does not depend on how the bytes are split into chunks. The first character decides the kind of body, not its
content type, because servers answer `"stream": true` with one JSON document, and send streams as `text/plain`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\r|\n")
_DONE_MARK = "[DONE]"
_SHOWN = 80  # the number of characters of an unreadable piece in a message


@dataclass(frozen=True, kw_only=True)
class WireValue:
    """One JSON value; `event` is the name of its server-sent event, "" if it has none."""

    event: str
    value: Any


@dataclass(frozen=True, kw_only=True)
class Unreadable:
    """A piece of the body that should be JSON but is not. `start` is its beginning."""

    start: str


class Done:
    """The mark `[DONE]` at the end of a stream in the OpenAI protocol."""


DONE: Final = Done()
Item = WireValue | Unreadable | Done


class BodySplitter:
    """Turns bytes into items as they arrive. Feed it, then close it once."""

    def __init__(self) -> None:
        self._head = b""
        self._document: list[bytes] | None = None
        self._events: EventSplitter | None = None

    @property
    def is_document(self) -> bool:
        """Whether the body is JSON and not a stream of events."""
        return self._document is not None

    def feed(self, data: bytes) -> list[Item]:
        """Return the items that `data` completes. A JSON document is complete at the end of the body."""
        if self._events is not None:
            return self._events.feed(data)
        if self._document is not None:
            self._document.append(data)
            return []
        self._head += data
        return self._begin(last=False)

    def close(self) -> list[Item]:
        """Return the items that the end of the body completes."""
        begun = self._begin(last=True) if self._events is None and self._document is None else []
        if self._document is not None:
            return [*begun, *_documents(b"".join(self._document))]
        return [*begun, *(self._events.close() if self._events is not None else ())]

    def _begin(self, *, last: bool) -> list[Item]:
        """Determine the kind of body from its first character."""
        if not last and len(self._head) < len(_BOM) and _BOM.startswith(self._head):
            return []
        head = self._head.removeprefix(_BOM)
        first = head.lstrip(b" \t\r\n")[:1]
        if not first and not last:
            return []
        if first in (b"{", b"["):
            self._document = [head]
            return []
        self._events = EventSplitter()
        return self._events.feed(head)


class EventSplitter:
    """Parses server-sent events by the rules of the HTML standard.

    Lines end only at CR, LF or CR LF. Comments and unknown fields are ignored, but bytes that are not UTF-8 are
    reported. Two rules are more lenient than the standard, because servers break it: the end of the body completes an
    event, and several JSON values in one event (without an empty line between them) are several values.
    """

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._after_cr = False
        self._event = ""
        self._data: list[bytes] = []

    def feed(self, data: bytes) -> list[Item]:
        """Return the items that `data` completes."""
        if not data:
            return []
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        *ended, rest = _LINE_END.split(data)
        found: list[Item] = []
        for piece in ended:
            line = b"".join([*self._line, piece])
            self._line.clear()
            found += self._take(line)
        self._line.append(rest)
        return found

    def close(self) -> list[Item]:
        """Return the items of an event that the end of the body completes."""
        found = self._take(b"".join(self._line))
        self._line.clear()
        return [*found, *self._take(b"")]

    def _take(self, line: bytes) -> Iterable[Item]:
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            elif name == b"event":
                self._event = value.removeprefix(b" ").decode(errors="replace")
            elif not _is_utf8(line):
                return (Unreadable(start=_start(line)),)
            return ()
        data, event = self._data, self._event
        self._data, self._event = [], ""
        return _values(data, event) if data else ()


def _values(lines: list[bytes], event: str) -> list[Item]:
    """Return the item of one event, or one per line if only the lines are JSON."""
    whole = _item(b"\n".join(lines), event)
    if not isinstance(whole, Unreadable) or len(lines) == 1:
        return [] if whole is None else [whole]
    parts = [part for line in lines if (part := _item(line, event)) is not None]
    return [whole] if any(isinstance(part, Unreadable) for part in parts) else parts


def _documents(body: bytes) -> Iterator[Item]:
    """Yield the values of a JSON body: one document, the elements of a list, or one value per line."""
    whole = _item(body, "")
    if isinstance(whole, WireValue) and isinstance(whole.value, list):
        yield from (WireValue(event="", value=one) for one in cast("list[object]", whole.value))
        return
    if isinstance(whole, Unreadable):
        lines = [item for line in body.splitlines() if (item := _item(line, "")) is not None]
        if len(lines) > 1 and not any(isinstance(item, Unreadable) for item in lines):
            yield from lines
            return
    if whole is not None:
        yield whole


def _item(data: bytes, event: str) -> Item | None:
    """Return the item in `data`, or None if it is empty."""
    try:
        text = data.decode().lstrip("\ufeff").strip()
        if not text:
            return None
        return DONE if text == _DONE_MARK else WireValue(event=event, value=_READER.decode(text))
    except (ValueError, RecursionError):
        return Unreadable(start=_start(data))


def _finite(text: str) -> float | None:
    """Return a number, or None if no float is as large."""
    number = float(text)
    return number if isfinite(number) else None


_READER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)  # what is no JSON is not passed on


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _start(data: bytes) -> str:
    return data[:_SHOWN].decode(errors="replace")

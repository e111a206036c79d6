"""Responses that we wrote ourselves after the protocols' documentation: some of each protocol, and known traps.

Each has its author's reading: `finish` None means that it is no answer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

EVENTS, JSON_TYPE = "text/event-stream", "application/json"
TEXT = "TAG = '<think>plan</think>'\r\nprint(\"é \U0001f600 \u2028\")\n"


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One response, and what it says: text, finish reason in our words and theirs, and tokens.

    `tokens` are input, output, cached, written, reasoning.
    """

    dialect: str
    content_type: str = EVENTS
    body: bytes
    text: str = TEXT
    finish: str | None = "end"
    finish_raw: str = ""
    tokens: tuple[int, int, int, int, int] = (0, 0, 0, 0, 0)
    reasoning: str = ""
    parts: int = 1


def events(*values: Any, end: str = "\n\n", done: bool = False) -> bytes:
    """Return a stream of events; a value with a type is named by it."""
    lines = [
        f"event: {one['type']}\ndata: {dumped(one)}" if "type" in one else f"data: {dumped(one)}" for one in values
    ]
    return "".join(line + end for line in [*lines, *(["data: [DONE]"] if done else [])]).encode()


def dumped(value: Any) -> str:
    """Return JSON that escapes nothing that need not be escaped."""
    return json.dumps(value, ensure_ascii=False)


HALF = len(TEXT) // 2

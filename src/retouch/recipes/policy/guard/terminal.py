"""Prompts the user on the terminal, also if standard input and output are used for a protocol."""

from __future__ import annotations

import json
import os
import select
import time
from threading import Lock
from typing import TYPE_CHECKING

from retouch.recipes.policy.guard.core import NobodyToAsk

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.guard.core import Escalation

MAX_SHOWN, MAX_TEXT, MAX_ITEMS = 8_000, 400, 20
_ONE_AT_A_TIME = Lock()


def ask_on_terminal(question: Escalation, *, device: str = "/dev/tty") -> bool:
    """Return whether the user types `y` or `yes` on the terminal in time.

    Only one question is asked at a time, and waiting for other questions counts. Control characters in the call are
    replaced, so that it cannot change how the question is displayed.

    Raises:
        NobodyToAsk: there is no terminal.
    """
    end = time.monotonic() + question.timeout_s
    if not _ONE_AT_A_TIME.acquire(timeout=question.timeout_s):
        return False
    try:
        terminal = os.open(device, os.O_RDWR | os.O_NOCTTY)
    except OSError as error:
        raise NobodyToAsk(device) from error
    else:
        try:
            _discard_typed(terminal)
            os.write(terminal, question_text(question).encode())
            return _typed(terminal, end).strip().lower() in {"y", "yes"}
        finally:
            os.close(terminal)
    finally:
        _ONE_AT_A_TIME.release()


def question_text(question: Escalation) -> str:
    """Return the question as the user sees it.

    Long values are cut, each by itself, so that a long one cannot hide the other ones.
    """
    shown = json.dumps(_cut(dict(question.arguments)), ensure_ascii=True, indent=2)
    if len(shown) > MAX_SHOWN:
        shown = f"{shown[:MAX_SHOWN]}\n... and {len(shown) - MAX_SHOWN} more characters"
    call = f"{plain(question.server)}/{plain(question.tool)}"
    why = f"Rule {plain(question.rule)}: {plain(question.reason)}"
    return f"\nThe agent wants to call {call}\n{shown}\n{why}\nAllow? [y/N] "


def _cut(value: JSON) -> JSON:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        return f"{value[:MAX_TEXT]}... and {len(value) - MAX_TEXT} more characters"
    if isinstance(value, list):
        more: list[JSON] = [f"... and {len(value) - MAX_ITEMS} more"] if len(value) > MAX_ITEMS else []
        return [*map(_cut, value[:MAX_ITEMS]), *more]
    return {str(_cut(key)): _cut(one) for key, one in value.items()} if isinstance(value, dict) else value


def plain(text: str) -> str:
    """Return a text without control characters and without characters that change the display order."""
    return "".join(one if one.isprintable() else "?" for one in text)


def _discard_typed(terminal: int) -> None:
    """Discard input that was typed before the question was shown."""
    while select.select([terminal], [], [], 0)[0] and os.read(terminal, 4096):
        pass


def _typed(terminal: int, end: float) -> str:
    found = b""
    while b"\n" not in found:
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            return ""
        read = os.read(terminal, 4096)
        if not read:
            return ""
        found += read
    return found.decode(errors="replace")

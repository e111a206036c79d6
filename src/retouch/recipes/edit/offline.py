"""The offline model of the edit recipe: it understands a few literal requests, and refuses all other ones.

It reads only the prompt's text: `replace "a" with "b"`, `rename a to b` (whole words), `delete lines with "a"`, `append
"a"`, one per line of the request.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.edits import changes_between, fence_for, render_blocks
from retouch.errors import ModelError
from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import Prompt

_REQUEST = re.compile(r"\AREQUEST:\n(.*?)\n\n(?:SPECIFICATION:|TESTS THAT|OTHER FILES|FILE: )", re.DOTALL)
_FILE = re.compile(r"^FILE: (.+?)( \(does not exist yet: write it\))?$", re.MULTILINE)
_WHOLE = re.compile(r"^OUTPUT: (?:FIND/REPLACE blocks, or )?the whole file$", re.MULTILINE)
_QUOTED = r'"((?:[^"\\]|\\.)*)"'
_ORDERS: tuple[tuple[re.Pattern[str], Callable[[str, re.Match[str]], str]], ...] = (
    (
        re.compile(rf"replace {_QUOTED} (?:with|by) {_QUOTED}", re.IGNORECASE),
        lambda text, found: text.replace(_unquoted(found[1]), _unquoted(found[2])),
    ),
    (
        re.compile(r"rename (\w+) to (\w+)", re.IGNORECASE),
        lambda text, found: re.sub(rf"\b{re.escape(found[1])}\b", found[2], text),
    ),
    (
        re.compile(rf"delete lines with {_QUOTED}", re.IGNORECASE),
        lambda text, found: "".join(line for line in text.splitlines(keepends=True) if _unquoted(found[1]) not in line),
    ),
    (
        re.compile(rf"append {_QUOTED}", re.IGNORECASE),
        lambda text, found: text + ("" if text.endswith("\n") or not text else "\n") + _unquoted(found[1]) + "\n",
    ),
)


def answer(prompt: Prompt) -> str:
    """Return the answer to a prompt of this recipe.

    Raises:
        ModelError: no line of the request is understood.
    """
    request = _REQUEST.search(prompt.user)
    named = list(_FILE.finditer(prompt.user))[-1]
    shown = prompt.user[named.end() :]
    before = "" if named[2] else fenced_blocks(shown)[0].text + "\n"
    orders = _orders(request[1] if request else "")
    after = before
    for apply, found in orders:
        after = apply(after, found)
    if after == before:
        return "NO CHANGES NEEDED"
    if _WHOLE.search(prompt.user):
        fence = fence_for(after)
        return f"{fence}\n{after}{fence}\n"
    return render_blocks(changes_between(before, after))


def _orders(request: str) -> list[tuple[Callable[[str, re.Match[str]], str], re.Match[str]]]:
    """Return the changes to make, in order."""
    known = [
        (apply, found)
        for line in request.splitlines()
        for order, apply in _ORDERS
        if (found := order.search(line)) is not None
    ]
    if not known:
        hint = (
            "Use a language model: --model anthropic:..., openai:... or ollama:... The offline model understands: "
            'rename a to b; replace "a" with "b"; delete lines with "a"; append "a".'
        )
        raise ModelError(f"the offline model does not understand the request {request[:80]!r}", hint=hint)
    return known


def _unquoted(quoted: str) -> str:
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], quoted)

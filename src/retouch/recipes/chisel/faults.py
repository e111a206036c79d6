"""Typical mistakes of models in fixes. A function returns the answer unchanged if it does not apply."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

_FIND = re.compile(r"^FIND:\n(`{3,})\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_REPLACE = re.compile(r"^REPLACE WITH:\n(`{3,})\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def _from_memory(answer: str, random: Random) -> str:
    """Quote a line with an incorrect identifier."""
    return _in_one(_FIND, answer, random, lambda body: re.sub(r"\b([a-z]\w+)\b", r"\1New", body, count=1))


def _unbalanced(answer: str, random: Random) -> str:
    """Omit a closing bracket, so that the project does not compile."""
    return _in_one(_REPLACE, answer, random, lambda body: re.sub(r"[)}\]](?=[^)}\]]*\Z)", "", body))


def _unknown_name(answer: str, random: Random) -> str:
    """Use an undefined name."""
    return _in_one(_REPLACE, answer, random, lambda body: re.sub(r"\b(io|reg|wire|\w+)\.", r"\1X.", body, count=1))


def _as_diff(answer: str, _random: Random) -> str:
    """Answer with a unified diff instead of blocks."""
    finds = [body for _, body in _FIND.findall(answer)]
    replaces = [body for _, body in _REPLACE.findall(answer)]
    if not finds or len(finds) != len(replaces):
        return answer
    lines = ["--- a/Module.scala", "+++ b/Module.scala"]
    for find, replace in zip(finds, replaces, strict=True):
        lines.append("@@ -1,1 +1,1 @@")
        lines += [f"-{line}" for line in find.splitlines()] + [f"+{line}" for line in replace.splitlines()]
    return "\n".join(lines) + "\n"


def _wrong_place(_answer: str, _random: Random) -> str:
    """Answer that the change belongs elsewhere."""
    return "NOT HERE: this module only passes the value on."


def _in_one(pattern: re.Pattern[str], answer: str, random: Random, spoil: Callable[[str], str]) -> str:
    places = [found.span(2) for found in pattern.finditer(answer)]
    if not places:
        return answer
    start, end = random.choice(places)
    return answer[:start] + spoil(answer[start:end]) + answer[end:]


faults: Mapping[str, Callable[[str, Random], str]] = {
    "from_memory": _from_memory,
    "unbalanced": _unbalanced,
    "unknown_name": _unknown_name,
    "as_diff": _as_diff,
    "wrong_place": _wrong_place,
}

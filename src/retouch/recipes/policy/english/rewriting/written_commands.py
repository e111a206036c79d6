"""Puts command lines in quotes: "every shell command except npm test" is every one except "npm test"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import word_set

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_PROGRAMS = word_set(
    "bundle cargo cat cd composer curl deno docker dotnet echo eslint gh git go gradle grep helm jest kubectl ls mvn "
    "mypy node npm npx php pip pnpm poetry prettier pwd pytest python python3 rake ruff rustc ssh sudo terraform tsc "
    "uv vitest wget yarn"
)
_LINE = rf"(?:{'|'.join(sorted(_PROGRAMS, key=len, reverse=True))})(?: (?!and\b|or\b)[\w./:@=-]*[\w/])*?"
_EXCEPTED = re.compile(
    rf"(?P<head>\bcommands? (?:except(?: for)?|other than|apart from|besides) )"
    rf"(?P<lines>{_LINE}(?:(?:, and|, or|,| and| or) {_LINE})*)(?=[.!]?$)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"(, and |, or |, | and | or )")


def with_quoted_commands(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with its command lines in quotes, if a tool runs them. Quoted text stays."""
    if "`" in text or '"' in text or not any(one.code for one in toolbox.tools):
        return text
    return _EXCEPTED.sub(lambda found: found["head"] + _quoted(found["lines"]), text)


def _quoted(lines: str) -> str:
    pieces = _JOINT.split(lines)
    return "".join(piece if at % 2 else f'"{piece}"' for at, piece in enumerate(pieces))

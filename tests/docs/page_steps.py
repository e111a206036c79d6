"""The steps of a page: files that it writes, programs, commands and dialogues that it shows, in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`([\w./-]+)`:$")


@dataclass(frozen=True, kw_only=True)
class Step:
    """One block of a page: `name` is the file that it writes, or the command that it runs."""

    kind: Literal["file", "program", "command", "dialogue"]
    text: str
    name: str = ""


def steps(page: str) -> list[Step]:
    """Return what a reader of `page` does, in order.

    A block after a line that ends in a file's name and a colon is that file. Otherwise `python` is a program, `console`
    holds commands after `$ ` and what they print, and `pycon` a dialogue with Python. Other blocks are not executed.
    """
    found: list[Step] = []
    for block in _FENCE.finditer(page):
        written = _FILE.search(page[: block.start()].rstrip())
        if written is not None:
            found.append(Step(kind="file", name=written[1], text=block["text"]))
        elif block["language"] == "python":
            found.append(Step(kind="program", text=block["text"]))
        elif block["language"] == "pycon":
            found.append(Step(kind="dialogue", text=block["text"]))
        elif block["language"] == "console":
            found += _commands(block["text"])
    return found


def languages(page: str) -> set[str]:
    """Return the languages of a page's blocks, "" for a block without one."""
    return {block["language"] for block in _FENCE.finditer(page)}


def _commands(text: str) -> list[Step]:
    parts = re.split(r"^\$ (.*(?:\\\n.*)*)\n", text, flags=re.MULTILINE)
    return [Step(kind="command", name=name, text=shown) for name, shown in zip(parts[1::2], parts[2::2], strict=True)]


def shows(shown: str, printed: str) -> bool:
    """Return whether a page's `shown` matches what was `printed`: a line `...` is any lines, ... in a line any words.

    Lines of progress, which begin with a bracket, have no fixed order: they are compared as a set.
    """
    pattern = ""
    for line in _in_order(shown):
        pattern += r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r" *\n"
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _in_order(printed))) is not None


def _in_order(text: str) -> list[str]:
    lines = text.splitlines()
    progress = sorted(re.sub(r"^\[\d+/\d+\] ", "[] ", line) for line in lines if line.startswith("["))
    return [*progress, *(line for line in lines if not line.startswith("["))]

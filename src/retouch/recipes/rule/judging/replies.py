"""Finds the answer in a reply: JSON about columns, a rule in YAML, or code in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.rule.language.yaml_nodes import read_nodes
from retouch.text import fenced_blocks, without_thinking

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.judging.artifact import Kind
    from retouch.recipes.rule.language.yaml_nodes import YamlNode
    from retouch.text import Fenced

_NAMES: dict[Kind, tuple[str, ...]] = {"yaml": ("yaml", "yml"), "python": ("python", "py", "python3")}
_ABOUT_COLUMNS = ("columns", "beyond")


@dataclass(frozen=True, kw_only=True)
class Found:
    """The text of an answer, the line of the reply where it starts, and whether it is complete and unambiguous."""

    text: str
    line: int = 1
    closed: bool = True
    others: int = 0


def found_in(reply: str, welcome: Sequence[Kind]) -> Found:
    """Return the last fenced block in an accepted language, else the last in any language, else the whole reply.

    `others` counts the blocks of the same languages with a different text.
    """
    text = without_thinking(reply)
    skipped = reply[: len(reply) - len(text)].count("\n")
    blocks = fenced_blocks(text)
    if not blocks:
        return Found(text=text, line=skipped + 1)
    names = [name for kind in welcome for name in _NAMES[kind]]
    wanted = [block for block in blocks if block.language in names] or blocks
    last = wanted[-1]
    others = len({block.text.strip() for block in wanted} - {last.text.strip()})
    return Found(text=last.text, line=skipped + _line(text, last), closed=last.closed, others=others)


def _line(text: str, block: Fenced) -> int:
    return text[: block.start].count("\n") + 2


def json_nodes(reply: str) -> tuple[YamlNode | None, int]:
    """Return the last object about columns in a reply, with positions, and the number of further, different objects.

    The object is None if there is none. JSON is parsed as YAML, of which it is a subset.
    """
    text = without_thinking(reply)
    blocks = fenced_blocks(text)
    if not blocks:
        start, end = text.find("{"), text.rfind("}")
        found = _object(text[start : end + 1], text[:start].count("\n")) if 0 <= start < end else None
        whole = not text[: max(start, 0)].strip()  # a brace inside of a YAML string does not start an answer
        return (found if found is not None and (whole or _is_about_columns(found)) else None), 0
    every = [(block.text.strip(), _object(block.text, _line(text, block) - 1)) for block in blocks if block.closed]
    objects = {text_of_block: root for text_of_block, root in every if root is not None}
    return (list(objects.values())[-1] if objects else None), max(len(objects) - 1, 0)


def _object(text: str, lines_before: int) -> YamlNode | None:
    if not text.lstrip().startswith("{"):
        return None
    root, faults = read_nodes(text.replace("\t", "  "))
    if root is None or faults or root.kind != "mapping":
        return None
    if not _is_about_columns(root) and {entry.key for entry in root.entries} & {"glob", "extract", "rules"}:
        return None
    return _moved(root, lines_before)


def _is_about_columns(root: YamlNode) -> bool:
    return any(entry.key in _ABOUT_COLUMNS for entry in root.entries)


def _moved(node: YamlNode, lines: int) -> YamlNode:
    """Return a node with its line, and the lines of all nodes below it, shifted."""
    from dataclasses import replace

    entries = [replace(one, line=one.line + lines, node=_moved(one.node, lines)) for one in node.entries]
    return replace(node, line=node.line + lines, entries=entries, items=[_moved(one, lines) for one in node.items])

"""Parses YAML into nodes with positions, so that each problem of a rule has a line and a column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import yaml

from retouch._lib.yaml12 import LOADER, YamlError, plain_value

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

MAX_BYTES = 65_536
MAX_DEPTH = 16


@dataclass(frozen=True, kw_only=True)
class YamlFault:
    """A YAML error. `line` and `column` count from 1."""

    code: str
    message: str
    line: int = 1
    column: int = 1
    suggestion: str = ""


@dataclass(kw_only=True)
class YamlNode:
    """A value and its position. `text` is a scalar as written, without its quotes (`style`)."""

    kind: Literal["mapping", "list", "scalar"]
    line: int
    column: int
    value: JSON = None
    text: str = ""
    style: str = ""
    entries: list[YamlEntry] = field(default_factory=list["YamlEntry"])
    items: list[YamlNode] = field(default_factory=list["YamlNode"])


@dataclass(frozen=True, kw_only=True)
class YamlEntry:
    """A key of a mapping, its position, and its value."""

    key: str
    line: int
    column: int
    node: YamlNode


def read_nodes(text: str) -> tuple[YamlNode | None, list[YamlFault]]:
    """Return the one document of a YAML 1.2 text (None if there is none), and all its faults."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        message = f"the text has more than {MAX_BYTES // 1024} KiB"
        return None, [YamlFault(code="YAML_TOO_LARGE", message=message, suggestion="Check that the file is a rule.")]
    builder = _Builder()
    try:
        for event in yaml.parse(text, Loader=LOADER):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        at = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        builder.fault("YAML_SYNTAX_ERROR", problem, *at, _advice(text, problem, at[0]))
    except yaml.YAMLError as error:
        builder.fault("YAML_SYNTAX_ERROR", " ".join(str(error).split()), 1, 1, "Check that the file is text.")
    return builder.root, builder.faults


def _advice(text: str, problem: str, line: int) -> str:
    lines = text.splitlines()
    here = lines[line - 1] if line <= len(lines) else ""
    before = next((one for one in reversed(lines[: line - 1]) if one.strip()), "")
    bare = before.strip()
    if "mapping values" in problem or "expected ':'" in problem:
        if bare and ":" not in bare and not bare.startswith(("-", "#")):
            return f"Write {bare + ':'!r} in the line before."
        return f"Put quotes around a value that contains ': ', or check the indentation of {here.strip()!r}."
    if "tab" in problem or "\t" in here[: len(here) - len(here.lstrip())]:
        return "Indent with spaces, not with tabs."
    if "alias" in problem or "anchor" in problem or "cannot start any token" in problem:
        return "Put the value in single quotes."
    if "escape" in problem:
        return "Put the value in single quotes: in double quotes a backslash is special."
    return "Compare its indentation, quotes and brackets with the lines before."


class _Builder:
    """Builds nodes from parse events, without recursion. It continues after faults that can be skipped."""

    def __init__(self) -> None:
        self.root: YamlNode | None = None
        self.faults: list[YamlFault] = []
        self._documents = 0
        self._open: list[YamlNode] = []
        self._keys: list[tuple[str, int, int] | None] = []

    def fault(self, code: str, message: str, line: int, column: int, suggestion: str = "") -> None:
        """Record a fault."""
        self.faults.append(YamlFault(code=code, message=message, line=line, column=column, suggestion=suggestion))

    def take(self, event: Any) -> bool:
        """Add one event. Return whether to continue."""
        at = event.start_mark.line + 1, event.start_mark.column + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents == 2:
                self.fault(
                    "YAML_MULTIPLE_DOCUMENTS", "a second document starts here", *at, "Give one rule in one text."
                )
            return self._documents == 1
        if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._keys.pop()
            self._put(self._open.pop())
            return True
        return self._start(event, at)

    def _start(self, event: Any, at: tuple[int, int]) -> bool:
        line, column = at
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor:
            self.fault("YAML_TOO_LARGE", f"the anchor {anchor!r} is not allowed", *at, "Write the value out.")
        if tag:
            hint = "Leave it out; put a text in quotes."
            self.fault("YAML_FORBIDDEN_TAG", f"the tag {tag!r} is not allowed", *at, hint)
        if isinstance(event, yaml.AliasEvent):
            self._put(YamlNode(kind="scalar", line=line, column=column))
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, at)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if len(self._open) >= MAX_DEPTH:
                self.fault("YAML_TOO_LARGE", f"the text is nested more than {MAX_DEPTH} deep", *at)
                return False
            mapping = isinstance(event, yaml.MappingStartEvent)
            self._open.append(YamlNode(kind="mapping" if mapping else "list", line=line, column=column))
            self._keys.append(None)
        return True

    def _scalar(self, event: Any, at: tuple[int, int]) -> None:
        line, column = at
        node = YamlNode(kind="scalar", line=line, column=column, value=event.value, text=event.value)
        node.style = event.style or ""
        if self._open and self._open[-1].kind == "mapping" and self._keys[-1] is None:
            self._keys[-1] = event.value, line, column
            return
        if event.implicit[0] and not event.tag:
            try:
                node.value = plain_value(event)
            except YamlError as error:
                self.fault("YAML_SYNTAX_ERROR", str(error), *at, "Quote it to make it text.")
        self._put(node)

    def _put(self, node: YamlNode) -> None:
        if not self._open:
            self.root = node
            return
        top = self._open[-1]
        if top.kind == "list":
            top.items.append(node)
            return
        key = self._keys[-1]
        self._keys[-1] = None
        if key is None:
            problem = "a mapping, list or alias cannot be a key"
            self.fault("YAML_SYNTAX_ERROR", problem, node.line, node.column, "Put the value in single quotes.")
            self._keys[-1] = "", node.line, node.column
            return
        name, line, column = key
        if any(entry.key == name for entry in top.entries):
            first = next(entry.line for entry in top.entries if entry.key == name)
            problem = f"the key {name!r} is given twice; the first is in line {first}"
            self.fault("YAML_DUPLICATE_KEY", problem, line, column, "Keep one of them.")
            return
        top.entries.append(YamlEntry(key=name, line=line, column=column, node=node))

"""Tools whose arguments are described in the text of the tool, as servers written in Python do it.

A Python server hands out the docstring of a function: `Args:` with a line for each argument, in the manner of Google,
NumPy or Sphinx, or a Markdown list. The schema then says nothing about the arguments.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Tool

_NAMES = (
    r"(?:(?:input|tool|function|required|optional|keyword) )?(?:args|arguments|parameters|params|inputs?)"
    r"(?: \((?:optional|required)\))?"
)
_REST = r"returns?|return value|yields?|raises|throws|errors?|examples?|example usage|sample"
_HEAD = re.compile(
    rf"\s*[#*]*\s*(?:(?P<names>{_NAMES})|(?P<rest>{_REST}))\s*\**\s*(?P<colon>:?)\s*\**\s*", re.IGNORECASE
)
_RULE = re.compile(r"\s*[-=~]{3,}\s*")
_FIELD = re.compile(r"\s*:(?P<field>\w+)(?P<name>[^:]*):\s*(?P<text>.*)")
_YOU = r"(?:you|users?|the user|(?:an|the) (?:ai )?(?:agent|assistant|model))"
_TOOL = r"(?:tool|function|method|endpoint|action|helper)"
_OPENINGS = (
    re.compile(r"\w+(?: \w+)? \| (?=\w)|\[[^\]\n]{1,40}\] ?(?=[A-Za-z])"),  # "Notion | Create", "[Slack] Posts"
    re.compile(
        rf"(?:(?:this|the) {_TOOL} )?(?:allows?|lets?|enables?) {_YOU} (?:to )?(?=[a-z])"
        rf"|(?:please )?use this (?:{_TOOL} )?(?:(?:when|if|whenever) (?:you|the user) (?:need|want)s? )?to (?=[a-z])"
        rf"|(?:this|the) {_TOOL} (?:is used to |can be used to |will )?"
        r"(?!(?:is|are|was|has|have|does|can|may|must|should|will|cannot|only)\b)(?=[a-z]+ )"
        rf"|(?:an? |the )?{_TOOL} (?:that (?:is used to |can |lets {_YOU} )?|(?:used )?to )(?=[a-z])",
        re.IGNORECASE,
    ),
)


def plain_texts(description: str, schema: Mapping[str, JSON]) -> tuple[str, dict[str, JSON]]:
    """Return what a tool does, and its schema with what its description states about the arguments.

    The sections about the arguments, results, errors and examples are no part of the first text, nor are openings such
    as "This tool allows you to". What the schema states about an argument is kept.

    For example:
        >>> plain_texts("Run SQL.\\n\\nArgs:\\n    sql: The statement", {"properties": {"sql": {"type": "string"}}})
        ('Run SQL.', {'properties': {'sql': {'type': 'string', 'description': 'The statement'}}})
    """
    properties = schema.get("properties")
    arguments = properties if isinstance(properties, dict) else {}
    does, told = _sections(description, arguments)
    while found := next((match for one in _OPENINGS if (match := one.match(does))), None):
        does = f"{does[found.end() : found.end() + 1].upper()}{does[found.end() + 1 :]}"
    filled: dict[str, JSON] = {
        name: {**one, "description": told[name]}
        if isinstance(one, dict) and not one.get("description") and name in told
        else one
        for name, one in arguments.items()
    }
    return does, {**schema, **({"properties": filled} if told else {})}


def plain_tool(tool: Tool) -> Tool:
    """Return a tool with the texts that `plain_texts` gives it."""
    does, schema = plain_texts(tool.comment, tool.input_schema or {})
    return replace(tool, comment=does, input_schema=schema if tool.input_schema is not None else None)


@dataclass(kw_only=True)
class _Reader:
    """Reads a description line by line. `section` is "" outside of sections, and `typed` is the manner of NumPy."""

    entry: re.Pattern[str]
    does: list[str] = field(default_factory=list)
    told: dict[str, list[str]] = field(default_factory=dict)
    section: Literal["", "names", "rest"] = ""
    typed: bool = False
    own: str = ""
    depth: int = 0

    def read(self, line: str, *, before: str, after: str) -> None:
        """Read a line. `before` and `after` are its neighbours."""
        head, named, underlined = _HEAD.fullmatch(line), _FIELD.fullmatch(line), _RULE.fullmatch(after) is not None
        begun = self.entry.fullmatch(line) if self.section == "names" else None
        indent = len(line) - len(line.lstrip())
        if named is not None:
            words = named["name"].split()
            is_argument = named["field"] in {"param", "parameter", "arg", "argument"} and words
            self._open("names", words[-1] if is_argument else "", named["text"], indent)
        elif head is not None and (head["colon"] or underlined or line.lstrip().startswith("#")):
            self._open("names" if head["names"] else "rest", "", "", indent)
            self.typed = underlined
        elif begun is not None:
            self._open("names", begun["name"], "" if self.typed else begun["text"], indent)
        elif self.section and self.own and indent > self.depth:
            self.told[self.own].append(line)
        elif not self.section or (line.strip() and indent == 0 and not before.strip()):
            self.section, self.own = "", ""
            self.does.append(line)

    def _open(self, section: Literal["names", "rest"], own: str, text: str, indent: int) -> None:
        self.section, self.own, self.depth = section, own, indent
        if own:
            self.told[own] = [text]


def _sections(description: str, arguments: Iterable[str]) -> tuple[str, dict[str, str]]:
    """Return a description without its sections, and what they state about the arguments."""
    if "\n" not in description:
        return description, {}
    lines = inspect.cleandoc(description).split("\n")
    reader = _Reader(entry=_entries(arguments))
    for before, line, after in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        reader.read(line, before=before, after=after)
    texts = {name: " ".join(" ".join(parts).split()) for name, parts in reader.told.items()}
    return "\n".join(reader.does).strip(), {name: text for name, text in texts.items() if text}


def _entries(arguments: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of a line that begins the description of one of the arguments."""
    names = "|".join(sorted(map(re.escape, arguments), key=len, reverse=True)) or r"(?!)"
    return re.compile(
        rf"\s*(?:[-*•]\s+)?[`'\"*]*(?P<name>{names})[`'\"*]*(?:\s*\([^)]*\)|\s*\[[^\]]*\]|\s*<[^>]*>)?[`*]*\s*"
        r"(?::|\s[-\u2013\u2014]\s)\s*(?P<text>.*)"
    )

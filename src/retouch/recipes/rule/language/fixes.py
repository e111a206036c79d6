"""Automatic fixes before a text is parsed as YAML: removes what models wrap around rules, and quotes bare globs.

No fix changes the meaning. Each keeps the number of lines, so that problems still refer to the original text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from retouch.recipes.rule.language.yaml_nodes import YamlFault, read_nodes
from retouch.text import fenced_blocks, without_thinking

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.text import Fenced

LANGUAGES: Final = ("yaml", "yml", "python", "py")

_SMART = {"\u201c": "\u201d", "\u2018": "\u2019", "\u201e": "\u201c", "\u00ab": "\u00bb"}
_ENTRY = re.compile(
    r"(?P<head>\s*(?:- +)*(?P<key>[A-Za-z_]\w*)\s*:[ \t]+)(?P<value>\S.*?)[ \t]*(?P<after>(?:[ \t]#.*)?)"
)
_DOUBLE = re.compile(r'(?P<key>\b(?:pattern|glob)\s*:\s*)"(?P<text>(?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(r"\\(.)")
_YAML_ESCAPES = frozenset('0abtnvfre "/\\N_LPxuU\t')
_TOP_KEY = re.compile(r"(?:version|name|glob|extract|tag|priority|rules)\s*:")
_BARE_STARTS = frozenset("*&!{[%@`|>")


@dataclass(frozen=True, kw_only=True)
class FixedText:
    """A text that may be parsed as YAML: the fixes that were applied, and the faults that could not be fixed.

    `first_line` is the number of lines before it in the original text.
    """

    text: str
    repaired: tuple[str, ...] = ()
    first_line: int = 0
    faults: tuple[YamlFault, ...] = ()


def fix_text(reply: str) -> FixedText:
    """Return the text of the rule in a reply or file."""
    text = reply.removeprefix("\ufeff")
    if not text.strip():
        hint = "Write 'name: ...', 'glob: ...' and 'extract:'."
        return FixedText(
            text="", faults=(YamlFault(code="EMPTY_OUTPUT", message="the text is empty", suggestion=hint),)
        )
    whole, repaired = _fixed_lines(text)
    if _reads(whole):
        return FixedText(text=whole, repaired=tuple(repaired))
    unthought = without_thinking(text)
    skipped = text[: len(text) - len(unthought)].count("\n")
    blocks = fenced_blocks(unthought)
    if blocks:
        return _from_fences(unthought, blocks, skipped)
    return _without_prose(whole, repaired)


def _reads(text: str) -> bool:
    root, faults = read_nodes(text)
    return root is not None and root.kind == "mapping" and not faults


def _from_fences(text: str, blocks: list[Fenced], skipped: int) -> FixedText:
    wanted = [block for block in blocks if block.language in LANGUAGES] or blocks
    block = wanted[-1]
    line = skipped + text[: block.start].count("\n") + 1
    fixed, repaired = _fixed_lines(block.text)
    faults: list[YamlFault] = []
    if len({one.text.strip() for one in wanted}) > 1:
        message = f"the reply holds {len(wanted)} fenced blocks that differ"
        hint = "Give one rule, in one block."
        faults.append(YamlFault(code="AMBIGUOUS_OUTPUT", message=message, suggestion=hint))
    if not block.closed:
        message = "the fenced block is not closed: the reply seems cut off"
        faults.append(YamlFault(code="OUTPUT_TRUNCATED", message=message, suggestion="Give the whole rule again."))
    return FixedText(text=fixed, repaired=("fence", *repaired), first_line=line, faults=tuple(faults))


def _without_prose(text: str, repaired: list[str]) -> FixedText:
    """Drop prose before and after a rule if the rest can be parsed."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if _TOP_KEY.match(line)]
    if starts:
        start = starts[0]
        for end in (len(lines), _end_of_rule(lines, start)):
            rest = "\n".join(lines[start:end])
            if _reads(rest):
                return FixedText(text=rest, repaired=(*repaired, "prose"), first_line=start)
    return FixedText(text=text, repaired=tuple(repaired))


def _end_of_rule(lines: list[str], start: int) -> int:
    for number in range(start, len(lines)):
        line = lines[number]
        if number and not lines[number - 1].strip() and line[:1].strip() and not _TOP_KEY.match(line):
            return number
    return len(lines)


def _fixed_lines(text: str) -> tuple[str, list[str]]:
    """Return the text with the necessary fixes of single lines, and their names."""
    repaired: list[str] = []
    steps: list[tuple[str, Callable[[str], str]]] = [
        ("tabs", _without_tabs),
        ("smart quotes", _straight_quotes),
        ("quotes around a bare glob or pattern", _quoted_values),
        ("single quotes around backslashes", _single_quoted),
        ("document marker at the end", _without_last_marker),
    ]
    for name, step in steps:
        changed = step(text)
        if changed != text:
            repaired.append(name)
            text = changed
    return text, repaired


def _without_tabs(text: str) -> str:
    return re.sub(r"^[ \t]*\t[ \t]*", lambda found: found[0].replace("\t", "  "), text, flags=re.MULTILINE)


def _straight_quotes(text: str) -> str:
    return "\n".join(_straight(line) for line in text.split("\n"))


def _straight(line: str) -> str:
    found = _ENTRY.fullmatch(line)
    if found is None:
        return line
    value = found["value"]
    if len(value) < 2 or _SMART.get(value[0]) != value[-1]:
        return line
    return f"{found['head']}{_single(value[1:-1])}{found['after']}"


def _quoted_values(text: str) -> str:
    return "\n".join(_quoted(line) for line in text.split("\n"))


def _quoted(line: str) -> str:
    """Quote the glob or pattern of a line if YAML would otherwise parse it as something else than text."""
    found = _ENTRY.fullmatch(line)
    if found is None or found["key"] not in {"glob", "pattern"}:
        return line
    value = found["value"]
    if value[0] in "\"'" or re.fullmatch(r"[|>][+-]?[0-9]?", value):
        return line
    if value[0] not in _BARE_STARTS and ": " not in value and not value.endswith(":"):
        return line
    return f"{found['head']}{_single(value)}{found['after']}"


def _single(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _single_quoted(text: str) -> str:
    return _DOUBLE.sub(_to_single, text)


def _to_single(found: re.Match[str]) -> str:
    """Turn a double-quoted text into a single-quoted one if one of its escapes is unknown to YAML."""
    text = found["text"]
    letters = _ESCAPE.findall(text)
    if all(letter in _YAML_ESCAPES for letter in letters) or "\\" in letters:
        return found[0]  # valid, or ambiguous because some backslashes are already doubled
    return found["key"] + _single(text.replace('\\"', '"'))


def _without_last_marker(text: str) -> str:
    return re.sub(r"\n---[ \t]*\s*\Z", "\n", text)


def as_text(value: object) -> str:
    """Return a value that was parsed elsewhere, for example from JSON, as text that parses as YAML."""
    return json.dumps(value, ensure_ascii=False, default=str)

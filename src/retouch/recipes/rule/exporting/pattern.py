"""Writes a rule as one regular expression with a named group for each field."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.globs.expression import glob_pattern
from retouch.recipes.rule.globs.parsing import braces_expanded
from retouch.recipes.rule.language.dates import EPOCHS
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.together import only_group
from retouch.recipes.rule.regexes.tree import Choice, Group, Repeat, Sequence

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Sequence as Items

    from retouch.recipes.rule.language.model import ExtractionRule, Field
    from retouch.recipes.rule.regexes.tree import Node


@dataclass(frozen=True, kw_only=True)
class Whole:
    """A rule as one regular expression, which RE2 and Rust read too.

    It is meant for a full match: in Python, `$` alone also lets a final line break pass. It matches the path below the
    root without a leading `/` (with one if the glob is absolute), from start to end. Each field of one part has a named
    group. `joined` has the groups of each field of several parts, which are fields of their own too.
    """

    pattern: str
    fields: tuple[Field, ...]
    joined: Mapping[str, tuple[str, ...]]


def whole_pattern(rule: ExtractionRule) -> Whole:
    """Return a rule as one regular expression.

    Raises:
        BadInput: the rule has several shapes, braces over several segments, or a field whose pattern is not of its
            whole segment.
    """
    if rule.others:
        raise _cannot(rule, "it has several shapes", "Export each shape from a file of its own.")
    segments = rule.glob.text.split("/")
    if _SLASH_IN_BRACES.search(rule.glob.text):
        raise _cannot(rule, "its glob has braces over several segments", "Write one rule per alternative.")
    absolute = rule.glob.text.startswith("/")
    parts = segments[1:] if absolute else segments
    by_segment: dict[int, list[Field]] = {}
    joined: dict[str, tuple[str, ...]] = {}
    for field in rule.fields:
        if field.type == "decimal" or (field.type == "timestamp" and (field.format not in EPOCHS or field.rest)):
            raise _cannot(rule, f"{field.name!r} is a {field.type}", "Export it as text, and convert it there.")
        if field.rest:
            joined[field.name] = _groups_of(rule, field)
            continue
        if field.optional and field.default is not None:
            raise _cannot(rule, f"{field.name!r} has a default", "Use 'default: null'.")
        at = -1 if field.source == "filename" else field.source
        if not isinstance(at, int) or at >= 0 or -at > len(parts) or parts[at] == "**":
            raise _cannot(rule, f"{field.name!r} is not from one segment of the glob", "Use segment(-N) in the rule.")
        by_segment.setdefault(at, []).append(field)
    written = ""
    for number, part in enumerate(parts):
        at = number - len(parts)
        last = number == len(parts) - 1
        if part == "**":
            written += _ANYTHING if last else "(?:[^/]+/)*"
            continue
        own = by_segment.get(at, [])
        written += _segment(rule, part, own) if own else _alternatives(part)
        written += "" if last else "/"
    pattern = f"^{'/' if absolute else ''}{written}$"
    return Whole(pattern=pattern, fields=tuple(map(_with_format, rule.fields)), joined=joined)


def _groups_of(rule: ExtractionRule, field: Field) -> tuple[str, ...]:
    """Return the names of the fields that have the parts of a joined field."""
    plain = {(one.source, one.pattern): one for one in rule.fields if not (one.rest or one.optional or one.nulls)}
    parts = [plain.get((one.source, one.pattern)) for one in (field, *field.rest)]
    names = tuple(one.name for one in parts if one is not None)
    if len(names) < len(parts) or field.optional or field.nulls:
        hint = "Keep each part as a field of its own, and let none be optional."
        raise _cannot(rule, f"{field.name!r} is joined from parts that are not all fields", hint)
    return names


def _with_format(field: Field) -> Field:
    """Return a joined date with the format that it has otherwise without being named."""
    if not field.rest or field.type != "date" or field.format or len(field.join) != 1 or field.join not in "-/_.":
        return field
    return replace(field, format=field.join.join(("%Y", "%m", "%d")))


def _segment(rule: ExtractionRule, part: str, fields: Items[Field]) -> str:
    """Return the pattern of a segment with a named group for each field."""
    if len(fields) == 1 and not fields[0].pattern and fields[0].normalize in _NORMALIZED:
        return f"(?P<{fields[0].name}>{_alternatives(part)})"  # the whole segment, as far as the glob takes it
    shared: str | None = None
    spans: list[tuple[int, int, str]] = []
    for field in fields:
        pattern = field.pattern or "^(.+)$"
        if not (pattern.startswith("^") and pattern.endswith("$")):
            raise _cannot(rule, f"the pattern of {field.name!r} does not match its whole segment", _ANCHOR)
        opened = only_group(pattern)
        if opened is None or field.normalize not in _NORMALIZED:
            raise _cannot(rule, f"the field {field.name!r} has no single plain group", _ANCHOR)
        start, end = opened
        if not field.optional and not always_takes_part(pattern):
            raise _cannot(rule, f"{field.name!r} is not in every path that its pattern matches", _NULL)
        plain = pattern[1:start] + pattern[start + 1 : end] + pattern[end + 1 : -1]
        if shared is not None and plain != shared:
            raise _cannot(rule, f"the fields {fields[0].name!r} and {field.name!r} cut a segment differently", _ANCHOR)
        shared = plain
        spans.append((start - 1, end - 2, field.name))
    if shared is None:
        return _alternatives(part)
    return _within_segment(rule, _with_groups(rule, shared, spans))


def _alternatives(part: str) -> str:
    """Return the regular expression of one segment of a glob, with its braces."""
    if "{" not in part:
        return glob_pattern(part)
    return f"(?:{'|'.join(glob_pattern(one) for one in braces_expanded(part))})"


def _with_groups(rule: ExtractionRule, pattern: str, spans: Items[tuple[int, int, str]]) -> str:
    """Return a pattern with a named group at each span. A span can be within another one."""
    outer = sorted(spans, key=lambda one: (one[0], -one[1]))
    opened: list[tuple[int, int, str]] = []
    done, at = "", 0
    for span in (*outer, (len(pattern), len(pattern), "")):
        while opened and opened[-1][1] <= span[0]:
            end = opened.pop()[1]
            done, at = f"{done}{pattern[at:end]})", end
        if opened and span[1] > opened[-1][1]:
            raise _cannot(rule, f"the fields {opened[-1][2]!r} and {span[2]!r} overlap", _ANCHOR)
        done, at = f"{done}{pattern[at : span[0]]}", span[0]
        if span[2]:
            done += f"(?P<{span[2]}>"
            opened.append(span)
    return done


def _within_segment(rule: ExtractionRule, pattern: str) -> str:
    """Return a pattern that matches no `/`, and only ASCII by its classes, as in rules, whatever tool runs it."""
    done, at, in_class = "", 0, False
    while at < len(pattern):
        char = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        at += len(char)
        if char[1:] and char[1] in "DWSPC" and in_class:
            raise _cannot(rule, f"a class of characters has {char}", "Name the characters that it may have.")
        if char[1:] and char[1].lower() in _ASCII and char[1] in "dwsDWS":
            inner = _ASCII[char[1].lower()]
            done += inner if in_class else f"[{'^/' if char[1].isupper() else ''}{inner}]"
        elif char == "." and not in_class:
            done += "[^/]"
        elif char == "[" and not in_class:
            in_class = True
            negated = pattern[at : at + 1] == "^"
            done += "[^/" if negated else "["
            at += negated
            if pattern[at : at + 1] == "]":
                done += "\\]"
                at += 1
        else:
            in_class = in_class and char != "]"
            done += char
    return done


_SLASH_IN_BRACES = re.compile(r"(?<!\\)\{[^}]*/")
_ANYTHING = r"(?:.|\n)*"
_NORMALIZED = frozenset({None, "strip_leading_zeros"})
_ANCHOR = "Let every pattern of a segment be '^...$' with the same text around its one group, as generated rules have."
_NULL = "Give the field 'default: null', or write a pattern that always has it."
_ASCII = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}


def always_takes_part(pattern: str) -> bool:
    """Return whether the group of a pattern takes part in every match."""
    return _has_group(parse_regex(pattern).tree)


def _has_group(node: Node) -> bool:
    match node:
        case Group():
            return True
        case Sequence(parts=parts):
            return any(map(_has_group, parts))
        case Choice(parts=parts):
            return all(map(_has_group, parts))
        case Repeat(body=body, least=least):
            return least > 0 and _has_group(body)
        case _:
            return False


def may_be_empty(pattern: str) -> bool:
    """Return whether the group of a pattern can match the empty text."""
    found = only_group(pattern)
    return found is not None and re.fullmatch(pattern[found[0] + 1 : found[1]], "") is not None


def _cannot(rule: ExtractionRule, why: str, hint: str) -> BadInput:
    return BadInput(f"the rule {rule.name!r} cannot be one regular expression: {why}", hint=hint)

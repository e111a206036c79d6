"""Writes a rule as one regular expression for each shape, with a named group for each field."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.rule.exporting.plan import takes_part
from retouch.recipes.rule.globs.expression import glob_pattern
from retouch.recipes.rule.globs.overlap import common_path
from retouch.recipes.rule.globs.parsing import SCHEME, braces_expanded
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.together import only_group

if TYPE_CHECKING:
    from collections.abc import Sequence as Items

    from retouch.recipes.rule.language.model import ExtractionRule, Field


def whole_patterns(rule: ExtractionRule) -> list[str]:
    """Return one regular expression for each shape of a rule, which RE2 and Rust read too.

    They are meant for a full match: in Python, `$` alone also lets a final line break pass. They match the
    whole path, which may start with `/` or the scheme of a URL, but has no `\\`, and no empty or `.` parts. Each field
    has a named group.

    Raises:
        BadInput: a shape cannot be one expression, or shapes have common paths: expressions cannot specify which is
        first.
    """
    shapes = (rule, *rule.others)
    for first, second in combinations(shapes, 2):
        if path := common_path(first.glob, second.glob):
            message = f"the globs of {first.name!r} and {second.name!r} have common paths, such as {path!r}"
            hint = "Regular expressions cannot say which comes first: export to another tool, or narrow one glob."
            raise BadInput(message, hint=hint)
    return [_whole_pattern(shape) for shape in shapes]


def _whole_pattern(rule: ExtractionRule) -> str:
    """Return the regular expression of one shape.

    Raises:
        BadInput: it has braces over several segments, or a field whose pattern is not of its whole segment.
    """
    segments = [one for one in re.sub(f"^{SCHEME}", "", rule.glob.text).split("/") if one not in {"", "."}]
    if _SLASH_IN_BRACES.search(rule.glob.text):
        raise _cannot(rule, "its glob has braces over several segments", "Write one rule per alternative.")
    by_segment: dict[int, list[Field]] = {}
    for field in rule.fields:
        by_segment.setdefault(_number(rule, field, segments), []).append(field)
    written = ""
    for number, part in enumerate(segments):
        at = number - len(segments)
        last = number == len(segments) - 1
        if part == "**":
            written += _ANYTHING if last else "(?:[^/]+/)*" if number else "(?:[^/]*/)*"  # the first takes any start
            continue
        own = by_segment.get(at, [])
        written += _segment(rule, part, own) if own else _alternatives(part)
        written += "" if last else "/"
    return f"^{'' if segments[0] == '**' else _start(segments[0])}{written}$"


def _start(part: str) -> str:
    """Return the expression of what may be in front of the first segment of a glob, and is no part of a path."""
    dots = r"/*" if re.fullmatch(_alternatives(part), ".") else r"(?:\.?/)*"
    return f"(?:{SCHEME})?{dots}"


def _number(rule: ExtractionRule, field: Field, parts: Items[str]) -> int:
    """Return the segment of a field, counted from the end.

    Raises:
        BadInput: it has several, none of its own, or a value that is not in the path.
    """
    if field.rest:
        hint = "Drop it with 'retouch rule edit --drop', or export to another tool."
        raise _cannot(rule, f"{field.name!r} is joined from several parts", hint)
    if field.optional and field.default is not None:
        raise _cannot(rule, f"{field.name!r} has a default", "Use 'default: null'.")
    if field.normalize and not (field.normalize == "strip_leading_zeros" and field.type in _NUMBERS):
        hint = "Export to another tool, or edit the rule."
        raise _cannot(rule, f"{field.name!r} is changed by 'normalize: {field.normalize}'", hint)
    at = -1 if field.source == "filename" else field.source
    if not isinstance(at, int) or at >= 0 or -at > len(parts) or parts[at] == "**":
        raise _cannot(rule, f"{field.name!r} is not from one segment of the glob", "Use segment(-N) in the rule.")
    return at


def _segment(rule: ExtractionRule, part: str, fields: Items[Field]) -> str:
    """Return the pattern of a segment with a named group for each field."""
    if len(fields) == 1 and not fields[0].pattern:
        return f"(?P<{fields[0].name}>{_alternatives(part)})"  # the whole segment, as far as the glob takes it
    shared: str | None = None
    spans: list[tuple[int, int, str]] = []
    for field in fields:
        pattern = field.pattern or "^(.+)$"
        if not (pattern.startswith("^") and pattern.endswith("$")):
            raise _cannot(rule, f"the pattern of {field.name!r} does not match its whole segment", _ANCHOR)
        opened = only_group(pattern)
        if opened is None:
            raise _cannot(rule, f"the field {field.name!r} has no single plain group", _ANCHOR)
        start, end = opened
        if not field.optional and not takes_part(parse_regex(pattern).tree):
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
_NUMBERS = frozenset({"integer", "float"})
_ANCHOR = "Let every pattern of a segment be '^...$' with the same text around its one group, as generated rules have."
_NULL = "Give the field 'default: null', or write a pattern that always has it."
_ASCII = {"d": "0-9", "w": "0-9A-Za-z_", "s": r"\t\n\f\r "}


def _cannot(rule: ExtractionRule, why: str, hint: str) -> BadInput:
    return BadInput(f"the rule {rule.name!r} cannot be one regular expression: {why}", hint=hint)

r"""Parses the regular expressions that rules may use: RE2 syntax, which every linear-time engine accepts.

Look-around, backreferences, atomic and conditional groups are refused by name. Some RE2 syntax is also refused: Unicode
classes (`\\pL`), `\\C`, octal escapes and `\\Q..\\E`. Classes such as `\\d` are ASCII, as in RE2. Source: the syntax
page of RE2.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.regexes.chars import AFTER_BACKSLASH, CONTROLS, read_class, read_escape
from retouch.recipes.rule.regexes.tree import Assertion, Chars, Choice, Group, Repeat, Sequence

if TYPE_CHECKING:
    from retouch.recipes.rule.regexes.tree import AssertionKind, Node

MAX_CHARS: Final = 2_000
MAX_REPEAT: Final = 1_000
MAX_DEPTH: Final = 100

_COUNT = re.compile(r"\{(\d+)(,(\d*))?\}", re.ASCII)
_NO_LEAST = re.compile(r"\{,\d+\}", re.ASCII)
_NAMED = re.compile(r"\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>")
_FLAGS = re.compile(r"\(\?([imsU]*)(-[imsU]+)?([:)])")
_PLACES: dict[str, AssertionKind] = {"A": "start", "z": "end", "b": "word", "B": "not_word"}
_UNSUPPORTED = (
    (r"\(\?<?[=!]", "look-around", "Match what surrounds the value and put the value in a group: 'id_([0-9]+)_'."),
    (r"\(\?>", "an atomic group", "Write a plain group '(?:...)'."),
    (r"\(\?\(", "a conditional group", "Write the alternatives out with '|'."),
    (r"\(\?P=", "a backreference", "Write the text out; a rule cannot compare two parts of a path."),
    (r"\(\?P>|\(\?R|\(\?&|\(\?[0-9]", "recursion", "Write the repetition out."),
    (r"\(\?#", "a comment", "Leave it out; YAML has '#' for comments."),
    (r"\(\?[a-zA-Z-]*[axuL][a-zA-Z-]*[:)]", "a flag other than i, m, s, U", "Leave the flag out."),
)


@dataclass(frozen=True, kw_only=True)
class Regex:
    """A parsed regular expression. `groups` is the number of capturing groups."""

    text: str
    tree: Node
    groups: int


@dataclass(frozen=True, kw_only=True)
class _Flags:
    any_case: bool = False
    many_lines: bool = False
    dot_all: bool = False
    lazy: bool = False


@dataclass(kw_only=True)
class _Reader:
    text: str
    position: int = 0
    groups: int = 0
    depth: int = 0
    names: set[str] = field(default_factory=set[str])


def parse_regex(text: str) -> Regex:
    """Return the parsed regular expression of `text`.

    Raises:
        PartError: INVALID_REGEX, or UNSUPPORTED_REGEX for syntax that other engines accept and RE2 does not.
    """
    if len(text) > MAX_CHARS:
        raise _invalid_regex(0, f"the pattern has {len(text):,} characters; {MAX_CHARS:,} are allowed")
    if control := re.search(r"[\x00-\x08\x0b-\x1f]", text):
        message = f"the pattern holds the control character {control[0]!r}"
        raise _invalid_regex(
            control.start(), message, "Put the pattern in single quotes: in double quotes YAML reads '\\b'."
        )
    reader = _Reader(text=text)
    tree = _choice(reader, _Flags())
    if reader.position < len(text):
        raise _invalid_regex(reader.position, "')' closes no group", "Write '\\)' for the character itself.")
    if _largest_repeat(tree) > MAX_REPEAT:
        raise _invalid_regex(0, f"nested counts multiply to more than {MAX_REPEAT:,}", "Write '*' or '+'.")
    return Regex(text=text, tree=tree, groups=reader.groups)


def _invalid_regex(position: int, message: str, hint: str = "") -> PartError:
    return PartError("INVALID_REGEX", message, position=position, hint=hint)


def _unsupported(position: int, what: str, hint: str) -> PartError:
    return PartError("UNSUPPORTED_REGEX", f"{what} is not part of RE2's syntax", position=position, hint=hint)


def _choice(reader: _Reader, flags: _Flags) -> Node:
    parts: list[Node] = []
    while True:
        part, flags = _sequence(reader, flags)
        parts.append(part)
        if reader.text[reader.position : reader.position + 1] != "|":
            return parts[0] if len(parts) == 1 else Choice(parts=tuple(parts))
        reader.position += 1


def _sequence(reader: _Reader, flags: _Flags) -> tuple[Node, _Flags]:
    parts: list[Node] = []
    while reader.position < len(reader.text) and reader.text[reader.position] not in "|)":
        change = _FLAGS.match(reader.text, reader.position)
        if change and change[3] == ")":
            flags = _changed(flags, change)
            reader.position = change.end()
            continue
        start = reader.position
        part = _atom(reader, flags)
        parts.append(_repeated(reader, part, flags, start))
    return parts[0] if len(parts) == 1 else Sequence(parts=tuple(parts)), flags


def _changed(flags: _Flags, change: re.Match[str]) -> _Flags:
    if not change[1] and not change[2]:
        raise _invalid_regex(change.start(), "'(?' is followed by no flag", "Write '(?:...)' for a group.")
    names = {"i": "any_case", "m": "many_lines", "s": "dot_all", "U": "lazy"}
    on = {names[letter]: True for letter in change[1]}
    off = {names[letter]: False for letter in (change[2] or "-")[1:]}
    return replace(flags, **on, **{name: value for name, value in off.items() if name not in on})


def _atom(reader: _Reader, flags: _Flags) -> Node:
    text, position = reader.text, reader.position
    char = text[position]
    if char == "(":
        return _group(reader, flags)
    if char == "[":
        chars, reader.position = read_class(text, position)
        return replace(chars, any_case=flags.any_case)
    if char == "\\":
        return _escape(reader, flags)
    if char in "*+?":
        raise _invalid_regex(position, f"{char!r} repeats nothing", f"Write '\\{char}' for the character itself.")
    if _COUNT.match(text, position):
        raise _invalid_regex(position, "'{' repeats nothing", "Write '\\{' for the character itself.")
    reader.position += 1
    if char == ".":
        return Chars(ranges=() if flags.dot_all else ((10, 10),), negated=True)
    if char == "^":
        return Assertion(kind="line_start" if flags.many_lines else "start")
    if char == "$":
        return Assertion(kind="line_end" if flags.many_lines else "end")
    return Chars(ranges=((ord(char), ord(char)),), any_case=flags.any_case)


def _escape(reader: _Reader, flags: _Flags) -> Node:
    text, position = reader.text, reader.position
    letter = text[position + 1 : position + 2]
    if letter in _PLACES:
        reader.position += 2
        return Assertion(kind=_PLACES[letter])
    if letter and letter in AFTER_BACKSLASH:
        reader.position += 2
        return Chars(ranges=AFTER_BACKSLASH[letter])
    code, reader.position = read_escape(text, position)
    return Chars(ranges=((code, code),), any_case=flags.any_case and letter not in CONTROLS)


def _group(reader: _Reader, flags: _Flags) -> Node:
    text, start = reader.text, reader.position
    reader.depth += 1
    if reader.depth > MAX_DEPTH:
        raise _invalid_regex(start, f"groups are nested more than {MAX_DEPTH} deep")
    number = 0
    if plain := _FLAGS.match(text, start):
        flags = _changed(flags, plain) if plain[1] or plain[2] else flags
        reader.position = plain.end()
    else:
        reader.position = _capture(reader)
        number = reader.groups
    body = _choice(reader, flags)
    if text[reader.position : reader.position + 1] != ")":
        raise _invalid_regex(start, "'(' is not closed", "Close it, or write '\\(' for the character itself.")
    reader.position += 1
    reader.depth -= 1
    return Group(body=body, number=number) if number else body


def _capture(reader: _Reader) -> int:
    """Count a capturing group and return the start of its body."""
    text, start = reader.text, reader.position
    if text[start + 1 : start + 2] != "?":
        reader.groups += 1
        return start + 1
    if named := _NAMED.match(text, start):
        if named[1] in reader.names:
            raise _invalid_regex(
                start, f"two groups are called {named[1]!r}", "Leave the names out: the first group counts."
            )
        reader.names.add(named[1])
        reader.groups += 1
        return named.end()
    for pattern, what, hint in _UNSUPPORTED:
        if re.compile(pattern).match(text, start):
            raise _unsupported(start, what, hint)
    raise _invalid_regex(start, f"{text[start : start + 4]!r} begins no group", "Write '(...)' or '(?:...)'.")


def _repeated(reader: _Reader, part: Node, flags: _Flags, start: int) -> Node:
    bounds = _bounds(reader)
    if bounds is None:
        return part
    least, most, end = bounds
    if isinstance(part, Assertion):
        raise _invalid_regex(start, f"{reader.text[start:end]!r} repeats a place, which has no length")
    greedy = not flags.lazy
    reader.position = end
    if reader.text[end : end + 1] == "?":
        greedy = not greedy
        reader.position += 1
    elif reader.text[end : end + 1] == "+":
        raise _unsupported(end, "a possessive repetition", "Leave the second '+' out.")
    if _bounds(reader) is not None:
        raise _invalid_regex(
            reader.position, "two repetitions follow each other", "Put the first in a group '(?:...)'."
        )
    return Repeat(body=part, least=least, most=most, greedy=greedy)


def _bounds(reader: _Reader) -> tuple[int, int | None, int] | None:
    """Return the minimum and maximum count, and the end of the repetition. Return None if there is none."""
    text, position = reader.text, reader.position
    simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
    if text[position : position + 1] in simple and position < len(text):
        return *simple[text[position]], position + 1
    if _NO_LEAST.match(text, position):
        raise _invalid_regex(
            position, "a count without its least number is read differently by every engine", "Write '{0,n}'."
        )
    found = _COUNT.match(text, position)
    if found is None:
        return None
    least = int(found[1])
    most = least if found[2] is None else int(found[3]) if found[3] else None
    if max(least, most or 0) > MAX_REPEAT:
        raise _invalid_regex(position, f"{found[0]!r} repeats more than {MAX_REPEAT:,} times", "Write '*' or '+'.")
    if most is not None and most < least:
        raise _invalid_regex(position, f"{found[0]!r} runs backwards", f"Write '{{{most},{least}}}'.")
    return least, most, found.end()


def _largest_repeat(node: Node) -> int:
    if isinstance(node, Repeat):
        return max(node.most or node.least, 1) * _largest_repeat(node.body)
    if isinstance(node, Group):
        return _largest_repeat(node.body)
    if isinstance(node, (Sequence, Choice)):
        return max((_largest_repeat(part) for part in node.parts), default=1)
    return 1

"""Parses globs into alternatives of segments, which matching, near misses and overlaps use.

- `*` is any run of characters in a segment, `?` one character, `[..]` and `[!..]` one of a set. None matches a `/`.
- `**` as a whole segment is zero or more directories. At the end it must match at least one segment.
- `{a,b}` is either of the two.
- A backslash makes the next character literal.
- Case matters. Names that start with a dot are matched like any other.
- A glob that starts with `/` is matched with the absolute path, any other with the path below the root.
- The scheme of a URL, as in `s3://bucket/*`, is left out, as in the paths that are matched. The rest is absolute.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, TypeAlias

from retouch.recipes.rule.errors import PartError

MAX_ALTERNATIVES = 512
MAX_CHARS = 2_000
MAX_DEPTH = 32
SCHEME = r"[A-Za-z][0-9A-Za-z+.-]+://"
"""What is in front of the bucket or host of a URL. A single letter is a drive."""
_SCHEME_OF_EARLIER = re.compile(r"[A-Za-z][0-9A-Za-z+.-]+:/[^/]")


@dataclass(frozen=True, kw_only=True)
class OneOf:
    """One character inside (or, negated, outside) some ranges, never a `/`. `?` is the negation of no range."""

    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False

    def matches(self, char: str) -> bool:
        """Return whether `char` matches."""
        return char != "/" and self.negated != any(low <= char <= high for low, high in self.ranges)


Run: TypeAlias = Literal["*"]
RUN: Run = "*"
Token: TypeAlias = OneOf | Run


@dataclass(frozen=True, kw_only=True)
class Segment:
    """One part of a glob between slashes; `tokens` is None for `**`."""

    text: str
    tokens: tuple[Token, ...] | None


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A glob without braces."""

    absolute: bool
    segments: tuple[Segment, ...]


@dataclass(frozen=True, kw_only=True)
class Glob:
    """A parsed glob: its text and its alternatives. `warnings` report parts that are probably not intended."""

    text: str
    alternatives: tuple[Alternative, ...] = field(repr=False)
    warnings: tuple[PartError, ...] = field(default=(), compare=False, repr=False)


def parse_glob(text: str) -> Glob:
    """Return the parsed glob of `text`.

    Raises:
        PartError: it is not a glob; the position is that of the first invalid character.
    """
    if not text:
        raise _invalid_glob("the glob is empty", hint="Write '**' for every file, or for instance '**/*.csv'.")
    if len(text) > MAX_CHARS:
        raise _invalid_glob(f"the glob has {len(text):,} characters; {MAX_CHARS:,} are allowed")
    written = [one for each in braces_expanded(text) for one in _without_scheme(each)]
    alternatives = tuple(dict.fromkeys(one for one in (_alternative(each, text) for each in written) if one.segments))
    if not alternatives:
        raise _invalid_glob(f"{text!r} names no file", hint="Write '**' for every file.")
    return Glob(text=text, alternatives=alternatives, warnings=tuple(_glob_warnings(text, alternatives)))


def _without_scheme(text: str) -> list[str]:
    """Return the globs of paths without a scheme that a glob means.

    With one `/` after the scheme, as rules of earlier versions have it, a directory may also be called like that.
    """
    if re.match(SCHEME, text):
        return [re.sub(SCHEME, "/", text, count=1)]
    return [text, *([text.partition(":/")[2]] if _SCHEME_OF_EARLIER.match(text) else [])]


def escaped(text: str) -> str:
    """Return the glob that matches exactly `text`."""
    return "".join(f"\\{char}" if char in "*?[]{},\\!^" else char for char in text)


def _invalid_glob(message: str, position: int = 0, hint: str = "") -> PartError:
    return PartError("INVALID_GLOB", message, position=position, hint=hint)


def _glob_warnings(text: str, alternatives: tuple[Alternative, ...]) -> list[PartError]:
    warnings: list[PartError] = []
    if all(len(one.segments) == 1 and one.segments[0].tokens is not None for one in alternatives):
        hint = f"Write {'**/' + text!r} to match it in every folder."
        warnings.append(PartError("GLOB_AT_TOP_ONLY", f"{text!r} names no folder: it fits only at the top", hint=hint))
    if any("**" in part.text and part.tokens is not None for one in alternatives for part in one.segments):
        hint = "Put '**' between slashes to cross folders; write '*' where a run of characters is meant."
        warnings.append(PartError("GLOB_STARS", "'**' beside other characters crosses no folder", hint=hint))
    return warnings


def braces_expanded(text: str) -> list[str]:
    """Return the globs that the braces of a glob expand to. As in a shell, they come first: `{a/b,c}` may hold slashes.

    Raises:
        PartError: the braces are not closed, too deep, or expand to too many globs.
    """
    found, end = _choices(text, 0, depth=0)
    assert end == len(text)  # noqa: S101 - a closing brace ends a text only inside of braces
    return found


def _choices(text: str, start: int, *, depth: int) -> tuple[list[str], int]:
    """Return the expansions of the text from `start`, and the end position. Inside of a brace it ends after the closing
    brace.
    """
    if depth > MAX_DEPTH:
        raise _invalid_glob(f"the braces are nested more than {MAX_DEPTH} deep", start - 1)
    done: list[str] = []
    parts: list[list[str]] = []
    position = start
    while position < len(text):
        char = text[position]
        if depth and char in ",}":
            done += _joined(parts, start)
            parts = []
            if char == "}":
                return _two_or_more(done, text, start, position), position + 1
            position += 1
        elif char == "{":
            inner, position = _choices(text, position + 1, depth=depth + 1)
            parts.append(inner)
        else:
            width = 2 if char == "\\" else 1
            parts.append([text[position : position + width]])
            position += width
    if depth:
        raise _invalid_glob("'{' is not closed", start - 1, "Close it, or write '\\{' for the character itself.")
    return _joined(parts, 0), len(text)


def _joined(parts: list[list[str]], position: int) -> list[str]:
    count = 1
    for part in parts:
        count *= len(part)
    if count > MAX_ALTERNATIVES:
        raise _invalid_glob(
            f"the braces stand for {count:,} globs; {MAX_ALTERNATIVES} are allowed", max(position - 1, 0)
        )
    return ["".join(chosen) for chosen in product(*parts)]


def _two_or_more(choices: list[str], text: str, start: int, end: int) -> list[str]:
    if len(choices) > MAX_ALTERNATIVES:
        raise _invalid_glob(f"the braces stand for {len(choices):,} globs; {MAX_ALTERNATIVES} are allowed", start - 1)
    if len(choices) == 1 and choices[0] == text[start:end]:
        hint = f"Write '*' for any text, or '\\{{{choices[0]}\\}}' for these characters."
        if ".." in choices[0]:
            hint = "Name each one, as in '{1,2,3}', or take a set, as in '[1-3]'."
        raise _invalid_glob(f"{'{' + choices[0] + '}'!r} offers no choice: there is no comma in it", start - 1, hint)
    return choices


def _alternative(text: str, whole: str) -> Alternative:
    if text.endswith("/"):
        raise _invalid_glob(f"{text!r} ends with '/': it fits no file", whole.rfind("/"), f"Write {text + '**'!r}.")
    parts = [part for part in _parts(text, whole) if part not in {"", "."}]
    return Alternative(absolute=text.startswith("/"), segments=tuple(_segment(part, whole) for part in parts))


def _parts(text: str, whole: str) -> list[str]:
    """Split at every slash, including an escaped one."""
    parts = [""]
    position = 0
    while position < len(text):
        width = 2 if text[position] == "\\" else 1
        piece = text[position : position + width]
        if piece == "\\":
            hint = "Write '/' between folders, also for Windows, and '\\\\' for a backslash."
            raise _invalid_glob("a backslash at the end escapes nothing", len(whole) - 1, hint)
        if piece in {"/", "\\/"}:
            parts.append("")
        else:
            parts[-1] += piece
        position += width
    return parts


def _segment(text: str, whole: str) -> Segment:
    if text == "**":
        return Segment(text=text, tokens=None)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        token, position = _token(text, position, whole)
        if token != RUN or tokens[-1:] != [RUN]:
            tokens.append(token)
    return Segment(text=text, tokens=tuple(tokens))


def _token(text: str, position: int, whole: str) -> tuple[Token, int]:
    char = text[position]
    if char == "*":
        return RUN, position + 1
    if char == "?":
        return OneOf(negated=True), position + 1
    if char == "[":
        return _set(text, position + 1, max(whole.find("["), 0))
    if char == "\\":
        position += 1
        char = text[position]
    return OneOf(ranges=((char, char),)), position + 1


def _set(text: str, start: int, at: int) -> tuple[OneOf, int]:
    """Read a set whose bracket opened before `start`. A `]` in first position is a member."""
    negated = text[start : start + 1] in {"!", "^"}
    position = first = start + negated
    members: list[tuple[str, str]] = []
    while position < len(text) and (text[position] != "]" or position == first):
        if text.startswith("[:", position):
            raise _invalid_glob("named sets such as '[:alpha:]' are unknown", at, "Write the ranges, as in '[A-Za-z]'.")
        low, position = _member(text, position)
        high = low
        if text[position : position + 1] == "-" and text[position + 1 : position + 2] not in {"", "]"}:
            high, position = _member(text, position + 1)
        if low > high:
            raise _invalid_glob(f"the range '{low}-{high}' runs backwards", at, f"Write '{high}-{low}'.")
        members.append((low, high))
    if position >= len(text):
        raise _invalid_glob("'[' is not closed", at, "Close it, or write '\\[' for the character itself.")
    return OneOf(ranges=tuple(members), negated=negated), position + 1


def _member(text: str, position: int) -> tuple[str, int]:
    if text[position] == "\\" and position + 1 < len(text):
        position += 1
    return text[position], position + 1

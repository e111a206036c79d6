"""Characters of regular expressions: escapes, classes and named sets."""

from __future__ import annotations

import re
from typing import TypeAlias

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.regexes.tree import MAX_CODE, Chars, merged

Ranges: TypeAlias = "tuple[tuple[int, int], ...]"

CONTROLS = {"a": 7, "f": 12, "t": 9, "n": 10, "r": 13, "v": 11}

_DIGIT = [(48, 57)]
_UPPER, _LOWER = [(65, 90)], [(97, 122)]
_WORD = [*_DIGIT, *_UPPER, (95, 95), *_LOWER]
_SPACE = [(9, 10), (12, 13), (32, 32)]
_NAMED = {
    "alnum": [*_DIGIT, *_UPPER, *_LOWER],
    "alpha": [*_UPPER, *_LOWER],
    "ascii": [(0, 127)],
    "blank": [(9, 9), (32, 32)],
    "cntrl": [(0, 31), (127, 127)],
    "digit": _DIGIT,
    "graph": [(33, 126)],
    "lower": _LOWER,
    "print": [(32, 126)],
    "punct": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "space": [(9, 13), (32, 32)],
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": [*_DIGIT, (65, 70), (97, 102)],
}
AFTER_BACKSLASH: dict[str, Ranges] = {
    letter if not negated else letter.upper(): merged(ranges, negated=negated)
    for letter, ranges in (("d", _DIGIT), ("s", _SPACE), ("w", _WORD))
    for negated in (False, True)
}
_HEX = re.compile(r"\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})")
_SET_NAME = re.compile(r"\[:(\^?)(\w+):\]", re.ASCII)
_REFUSED = {
    "Z": ("'\\Z'", "Write '$' for the end of the text."),
    "G": ("'\\G'", "Write '^' for the start of the text."),
    "K": ("'\\K'", "Put the value in a group '(...)'."),
    "p": ("a Unicode class", "Write the characters out, as in '[^/_]'."),
    "P": ("a Unicode class", "Write the characters out, as in '[^/_]'."),
    "C": ("a single byte", "Write '.'."),
    "Q": ("quoted text", "Put a backslash before each special character."),
    "k": ("a backreference", "Write the text out; a rule cannot compare two parts of a path."),
    "u": ("'\\u'", "Write '\\x{...}', or the character itself."),
    "U": ("'\\U'", "Write '\\x{...}', or the character itself."),
    "h": ("'\\h'", "Write '[ \\t]' or '[0-9a-fA-F]'."),
    "R": ("'\\R'", "Write '\\n'."),
}


def _invalid_regex(position: int, message: str, hint: str = "") -> PartError:
    return PartError("INVALID_REGEX", message, position=position, hint=hint)


def read_escape(text: str, position: int) -> tuple[int, int]:
    """Return the code point of the escape at `position`, and its end.

    Raises:
        PartError: it is not a valid escape.
    """
    letter = text[position + 1 : position + 2]
    if not letter:
        raise _invalid_regex(position, "a backslash at the end escapes nothing", "Write '\\\\' for a backslash.")
    if letter in CONTROLS:
        return CONTROLS[letter], position + 2
    if found := _HEX.match(text, position):
        code = int(found[1] or found[2], 16)
        if code > MAX_CODE:
            raise _invalid_regex(position, f"{found[0]!r} is no character")
        return code, found.end()
    if letter.isascii() and not letter.isalnum():
        return ord(letter), position + 2
    if letter in "123456789":
        hint = "Write the text out; a rule cannot compare two parts of a path."
        raise PartError(
            "UNSUPPORTED_REGEX", "a backreference is not part of RE2's syntax", position=position, hint=hint
        )
    if letter in _REFUSED:
        what, hint = _REFUSED[letter]
        raise PartError("UNSUPPORTED_REGEX", f"{what} is not supported", position=position, hint=hint)
    raise _invalid_regex(position, f"'\\{letter}' is no escape", f"Write {letter!r} for the character itself.")


def read_class(text: str, start: int) -> tuple[Chars, int]:
    """Return the class whose bracket opens at `start`, and its end.

    Raises:
        PartError: it is not a valid class.
    """
    negated = text.startswith("[^", start)
    position = first = start + 1 + negated
    found: list[tuple[int, int]] = []
    while position < len(text) and (text[position] != "]" or position == first):
        ranges, position = _member(text, position)
        found += ranges
    if position >= len(text):
        raise _invalid_regex(start, "'[' is not closed", "Close it, or write '\\[' for the character itself.")
    return Chars(ranges=merged(found), negated=negated), position + 1


def _member(text: str, position: int) -> tuple[Ranges, int]:
    if text.startswith("[:", position) and (named := _SET_NAME.match(text, position)):
        if named[2] not in _NAMED:
            raise _invalid_regex(position, f"there is no set {named[0]!r}", f"There are {', '.join(_NAMED)}.")
        return merged(_NAMED[named[2]], negated=bool(named[1])), named.end()
    if text[position] == "\\" and text[position + 1 : position + 2] in set(AFTER_BACKSLASH):
        after = position + 2
        if text[after : after + 1] == "-" and text[after + 1 : after + 2] not in {"", "]"}:
            raise _invalid_regex(position, f"a range cannot begin with {text[position:after]!r}", "Put '-' last.")
        return AFTER_BACKSLASH[text[position + 1]], after
    low, after = _char(text, position)
    if text[after : after + 1] != "-" or text[after + 1 : after + 2] in {"", "]"}:
        return ((low, low),), after
    high, end = _char(text, after + 1)
    if low > high:
        raise _invalid_regex(position, f"the range {text[position:end]!r} runs backwards")
    return ((low, high),), end


def _char(text: str, position: int) -> tuple[int, int]:
    if text[position] != "\\":
        return ord(text[position]), position + 1
    if text[position + 1 : position + 2] in set(AFTER_BACKSLASH):
        raise _invalid_regex(position, f"a range cannot end with {text[position : position + 2]!r}", "Put '-' last.")
    return read_escape(text, position)

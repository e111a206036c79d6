"""Widens what the first lines of a sorted list have in common.

Such lines share their first directories although later lines do not. So one more path is imagined: the first line, with
other letters and digits in each code that all lines share. The detector then finds a column where the code is. Words in
lower case stay as they are, because most of them are names of kinds.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.assumptions import is_head
from retouch.recipes.rule.detecting.cut import typed_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST = 10  # fewer lines in order are often a choice of the user
_TOKEN = re.compile(r"[0-9A-Za-z]+")
_CODE = re.compile(r"[A-Z]{2,}|[0-9]+")
_PADDED = re.compile(r"(?<![0-9])0[0-9]+")
_ANOTHER = "zq"
_YEAR_DIGITS = 4  # the form of a year is enough
_LONG = 5  # letters; capitals of this length are a word, unless the path repeats it
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def imagined(rows: Sequence[Sequence[str]], *, absolute: bool) -> list[list[str]]:
    """Return a path that the rest of the list may have, or none if the rows do not look like the head of a list."""
    if len(rows) < LEAST or not is_head(["/".join(row) for row in rows]):
        return []
    depth, count = Counter(map(len, rows)).most_common(1)[0]
    rows = [row for row in rows if len(row) == depth]
    if count < LEAST:
        return []
    shared: set[str] = set()
    for at in range(depth):
        tokens = [set(_TOKEN.findall(_body(row[at], last=at == depth - 1))) for row in rows]
        shared |= set[str].intersection(*tokens)
    texts = Counter(token for part in rows[0] for token in set(_TOKEN.findall(part)))
    shared -= {one for one in shared if one.isalpha() and one.isupper() and len(one) >= _LONG and texts[one] == 1}
    relative_top = 0 if not absolute else None
    changed = [
        _ANOTHER
        if at < depth - 1
        and len({row[at] for row in rows}) == 1
        and _names_one_of_many(part, is_top=at == relative_top)
        else _changed(part, shared, last=at == depth - 1)
        for at, part in enumerate(rows[0])
    ]
    return [changed] if changed != list(rows[0]) else []


def _names_one_of_many(directory: str, *, is_top: bool) -> bool:
    """Return whether a directory that all lines share has several words: two at the top, else more, with a code."""
    if "=" in directory or typed_spans(directory):
        return False
    words = len(_TOKEN.findall(directory))
    if is_top and not _PADDED.search(directory):
        return words > 1
    return words > 2 and _CODE.search(directory) is not None


def _body(part: str, *, last: bool) -> str:
    return (part.rpartition(".")[0] or part) if last else part


def _changed(part: str, shared: set[str], *, last: bool) -> str:
    """Return a segment with other codes. Dates and other typed values stay, because their form is enough."""
    if "=" in part:
        return part
    body, typed = _body(part, last=last), typed_spans(part)

    def other(found: re.Match[str]) -> str:
        stays = found[0] not in shared or any(start < found.end() and found.start() < end for start, end in typed)
        return found[0] if stays else _shifted(found[0])

    return _TOKEN.sub(other, body) + part[len(body) :]


def _shifted(token: str) -> str:
    if token.isdigit() and len(token) == _YEAR_DIGITS:
        return token
    return _CODE.sub(lambda one: "".join(map(_next, one[0])), token)


def _next(char: str) -> str:
    return str((int(char) + 1) % 10) if char.isdigit() else _LETTERS[(_LETTERS.index(char) + 1) % 26]

"""What the parsers of all formats share: fences, path labels, and the refusal of a part that is not understood."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.edits.values import EditIssue, Refusal, is_blank

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_FENCE = re.compile(r" {0,3}(?:(`{3,})([^`]*)|(~{3,})(.*))$")
_PATH = re.compile(
    r"(?:~|[A-Za-z]:)?[\w.@+()\[\]-]*(?:[/\\][\w.@+()\[\]-]+)+|[\w@+-][\w.@+-]*\.\w*[A-Za-z]\w*|\.\w[\w.-]*"
)
_NO_SUFFIX = frozenset(
    {"Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Gemfile", "Rakefile", "LICENSE", "README"}
)
_SUFFIX = re.compile(  # of names in a sentence, where `json.loads` is no file
    r"bash|bat|c|cc|cfg|cpp|cs|css|csv|dart|ex|exs|go|gradle|h|hpp|hs|html|ini|ipynb|java|jl|js|json|jsx|kt|kts|"
    r"less|lua|md|mjs|mts|php|pl|proto|ps1|py|pyi|pyx|rb|rs|rst|scala|scss|sh|sql|svelte|swift|tf|toml|ts|tsx|"
    r"txt|vue|xml|yaml|yml"
)
_MOST_WORDS = 5  # of a sentence that names the file of the edit below it
_NOTE = re.compile(r"[ \t]*[(\[](?:new|new file|updated|modified|created|full|complete|existing)[)\]]", re.IGNORECASE)
_LIST_MARK = re.compile(r"(?:#{1,6}|[-*+>]|\d{1,3}[.)])[ \t]+")
_WORDS = re.compile(
    r"(?:(?:the|new|updated?|creat(?:e|ed|ing)|modif(?:y|ied)|edit(?:ed)?|full|complete|replace|rewrite|add|in)\b"
    r"[ \t]*)*"
    r"(?:(?:file ?name|file ?path|file|path)\b)?[ \t]*:?[ \t]*",
    re.IGNORECASE,
)
_DECORATION = "`*\"' \t"
_ATTRIBUTE = re.compile(
    r"(?:title|path|file|filename|file_path|filepath|name)[ \t]*=[ \t]*[\"']?([^\"'\s}]+)", re.IGNORECASE
)

Fence = tuple[str, str]  # the marker, and the text after it


def fence_of(line: str) -> Fence | None:
    """Return the fence's marker and its info string. None if the line is no fence."""
    match = _FENCE.match(line)
    if match is None:
        return None
    return match[1] or match[3], (match[2] or match[4] or "").strip()


def closes(fence: Fence | None, marker: str) -> bool:
    """Return whether a line closes the fence that `marker` opened."""
    return fence is not None and not fence[1] and fence[0].startswith(marker)


def closing_line(lines: Sequence[str], opening: int, marker: str) -> int | None:
    """Return the number of the first line after `opening` that can close its fence, or None."""
    for number in range(opening + 1, len(lines)):
        line = lines[number]
        if line and line[0] in " `~" and closes(fence_of(line), marker):
            return number
    return None


def closing_choices(fences: list[tuple[int, bool]], *, start: bool, want: bool) -> list[int]:
    """Return the fence lines that can be the closing one: all before it are in pairs, and so are all after it.

    `fences` has the number of each fence line, and whether it has no info string.
    """
    count = len(fences)
    # after[i][open]: whether a fence is open at the end, if read from fence i on
    after = [[False, False] for _ in range(count + 1)]
    after[count] = [False, True]
    for place in range(count - 1, -1, -1):
        after[place] = [after[place + 1][1], after[place + 1][0 if fences[place][1] else 1]]
    fits: list[int] = []
    is_open = False
    for place, (_, bare) in enumerate(fences):
        if bare and not is_open and after[place + 1][start] == want:
            fits.append(place)
        is_open = not (is_open and bare)
    return fits


def opens_in_open_fence(fences: list[tuple[int, bool]]) -> bool:
    """Return whether a fence with an info string starts inside of an open one, as if a fence line were missing."""
    is_open = False
    for _, bare in fences:
        if is_open and not bare:
            return True
        is_open = not is_open
    return False


def next_filled(lines: Sequence[str], number: int) -> int:
    """Return the number of the next line that is not blank, or the number of lines."""
    while number < len(lines) and is_blank(lines[number]):
        number += 1
    return number


def hunk_lines(lines: Sequence[str]) -> list[str]:
    """Return the lines of a hunk without empty ones at its end.

    An empty line inside is a context line that lost its leading space.
    """
    taken = list(lines)
    while taken and not taken[-1]:
        taken.pop()
    return taken


def is_path(word: str, known: Collection[str]) -> bool:
    """Return whether the word names a file: a known one, or a name with a directory or an extension."""
    if word in known or word in _NO_SUFFIX:
        return True
    return "://" not in word and _PATH.fullmatch(word) is not None


def path_in_label(line: str, known: Collection[str]) -> str | None:
    """Return the path of a line that contains nothing but a path and its decoration. None for any other line.

    For example: `src/a.py`, **File: src/a.py**, ### 2. src/a.py (new file), Create `a.py`:
    """
    text = line.strip()
    while match := _LIST_MARK.match(text):
        text = text[match.end() :]
    text = _NOTE.sub("", text).strip(_DECORATION + ":")
    for candidate in (text, text[match.end() :] if (match := _WORDS.match(text)) else text):
        word = candidate.strip(_DECORATION + ":").removeprefix("./")
        if is_path(word, known):
            return word
    return None


def path_named(line: str, known: Collection[str]) -> str | None:
    """Return the path that the line above an edit names as its file: a label, or a short sentence with one path.

    For example: `src/a.py`, File: a.py, In src/a.py:, Now `src/a.py` needs:
    """
    label = path_in_label(line, known)
    words = line.split()
    if label is not None and (label in known or len(words) == 1):
        return label
    if len(words) > _MOST_WORDS:
        return None
    plain = {word.strip(_DECORATION + ":,;").removeprefix("./") for word in words}
    found = {word for word in plain if word in known or (is_path(word, known) and _SUFFIX.fullmatch(ending_of(word)))}
    return found.pop() if len(found) == 1 else None


def ending_of(path: str) -> str:
    """Return the text after the last point of a path in small letters, all of it without a point."""
    return path.rpartition(".")[2].lower()


def path_in_info(info: str, known: Collection[str]) -> str | None:
    """Return the path in the info string of a fence, for example of `python src/a.py` or `py:a.py`."""
    if match := _ATTRIBUTE.search(info):
        return match[1]
    for word in reversed(info.split()):
        for part in (word, word.rsplit(":", 1)[-1]):
            plain = part.strip(_DECORATION + "{}()").removeprefix("./")
            if is_path(plain, known):
                return plain
    return None


def malformed(number: int, what: str, fix: str, *, edit: int | None = None) -> Refusal:
    """Return the refusal of a part of the reply. `number` is its line from 0."""
    return Refusal(
        EditIssue(
            code="malformed",
            message=f"Line {number + 1} of the reply: {what}.",
            fix=fix,
            edits=() if edit is None else (edit,),
            reply_line=number + 1,
        )
    )

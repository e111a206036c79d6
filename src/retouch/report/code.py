"""Text of models as safe HTML: one line of code at a time, with colours, issues at their lines, and diffs.

Everything here is untrusted. Control and bidi characters become visible code points, keys are removed, and every piece
is escaped before it is marked up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup, escape

from retouch._lib.redaction import without_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from retouch.engine.types import Issue

MAX_CHARS = 200_000  # of one text. The complete text is in the run directory
COLOURED_CHARS = 60_000  # longer strings get no colours
_MOST_LINES_DIFFED = 4_000
_CONTEXT = 3
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_LANGUAGES = {
    "cs": "csharp",
    "py": "python",
    "json": "json",
    "jsonl": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
    "scala": "scala",
    "sv": "systemverilog",
    "v": "verilog",
    "md": "markdown",
    "html": "html",
    "js": "javascript",
    "ts": "typescript",
    "sql": "sql",
    "diff": "diff",
    "patch": "diff",
}


@dataclass(frozen=True, kw_only=True)
class CodeLine:
    """One line as HTML. `sign` is "+" or "-" in a diff, "@" for a gap; `number` counts from 1, None if there is none.

    `issues` are those at this line.
    """

    html: Markup
    number: int | None = None
    sign: str = ""
    issues: tuple[Issue, ...] = ()


def visible(text: object) -> str:
    """Return `text` with control and bidi characters shown as code points, so that no answer can disguise the page.

    Text that looks like a key is removed.
    """
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", without_keys(str(text)))


def shortened(text: str) -> str:
    """Return at most `MAX_CHARS` characters of a text, and how many were left out."""
    if len(text) <= MAX_CHARS:
        return text
    return f"{text[:MAX_CHARS]}\n({len(text) - MAX_CHARS:,} more characters)"


def language_of(file: str) -> str:
    """Return the language of a file by its suffix, "" if it has no colours."""
    return _LANGUAGES.get(PurePosixPath(file).suffix.lstrip(".").lower(), "")


def code_lines(text: str, *, language: str = "", issues: Iterable[Issue] = (), offset: int = 0) -> list[CodeLine]:
    """Return the lines of a text. An issue is at its line plus `offset`; issues without a line are left out."""
    marked: dict[int, list[Issue]] = {}
    for issue in issues:
        if issue.line is not None:
            marked.setdefault(issue.line + offset, []).append(issue)
    lines = _coloured(visible(shortened(text)), language)
    if len(lines) > 1 and not lines[-1]:  # the end of the last line
        del lines[-1]
    return [
        CodeLine(html=html, number=number, issues=tuple(marked.get(number, ()))) for number, html in enumerate(lines, 1)
    ]


def diff_lines(before: str, after: str, *, language: str = "", issues: Iterable[Issue] = ()) -> list[CodeLine]:
    """Return the lines that differ with three lines around them, or all of `after` if too little is shared."""
    new = code_lines(after, language=language, issues=issues)
    old = code_lines(before, language=language)
    if len(old) + len(new) > _MOST_LINES_DIFFED:
        return new
    matcher = SequenceMatcher(None, _plain(before), _plain(after), autojunk=False)
    if matcher.ratio() < 0.25:
        return new
    found: list[CodeLine] = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        where = f"lines {first[3] + 1} to {last[4]}"
        found.append(CodeLine(html=escape(where), sign="@"))
        for kind, old_from, old_to, new_from, new_to in group:
            found += [replace(line, sign="-", number=None) for line in old[old_from:old_to] if kind != "equal"]
            found += [replace(line, sign="" if kind == "equal" else "+") for line in new[new_from:new_to]]
    return found


def is_same_text(one: str, other: str) -> bool:
    """Return whether two strings have the same lines."""
    return _plain(one) == _plain(other)


def _plain(text: str) -> list[str]:
    lines = visible(shortened(text)).split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


_KINDS = (("Comment", "c"), ("Keyword", "k"), ("Literal.String", "s"), ("Literal.Number", "m"), ("Name.Tag", "t"))
_DIFF_KINDS = (("Generic.Inserted", "gi"), ("Generic.Deleted", "gd"), ("Generic.Subheading", "gh"))


def _coloured(text: str, language: str) -> list[Markup]:
    """Return the lines of a text as HTML."""
    lexer = _lexer(language) if language and len(text) <= COLOURED_CHARS else None
    if lexer is None:
        return [escape(line) for line in text.split("\n")]
    lines: list[list[str]] = [[]]
    for token, value in lexer.get_tokens(text):
        kind = _kind(str(token))
        for number, part in enumerate(str(value).split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append(f'<span class="{kind}">{escape(part)}</span>' if kind else str(escape(part)))
    found = [Markup("".join(line)) for line in lines]  # noqa: S704 - each part was escaped one by one
    return found[: text.count("\n") + 1]  # a lexer ends each text with a line break


def _kind(token: str) -> str:
    name = token.removeprefix("Token.")
    return next((short for known, short in (*_KINDS, *_DIFF_KINDS) if name.startswith(known)), "")


@cache
def _lexer(language: str) -> Any:
    """Return the lexer of a language, None if there is none."""
    from pygments import lexers
    from pygments.util import ClassNotFound

    try:
        return cast("Any", lexers).get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def shared_head(texts: Sequence[str]) -> str:
    """Return the common first lines of several strings, "" for fewer than two strings or five lines."""
    if len(texts) < 2:
        return ""
    split = [text.split("\n") for text in texts]
    count = 0
    for lines in zip(*split, strict=False):
        if any(line != lines[0] for line in lines):
            break
        count += 1
    return "".join(f"{line}\n" for line in split[0][:count]) if count >= 5 else ""


def colours_of(labels: Iterable[str]) -> Mapping[str, int]:
    """Return a colour, from 1 to 8, for each label."""
    return {label: number % 8 + 1 for number, label in enumerate(dict.fromkeys(labels))}


def counted_lines(lines: Iterable[CodeLine]) -> Iterator[str]:
    """Yield how many lines a diff adds and removes, in words."""
    signs = [line.sign for line in lines]
    yield f"{signs.count('+')} added"
    yield f"{signs.count('-')} removed"

"""Finds the place of each issue: a file of the run, a line, a column, and the text of the line."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.engine.recipe import find_recipe
from retouch.engine.stored_files import PROMPTS
from retouch.errors import RetouchError
from retouch.text import code_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.engine.directory import RunView
    from retouch.engine.files import HasBlocks
    from retouch.engine.types import Issue

_WIDEST = 200  # characters of a line that are shown
_MOST_BYTES = 16 * 2**20  # of a file that is read for its lines


@dataclass(frozen=True, kw_only=True)
class PlacedIssue:
    """An issue and its place. `line` and `column` count from 1; `snippet` is the text of the line, "" if unknown."""

    issue: Issue
    file: Path
    line: int = 1
    column: int = 1
    snippet: str = ""

    @property
    def name(self) -> str:
        """The path of the file as the user would write it: relative to the current directory if it is below it."""
        return shown_path(self.file)

    @property
    def place(self) -> str:
        """The place in the form of compilers: `file:line:column`."""
        return f"{self.name}:{self.line}:{self.column}"


def shown_path(path: Path) -> str:
    """Return `path` relative to the current directory if it is below it, else in full, with forward slashes."""
    here, whole = Path.cwd(), path.absolute()
    return (whole.relative_to(here) if whole.is_relative_to(here) else whole).as_posix()


def located(view: RunView, issues: Iterable[Issue]) -> list[PlacedIssue]:
    """Return the place of each of the run's `issues`.

    The file is the generated one with the unit's text. If there is none, for example because the unit has no answer,
    it is prompts.json, at the unit's prompt. An issue without a line, or whose line is not in the file any more, is
    placed at the first line of its unit.
    """
    issues = list(issues)
    return _Places(view).all_of(issues) if issues else []


@dataclass(frozen=True)
class _Places:
    view: RunView
    _texts: dict[str, str] = field(default_factory=dict[str, str])

    def all_of(self, issues: Sequence[Issue]) -> list[PlacedIssue]:
        try:
            recipe: HasBlocks | None = find_recipe(self.view.recipe)
        except RetouchError:  # it is not installed, so the blocks of its files are unknown
            recipe = None
        return [self._finding(issue, recipe) for issue in issues]

    def _finding(self, issue: Issue, recipe: HasBlocks | None) -> PlacedIssue:
        name, first, last = self._lines_of(issue, recipe)
        if issue.detail.get("file") == name:  # it is about the file, and not about a line
            return PlacedIssue(issue=issue, file=self.view.directory / name)
        lines = self._text(name).split("\n")
        line = self._line(issue, lines, first, last)
        text = lines[line - 1].rstrip("\r")[:_WIDEST] if line <= len(lines) else ""
        given: Any = issue.detail.get("column")
        column = given if isinstance(given, int) and 0 < given <= len(text) + 1 else _indent(text)
        return PlacedIssue(issue=issue, file=self.view.directory / name, line=line, column=column, snippet=text)

    def _lines_of(self, issue: Issue, recipe: HasBlocks | None) -> tuple[str, int, int]:
        """Return the file of the unit, and its first and last line there."""
        written = self.view.history.written
        named = issue.detail.get("file")
        if isinstance(named, str) and named in written:
            return named, 1, 1
        for name, row in written.items():
            if recipe is None or issue.unit not in row.blocks:
                continue
            text = self._text(name)
            for block in recipe.blocks(name, text):
                if block.unit == issue.unit:
                    return name, text.count("\n", 0, block.start) + 1, text.count("\n", 0, block.end) + 1
        units = {prompt.unit for prompt in self.view.prompts}
        whole = [name for name, row in written.items() if not row.blocks and self._text(name)]
        if whole and len(units) == 1 and issue.unit in units:
            return whole[0], 1, self._text(whole[0]).count("\n") + 1
        return PROMPTS, *self._prompt_line(issue.unit)

    def _prompt_line(self, unit: str) -> tuple[int, int]:
        wanted = f'"type_name": {json.dumps(unit, ensure_ascii=False)}'
        at = self._text(PROMPTS).find(wanted)
        line = self._text(PROMPTS).count("\n", 0, max(at, 0)) + 1
        return line, line

    def _line(self, issue: Issue, lines: Sequence[str], first: int, last: int) -> int:
        """Return the line in the file that an issue means: the one with the text of its line in the answer."""
        if first == last or not issue.line:
            return first
        wanted = self._wanted(issue)
        near = first + issue.line
        same = [at for at in range(first, min(last, len(lines)) + 1) if lines[at - 1].strip() == wanted]
        if wanted and same:
            return min(same, key=lambda at: abs(at - near))
        return min(first + issue.line - 1, last) if issue.page is None else first

    def _wanted(self, issue: Issue) -> str:
        """Return the text of an issue's line in the answer, "" if it is unknown."""
        source = issue.detail.get("source")
        if isinstance(source, str):
            return source.strip()
        history = self.view.history
        for prompt in self.view.prompts:
            if prompt.unit == issue.unit and prompt.page == (issue.page or 1):
                answer = history.adopted(prompt.unit) or history.answer_to(prompt)
                lines = code_in(answer.text).split("\n") if answer is not None else []
                return lines[issue.line - 1].strip() if issue.line and issue.line <= len(lines) else ""
        return ""

    def _text(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = _read(self.view.directory, name)
        return self._texts[name]


def _read(directory: Path, name: str) -> str:
    """Return the text of a file of a run, "" if it is missing, too large, or a symbolic link out of the run."""
    path = directory / name
    try:
        inside = path.resolve().is_relative_to(directory.resolve()) and path.is_file()
        if not inside or path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip()) + 1 if text.strip() else 1

"""The templates of the viewer and of the report, and what each of their pages is rendered from."""

from __future__ import annotations

import base64
import shlex
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from retouch._lib.clock import now
from retouch.report.code import code_lines, colours_of, language_of, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.recipe import Cell, Section
    from retouch.report.code import CodeLine
    from retouch.report.run_pages import RunPages, UnitRow

STATUS_WORDS = {
    "verified": "Every declared check ran on the current files and passed.",
    "unverified": "Nothing failed, but something was not checked.",
    "issues": "Errors remain.",
    "incomplete": "Some pages have no answer yet.",
    "exhausted": "A retry or cost budget was used up before every error was repaired.",
}
Sort = Literal["name", "state", "issues", "pages", "calls", "retries", "tokens", "cost", "time"]
COLUMNS: Sequence[tuple[Sort, str, bool]] = (
    ("name", "unit", False),
    ("state", "state", False),
    ("issues", "issues", False),
    ("pages", "pages", True),
    ("calls", "calls", True),
    ("retries", "retries", True),
    ("tokens", "tokens", True),
    ("cost", "cost", True),
    ("time", "time", True),
)
PAGE_SIZE = 200
_SHORT, _LONG = 16, 40  # characters in a cell of a table
_REASONS = {"followup": "follow-up", "editcorrection": "correction of edits"}  # stored reasons of calls, in words
_PAGES_AROUND = 3


class Links(Protocol):
    """The addresses of pages: paths of a server, files of a directory, or places in one file."""

    live: bool

    def asset(self, name: str) -> str:
        """Return the address of a style sheet or a script."""
        ...

    def overview(self) -> str:
        """Return the address of the run."""
        ...

    def unit(self, row: UnitRow) -> str:
        """Return the address of a unit."""
        ...

    def unit_named(self, name: str) -> str:
        """Return the address of the unit of this name."""
        ...

    def file(self, name: str, line: int = 1) -> str:
        """Return the address of a written file."""
        ...

    def system(self, text: str) -> str:
        """Return the address of a system prompt."""
        ...

    def shared(self) -> str:
        """Return the address of the common start of all prompts."""
        ...

    def hidden(self) -> Sequence[tuple[str, str]]:
        """Return the hidden fields of the search form."""
        ...


@dataclass(frozen=True, kw_only=True)
class Query:
    """Which units the table shows: those that contain `words`, in a `state` ("problems": all that need attention)."""

    words: str = ""
    state: str = ""
    sort: Sort | Literal[""] = ""
    down: bool = False
    page: int = 1


@dataclass(frozen=True, kw_only=True)
class FoundRows:
    """One page of the table: its rows, the number of rows on all pages, the last page, and pages to link to."""

    rows: Sequence[UnitRow]
    total: int
    last: int
    shown_pages: Sequence[int]


def find_rows(run: RunPages, query: Query, *, size: int | None = PAGE_SIZE) -> FoundRows:
    """Return the rows that a query selects. All are on one page if `size` is None."""
    rows = run.rows
    if query.state == "problems":
        rows = [row for row in rows if row.is_problem]
    elif query.state:
        rows = [row for row in rows if row.state == query.state]
    if query.words:
        rows = run.matching(query.words, rows)
    if query.sort:
        rows = sorted(rows, key=_SORT_KEYS[query.sort], reverse=query.down)
    if size is None:
        return FoundRows(rows=rows, total=len(rows), last=1, shown_pages=())
    last = max(1, ceil(len(rows) / size))
    page = min(query.page, last)
    near = {1, last, *range(max(1, page - _PAGES_AROUND), min(last, page + _PAGES_AROUND) + 1)}
    return FoundRows(rows=rows[(page - 1) * size : page * size], total=len(rows), last=last, shown_pages=sorted(near))


_SORT_KEYS: Mapping[str, Callable[[UnitRow], Any]] = {
    "name": lambda row: row.name.casefold(),
    "state": lambda row: row.state,
    "issues": lambda row: len(row.issues),
    "pages": lambda row: row.pages,
    "calls": lambda row: row.usage.calls,
    "retries": lambda row: row.retries,
    "tokens": lambda row: row.usage.tokens,
    "cost": lambda row: -1.0 if row.usage.cost is None else row.usage.cost,
    "time": lambda row: row.seconds,
}


def state_counts(run: RunPages) -> Mapping[str, int]:
    """Return how many units are in each state."""
    found: dict[str, int] = {}
    for row in run.rows:
        found[row.state] = found.get(row.state, 0) + 1
    return dict(sorted(found.items()))


def run_commands(directory: Path) -> list[tuple[str, str]]:
    """Return the commands for a whole run, each with what it does."""
    place = shlex.quote(str(directory))
    return [
        (f"retouch regenerate {place} --from-errors", "Request what has errors again"),
        (f"retouch validate {place}", "Check it again"),
    ]


def unit_commands(run: RunPages, name: str) -> list[tuple[str, str]]:
    """Return the commands for one unit, each with what it does."""
    place = shlex.quote(str(run.directory))
    found = [(f"retouch regenerate {place} --type {shlex.quote(name)}", "Request it again")]
    for file, written in sorted(run.view.history.written.items()):
        if name in written.blocks:
            path = shlex.quote(str(run.directory / file))
            found.append((f"${{EDITOR:-vi}} {path}", "Open the file"))
            found.append((f"retouch adopt {place}", "Make your edit of the file the answer"))
    found.append((f"retouch validate {place}", "Check it again"))
    return found


def with_sections(run_sections: Iterable[Section], name: str) -> list[Section]:
    """Return the recipe's sections about one unit."""
    return [replace(one, unit="") for one in run_sections if one.unit == name]


def asset(name: str) -> str:
    """Return the text of a style sheet or a script."""
    return files("retouch.report").joinpath("assets", name).read_text(encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Inline:
    """The style sheet and the script of a page that is one file."""

    style: str
    script: str

    @property
    def policy(self) -> str:
        """The content security policy that allows these two texts and nothing else."""
        sources = f"style-src '{_hash(self.style)}'; script-src '{_hash(self.script)}'"
        return f"default-src 'none'; {sources}; img-src data:; base-uri 'none'; form-action 'none'"


def inline_assets() -> Inline:
    """Return the style sheet and the script."""
    return Inline(style=asset("style.css"), script=asset("view.js"))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def render(template: str, **values: Any) -> str:
    """Return the text of a page. Every value that is no markup is made visible and escaped."""
    return _environment().get_template(template).render(**{"policy": "", "inline": None, **values})


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_made_visible,
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    environment.filters["slug"] = slug
    environment.filters["width"] = _width
    environment.filters["reason"] = _reason
    environment.filters["first_line"] = lambda text: str(text).partition("\n")[0]
    functions = cast("dict[str, Any]", environment.globals)
    functions |= {"coloured": _coloured, "colours_of": _colours, "parts_code": parts_code, "minute": _minute}
    return environment


def parts_code(text: str, name: str) -> Markup:
    """Return a file as lines with colours."""
    macros = _environment().get_template("parts.html.j2").make_module()
    return Markup(vars(macros)["code"](code_lines(text, language=language_of(name)), name))  # noqa: S704 - a macro's


def slug(text: str) -> str:
    """Return the words of a state as a class: "not accepted" is "not-accepted"."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "-" for letter in text.lower())


def _reason(why: str) -> str:
    return _REASONS.get(why, why)


def _width(cell: Cell) -> str:
    """Return the class of a cell of a table: a short one is not broken, a long one is not squeezed."""
    text = cell if isinstance(cell, str) else "".join(part.text for part in cell)
    return "short" if len(text) <= _SHORT and "\n" not in text else "long" if len(text) > _LONG else ""


def _coloured(text: str, language: str) -> Sequence[CodeLine]:
    return code_lines(text, language=language)


def _colours(rows: Iterable[Iterable[Cell]]) -> Mapping[str, int]:
    cells = (cell for row in rows for cell in row if not isinstance(cell, str))
    return colours_of(part.label for cell in cells for part in cell if part.label)


def _minute() -> str:
    return f"{now()[:16].replace('T', ' ')} UTC"


def _template(name: str) -> str:
    return files("retouch.report").joinpath("templates", name).read_text(encoding="utf-8")


def _made_visible(value: object) -> object:
    """Return a text made visible. Markup from a macro is unchanged, since its texts were escaped one by one."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

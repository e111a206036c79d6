"""Renders the report of a run: requests, replies, issues, costs, and generated files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from retouch._lib.redaction import without_keys
from retouch.engine.overview import overview
from retouch.engine.recipe import find_recipe
from retouch.engine.usage import cost_report
from retouch.errors import RetouchError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from jinja2 import Template

    from retouch.engine.directory import RunView
    from retouch.engine.overview import Overview
    from retouch.engine.recipe import Recipe, Section
    from retouch.engine.types import Attempt, Issue, Prompt

MAX_FILE_CHARS = 200_000  # per file. The complete file is in the run directory
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, kw_only=True)
class PageReport:
    """One page: its prompt, its current answer or None, its attempts, and whether an issue names it."""

    number: int
    user: str
    standing: str | None
    attempts: Sequence[Attempt]
    blamed: bool


@dataclass(frozen=True, kw_only=True)
class UnitReport:
    """One unit: its state, its issues and its pages."""

    anchor: str
    name: str
    state: str
    issues: Sequence[Issue]
    pages: Sequence[PageReport]

    @property
    def calls(self) -> int:
        """How many calls were made for the unit."""
        return sum(len(page.attempts) for page in self.pages)


async def report(view: RunView, *, recipe: Recipe[Any, Any] | None = None) -> str:
    """Return the report of a run as one HTML page without scripts and external resources.

    The sections of the recipe (by default the registered recipe of the run) are at the top. If it is not installed, or
    cannot read the run, a message replaces them and the rest of the page is shown.
    """
    seen = overview(view)
    prompts = [*view.prompts, *view.history.derived.values()]
    sections, trouble = await _sections(view, recipe)
    return _template().render(
        style=_package_file("style.css"),
        run=seen,
        bill=cost_report(seen.attempts, complete=not seen.lost_ledger),
        sections=sections,
        trouble=trouble,
        systems=list(dict.fromkeys(prompt.system for prompt in prompts if prompt.system)),
        units=_units(seen, prompts, view),
        files=_written_files(view),
        ended=max((one.at for one in seen.attempts), default=""),
    )


async def _sections(view: RunView, recipe: Recipe[Any, Any] | None) -> tuple[Sequence[Section], str]:
    from retouch.engine.verbs import read_values

    try:
        recipe = recipe or find_recipe(view.recipe)
        source, values = await read_values(recipe, view.directory)
        return list(recipe.report(source, values)), ""
    except RetouchError as error:
        return (), f"{error} {error.hint}".strip()


def _units(seen: Overview, prompts: Sequence[Prompt], view: RunView) -> list[UnitReport]:
    return [
        UnitReport(
            anchor=f"unit-{number}",
            name=unit.unit,
            state=unit.state,
            issues=unit.issues,
            pages=[_page_report(prompt, view, unit.issues) for prompt in prompts if prompt.unit == unit.unit],
        )
        for number, unit in enumerate(seen.units, 1)
    ]


def _page_report(prompt: Prompt, view: RunView, issues: Sequence[Issue]) -> PageReport:
    history = view.history
    answer = history.adopted(prompt.unit) or history.answer_to(prompt)
    return PageReport(
        number=prompt.page,
        user=prompt.user,
        standing=answer.text if answer is not None else None,
        attempts=[history.attempts[seq] for seq in history.by_page.get(prompt.key, ())],
        blamed=any(issue.page in (None, prompt.page) for issue in issues),
    )


def _written_files(view: RunView) -> Mapping[str, str]:
    """Return the files that the run wrote, as on disk now. A message replaces one that is missing or not a text."""
    return {name: _file_text(view.directory / name) for name in sorted(view.history.written)}


def _file_text(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return f"(cannot be shown: {error.__class__.__name__})"
    if len(text) > MAX_FILE_CHARS:
        return f"{text[:MAX_FILE_CHARS]}\n({len(text) - MAX_FILE_CHARS:,} characters more in the file)"
    return text


def visible(text: object) -> str:
    """Return `text` with control and bidi characters shown as code points, so that no answer can disguise the page.

    Text that looks like a key is removed.
    """
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", without_keys(str(text)))


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_made_visible
    )
    environment.filters["number"] = lambda value: f"{value:,}"
    return environment.from_string(_package_file("page.html.j2"))


def _package_file(name: str) -> str:
    return files("retouch.report").joinpath(name).read_text(encoding="utf-8")


def _made_visible(value: object) -> object:
    """Return a text made visible. Markup from a macro is unchanged, since its texts were escaped one by one."""
    return visible(value) if isinstance(value, str) and not hasattr(value, "__html__") else value

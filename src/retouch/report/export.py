"""The report: the pages of a run as one HTML file, or as files of a directory. Both can be read without a script."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from retouch.report.code import code_lines, language_of
from retouch.report.comparing import compare_page
from retouch.report.run_pages import RunPages
from retouch.report.site import (
    COLUMNS,
    STATUS_WORDS,
    Query,
    asset,
    find_rows,
    inline_assets,
    render,
    run_commands,
    state_counts,
    unit_commands,
    with_sections,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.engine.directory import RunView
    from retouch.engine.recipe import Recipe, Section
    from retouch.report.comparing import UnitPair
    from retouch.report.run_pages import UnitRow
    from retouch.report.tree import RunTree

MAX_DETAILS = 4_000_000  # characters of all units in one file; a directory has no limit
MAX_FILES = 2_000_000  # characters of all written files in one file
MAX_TEXTS = 20_000_000  # characters that a search in a directory looks at
_POLICY = (
    "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


class OneFileLinks:
    """Places in one file."""

    live = False

    def __init__(self, run: RunPages, detailed: frozenset[int]) -> None:
        self._run = run
        self._detailed = detailed

    def asset(self, name: str) -> str:
        """Raise, because the file has everything in it."""
        raise KeyError(name)

    def overview(self) -> str:
        """Return the top."""
        return "#main"

    def unit(self, row: UnitRow) -> str:
        """Return the place of the unit, or the section of details if it is not among them."""
        return f"#unit-{row.place}" if row.place in self._detailed else "#details"

    def unit_named(self, name: str) -> str:
        """Return the place of the unit of this name."""
        return next((self.unit(row) for row in self._run.rows if row.name == name), "#details")

    def file(self, name: str, line: int = 1) -> str:
        """Return the place of the file."""
        del line
        return f"#file-{self._run.files.index(name) + 1}"

    def system(self, text: str) -> str:
        """Return the place of the system prompt."""
        return _place_of(self._run, text)

    def shared(self) -> str:
        """Return the place of the shared text."""
        return "#shared"

    def hidden(self) -> Sequence[tuple[str, str]]:
        """Return nothing: a script filters the table."""
        return ()

    def pair(self, pair: UnitPair) -> str:
        """Return the place of the changes of a unit in a comparison."""
        return f"#pair-{pair.number}"


class DirectoryLinks:
    """Files of a directory: `index.html`, `units/N.html`, `files/N.html`. `up` leads from a file to the directory."""

    live = False

    def __init__(self, run: RunPages, up: str = "") -> None:
        self._run = run
        self._up = up
        self._places = {row.name: row.place for row in run.rows}

    def asset(self, name: str) -> str:
        """Return the path of a style sheet or a script."""
        return f"{self._up}assets/{name}"

    def overview(self) -> str:
        """Return the path of the overview."""
        return f"{self._up}index.html"

    def unit(self, row: UnitRow) -> str:
        """Return the path of the unit's page."""
        return f"{self._up}units/{row.place}.html"

    def unit_named(self, name: str) -> str:
        """Return the path of the page of the unit of this name."""
        return f"{self._up}units/{self._places[name]}.html"

    def file(self, name: str, line: int = 1) -> str:
        """Return the path of the file's page."""
        del line
        return f"{self._up}files/{self._run.files.index(name) + 1}.html"

    def system(self, text: str) -> str:
        """Return the place of the system prompt in the overview."""
        return f"{self.overview()}{_place_of(self._run, text)}"

    def shared(self) -> str:
        """Return the place of the shared text in the overview."""
        return f"{self.overview()}#shared"

    def hidden(self) -> Sequence[tuple[str, str]]:
        """Return nothing: a script filters the table."""
        return ()


def _place_of(run: RunPages, system: str) -> str:
    return f"#system-{list(run.systems).index(system) + 1}"


async def report(view: RunView, *, recipe: Recipe[Any, Any] | None = None) -> str:
    """Return the report of a run as one HTML page that loads nothing. Its only script searches, sorts and copies.

    The sections of the recipe (by default the registered recipe of the run) come first. If it is not installed, or
    cannot read the run, a message replaces them and the rest of the page is shown. Of a large run, units that need no
    attention may be in the table alone. `report_files` has them all.
    """
    run = RunPages(view, recipe=recipe)
    sections, trouble = await run.sections()
    bodies, detailed = _bodies(run, sections)
    links = OneFileLinks(run, detailed)
    inline = inline_assets()
    return render(
        "single.html.j2",
        inline=inline,
        policy=inline.policy,
        detailed_units=bodies,
        left_out=len(run.rows) - len(detailed),
        in_full=f"retouch report {shlex.quote(str(run.directory))} --to report/",
        shown_files=_shown_files(run),
        **overview_values(run, links, sections, trouble),
    )


def _bodies(run: RunPages, sections: Sequence[Section]) -> tuple[list[Markup], frozenset[int]]:
    """Return the units in detail, up to a limit, and their places. Those that need attention are first."""
    every = frozenset(row.place for row in run.rows)
    links, size = OneFileLinks(run, every), 0
    bodies: list[Markup] = []
    places: set[int] = set()
    for row in run.rows:
        if size > MAX_DETAILS:
            break
        text = render("unit_body.html.j2", heading="h2", links=links, unit=_unit(run, row.name, sections))
        bodies.append(Markup(text))  # noqa: S704 - rendered by a template
        places.add(row.place)
        size += len(text)
    return bodies, frozenset(places)


def _unit(run: RunPages, name: str, sections: Sequence[Section]) -> Any:
    return replace(run.unit(name, commands=unit_commands(run, name)), sections=with_sections(sections, name))


def _shown_files(run: RunPages) -> Iterator[tuple[str, str, str]]:
    size = 0
    for name in run.files:
        text, problem = run.file_text(name)
        size += len(text)
        yield (
            name,
            text if size <= MAX_FILES else "",
            problem or ("" if size <= MAX_FILES else "(too large to be shown here)"),
        )


def overview_values(run: RunPages, links: Any, sections: Sequence[Section] | None, trouble: str) -> dict[str, Any]:
    """Return what the templates of the overview need, for all units on one page."""
    query = Query()
    return {
        "title": f"{run.seen.recipe}: {run.name}, {run.seen.status}",
        "crumbs": (),
        "here": run.name,
        "run": run,
        "links": links,
        "sections": None if sections is None else [one for one in sections if not one.unit],
        "trouble": trouble,
        "status_words": STATUS_WORDS[run.seen.status],
        "is_running": False,
        "commands": run_commands(run.directory) if any(row.is_problem for row in run.rows) else (),
        "counts": state_counts(run),
        "columns": COLUMNS,
        "query": query,
        "found": find_rows(run, query, size=None),
    }


async def report_files(view: RunView, *, recipe: Recipe[Any, Any] | None = None) -> Mapping[str, str]:
    """Return the report of a run as the files of a directory, by their path. Open `index.html`."""
    run = RunPages(view, recipe=recipe)
    sections, trouble = await run.sections()
    found = {f"assets/{name}": asset(name) for name in ("style.css", "view.js")}
    found["assets/texts.js"] = _texts(run)
    values = overview_values(run, DirectoryLinks(run), sections, trouble)
    found["index.html"] = render("overview.html.j2", policy=_POLICY, texts="assets/texts.js", **values)
    links = DirectoryLinks(run, "../")
    shared = {"links": links, "policy": _POLICY, "crumbs": [(run.name, links.overview())]}
    for row in run.rows:
        unit = _unit(run, row.name, sections)
        title = f"{row.name}: {row.state}"
        found[f"units/{row.place}.html"] = render(
            "unit.html.j2", title=title, here=row.name, heading="h1", unit=unit, **shared
        )
    for number, name in enumerate(run.files, 1):
        text, problem = run.file_text(name)
        found[f"files/{number}.html"] = render(
            "file.html.j2",
            title=name,
            here=name,
            name=name,
            problem=problem,
            lines=code_lines(text, language=language_of(name)),
            command=f"${{EDITOR:-vi}} {shlex.quote(str(run.directory / name))}",
            **shared,
        )
    return found


class _TreeLinks:
    """Places of the reports of runs, seen from the page of their tree."""

    live = False

    def __init__(self, reports: Mapping[str, str]) -> None:
        self._reports = reports

    def asset(self, name: str) -> str:
        """Raise, because the file has everything in it."""
        raise KeyError(name)

    def run(self, name: str) -> str:
        """Return the address of a run's report."""
        return self._reports[name]


def tree_report(tree: RunTree, reports: Mapping[str, str]) -> str:
    """Return the table of several runs as one HTML page. `reports` are the addresses of their reports by name."""
    inline = inline_assets()
    lines = [replace(line, is_here=line.name in reports) for line in tree.lines]
    return render(
        "tree.html.j2",
        title=tree.name,
        crumbs=(),
        here=tree.name,
        links=_TreeLinks(reports),
        tree=replace(tree, lines=lines),
        inline=inline,
        policy=inline.policy,
    )


def comparison(view: RunView, other: RunView) -> str:
    """Return the comparison of two runs as one HTML page."""
    a, b = (RunPages(one, shown=str(one.directory)) for one in (view, other))
    inline = inline_assets()
    links = OneFileLinks(a, frozenset())
    return compare_page(a, b, links=links, crumbs=(), inline=inline, policy=inline.policy)


def _texts(run: RunPages) -> str:
    """Return a script with the texts of the units, which the search loads when it is used."""
    texts: dict[str, str] = {}
    size = 0
    for row in run.rows:
        text = "\n".join(run.searched(row))
        size += len(text)
        if size > MAX_TEXTS:
            break
        texts[row.name] = text
    return f"window.retouchTexts = {json.dumps(texts)};\n"

"""Runs of every kind, and the addresses of every kind of page about them: for the browser, axe-core and pictures."""

from __future__ import annotations

import json
from contextlib import ExitStack, chdir, contextmanager
from typing import TYPE_CHECKING
from urllib.parse import quote

from click.testing import CliRunner

from retouch.cli.jobs import status_of_job
from retouch.cli.root import command
from retouch.engine.directory import open_run
from retouch.view.runs import RunStore
from tests.view.browser import served

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping
    from pathlib import Path

RECIPES = ("chisel", "csharp", "edit", "extract", "policy", "rule")
_FAULTY = "faulty:offline?rate=0.6&seed=7&heal=0.5"
_ORDER = {"type": "object", "properties": {"article": {"type": "string"}}, "required": ["article"]}


def retouch(*words: str) -> None:
    """Run a command in this process. It may end with errors in answers, and not as misuse."""
    done = CliRunner().invoke(command, [*words])
    assert done.exit_code in (0, 1, 3), done.output


def make_every_kind(place: Path) -> None:
    """Make a fleet, a job and an evaluation next to the runs of `retouch demo` in `place`, and their reports."""
    rows = [{"id": f"o{number}", "article": f"lamp {number}"} for number in range(6)]
    lines = "".join(json.dumps(row) + "\n" for row in rows) + '{"id": "wrong", "article": 7}\n'
    (place / "rows.jsonl").write_text(lines, encoding="utf-8")
    (place / "schema.json").write_text(json.dumps(_ORDER), encoding="utf-8")
    (place / "shared.json").write_text(json.dumps({"schema": _ORDER}), encoding="utf-8")
    with chdir(place):
        job = ("extract", "rows.jsonl", "--schema", "schema.json", "--key", "id", "-o", "job", "--model", _FAULTY)
        retouch(*job, "--shard-size", "3", "--quiet")
        retouch("fleet", "run", "extract", "rows.jsonl", "-o", "fleet", "--shared", "shared.json", "--quiet")
        paths = "demo/inputs/rule/paths.txt"
        retouch("eval", "rule", paths, "--models", f"offline,{_FAULTY}", "-o", "evaluation", "--quiet")
        for recipe in RECIPES:
            retouch("report", f"demo/{recipe}", "--to", f"reports/{recipe}.html")
        retouch("report", "demo/csharp", "--to", "reports/csharp/")
        for tree in ("demo", "fleet", "evaluation"):
            retouch("report", tree, "--to", f"reports/of-{tree}.html")
        runs = sorted(one.parent for one in place.glob("evaluation/*/*/*/ir.json"))
        retouch("report", str(runs[0]), "--compare", str(runs[1]), "--to", "reports/compared.html")


def files(place: Path) -> Mapping[str, str]:
    """Return the addresses of pages that are files, by a name."""
    inner = [f"csharp/{name}" for name in ("index.html", "units/1.html", "files/1.html")]
    names = [*sorted((place / "reports").glob("*.html")), *(place / "reports" / name for name in inner)]
    names.append(place / "job" / "report.html")
    return {one.relative_to(place).as_posix(): one.as_uri() for one in names}


@contextmanager
def live_pages(place: Path) -> Generator[Mapping[str, Mapping[str, str]]]:
    """Serve every kind of directory. Yield the pages of each, by a name; the first opens the session."""
    found: dict[str, dict[str, str]] = {}
    with ExitStack() as stack:
        for tree in ("demo", "job", "fleet", "evaluation"):
            address = stack.enter_context(served(RunStore(place / tree, overall=status_of_job)))
            base = address.partition("?")[0]
            found[tree] = {tree: address, **{f"{tree}-{name}": base + path for name, path in _paths(place, tree)}}
        yield found


def _paths(place: Path, tree: str) -> Generator[tuple[str, str]]:
    if tree == "evaluation":
        a, b = sorted(one.parent.relative_to(place / tree) for one in (place / tree).glob("*/*/*/ir.json"))
        yield "compare", f"compare?a={quote(str(a))}&b={quote(str(b))}"
    if tree == "demo":
        yield "missing", "run?run=nothing"
        yield "compare", "compare?a=csharp&b=extract"
        for recipe in RECIPES:
            view = open_run(place / tree / recipe)
            yield recipe, f"run?run={recipe}"
            yield f"{recipe}-sections", f"sections?run={recipe}"
            yield f"{recipe}-unit", f"unit?run={recipe}&unit={quote(view.prompts[0].unit)}"
            if files_of_run := sorted(view.history.written):
                yield f"{recipe}-file", f"file?run={recipe}&file={quote(files_of_run[0])}"

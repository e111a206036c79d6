"""Run directories that version 1 wrote: this version opens, reports, validates and resumes them.

They lie in tests/golden/version_1, with their ledgers: csharp runs that are complete, repaired, exhausted, interrupted
and adopted, and one run of every other recipe.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import retouch as library
from retouch.engine.directory import load_ir, open_run
from retouch.testing import scripted

if TYPE_CHECKING:
    from tests.cli.conftest import Retouch

RUNS = Path(__file__).resolve().parents[1] / "golden" / "version_1"
COMPLETE = ("chisel", "csharp", "csharp-adopted", "csharp-repaired", "edit", "policy", "rule")
RESUMABLE = ("csharp", "csharp-adopted", "csharp-repaired", "policy", "rule")  # the others name a workspace or a model
ALL = sorted((*COMPLETE, "csharp-exhausted", "csharp-interrupted"))
STATUSES = {"csharp-exhausted": "exhausted", "csharp-interrupted": "incomplete"}
WRITTEN_ANEW = {"policy", "chisel"}  # a policy file has more keys by now, a patch says whether it was proved
GENERATED = ("prompts.json", "pages.json", "ir.json", "ledger.db")


@pytest.fixture(params=ALL)
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of one run."""
    return copied(request.param, tmp_path)


def copied(name: str, place: Path) -> Path:
    return Path(shutil.copytree(RUNS / name, place / name))


def rows_of(directory: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(directory / "ledger.db")) as database:
        return database.execute("SELECT seq, kind, attempt, unit, at, data FROM events ORDER BY seq").fetchall()


def files_of(directory: Path) -> dict[str, bytes]:
    """Return the generated files: they are not the run's own JSON files and its ledger."""
    paths = [path for path in directory.rglob("*") if path.is_file() and not path.name.startswith((".", *GENERATED))]
    return {str(path.relative_to(directory)): path.read_bytes() for path in paths}


def source_of(directory: Path) -> dict[str, Any]:
    return json.loads((directory / "ir.json").read_bytes())["source"]


def expect_kept(directory: Path) -> None:
    """Make sure that whatever version 1 stored is still there: rows, prompts, source, and generated files."""
    before = RUNS / directory.name
    rows = rows_of(before)
    assert rows == rows_of(directory)[: len(rows)]
    assert (before / "prompts.json").read_bytes() == (directory / "prompts.json").read_bytes()
    assert source_of(before).items() <= source_of(directory).items()  # a later version may add keys
    if directory.name in WRITTEN_ANEW:
        assert files_of(before).keys() <= files_of(directory).keys()
    else:
        assert files_of(before).items() <= files_of(directory).items()


def test_every_run_of_version_1_is_among_the_tested() -> None:
    assert ALL == sorted(path.name for path in RUNS.iterdir())


@pytest.mark.slow
def test_a_run_of_version_1_is_shown_and_changed_by_nothing_that_reads_it(run: Path, retouch: Retouch) -> None:
    shown = json.loads(retouch("show", str(run), "--json").stdout)
    assert (STATUSES.get(run.name, "unverified"), run.name.partition("-")[0]) == (shown["status"], shown["recipe"])
    assert {row["unit"] for row in shown["units"]} == {prompt.unit for prompt in open_run(run).prompts}
    assert 0 == retouch("show", str(run), "--cost").exit_code
    done = retouch("report", str(run), "--to", str(run.parent / "page.html"))
    assert 0 == done.exit_code, done.output
    assert "</html>" in (run.parent / "page.html").read_text(encoding="utf-8")
    expect_kept(run)
    assert (rows_of(RUNS / run.name), files_of(RUNS / run.name)) == (rows_of(run), files_of(run))
    assert (RUNS / run.name / "ir.json").read_bytes() == (run / "ir.json").read_bytes()


def test_a_run_of_version_1_is_validated(run: Path, retouch: Retouch) -> None:
    done = retouch("validate", str(run), "--json")
    result = json.loads(done.stdout)
    expected = (STATUSES[run.name],) if run.name in STATUSES else ("verified", "unverified")
    assert result["status"] in expected, done.output
    # the workspace of the chisel run is gone, so the check that its command asked for could not judge
    assert {"csharp-exhausted": 3, "csharp-interrupted": 1, "chisel": 1}.get(run.name, 0) == done.exit_code
    expect_kept(run)


@pytest.mark.parametrize("name", COMPLETE)
def test_a_complete_run_of_version_1_is_generated_again_without_a_call(name: str, tmp_path: Path) -> None:
    run = copied(name, tmp_path)
    recipe = library.find_recipe(name.partition("-")[0])
    options = library.RunOptions(ignore_stale=True, compiler="none")
    result = library.generate(recipe, load_ir(run, recipe).source, run, scripted([]), options)
    assert (0, []) == (result.calls, [issue for issue in result.issues if issue.is_failure])
    expect_kept(run)


@pytest.mark.parametrize("name", RESUMABLE)
def test_a_complete_run_of_version_1_is_resumed_without_a_call(name: str, tmp_path: Path, retouch: Retouch) -> None:
    run = copied(name, tmp_path)
    done = retouch("resume", str(run), "--json")
    assert (0, 0) == (done.exit_code, json.loads(done.stdout)["calls"]), done.output
    expect_kept(run)


def test_an_interrupted_run_of_version_1_is_resumed_with_calls_for_what_is_missing_alone(
    tmp_path: Path, retouch: Retouch
) -> None:
    run = copied("csharp-interrupted", tmp_path)
    missing = [row for row in json.loads((run / "pages.json").read_bytes())["pages"] if row["output"] is None]
    done = retouch("resume", str(run), "--json")
    result = json.loads(done.stdout)
    assert (3, len(missing), 0) == (len(missing), result["calls"], done.exit_code), done.output
    assert files_of(RUNS / "csharp") == files_of(run)
    expect_kept(run)


def test_an_exhausted_run_of_version_1_is_repaired_from_its_errors(tmp_path: Path, retouch: Retouch) -> None:
    run = copied("csharp-exhausted", tmp_path)
    done = retouch("regenerate", str(run), "--from-errors", "--model", "offline", "--compiler", "none", "--json")
    assert (0, "unverified") == (done.exit_code, json.loads(done.stdout)["status"]), done.output
    rows = rows_of(RUNS / run.name)
    assert rows == rows_of(run)[: len(rows)]

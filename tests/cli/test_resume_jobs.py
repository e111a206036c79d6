"""An interrupted run of each job, resumed: it ends as the command that began it would have ended."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.recipe import find_recipe
from retouch.models.offline import offline
from retouch.testing import model_server
from tests.recipes.chisel.scenes import RIGHT, UNKNOWN, carry
from tests.recipes.policy.commands.test_generate_policy import BASE, TEXT, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from retouch.testing import ModelServer
    from tests.recipes.chisel.chisel_desk import Desk

    Retouch = Callable[..., Result]
    Point = Callable[[ModelServer], None]

MODEL = ("--model", "anthropic:claude-haiku-4-5")
STOPPED = (*MODEL, "--max-cost-more", "0", "-o", "run")
CODE = "def load(path):\n    return path\n"
EDIT = ("generate", "edit", "app.py", "--request", "rename load to read")


def serving(job: str) -> ModelServer:
    """A server that answers the prompts of a job as its offline model does."""
    rule = find_recipe(job).offline
    assert rule is not None
    return model_server(offline(rule))


@pytest.fixture(autouse=True)
def own_folders(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with a file in it, and a person's other folders inside it."""
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(work_folder / name.lower()))
    (work_folder / "app.py").write_text(CODE, encoding="utf-8")
    return work_folder


def resumed(retouch: Retouch, *more: str) -> dict[str, Any]:
    done = retouch("resume", "run", "--json", *more)
    assert 0 == done.exit_code, done.output
    return json.loads(done.stdout)


def test_an_edit_is_written_into_the_originals(work_folder: Path, retouch: Retouch, point: Point) -> None:
    with serving("edit") as server:
        point(server)
        assert 3 == retouch(*EDIT, *STOPPED).exit_code
        found = resumed(retouch)
        assert (["app.py"], CODE.replace("load", "read")) == (found["applied"], (work_folder / "app.py").read_text())
        again = resumed(retouch)
        assert ([], 0, 1) == (again["applied"], again["calls"], len(server.calls))


def test_an_edit_that_was_not_to_be_written_is_not(work_folder: Path, retouch: Retouch, point: Point) -> None:
    with serving("edit") as server:
        point(server)
        retouch(*EDIT, "--no-apply", *STOPPED)
        found = resumed(retouch)
    assert ([], [], CODE) == (found["applied"], found["notes"], (work_folder / "app.py").read_text())
    assert "+def read(path):" in (work_folder / "run" / "changes.diff").read_text()


def test_an_original_that_changed_meanwhile_is_not_written_over(
    work_folder: Path, retouch: Retouch, point: Point
) -> None:
    with serving("edit") as server:
        point(server)
        retouch(*EDIT, *STOPPED)
        (work_folder / "app.py").write_text("mine = 1\n", encoding="utf-8")
        refused = retouch("resume", "run")
    assert (2, "mine = 1\n") == (refused.exit_code, (work_folder / "app.py").read_text())
    assert "nothing was written: 'app.py' has changed since it was read" in refused.output


def test_a_run_that_does_not_say_how_it_ends_names_the_command_that_does(work_folder: Path, retouch: Retouch) -> None:
    import retouch as library
    from retouch.recipes.edit import edit_job, recipe

    job = edit_job(work_folder, [work_folder / "app.py"], "rename load to read")
    library.generate(recipe, job, work_folder / "run", library.open_model("offline", recipe=recipe))
    found = resumed(retouch)
    assert ([], CODE) == (found["applied"], (work_folder / "app.py").read_text())
    assert any("give the command again that made the run" in note for note in found["notes"])


def test_an_edit_is_checked_by_its_own_command_whatever_the_verb(work_folder: Path, retouch: Retouch) -> None:
    check = work_folder / "check.py"
    check.write_text("import app; app.load", encoding="utf-8")
    words = (*EDIT, "--check", "python3 check.py", "--total-retries", "0", "-o", "run")
    assert 3 == retouch(*words).exit_code
    assert CODE == (work_folder / "app.py").read_text()
    for verb in (
        ("validate", "run"),
        ("regenerate", "run", "--compare"),
        ("regenerate", "run", "--total-retries", "0"),
    ):
        said = json.loads(retouch(*verb, "--json").stdout)
        assert ["CHECK_FAILED"] == [issue["code"] for issue in said["issues"]], verb
    check.write_text("import app; app.read", encoding="utf-8")
    again = retouch("regenerate", "run")
    assert (0, CODE) == (again.exit_code, (work_folder / "app.py").read_text())
    assert "the originals are as they were: 'retouch resume run' writes them" in again.output
    assert ["app.py"] == resumed(retouch)["applied"]


def test_a_rule_becomes_a_draft(retouch: Retouch, point: Point) -> None:
    paths = [f"/srv/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 9)]
    with serving("rule") as server:
        point(server)
        assert 3 == retouch("generate", "rule", *paths, *STOPPED).exit_code
        found = resumed(retouch)
    assert ("passed", 1.0) == (found["ending"], found["coverage"])
    assert found["draft"] in retouch("rule", "drafts", "list").output


def test_a_policy_is_kept_for_later_runs(work_folder: Path, retouch: Retouch, point: Point) -> None:
    annotations = {"servers": {"filesystem": {"tools": TOOLS}}}
    for name, content in (("tools.json", annotations), ("base.json", BASE)):
        (work_folder / name).write_text(json.dumps(content), encoding="utf-8")
    (work_folder / "constitution.md").write_text(TEXT, encoding="utf-8")
    words = ("generate", "policy", "constitution.md", "--tools", "tools.json", "--base", "base.json")
    with serving("policy") as server:
        point(server)
        assert 3 == retouch(*words, *STOPPED).exit_code
        found = resumed(retouch)
        assert ([], []) == (found["failed"], found["kept"])
        calls = len(server.calls)
        other = json.loads(retouch(*words, *MODEL, "-o", "other", "--json").stdout)
        assert (["filesystem"], calls) == (other["kept"], len(server.calls))
        assert 3 == retouch(*words, *STOPPED[:-1], "again", "--no-cache").exit_code


def test_the_notes_on_a_document_are_told_again(retouch: Retouch, spec: str, point: Point) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    whole = json.loads(retouch(*words, "-o", "whole", "--json").stdout)
    with serving("csharp") as server:
        point(server)
        assert 3 == retouch(*words, *STOPPED).exit_code
        found = resumed(retouch)
    assert (whole["notes"], whole["files"]) == (found["notes"], found["files"])


@pytest.mark.slow
def test_a_fix_is_written_into_the_workspace_and_its_trials_where_they_were_to_be(desk: Desk) -> None:
    words = desk.words(
        "--apply", "--unproved", "--trials", "tried.jsonl", answers=[carry(UNKNOWN), "KILL", carry(RIGHT)]
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(desk.package), *sys.path])}
    killed = subprocess.run(
        [sys.executable, "-m", "retouch", *words], env=environment, check=False, capture_output=True
    )
    assert -9 == killed.returncode, killed.stderr
    done = desk.retouch("resume", "out/run", "--json")
    found = json.loads(done.stdout)
    assert (0, ["src/Alu.scala"], 1) == (done.exit_code, found["applied"], found["calls"])
    assert "Alu.scala::Alu" == found["candidates"][0]
    assert f"  {RIGHT}\n" in (desk.folder / "alu/src/Alu.scala").read_text()
    assert (False, True) == ((desk.folder / "out/trials.jsonl").exists(), (desk.folder / "tried.jsonl").exists())
    again = json.loads(desk.retouch("resume", "out/run", "--json").stdout)
    assert ([], 0) == (again["applied"], again["calls"])

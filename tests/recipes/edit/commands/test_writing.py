"""What happens around writing the user's files: preview, the last check, undo, git, a warning about secrets."""

from __future__ import annotations

import json
import subprocess
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

from retouch.commands import CommandRunner, RecipeCommands
from retouch.engine.options import RunOptions
from retouch.errors import BadInput
from retouch.recipes.edit import edit_job, recipe
from retouch.recipes.edit.commands.generate import finish
from retouch.testing import scripted
from tests.recipes.edit.scenes import change

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

TEXT = "def load(path):\n    return path\n"
NEW = TEXT.replace("load", "read")
EDIT = ("generate", "edit", "app.py", "--request", "rename load to read", "-o", "run")
Retouch: TypeAlias = "Callable[..., Result]"


@pytest.fixture
def folder(work_folder: Path) -> Path:
    """The current directory with one file."""
    (work_folder / "app.py").write_text(TEXT, encoding="utf-8")
    return work_folder


@pytest.fixture
def repository(folder: Path) -> Path:
    """The current directory as a git repository without uncommitted changes."""
    git(folder, "init", "-q")
    git(folder, "config", "user.email", "a@example.com")
    git(folder, "config", "user.name", "A")
    git(folder, "add", "app.py")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def app(folder: Path) -> str:
    return (folder / "app.py").read_text(encoding="utf-8")


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory outside of the project."""
    return tmp_path_factory.mktemp("outside")


@pytest.mark.usefixtures("folder")
def test_the_check_runs_once_more_on_what_was_written(outside: Path, retouch: Retouch) -> None:
    counter = outside / "counter"
    check = f"cat app.py >> {counter}"
    result = retouch(*EDIT, "--check", check, "--check-unconfined", "-o", str(outside / "run"), "--json")
    assert ("verified", ["app.py"]) == tuple(json.loads(result.stdout)[key] for key in ("status", "applied"))
    assert 2 == counter.read_text(encoding="utf-8").count("def read")  # with the change, and as written


def test_files_are_put_back_if_the_check_fails_on_what_was_written(
    folder: Path, outside: Path, retouch: Retouch
) -> None:
    counter, fails = outside / "counter", outside / "fails"
    fails.touch()
    check = f"if test -e {fails} && grep -q read {counter}; then exit 1; fi; cat app.py >> {counter}"
    result = retouch(*EDIT, "--check", check, "--check-unconfined", "-o", str(outside / "run"), "--json")
    found = json.loads(result.stdout)
    assert (1, "issues", []) == (result.exit_code, found["status"], found["applied"])
    assert "they were put back" in found["issues"][0]["message"]
    assert TEXT == app(folder)
    assert retouch("show", str(outside / "run")).stdout.startswith(
        "unverified: the check did not pass after your files were written"
    )
    fails.unlink()
    assert "verified" == json.loads(retouch("resume", str(outside / "run"), "--json").stdout)["status"]
    assert retouch("show", str(outside / "run")).stdout.startswith("verified")


def test_undo_gives_a_file_its_old_text_and_resume_the_new_one_again(folder: Path, retouch: Retouch) -> None:
    retouch(*EDIT, "-q")
    assert NEW == app(folder)
    assert {"run": "run", "undone": ["app.py"]} == json.loads(retouch("undo", "run", "--json").stdout)
    assert TEXT == app(folder)
    assert "nothing to undo" in retouch("undo", "run").stdout
    assert 0 == retouch("resume", "run", "-q").exit_code
    assert NEW == app(folder)


def test_undo_refuses_if_a_file_was_changed_since(folder: Path, retouch: Retouch) -> None:
    (folder / "b.py").write_text("load = 1\n", encoding="utf-8")
    retouch("generate", "edit", "app.py", "b.py", "--request", "rename load to read", "-o", "run", "-q")
    (folder / "b.py").write_text("read = 2\n", encoding="utf-8")
    refused = retouch("undo", "run")
    assert (2, NEW) == (refused.exit_code, app(folder))
    assert "'b.py' has changed" in refused.stderr


def test_undo_deletes_a_file_that_the_run_created(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "new.txt", "--request", 'append "x"', "-o", "run", "-q")
    assert (0, True) == (result.exit_code, (folder / "new.txt").exists()), result.output
    assert "restored new.txt" in retouch("undo", "run").stdout
    assert not (folder / "new.txt").exists()


def test_undo_of_a_run_that_wrote_nothing_does_nothing(folder: Path, retouch: Retouch) -> None:
    retouch(*EDIT, "-q", "--no-apply")
    assert "nothing to undo" in retouch("undo", "run").stdout
    (folder / "app.py").write_text("mine\n", encoding="utf-8")
    assert 2 == retouch("undo", "run").exit_code
    assert "mine\n" == app(folder)


def test_undo_is_refused_for_recipes_that_write_no_files_of_the_project() -> None:
    view: Any = SimpleNamespace(recipe="csharp")
    with pytest.raises(BadInput, match="'csharp' write no files outside"):
        RecipeCommands(recipe="csharp").undo_plan(view)


def test_a_preview_shows_the_change_and_writes_nothing_without_an_answer(folder: Path, retouch: Retouch) -> None:
    result = retouch(*EDIT, "-q", "--preview")
    assert "+def read(path):" in result.stderr
    assert "give the command again with --yes" in result.stdout
    assert TEXT == app(folder)
    again = retouch(*EDIT, "-q", "--preview", "--yes")
    assert "+def read(path):" in again.stderr
    assert (0, NEW) == (again.exit_code, app(folder))


def test_commit_commits_the_written_files_and_nothing_else(repository: Path, retouch: Retouch) -> None:
    (repository / "other.txt").write_text("x\n", encoding="utf-8")
    git(repository, "add", "other.txt")
    result = retouch(*EDIT, "-q", "--commit", "Rename load")
    assert 0 == result.exit_code, result.output
    assert "Rename load" == git(repository, "log", "-1", "--format=%s")
    assert "app.py" == git(repository, "show", "--name-only", "--format=", "HEAD")
    assert f"committed as {git(repository, 'rev-parse', '--short', 'HEAD')}" in result.stdout


def test_commit_is_refused_before_a_call_if_it_would_include_more(repository: Path, retouch: Retouch) -> None:
    (repository / "app.py").write_text(TEXT + "# mine\n", encoding="utf-8")
    refused = retouch(*EDIT, "-q", "--commit", "Rename load")
    assert (2, False) == (refused.exit_code, (repository / "run").exists())
    assert "app.py has uncommitted changes" in refused.stderr


def test_commit_outside_of_a_repository_is_refused(folder: Path, retouch: Retouch) -> None:
    refused = retouch(*EDIT, "-q", "--commit", "x")
    assert (2, TEXT) == (refused.exit_code, app(folder))
    assert "in no git repository" in refused.stderr


def test_a_hook_that_refuses_a_commit_is_quoted(repository: Path, retouch: Retouch) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.write_text("#!/bin/sh\necho no commits today >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    result = retouch(*EDIT, "-q", "--commit", "x")
    assert (2, NEW) == (result.exit_code, app(repository))
    assert "no commits today" in result.stderr


def test_uncommitted_changes_are_noticed(repository: Path, retouch: Retouch) -> None:
    assert "uncommitted" not in retouch(*EDIT, "-q", "--no-apply").stderr + retouch(*EDIT, "-q").stderr
    assert "note: uncommitted changes in app.py" in retouch(*EDIT, "-q").stderr
    assert NEW == app(repository)


def test_a_likely_secret_is_named_before_it_is_sent(folder: Path, retouch: Retouch) -> None:
    (folder / "app.py").write_text(f"{TEXT}TOKEN = 'ghp_{'a1B2' * 9}'\n", encoding="utf-8")
    recording = folder / "none.jsonl"
    recording.write_text("", encoding="utf-8")
    result = retouch(*EDIT, "-q", "--model", f"replay:{recording}")
    assert "warning: line 3 of app.py looks like a GitHub token, and is sent to the model" in result.stderr
    assert "looks like" not in retouch(*EDIT, "-q", "-o", "other").stderr.partition("error")[0]


def test_files_that_were_touched_are_written_and_undone_with_the_named_one(folder: Path, retouch: Retouch) -> None:
    (folder / "use.py").write_text("import app\napp.load(1)\n", encoding="utf-8")
    job = edit_job(folder, [folder / "app.py"], "rename load to read", may_touch=["use.py"])
    reply = change("def load(path):", "def read(path):") + "FILE: use.py\n" + change("app.load(1)", "app.read(1)")
    options = RunOptions(workspace=str(folder), ending={"apply": True})
    model, run = scripted([reply]), folder / "run"
    runner = CommandRunner(
        recipe=recipe, source=job, folder=run, model=model, options=options, silent=True, as_json=True
    )
    assert 0 == finish(runner)
    assert "import app\napp.read(1)\n" == (folder / "use.py").read_text(encoding="utf-8")
    assert NEW == app(folder)
    assert ["app.py", "use.py"] == json.loads(retouch("undo", "run", "--json").stdout)["undone"]
    assert "import app\napp.load(1)\n" == (folder / "use.py").read_text(encoding="utf-8")


def test_the_line_that_cannot_be_sent_to_a_model_is_named(folder: Path, retouch: Retouch) -> None:
    (folder / "app.py").write_bytes(b"# first\n# caf\xe9\n" + TEXT.encode())
    assert "byte" not in retouch(*EDIT, "-q", "--no-apply").stderr
    said = retouch(*EDIT, "-q", "--no-apply", "--model", "faulty:offline?rate=0").stderr
    assert "warning: line 2 of app.py has a byte that is not UTF-8" in said

"""Files that run commands without being started: asked about in a terminal, refused elsewhere, allowed by a pattern."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_terminals import RETOUCH, in_a_terminal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from tests.cli.conftest import RetouchProcess

WORKFLOW = ".github/workflows/ci.yml"
REPLY = f"FILE: {WORKFLOW}\n\n### CHANGE 1: more\nFIND:\n```\nold: 1\n```\n\nREPLACE WITH:\n```\nnew: 1\n```\n"
EDIT = ("generate", "edit", WORKFLOW, "--request", 'replace "old" with "new"', "-o", "run")


@pytest.fixture
def workflow(work_folder: Path) -> Path:
    """A workflow, and a reply that changes it."""
    (work_folder / "reply.md").write_text(REPLY)
    place = work_folder / WORKFLOW
    place.parent.mkdir(parents=True)
    place.write_text("old: 1\n")
    return place


def test_apply_refuses_a_workflow_without_a_terminal(workflow: Path, retouch: Callable[..., Result]):
    result = retouch("apply", "--root", ".", "--response", "reply.md", "--json")
    found = json.loads(result.stdout)
    assert (1, "refused", "executable") == (result.exit_code, found["outcome"], found["error"])
    assert "--allow-executable '.github/workflows/ci.yml'" in found["issues"][-1]["fix"]
    assert "old: 1\n" == workflow.read_text()


def test_a_dry_run_warns_of_a_workflow_and_is_no_refusal(workflow: Path, retouch: Callable[..., Result]):
    result = retouch("apply", "--root", ".", "--response", "reply.md", "--dry-run")
    assert (0, True) == (
        result.exit_code,
        "warning [executable] '.github/workflows/ci.yml': a CI service" in result.stderr,
    )
    assert "old: 1\n" == workflow.read_text()


@pytest.mark.parametrize("pattern", [WORKFLOW, ".github/**", "*.yml"])
def test_apply_writes_what_a_pattern_allows(workflow: Path, retouch: Callable[..., Result], pattern: str):
    result = retouch("apply", "--root", ".", "--response", "reply.md", "--allow-executable", pattern)
    assert (0, "new: 1\n") == (result.exit_code, workflow.read_text()), result.output


@pytest.mark.parametrize(("typed", "status", "text"), [(b"n\n", 1, "old: 1\n"), (b"y\n", 0, "new: 1\n")])
def test_apply_asks_in_a_terminal(workflow: Path, typed: bytes, status: int, text: str):
    words = [*RETOUCH, "apply", "--root", ".", "--response", "reply.md"]
    ended, shown = in_a_terminal(words, workflow.parents[2], typed=typed)
    assert (status, text) == (ended, workflow.read_text())
    assert "a CI service runs it, with the project's secrets" in shown


def test_edit_refuses_a_workflow_before_anything_is_paid_for(workflow: Path, retouch: Callable[..., Result]):
    result = retouch(*EDIT)
    assert (2, False) == (result.exit_code, (workflow.parents[2] / "run").exists())
    assert "--allow-executable '.github/workflows/ci.yml'" in result.stderr
    assert "old: 1\n" == workflow.read_text()


def test_edit_keeps_the_new_text_in_the_run_where_nothing_is_applied(workflow: Path, retouch: Callable[..., Result]):
    assert 0 == retouch(*EDIT, "--no-apply").exit_code
    assert "old: 1\n" == workflow.read_text()
    assert "new: 1\n" == (workflow.parents[2] / "run" / "files" / WORKFLOW).read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "status", "text"), [(b"n\n", 2, "old: 1\n"), (b"y\n", 0, "new: 1\n")])
def test_edit_asks_in_a_terminal(workflow: Path, typed: bytes, status: int, text: str):
    ended, shown = in_a_terminal([*RETOUCH, *EDIT], workflow.parents[2], typed=typed)
    assert (status, text) == (ended, workflow.read_text()), shown
    assert "Write it? [y/N]" in shown


@pytest.mark.slow
def test_resume_keeps_what_the_run_was_allowed(workflow: Path, retouch_process: RetouchProcess):
    assert 0 == retouch_process(*EDIT, "--allow-executable", ".github/**").returncode
    assert "new: 1\n" == workflow.read_text()
    workflow.write_text("old: 1\n")
    done = retouch_process("resume", "run")
    assert (0, "new: 1\n") == (done.returncode, workflow.read_text()), done.stderr


def test_edit_takes_no_file_of_version_control(work_folder: Path, retouch: Callable[..., Result]):
    (work_folder / ".git").mkdir()
    (work_folder / ".git" / "config").write_text("[core]\n")
    result = retouch("generate", "edit", ".git/config", "--request", 'append "x"', "--allow-executable", "**")
    assert (2, True) == (result.exit_code, "'.git/config' cannot be edited: Git runs commands" in result.stderr)


def test_edit_refuses_a_text_that_looks_different_from_what_it_is(work_folder: Path, retouch: Callable[..., Result]):
    (work_folder / "a.py").write_text("a = 1\n")
    request = 'replace "1" with "\'\u202e\'"'
    result = retouch("generate", "edit", "a.py", "--request", request, "--json", "-o", "run")
    assert (1, {"BIDI"}) == (result.exit_code, {one["code"] for one in json.loads(result.stdout)["issues"]})
    assert "a = 1\n" == (work_folder / "a.py").read_text()

"""The shell steps of the composite GitHub Action and the pre-commit hook, run for real."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

PETS = Path(__file__).parent / "cli" / "fixtures" / "pets.yaml"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with an unverified run `out/pets` and one with an error, `out/broken`."""
    top = tmp_path_factory.mktemp("checkout")
    words = [sys.executable, "-m", "retouch", "generate", "csharp", str(PETS), "GET /pets", "--compiler", "none"]
    subprocess.run([*words, "-o", "out/pets"], cwd=top, check=True, capture_output=True)
    shutil.copytree(top / "out" / "pets", top / "out" / "broken")
    next((top / "out" / "broken").glob("*.cs")).unlink()
    return top


def tools(tmp_path: Path) -> dict[str, str]:
    """An environment with `retouch` and `python` on its path, as after the installation."""
    names = tmp_path / "bin"
    names.mkdir(exist_ok=True)
    (names / "retouch").write_text(f'#!/bin/sh\nRETOUCH_COMPILER=none exec {sys.executable} -m retouch "$@"\n')
    (names / "python").write_text(f'#!/bin/sh\necho "python $*" >> "{tmp_path}/calls"\n')
    for one in names.iterdir():
        one.chmod(0o755)
    return {"PATH": f"{names}:{os.environ['PATH']}", "HOME": str(tmp_path)}


def run_action(
    project: Path, workspace: Path, tmp_path: Path, **given: str
) -> tuple[subprocess.CompletedProcess[str], str]:
    action: dict[str, Any] = yaml.safe_load((project / "action.yml").read_text())
    inputs = {name: str(one["default"]) for name, one in action["inputs"].items()} | given
    assert "composite" == action["runs"]["using"]
    summary = tmp_path / "summary.md"
    done = subprocess.CompletedProcess[str]([], 0)
    for step in action["runs"]["steps"]:
        assert "bash" == step["shell"]
        assert "${{" not in step["run"], "an input in a script would be code"
        environment = {**tools(tmp_path), "GITHUB_STEP_SUMMARY": str(summary)}
        for name, text in step["env"].items():
            environment[name] = inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        done = subprocess.run(words, cwd=workspace, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            break
    return done, summary.read_text() if summary.exists() else ""


def test_the_action_fails_for_a_run_that_was_not_checked_and_says_why(
    project: Path, workspace: Path, tmp_path: Path
) -> None:
    done, summary = run_action(project, workspace, tmp_path, runs="out/pets\n")
    assert 1 == done.returncode, done.stderr
    assert "::error title=UNVERIFIED::unverified: not compiled" in done.stdout
    assert summary.startswith("```text\nunverified: ")
    assert "python -m pip install --quiet retouch\n" == (tmp_path / "calls").read_text()


def test_the_action_passes_without_strict_and_writes_sarif(project: Path, workspace: Path, tmp_path: Path) -> None:
    given = {"runs": "out/pets", "strict": "false", "package": "", "sarif": str(tmp_path / "sarif")}
    done, _ = run_action(project, workspace, tmp_path, **given)
    assert 0 == done.returncode, done.stderr
    assert '"version": "2.1.0"' in (tmp_path / "sarif" / "1.sarif").read_text()
    assert not (tmp_path / "calls").exists()


@pytest.mark.slow
def test_every_run_is_checked_and_the_worst_status_counts(project: Path, workspace: Path, tmp_path: Path) -> None:
    done, summary = run_action(project, workspace, tmp_path, runs="out/broken\n\nout/pets", strict="false")
    assert 1 == done.returncode
    assert ",title=FILE_MISSING::" in done.stdout
    assert 2 == summary.count("```text")


@pytest.mark.slow
@pytest.mark.parametrize("runs", ["", "nowhere", "$(touch hacked)", "--help", "`touch hacked`; touch hacked"])
def test_the_action_fails_for_names_that_are_no_runs(runs: str, project: Path, workspace: Path, tmp_path: Path) -> None:
    done, _ = run_action(project, workspace, tmp_path, runs=runs)
    assert 2 == done.returncode, done.stdout
    assert not (workspace / "hacked").exists()


def test_the_hook_validates_the_runs_of_its_arguments(project: Path, workspace: Path, tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((project / ".pre-commit-hooks.yaml").read_text())
    assert ("retouch-validate", "python", False) == (hook["id"], hook["language"], hook["pass_filenames"])
    words = ["sh", "-c", f'{hook["entry"]} "$@"', "hook", "out/pets"]
    done = subprocess.run(words, cwd=workspace, env=tools(tmp_path), capture_output=True, text=True, check=False)
    assert (1, True) == (done.returncode, done.stdout.startswith("unverified: not compiled")), done.stderr
    assert ["retouch", "validate", "--strict", "--quiet", "--no-write"] == shlex.split(hook["entry"])

"""What a hook or a workflow shows where nothing was checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml
from filelock import FileLock

from tests.test_action import run_action, workspace

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["workspace"]


def test_the_hook_runs_for_a_commit_that_only_deletes_files(project: Path) -> None:
    (hook,) = yaml.safe_load((project / ".pre-commit-hooks.yaml").read_text())
    assert hook["always_run"] is True  # else pre-commit skips it, since deleted files are no files to check


def test_the_action_shows_no_earlier_result_of_a_run_that_could_not_be_checked(
    project: Path, workspace: Path, tmp_path: Path
) -> None:
    with FileLock(workspace / "out" / "pets" / ".lock"):  # another command is writing
        done, summary = run_action(
            project, workspace, tmp_path, runs="out/pets\nout/broken", strict="false", sarif=str(tmp_path / "sarif")
        )
    assert 2 == done.returncode, done.stdout
    assert ["2.sarif"] == [one.name for one in (tmp_path / "sarif").iterdir()]  # of the other run
    assert "out/pets: not checked" in summary
    assert "unverified: not compiled" not in summary

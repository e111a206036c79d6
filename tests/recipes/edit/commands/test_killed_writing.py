"""A command that is killed after it has written the user's files: the next one finishes its work, and pays nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.edit.commands.test_writing import app, git
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Retouch

TEXT = "def load(path):\n    return path\n"
NEW = f"{TEXT}# more\n"


@dataclass(frozen=True, kw_only=True)
class Scene:
    """A git repository, an edit of one file in it, and a directory outside for the run and for signs.

    The check passes. If the sign `hold` exists, it waits on the files as they were written, and makes the sign `held`.
    """

    root: Path
    outside: Path

    @property
    def words(self) -> list[str]:
        """The command. A second application of its change would be seen."""
        hold, held, count = (self.outside / name for name in ("hold", "held", "count"))
        waits = f"touch {held}; while test -e {hold}; do sleep 0.05; done"
        check = f"grep -q more app.py && echo run >> {count}; if test $(wc -l < {count}) = 2; then {waits}; fi; true"
        words = ["generate", "edit", "app.py", "--request", 'append "# more"', "-q", "-o", str(self.run)]
        return [*words, "--check", check, "--check-unconfined"]

    @property
    def run(self) -> Path:
        """The run directory."""
        return self.outside / "run"

    def sign(self, name: str) -> Path:
        """Return the path of a sign."""
        return self.outside / name

    def kill(self, *more: str, at: str = "held") -> None:
        """Start the command, and kill it with SIGKILL as soon as there is the sign `at`."""
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "retouch", *self.words, *more]
        process = subprocess.Popen(command, cwd=self.root, env=environment, stdout=subprocess.DEVNULL)
        try:
            wait_until(lambda: self.sign(at).exists() or process.poll() is not None)
            assert process.poll() is None
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(MOST_S)
            self.sign("hold").unlink()


@pytest.fixture
def scene(work_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    """The repository, in which nothing is uncommitted."""
    (work_folder / "app.py").write_text(TEXT, encoding="utf-8")
    git(work_folder, "init", "-q")
    git(work_folder, "config", "user.email", "a@example.com")
    git(work_folder, "config", "user.name", "A")
    git(work_folder, "add", "app.py")
    git(work_folder, "commit", "-q", "-m", "first")
    outside = tmp_path_factory.mktemp("outside")
    for name in ("hold", "count"):
        (outside / name).touch()
    return Scene(root=work_folder, outside=outside)


def outcome(result: Any) -> tuple[int, str, int, list[str]]:
    """Return the exit status, and of the output the status, the new calls and the written files."""
    found = json.loads(result.stdout)
    return result.exit_code, found["status"], found["calls"], found["applied"]


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["generate", "resume"])
def test_after_a_kill_during_the_last_check_the_change_is_paid_and_made_once(
    scene: Scene, retouch: Retouch, verb: str
) -> None:
    scene.kill()
    assert NEW == app(scene.root)
    assert retouch("show", str(scene.run)).stdout.startswith("unverified: the command ended while it wrote")
    words = scene.words if verb == "generate" else ["resume", str(scene.run), "-q"]
    result = retouch(*words, "--json")
    assert (0, "verified", 0, ["app.py"]) == outcome(result)
    assert "put back app.py" in result.stderr
    assert NEW == app(scene.root)
    assert 1 == json.loads(retouch("show", str(scene.run), "--json").stdout)["calls"]
    retouch("undo", str(scene.run))
    assert TEXT == app(scene.root)


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["generate", "resume"])
def test_after_a_kill_during_the_last_check_the_commit_is_made(scene: Scene, retouch: Retouch, verb: str) -> None:
    scene.kill("--commit", "Add more")
    words = [*scene.words, "--commit", "Add more"] if verb == "generate" else ["resume", str(scene.run), "-q"]
    assert (0, "verified", 0, ["app.py"]) == outcome(retouch(*words, "--json"))
    assert ["Add more", "first"] == git(scene.root, "log", "--format=%s").split("\n")
    assert ("", NEW) == (git(scene.root, "status", "--porcelain"), app(scene.root))


@pytest.mark.slow
@pytest.mark.parametrize("hook", ["pre-commit", "post-commit"])
@pytest.mark.parametrize("verb", ["generate", "resume"])
def test_after_a_kill_during_the_commit_there_is_one_commit(
    scene: Scene, retouch: Retouch, verb: str, hook: str
) -> None:
    script, ended = scene.root / ".git" / "hooks" / hook, scene.sign("ended")
    script.write_text(
        f"#!/bin/sh\ntouch {scene.sign('hook')}\n"
        f"while test -e {scene.sign('hold')}; do sleep 0.05; done\ntouch {ended}\n"
    )
    script.chmod(0o755)
    scene.sign("count").write_text("run\n" * 5)  # so that the check does not wait
    scene.kill("--commit", "Add more", at="hook")
    wait_until(lambda: ended.exists() and len(git(scene.root, "log", "--format=%s").split("\n")) == 2)
    wait_until(lambda: not (scene.root / ".git" / "index.lock").exists())
    words = [*scene.words, "--commit", "Add more"] if verb == "generate" else ["resume", str(scene.run), "-q"]
    assert (0, "verified", 0, ["app.py"]) == outcome(retouch(*words, "--json"))
    assert ["Add more", "first"] == git(scene.root, "log", "--format=%s").split("\n")
    assert ("", NEW) == (git(scene.root, "status", "--porcelain"), app(scene.root))


@pytest.mark.slow
def test_a_file_that_was_changed_after_the_kill_is_not_overwritten_and_nothing_is_paid(
    scene: Scene, retouch: Retouch
) -> None:
    scene.kill()
    (scene.root / "app.py").write_text("mine\n", encoding="utf-8")
    for words in (scene.words, ["resume", str(scene.run), "-q"]):
        refused = retouch(*words)
        assert (2, "mine\n") == (refused.exit_code, app(scene.root))
        assert "'app.py' was changed after a command of" in refused.stderr
    assert 1 == json.loads(retouch("show", str(scene.run), "--json").stdout)["calls"]


@pytest.mark.slow
def test_a_change_that_the_user_took_back_after_the_kill_is_made_again_without_a_call(
    scene: Scene, retouch: Retouch
) -> None:
    scene.kill()
    retouch("undo", str(scene.run))
    assert TEXT == app(scene.root)
    assert (0, "verified", 0, ["app.py"]) == outcome(retouch(*scene.words, "--json"))


@pytest.mark.slow
def test_files_are_not_put_back_while_the_command_that_checks_them_is_alive(scene: Scene, retouch: Retouch) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "retouch", *scene.words]
    process = subprocess.Popen(command, cwd=scene.root, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: scene.sign("held").exists() or process.poll() is not None)
        refused = retouch(*scene.words)
        assert (2, NEW) == (refused.exit_code, app(scene.root))
        assert "is being written by" in refused.stderr
    finally:
        scene.sign("hold").unlink()
    assert 0 == process.wait(MOST_S)
    assert NEW == app(scene.root)

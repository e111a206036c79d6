"""The command line as tests use it: in this process for speed, in a process of its own where that is the point."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import pytest
from click.testing import CliRunner, Result

from retouch.cli.root import command

if TYPE_CHECKING:
    from pathlib import Path

Retouch = Callable[..., Result]


class RetouchProcess(Protocol):
    """Runs the command line in a process of its own, in the test's folder."""

    def __call__(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(autouse=True)
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new current folder, and no settings from outside."""
    for name in [name for name in os.environ if name.startswith("RETOUCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def retouch() -> Retouch:
    """Run the command line on the words given; `input` is what a person types."""

    def run(*words: str, input: str | None = None) -> Result:  # noqa: A002 - click's word
        return CliRunner().invoke(command, list(words), input=input)

    return run


@pytest.fixture
def retouch_process(tmp_path: Path) -> RetouchProcess:
    """Run the command line in a process of its own."""

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "retouch.cli", *words],
            cwd=tmp_path,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run

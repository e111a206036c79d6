"""The example for rules: its walk-through is executed, and says what happens."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING

from click.testing import CliRunner

from retouch.cli.root import command
from tests.test_policy_example import steps

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

REFUSED = {"rule watch @new.txt": 1}


def test_the_walk_through_of_the_rule_example_says_what_happens(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    folder = tmp_path / "rule"
    shutil.copytree(project / "examples" / "rule", folder)
    monkeypatch.chdir(folder)
    wrong: list[str] = []
    done = steps((folder / "README.md").read_text(encoding="utf-8"))
    for words, shown in done:
        result = CliRunner().invoke(command, shlex.split(words))
        status = next((code for start, code in REFUSED.items() if words.startswith(start)), 0)
        wrong += [f"{words}: {result.exit_code}\n{result.output}"] if status != result.exit_code else []
        wrong += [f"{words}: no {line!r}\n{result.output}" for line in shown if line not in result.output]
    assert [] == wrong
    assert 9 == len(done)
    assert 47 == len((folder / "values.csv").read_text(encoding="utf-8").splitlines())

"""The wizard without a screen: a rule with open questions is unverified, and nothing approves it unasked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from retouch.cli.root import command

if TYPE_CHECKING:
    from click.testing import Result

MORE = [f"/srv/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 9)]
FEW = [f"/srv/in/2023-01-0{day}/G16_0{day}.csv" for day in (3, 5, 7)]


@pytest.fixture(autouse=True)
def own_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def retouch(*words: str) -> Result:
    return CliRunner().invoke(command, list(words))


def test_a_rule_with_open_questions_is_called_unverified_in_the_first_line():
    done = retouch("rule", "wizard", *FEW, "--no-tui")
    assert 0 == done.exit_code
    assert done.stdout.startswith("unverified: 4 questions are open (")
    found = json.loads(retouch("rule", "wizard", *FEW, "--json").stdout)
    assert ("unverified", 4) == (found["status"], len(found["questions"]))


@pytest.mark.parametrize("more", [(), ("--accept", "few"), ("--json",)], ids=["none", "one", "json"])
def test_yes_never_approves_a_rule_with_open_questions(more: tuple[str, ...]):
    done = retouch("rule", "wizard", *FEW, "--yes", "--rules", "mine", *more)
    assert 1 == done.exit_code
    assert "not approved: --yes approves verified rules" in done.stderr
    assert not Path("mine").exists()


def test_yes_approves_a_rule_whose_questions_are_answered():
    done = retouch("rule", "wizard", *MORE, "--yes", "--rules", "mine", "--accept", "all")
    assert 0 == done.exit_code, done.output
    assert done.stdout.startswith("verified")
    assert 1 == len(list(Path("mine").iterdir()))


def test_strict_makes_an_unverified_rule_exit_one_with_json_too():
    assert 0 == retouch("generate", "rule", *FEW, "--json", "-o", "run").exit_code
    assert 1 == retouch("generate", "rule", *FEW, "--json", "-o", "run", "--strict").exit_code
    assert 1 == retouch("generate", "rule", *FEW, "-o", "run", "--strict").exit_code

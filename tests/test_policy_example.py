"""The walk-through of the policy example says what happens."""

from __future__ import annotations

import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy import Policy, execute, read_scenarios

if TYPE_CHECKING:
    from pathlib import Path

REFUSED = {"policy diff made stricter": 1, "generate policy vague.md": 1}


def steps(page: str) -> list[tuple[str, list[str]]]:
    """Return the commands of a page in order, each with the lines that it shows."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ retouch "):
                found.append((line.removeprefix("$ retouch "), []))
            else:
                found[-1][1].append(line)
    return found


@pytest.fixture(scope="module")
def walked(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Walk through the page in a copy of the example; return the folder, and what was not as the page says."""
    folder = tmp_path_factory.mktemp("example") / "policy"
    shutil.copytree(project / "examples" / "policy", folder)
    wrong: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words, shown in steps((folder / "README.md").read_text(encoding="utf-8")):
            done = CliRunner().invoke(command, shlex.split(words))
            status = next((code for start, code in REFUSED.items() if words.startswith(start)), 0)
            wrong += [f"{words}: {done.exit_code}\n{done.output}"] if status != done.exit_code else []
            wrong += [f"{words}: no {line!r}\n{done.output}" for line in shown if line not in done.output]
    return folder, wrong


def test_the_walk_through_says_what_happens(walked: tuple[Path, list[str]], project: Path):
    assert [] == walked[1]
    assert len(steps((project / "examples" / "policy" / "README.md").read_text(encoding="utf-8"))) >= 10


def test_the_policy_of_the_example_is_proved_and_keeps_what_a_person_wrote(walked: tuple[Path, list[str]]):
    folder, _ = walked
    policy = Policy.load(folder / "made")
    stored = read_scenarios(folder / "made" / "scenarios.json")
    assert policy.verified
    assert all(one.passed for one in execute(policy, stored))
    handwritten_scenarios = {one.id for one in read_scenarios(folder / "scenarios.json")}
    assert handwritten_scenarios == {one.id for one in stored if one.source == "handwritten"}


def test_the_page_names_every_file_of_the_example(project: Path):
    folder = project / "examples" / "policy"
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert [] == [path.name for path in folder.iterdir() if path.name not in page and path.name != "README.md"]

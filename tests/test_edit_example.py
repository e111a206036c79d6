"""The walk-through of the edit example says what happens."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from tests.test_policy_example import steps

if TYPE_CHECKING:
    from pathlib import Path

REFUSED = (
    "apply --root . --response misquoted.txt",
    "apply --root . --response half.txt",
    "generate edit shop.py --request",
)


@pytest.fixture(scope="module")
def walked(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Walk through the page in a copy of the example; return the directory, and what was not as the page says."""
    folder = tmp_path_factory.mktemp("example") / "edit"
    shutil.copytree(project / "examples" / "edit", folder, ignore=shutil.ignore_patterns("__pycache__"))
    assert 1 == shop_tests(folder)
    wrong: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for words, shown in steps((folder / "README.md").read_text(encoding="utf-8")):
            done = CliRunner().invoke(command, shlex.split(words))
            wrong += (
                [f"{words}: {done.exit_code}\n{done.output}"] if words.startswith(REFUSED) != done.exit_code else []
            )
            wrong += [f"{words}: no {line!r}\n{done.output}" for line in shown if line not in done.output]
    return folder, wrong


def shop_tests(folder: Path) -> int:
    """Return the exit status of the example's own tests."""
    return subprocess.run([sys.executable, "test_shop.py"], cwd=folder, capture_output=True, check=False).returncode


def test_the_walk_through_says_what_happens(walked: tuple[Path, list[str]]):
    assert [] == walked[1]


def test_the_shop_is_fixed_and_has_lost_only_what_was_agreed_to(walked: tuple[Path, list[str]], project: Path):
    folder, _ = walked
    before = (project / "examples" / "edit" / "shop.py").read_text(encoding="utf-8")
    fixed = before.replace("            return total\n", "            return round(total * 0.9, 2)\n")
    assert fixed.replace('    currency = "EUR"\n', "") == (folder / "shop.py").read_text(encoding="utf-8")
    assert 0 == shop_tests(folder)


def test_the_page_names_every_file_of_the_example(project: Path):
    folder = project / "examples" / "edit"
    page = (folder / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in folder.iterdir() if path.is_file()}
    assert {"README.md"} == {name for name in names if f"`{name}`" not in page}

"""Every example runs, and does what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.writing.blocks import list_type_names
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path


def demo(project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(project / "examples" / "csharp" / "demo.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)


@pytest.fixture(scope="module")
def shown(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    folder = tmp_path_factory.mktemp("demo") / "out"
    return folder, demo(project, folder)


def test_the_demo_ends_with_every_endpoint_clean(shown: tuple[Path, subprocess.CompletedProcess[str]]):
    _, done = shown
    assert (0, "") == (done.returncode, done.stderr)
    assert "54 of 54 endpoints passed every check that ran" in done.stdout


def test_the_demo_shows_repairs_by_rule_and_by_the_model(shown: tuple[Path, subprocess.CompletedProcess[str]]):
    _, done = shown
    lines = re.findall(r"^[A-Z]+ /\S+ +\d+ +(\d+) +(\d+) +(\d+)  (?:un)?verified$", done.stdout, re.MULTILINE)
    assert 54 == len(lines)
    assert all(sum(int(line[column]) for line in lines) >= 5 for column in range(3))
    assert "CORRECTION REQUIRED" in done.stdout


def test_the_demo_leaves_a_run_folder_for_every_json_endpoint(
    shown: tuple[Path, subprocess.CompletedProcess[str]], project: Path
):
    folder, _ = shown
    endpoints = [each for each in list_endpoints(load_document(project / "examples/csharp/depot.yaml")) if each.json]
    made = sorted(folder.glob("*/*.cs"))
    assert len(endpoints) == len(made)
    assert sorted(each.root for each in endpoints) == sorted(path.stem for path in made)
    assert all(path.stem in list_type_names(path.read_text(encoding="utf-8")) for path in made)


def test_the_demo_runs_again_in_its_own_folder_and_in_no_other(project: Path, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "depot.yaml").write_text("kept")
    done = demo(project, tmp_path / "mine")
    assert 1 == done.returncode
    assert "has other content" in done.stderr
    assert "kept" == (tmp_path / "mine" / "depot.yaml").read_text()


def test_the_document_of_the_demo_has_enough_operations(project: Path):
    endpoints = list_endpoints(load_document(project / "examples" / "csharp" / "depot.yaml"))
    assert len(endpoints) >= 40
    assert 4 == sum(not each.json for each in endpoints)


def test_the_functions_of_a_python_repository_are_ranked_for_a_traceback(project: Path):
    command = [sys.executable, str(project / "examples" / "locate" / "demo.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST_S)
    assert (0, "") == (done.returncode, done.stderr)
    checks = done.stdout.split("\n\n")[1:]
    assert ["AssertionError", "KeyError"] == [check.partition(":")[0] for check in checks]
    assert all(re.search(r"^[123]\. .*<- the defect$", check, re.MULTILINE) for check in checks)

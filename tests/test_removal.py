"""A recipe is its directory and its entry points: without them the rest works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RECIPES = ("chisel", "csharp", "edit", "extract", "policy", "rule")
CSHARP = ["generate", "csharp", "depot.yaml", "GET /deliveries/{deliveryId}", "--compiler", "none", "-o", "run"]
EDIT = ["generate", "edit", "app.py", "--request", "rename load to read", "-o", "run"]
WITHOUT = """
import importlib, pkgutil, retouch.engine, retouch.cli, retouch.commands, retouch.recipes

for package in (retouch.engine, retouch.cli, retouch.recipes):
    for one in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)
print(retouch.recipes.__path__[0])
"""
COMMANDS = """
import contextlib, io, json, sys
from retouch.cli import main

for words in json.loads(sys.argv[1]):
    said = [io.StringIO(), io.StringIO()]
    sys.argv[1:] = words
    with contextlib.redirect_stdout(said[0]), contextlib.redirect_stderr(said[1]):
        try:
            status = main()
        except SystemExit as ended:
            status = ended.code
    print(json.dumps([status or 0, *(one.getvalue() for one in said)]))
"""


@pytest.fixture(params=RECIPES)
def removed(request: pytest.FixtureRequest) -> str:
    """The name of the recipe that is gone."""
    return request.param


@pytest.fixture
def place(removed: str, project: Path, tmp_path: Path) -> Path:
    """A directory with a copy of the installed package in which one recipe is gone."""
    place = tmp_path / "place"
    shutil.copytree(project / "src" / "retouch", place / "retouch")  # with its compiled files: they keep their times
    shutil.rmtree(place / "retouch" / "recipes" / removed)
    info = place / "retouch-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: retouch\nVersion: 0.1.0\n")
    groups = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    lines: list[str] = []
    for group, points in groups.items():
        kept = [f"{name} = {value}" for name, value in points.items() if f"recipes.{removed}" not in value]
        gone = len(points) - len(kept)
        assert gone == 1 if group in {"retouch.recipes", "retouch.commands"} else gone == 0 or group.endswith(".hidden")
        lines += [f"[{group}]", *kept, ""]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return place


def ran(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python on the copy: it comes before what is installed."""
    environment = {**os.environ, "PYTHONPATH": str(place), "RETOUCH_COMPILER": "none"}
    command = [sys.executable, *words]
    return subprocess.run(
        command, cwd=place.parent, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def said_by(place: Path, *commands: Sequence[str]) -> list[tuple[int, str, str]]:
    """Return the exit status, the output and the errors of commands, which one process carries out."""
    done = ran(place, "-c", COMMANDS, json.dumps(commands))
    assert (0, "") == (done.returncode, done.stderr)
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


@pytest.mark.slow
def test_without_a_recipe_the_others_work(removed: str, place: Path, project: Path) -> None:
    (place.parent / "app.py").write_text("def load(path):\n    return path\n")
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", place.parent)
    made = EDIT if removed == "csharp" else CSHARP
    help_of_all, recipes, *worked, unknown = said_by(
        place,
        ["--help"],
        ["recipes"],
        *(made, ["validate", "run"], ["show", "run"], ["report", "run"], ["resume", "run"]),
        ["generate", removed, "x"],
    )
    assert (0, "") == (help_of_all[0], help_of_all[2])
    groups = set(re.findall(r"^  (\w+)  ", help_of_all[1].partition("\nRecipes:\n")[2], re.MULTILINE))
    assert {"chisel", "csharp", "policy", "rule"} - {removed} <= groups
    assert removed not in groups
    assert (0, "") == (recipes[0], recipes[2])
    names = {line.split()[0] for line in recipes[1].splitlines()}
    assert set(RECIPES) - {removed} <= names
    assert removed not in names
    assert [0] * 5 == [status for status, *_ in worked], worked
    assert (2, True) == (unknown[0], f"No such command '{removed}'" in unknown[2])


@pytest.mark.slow
def test_without_a_recipe_every_other_module_can_be_imported(place: Path) -> None:
    done = ran(place, "-c", WITHOUT)
    assert (0, "") == (done.returncode, done.stderr)
    assert str(place / "retouch" / "recipes") == done.stdout.strip()

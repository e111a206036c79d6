"""A recipe is its directory and its entry points: without them the rest works."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
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


def test_without_a_recipe_the_others_work(removed: str, place: Path, project: Path) -> None:
    said = ran(place, "-m", "retouch.cli", "--help")
    assert (0, "") == (said.returncode, said.stderr)
    groups = set(re.findall(r"^  (\w+)  ", said.stdout.partition("\nRecipes:\n")[2], re.MULTILINE))
    assert {"chisel", "csharp", "policy", "rule"} - {removed} <= groups
    assert removed not in groups
    listed = ran(place, "-m", "retouch.cli", "recipes")
    assert (0, "") == (listed.returncode, listed.stderr)
    names = {line.split()[0] for line in listed.stdout.splitlines()}
    assert set(RECIPES) - {removed} <= names
    assert removed not in names
    (place.parent / "app.py").write_text("def load(path):\n    return path\n")
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", place.parent)
    words = EDIT if removed == "csharp" else CSHARP
    for one in (words, ["validate", "run"], ["show", "run"], ["report", "run"], ["resume", "run"]):
        done = ran(place, "-m", "retouch.cli", *one)
        assert 0 == done.returncode, f"{one}\n{done.stderr}"
    unknown = ran(place, "-m", "retouch.cli", "generate", removed, "x")
    assert (2, True) == (unknown.returncode, f"No such command '{removed}'" in unknown.stderr)


def test_without_a_recipe_every_other_module_can_be_imported(place: Path) -> None:
    done = ran(place, "-c", WITHOUT)
    assert (0, "") == (done.returncode, done.stderr)
    assert str(place / "retouch" / "recipes") == done.stdout.strip()

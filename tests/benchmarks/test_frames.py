"""How much of our code stands between a caller and the model: counted, not timed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

# Held as they are, so that they only go down: (functions, with bodies of classes and comprehensions, frames).
LIBRARY = (141, 210, 4)
COMMAND_LINE = (292, 596, 14)


def counted(project: Path, folder: Path, way: str) -> dict[str, Any]:
    command = [sys.executable, str(project / "benchmarks" / "frames.py"), "--count", way]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=MOST_S)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize(("way", "most"), [("library", LIBRARY), ("command line", COMMAND_LINE)])
def test_few_functions_run_before_the_first_model_call(
    way: str, most: tuple[int, int, int], project: Path, tmp_path: Path
) -> None:
    found = counted(project, tmp_path, way)
    assert [] == [
        (name, found[name], limit)
        for name, limit in zip(("functions", "with_all", "frames"), most, strict=True)
        if found[name] > limit
    ]
    assert found["functions"] == sum(found["packages"].values())
    assert {"engine", "recipes"} <= found["packages"].keys()
    assert ("cli" in found["packages"]) == (way == "command line")


@pytest.mark.slow
def test_the_part_of_the_command_line_itself_is_small(project: Path, tmp_path: Path) -> None:
    assert counted(project, tmp_path, "command line")["packages"]["cli"] <= 59

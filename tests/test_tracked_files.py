"""What may lie in the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Mapping

HOSTS = tuple(
    ".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("yarnpkg", "com"))
)


@pytest.fixture(scope="session")
def tracked(project: Path) -> Mapping[str, str]:
    """The text files that git keeps, by path; others are left out."""
    if not (project / ".git").exists() or shutil.which("git") is None:
        pytest.skip("needs git and the project's history")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, text=True, check=True).stdout
    paths = [project / name for name in listed.split("\0") if name]
    texts = {path: path.read_bytes() for path in paths if path.is_file()}
    return {
        path.relative_to(project).as_posix(): data.decode("utf-8", "replace")
        for path, data in texts.items()
        if b"\0" not in data
    }


def naming_a_registry(files: Mapping[str, str]) -> list[str]:
    return sorted(name for name, text in files.items() if any(host in text for host in HOSTS))


def naming_this_machine(files: Mapping[str, str], project: Path) -> list[str]:
    """Return the files that say where the project, what stands beside it, or the user's settings lie here."""
    beside = [str(path) for path in (project, project.parent / "shared")]
    here = [*beside, f"{Path.home()}{os.sep}."]
    return sorted(name for name, text in files.items() if any(place in text for place in here))


def test_no_file_names_a_package_registry(tracked: Mapping[str, str]):
    assert [] == naming_a_registry(tracked)
    assert ["a"] == naming_a_registry({"a": f"see https://{HOSTS[0]}/simple", "b": "see the registry"})


def test_no_file_names_a_place_on_this_machine(tracked: Mapping[str, str], project: Path):
    assert [] == naming_this_machine(tracked, project)
    wrong = {"a": f"open('{project}/x')", "b": f"{Path.home()}{os.sep}.cache", "c": f"{project.parent}/shared/data"}
    assert ["a", "b", "c"] == naming_this_machine({**wrong, "d": "../shared/data"}, project)


def test_the_pinned_packages_hold_hashes_and_no_address(project: Path):
    for file in sorted((project / "requirements").glob("*.txt")):
        text = file.read_text(encoding="utf-8")
        assert "://" not in text
        assert text.count("==") >= len(re.findall(r"^[a-z]", text, re.MULTILINE)) > 0
        assert not re.search(r"^[a-z][^\n]*[^\\]\n(?!    --hash)", text, re.MULTILINE)


def test_the_pinned_packages_of_a_run_are_those_of_development(project: Path):
    pin = re.compile(r"^([a-z][^ ;\[=]*)(?:\[[^\]]*\])?==([^ ;]+)", re.MULTILINE)  # development may need more extras
    run, dev = (set(pin.findall(_pinned(project, name))) for name in ("run", "dev"))
    assert run
    assert set() == run - dev


def _pinned(project: Path, name: str) -> str:
    return (project / "requirements" / f"{name}.txt").read_text(encoding="utf-8")


def test_what_must_be_started_can_be_started(project: Path):
    started = [project / ".ci" / "run", project / "scripts" / "install"]
    assert [] == [path for path in started if not os.access(path, os.X_OK)]


BY_NAME = {"google", "bedrock", "cedar", "cluster", "mcp", "otel", "rule"}


def test_the_extra_all_is_the_sum_of_the_extras_that_most_people_use(project: Path):
    extras = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    whole, *rest = extras["all"]
    assert {one for one in extras["rule"] if not one.startswith(("pyarrow", "fsspec"))} == set(rest)
    chosen = set(whole.removeprefix("retouch[").removesuffix("]").split(","))
    assert extras.keys() - {"all"} - BY_NAME == chosen
    page = (project / "docs" / "reference" / "installing.md").read_text(encoding="utf-8")
    assert [] == [name for name in extras if f"| `{name}` |" not in page]


def test_the_readme_names_the_two_commands_that_the_makefile_has(project: Path):
    makefile = (project / "Makefile").read_text(encoding="utf-8")
    readme = (project / "README.md").read_text(encoding="utf-8")
    for target in ("demo", "test"):
        assert f"make {target}" in readme
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)

"""The small commands: recipes, models, the compiler."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Retouch


def test_recipes_are_listed_with_a_line_each(retouch: Retouch) -> None:
    found = json.loads(retouch("recipes", "--json").stdout)["recipes"]
    assert {"name": "csharp", "about": "OpenAPI endpoint -> C# data objects"} in found
    assert all(one.keys() == {"name", "about"} and one["about"] for one in found)
    assert "csharp OpenAPI endpoint" in re.sub(" +", " ", retouch("recipes").stdout)


def test_models_are_listed_by_scheme(retouch: Retouch) -> None:
    found = json.loads(retouch("models", "--json").stdout)["models"]
    assert {"faulty", "offline", "replay"} <= {one["scheme"] for one in found}
    assert "faulty" in retouch("models").stdout


@pytest.fixture
def no_compilers(monkeypatch: pytest.MonkeyPatch, work_folder: Path) -> None:
    """Hide every program, and the folder where the compiler would be."""
    monkeypatch.setenv("PATH", str(work_folder))
    monkeypatch.setenv("RETOUCH_ROSLYN", str(work_folder / "none"))


@pytest.mark.usefixtures("no_compilers")
def test_a_machine_without_compilers_is_told_what_to_install(retouch: Retouch) -> None:
    done = retouch("compiler", "status", "--json")
    found = json.loads(done.stdout)["compilers"]
    assert 1 == done.exit_code
    assert [("dotnet", False), ("roslyn", False)] == [(one["name"], one["found"]) for one in found]
    assert all(one["next"] for one in found)
    install = retouch("compiler", "install")
    assert 2 == install.exit_code
    assert "Install Node" in install.stderr


@pytest.mark.usefixtures("no_compilers")
@pytest.mark.parametrize("words", [("GET /pets",), ("--all",)], ids=["one", "all"])
def test_a_compiler_that_was_named_and_is_not_there_is_said_before_anything_is_asked(
    words: tuple[str, ...], retouch: Retouch, spec: str, work_folder: Path
) -> None:
    done = retouch("generate", "csharp", spec, *words, "--compiler", "roslyn")
    assert (2, "") == (done.exit_code, done.stdout)
    assert "needs it" in done.stderr
    assert not (work_folder / "output").exists()


def test_regenerate_says_so_too_before_it_asks(retouch: Retouch, pets: Path, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue("no_compilers")
    assert 2 == retouch("regenerate", str(pets), "--compiler", "dotnet").exit_code
    assert 4 == json.loads(retouch("show", str(pets), "--json").stdout)["calls"]


@pytest.mark.usefixtures("no_compilers")
def test_a_tier_that_was_not_run_is_said_and_changes_no_status(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--json")
    result = json.loads(done.stdout)
    assert (0, "unverified") == (done.exit_code, result["status"])
    assert [("NOT_COMPILED", "info")] == [(issue["code"], issue["severity"]) for issue in result["issues"]]


@pytest.mark.parametrize(
    ("model", "hint"), [("oflline", "Did you mean 'offline'?"), ("claude-haiku-4-5", "Write a model as SCHEME:NAME")]
)
def test_a_model_that_is_not_known_is_met_with_the_next_step(
    model: str, hint: str, retouch: Retouch, spec: str, work_folder: Path
) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", model)
    assert (2, True) == (done.exit_code, f"next: {hint}" in done.stderr)
    assert not (work_folder / "output").exists()

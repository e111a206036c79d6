"""A status is a promise: nothing that is wrong or unchecked is called verified."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.engine.recipe import TierPlan, three_tiers
from retouch.engine.tiers import UnitFacts, status_of, tier_outcomes, tier_summaries
from retouch.engine.types import Issue, Tier
from tests.engine.conftest import Scene, always, honest

if TYPE_CHECKING:
    from pathlib import Path

ENDPOINT = "GET /deliveries/{deliveryId}"


def command(*words: str, at: Path) -> tuple[int, str]:
    """The exit status and standard output of a command."""
    ended = subprocess.run(
        [sys.executable, "-m", "retouch", *words], cwd=at, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout


@pytest.fixture(scope="module")
def delivery(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """A directory with a C# run that was not compiled."""
    place = tmp_path_factory.mktemp("delivery")
    shutil.copy(project / "examples" / "csharp" / "depot.yaml", place)
    status, _ = command("generate", "csharp", "depot.yaml", ENDPOINT, "-o", "run", "--compiler", "none", at=place)
    assert 0 == status
    return place


@pytest.fixture
def run(delivery: Path, tmp_path: Path) -> Path:
    """A copy of that run."""
    return shutil.copytree(delivery / "run", tmp_path / "run")


def test_what_was_not_compiled_is_unverified_and_the_first_line_says_so(run: Path):
    status, out = command("validate", "run", "--compiler", "none", at=run.parent)
    assert 0 == status
    assert out.splitlines()[0].startswith("unverified: not compiled (no compiler was wanted; run: retouch validate")
    assert 1 == command("validate", "run", "--compiler", "none", "--strict", at=run.parent)[0]


def test_a_missing_file_is_an_error(run: Path):
    (run / "schema.md").unlink()
    status, out = command("validate", "run", "--compiler", "none", "--json", at=run.parent)
    found = json.loads(out)
    assert (1, "issues") == (status, found["status"])
    assert "FILE_MISSING" in [issue["code"] for issue in found["issues"]]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["garbage", "", "namespace X;\npublic class Y { }\n"])
def test_a_file_that_was_overwritten_is_an_error(run: Path, text: str):
    (run / "Delivery.cs").write_text(text, encoding="utf-8")
    status, out = command("validate", "run", "--compiler", "none", "--json", at=run.parent)
    assert (1, "issues") == (status, json.loads(out)["status"])
    assert "FILE_CHANGED" in [issue["code"] for issue in json.loads(out)["issues"]]


def test_a_manual_edit_inside_a_block_is_judged_with_a_warning_and_can_be_adopted(run: Path):
    file = run / "Delivery.cs"
    file.write_text(file.read_text("utf-8").replace("public required", "public  required", 1), encoding="utf-8")
    status, out = command("validate", "run", "--compiler", "none", "--json", at=run.parent)
    assert (0, "unverified") == (status, json.loads(out)["status"])
    assert "MANUAL_EDIT" in [issue["code"] for issue in json.loads(out)["issues"] if issue["severity"] == "warning"]
    assert 0 == command("adopt", "run", "--compiler", "none", at=run.parent)[0]
    _, out = command("validate", "run", "--compiler", "none", "--json", at=run.parent)
    assert "MANUAL_EDIT" not in [issue["code"] for issue in json.loads(out)["issues"]]


def test_the_same_tiers_are_shown_by_show_and_validate(run: Path):
    _, out = command("validate", "run", "--compiler", "none", "--json", at=run.parent)
    (compiler,) = [tier for tier in json.loads(out)["tiers"] if tier["name"] == "compiler"]
    assert {"tier": 3, "name": "compiler", "passed": 0, "failed": 0, "not_run": 5} == {
        key: compiler[key] for key in ("tier", "name", "passed", "failed", "not_run")
    }
    assert compiler["why"]
    assert compiler["next"]
    shown = json.loads(command("show", "run", "--json", at=run.parent)[1])
    assert "unverified" == shown["status"]
    assert {"syntax": "passed", "schema": "passed", "compiler": "not_run"} == shown["units"][0]["tiers"]


def test_an_edit_without_a_check_is_unverified_and_with_one_verified(tmp_path: Path):
    (tmp_path / "a.py").write_text("a = 1\n", encoding="utf-8")
    words = ("generate", "edit", "a.py", "--request", 'replace "1" with "2"', "--quiet")
    status, out = command(*words, "-o", "unchecked", "--no-apply", at=tmp_path)
    assert 0 == status
    assert out.startswith("unverified: no check was given (run: retouch generate edit")
    status, out = command(*words, "-o", "checked", "--check", "grep -q 'a = ' a.py", at=tmp_path)
    assert 0 == status
    assert out.startswith("verified  ")


@pytest.mark.parametrize("check", ["true && false", "echo ok; exit 3"])
def test_a_check_that_fails_writes_nothing(tmp_path: Path, check: str):
    (tmp_path / "a.py").write_text("a = 1\n", encoding="utf-8")
    words = ("generate", "edit", "a.py", "--request", 'replace "1" with "2"', "--check", check, "--quiet")
    assert 1 == command(*words, at=tmp_path)[0]
    assert "a = 1\n" == (tmp_path / "a.py").read_text("utf-8")


def issue(unit: str, tier: int, **more: Any) -> Issue:
    return Issue(code="X", message="x", tier=Tier(tier), unit=unit, **more)


def facts(name: str, *issues: Issue, answered: bool = True) -> UnitFacts:
    return UnitFacts(name=name, group="", issues=issues, answered=answered)


@pytest.mark.parametrize(
    ("units", "expected"),
    [
        ([facts("a"), facts("b")], ["passed", "passed", "passed"]),
        ([facts("a", issue("a", 1)), facts("b")], ["failed", "not_run", "not_run"]),
        ([facts("a", issue("a", 3)), facts("b")], ["passed", "passed", "failed"]),
        ([facts("a"), facts("b", issue("b", 2))], ["passed", "passed", "not_run"]),
        ([facts("a"), facts("b", answered=False)], ["passed", "passed", "not_run"]),
        ([facts("a", answered=False)], ["not_run", "not_run", "not_run"]),
        ([facts("a", issue("a", 3, severity="info", detail={"not_run": True}))], ["passed", "passed", "not_run"]),
        ([facts("a", issue("a", 2, severity="warning"))], ["passed", "passed", "passed"]),
        ([facts("a"), facts("b", issue("b", 3, detail={"tool": True}))], ["passed", "passed", "not_run"]),
    ],
)
def test_the_outcome_of_each_tier_follows_from_issues_and_answers(units: list[UnitFacts], expected: list[str]):
    outcomes = tier_outcomes(three_tiers(None), units)
    assert expected == [outcomes["a"][name].outcome for name in ("syntax", "schema", "semantic")]


def test_a_tier_that_was_not_run_is_never_verified():
    plans = [
        TierPlan(tier=1, name="syntax"),
        TierPlan(tier=3, name="check", why="no check was given", next="retouch x"),
    ]
    outcomes = tier_outcomes(plans, [facts("a")])
    tiers = tier_summaries([(1, "syntax"), (3, "check")], outcomes.values())
    assert "unverified" == status_of(["answered"], failing=False, tiers=tiers)
    assert "verified" == status_of(["answered"], failing=False, tiers=tiers[:1])


def test_a_recipe_without_tier_three_can_be_verified(scene: Scene):
    scene.use(tiers=always(three_tiers(None)[:2]))
    result = scene.generate()
    assert ("verified", ["syntax", "schema"]) == (result.status, [tier.name for tier in result.tiers])


def test_a_file_without_blocks_that_was_changed_is_an_error_of_every_verb(scene: Scene):
    scene.use(blocks=always(()))
    scene.generate()
    (scene.folder / "glossary.txt").write_text("garbage", encoding="utf-8")
    for result in (scene.validate(), scene.generate(honest()), scene.validate(write=False)):
        assert ("issues", 1) == (result.status, result.exit_status)
        assert ["FILE_CHANGED"] == [one.code for one in result.issues if one.code.startswith("FILE")]
    assert "verified" == scene.assemble(force=True).status


def test_a_library_call_says_which_tiers_ran(tmp_path: Path, project: Path):
    from retouch.recipes.csharp import load_document, read_endpoint

    recipe = retouch.find_recipe("csharp")
    endpoint = read_endpoint(load_document(project / "examples" / "csharp" / "depot.yaml"), ENDPOINT)
    model = retouch.open_model("offline", recipe=recipe)
    options = retouch.RunOptions(compiler="none")
    result = retouch.generate(recipe, endpoint, tmp_path / "run", model, options)
    step = f"retouch validate {tmp_path / 'run'} --compiler auto"
    assert ("unverified", f"not compiled (no compiler was wanted; run: {step})") == (
        result.status,
        result.reason,
    )

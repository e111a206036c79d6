"""Ways in which a fleet could be called verified although a record is wrong, missing or unchecked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch import Issue, RunOptions, Tier
from retouch.cli.root import command
from retouch.engine.recipe import one_group
from retouch.errors import BadInput, BrokenFile
from retouch.fleet import FleetStatus, run, status
from retouch.fleet.exporting import export_records
from retouch.fleet.job import fleet_place
from retouch.fleet.shards import set_aside
from retouch.fleet.upkeep import validate_fleet
from retouch.testing import scripted
from tests.fleet.recipes import RECORDS, alone, half_checked, together, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from retouch import Recipe, Request


def fleet_of(
    directory: Path,
    recipe: Recipe[Any, Any] = together,
    records: list[dict[str, Any]] = RECORDS,
    script: Callable[[Request], str] = translated,
) -> FleetStatus:
    return run(recipe, records, directory, model=scripted(script), shard_size=3).status


def test_a_fleet_is_verified_if_every_record_is(tmp_path: Path) -> None:
    found = fleet_of(tmp_path / "fleet")
    assert ("verified", 6, 0) == (found.status, found.records["verified"], found.exit_status)


@pytest.mark.parametrize("recipe", [together, alone])
def test_one_wrong_answer_is_an_issue_of_the_fleet(recipe: Recipe[Any, Any], tmp_path: Path) -> None:
    found = fleet_of(tmp_path, recipe, script=lambda one: "<wrong>" if "word4" in one.prompt.user else translated(one))
    assert ("issues", 5, 1) == (found.status, found.records["verified"], found.records["issues"])
    assert 1 == found.exit_status


def test_a_record_for_which_the_recipe_plans_nothing_is_missing(tmp_path: Path) -> None:
    records = [*RECORDS[:5], {"id": "r5", "word": "dropped"}]
    found = fleet_of(tmp_path, records=records)
    assert ("incomplete", 1) == (found.status, found.records["missing"] - 2)
    assert found.shards["left"] == 1


@pytest.mark.parametrize("recipe", [together, alone])
def test_a_record_that_breaks_the_recipe_is_exhausted_and_the_others_are_done(
    recipe: Recipe[Any, Any], tmp_path: Path
) -> None:
    found = fleet_of(tmp_path, recipe, records=[*RECORDS[:5], {"id": "r5", "word": "poison"}])
    assert ("exhausted", 5, 1) == (found.status, found.records["verified"], found.records["exhausted"])


def test_a_check_that_did_not_run_makes_every_record_unverified(tmp_path: Path) -> None:
    found = fleet_of(tmp_path, half_checked)
    assert ("unverified", 6) == (found.status, found.records["unverified"])
    assert "6 records were not checked completely" == found.reason


def test_an_error_that_names_no_record_is_not_forgotten(tmp_path: Path) -> None:
    def check(_source: Any, values: Mapping[str, str], _options: RunOptions) -> Iterable[Issue]:
        if "r1" in values:
            yield Issue(
                code="ODD", message="two words are the same", tier=Tier.SEMANTIC, unit="r1", detail={"tool": "x"}
            )

    found = fleet_of(tmp_path, replace(together, check=check, group=one_group))
    assert ("unverified", 3) == (found.status, found.records["verified"])


@pytest.mark.parametrize("place", ["out/00001.e1.jsonl", "runs/00001.e1/words.txt", "runs/00001.e1/pages.json"])
@pytest.mark.parametrize("is_removed", [False, True])
def test_a_file_that_was_changed_since_its_commit_is_not_verified(place: str, is_removed: bool, tmp_path: Path) -> None:
    fleet_of(tmp_path)
    if is_removed:
        (tmp_path / place).unlink()
    else:
        (tmp_path / place).write_text((tmp_path / place).read_text() + " ")
    found = status(tmp_path)
    assert ("unverified", 3, (1,)) == (found.status, found.records["verified"], found.changed)


def test_answers_that_were_changed_are_not_exported(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    out = tmp_path / "out" / "00000.e1.jsonl"
    out.write_text(out.read_text().replace("word0", "WORD0"))
    with pytest.raises(BadInput, match="was changed since it was committed"):
        export_records(fleet_place(str(tmp_path)), tmp_path / "all.jsonl")
    assert not (tmp_path / "all.jsonl").exists()


def test_a_wrong_answer_that_was_written_into_a_run_is_found_by_validate(tmp_path: Path) -> None:
    fleet_of(tmp_path, alone)
    words = tmp_path / "runs" / "00001.e1" / "r4" / "words.txt"
    words.write_text("something else")
    found = validate_fleet(fleet_place(str(tmp_path)), alone, options=_options())
    assert ("issues", 5, 1) == (found.status, found.records["verified"], found.records["issues"])


def _options() -> RunOptions:
    return RunOptions()


def test_a_commit_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    (tmp_path / "commits" / "00000.json").write_text('{"shard": 1, "status": "verified"}')
    with pytest.raises(BrokenFile, match=r"commits/00000\.json"):
        status(tmp_path)


def test_a_shard_that_is_set_aside_makes_the_fleet_exhausted(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    (tmp_path / "commits" / "00001.json").unlink()
    set_aside(fleet_place(str(tmp_path)).store, 1, "3 workers have died with it")
    found = status(tmp_path)
    assert ("exhausted", 1, 3) == (found.status, found.shards["set_aside"], found.records["missing"])
    assert "set aside: 3 workers have died with it" in found.notes[0]


def test_a_fleet_that_has_not_begun_is_incomplete(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    for place in (tmp_path / "commits").iterdir():
        place.unlink()
    found = status(tmp_path)
    assert ("incomplete", 6, 1) == (found.status, found.records["missing"], found.exit_status)


def test_a_directory_of_runs_is_as_good_as_its_worst_run(tmp_path: Path) -> None:
    fleet_of(tmp_path, half_checked)
    done = CliRunner().invoke(command, ["show", str(tmp_path / "runs"), "--json"])
    assert "unverified" == json.loads(done.output)["status"]
    assert 0 == done.exit_code
    (tmp_path / "runs" / "00001.e1" / "words.txt").unlink()
    done = CliRunner().invoke(command, ["show", str(tmp_path / "runs"), "--json"])
    assert ("issues", 1) == (json.loads(done.output)["status"], done.exit_code)

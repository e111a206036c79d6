"""Records that workers die with: they are found, left out, and named; every other record is done."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.engine.options import RunOptions
from retouch.fleet import run, status
from retouch.fleet.isolating import IsolationStep
from retouch.fleet.job import fleet_place
from retouch.fleet.shards import MOST_DEATHS
from retouch.fleet.upkeep import validate_fleet
from retouch.testing import scripted
from tests.fleet.recipes import RECORDS, alone, together, translated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch import Read, Recipe
    from retouch.engine.recipe import Issues

pytestmark = [
    pytest.mark.concurrency,
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


def outcome(size: int, poison: set[int]) -> tuple[list[int], tuple[int, ...], int]:
    """Work on positions as workers do. Return what the last one has run, what was left out, and how many have died."""
    step, deaths = IsolationStep(parts=((0, size),)), 1
    step = step.after_death()
    while True:
        ran = step.kept(range(size))
        if poison & set(ran):
            deaths += 1
            step = step.after_death()
        elif step.parts:
            step = step.after_end()
        else:
            return ran, step.dead, deaths


@given(st.integers(1, 300), st.sets(st.integers(0, 299), max_size=4))
def test_halving_leaves_out_exactly_the_records_that_workers_die_with(size: int, places: set[int]) -> None:
    poison = {one for one in places if one < size}
    if not poison:
        return
    ran, dead, _ = outcome(size, poison)
    assert (sorted(poison), sorted({*range(size)} - poison)) == (sorted(dead), ran)


def test_three_records_of_a_thousand_are_found_before_the_shard_is_set_aside() -> None:
    assert outcome(1000, {0, 499, 999})[2] <= MOST_DEATHS


def deadly(recipe: Recipe[Any, Any], text: str) -> Recipe[Any, Any]:
    """A recipe that ends its process when it reads an answer with this text."""

    def read(source: Any, unit: str, pages: Sequence[str]) -> Read[Any]:
        if text in pages[0]:
            os._exit(9)
        return recipe.read(source, unit, pages)

    return replace(recipe, read=read)


def test_a_record_is_not_left_out_for_one_of_another_shard_that_ends_the_same_process(tmp_path: Path) -> None:
    records = [{"id": f"r{one}", "word": f"word{one:02}"} for one in range(24)]
    broken = deadly(deadly(deadly(together, "word03"), "word05"), "word12")
    settings: dict[str, Any] = {"workers": 2, "at_once": 4, "shard_size": 6}
    found = run(broken, records, tmp_path, model=scripted(translated), **settings).status
    assert ("exhausted", 21, 3) == (found.status, found.records["verified"], found.records["exhausted"])
    lines = [json.loads(one) for file in (tmp_path / "out").iterdir() for one in file.read_text().splitlines()]
    assert {"r3", "r5", "r12"} == {one["key"] for one in lines if one["status"] == "exhausted"}


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [together, alone], ids=["one run", "a run for each record"])
def test_a_record_that_ends_its_worker_is_exhausted_and_the_rest_of_the_shard_is_done(
    recipe: Recipe[Any, Any], tmp_path: Path
) -> None:
    broken = deadly(recipe, "word4")
    found = run(broken, RECORDS, tmp_path, model=scripted(translated), workers=2, shard_size=6).status
    assert ("exhausted", 5, 1) == (found.status, found.records["verified"], found.records["exhausted"])
    assert {"done": 1, "running": 0, "left": 0, "set_aside": 0} == found.shards
    (name,) = json.loads((tmp_path / "commits" / "00000.json").read_text())["files"]
    lines = [json.loads(one) for one in (tmp_path / name).read_text().splitlines()]
    assert [f"r{one}" for one in range(6)] == [one["key"] for one in lines]
    assert ["WORKER_DIED"] == [issue["code"] for issue in lines[4]["issues"]]
    again = validate_fleet(fleet_place(str(tmp_path)), recipe, RunOptions())
    assert ("exhausted", found.records) == (again.status, again.records)
    assert "exhausted" == status(tmp_path).status


@pytest.mark.slow
@pytest.mark.parametrize("step", ["read", "check"])
def test_a_record_whose_code_hangs_costs_its_worker_and_not_the_rest_of_the_shard(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retouch.fleet.isolating.DEATHS", 1)  # each costs the time that code may hang

    def hang(values: object) -> None:
        if "word1" in str(values):
            time.sleep(600)

    def read(source: Any, unit: str, pages: Sequence[str]) -> Read[Any]:
        hang(pages if step == "read" else "")
        return together.read(source, unit, pages)

    def check(source: Any, values: Any, options: Any) -> Issues:
        hang(values if step == "check" else "")
        return together.check(source, values, options)

    settings: dict[str, Any] = {"workers": 2, "shard_size": 2, "lease_s": 16.0, "hang_s": 2.0}
    recipe = replace(together, read=read, check=check)
    before = {*psutil.Process().children()}
    found = run(recipe, RECORDS[:2], tmp_path, model=scripted(translated), **settings).status
    assert ("exhausted", 1, 1) == (found.status, found.records["verified"], found.records["exhausted"])
    assert before == {*psutil.Process().children()}


@pytest.mark.slow
@pytest.mark.parametrize("recipe", [together, alone], ids=["one run", "a run for each record"])
def test_records_that_workers_have_died_with_are_tried_again_on_request(
    recipe: Recipe[Any, Any], tmp_path: Path
) -> None:
    settings: dict[str, Any] = {"workers": 2, "shard_size": 6}
    broken = deadly(deadly(recipe, "word4"), "word1")
    run(broken, RECORDS, tmp_path, model=scripted(translated), **settings)
    kept = scripted(translated)
    assert 2 == run(recipe, RECORDS, tmp_path, model=kept, **settings).status.records["exhausted"]
    half = run(deadly(recipe, "word1"), RECORDS, tmp_path, model=scripted(translated), retry_dead=True, **settings)
    assert ("exhausted", 5, 1) == (half.status.status, *(half.status.records[one] for one in ("verified", "exhausted")))
    whole = run(recipe, RECORDS, tmp_path, model=scripted(translated), retry_dead=True, **settings).status
    assert ("verified", 6) == (whole.status, whole.records["verified"])
    assert "verified" == validate_fleet(fleet_place(str(tmp_path)), recipe, RunOptions()).status
    (name,) = json.loads((tmp_path / "commits" / "00000.json").read_text())["files"]
    lines = [json.loads(one) for one in (tmp_path / name).read_text().splitlines()]
    assert [f"r{one}" for one in range(6)] == [one["key"] for one in lines]

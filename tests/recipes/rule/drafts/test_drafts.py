"""Drafts: created when every check passed, kept through a crash, expired after a day, approved into a file."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from retouch.errors import BadInput, BrokenFile, UnknownName
from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.drafts.approval import approve, read_extractor
from retouch.recipes.rule.drafts.store import Drafts, project_of
from retouch.recipes.rule.repairing.failures import validated
from tests.recipes.rule.rounds_scene import BROKEN, FUNCTION, NO_MATCH, PATHS, RIGHT, job, other

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.rule.drafts.draft import Draft
    from tests.recipes.rule.rounds_scene import Scene

pytestmark = pytest.mark.concurrency

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def drafts(tmp_path: Path) -> Drafts:
    return Drafts(tmp_path / "drafts")


def made(drafts: Drafts, number: int = 0, at: datetime = NOON) -> Draft:
    """Create a draft of a new rule."""
    of = job(form="either")
    return drafts.create(of, validated(of, other(RIGHT, number)).parsed, run=f"run{number}", now=at)


def test_a_draft_is_made_when_every_check_passed_and_not_before(scene: Scene) -> None:
    assert scene.begin(BROKEN, NO_MATCH, other(NO_MATCH, 2)).draft is None
    assert [] == Drafts().every()
    draft = scene.again(RIGHT).draft
    assert draft is not None
    assert [draft] == Drafts().every()
    assert re.fullmatch(r"[0-9a-f]{8}", draft.id)
    assert ("PENDING", "yaml", "x", 1.0) == (draft.state, draft.kind, draft.name, draft.coverage)


def test_drafts_are_in_the_data_directory_of_the_user(scene: Scene, data_folder: Path) -> None:
    draft = scene.begin(RIGHT).draft
    assert draft is not None
    assert [data_folder / "retouch" / "rule-drafts" / f"{draft.id}.json"] == list(data_folder.rglob("*.json"))


def test_a_run_that_is_taken_up_again_makes_no_second_draft(scene: Scene) -> None:
    assert scene.begin(RIGHT).draft == scene.begin().draft
    assert 1 == len(Drafts().every())


def test_a_draft_lives_for_a_day(drafts: Drafts) -> None:
    made(drafts)
    states = [drafts.every(now=NOON + timedelta(hours=hours))[0].state for hours in (0, 23, 24, 48)]
    assert ["PENDING", "PENDING", "EXPIRED", "EXPIRED"] == states


def test_no_draft_goes_unless_it_is_removed(drafts: Drafts) -> None:
    every = [made(drafts, number, NOON + timedelta(minutes=number)) for number in range(12)]
    assert [draft.id for draft in reversed(every)] == [draft.id for draft in drafts.every(now=NOON + timedelta(days=9))]


def test_drafts_belong_to_the_project_that_they_were_made_in(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "below").mkdir(parents=True)
    (tmp_path / "one" / "pyproject.toml").touch()
    (tmp_path / "two" / ".git").mkdir()
    one, two = (Drafts(tmp_path / "drafts", project=project_of(tmp_path / name / "below")) for name in ("one", "two"))
    first, second = made(one), made(two)
    assert [first.id] == [draft.id for draft in one.every(now=NOON)]
    assert [second.id] == [draft.id for draft in two.every(now=NOON)]
    assert {first.id, second.id} == {draft.id for draft in one.every(now=NOON, all_projects=True)}
    assert first == two.find(first.id, now=NOON)
    assert [] == two.clean(now=NOON)
    assert [second.id] == two.clean(now=NOON + timedelta(days=2))
    assert str(tmp_path / "one") == first.project


def test_a_directory_outside_of_any_project_is_one(tmp_path: Path) -> None:
    assert tmp_path == project_of(tmp_path)


CHURN = """
import sys
from pathlib import Path
from tests.recipes.rule.drafts.test_drafts import NOON, made
from retouch.recipes.rule.drafts.store import Drafts
drafts = Drafts(Path(sys.argv[1]))
kept = [made(drafts, int(sys.argv[2]) * 100 + number) for number in range(12)]
for draft in kept[::2]:
    drafts.keep(draft)
    drafts.delete(draft.id)
    drafts.every(now=NOON)
print(*(draft.id for draft in kept[1::2]))
"""


@pytest.mark.slow
def test_many_processes_list_make_and_remove_drafts_at_once(drafts: Drafts, project: Path) -> None:
    words = [sys.executable, "-c", CHURN, str(drafts.folder)]
    running = [
        subprocess.Popen([*words, str(number)], stdout=subprocess.PIPE, text=True, cwd=project) for number in range(4)
    ]
    here = Drafts(drafts.folder, project=project_of(project))
    while any(one.poll() is None for one in running):
        here.every(now=NOON)
    kept = [name for one in running for name in one.communicate()[0].split()]
    assert [0] * 4 == [one.returncode for one in running]
    assert sorted(kept) == sorted(draft.id for draft in here.every(now=NOON))
    assert 24 == len(kept)


def test_an_approved_draft_is_a_file_that_works_by_itself(drafts: Drafts, tmp_path: Path) -> None:
    draft = made(drafts)
    path = approve(drafts, drafts.find(draft.id, now=NOON), tmp_path / "rules")
    assert tmp_path / "rules" / "x0.yaml" == path
    rule = load_rule(path.read_text(encoding="utf-8"))
    assert {"mission": "mission_001"} == dict(apply_rule(rule, PATHS[0]).values)
    assert ("COMMITTED", str(path)) == ((after := drafts.find(draft.id, now=NOON)).state, after.committed_to)


def test_an_expired_or_an_approved_draft_cannot_be_approved(drafts: Drafts, tmp_path: Path) -> None:
    draft = made(drafts)
    with pytest.raises(BadInput, match="expired"):
        approve(drafts, drafts.find(draft.id, now=NOON + timedelta(days=2)), tmp_path / "rules")
    approve(drafts, drafts.find(draft.id, now=NOON), tmp_path / "rules")
    with pytest.raises(BadInput, match="already approved"):
        approve(drafts, drafts.find(draft.id, now=NOON), tmp_path / "rules")


def test_another_text_of_that_name_is_not_overwritten(drafts: Drafts, tmp_path: Path) -> None:
    (tmp_path / "x0.yaml").write_text("mine", encoding="utf-8")
    draft = drafts.find(made(drafts).id, now=NOON)
    with pytest.raises(BadInput, match="already exists"):
        approve(drafts, draft, tmp_path)
    assert "mine" == (tmp_path / "x0.yaml").read_text(encoding="utf-8")
    approve(drafts, draft, tmp_path, force=True)
    assert "mission_*" in (tmp_path / "x0.yaml").read_text(encoding="utf-8")


def test_only_the_text_that_passed_can_be_approved(drafts: Drafts, tmp_path: Path) -> None:
    draft = made(drafts)
    path = drafts.folder / f"{draft.id}.json"
    path.write_text(path.read_text(encoding="utf-8").replace("mission_*", "*"), encoding="utf-8")
    with pytest.raises(BadInput, match="not the one that passed"):
        approve(drafts, drafts.find(draft.id, now=NOON), tmp_path)


def test_a_draft_that_is_edited_waits_for_its_checks(drafts: Drafts, tmp_path: Path) -> None:
    draft = drafts.being_edited(drafts.find(made(drafts).id, now=NOON))
    assert "MANUAL_EDIT" == drafts.find(draft.id, now=NOON).state
    with pytest.raises(BadInput, match="validate"):
        approve(drafts, draft, tmp_path)
    changed = validated(draft.job, other(RIGHT, 7)).parsed
    assert ("PENDING", "x7") == ((after := drafts.edited(draft, changed)).state, after.name)
    assert approve(drafts, after, tmp_path).name == "x7.yaml"


def test_a_function_is_written_with_the_engine_that_must_run_it(drafts: Drafts, tmp_path: Path) -> None:
    pytest.importorskip("pydantic_monty")
    of = job(form="python")
    draft = drafts.create(of, validated(of, FUNCTION).parsed, now=NOON)
    path = approve(drafts, drafts.find(draft.id, now=NOON), tmp_path)
    extractor = read_extractor(path.read_text(encoding="utf-8"))
    assert draft.engine == extractor.engine
    assert re.fullmatch(r"\w+==[\w.]+", extractor.engine)
    assert draft.text == extractor.code


def test_a_function_without_its_engine_is_not_run() -> None:
    with pytest.raises(BadInput, match="does not name the engine"):
        read_extractor("def extract(path):\n    return {}\n")


def test_an_unknown_id_is_refused_with_those_that_are_there(drafts: Drafts) -> None:
    draft = made(drafts)
    for name in ("00000000", "../../etc", ""):
        with pytest.raises(UnknownName, match=draft.id):
            drafts.find(name, now=NOON)
        with pytest.raises(UnknownName):
            drafts.delete(name)


def test_a_damaged_draft_is_named_and_hides_no_other(drafts: Drafts) -> None:
    draft = made(drafts)
    (drafts.folder / "deadbeef.json").write_text('{"id": 1', encoding="utf-8")
    assert [draft.id] == [one.id for one in drafts.every(now=NOON)]
    with pytest.raises(BrokenFile, match=r"deadbeef\.json"):
        drafts.find("deadbeef", now=NOON)
    drafts.delete("deadbeef")


def test_cleaning_removes_what_expired_or_was_approved(drafts: Drafts, tmp_path: Path) -> None:
    old, approved, waiting = made(drafts, 0, NOON - timedelta(days=2)), made(drafts, 1), made(drafts, 2)
    approve(drafts, drafts.find(approved.id, now=NOON), tmp_path)
    assert {old.id, approved.id} == set(drafts.clean(now=NOON))
    assert [waiting.id] == [draft.id for draft in drafts.every(now=NOON)]


def test_a_draft_that_was_half_written_when_the_machine_stopped_is_not_there(drafts: Drafts) -> None:
    made(drafts)
    half = drafts.folder / ".deadbeef.json.0123abcd.tmp"
    half.write_text("{", encoding="utf-8")
    made(drafts, 2)
    assert half.exists()  # another process may be writing it
    os.utime(half, (0, 0))
    made(drafts, 1)
    assert not half.exists()
    assert 3 == len(drafts.every(now=NOON))

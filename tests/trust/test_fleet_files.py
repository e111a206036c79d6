"""Ways in which files of something else, or changed by hand, could become a verified record of a fleet."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch import Issue, RunOptions, Tier
from retouch.cli.root import command
from retouch.engine.recipe import one_group
from retouch.errors import BadInput, BrokenFile
from retouch.fleet import run, status, work
from retouch.fleet.api import planned_job
from retouch.fleet.exporting import export_records
from retouch.fleet.job import RecordsFile, fleet_place, split
from retouch.fleet.running import run_name
from retouch.fleet.upkeep import validate_fleet
from retouch.testing import scripted
from tests.fleet.recipes import RECORDS, alone, together, translated

GOLDEN = Path(__file__).parents[1] / "golden" / "version_1" / "csharp"

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retouch import Recipe
    from retouch.fleet import FleetStatus

OTHERS: list[dict[str, Any]] = [{**one, "word": "other"} for one in RECORDS]


def fleet_of(
    directory: Path, recipe: Recipe[Any, Any] = together, records: list[dict[str, Any]] = RECORDS
) -> FleetStatus:
    return run(recipe, records, directory, model=scripted(translated), shard_size=3).status


def validated(directory: Path, recipe: Recipe[Any, Any] = together) -> FleetStatus:
    return validate_fleet(fleet_place(str(directory)), recipe, RunOptions())


def test_records_that_were_changed_after_the_commit_are_noticed(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    given = tmp_path / "inputs" / "00001.jsonl"
    given.write_text(given.read_text().replace("word4", "other"))
    found = status(tmp_path)
    assert ("unverified", (1,)) == (found.status, found.changed)
    with pytest.raises(BrokenFile, match=r"inputs/00001\.jsonl .* was changed since the fleet was made"):
        validated(tmp_path)


def test_a_commit_that_counts_other_records_than_its_answers_is_noticed(tmp_path: Path) -> None:
    records = [{"id": 'r"0', "word": "wrong"}, *RECORDS]
    assert "issues" == fleet_of(tmp_path, records=records).status
    for commit in (tmp_path / "commits").iterdir():
        found = json.loads(commit.read_text())
        found["records"] |= {"verified": sum(found["records"].values()), "issues": 0}
        commit.write_text(json.dumps({**found, "status": "verified"}))
    forged = status(tmp_path)
    assert ("unverified", (0,), 4) == (forged.status, forged.changed, forged.records["verified"])
    export_records(fleet_place(str(tmp_path)), tmp_path / "all.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert ["issues", "unverified", "unverified"] == [one["status"] for one in rows][:3]
    assert "issues" == validated(tmp_path).status  # from the runs themselves


def test_records_that_were_changed_before_their_shard_is_run_are_not_requested(tmp_path: Path) -> None:
    place = fleet_place(str(tmp_path))
    planned_job(place, together, RECORDS, key="id", shared={}, shard_size=3)
    split(place.store, OTHERS, "id", 3)  # a second command with other records was slower
    model = scripted(translated)
    with pytest.raises(BrokenFile, match="was changed since the fleet was made"):
        run(together, RECORDS, tmp_path, model=model)
    assert [] == model.requests


@pytest.mark.parametrize("recipe", [together, alone])
def test_a_run_of_other_records_is_not_validated_as_the_run_of_a_shard(
    recipe: Recipe[Any, Any], tmp_path: Path
) -> None:
    fleet_of(tmp_path / "own", recipe)
    fleet_of(tmp_path / "other", recipe, OTHERS)
    shutil.rmtree(tmp_path / "own" / "runs" / "00001.e1")
    shutil.copytree(tmp_path / "other" / "runs" / "00001.e1", tmp_path / "own" / "runs" / "00001.e1")
    with pytest.raises(BrokenFile, match="was made from other records"):
        validated(tmp_path / "own", recipe)
    assert "unverified" == status(tmp_path / "own").status


def test_a_shard_of_another_fleet_is_not_counted(tmp_path: Path) -> None:
    fleet_of(tmp_path / "own")
    fleet_of(tmp_path / "other", records=OTHERS)
    for name in ("commits/00001.json", "out/00001.e1.jsonl", "inputs/00001.jsonl"):
        shutil.copy2(tmp_path / "other" / name, tmp_path / "own" / name)
    shutil.copytree(tmp_path / "other" / "runs", tmp_path / "own" / "runs", dirs_exist_ok=True)
    with pytest.raises(BrokenFile, match="it belongs to another fleet"):
        status(tmp_path / "own")
    with pytest.raises(BrokenFile, match="it belongs to another fleet"):
        export_records(fleet_place(str(tmp_path / "own")), tmp_path / "all.jsonl")


def test_a_commit_of_a_shard_that_does_not_exist_does_not_replace_one_that_is_missing(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    commit = json.loads((tmp_path / "commits" / "00001.json").read_bytes())
    (tmp_path / "commits" / "00001.json").unlink()
    (tmp_path / "commits" / "00007.json").write_text(json.dumps({**commit, "shard": 7}))
    with pytest.raises(BrokenFile, match=r"commits/00007\.json .* belongs to something else"):
        fleet_of(tmp_path)


@pytest.mark.parametrize(
    "change", [{"status": "verified"}, {"status": "verified", "records": {"verified": 2}}, {"records": {"verified": 9}}]
)
def test_a_commit_that_contradicts_itself_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    wrong = scripted(lambda one: "<wrong>" if "word4" in one.prompt.user else translated(one))
    assert "issues" == run(together, RECORDS, tmp_path, model=wrong, shard_size=3).status.status
    place = tmp_path / "commits" / "00001.json"
    place.write_text(json.dumps({**json.loads(place.read_bytes()), **change}))
    with pytest.raises(BrokenFile, match=r"commits/00001\.json"):
        status(tmp_path)


def test_verified_records_of_a_changed_shard_are_exported_as_unverified(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    (tmp_path / "runs" / "00001.e1" / "words.txt").write_text("something else")
    place = fleet_place(str(tmp_path))
    assert 3 == export_records(place, tmp_path / "verified.jsonl", only_verified=True)
    assert 6 == export_records(place, tmp_path / "all.jsonl")
    lines = [json.loads(one) for one in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert ["verified"] * 3 + ["unverified"] * 3 == [one["status"] for one in lines]
    done = CliRunner().invoke(command, ["fleet", "export", str(tmp_path), "-o", str(tmp_path / "x.csv"), "--strict"])
    assert 1 == done.exit_code


def test_a_requested_check_that_could_not_run_is_an_exit_status_of_the_fleet(tmp_path: Path) -> None:
    def check(_source: Any, values: Mapping[str, str], _options: RunOptions) -> Iterable[Issue]:
        for unit in values:
            yield Issue(code="ODD", message="no tool", tier=Tier.SEMANTIC, unit=unit, detail={"tool": "x"})

    found = fleet_of(tmp_path, replace(together, check=check, group=one_group))
    assert ("unverified", 1) == (found.status, found.exit_status)


@pytest.mark.parametrize("name", ["command.json", "claims/00001/e1", "aside/00001.json", "limits/0000001.json"])
def test_a_damaged_small_file_is_named(name: str, tmp_path: Path) -> None:
    fleet_of(tmp_path)
    (tmp_path / "commits" / "00001.json").unlink()
    (tmp_path / "command.json").write_text('{"max_cost_usd": 1.0}')
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text('{"x": ')
    with pytest.raises(BrokenFile, match=name.replace(".", r"\.")):
        status(tmp_path)


def test_a_shard_is_not_run_with_the_default_model_if_the_settings_are_missing(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    (tmp_path / "command.json").unlink()
    with pytest.raises(BadInput, match="no settings of a command"):
        work(tmp_path, 1, recipe=together)


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("rows.jsonl", '{"id": "a", "word": "x", "word": "y"}\n', "the name 'word' occurs twice"),
        ("rows.csv", "id,word,word\na,x,y\n", "has the column 'word' twice"),
    ],
)
def test_a_name_that_occurs_twice_in_a_record_is_refused(name: str, text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=what):
        list(RecordsFile(path=tmp_path / name))


def test_many_keys_without_latin_letters_have_runs_of_their_own() -> None:
    keys = [chr(0x4E00 + one // 500) + chr(0x4E00 + one % 500) for one in range(150_000)]
    assert len(keys) == len({run_name(one) for one in keys})


def test_a_run_without_its_source_is_not_left_out_of_a_directory_of_runs(tmp_path: Path) -> None:
    fleet_of(tmp_path)
    (tmp_path / "runs" / "00001.e1" / "ir.json").unlink()
    done = CliRunner().invoke(command, ["show", str(tmp_path / "runs")])
    assert (2, True) == (done.exit_code, "has no ir.json" in done.output)


def test_a_fleet_is_not_left_out_of_a_directory_of_runs(tmp_path: Path) -> None:
    fleet_of(tmp_path / "fleet")
    shutil.copytree(tmp_path / "fleet" / "runs" / "00000.e1", tmp_path / "run")
    (tmp_path / "fleet" / "commits" / "00001.json").unlink()
    done = CliRunner().invoke(command, ["show", str(tmp_path)])
    assert (2, True) == (done.exit_code, "is a fleet" in done.output)


def test_validate_runs_the_commands_that_the_fleet_was_run_with(tmp_path: Path) -> None:
    def check(_source: Any, values: Mapping[str, str], options: RunOptions) -> Iterable[Issue]:
        if options.commands.get("check") == "false":
            for unit in values:
                yield Issue(code="FAILED", message="the check failed", tier=Tier.SEMANTIC, unit=unit)

    checked = replace(together, check=check, group=one_group)
    found = run(checked, RECORDS, tmp_path, model=scripted(translated), commands={"check": "false"}).status
    assert "issues" == found.status
    assert "issues" == validated(tmp_path, checked).status


@pytest.mark.parametrize(
    ("marker", "content", "told"),
    [
        ("a/b/c/fleet.json", "{}", "is a fleet"),
        ("a/b/c/ir.json", "{}", "is a run deeper than"),
    ],
)
@pytest.mark.parametrize("verb", ["show", "validate"])
def test_a_tree_is_never_shown_without_a_fleet_or_a_run_that_is_deeper_in_it(
    verb: str, marker: str, content: str, told: str, tmp_path: Path
) -> None:
    done = of_tree(tmp_path, verb, marker, content)
    assert (2, True, False) == (done.exit_code, told in done.output, "verified" in done.stdout), done.output


@pytest.mark.slow
@pytest.mark.parametrize(
    ("marker", "content", "shown", "exit_status"),
    [
        ("later/job.json", '{"recipe": "extract"}', "unverified", 0),
        ("a/b/c/job.json", '{"recipe": "extract"}', "unverified", 0),
        ("a/b/c/job.json", '{"recipe": "of-nobody"}', "unverified", 0),
        ("later/evaluation.json", "{}", "incomplete", 1),
    ],
)
@pytest.mark.parametrize("verb", ["show", "validate", "regenerate"])
def test_a_job_and_an_evaluation_in_a_tree_are_a_line_with_the_status_of_their_own(
    verb: str, marker: str, content: str, shown: str, exit_status: int, tmp_path: Path
) -> None:
    done = of_tree(tmp_path, verb, marker, content)
    found = json.loads(done.stdout)
    place = str((tmp_path / "tree" / marker).parent)
    assert (shown, shown) == (found["status"], {one["run"]: one["status"] for one in found["runs"]}[place])
    assert exit_status == done.exit_code


def of_tree(tmp_path: Path, verb: str, marker: str, content: str) -> Any:
    """What a verb does for a directory with a run without errors and a file of something else."""
    shutil.copytree(GOLDEN, tmp_path / "tree" / "good")
    place = tmp_path / "tree" / marker
    place.parent.mkdir(parents=True)
    place.write_text(content)
    words = {"regenerate": ["--from-errors", "--json"]}.get(verb, ["--json"])
    return CliRunner().invoke(command, [verb, str(tmp_path / "tree"), *words])

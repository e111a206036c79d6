"""Fleets in one process: what is stored, what continues, and what the commands print."""

from __future__ import annotations

import csv
import importlib.util
import json
import secrets
import shlex
import shutil
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch import Reply
from retouch.cli.fleet import show_fleet, show_fleet_result
from retouch.cli.root import command
from retouch.engine.options import RunOptions
from retouch.engine.types import Usage
from retouch.errors import BadInput, BrokenFile, ModelError, RecipeBug, RetouchError, Throttled
from retouch.fleet import run, status, work
from retouch.fleet.api import planned_job
from retouch.fleet.disk_states import file_state
from retouch.fleet.exporting import export_records
from retouch.fleet.job import FleetJob, RecordsFile, fleet_place
from retouch.fleet.shards import dumped
from retouch.fleet.statuses import FleetStatus, costs_so_far
from retouch.fleet.upkeep import validate_fleet
from retouch.models.limits import adaptive
from retouch.models.wrappers import retrying
from retouch.testing import scripted
from tests.cli.test_help_examples import understood
from tests.fleet.recipes import RECORDS, alone, together, translated

if TYPE_CHECKING:
    from pathlib import Path

    from retouch import Request

_SEEN = ("verified", "exhausted")
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def test_a_shard_is_one_run_if_the_recipe_can_join_records(tmp_path: Path) -> None:
    run(together, RECORDS, tmp_path, model=scripted(translated), shard_size=4, shared={"language": "de"})
    assert ["00000.e1", "00001.e1"] == sorted(one.name for one in (tmp_path / "runs").glob("0*"))
    lines = [json.loads(one) for one in (tmp_path / "out" / "00001.e1.jsonl").read_text().splitlines()]
    assert [("r4", "<de: word4>"), ("r5", "<de: word5>")] == [(one["key"], one["value"]) for one in lines]


def test_each_record_is_a_run_of_its_own_otherwise(tmp_path: Path) -> None:
    found = run(alone, RECORDS, tmp_path, model=scripted(translated), shard_size=4).status
    assert ("verified", 2, 6) == (found.status, found.shards["done"], found.usage.calls)
    assert "word=<fr: word4>\n" == (tmp_path / "runs" / "00001.e1" / "r4" / "words.txt").read_text()
    line = json.loads((tmp_path / "out" / "00001.e1.jsonl").read_text().splitlines()[0])
    assert {"key": "r4", "status": "verified", "value": None, "run": "r4", "files": ["words.txt"]} == line


def test_keys_that_are_no_names_of_directories_get_different_ones(tmp_path: Path) -> None:
    records = [{"id": one, "word": "x"} for one in ("a/b", "a_b", "../../a", "A" * 300, "")][:4]
    found = run(alone, records, tmp_path, model=scripted(translated)).status
    assert 4 == found.records["verified"]
    names = sorted(one.name for one in (tmp_path / "runs" / "00000.e1").iterdir() if one.is_dir())
    assert 4 == len(names)
    assert all("/" not in one and len(one) < 100 for one in names)


def test_a_finished_fleet_calls_nothing_again(tmp_path: Path) -> None:
    run(together, RECORDS, tmp_path, model=scripted(translated))
    again = scripted([])
    assert "verified" == run(together, RECORDS, tmp_path, model=again).status.status
    assert [] == again.requests


def test_a_model_that_cannot_answer_stops_the_fleet_and_the_next_command_continues(tmp_path: Path) -> None:
    broken = scripted([translated_text("r0"), ModelError("no such key", hint="Set it.")] + ["<x>"] * 9)
    with pytest.raises(ModelError, match="no such key"):
        run(together, RECORDS, tmp_path, model=broken, shard_size=2, concurrency=1)
    model = scripted(translated)
    assert "verified" == run(together, RECORDS, tmp_path, model=model, shard_size=2).status.status
    assert 5 == len(model.requests)


def translated_text(_key: str) -> str:
    return "<fr: word0>"


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"records": RECORDS[:5]}, "other records"),
        ({"shared": {"language": "de"}}, "other shared settings"),
        ({"key": "word"}, "other records"),
    ],
)
def test_a_fleet_with_other_records_or_settings_is_refused(more: dict[str, Any], what: str, tmp_path: Path) -> None:
    run(together, RECORDS, tmp_path, model=scripted(translated))
    given: dict[str, Any] = {"records": RECORDS, **more}
    with pytest.raises(BadInput, match=what):
        run(together, given.pop("records"), tmp_path, model=scripted(translated), **given)


@pytest.mark.parametrize(
    ("records", "what"),
    [
        ([], "there are no records"),
        ([{"word": "x"}], "record 1 has no key"),
        ([{"id": "a"}, {"id": "a"}], "record 2 has the key 'a' of an earlier record"),
    ],
)
def test_records_without_own_keys_are_refused(records: list[dict[str, Any]], what: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=what):
        run(together, records, tmp_path / "fleet", model=scripted(translated))
    assert not (tmp_path / "fleet" / "fleet.json").exists()


def test_shared_settings_that_fit_no_record_can_be_corrected_in_the_same_directory(tmp_path: Path) -> None:
    with pytest.raises(RetouchError, match="langauge"):
        run(together, RECORDS, tmp_path / "fleet", model=scripted(translated), shared={"langauge": "fr"})
    with pytest.raises(BadInput, match="word: Input should be a valid string"):
        run(alone, [{"id": "a", "word": 1}], tmp_path / "alone", model=scripted(translated))
    assert "verified" == run(together, RECORDS, tmp_path / "fleet", model=scripted(translated)).status.status


def test_a_shard_without_any_usable_record_does_not_stop_the_fleet(tmp_path: Path) -> None:
    records = [*RECORDS[:4], {"id": "bad", "word": "poison"}]
    found = run(together, records, tmp_path, model=scripted(translated), shard_size=4).status
    assert ("exhausted", 2, 4, 1) == (found.status, found.shards["done"], *(found.records[one] for one in _SEEN))
    again = validate_fleet(fleet_place(str(tmp_path)), together, RunOptions())
    assert (found.status, found.records) == (again.status, again.records)
    shutil.rmtree(tmp_path / "runs" / "00000.e1")
    with pytest.raises(BrokenFile):
        validate_fleet(fleet_place(str(tmp_path)), together, RunOptions())


def test_a_directory_with_other_files_is_not_used(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty and not a fleet"):
        run(together, RECORDS, tmp_path, model=scripted(translated))
    assert ["thesis.txt"] == [one.name for one in tmp_path.iterdir()]


def test_another_machine_continues_from_the_log_in_the_store(tmp_path: Path) -> None:
    if importlib.util.find_spec("fsspec") is None:
        pytest.skip("fsspec is not installed: pip install 'retouch[fleet]'")
    address = f"memory://{secrets.token_hex(4)}"
    broken = scripted(["<fr: word0>", "<fr: word1>", ModelError("it is down", hint="Wait.")])
    with pytest.raises(ModelError):
        run(together, RECORDS, address, model=broken, work_directory=tmp_path / "one", concurrency=1)
    shutil.rmtree(tmp_path / "one")
    model = scripted(translated)
    found = run(together, RECORDS, address, model=model, work_directory=tmp_path / "two").status
    assert ("verified", 6) == (found.status, found.usage.calls)
    assert ["r2", "r3", "r4", "r5"] == sorted(one.prompt.unit for one in model.requests)
    shutil.rmtree(tmp_path / "two")
    assert "verified" == status(address, tmp_path / "three").status
    assert 6 == export_records(fleet_place(address, tmp_path / "three"), tmp_path / "all.jsonl")


def test_one_shard_can_be_run_alone_and_only_once(tmp_path: Path) -> None:
    run(together, RECORDS, tmp_path, model=scripted(translated), shard_size=3)
    for name in ("commits/00001.json", "out/00001.e1.jsonl"):
        (tmp_path / name).unlink()
    (tmp_path / "claims" / "00001" / "e1.released").write_bytes(dumped({"why": "interrupted", "at": ""}))
    model = scripted(translated)
    found = work(tmp_path, 1, recipe=together, model=model).status
    assert ("verified", 2) == (found.status, found.shards["done"])
    assert [] == model.requests  # its answers were in the ledger of the first epoch
    with pytest.raises(BadInput, match="there is no shard 2"):
        work(tmp_path, 2, recipe=together)


def test_a_limit_that_is_given_later_counts_what_was_spent_before(tmp_path: Path) -> None:
    paid = scripted(
        lambda request: Reply(text=translated(request), model="m", input_tokens=9, output_tokens=9, cost=0.5)
    )
    run(together, RECORDS, tmp_path, model=paid, shard_size=3)
    (tmp_path / "commits" / "00001.json").unlink()
    (tmp_path / "claims" / "00001" / "e1.released").write_bytes(dumped({"why": "interrupted", "at": ""}))
    assert 3.0 == costs_so_far(fleet_place(str(tmp_path)), fleet_place(str(tmp_path)).job())


def test_records_are_read_from_json_lines_and_csv(tmp_path: Path) -> None:
    lines, table = tmp_path / "a.jsonl", tmp_path / "a.csv"
    lines.write_text('{"id": 1, "word": "tea"}\n\n{"id": 2, "word": "milk, warm"}\n')
    table.write_text('id,word\n1,tea\n2,"milk, warm"\n')
    assert [{"id": 1, "word": "tea"}, {"id": 2, "word": "milk, warm"}] == list(RecordsFile(path=lines))
    assert [{"id": "1", "word": "tea"}, {"id": "2", "word": "milk, warm"}] == list(RecordsFile(path=table))


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("a.jsonl", '{"id": 1}\n{', "line 2 of .* is not JSON"),
        ("a.jsonl", "[1]\n", "line 1 of .* is not an object"),
        ("a.csv", "id,word\n1\n", "row 2 of .* has not as many cells"),
        ("a.xlsx", "", r"unknown format '\.xlsx'"),
    ],
)
def test_records_that_cannot_be_read_are_named(name: str, text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=what):
        list(RecordsFile(path=tmp_path / name))


def test_a_fleet_is_exported_as_json_lines_csv_and_parquet(tmp_path: Path) -> None:
    run(together, RECORDS, tmp_path / "fleet", model=scripted(translated), shard_size=2)
    place = fleet_place(str(tmp_path / "fleet"))
    assert [6, 6] == [export_records(place, tmp_path / name) for name in ("all.jsonl", "all.csv")]
    lines = [json.loads(one) for one in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert [one["id"] for one in RECORDS] == [one["key"] for one in lines]
    with (tmp_path / "all.csv").open(newline="") as file:
        assert {"key": "r0", "status": "verified", "value": '"<fr: word0>"', "issues": "[]"} == next(
            csv.DictReader(file)
        )
    duckdb = pytest.importorskip("duckdb", reason="the extra 'extract' is not installed")
    assert 6 == export_records(place, tmp_path / "all.parquet", only_verified=True)
    query = f"SELECT key, json_extract_string(value, '$') FROM '{tmp_path / 'all.parquet'}' WHERE key = 'r1'"
    assert [("r1", "<fr: word1>")] == duckdb.sql(query).fetchall()


def big_fleet(directory: Path, shards: int) -> None:
    """Write the small files of a fleet of shards with 1,000 records each, as workers leave them."""
    run(together, RECORDS[:1], directory, model=scripted(translated))
    commit = json.loads((directory / "commits" / "00000.json").read_bytes())
    commit["records"]["verified"] = 1_000
    answers = directory / "out" / "00000.e1.jsonl"
    answers.write_bytes(answers.read_bytes() * 1_000)
    commit["out"] = file_state(fleet_place(str(directory)), "out/00000.e1.jsonl")
    commit["files"] = {"out/00000.e1.jsonl": f"sha256:{sha256(answers.read_bytes()).hexdigest()}"}
    job = json.loads((directory / "fleet.json").read_bytes())
    job |= {"shards": shards, "records": 1_000 * shards, "inputs": job["inputs"] * shards}
    (directory / "fleet.json").write_bytes(dumped(job))
    commit["fleet"] = FleetJob(**job).identity
    (directory / "commits" / "00000.json").write_bytes(dumped(commit))
    for number in range(1, shards):
        run_directory = directory / "runs" / f"{number:05}.e1"
        shutil.copytree(directory / "runs" / "00000.e1", run_directory)
        out = f"out/{number:05}.e1.jsonl"
        shutil.copy2(directory / "out" / "00000.e1.jsonl", directory / out)
        files = {out: next(iter(commit["files"].values()))}
        shutil.copy2(directory / "inputs" / "00000.jsonl", directory / "inputs" / f"{number:05}.jsonl")
        data = {**commit, "shard": number, "files": files, "out": commit["out"]}
        (directory / "commits" / f"{number:05}.json").write_bytes(dumped(data))


def test_the_status_of_many_records_reads_no_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big_fleet(tmp_path, 20)
    monkeypatch.setattr("retouch.engine.history.read_history", None)
    monkeypatch.setattr("retouch.fleet.running.read_history", None)
    found = status(tmp_path)
    assert ("verified", 20_000, 20) == (found.status, found.records["verified"], found.shards["done"])


@pytest.fixture
def extraction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the command that runs a fleet of the recipe extract with the offline model."""
    pytest.importorskip("jsonschema_rs", reason="the extra 'extract' is not installed")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"id": one, "text": f"t{one}"}) + "\n" for one in range(4)))
    (tmp_path / "shared.json").write_text(json.dumps({"schema": SCHEMA}))
    return ["fleet", "run", "extract", "rows.jsonl", "-o", "fleet", "--shared", "shared.json", "--shard-size", "2"]


def test_the_commands_print_the_documented_keys(extraction: list[str]) -> None:
    invoke = CliRunner().invoke
    done = invoke(command, [*extraction, "--json", "--max-cost", "1"])
    assert 0 == done.exit_code, done.output
    found = json.loads(done.output)
    assert ["fleet", "status", "shards", "records", "usage"] == list(found)
    assert {"max_cost": 1.0, "used": 0.0} == found["usage"].pop("limit")
    assert 4 == found["usage"]["calls"]
    shown = json.loads(invoke(command, ["show", "fleet", "--json"]).output)
    assert ["fleet", "status", "shards", "records", "usage", "recipe", "workers", "notes"] == list(shown)
    assert {"done": 2, "running": 0, "left": 0, "set_aside": 0} == found["shards"]
    assert {"verified": 4, "unverified": 0, "issues": 0, "missing": 0, "exhausted": 0} == found["records"]
    assert {**found, "recipe": "extract", "workers": 0, "notes": []} == {**shown, "usage": found["usage"]}
    for words in (["fleet", "work", "fleet", "--shard", "1"], ["validate", "fleet"]):
        again = json.loads(invoke(command, [*words, "--json"]).output)
        assert 1.0 == again["usage"].pop("limit")["max_cost"]
        assert found == again
    exported = json.loads(invoke(command, ["fleet", "export", "fleet", "-o", "all.jsonl", "--json"]).output)
    assert {"fleet": "fleet", "status": "verified", "output": "all.jsonl", "records": 4} == exported


def test_a_fleet_is_shown_in_words(extraction: list[str]) -> None:
    invoke = CliRunner().invoke
    invoke(command, [*extraction, "--quiet"])
    shown = invoke(command, ["show", "fleet", "--watch"])
    assert shown.output.startswith("verified  fleet\n")
    assert "records  4 verified" in shown.output
    refused = invoke(command, ["show", "fleet", "--attempts"])
    assert "for one run" in refused.stderr
    assert "is for" not in refused.output


def test_a_fleet_that_was_stopped_is_resumed_without_its_records_and_says_the_next_command(
    extraction: list[str], tmp_path: Path
) -> None:
    def last_lines(*words: str) -> list[str]:
        return CliRunner().invoke(command, list(words)).stdout.splitlines()[-2:]

    assert ["  cost    $0.0000", "  next    retouch fleet export fleet -o FILE"] == last_lines(*extraction, "--quiet")
    stop_before_the_last_shard(tmp_path / "fleet")
    (tmp_path / "rows.jsonl").unlink()
    assert "  next    retouch resume fleet" == last_lines("show", "fleet")[1]
    refused = CliRunner().invoke(command, ["resume", "fleet", "--retry-dead"])
    assert (2, True) == (refused.exit_code, "--retry-dead is for a run or a job" in refused.stderr)
    assert "  next    retouch fleet export fleet -o FILE" == last_lines("resume", "fleet", "--workers", "1")[1]
    assert {"done": 2, "running": 0, "left": 0, "set_aside": 0} == status(tmp_path / "fleet").shards
    stop_before_the_last_shard(tmp_path / "fleet")
    both = CliRunner().invoke(command, ["fleet", "work", "fleet", "--shard", "1", "--max-cost", "1"])
    assert (2, True) == (both.exit_code, "Leave out --shard" in both.stderr)
    assert "  next    retouch fleet export fleet -o FILE" == last_lines("fleet", "work", "fleet", "--max-cost", "1")[1]
    assert (2, 1.0) == (status(tmp_path / "fleet").shards["done"], status(tmp_path / "fleet").limit_usd)


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"left": 1}, "retouch fleet work s3://b/f"),
        ({"left": 1, "limit_usd": 1.0, "status": "exhausted"}, "retouch fleet work s3://b/f --max-cost USD"),
        ({"left": 1, "workers": 2}, "retouch fleet work s3://b/f"),
        ({"aside": (3,), "status": "exhausted"}, "retouch fleet work s3://b/f --shard 3"),
        ({"status": "issues"}, "retouch fleet export s3://b/f -o FILE"),
        ({"changed": (1,), "status": "issues"}, "retouch fleet export s3://b/f -o FILE"),
    ],
)
def test_the_next_command_of_a_fleet_in_a_store_takes_an_address(
    state: dict[str, Any], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    shards = {"done": 1, "running": 0, "left": state.pop("left", 0), "set_aside": 0}
    records: dict[str, Any] = dict.fromkeys(("verified", "unverified", "issues", "missing", "exhausted"), 0)
    found: dict[str, Any] = {"status": "incomplete", **state}
    show_fleet(
        FleetStatus(address="s3://b/f", recipe="extract", shards=shards, records=records, usage=Usage(), **found),
        as_json=False,
    )
    step = capsys.readouterr().out.splitlines()[-1].removeprefix("  next    ")
    assert expected == step
    understood(shlex.split(step.replace("USD", "1"))[1:])


def stop_before_the_last_shard(fleet: Path) -> None:
    """Leave a fleet as if its last command had been stopped before the shard 1."""
    for place in [*fleet.glob("*/00001*"), *fleet.glob("*/*/00001*")]:
        if place.parent.name != "inputs":
            shutil.rmtree(place) if place.is_dir() else place.unlink()


def test_a_report_links_the_reports_of_all_runs(extraction: list[str], tmp_path: Path) -> None:
    invoke = CliRunner().invoke
    invoke(command, [*extraction, "--quiet"])
    assert 0 == invoke(command, ["report", "fleet"]).exit_code
    page = (tmp_path / "fleet" / "report.html").read_text()
    assert 2 == page.count("report.html")
    assert "verified" == json.loads(invoke(command, ["show", "fleet", "--json"]).output)["status"]


def test_errors_of_a_fleet_are_requested_again_by_one_command(extraction: list[str], tmp_path: Path) -> None:
    invoke = CliRunner().invoke
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    (tmp_path / "shared.json").write_text(json.dumps({"schema": schema}))
    invoke(command, [*extraction, "--quiet", "--model", "faulty:offline?rate=1&seed=1"])
    before = json.loads(invoke(command, ["show", "fleet", "--json"]).output)
    done = invoke(command, ["regenerate", "fleet", "--from-errors", "--model", "offline", "--json"])
    found = json.loads(done.output[done.output.index("{\n") :])
    assert found["records"]["verified"] >= before["records"]["verified"]
    assert "verified" == found["status"]
    refused = invoke(command, ["regenerate", "fleet", "--model", "offline"])
    assert 2 == refused.exit_code


def begun_elsewhere(directory: Path, shard_size: int) -> None:
    """Leave a directory as a command of another machine does that has not yet written `fleet.json`."""
    planned_job(fleet_place(str(directory)), together, RECORDS, key="id", shared={}, shard_size=shard_size)
    (directory / "fleet.json").unlink()
    plan = json.loads((directory / "plan.json").read_text())
    plan["worker"]["host"] = "far"
    (directory / "plan.json").write_text(json.dumps(plan))


def test_two_first_commands_with_other_sizes_of_shards_make_one_fleet(tmp_path: Path) -> None:
    begun_elsewhere(tmp_path, 2)
    place = fleet_place(str(tmp_path))
    found = planned_job(place, together, RECORDS, key="id", shared={}, shard_size=4)
    assert (3, 2) == (found.shards, found.shard_size)
    assert 6 == sum(len(place.records(shard, found)) for shard in range(found.shards))


def test_a_first_command_with_other_records_does_not_overwrite_those_of_one_that_is_running(tmp_path: Path) -> None:
    begun_elsewhere(tmp_path, 2)
    with pytest.raises(BadInput, match="was begun as a fleet with other records"):
        planned_job(fleet_place(str(tmp_path)), together, RECORDS[:3], key="id", shared={})


def test_records_that_could_not_be_used_can_be_corrected_in_the_same_directory(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="has the key"):
        run(together, [*RECORDS, RECORDS[0]], tmp_path, model=scripted(translated))
    assert "verified" == run(together, RECORDS, tmp_path, model=scripted(translated)).status.status


def test_an_exception_of_a_recipe_that_makes_a_record_plain_names_the_recipe(tmp_path: Path) -> None:
    def value(_value: str) -> float:
        return 1 / 0

    assert together.sharding is not None
    broken = replace(together, sharding=replace(together.sharding, value=value))
    with pytest.raises(RecipeBug, match=r"recipe 'words': sharding.value\('.*'\) raised ZeroDivisionError"):
        run(broken, RECORDS, tmp_path, model=scripted(translated))


def test_a_fleet_that_a_server_refuses_for_long_says_why_and_until_when(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(_request: Request) -> str:
        raise Throttled("'m' answered 429: no more today", retry_after_s=7_200.0)

    result = run(together, RECORDS, tmp_path, model=retrying(adaptive(scripted(refused))), shard_size=3)
    assert ("incomplete", 0) == (result.stopped, result.status.records["verified"])
    assert "'m' answered 429: no more today; it accepts no calls before " in result.detail
    show_fleet_result(result, as_json=False)
    (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith("stopped: ")]
    assert line.startswith(f"stopped: {result.detail}. ")
    assert line.endswith(". Records are left without an answer. Continue with the same command.")

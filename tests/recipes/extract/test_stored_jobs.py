"""`retouch show`, `resume`, `validate` and `report` of a job."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.engine.options import RunOptions
from retouch.errors import ModelError
from retouch.models.named import NamedModel
from retouch.recipes.extract.merging import ExtractResult
from retouch.recipes.extract.results import RecordResult
from retouch.recipes.extract.stored import job_of, read_job_file
from retouch.recipes.extract.stored_jobs import job_view
from retouch.recipes.extract.summary import summary_page
from tests.recipes.extract.scenes import ORDERS, Desk, answering, returning

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from retouch.engine.types import OnEvent, Reply, Request

TICKETS = [{"id": number, "name": f"n{number}", "total": number} for number in range(6)]
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "total": {"type": "integer", "maximum": 4}},
    "required": ["name", "total"],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a job of three shards, one dead record, and two that have the same name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tickets.jsonl").write_text("".join(json.dumps(one) + "\n" for one in TICKETS))
    (tmp_path / "ticket.json").write_text(json.dumps(SCHEMA))
    words = "extract tickets.jsonl --schema ticket.json --key id -o out --shard-size 2 --quiet --max-dead 1"
    assert 0 == retouch(words).exit_code
    return tmp_path


def retouch(words: str) -> Result:
    """Run the command line."""
    return CliRunner().invoke(command, words.split())


def printed(words: str) -> dict[str, Any]:
    """Return the JSON that a command prints."""
    return json.loads(retouch(f"{words} --json").stdout)


@pytest.mark.usefixtures("place")
def test_resume_requests_dead_records_again_in_several_processes() -> None:
    assert 0 == printed("resume out")["usage"]["calls"]
    found = printed("resume out --retry-dead --workers 2")
    assert (True, "verified", 1) == (found["usage"]["calls"] > 0, found["status"], found["records"]["dead"])


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("option", ["--retry-dead", "--workers 2"])
def test_resume_of_one_run_refuses_the_options_of_a_job(option: str) -> None:
    done = retouch(f"resume out/shards/00000 {option}")
    assert (2, True) == (done.exit_code, "is for jobs" in done.output)


@pytest.mark.usefixtures("place")
def test_show_sums_the_shards() -> None:
    found = printed("show out --cost")
    assert ("verified", "extract", "out") == (found["status"], found["recipe"], found["run"])
    assert {"verified": 5, "unverified": 0, "issues": 0, "dead": 1, "missing": 0} == found["records"]
    assert 6 == sum(sum(one["records"].values()) for one in found["shards"])
    assert found["cost"]["total"]["calls"] == found["usage"]["calls"]
    text = retouch("show out").stdout
    assert text.startswith("verified, 1 dead allowed  out  (extract)\n  records 5 verified, 1 dead\n")


@pytest.mark.usefixtures("place")
def test_a_run_of_a_job_names_the_job_and_a_job_its_runs() -> None:
    assert "a part of the job 'out'" in retouch("show out/shards/00000").stdout
    assert "a part of the job 'out'" in printed("show out/shards/00000")["notes"][-1]
    for verb in ("assemble", "regenerate", "adopt"):
        refused = retouch(f"{verb} out")
        assert (2, True) == (refused.exit_code, "'out/shards/00000'" in refused.stderr)


@pytest.mark.usefixtures("place")
def test_attempts_are_those_of_a_run() -> None:
    refused = retouch("show out --attempts")
    assert (2, True) == (refused.exit_code, "retouch show out/shards/00000 --attempts" in refused.stderr)


def test_resume_needs_nothing_but_the_directory(place: Path) -> None:
    before = (place / "out" / "records.jsonl").read_bytes()
    for name in ("records.jsonl", "tickets.jsonl", "ticket.json"):
        (place / "out" / name if name.startswith("records") else place / name).unlink()
    found = printed("resume out")
    assert ("verified", 0) == (found["status"], found["usage"]["calls"])
    assert before == (place / "out" / "records.jsonl").read_bytes()


def test_resume_goes_on_with_an_interrupted_job(desk: Desk) -> None:
    async def unavailable(_request: Request, _on_event: OnEvent | None) -> Reply:
        raise ModelError("unavailable")

    record = {"id": 1, "customer": "Ada", "total": 1, "state": "open"}
    with pytest.raises(ModelError):
        desk.extract(NamedModel(name="offline", answer=unavailable), [record], prompt="{{ record | tojson }}")
    view = job_view(desk.directory)
    assert ("incomplete", 1) == (view.status, view.counts["missing"])
    found = printed(f"resume {desk.directory}")
    assert ("verified", 1) == (found["status"], found["usage"]["calls"])


def test_a_job_at_work_is_incomplete(desk: Desk) -> None:
    desk.extract(answering())
    file = read_job_file(desk.directory)
    assert file is not None
    replace(file, result=None).write(desk.directory)
    view = job_view(desk.directory)
    assert ("incomplete", {"verified": 3, "missing": 0}) == (view.status, dict(view.counts))
    assert f"'retouch resume {desk.directory}' goes on with it" in retouch(f"show {desk.directory}").stdout


@pytest.mark.usefixtures("place")
def test_validate_checks_every_record_again_and_calls_no_model() -> None:
    found = printed("validate out")
    assert ("verified", 0, []) == (found["status"], found["usage"]["calls"], found["file_issues"])
    assert {"verified": 5, "unverified": 0, "issues": 0, "dead": 1, "missing": 0} == found["records"]
    assert "verified" == printed("show out")["status"]


def test_validate_without_writing_changes_no_file(place: Path) -> None:
    def contents() -> dict[str, bytes]:
        return {str(one): one.read_bytes() for one in (place / "out").rglob("*") if one.is_file()}

    before = contents()
    assert "verified" == printed("validate out --no-write")["status"]
    assert before == contents()


def test_report_is_that_of_the_last_command(place: Path) -> None:
    assert {"report": "out/report.html", "notes": []} == printed("report out")
    assert (place / "out" / "report.html").read_text() == retouch("report out --to -").stdout
    assert '"total": 5' in html.unescape((place / "out" / "report.html").read_text())  # JSON, as in the files
    assert "copy.html\n" == retouch("report out --to copy.html").stdout
    (place / "out" / "report.html").write_text("mine")
    assert 2 == retouch("report out").exit_code


def test_the_report_has_half_of_a_character_in_escaped_form(tmp_path: Path) -> None:
    dead = RecordResult(key="1", status="dead", best={"name": "\ud83d"})
    page = summary_page(ExtractResult(directory=tmp_path, status="issues", counts={"dead": 1}), [dead], total=1)
    assert '"name": "\\ud83d"' in html.unescape(page.encode().decode())


def test_the_report_of_a_job_that_is_at_work_is_said_to_come_at_its_end(place: Path) -> None:
    (place / "out" / "report.html").unlink()
    file = read_job_file(place / "out")
    assert file is not None
    replace(file, result=None).write(place / "out")
    refused = retouch("report out")
    assert (2, True) == (refused.exit_code, "is written when the job ends: a command is at work" in refused.stderr)


def test_settings_come_back_as_they_were(desk: Desk) -> None:
    desk.extract(
        answering(), unique=["customer"], sums=[("/total", "/items/*/amount")], examples=[(ORDERS[0], {"x": 1})]
    )
    file = read_job_file(desk.directory)
    assert file is not None
    job = job_of(file.settings)
    assert (("/customer",), "/total", {"x": 1}) == (
        job.whole.unique,
        job.shared.sums[0].total,
        job.shared.examples[0].value,
    )
    assert RunOptions().concurrency == RunOptions.from_stored(file.options).concurrency


def test_a_job_with_functions_of_a_program_is_resumed_by_that_program(desk: Desk) -> None:
    desk.extract(answering(), checks=[returning(None)])
    refused = retouch(f"resume {desk.directory}")
    assert (2, True) == (refused.exit_code, "only the program" in refused.stderr)


def test_a_job_of_a_recipe_that_is_not_installed_is_named(place: Path) -> None:
    (place / "job.json").write_text('{"recipe": "brew"}')
    refused = retouch("show .")
    assert (2, True) == (refused.exit_code, "a job of 'brew'" in refused.stderr)

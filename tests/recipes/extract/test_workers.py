"""Jobs whose shards are run by several processes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from retouch.engine.options import RunOptions
from retouch.engine.recipe import open_model
from retouch.engine.types import Reply
from retouch.errors import BadInput, ModelError
from retouch.models.named import NamedModel
from retouch.recipes.extract import ExtractJob, ExtractShard, JobRunning, extract, recipe, run_job
from retouch.recipes.extract.inputs import input_records
from retouch.recipes.extract.processes import WorkerModels
from retouch.recipes.extract.stored_jobs import validate_job
from retouch.testing import scripted
from tests.recipes.extract.scenes import Desk, answering
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import OnEvent, Request

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
ROWS = [{"id": number, "name": f"n{number}"} for number in range(40)]
PROMPT = "{{ record | tojson }}"


def check(record: Any, value: Any) -> Any:
    """Kill the process that checks the record 7, the first time."""
    mark = os.environ["MARK"]
    if record["id"] == 7 and not os.path.exists(mark):  # noqa: PTH110 - a check of a user
        os.close(os.open(mark, os.O_CREAT))
        os.kill(os.getpid(), signal.SIGKILL)
    return [] if value["name"] == record["name"] else "wrong"


def in_workers(desk: Desk, **more: Any) -> Any:
    return extract(
        ROWS, schema=SCHEMA, prompt=PROMPT, model="offline", key="id", output=desk.directory, shard_size=10, **more
    )


def test_the_files_are_those_of_one_process(desk: Desk, tmp_path: Path) -> None:
    alone = Desk(tmp_path / "alone")
    assert "verified" == in_workers(alone).status
    result = in_workers(desk, workers=2)
    assert ("verified", 40) == (result.status, result.usage.calls)
    for name in ("records.jsonl", "dead.jsonl"):
        assert (alone.directory / name).read_bytes() == (desk.directory / name).read_bytes()
    assert 0 == in_workers(desk, workers=2).usage.calls


def test_a_process_that_is_killed_costs_nothing_that_was_answered(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARK", str(tmp_path / "mark"))
    result = in_workers(desk, workers=2, checks=[check])
    assert (tmp_path / "mark").exists()
    assert ("verified", {"verified": 40}) == (result.status, dict(result.counts))
    assert 40 == result.usage.calls  # with those of the process that was killed


DEADLY = """
import os, signal

def check(record, value):
    if record["id"] in {numbers}:
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
@pytest.mark.concurrency
def test_records_that_kill_their_process_are_dead_and_every_other_record_is_done(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "checks.py"
    file.write_text(DEADLY.format(numbers=(7, 8)), encoding="utf-8")
    result = in_workers(desk, workers=2, checks=[file])
    assert ("exhausted", 3, {"verified": 38, "dead": 2}) == (result.status, result.exit_status, dict(result.counts))
    letters = {line["key"]: [issue["code"] for issue in line["issues"]] for line in desk.lines("dead.jsonl")}
    assert {"7": ["WORKER_DIED"], "8": ["WORKER_DIED"]} == letters
    assert [str(row["id"]) for row in ROWS] == list(desk.statuses())
    expected = dict.fromkeys(desk.statuses(), "verified") | {"7": "dead", "8": "dead"}
    assert expected == desk.statuses()
    again = in_workers(desk, checks=[file])  # in this process: they are not tried again
    assert ("exhausted", 0, expected) == (again.status, again.usage.calls, desk.statuses())
    checked, issues = asyncio.run(validate_job(desk.directory, RunOptions(), write=False))
    assert ("exhausted", {"verified": 38, "dead": 2}, ()) == (checked.status, dict(checked.counts), issues)
    file.write_text(DEADLY.format(numbers=()), encoding="utf-8")
    repaired = in_workers(desk, checks=[file], retry_dead=True)
    assert ("verified", {"verified": 40}) == (repaired.status, dict(repaired.counts))


@pytest.mark.slow
@pytest.mark.concurrency
def test_a_shard_of_which_every_record_kills_its_process_is_dead(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "checks.py"
    file.write_text(DEADLY.format(numbers=(0, 1)), encoding="utf-8")
    shared = ExtractShard(records=(), schema=SCHEMA, prompt=PROMPT, checks=(str(file),))
    models = WorkerModels(open_model=partial(open_model, recipe=recipe), model="offline")
    running = JobRunning(workers=2, worker_models=models)
    job, rows = ExtractJob(shared=shared, shard_size=1), input_records(ROWS[:3], "id")
    work = run_job(job, rows, desk.directory, open_model("offline", recipe=recipe), RunOptions(), running=running)
    result = asyncio.run(work)
    assert ("exhausted", {"0": "dead", "1": "dead", "2": "verified"}) == (result.status, desk.statuses())


def test_a_model_that_is_an_object_is_refused(desk: Desk) -> None:
    with pytest.raises(BadInput, match="an object"):
        desk.extract(answering(), workers=2)


def test_an_error_of_one_process_ends_the_job_and_keeps_its_hint(desk: Desk) -> None:
    place = desk.directory.with_suffix(".py")
    place.write_text("x = 1", encoding="utf-8")
    with pytest.raises(BadInput, match="has no function 'check'") as caught:
        in_workers(desk, workers=2, checks=[place])
    assert "def check" in caught.value.hint


SLOW = """
import sys, time
from retouch.recipes.extract import extract

def slow(record, value):
    time.sleep(0.05)

rows = [{{"id": number, "name": f"n{{number}}"}} for number in range(40)]
extract(rows, schema={schema}, prompt="{{{{ record | tojson }}}}", model="offline", key="id", output=sys.argv[1],
    shard_size=10, workers=2, checks=[slow])
"""


@pytest.mark.slow
def test_the_processes_end_when_the_command_is_killed(desk: Desk) -> None:
    command = [sys.executable, "-c", SLOW.format(schema=json.dumps(SCHEMA)), str(desk.directory)]
    process = subprocess.Popen(command)
    children: list[psutil.Process] = []
    while process.poll() is None and len(children) < 2:
        children = psutil.Process(process.pid).children()
        time.sleep(0.01)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(children, timeout=MOST_S)
    assert [] == alive
    assert "verified" == in_workers(desk, workers=2).status


def together(rows: list[dict[str, Any]], model: Any, desk: Desk, at_once: int) -> Any:
    """Run a job with so many shards at once in this process."""
    shared = ExtractShard(records=(), schema=SCHEMA, prompt=PROMPT)
    job = ExtractJob(shared=shared, shard_size=1)
    running = JobRunning(at_once=at_once)
    options = RunOptions(warm_up_s=0.0)  # otherwise the first request goes alone, until its answer begins
    work = run_job(job, input_records(rows, "id"), desk.directory, model, options, running=running)
    return asyncio.run(work)


def test_shards_wait_for_replies_together(desk: Desk) -> None:
    waiting: set[str] = set()
    enough = asyncio.Event()

    async def answer(request: Request, _on_event: OnEvent | None) -> Reply:
        waiting.add(request.prompt.unit)
        if len(waiting) == 3:
            enough.set()
        await enough.wait()  # it only goes on if three shards are at work
        return Reply(text=request.messages[0].text, model="m", finish="end")

    result = together(ROWS[:12], NamedModel(name="waiting", answer=answer), desk, 12)
    assert ("verified", 12) == (result.status, result.usage.calls)


def test_an_error_of_one_shard_stops_the_others_and_keeps_their_answers(desk: Desk) -> None:
    answered: list[str] = []

    async def answer(request: Request, _on_event: OnEvent | None) -> Reply:
        if request.prompt.unit == "7":
            await asyncio.sleep(0.2)
            raise ModelError("no more")
        answered.append(request.prompt.unit)
        return Reply(text=request.messages[0].text, model="m", finish="end")

    with pytest.raises(ModelError, match="no more"):
        together(ROWS[:12], NamedModel(name="failing", answer=answer), desk, 4)
    before = list(answered)
    answered.clear()
    assert "missing" in set(desk.statuses().values())
    result = together(ROWS[:12], scripted(lambda request: request.messages[0].text), desk, 4)
    assert "verified" == result.status
    assert before
    assert 12 - len(before) == result.usage.calls

"""A job whose process is killed: nothing that was answered is requested again, and the files come out the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from random import Random
from typing import TYPE_CHECKING

import pytest

from retouch import open_run
from retouch.errors import BadInput, FolderBusy
from tests.recipes.extract.scenes import Desk, answering
from tests.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.concurrency

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
RECORDS, AT_ONCE, KILLS = 60, 4, 3
SLOW = """
import asyncio, sys
from retouch.models.offline import offline
from retouch.recipes.extract import extract
from retouch.recipes.extract.offline import answer
import json

model = offline(answer)

async def slow(request, *, on_event=None):
    await asyncio.sleep(0.01)
    return await model(request, on_event=on_event)

rows = [{"id": number, "name": f"n{number}"} for number in range(%d)]
extract(rows, schema=json.loads(sys.argv[1]), prompt="{{ record | tojson }}", model=slow, key="id", output="out",
    shard_size=10, concurrency=%d)
"""


@pytest.mark.slow
def test_a_job_that_is_killed_goes_on_and_pays_at_most_for_the_calls_in_flight_again(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SLOW % (RECORDS, AT_ONCE), json.dumps(SCHEMA)]
    random = Random(7)
    for _ in range(KILLS):
        process = subprocess.Popen(command, cwd=tmp_path)
        wait_until(lambda: (tmp_path / "out" / "job.json").exists() or process.poll() is not None)  # noqa: B023
        time.sleep(random.random() * 0.2)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert 0 == subprocess.run(command, cwd=tmp_path, check=False).returncode
    desk = Desk(tmp_path / "out")
    expected = [{"key": str(one), "value": {"name": f"n{one}"}, "status": "verified"} for one in range(RECORDS)]
    assert expected == desk.lines("records.jsonl")
    attempts = [
        attempt
        for place in sorted((tmp_path / "out" / "shards").iterdir())
        for attempt in open_run(place).history.attempts.values()
    ]
    answered = [attempt.unit for attempt in attempts if attempt.reply is not None]
    assert sorted(answered) == sorted({*answered})
    assert RECORDS == len(answered)
    assert len(attempts) <= RECORDS + KILLS * AT_ONCE


def test_a_second_process_does_not_write_into_a_job_at_work(tmp_path: Path, desk: Desk) -> None:
    endless = (
        (SLOW % (RECORDS, AT_ONCE)).replace("sleep(0.01)", "sleep(600)").replace('output="out"', "output=sys.argv[2]")
    )
    process = subprocess.Popen([sys.executable, "-c", endless, json.dumps(SCHEMA), str(desk.directory)], cwd=tmp_path)
    try:
        wait_until(lambda: (desk.directory / "input.jsonl").exists() or process.poll() is not None)
        before = (desk.directory / "input.jsonl").read_bytes()
        with pytest.raises(FolderBusy, match=f"process {process.pid}"):
            desk.extract(answering())
        assert before == (desk.directory / "input.jsonl").read_bytes()
    finally:
        process.kill()
        process.wait()
    assert "verified" == desk.extract(answering()).status


def test_nothing_is_written_into_a_directory_that_is_not_a_job(desk: Desk) -> None:
    desk.directory.mkdir()
    (desk.directory / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(BadInput, match="not empty and not a job"):
        desk.extract(answering())
    assert ["thesis.txt"] == [path.name for path in desk.directory.iterdir()]


@pytest.mark.parametrize("left", [".lock", ".holder.json", "input.jsonl", ".input.jsonl.new", ".job.json.0123abcd.tmp"])
def test_a_process_that_was_killed_before_the_job_was_written_leaves_the_directory_free(desk: Desk, left: str) -> None:
    desk.directory.mkdir()
    (desk.directory / left).write_text("{", encoding="utf-8")
    assert "verified" == desk.extract(answering()).status


def test_input_that_cannot_be_read_leaves_the_directory_free(desk: Desk) -> None:
    with pytest.raises(BadInput, match="no records"):
        desk.extract(answering(), [])
    assert "verified" == desk.extract(answering()).status

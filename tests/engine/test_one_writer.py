"""One process writes into a run directory; others read, learn who holds it, or wait."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.engine.directory import open_run
from retouch.engine.ledger import one_writer
from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.errors import BadInput, FolderBusy
from retouch.testing import scripted
from tests.engine.conftest import Scene, honest, run
from tests.engine.glossary import answer
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request

pytestmark = pytest.mark.concurrency

HOLD = """
import asyncio, sys
from pathlib import Path
from retouch.errors import FolderBusy
from retouch.engine.ledger import one_writer

async def hold():
    try:
        async with one_writer(Path(sys.argv[1]), wait=False):
            print("held", flush=True)
            await asyncio.to_thread(sys.stdin.readline)
    except FolderBusy as busy:
        print(busy.message, flush=True)

asyncio.run(hold())
"""


def holding(folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLD, str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_a_second_process_learns_who_holds_the_folder_and_since_when(scene: Scene) -> None:
    scene.generate()
    process = holding(scene.folder)
    try:
        assert "held" == said(process)
        for verb in (scene.generate, scene.validate, scene.assemble):
            with pytest.raises(FolderBusy, match=rf"process {process.pid} since 20\d\d-\d\d-\d\dT") as busy:
                verb()
            assert "--wait" in busy.value.hint
    finally:
        process.communicate("\n")
    assert "verified" == scene.generate().status


def test_a_held_folder_can_be_shown_and_validated_without_writing(scene: Scene) -> None:
    scene.generate()
    process = holding(scene.folder)
    try:
        assert "held" == said(process)
        before = scene.tree()
        assert "verified" == scene.validate(write=False).status
        assert 3 == len(open_run(scene.folder).history.attempts)
        assert before == scene.tree()
    finally:
        process.communicate("\n")


def test_a_folder_is_read_while_a_run_of_this_process_writes(scene: Scene) -> None:
    seen: list[str] = []

    def look(request: Request) -> str:
        seen.append(run_apart(scene))
        return answer(request.prompt)

    scene.generate(scripted(look))
    assert ["incomplete"] * 3 == seen


def run_apart(scene: Scene) -> str:
    """Validate without writing, from a thread of its own: this one runs a loop already."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: scene.validate(write=False).status).result()


def test_one_that_waits_gets_its_turn(scene: Scene) -> None:
    process = holding(scene.folder)
    assert "held" == said(process)

    async def waits() -> str:
        way = RunOptions(wait=True)
        work = asyncio.ensure_future(generate(scene.recipe, scene.source, scene.folder, honest(), way))
        await asyncio.sleep(0.2)
        assert not work.done()
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        return (await asyncio.wait_for(work, MOST_S)).status

    assert "verified" == run(waits())
    process.communicate()


def test_waiting_can_be_cancelled(scene: Scene) -> None:
    async def waits() -> None:
        async with one_writer(scene.folder, wait=True):
            work = asyncio.ensure_future(
                generate(scene.recipe, scene.source, scene.folder, honest(), RunOptions(wait=True)),
            )
            await asyncio.sleep(0.1)
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asyncio.wait_for(work, MOST_S)

    run(waits())


def test_two_runs_of_one_process_take_turns_in_one_folder(scene: Scene) -> None:
    async def both() -> list[int]:
        ways = [generate(scene.recipe, scene.source, scene.folder, honest(), RunOptions(wait=True)) for _ in range(3)]
        return sorted(result.calls for result in await asyncio.wait_for(asyncio.gather(*ways), MOST_S))

    assert [0, 0, 3] == run(both())


@pytest.mark.slow
@pytest.mark.parametrize("number", range(5))
def test_of_two_processes_started_together_one_holds_the_folder(tmp_path: Path, number: int) -> None:
    folder = tmp_path / f"run{number}"
    first, second = holding(folder), holding(folder)
    try:
        words = {process.pid: said(process) for process in (first, second)}
    finally:
        for process in (first, second):
            process.communicate("\n")
    holders = [pid for pid, word in words.items() if word == "held"]
    refused = [word for word in words.values() if word != "held"]
    assert 1 == len(holders)
    assert re.search(rf"process {holders[0]} since", refused[0])


def test_of_twenty_writers_in_turn_each_leaves_the_folder_free(tmp_path: Path) -> None:
    async def turns() -> None:
        for _ in range(20):
            async with one_writer(tmp_path / "run", wait=False):
                with pytest.raises(FolderBusy, match=f"process {os.getpid()} since"):
                    async with one_writer(tmp_path / "run", wait=False):
                        raise AssertionError("two writers")

    run(turns())


def test_a_name_left_by_a_killed_process_is_not_given_as_the_holder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    killed = holding(folder)
    assert "held" == said(killed)
    killed.kill()
    killed.communicate()

    async def held() -> None:
        async with one_writer(folder, wait=False):
            (folder / ".holder.json").write_text(f'{{"pid": {killed.pid}, "boot": "", "started": "", "command": ""}}')
            with pytest.raises(FolderBusy, match="another process"):
                async with one_writer(folder, wait=False):
                    raise AssertionError("two writers")

    run(held())


def test_a_file_in_the_way_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("a file")
    for folder in (tmp_path / "run", tmp_path / "run" / "below"):
        with pytest.raises(BadInput, match="a file is in the way"):
            Scene(folder).generate()

"""Clocks that jump by days while a command runs: order, waits and locks do not hang on the time of day."""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.engine.ledger import read_entries
from retouch.testing import model_server, status
from tests.durability.judging import tree_of
from tests.durability.scenes import FAULTY, SCENES
from tests.durability.template import Setting, Template
from tests.waiting import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARIES = ("faketime/libfaketimeMT.so.1", "faketime/libfaketime.so.1")
JUMPS = "-2d +3d +0 -40d +400d"
GENERATE = SCENES[0]


def _library() -> Path | None:
    found = [path for name in LIBRARIES for path in Path("/usr/lib").glob(f"**/{name}")]
    return found[0] if found else None


@pytest.fixture(scope="module")
def jumping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Template]:
    """A process whose clock jumps at each request, and where time goes on as it does."""
    library = _library()
    if library is None:
        pytest.skip("needs libfaketime (Debian: apt install faketime), which is not on this machine")
    side = tmp_path_factory.mktemp("jumping")
    (side / "clock").write_text("+0")
    clock = {"FAKETIME_TIMESTAMP_FILE": str(side / "clock"), "FAKETIME_NO_CACHE": "1", "NO_FAKE_STAT": "1"}
    clock |= {"LD_PRELOAD": str(library), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "CLOCKS": JUMPS}
    with Template(side, clock) as found:
        yield found


def test_a_run_whose_clock_jumps_ends_as_any_other(jumping: Template, template: Template, quick: Path):
    trees: list[dict[str, str]] = []
    for one in (jumping, template):
        folder = quick / str(len(trees))
        folder.mkdir()
        GENERATE.prepare(one, folder)
        assert 0 == one.run(GENERATE.words, Setting(folder=folder)).status
        trees.append(tree_of(folder))
    assert trees[1] == trees[0]
    rows = read_entries(quick / "0" / "run" / "ledger.db")
    assert [True, False] == sorted({later.at < sooner.at for sooner, later in pairwise(rows)}, reverse=True)
    took = [row.data["seconds"] for row in rows if row.kind == "reply"]
    assert all(isinstance(each, float) and 0 <= each < 3_600 for each in took)


def test_a_wait_that_a_server_asks_for_is_as_long_as_it_says_when_the_clock_jumps(jumping: Template, quick: Path):
    import retouch
    from retouch.recipes.csharp import load_document, read_endpoint

    recipe = retouch.find_recipe("csharp")
    GENERATE.prepare(jumping, quick)
    prompts = list(recipe.plan(read_endpoint(load_document(quick / "pets.yaml"), "GET /pets")))
    faults = [status(429, retry_after="0.2"), None, status(429, retry_after="0.2"), None]
    words = [word if word != FAULTY else "noted:openai:gpt-5-mini?first_wait_s=0.01" for word in GENERATE.words]
    words += ["--ask", "transcript"]  # of a real model the usual is another
    with model_server(retouch.open_model("offline", recipe=recipe), prompts=prompts, faults=faults) as server:
        began = time.monotonic()
        ended = jumping.run(words, Setting(folder=quick, environment=server.environment))
    assert (0, len(prompts) + 2) == (ended.status, len(server.calls)), ended.err
    assert 0.4 < time.monotonic() - began < 3_600  # the clock jumps by days


def test_a_folder_stays_held_when_the_clock_of_its_holder_jumps_and_is_free_when_it_is_killed(
    jumping: Template, template: Template, quick: Path
):
    GENERATE.prepare(jumping, quick)
    os.mkfifo(quick / "never")
    setting = Setting(folder=quick)
    words = [word if word != FAULTY else "noted:told:never" for word in GENERATE.words]
    jumping.noted.unlink(missing_ok=True)
    pids: list[int] = []
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(jumping.run, words, setting, at_gate=pids.append)
        wait_until(jumping.requests)
        refused = template.run(GENERATE.words, setting)
        os.kill(pids[0], signal.SIGKILL)
    assert -signal.SIGKILL == held.result().status
    assert (2, True) == (refused.status, f"process {pids[0]} since" in refused.err), refused.err
    assert 0 == template.run(GENERATE.words, setting).status

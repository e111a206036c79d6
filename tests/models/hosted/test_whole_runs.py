"""Whole runs with the loopback server and the real client libraries: no network fault loses an answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.engine.options import RunOptions
from retouch.models.offline import offline
from retouch.models.wrappers import metered
from retouch.testing import FAULTS, at_rate, faulty, model_server
from tests.engine.glossary import RECIPE, SYSTEM, Glossary, answer, plan
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT
from tests.recipes.csharp.answers_zoo import ENDPOINT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from random import Random

    from retouch import Prompt
    from retouch.engine.overview import RunResult
    from retouch.testing import Fault, ModelServer

BOTH = pytest.mark.parametrize("spec", [CLAUDE, GPT])
QUICK = "?first_wait_s=0.005&max_wait_s=2&idle_s=2&first_byte_s=20"
LONG_SYSTEM = SYSTEM + "\n" + "Write values as dictionaries do, in capitals. " * 250
HARMLESS = {"slow_head", "slow_body", "wrong_type", "duplicate_id"}
OF_THE_MODEL = {"truncation", "refusal"}


def long_plan(source: Glossary) -> Iterable[Prompt]:
    return (replace(prompt, system=LONG_SYSTEM) for prompt in plan(source))


def broken(text: str, _random: Random) -> str:
    return text.replace("=", " ", 1)


JOB = replace(RECIPE, plan=long_plan, faults={"broken": broken})


def words(pages: int) -> Glossary:
    """Return a source of one page per unit."""
    return Glossary(units={f"unit{n}": (f"word{n}a", f"word{n}b") for n in range(pages)})


class Job:
    """The glossary with a server: its pages, faults and client."""

    def __init__(self, folder: Path, point: Callable[[ModelServer], None]) -> None:
        self.folder = folder
        self.point = point

    def run(
        self, spec: str, source: Glossary, faults: Any = (), model: Any = None, **server: Any
    ) -> tuple[RunResult, ModelServer]:
        behind = model or offline(answer)
        prompts = list(long_plan(source))
        with model_server(behind, faults=faults, prompts=prompts, **server) as running:
            self.point(running)
            options = RunOptions(concurrency=16)
            way = options
            result = retouch.generate(JOB, source, self.folder, retouch.open_model(spec + QUICK), options=way)
        return result, running

    def files(self) -> Mapping[str, str]:
        return {path.name: path.read_text("utf-8") for path in self.folder.glob("*.txt")}


@pytest.fixture
def job(tmp_path: Path, point: Callable[[ModelServer], None]) -> Job:
    return Job(tmp_path / "run", point)


def expected_files(source: Glossary, folder: Path) -> Mapping[str, str]:
    """Return the files of a run without a network."""
    retouch.generate(JOB, source, folder, offline(answer))
    return {path.name: path.read_text("utf-8") for path in folder.glob("*.txt")}


def corrections(server: ModelServer) -> list[str]:
    return [json.dumps(call.body) for call in server.calls if "CORRECTION" in json.dumps(call.body)]


def bought(server: ModelServer) -> list[str]:
    """Return the bodies of the responses that reached the client completely."""
    return [json.dumps(c.body) for c in server.calls if c.reply and (c.fault is None or c.fault.kind in HARMLESS)]


@pytest.mark.slow
@pytest.mark.parametrize("spec", [CLAUDE, GPT, "openai:gpt-5.6", GEMINI])
@pytest.mark.parametrize("pages", [10, 100])
def test_a_shared_text_is_written_once_however_many_pages_there_are(job: Job, spec: str, pages: int):
    result, server = job.run(spec, words(pages), first_byte_s=0.02)
    assert ("verified", pages, pages) == (result.status, len(server.calls), result.calls)
    assert 1 <= server.cache.most_writes <= 2


def test_without_a_marker_a_shared_text_is_paid_in_full_each_time(job: Job):
    result, server = job.run("anthropic:claude-haiku-4-5", words(3), min_cache_tokens=4_096)
    assert ("verified", 0) == (result.status, server.cache.most_writes)
    assert [] == [call for call in server.calls if "cache_control" in json.dumps(call.body)]


def test_the_cost_of_a_run_is_the_cost_of_its_replies(tmp_path: Path, point: Callable[[ModelServer], None]):
    with model_server(offline(answer)) as server:
        point(server)
        model = metered(retouch.open_model(CLAUDE))
        retouch.generate(JOB, words(5), tmp_path / "run", model)
    spent = model.spent
    assert (5, 0, True) == (spent.calls, spent.unpriced_calls, spent.cost > 0)
    assert 4 * spent.written_tokens == spent.cached_tokens


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_leaves_the_same_files_and_buys_each_answer_once(job: Job, tmp_path: Path, spec: str, name: str):
    source = words(12)
    hit: dict[int, Fault] = dict.fromkeys((0, 3, 4, 9), FAULTS[name])

    def script(call: int, _body: Mapping[str, Any]) -> Fault | None:
        return hit.get(call)

    result, server = job.run(spec, source, script)
    assert "verified" == result.status
    assert expected_files(source, tmp_path / "plain") == job.files()
    if name in OF_THE_MODEL:
        assert 16 == len(server.calls)
        return
    assert [] == corrections(server)
    assert 12 == len(bought(server)) == len(set(bought(server)))
    assert (12 if name in HARMLESS else 16) == len(server.calls)


@pytest.mark.slow
@BOTH
def test_all_faults_mixed_over_two_hundred_pages_change_nothing(job: Job, tmp_path: Path, spec: str):
    source, kinds = words(200), [name for name in FAULTS if name not in OF_THE_MODEL]
    result, server = job.run(spec, source, at_rate(0.2, seed=5, kinds=kinds))
    assert ("verified", 0) == (result.status, len(corrections(server)))
    assert expected_files(source, tmp_path / "plain") == job.files()
    assert 200 == len(bought(server)) == len(set(bought(server)))
    assert 210 < len(server.calls) < 260


@pytest.mark.slow
@BOTH
def test_faults_of_the_model_and_of_the_wire_together_end_clean(job: Job, tmp_path: Path, spec: str):
    source = words(40)
    behind = faulty(offline(answer), rate=0.3, seed=2, heal=1.0, faults=JOB.faults)
    result, server = job.run(spec, source, at_rate(0.2, seed=1), model=behind)
    assert "verified" == result.status
    assert expected_files(source, tmp_path / "plain") == job.files()
    told = " ".join(corrections(server))
    assert [] == [word for word in ("scripted failure", "529", "429", "Overloaded", "silent", "cut on") if word in told]
    assert "BROKEN_LINE" in told


@pytest.mark.slow
@BOTH
def test_a_storm_of_refusals_is_ridden_out_without_one_of_our_own(job: Job, spec: str):
    def storm(call: int, _body: Mapping[str, Any]) -> Fault | None:
        return FAULTS["429_retry_after_ms"] if 8 <= call % 20 < 13 and call < 80 else None

    result, server = job.run(spec, words(60), storm)
    refused = sum(call.fault is not None for call in server.calls)
    assert ("verified", 60) == (result.status, len(bought(server)))
    assert (20, 80) == (refused, len(server.calls))


def test_a_run_that_the_wire_kept_from_ending_goes_on_where_it_stopped(job: Job, tmp_path: Path):
    source = words(8)
    unlucky = {"word3a", "word6a"}

    def down(_call: int, body: Mapping[str, Any]) -> Fault | None:
        return FAULTS["503"] if any(word in json.dumps(body["messages"]) for word in unlucky) else None

    result, server = job.run(CLAUDE, source, down)
    assert ("incomplete", 6) == (result.status, len(bought(server)))
    again, later = job.run(CLAUDE, source)
    assert ("verified", 2) == (again.status, len(later.calls))
    assert expected_files(source, tmp_path / "plain") == job.files()


def test_an_unknown_model_ends_the_run_at_once_and_keeps_received_replies(job: Job):
    def gone(call: int, _body: Mapping[str, Any]) -> Fault | None:
        return FAULTS["500"].__class__(kind="status", status=404) if call >= 3 else None

    with pytest.raises(retouch.RetouchError, match="has no model"):
        job.run(CLAUDE, words(30), gone)
    again, later = job.run(CLAUDE, words(30))
    assert ("verified", 27) == (again.status, len(later.calls))


@pytest.mark.parametrize("spec", [CLAUDE, GPT, "anthropic:claude-opus-5"])
def test_the_csharp_job_runs_clean_over_the_wire(tmp_path: Path, point: Callable[[ModelServer], None], spec: str):
    recipe = retouch.find_recipe("csharp")
    behind = retouch.open_model("faulty:offline?rate=0.4&seed=3&heal=1", recipe=recipe)
    prompts = list(recipe.plan(ENDPOINT))
    way = retouch.RunOptions(compiler="none")
    with model_server(behind, prompts=prompts, faults=at_rate(0.2, seed=2, kinds=["529", "cut_body"])) as server:
        point(server)
        result = retouch.generate(recipe, ENDPOINT, tmp_path / "run", retouch.open_model(spec + QUICK), options=way)
    assert "unverified" == result.status
    assert len(prompts) < len(server.calls)
    assert "public class Owner" in (tmp_path / "run" / "PetsDataObject.cs").read_text("utf-8")

"""Batches and interrupted runs from the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.testing import FAULTS
from tests.cli.conftest import serving

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from retouch.testing import ModelServer

    Retouch = Callable[..., Result]

MODEL = "anthropic:claude-haiku-4-5?first_poll_s=0.01&max_poll_s=0.02"


def test_a_batch_is_sent_left_and_collected(
    retouch: Retouch, work_folder: Path, spec: str, point: Callable[[ModelServer], None]
) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", MODEL, "--batch")
    with serving(batch_polls=10_000) as server:
        point(server)
        left = retouch(*words, "--batch-wait", "0")
        assert (1, 0, 1) == (left.exit_code, len(server.calls), len(server.batches)), left.output
        assert "pages are pending in a batch of" in left.output
        assert "retouch resume output/GET_pets" in left.output
        for job in server.batches.values():
            job.polls = 10_000
        done = retouch("resume", "output/GET_pets", "--json")
        assert 0 == done.exit_code, done.output
        assert ("unverified", 1) == (json.loads(done.stdout)["status"], len(server.batches))
    assert (work_folder / "output" / "GET_pets" / "PetDataObject.cs").exists()


def test_a_batch_says_how_it_stands(retouch: Retouch, spec: str, point: Callable[[ModelServer], None]) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", MODEL, "--batch")
    with serving(batch_polls=3) as server:
        point(server)
        done = retouch(*words)
    assert 0 == done.exit_code, done.output
    assert 1 == done.stderr.count("msgbatch_1: 0 of 4 done")
    assert "entries sent" in done.stderr


def test_many_runs_send_their_batches_side_by_side(
    retouch: Retouch, spec: str, point: Callable[[ModelServer], None]
) -> None:
    with serving(batch_polls=2) as server:
        point(server)
        words = ("generate", "csharp", spec, "--all", "--compiler", "none", "--model", MODEL, "--batch", "--json")
        done = retouch(*words, "--concurrency", "1")
        runs = json.loads(done.stdout)["runs"]
        assert (0, len(runs)) == (done.exit_code, len(server.batches)), done.output


@pytest.mark.parametrize("every", [("GET /pets",), ("--all",)])
def test_a_model_without_a_batch_api_is_refused_before_anything_is_made(
    retouch: Retouch, work_folder: Path, spec: str, every: tuple[str, ...]
) -> None:
    done = retouch("generate", "csharp", spec, *every, "--batch")
    assert (2, []) == (done.exit_code, list(work_folder.iterdir()))
    assert "'offline' has no known batch API" in done.output


def test_waiting_for_no_batch_is_misuse(retouch: Retouch, spec: str) -> None:
    done = retouch("generate", "csharp", spec, "GET /pets", "--batch-wait", "5")
    assert 2 == done.exit_code
    assert "Add --batch" in done.output


def test_a_batch_that_might_cost_more_than_allowed_is_not_sent(
    retouch: Retouch, spec: str, point: Callable[[ModelServer], None]
) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", MODEL, "--batch")
    with serving() as server:
        point(server)
        refused = retouch(*words, "--max-cost", "0.01")
        assert (3, 0, 0) == (refused.exit_code, len(server.batches), len(server.calls)), refused.output
        assert "this batch may cost" in refused.output
        assert 0 == retouch(*words, "--max-cost", "5").exit_code


def test_a_batch_is_given_up_for_calls(retouch: Retouch, spec: str, point: Callable[[ModelServer], None]) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", MODEL, "--batch")
    with serving(batch_polls=10_000) as server:
        point(server)
        retouch(*words, "--batch-wait", "0")
        done = retouch("resume", "output/GET_pets", "--online")
        assert (0, [True]) == (done.exit_code, [job.cancelled for job in server.batches.values()]), done.output
    both = retouch("resume", "output/GET_pets", "--online", "--batch-wait", "1")
    assert 2 == both.exit_code


def test_any_run_goes_on_with_its_own_model_and_options(retouch: Retouch, work_folder: Path, spec: str) -> None:
    model = "faulty:offline?rate=1&seed=4&heal=0&kinds=truncation"
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--max-output-tokens", "4000")
    retouch(*words, "--model", model, "--total-retries", "0", "--no-offline")
    run = str(work_folder / "output" / "GET_pets")
    before = json.loads(retouch("show", run, "--attempts", "--json").stdout)
    done = retouch("resume", run, "--json")
    after = json.loads(retouch("show", run, "--attempts", "--json").stdout)
    assert before["status"] == json.loads(done.stdout)["status"] == after["status"]
    assert {model} == {one["model"] for one in after["attempts"]}


def test_a_run_that_is_done_asks_nothing(retouch: Retouch, pets: Path) -> None:
    done = retouch("resume", str(pets), "--json")
    assert (0, 0) == (done.exit_code, json.loads(done.stdout)["calls"])


def test_what_is_no_run_cannot_go_on(retouch: Retouch, work_folder: Path) -> None:
    done = retouch("resume", str(work_folder))
    assert 2 == done.exit_code
    assert "is not a run directory" in done.output


def test_a_run_without_a_ledger_does_not_say_its_model(retouch: Retouch, pets: Path) -> None:
    for path in pets.glob("ledger.db*"):
        path.unlink()
    done = retouch("resume", str(pets))
    assert 2 == done.exit_code
    assert "does not say which model it used" in done.output


def test_what_the_network_did_and_where_markers_stand_is_told(
    retouch: Retouch, spec: str, point: Callable[[ModelServer], None]
) -> None:
    model = "anthropic:claude-haiku-4-5?first_wait_s=0.01&concurrency=1"
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--model", model)
    with serving(faults=[FAULTS["529"], None, FAULTS["500"]]) as server:
        point(server)
        assert 0 == retouch(*words).exit_code
    told = json.loads(retouch("show", "output/GET_pets", "--cost", "--json").stdout)
    assert (2, 0, 2) == (told["transport"]["retries"], told["transport"]["surrenders"], len(told["transport"]["said"]))
    assert 0 < told["transport"]["waited_s"]
    assert "fewer than the 4096 that this model needs for caching" in told["cache_plan"][0]
    printed = retouch("show", "output/GET_pets", "--cost").output
    assert "2 requests sent again after" in printed
    assert "answered 529" in printed
    assert "cache: the system text is not marked" in printed

"""Another model's answers beside what stands, over a server, from the command line."""

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
    Point = Callable[[ModelServer], None]

MODEL = "anthropic:claude-haiku-4-5?first_wait_s=0.01"


def comparing(pets: Path, *more: str) -> tuple[str, ...]:
    return ("regenerate", str(pets), "--compare", "--model", MODEL, "--compiler", "none", *more)


def test_a_comparison_is_asked_like_everything_else(retouch: Retouch, pets: Path, point: Point) -> None:
    with serving(faults=[FAULTS["529"], None, FAULTS["500"]]) as server:
        point(server)
        done = retouch(*comparing(pets, "--json"))
        pages = len(server.calls) - 2
        assert (0, pages) == (done.exit_code, json.loads(done.stdout)["calls"]), done.output
        again = retouch(*comparing(pets))
        assert (0, pages) == (again.exit_code, len(server.calls) - 2), again.output
    told = json.loads(retouch("show", str(pets), "--cost", "--json").stdout)
    assert (2, 0) == (told["transport"]["retries"], told["transport"]["surrenders"])
    assert "fewer than the 4096 from which this model caches" in told["cache_plan"][0]
    assert 0 < told["cost"]["by_why"]["compare"]["cost"]


def test_a_comparison_stops_at_its_limit_of_cost_and_goes_on_with_a_higher_one(
    retouch: Retouch, pets: Path, point: Point
) -> None:
    with serving() as server:
        point(server)
        stopped = retouch(*comparing(pets, "--max-cost", "0.043", "--concurrency", "1", "--json"))
        bought = len(server.calls)
        assert (3, True) == (stopped.exit_code, bought > 0), stopped.output
        assert bought == json.loads(stopped.stdout)["calls"]
        done = retouch(*comparing(pets, "--max-cost", "5", "--json"))
        assert (0, len(server.calls) - bought) == (done.exit_code, json.loads(done.stdout)["calls"]), done.output
    assert {"NOT_COMPILED"} == {code for one in json.loads(done.stdout)["compare"] for code in one["other"]["issues"]}


def test_a_comparison_does_not_become_the_model_of_the_run(retouch: Retouch, pets: Path, point: Point) -> None:
    with serving() as server:
        point(server)
        retouch(*comparing(pets))
        calls = len(server.calls)
        again = retouch("regenerate", str(pets), "--type", "PetDataObject", "--compiler", "none", "--json")
        resumed = retouch("resume", str(pets))
        assert (0, 0, calls) == (again.exit_code, resumed.exit_code, len(server.calls)), again.output
    assert 0 < json.loads(again.stdout)["calls"]


def test_a_comparison_of_stale_prompts_needs_a_word(
    retouch: Retouch, pets: Path, make_stale: Callable[[Path], None]
) -> None:
    make_stale(pets)
    words = ("regenerate", str(pets), "--compare", "--compiler", "none")
    refused = retouch(*words)
    assert 2 == refused.exit_code
    assert "--ignore-stale" in refused.output
    assert 0 == retouch(*words, "--ignore-stale").exit_code


@pytest.mark.parametrize(
    ("option", "word"), [("--correction", "Prices are decimals."), ("--repaginate", "PetDataObject")]
)
def test_what_a_comparison_cannot_do_is_misuse(retouch: Retouch, pets: Path, option: str, word: str) -> None:
    refused = retouch("regenerate", str(pets), "--compare", option, word)
    assert 2 == refused.exit_code
    assert option in refused.output

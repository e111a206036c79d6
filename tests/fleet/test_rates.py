"""One set of rate limits for all processes of a machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from retouch.fleet.rates import FleetRates

if TYPE_CHECKING:
    from pathlib import Path


@dataclass
class Clock:
    """A clock that a test moves."""

    at: float = 1_000.0

    def __call__(self) -> float:
        return self.at


def sent(rates: list[FleetRates], clock: Clock, seconds: float, tokens: int = 0) -> int:
    """Return how many permits processes take together in some seconds, each as many as it gets."""
    end, number = clock.at + seconds, 0
    while clock.at < end:
        waits: list[float] = []
        for one in rates:
            found, _, _, wait_s = one.take(tokens)
            number += found
            waits.append(wait_s)
        clock.at += max(min(waits), 0.01)
    return number


@pytest.mark.parametrize("processes", [1, 4])
def test_calls_per_minute_are_those_of_all_processes_together(processes: int, tmp_path: Path) -> None:
    clock = Clock()
    rates = [FleetRates(place=tmp_path / "rates", requests_per_minute=300, clock=clock) for _ in range(processes)]
    assert 290 <= sent(rates, clock, 60.0) <= 300


@pytest.mark.parametrize("processes", [1, 4])
def test_tokens_per_minute_are_those_of_all_processes_together(processes: int, tmp_path: Path) -> None:
    clock = Clock()
    rates = [FleetRates(place=tmp_path / "rates", tokens_per_minute=60_000, clock=clock) for _ in range(processes)]
    assert 55_000 <= 100 * sent(rates, clock, 60.0, tokens=100) <= 60_000


def test_most_calls_need_no_message(tmp_path: Path) -> None:
    clock = Clock()
    rates = FleetRates(place=tmp_path / "rates", clock=clock)
    number = sent([rates], clock, 6.0)
    state = rates.read()
    assert number == state.requests
    assert number > 500


def test_a_burst_of_refusals_lowers_the_rate_of_all_once(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (FleetRates(place=tmp_path / "rates", clock=clock) for _ in range(2))
    _, _, cuts, _ = one.take(0)
    before = one.read().rate
    for _ in range(20):
        two.refused(cuts, 0.0)
    assert 0.6 * before == pytest.approx(one.read().rate)


def test_a_requested_wait_holds_for_all_processes(tmp_path: Path) -> None:
    clock = Clock()
    one, two = (FleetRates(place=tmp_path / "rates", clock=clock) for _ in range(2))
    _, _, cuts, _ = one.take(0)
    one.refused(cuts, 30.0)
    assert (0, 30.0) == (two.take(0)[0], pytest.approx(two.take(0)[3]))
    clock.at += 31.0
    assert 1 <= two.take(0)[0]


def test_a_state_that_cannot_be_read_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "rates").write_bytes(b"half")
    assert 1 <= FleetRates(place=tmp_path / "rates", clock=Clock()).take(0)[0]

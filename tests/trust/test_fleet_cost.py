"""Ways in which a fleet could cost more than its limit."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.targets import Targets
from retouch.engine.types import Reply
from retouch.engine.verbs import regenerate
from retouch.errors import BadInput
from retouch.fleet import FleetResult, run, status
from retouch.fleet.job import fleet_place
from retouch.fleet.limits import CostAccount
from retouch.fleet.shards import WorkerId, dumped
from retouch.models.named import NamedModel
from tests.fleet.recipes import RECORDS, together, translated

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import OnEvent, Request

MODEL = "openai:gpt-5-mini?price_in=1000&price_out=1000"
COST = 0.2  # of a call
MOST = {"max_output_tokens": 100, "concurrency": 1}


class PaidModel:
    """A model whose every call costs 20 cents, and which stops a command after `stop_after` calls, like Ctrl-C."""

    def __init__(self, stop_after: int = 99) -> None:
        self.calls = 0
        self._stop_after = stop_after
        self.model = NamedModel(name=MODEL, answer=self._answer)

    async def _answer(self, request: Request, _on_event: OnEvent | None) -> Reply:
        if self.calls == self._stop_after:
            raise KeyboardInterrupt
        self.calls += 1
        return Reply(text=translated(request), model=MODEL, input_tokens=150, output_tokens=50)


def fleet_of(directory: Path, paid: PaidModel, max_cost_usd: float | None = None, shard_size: int = 1) -> FleetResult:
    settings: dict[str, Any] = {**MOST, "max_cost_usd": max_cost_usd, "shard_size": shard_size}
    return run(together, RECORDS, directory, model=paid.model, **settings)


def used(directory: Path) -> float:
    state = CostAccount(store=fleet_place(str(directory)).store).state()
    assert state is not None
    return state.used_usd


def test_what_a_command_without_a_limit_has_spent_counts_for_the_next_one_with_a_limit(tmp_path: Path) -> None:
    first = PaidModel()
    assert "limit" == fleet_of(tmp_path, first, 0.5).stopped
    assert first.calls in {1, 2}
    with pytest.raises(KeyboardInterrupt):
        fleet_of(tmp_path, PaidModel(stop_after=2))
    third = PaidModel()
    assert "limit" == fleet_of(tmp_path, third, 0.8).stopped
    assert 0 == third.calls
    assert used(tmp_path) >= COST * (first.calls + 2) - 1e-9


def test_a_run_of_a_fleet_that_was_regenerated_alone_counts(tmp_path: Path) -> None:
    from retouch._lib.run_sync import run_sync

    first = PaidModel()
    fleet_of(tmp_path, first, 0.7)
    before = used(tmp_path)
    run_sync(regenerate(together, tmp_path / "runs" / "00000.e1", PaidModel().model, Targets()))
    fleet_of(tmp_path, PaidModel(), 0.7)
    assert used(tmp_path) >= before + COST - 1e-9


def test_an_account_that_was_removed_is_made_again_from_the_ledgers(tmp_path: Path) -> None:
    first = PaidModel()
    fleet_of(tmp_path, first, 0.9)
    before = used(tmp_path)
    shutil.rmtree(tmp_path / "limits")
    shutil.rmtree(tmp_path / "claims")
    again = PaidModel()
    assert "limit" == fleet_of(tmp_path, again, 0.9).stopped
    assert COST * (first.calls + again.calls) <= 0.9
    assert used(tmp_path) >= before - 1e-9


@pytest.mark.parametrize(("running", "new"), [(None, 1.0), (1.0, None)])
def test_commands_with_and_without_a_limit_do_not_run_at_the_same_time(
    running: float | None, new: float | None, tmp_path: Path
) -> None:
    fleet_of(tmp_path, PaidModel(), 0.5)
    other = {**vars(WorkerId.own()), "state": "running", "beat": 1, "max_cost": running}
    fleet_place(str(tmp_path)).store.put("status/other.json", dumped(other))
    paid = PaidModel()
    with pytest.raises(BadInput, match=rf"a worker of this fleet is running .*{os.getpid()}"):
        fleet_of(tmp_path, paid, new)
    assert 0 == paid.calls


def test_a_fleet_that_its_limit_has_stopped_is_exhausted_until_the_limit_is_raised(tmp_path: Path) -> None:
    fleet_of(tmp_path, PaidModel(), 0.5)
    later = {"why": "interrupted", "detail": "", "worker": "other", "at": "9999-01-01T00:00:00Z"}
    fleet_place(str(tmp_path)).store.put("claims/00005/e1.released", dumped(later))
    claim = json.loads(next((tmp_path / "claims").glob("*/e1")).read_bytes())
    fleet_place(str(tmp_path)).store.put("claims/00005/e1", dumped({**claim, "shard": 5}))
    assert ("exhausted", 3) == (status(tmp_path).status, status(tmp_path).exit_status)
    with pytest.raises(KeyboardInterrupt):
        fleet_of(tmp_path, PaidModel(stop_after=0), 5.0)
    assert "incomplete" == status(tmp_path).status


def test_paid_answers_of_a_shard_whose_claim_was_removed_are_kept_and_counted(tmp_path: Path) -> None:
    first = PaidModel(stop_after=3)
    with pytest.raises(KeyboardInterrupt):
        fleet_of(tmp_path, first, 5.0, shard_size=6)
    shutil.rmtree(tmp_path / "claims")
    shutil.rmtree(tmp_path / "limits")
    again = PaidModel()
    found = fleet_of(tmp_path, again, 5.0, shard_size=6).status
    assert ("verified", 3) == (found.status, again.calls)
    assert COST * 6 <= used(tmp_path)

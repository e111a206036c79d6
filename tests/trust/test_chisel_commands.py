"""Ways in which the commands of the chisel recipe could believe too little work, pay twice, or spend too much."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.models.offline import offline
from retouch.testing import model_server
from tests.cli.conftest import desk, point, retouch, work_folder
from tests.recipes.chisel.commands.test_batch import COUNTER_DIFF
from tests.recipes.chisel.scenes import COMPILER, RIGHT, UNKNOWN, carry
from tests.trust.test_chisel import ABOVE, HAS_FIX

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    from retouch.testing import ModelServer
    from tests.recipes.chisel.chisel_desk import Desk

__all__ = ["desk", "point", "retouch", "work_folder"]  # fixtures

KEYS = ("status", "applied", "calls")


def proofs_run(desk: Desk) -> int:
    return int((desk.folder / "count").read_text())


def test_apply_runs_the_proof_again_only_if_the_workspace_has_changed(desk: Desk) -> None:
    (desk.folder / "count").write_text("0")
    words = ("--lec", f"{ABOVE}; {HAS_FIX}", "--check-unconfined", "--json")
    assert "verified" == json.loads(desk.mend(*words, answers=[carry(RIGHT)]).stdout)["status"]
    first = proofs_run(desk)
    assert "verified" == json.loads(desk.mend(*words).stdout)["status"]
    assert first == proofs_run(desk)
    (desk.folder / "alu/notes.txt").write_text("another file of the workspace\n")
    applied = desk.mend(*words, "--apply")
    assert ("verified", ["src/Alu.scala"], 0) == tuple(json.loads(applied.stdout)[key] for key in KEYS)
    assert first + 4 == proofs_run(desk)  # twice as it is, and twice with the fix
    assert RIGHT in (desk.folder / "alu/src/Alu.scala").read_text()


def test_a_proof_that_holds_at_every_second_call_is_not_applied_to_a_changed_workspace(desk: Desk) -> None:
    (desk.folder / "count").write_text("0")
    flaky = f"test ! -f alternates || {{ {ABOVE}; test $((n % 2)) -eq 1; exit; }}; {HAS_FIX}"
    words = ("--lec", flaky, "--check-unconfined", "--json")
    assert "verified" == json.loads(desk.mend(*words, answers=[carry(RIGHT)]).stdout)["status"]
    (desk.folder / "alu/alternates").write_text("from now on, the script is worth nothing\n")
    before = desk.tree()
    result = desk.mend(*words, "--apply")
    assert ("unverified", []) == tuple(json.loads(result.stdout)[key] for key in KEYS[:2])
    assert (1, before) == (result.exit_code, desk.tree())


def batch(desk: Desk, bugs: list[dict[str, str]], answers: list[str] | None, *more: str) -> Result:
    """Run the command over a list of bugs, with these answers of the model."""
    if answers is not None:
        (desk.folder / "told.calls").unlink(missing_ok=True)
        (desk.folder / "told.json").write_text(json.dumps(answers))
    (desk.folder / "bugs.json").write_text(json.dumps(bugs))
    words = ["bugs.json", "--source", "alu/src", "--workspace", "alu", "-o", "out", "--compile", COMPILER, "--json"]
    return desk.retouch("chisel", "batch", *words, "--model", "told:told.json", *more)


def statuses(result: Result) -> list[str]:
    return [bug["status"] for bug in json.loads(result.stdout)["bugs"]]


CARRY = {"id": "carry", "diff": "alu/wanted.diff"}
COUNT = {"id": "carry", "unified_diff": COUNTER_DIFF}


def test_a_bug_whose_diff_was_replaced_does_not_inherit_the_proof_of_the_old_one(desk: Desk) -> None:
    lec = ("--lec", HAS_FIX)
    assert ["verified"] == statuses(batch(desk, [CARRY], [carry(RIGHT)], *lec))
    other = batch(desk, [COUNT], ["NOT HERE: elsewhere"] * 40, *lec, "--retries", "0", "--candidates", "1")
    assert ["exhausted"] == statuses(other)
    assert 3 == other.exit_code


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["exit 1", "echo UNKNOWN; exit 1", f"{HAS_FIX} && test ! -f src/Alu.scala"])
def test_a_bug_that_was_proved_is_judged_again_by_another_script(desk: Desk, changed: str) -> None:
    assert ["verified"] == statuses(batch(desk, [CARRY], [carry(RIGHT)], "--lec", HAS_FIX))
    again = batch(desk, [CARRY], ["NOT HERE: elsewhere"] * 40, "--lec", changed, "--retries", "0")
    assert "verified" not in statuses(again)
    assert 0 != again.exit_code


def test_a_list_in_which_one_bug_is_not_proved_is_not_verified(desk: Desk) -> None:
    bugs = [CARRY, {**COUNT, "id": "count"}]
    result = batch(desk, bugs, [carry(RIGHT), *["NOT HERE: elsewhere"] * 40], "--lec", HAS_FIX, "--candidates", "1")
    assert ["verified", "exhausted"] == statuses(result)
    assert (3, "exhausted") == (result.exit_code, json.loads(result.stdout)["status"])


def test_the_same_diff_twice_is_paid_once_and_proved_once(desk: Desk) -> None:
    result = batch(desk, [CARRY, {**CARRY, "id": "again"}], [carry(RIGHT)], "--lec", HAS_FIX)
    assert (["verified", "failed"], 1) == (statuses(result), desk.calls())
    assert 0 != result.exit_code


@pytest.mark.parametrize("name", ["outcomes.json", "trials.jsonl"])
def test_no_bug_takes_the_place_of_the_table_or_of_the_trials(desk: Desk, name: str) -> None:
    result = batch(desk, [{**CARRY, "id": name}], [carry(RIGHT)], "--lec", HAS_FIX)
    assert 2 == result.exit_code
    assert "is the name of a file" in result.output
    assert 0 == desk.calls()


@pytest.mark.parametrize("rtl", ["missing", "alu/wanted.diff"])
def test_verilog_that_is_not_there_ends_the_bug_before_a_model_is_asked(desk: Desk, rtl: str) -> None:
    result = batch(desk, [{**CARRY, "rtl": rtl}], [carry(RIGHT)], "--lec", HAS_FIX)
    assert ((2, 0), ["failed"]) == ((result.exit_code, desk.calls()), statuses(result))


def test_a_batch_that_its_cost_limit_stopped_sends_nothing_the_second_time(
    desk: Desk, point: Callable[[ModelServer], None]
) -> None:
    bugs = [CARRY, {**COUNT, "id": "count"}, {**COUNT, "id": "third", "unified_diff": COUNTER_DIFF.replace("-9", "-8")}]
    words = ("--model", "anthropic:claude-haiku-4-5", "--max-cost", "0.1", "--lec", HAS_FIX)
    with model_server(offline(lambda _prompt: carry(UNKNOWN))) as server:
        point(server)
        first = batch(desk, bugs, None, *words)
        sent = len(server.calls)
        again = batch(desk, bugs, None, *words)
        assert (3, 3) == (first.exit_code, again.exit_code), first.output
        assert 0 < sent == len(server.calls)
    assert "verified" not in [*statuses(first), *statuses(again)]
    assert json.loads(first.stdout)["cost"] == json.loads(again.stdout)["cost"] <= 0.1

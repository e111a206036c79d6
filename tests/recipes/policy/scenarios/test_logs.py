"""Past calls of a log are decided again by another policy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from retouch.errors import BadInput
from retouch.policy import Guard
from retouch.recipes.policy.scenarios.logs import read_log, replay_log
from tests.recipes.policy.english.ordinary_sentences import policy_of

if TYPE_CHECKING:
    from pathlib import Path

SMALL = {"order_id": "1", "amount": 20}
LARGE = {"order_id": "1", "amount": 70}


def test_the_audit_of_a_guard_is_decided_again(tmp_path: Path):
    policy = policy_of("support", "Refunds are fine.")
    guard = Guard(policy, audit=tmp_path / "audit.jsonl", allow_unverified=True)
    guard.decide("shop", "issue_refund", SMALL)
    guard.decide("shop", "issue_refund", LARGE)
    stricter = policy_of("support", "Refunds under 50 are fine, everything above needs approval.")
    found = replay_log(stricter, read_log(tmp_path / "audit.jsonl"))
    assert [("allow", "allow"), ("allow", "escalate")] == [(one.past.was, one.now.decision) for one in found]
    assert [False, True] == [one.changed for one in found]


def test_calls_without_decisions_are_decided(tmp_path: Path):
    line = json.dumps({"serverName": "shop", "toolName": "issue_refund", "arguments": SMALL})
    (tmp_path / "calls.jsonl").write_text(f"{line}\n\n{line}\n", encoding="utf-8")
    found = read_log(tmp_path / "calls.jsonl")
    assert [(1, None), (3, None)] == [(one.line, one.was) for one in found]


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", '{"event": "unknown", "server": "a"}\n'])
def test_a_log_that_is_none_is_refused(tmp_path: Path, text: str):
    (tmp_path / "calls.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        read_log(tmp_path / "calls.jsonl")

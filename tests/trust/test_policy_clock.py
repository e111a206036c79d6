"""The time of a call is that of the machine, whatever times the counts of earlier calls have."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from retouch.policy import Guard, Policy

if TYPE_CHECKING:
    from pathlib import Path

TOOLS: Any = {"servers": {"shop": {"tools": [{"toolName": "pay", "args": {"amount": ["none"]}}]}}}


def guarded(at: datetime) -> Policy:
    """Return a policy that allows calls within an hour of this time of the day."""
    hours = "-".join(f"{at + timedelta(hours=step):%H:%M}" for step in (-1, 1))
    rules: list[Any] = [
        {"name": "limit", "if": {"where": [{"count": "calls", "per": "day", "above": 9}]}, "then": "deny"},
        {"name": "pay", "if": {"tool": ["pay"], "where": [{"hours": [hours]}]}, "then": "allow"},
    ]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": rules, "servers": {}, "annotations": TOOLS}
    return replace(Policy.of_json(value | {"timeZone": "UTC"}), verified=True)


@pytest.mark.parametrize(("ahead", "allowed"), [(0, True), (6, False)])
def test_a_clock_that_was_set_back_does_not_stop_at_an_hour_that_is_allowed(
    tmp_path: Path, ahead: int, *, allowed: bool
) -> None:
    later = datetime.now(UTC) + timedelta(days=30, hours=ahead)  # a call was counted then, and the clock was corrected
    line = {"at": later.timestamp(), "counts": {"pay": {"calls": 1}}}
    (tmp_path / "counts").write_text(json.dumps(line) + "\n", encoding="utf-8")
    guard = Guard(guarded(later), counts=tmp_path / "counts")
    assert allowed is guard.decide("shop", "pay", {"amount": 1}).allowed

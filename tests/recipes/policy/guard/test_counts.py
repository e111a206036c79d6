"""The counts of a guard: on disk before a call is made, whatever happens, and shared by all guards of a policy."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.policy import Guard, Policy
from retouch.recipes.policy.deciding.counting import CallTally
from retouch.recipes.policy.guard.core import counts_path
from retouch.recipes.policy.guard.counts import CallCounts
from retouch.recipes.policy.guard.hook import HookOptions, hook_answer
from retouch.recipes.policy.language.values import PERIOD_S
from retouch.recipes.policy.scenarios.logs import read_log, replay_log

if TYPE_CHECKING:
    from pathlib import Path

TOOLS: Any = {"servers": {"claude": {"tools": [{"toolName": "pay", "args": {"amount": ["none"]}}]}}}


def policy(*, most: int = 3, then: str = "deny", **more: Any) -> Policy:
    limit = {"count": "calls", "per": "day", "above": most}
    rules: list[Any] = [
        {"name": "limit", "if": {"tool": ["pay"], "where": [limit]}, "then": then},
        {"name": "pay", "if": {"tool": ["pay"]}, "then": "allow"},
    ]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": rules, "servers": {}, "annotations": TOOLS, **more}
    return replace(Policy.of_json(value), verified=True)


def stored(directory: Path, of: Policy) -> Path:
    file = directory / "policy.json"
    file.write_text(json.dumps(of.as_json()), encoding="utf-8")
    return file


def allowed(guard: Guard, times: int) -> list[bool]:
    return [guard.decide("claude", "pay", {"amount": 1}).allowed for _ in range(times)]


def test_a_policy_object_with_limits_needs_a_file_of_counts(tmp_path: Path):
    with pytest.raises(BadInput, match="no file to count"):
        Guard(policy())
    assert [True, True, True, False] == allowed(Guard(policy(), counts=tmp_path / "counts"), 4)


def test_counts_outlive_the_guard_and_are_found_by_the_path_of_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    file = stored(tmp_path, policy())
    assert [True, True] == allowed(Guard(tmp_path), 2)
    assert counts_path(file).is_file()
    assert "amount" not in counts_path(file).read_text(encoding="utf-8")
    assert [True, False] == allowed(Guard(file), 2)


def test_a_changed_bound_keeps_the_count_after_a_reload(tmp_path: Path):
    stored(tmp_path, policy())
    guard = Guard(tmp_path, counts=tmp_path / "counts")
    assert [True, True, True, False] == allowed(guard, 4)
    stored(tmp_path, policy(most=4, home="/home/bob"))
    assert [True, False] == allowed(guard, 2)


def test_a_call_that_was_denied_or_refused_does_not_count(tmp_path: Path):
    guard = Guard(policy(most=1, then="escalate"), counts=tmp_path / "counts", ask=lambda _: False)
    assert [True, False, False] == allowed(guard, 3)
    assert 1 == len((tmp_path / "counts").read_text(encoding="utf-8").splitlines())
    willing = Guard(policy(most=1, then="escalate"), counts=tmp_path / "counts", ask=lambda _: True)
    assert [True, True] == allowed(willing, 2)
    assert 3 == len((tmp_path / "counts").read_text(encoding="utf-8").splitlines())


def test_guards_at_work_together_never_let_more_through_than_the_limit(tmp_path: Path):
    guards = [Guard(policy(most=7), counts=tmp_path / "counts") for _ in range(4)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(allowed, guards * 10, [1] * 40))
    assert 7 == sum(one for answers in found for one in answers)


SPENDING = """
import json, sys
from dataclasses import replace
from retouch.policy import Guard, Policy
policy = replace(Policy.of_json(json.loads(sys.argv[1])), verified=True)
guard = Guard(policy, counts=sys.argv[2])
while True:
    print(int(guard.decide("claude", "pay", {"amount": 1}).allowed), flush=True)
"""


def test_counts_survive_kill_9_of_several_guards_at_work(tmp_path: Path):
    arguments = [json.dumps(policy(most=60).as_json()), str(tmp_path / "counts")]
    running = [subprocess.Popen([sys.executable, "-c", SPENDING, *arguments], stdout=subprocess.PIPE) for _ in range(2)]
    made = 0
    for process in running:
        assert process.stdout is not None
        made += sum(int(process.stdout.readline()) for _ in range(10))
    for process in running:
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        made += out.decode().splitlines().count("1")
    left = sum(allowed(Guard(policy(most=60), counts=tmp_path / "counts"), 61))
    assert made <= 60 - left <= made + 2  # a call may be counted and its process killed before it is printed


EACH: Any = {
    "semantics": 3,
    "home": "/home/ada",
    "servers": {},
    "annotations": {"servers": {"mail": {"tools": [{"toolName": "send", "args": {"to": ["email-address"]}}]}}},
    "rules": [
        {
            "name": "limit",
            "if": {"tool": ["send"], "where": [{"count": "calls", "per": "day", "same": "to", "above": 20}]},
            "then": "deny",
        },
        {"name": "send", "if": {"tool": ["send"]}, "then": "allow"},
    ],
}
SENDING = """
import json, sys
from dataclasses import replace
from retouch.policy import Guard, Policy
policy = replace(Policy.of_json(json.loads(sys.argv[1])), verified=True)
guard = Guard(policy, counts=sys.argv[2])
while True:
    for to in ("bob@x.example", "Ann@x.example"):
        print(to, int(guard.decide("mail", "send", {"to": to}).allowed), flush=True)
"""


def test_counts_for_each_value_survive_kill_9(tmp_path: Path):
    arguments = [json.dumps(EACH), str(tmp_path / "counts")]
    process = subprocess.Popen([sys.executable, "-c", SENDING, *arguments], stdout=subprocess.PIPE)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(25)]
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate()
    printed = [line.decode().split() for line in (*lines, *out.splitlines(keepends=True)) if line.endswith(b"\n")]
    guard = Guard(replace(Policy.of_json(EACH), verified=True), counts=tmp_path / "counts")
    for said, other in (("bob@x.example", "Bob <BOB@x.example>"), ("Ann@x.example", "ann@x.example")):
        made = printed.count([said, "1"])
        left = sum(guard.decide("mail", "send", {"to": other}).allowed for _ in range(21))
        assert made <= 20 - left <= made + 1  # the last call may be counted and the process killed before it is printed
    assert "@" not in (tmp_path / "counts").read_text(encoding="utf-8")
    assert guard.decide("mail", "send", {"to": "eve@x.example"}).allowed


@pytest.mark.parametrize("torn", [b'{"at":1', b"\0\0", b'{"at":9e9,"counts":{}}'])
def test_a_line_that_a_crash_cut_off_counts_nothing_and_stops_nothing(tmp_path: Path, torn: bytes):
    file = tmp_path / "counts"
    assert [True, True] == allowed(Guard(policy(), counts=file), 2)
    with file.open("ab") as out:
        out.write(torn)
    assert [True, False] == allowed(Guard(policy(), counts=file), 2)
    assert [False] == allowed(Guard(policy(), counts=file), 1)


@pytest.mark.parametrize("line", [b"garbage\n", b'{"at":"x","counts":{}}\n', b"[]\n"])
def test_a_damaged_count_or_an_unusable_file_denies(tmp_path: Path, line: bytes):
    file = tmp_path / "counts"
    guard = Guard(policy(), counts=file)
    assert [True] == allowed(guard, 1)
    file.write_bytes(line + file.read_bytes())
    assert [False] == allowed(Guard(policy(), counts=file), 1)
    assert [False] == allowed(Guard(policy(), counts=tmp_path), 1)


def test_a_clock_that_is_set_back_forgets_no_call(tmp_path: Path):
    times = [1_000_000.0]
    counts = CallCounts(tmp_path / "counts", clock=lambda: times[0])
    for _ in range(3):
        with counts.locked() as one:
            one.add({"s": {"calls": 1}})
    times[0] -= 5 * PERIOD_S["day"]
    with counts.locked() as one:
        assert (3, 1_000_000.0) == (one.spent(("s",), "calls", "day"), one.now)
    times[0] = 1_000_000.0 + PERIOD_S["day"]
    with counts.locked() as one:
        assert 0 == one.spent(("s",), "calls", "day")
        assert 3 == one.spent(("s",), "calls", "week")


def test_a_large_file_is_shortened_without_losing_a_recent_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("retouch.recipes.policy.guard.counts.LARGE", 100)
    file, times = tmp_path / "counts", [0.0]
    for at in (1.0, 2.0, 90 * 86400.0, 90 * 86400.0 + 5):
        times[0] = at
        with CallCounts(file, clock=lambda: times[0]).locked() as one:
            one.add({"s": {"calls": 1}})
    with CallCounts(file, clock=lambda: times[0]).locked() as one:
        assert 2 == one.spent(("s",), "calls", "month")
    assert 2 == len(file.read_text(encoding="utf-8").splitlines())


def test_in_shadow_mode_calls_count_because_they_are_made(tmp_path: Path):
    guard = Guard(policy(most=1), counts=tmp_path / "counts", shadow=True)
    assert ["allow", "deny", "deny"] == [guard.decide("claude", "pay", {"amount": 1}).decision for _ in range(3)]
    assert 3 == len((tmp_path / "counts").read_text(encoding="utf-8").splitlines())


def test_each_call_of_a_hook_counts(tmp_path: Path):
    event = json.dumps({"hook_event_name": "PreToolUse", "tool_name": "pay", "tool_input": {"amount": 1}})
    options = HookOptions(server="claude", counts=tmp_path / "counts")
    answers: list[Any] = [hook_answer(event, policy(most=2), options) for _ in range(3)]
    assert ["allow", "allow", "deny"] == [one["hookSpecificOutput"]["permissionDecision"] for one in answers]


def test_a_replayed_log_counts_what_the_policy_allows(tmp_path: Path):
    guard = Guard(policy(most=9), counts=tmp_path / "counts", audit=tmp_path / "audit.jsonl")
    assert [True] * 5 == allowed(guard, 5)
    replayed = replay_log(policy(most=2), read_log(tmp_path / "audit.jsonl"))
    assert ["allow", "allow", "deny", "deny", "deny"] == [one.now.decision for one in replayed]


def test_forgotten_calls_change_no_total(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("retouch.recipes.policy.deciding.counting.MANY", 2)
    tally = CallTally()
    for at in range(10):
        tally.add(float(at), {"s": {"amount": 0.1, "calls": 1}})
    assert 1.0 == tally.spent_at(9.0)(("s",), "amount", "minute")
    tally.forget(5.0)
    assert 0.3 == tally.spent_at(66.5)(("s",), "amount", "minute")
    tally.add(10.0, {"s": {"amount": None, "calls": 1}})
    assert tally.spent_at(69.0)(("s",), "amount", "minute") is None
    assert 0 == tally.spent_at(70.0)(("s",), "amount", "minute")

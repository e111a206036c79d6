"""What a guard let through before: on disk before a call is made, remembered by all guards, and small."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.policy import Guard, Policy
from retouch.recipes.policy.guard import counts as counts_module
from retouch.recipes.policy.guard.counts import CallCounts
from retouch.recipes.policy.guard.hook import HookOptions, hook_answer
from retouch.recipes.policy.language.values import PERIOD_S
from retouch.recipes.policy.scenarios.logs import read_log, replay_log

if TYPE_CHECKING:
    from pathlib import Path

DAY_S, MONTH_S = PERIOD_S["day"], PERIOD_S["month"]


def policy(*, cordon: str = "allow", **more: Any) -> Policy:
    test = {"after": "cordon", "same": "node", **more}
    rules: list[Any] = [
        {"name": "first", "if": {"server": ["k8s"], "tool": ["drain"], "unless": [test]}, "then": "deny"},
        {"name": "drain", "if": {"server": ["k8s"], "tool": ["drain"]}, "then": "allow"},
        {"name": "cordon", "if": {"server": ["k8s"], "tool": ["cordon"]}, "then": cordon},
    ]
    tools = [{"toolName": name, "args": {"node": ["none"]}} for name in ("cordon", "drain")]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": rules, "servers": {}}
    return replace(Policy.of_json(value | {"annotations": {"servers": {"k8s": {"tools": tools}}}}), verified=True)


def allowed(guard: Guard, tool: str, node: str) -> bool:
    return guard.decide("k8s", tool, {"node": node}).allowed


def test_a_guard_remembers_what_it_let_through_and_so_does_the_next_one(tmp_path: Path):
    guard = Guard(policy(), counts=tmp_path / "counts")
    assert not allowed(guard, "drain", "a")
    assert allowed(guard, "cordon", "a")
    assert allowed(guard, "drain", "a")
    assert not allowed(guard, "drain", "b")
    again = Guard(policy(), counts=tmp_path / "counts")
    assert [True, False] == [allowed(again, "drain", one) for one in ("a", "b")]
    text = (tmp_path / "counts").read_text(encoding="utf-8")
    assert 1 == len(text.splitlines())
    assert '"a"' not in text


def test_a_policy_object_with_such_rules_needs_a_file(tmp_path: Path):
    with pytest.raises(BadInput, match="no file to count"):
        Guard(policy())
    assert not allowed(Guard(policy(), counts=tmp_path / "counts"), "drain", "a")


def test_a_call_that_was_denied_or_refused_was_not_called(tmp_path: Path):
    denying = Guard(policy(cordon="deny"), counts=tmp_path / "counts")
    assert [False, False] == [allowed(denying, one, "a") for one in ("cordon", "drain")]
    refusing = Guard(policy(cordon="escalate"), counts=tmp_path / "counts", ask=lambda _: False)
    assert [False, False] == [allowed(refusing, one, "a") for one in ("cordon", "drain")]
    willing = Guard(policy(cordon="escalate"), counts=tmp_path / "counts", ask=lambda _: True)
    assert [True, True] == [allowed(willing, one, "a") for one in ("cordon", "drain")]


CORDONING = """
import json, sys
from dataclasses import replace
from retouch.policy import Guard, Policy
policy = replace(Policy.of_json(json.loads(sys.argv[1])), verified=True)
guard = Guard(policy, counts=sys.argv[2])
number = 0
while True:
    number += 1
    if guard.decide("k8s", "cordon", {"node": f"{sys.argv[3]}{number}"}).allowed:
        print(f"{sys.argv[3]}{number}", flush=True)
"""


def test_nothing_is_forgotten_after_kill_9_of_several_guards_at_work(tmp_path: Path):
    arguments = [json.dumps(policy().as_json()), str(tmp_path / "counts")]
    running = [
        subprocess.Popen([sys.executable, "-c", CORDONING, *arguments, name], stdout=subprocess.PIPE) for name in "ab"
    ]
    made: list[str] = []
    for process in running:
        assert process.stdout is not None
        made += [process.stdout.readline().decode().strip() for _ in range(10)]
    for process in running:
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        made += [one for one in out.decode().split("\n")[:-1] if one]
    guard = Guard(policy(), counts=tmp_path / "counts")
    assert [True] * len(made) == [allowed(guard, "drain", one) for one in made]
    assert not allowed(guard, "drain", "c1")


def test_a_line_that_a_crash_cut_off_was_not_called(tmp_path: Path):
    assert allowed(Guard(policy(), counts=tmp_path / "counts"), "cordon", "a")
    whole = (tmp_path / "counts").read_bytes()
    (tmp_path / "counts").write_bytes(whole[: len(whole) // 2])
    guard = Guard(policy(), counts=tmp_path / "counts")
    assert not allowed(guard, "drain", "a")
    assert allowed(guard, "cordon", "b")
    assert [False, True] == [allowed(guard, "drain", one) for one in "ab"]


def test_a_broken_line_denies_instead_of_forgetting(tmp_path: Path):
    (tmp_path / "counts").write_text('{"at": 1, "counts": {"after-x": {"any": "x"}}}\n', encoding="utf-8")
    assert not allowed(Guard(policy(), counts=tmp_path / "counts"), "cordon", "a")


def called(counts: CallCounts, subject: str, per: Any = None) -> float | None:
    with counts.locked() as one:
        return one.spent(("after-x",), subject, per)


def test_a_large_file_is_shortened_to_the_last_time_of_each_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    now = 10 * MONTH_S
    lines = [{"at": number, "counts": {"after-x": {"any": 1, "~n": 1}, "t": {"calls": 1}}} for number in range(1, 2000)]
    lines += [{"at": 5, "counts": {"after-x": {"any": 1, "=old": 1}}}, {"at": now - 9, "counts": {"t": {"calls": 1}}}]
    (tmp_path / "counts").write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    monkeypatch.setattr(counts_module, "LARGE", 1)
    counts = CallCounts(tmp_path / "counts", clock=lambda: now)
    assert [1, 1, 1, 0] == [called(counts, one) for one in ("any", "~n", "=old", "=new")]
    assert 0 == called(counts, "any", "month")
    with counts.locked() as one:
        assert 1 == one.spent(("t",), "calls", "day")
    assert 3 >= len((tmp_path / "counts").read_text(encoding="utf-8").splitlines())


def test_while_the_clock_is_behind_it_is_uncertain_what_was_called_recently(tmp_path: Path):
    times = [1000.0]
    counts = CallCounts(tmp_path / "counts", clock=lambda: times[0])
    with counts.locked() as one:
        one.add({"after-x": {"any": 1}})
    assert [1, 1] == [called(counts, "any", per) for per in ("hour", None)]
    times[0] -= 10
    assert [None, 1] == [called(counts, "any", per) for per in ("hour", None)]
    assert 0 == called(counts, "=a", "hour")


def event(tool: str) -> str:
    name = f"mcp__k8s__{tool}"
    return json.dumps({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": {"node": "a"}, "cwd": "/x"})


@pytest.mark.parametrize(("cordon", "decision"), [("allow", "allow"), ("escalate", "deny")])
def test_a_hook_does_not_know_whether_the_user_agreed(tmp_path: Path, cordon: str, decision: str):
    options = HookOptions(server="claude", counts=tmp_path / "counts")
    found: list[Any] = [hook_answer(event(tool), policy(cordon=cordon), options) for tool in ("cordon", "drain")]
    assert decision == found[1]["hookSpecificOutput"]["permissionDecision"]


def test_a_log_is_replayed_with_what_was_called_before(tmp_path: Path):
    calls = [("drain", "a"), ("cordon", "a"), ("drain", "a"), ("drain", "b")]
    lines = [{"serverName": "k8s", "toolName": tool, "arguments": {"node": node}} for tool, node in calls]
    (tmp_path / "log").write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    found = replay_log(policy(), read_log(tmp_path / "log"))
    assert ["deny", "allow", "allow", "deny"] == [one.now.decision for one in found]

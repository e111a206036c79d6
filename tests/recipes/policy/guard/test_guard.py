"""The core of the guard: it fails closed, asks in time, and writes down what it did before it is done."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.policy import Guard, Policy, check_audit
from retouch.recipes.policy.guard.core import Escalation
from retouch.recipes.policy.guard.hook import HookOptions, hook_answer, split_name
from retouch.recipes.policy.guard.terminal import ask_on_terminal, question_text

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.concurrency

RULES: list[dict[str, Any]] = [
    {"name": "read", "if": {"paths": {"roles": ["read-path"], "within": "~/notes"}}, "then": "allow"},
    {"name": "write", "if": {"paths": {"roles": ["write-path"], "within": "~/notes"}}, "then": "escalate"},
]
TOOLS: Any = {
    "servers": {
        "claude": {
            "tools": [
                {"toolName": "Read", "args": {"file_path": ["read-path"]}},
                {"toolName": "Write", "args": {"file_path": ["write-path"], "content": ["none"]}},
            ]
        }
    }
}


def policy(*, verified: bool = True, **changes: Any) -> Policy:
    value: Any = {"semantics": 2, "home": "/home/ada", "rules": RULES, "annotations": TOOLS, **changes}
    return replace(Policy.of_json(value), verified=verified)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_allowed_call_gets_the_arguments_that_were_judged():
    ruling = Guard(policy()).decide("claude", "Read", {"file_path": "~/notes/../notes/a"})
    assert (True, {"file_path": "/home/ada/notes/a"}) == (ruling.allowed, ruling.arguments)


@pytest.mark.parametrize(
    "bad", [policy(verified=False), replace(policy(), semantics=1), replace(policy(), doubts=("it was changed",))]
)
def test_a_policy_that_is_not_verified_is_not_enforced(bad: Policy):
    with pytest.raises(BadInput, match="does not enforce"):
        Guard(bad)


def test_a_verified_file_that_was_edited_is_not_enforced(tmp_path: Path):
    stored = policy().as_json()
    (tmp_path / "policy.json").write_text(json.dumps({**stored, "protectedPaths": ["/x"]}), encoding="utf-8")
    with pytest.raises(BadInput, match="changed after it was verified"):
        Guard(tmp_path)
    (tmp_path / "policy.json").write_text(json.dumps(stored), encoding="utf-8")
    assert Guard(tmp_path).decide("claude", "Read", {"file_path": "~/notes/a"}).allowed


def test_a_question_is_answered_by_the_callback_and_by_nothing_but_true():
    answers: list[Any] = [True, False, None, "yes", 1]
    guard = Guard(policy(), ask=lambda _question: answers.pop(0))
    rulings = [guard.decide("claude", "Write", {"file_path": "~/notes/a"}) for _ in range(5)]
    assert [True, False, False, False, False] == [one.allowed for one in rulings]
    assert "allowed-by-user" == rulings[0].answer


def test_a_question_that_fails_or_takes_too_long_is_a_denial():
    def broken(_question: Escalation) -> bool:
        raise RuntimeError("no")

    ruled = Event()

    def slow(_question: Escalation) -> bool:
        ruled.wait()
        return True

    call: Any = ("claude", "Write", {"file_path": "~/notes/a"})
    assert not Guard(policy(), ask=broken).decide(*call).allowed
    late = Guard(policy(), ask=slow, ask_timeout_s=0.1).decide(*call)
    ruled.set()
    assert (False, "no-answer-in-time") == (late.allowed, late.answer)


def test_a_link_that_changes_while_the_user_thinks_is_not_allowed(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "notes/link").symlink_to(tmp_path / "notes")

    def swapping(_question: Escalation) -> bool:
        (tmp_path / "notes/link").unlink()
        (tmp_path / "notes/link").symlink_to(tmp_path / "secret")
        return True

    guard = Guard(policy(home=str(tmp_path)), ask=swapping)
    assert not guard.decide("claude", "Write", {"file_path": "~/notes/link/x"}).allowed


WRITE_ALLOWED: dict[str, Any] = {**RULES[1], "name": "free", "then": "allow"}
WRITE_DENIED: dict[str, Any] = {**RULES[1], "name": "closed", "then": "deny"}


@pytest.mark.parametrize(
    ("rules", "yes", "allowed", "decision", "answer"),
    [
        ([*RULES, WRITE_DENIED], True, True, "escalate", "allowed-by-user"),
        ([WRITE_ALLOWED, *RULES], True, True, "allow", "allowed-by-user"),
        ([WRITE_ALLOWED, *RULES], False, False, "escalate", "refused-by-user"),
        ([WRITE_DENIED, *RULES], True, False, "deny", None),
        ([RULES[0], {**RULES[1], "reason": "It is a copy."}], True, False, "escalate", "answer-outdated"),
        ([RULES[0], {**RULES[1], "name": "other"}], True, False, "escalate", "answer-outdated"),
    ],
)
def test_an_answer_counts_if_the_policy_that_holds_then_still_asks_the_same_or_allows_the_call(
    tmp_path: Path, rules: Any, yes: bool, allowed: bool, decision: str, answer: str | None
):
    file = tmp_path / "policy.json"
    file.write_text(json.dumps(policy().as_json()), encoding="utf-8")

    def replacing(_question: Escalation) -> bool:
        (tmp_path / "new.json").write_text(json.dumps(policy(rules=rules).as_json()), encoding="utf-8")
        (tmp_path / "new.json").replace(file)
        return yes

    ruling = Guard(file, ask=replacing).decide("claude", "Write", {"file_path": "~/notes/a"})
    assert (allowed, decision, answer) == (ruling.allowed, ruling.decision, ruling.answer)


def test_a_refused_call_stays_denied_if_a_file_changes_so_that_it_would_be_allowed(tmp_path: Path):
    (tmp_path / "notes/own").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    free = {"name": "own", "if": {"paths": {"roles": ["write-path"], "within": "~/notes/own"}}, "then": "allow"}

    def swapping(_question: Escalation) -> bool:
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to(tmp_path / "notes/own")
        return answers.pop(0)

    answers = [False, True]
    guard = Guard(policy(home=str(tmp_path), rules=[free, *RULES]), ask=swapping)
    refused = guard.decide("claude", "Write", {"file_path": "~/link/x"})
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(tmp_path / "notes")
    other = guard.decide("claude", "Write", {"file_path": "~/link/x"})
    assert [(False, "refused-by-user"), (False, "answer-outdated")] == [(x.allowed, x.answer) for x in (refused, other)]


def test_a_decision_that_cannot_be_written_is_a_denial(tmp_path: Path):
    guard = Guard(policy(), audit=tmp_path / "audit.jsonl")
    (tmp_path / "audit.jsonl").unlink()
    (tmp_path / "audit.jsonl").mkdir()
    ruling = guard.decide("claude", "Read", {"file_path": "~/notes/a"})
    assert (False, "guard-error") == (ruling.allowed, ruling.rule)


def test_whatever_is_no_call_is_a_denial():
    guard = Guard(policy())
    strange: list[Any] = [("claude", "Read", 7), (None, None, None), ("claude", "Read", {1: object()})]
    assert [False] * 3 == [guard.decide(*one).allowed for one in strange]


def test_the_audit_is_a_chain_that_shows_what_was_changed(tmp_path: Path):
    file = tmp_path / "audit.jsonl"
    guard = Guard(policy(), audit=file)
    for number in range(5):
        guard.decide("claude", "Read", {"file_path": f"~/notes/{number}"})
    assert 6 == check_audit(file)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([*lines[:3], lines[3].replace("allow", "deny!"), *lines[4:]]) + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match="line 5 does not follow"):
        check_audit(file)


def test_a_line_that_a_crash_cut_off_stays_and_the_next_one_says_so(tmp_path: Path):
    file = tmp_path / "audit.jsonl"
    guard = Guard(policy(), audit=file)
    with file.open("a", encoding="utf-8") as open_file:
        open_file.write('{"at":"20')
    guard.decide("claude", "Read", {"file_path": "~/notes/a"})
    assert json.loads(file.read_text(encoding="utf-8").splitlines()[-1])["afterCutOffLine"]
    assert 3 == check_audit(file)


def test_every_decision_that_was_returned_survives_a_kill(tmp_path: Path):
    file = tmp_path / "audit.jsonl"
    (tmp_path / "policy.json").write_text(json.dumps(policy().as_json()), encoding="utf-8")
    code = (
        "import sys; from retouch.policy import Guard; g = Guard(sys.argv[1], audit=sys.argv[2])\n"
        "for n in range(10**6): print(g.decide('claude', 'Read', {'file_path': f'~/notes/{n}'}).id, flush=True)"
    )
    command = [sys.executable, "-c", code, str(tmp_path), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdout is not None
        told = [process.stdout.readline().strip() for _ in range(40)]
        process.kill()
        told += [one for one in process.stdout.read().split("\n")[:-1] if one]
    known = {one.get("id") for one in map(_parsed, file.read_text(encoding="utf-8").splitlines())}
    assert [] == [one for one in told if one not in known]


def _parsed(line: str) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:
        return {}


def test_several_processes_write_one_audit(tmp_path: Path):
    file = tmp_path / "audit.jsonl"
    (tmp_path / "policy.json").write_text(json.dumps(policy().as_json()), encoding="utf-8")
    code = (
        "import sys; from retouch.policy import Guard; g = Guard(sys.argv[1], audit=sys.argv[2])\n"
        "for n in range(20): g.decide('claude', 'Read', {'file_path': f'~/notes/{n}'})"
    )
    running = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(file)]) for _ in range(3)]
    assert [0, 0, 0] == [one.wait() for one in running]
    assert 3 * 21 == check_audit(file)


@pytest.mark.parametrize(
    ("typed", "allowed"), [("y\n", True), ("yes\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_the_terminal_is_asked_and_only_a_yes_is_one(typed: str, allowed: bool):
    controller, terminal = pty.openpty()
    question = Escalation(
        id="1", server="s", tool="t\x1b[2J", arguments={"a": "\u202e"}, rule="r", reason="why", roles=(), timeout_s=1.0
    )
    Thread(target=_type_after_question, args=(controller, typed), daemon=True).start()
    assert allowed is ask_on_terminal(question, device=os.ttyname(terminal))
    assert "\x1b" not in question_text(question)
    assert "\u202e" not in question_text(question)


def test_without_a_terminal_the_denial_says_that_nobody_was_asked(tmp_path: Path):
    def no_terminal(question: Escalation) -> bool:
        return ask_on_terminal(question, device=str(tmp_path / "tty"))

    ruling = Guard(policy(), ask=no_terminal).decide("claude", "Write", {"file_path": "~/notes/a", "content": "x"})
    assert (False, "nobody-to-ask") == (ruling.allowed, ruling.answer)


def _type_after_question(controller: int, typed: str) -> None:
    seen = b""
    while b"Allow?" not in seen:
        seen += os.read(controller, 1024)
    if typed:
        os.write(controller, typed.encode())


def event(name: str, given: dict[str, Any], **more: Any) -> str:
    return json.dumps(
        {"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given, "cwd": "/home/ada", **more}
    )


def answer(text: str, **changes: Any) -> Any:
    options: dict[str, Any] = {"server": "claude", "audit": None, "shadow": False, "unverified": False, **changes}
    return hook_answer(text, policy(), HookOptions(**options))


@pytest.mark.parametrize(
    ("name", "path", "decision"),
    [
        ("Read", "notes/a", "allow"),
        ("Write", "/home/ada/notes/a", "ask"),
        ("Read", "/etc/x", "deny"),
        ("Bash", "x", "deny"),
    ],
)
def test_the_hook_answers_in_the_words_of_claude_code(name: str, path: str, decision: str):
    found = answer(event(name, {"file_path": path}))["hookSpecificOutput"]
    assert ("PreToolUse", decision) == (found["hookEventName"], found["permissionDecision"])


def test_the_hook_hands_out_the_arguments_that_were_judged():
    found = answer(event("Read", {"file_path": "notes/../notes/a"}))["hookSpecificOutput"]
    assert {"file_path": "/home/ada/notes/a"} == found["updatedInput"]


def test_the_hook_says_nothing_about_other_events_and_in_shadow():
    assert answer(event("Read", {"file_path": "/etc/x"}, hook_event_name="PostToolUse")) is None
    assert answer(event("Read", {"file_path": "/etc/x"}), shadow=True) is None


SEARCHES: Any = {
    "servers": {
        "claude": {
            "tools": [
                {"toolName": "Grep", "args": {"pattern": ["none"], "path": ["read-path"]}},
                {"toolName": "Glob", "args": {"pattern": ["none"], "path": ["read-path"]}},
                {
                    "toolName": "Tree",
                    "args": {"root": ["read-path"]},
                    "inputSchema": {
                        "properties": {"root": {"type": "string", "description": "Defaults to the working directory."}}
                    },
                },
            ]
        }
    }
}
PRIVATE: list[dict[str, Any]] = [
    {"name": "private", "if": {"paths": {"roles": ["read-path"], "within": "~/priv"}}, "then": "deny"},
    {"name": "search", "if": {"server": ["claude"]}, "then": "allow"},
]


@pytest.mark.parametrize(
    ("name", "given", "cwd", "expected"),
    [
        ("Grep", {"pattern": "x"}, "/home/ada/priv", "deny"),
        ("Grep", {"pattern": "x", "path": None}, "/home/ada/priv", "deny"),
        ("Grep", {"pattern": "x"}, "/home/ada", "deny"),
        ("Grep", {"pattern": "x"}, "/home/ada/pub", {"pattern": "x", "path": "/home/ada/pub"}),
        ("Tree", {}, "/home/ada/priv", "deny"),
        ("Tree", {}, "/home/ada/pub", {"root": "/home/ada/pub"}),
        ("Glob", {"pattern": "*.md"}, "/home/ada/priv", "deny"),
        ("Glob", {"pattern": "/home/ada/priv/*"}, "/home/ada/pub", "deny"),
        ("Glob", {"pattern": "/home/ada/priv/*", "path": "/home/ada/pub"}, "/home/ada/pub", "deny"),
        ("Glob", {"pattern": "../priv/*", "path": "/home/ada/pub"}, "/home/ada/pub", "deny"),
        ("Glob", {"pattern": "../*", "path": "/home/ada/pub"}, "/home/ada/pub", "deny"),
        ("Glob", {"pattern": "a/**/*.md"}, "/home/ada/pub", {"pattern": "**/*.md", "path": "/home/ada/pub/a"}),
        ("Glob", {"pattern": "{a,b}/*.md"}, "/home/ada/pub", {"pattern": "{a,b}/*.md", "path": "/home/ada/pub"}),
    ],
)
def test_a_search_without_a_path_and_the_folders_of_a_pattern_are_decided_about(
    name: str, given: dict[str, Any], cwd: str, expected: Any
):
    text = json.dumps({"hook_event_name": "PreToolUse", "tool_name": name, "tool_input": given, "cwd": cwd})
    rules = policy(rules=PRIVATE, annotations=SEARCHES, workingDirectory="/home/ada/w")
    found: Any = hook_answer(text, rules, HookOptions(server="claude"))
    answered = found["hookSpecificOutput"]
    assert expected == answered.get("updatedInput", answered["permissionDecision"])


@pytest.mark.parametrize("pattern", ["*/../../priv/*", "{/home/ada/priv,x}/*", "~/priv/*", "..", "@(../priv|x)/*"])
def test_a_pattern_that_may_leave_its_path_blocks_the_call(pattern: str):
    with pytest.raises(BadInput, match="outside of its path"):
        hook_answer(
            event("Glob", {"pattern": pattern}),
            policy(rules=PRIVATE, annotations=SEARCHES),
            HookOptions(server="claude"),
        )


def test_the_guard_passes_on_the_directory_that_a_tool_uses_if_a_call_omits_it():
    near = Guard(policy(rules=PRIVATE, annotations=SEARCHES, workingDirectory="/home/ada/priv"))
    far = Guard(policy(rules=PRIVATE, annotations=SEARCHES, workingDirectory="/home/ada/pub"))
    nowhere = Guard(policy(rules=PRIVATE, annotations=SEARCHES))
    found = [one.decide("claude", "Tree", {}) for one in (near, far, nowhere)]
    assert [None, {"root": "/home/ada/pub"}, None] == [one.arguments for one in found]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"hook_event_name":"PreToolUse"}', event("Read", {})[:-2]])
def test_an_event_that_cannot_be_read_blocks_the_call(text: str):
    with pytest.raises(BadInput):
        answer(text)


def test_tools_of_mcp_servers_are_known_by_their_own_server():
    names = ["mcp__github__list_issues", "mcp__a__b__c", "Read", "mcp__x", "mcp____y"]
    assert [
        ("github", "list_issues"),
        ("a", "b__c"),
        ("claude", "Read"),
        ("claude", "mcp__x"),
        ("claude", "mcp____y"),
    ] == [split_name(one, "claude") for one in names]

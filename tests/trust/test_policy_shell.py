"""What is forbidden to a shell is forbidden however a command line is written, and what only reads changes nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.models.offline import offline
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.offline import answer
from retouch.recipes.policy.making.asking.source import policy_job
from retouch.recipes.policy.making.job import recipe
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of, told

if TYPE_CHECKING:
    from pathlib import Path

CODE = {"command": "executes-code", "input": "executes-code", "shell": "executes-code", "code": "executes-code"}
SHELL = frame_of(
    "shell",
    {
        "Bash": ("Executes a bash command", {"command": told("The command to execute"), "timeout": NUMBER}),
        "list_files": ("List the files of a directory", {"directory": TEXT}),
    },
    roles=CODE,
    required={"Bash": ["command"], "list_files": ["directory"]},
)
PROCESSES = frame_of(
    "terminal",
    {
        "start_process": ("Start a process in a terminal", {"command": TEXT, "shell": TEXT}),
        "interact_with_process": ("Send input to a running process", {"pid": NUMBER, "input": TEXT}),
        "kill_process": ("Kill a process", {"pid": NUMBER}),
    },
    roles=CODE,
    required={"start_process": ["command"], "interact_with_process": ["pid", "input"], "kill_process": ["pid"]},
)
PYTHON = frame_of("py", {"run_python": ("Run Python code", {"command": told("The Python code")})}, roles=CODE)


def _decided(text: str, command: str, *, frame: Policy = SHELL, tool: str = "Bash", **more: Any) -> str:
    found = compile_clauses(text, frame)
    assert not found.refused, found.refused
    name = "input" if tool == "interact_with_process" else "command"
    arguments = {name: command, **({"pid": 1} if name == "input" else {}), **more}
    call = ToolCall(server=next(iter(frame.tools))[0], tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=found.rules), call, surroundings=LEXICAL).decision


ALL = "Allow using any tool of shell."


@pytest.mark.parametrize(
    ("text", "command", "decision"),
    [
        ("Never run sudo.", "cd /tmp && sudo make install", "deny"),
        ("Never run sudo.", "echo y | sudo tee /etc/hosts", "deny"),
        ("Never run sudo.", 'bash -c "sudo systemctl restart nginx"', "deny"),
        ("Never run sudo.", "S=sudo; $S ls", "deny"),
        ("Never run sudo.", "echo c3VkbyBscw== | base64 -d | sh", "deny"),
        ("Never run sudo.", 'grep -rn "sudo" docs/', "allow"),
        ("Never run sudo.", "npm run build", "allow"),
        ("Don't run anything as root.", "su -c 'ls'", "deny"),
        ("No rm -rf and no force pushes.", "rm -fr dist", "deny"),
        ("No rm -rf and no force pushes.", "git push -f", "deny"),
        ("No rm -rf and no force pushes.", "git push origin +main", "deny"),
        ("No rm -rf and no force pushes.", "rm notes.txt", "allow"),
        ("Never push to main.", "git push origin HEAD:main", "deny"),
        ("Never push to main.", "git push", "deny"),
        ("Never push to main.", "git push origin feature/main", "allow"),
        ("Never force push to main.", "git push -f origin feature/x", "allow"),
        ("Never force push to main.", "git push -f origin main", "deny"),
        ("Don't rewrite git history: no rebase, no amend, no force-push.", "git commit --amend --no-edit", "deny"),
        ("Don't rewrite git history: no rebase, no amend, no force-push.", "git commit -m 'Fix'", "allow"),
        ("Ask me before you push.", "git push", "escalate"),
        ("Ask me before you push.", "git status", "allow"),
        ("Ask me before you install packages with pip, npm or apt.", "python3 -m pip install x", "escalate"),
        ("Ask me before you install packages with pip, npm or apt.", "cd web && npm i", "escalate"),
        ("Ask me before you install packages with pip, npm or apt.", "pip list", "allow"),
        ("Only run npm test and npm run lint.", "npm run lint -- --fix", "allow"),
        ("Only run npm test and npm run lint.", "npm run build", "deny"),
        ("Only run npm test and npm run lint.", "npm test; rm -rf /", "deny"),
        ("Only run npm test and npm run lint.", "npm test > ~/.bashrc", "deny"),
        ("Only run read-only commands.", "ls | head", "allow"),
        ("Only run read-only commands.", "ls > x", "deny"),
        ("Never run commands that change anything.", "find . -delete", "deny"),
        ("Ask me before you delete any files.", "rm x", "escalate"),
        ("Ask me before you delete any files.", "make clean", "escalate"),
        ("Ask me before you delete any files.", 'grep -rn "rm -rf" scripts/', "allow"),
        ("Never delete anything.", "ls -la", "allow"),
        ("Never delete anything.", "git stash", "deny"),
        ("Never list files.", "ls", "deny"),
    ],
)
def test_a_sentence_about_commands_decides_every_command_line(text: str, command: str, decision: str) -> None:
    assert decision == _decided(f"{text}\n\n{ALL}", command)


@pytest.mark.parametrize(
    ("command", "decision"),
    [
        ("git status", "allow"),
        ("git log --oneline -n 20", "allow"),
        ("git log $(touch /tmp/x)", "deny"),
        ("git status; rm -rf build", "deny"),
        ("git diff --output=x", "deny"),
        ("git -c core.fsmonitor=./x status", "deny"),
        ("GIT_EXTERNAL_DIFF=./x git diff", "deny"),
        ("sudo git status", "deny"),
        ("./git status", "deny"),
        ("git stash", "deny"),
    ],
)
def test_a_permission_of_commands_is_none_of_others(command: str, decision: str) -> None:
    text = "In the shell you may run git status, git diff and git log, nothing else."
    assert decision == _decided(text, command)
    assert decision == _decided(text, command, frame=PROCESSES, tool="start_process")


def test_what_is_typed_into_a_process_may_be_another_language() -> None:
    text = "Never run sudo.\n\nAllow using any tool of terminal."
    for typed in ("sudo ls", 'system "sudo ls"', "a + b", "IO.popen x"):
        assert _decided(text, typed, frame=PROCESSES, tool="interact_with_process") == "deny"
    assert _decided(text, "ls -la", frame=PROCESSES, tool="interact_with_process") == "allow"


def test_another_shell_may_read_a_command_line_in_another_way() -> None:
    text = "Never run sudo.\n\nAllow using any tool of terminal."
    assert _decided(text, "ls", frame=PROCESSES, tool="start_process", shell="/tmp/x") == "deny"
    assert _decided(text, "ls", frame=PROCESSES, tool="start_process", shell="/bin/bash") == "allow"
    assert _decided("You may run ls.", "ls", frame=PROCESSES, tool="start_process", shell="fish") == "deny"


def test_who_must_ask_before_a_process_is_killed_need_not_ask_before_processes_are_listed() -> None:
    text = "Ask before killing any process.\n\nAllow using any tool of terminal."
    assert _decided(text, "ps aux", frame=PROCESSES, tool="start_process") == "allow"
    assert _decided(text, "pkill node", frame=PROCESSES, tool="start_process") == "escalate"


@pytest.mark.parametrize(
    "text", ["You may run sudo.", "You may push to main.", "Never use make changes.", "You may run the tests."]
)
def test_what_cannot_be_told_of_a_command_line_is_no_permission(text: str) -> None:
    assert compile_clauses(text, SHELL).refused


def test_a_shell_whose_description_names_other_programs_as_examples_is_a_shell() -> None:
    comment = (
        "Executes a bash command in a session.\n\nThis tool is for terminal operations like git, npm, docker, etc."
    )
    agent = frame_of("shell", {"Bash": (comment, {"command": TEXT})}, roles=CODE)
    assert "deny" == _decided("Never run sudo.", "sudo ls", frame=agent)
    assert "allow" == _decided(f"{ALL}\n\nNever run sudo.", "ls", frame=agent)


def test_a_program_text_of_another_language_is_no_command_line() -> None:
    assert compile_clauses("Never run sudo.", PYTHON).refused


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Never run sudo.", "verified"),
        ("Ask me before you delete any files.", "verified"),
        ("Never push to main or to any release branch.", "verified"),
    ],
)
def test_a_sentence_is_enforced_beside_an_allowed_shell(tmp_path: Path, text: str, status: str) -> None:
    stored: Any = SHELL.as_json()
    servers: Any = {"shell": {"tools": stored["annotations"]["servers"]["shell"]["tools"]}}
    job = policy_job(constitution=f"{text}\n\n{ALL}\n", annotations={"servers": servers}, base={"home": "/home/ada"})
    made = asyncio.run(generate(recipe, job, tmp_path / "made", offline(answer), RunOptions(concurrency=1)))
    assert status == made.status

"""Sentences that call tools by their names are about these tools, and about nothing else that has such a name."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

CODE: dict[str, tuple[str, dict[str, Any]]] = {
    "Bash": ("Run a shell command", {"command": told("The command to run")}),
    "Grep": ("Search the content of files", {"pattern": TEXT}),
    "WebFetch": ("Fetch a page", {"url": TEXT}),
    "git_log": ("Show the log of a repository", {"repo": TEXT}),
    "search": ("Search the web", {"query": TEXT}),
}


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"deny Grep"}, "Never use Grep."),
        ({"deny Bash"}, "Don't run Bash."),
        ({"deny Grep", "deny WebFetch"}, "You must not use Grep or WebFetch."),
        ({"deny Grep", "deny WebFetch"}, "Grep and WebFetch are off limits."),
        ({"deny git_log"}, "You may not call git_log."),
        ({"deny search"}, "Never use the search tool."),
        ({"escalate Bash"}, "Ask me before you use Bash."),
        ({"escalate WebFetch"}, "WebFetch needs my approval."),
        ({"allow Grep"}, "You may use Grep."),
        ({"allow Grep"}, "You may use the tool Grep of code."),
        ({"allow Grep", "deny Bash", "deny WebFetch", "deny git_log", "deny search"}, "Only use Grep."),
    ],
)
def test_a_tool_is_called_by_its_name(rules: set[str], text: str) -> None:
    found = meaning_of(text, frame_of("code", CODE, roles={"command": "executes-code", "url": "fetch-url"}))
    assert rules == {f"{line.split()[0]} {tool}" for line in found for tool in line.split()[1:]}


@pytest.mark.parametrize(
    "text",
    [
        "Never use search.",
        "Never use Search.",
        "Never use search tools.",
        "Never use the tool Grep of mail.",
        "Use Grep.",
    ],
)
def test_a_word_that_may_be_another_one_is_no_name(text: str) -> None:
    frame = frame_of("code", CODE, roles={"command": "executes-code", "url": "fetch-url"})
    assert not {"deny Grep", "deny search"} & meaning_of(text, frame)


def test_a_program_that_is_called_like_a_tool_is_not_forbidden_in_the_shell_alone() -> None:
    frame = frame_of("code", CODE, roles={"command": "executes-code", "url": "fetch-url"})
    assert not any("runs" in line for line in meaning_of("Never run grep.", frame))


def test_a_tool_of_another_server_is_no_word_of_this_one() -> None:
    chat = frame_of("chat", {"send_message": ("Send a message", {"channel": TEXT, "text": TEXT})})
    made = compile_clauses("Never use Grep.", chat, elsewhere=["code"])
    assert ((), {}) == (made.rules, made.refused)
    alone = compile_clauses("Never use Grep.", chat)
    assert ["Never use Grep."] == [one.text for one in alone.refused]

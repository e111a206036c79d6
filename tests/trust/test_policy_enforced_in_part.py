"""A restriction that one tool cannot be tested for is enforced for the others, and is never called enforced."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.making.judging.permissions import needs_no_rule
from tests.recipes.policy.english.meanings import TEXT, frame_of, told
from tests.recipes.policy.making.scenes import job

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

Tools = dict[str, tuple[str, dict[str, Any]]]
CODE: Tools = {
    "Read": ("Reads a file from the local filesystem", {"file_path": told("The absolute path to the file to read")}),
    "Write": ("Writes a file to the local filesystem", {"out_path": told("The absolute path to the file to write")}),
    "Grep": ("Search the content of files", {"pattern": TEXT, "path": told("File or directory to search in")}),
}
ROLES = {"file_path": "read-path", "path": "read-path", "out_path": "write-path"}
DIARY: Tools = {
    "create_event": ("Create an event", {"title": TEXT, "location": TEXT}),
    "create_events": (
        "Create several events at once",
        {"events": {"type": "array", "items": {"type": "object", "properties": {"title": TEXT, "location": TEXT}}}},
    ),
}


def test_the_tools_that_can_be_tested_are_restricted_and_the_other_is_named() -> None:
    made = compile_clauses("Never read .env files.", frame_of("code", CODE, roles=ROLES))
    assert ["code/Grep may take a directory, and no call shows what is in it"] == list(made.refused.values())
    assert [("deny", ("Read",))] == [(one.then, one.when.tool) for one in made.rules if "Read" in (one.when.tool or ())]
    assert not any("Grep" in (one.when.tool or ()) for one in made.rules)


@pytest.mark.parametrize("more", ["Never use Grep.", "Never use the tool Grep of code.", "The Grep tool is forbidden."])
def test_a_tool_that_another_sentence_forbids_need_not_be_reached(more: str) -> None:
    made = compile_clauses(f"Never read .env files. {more}", frame_of("code", CODE, roles=ROLES))
    assert {} == made.refused
    assert {("deny", ("Read",)), ("deny", ("Grep",))} == {(one.then, one.when.tool) for one in made.rules}


def test_a_tool_of_the_same_name_of_another_server_need_not_be_the_one_that_is_forbidden() -> None:
    text = "Never read .env files. Never use the tool Grep of mail."
    made = compile_clauses(text, frame_of("code", CODE, roles=ROLES), elsewhere=["mail"])
    assert "Never read .env files." in [one.text for one in made.refused]


@pytest.mark.parametrize("more", ["Ask before using Grep.", "Never use Write.", "You may use Grep."])
def test_a_tool_that_is_not_forbidden_wholly_has_to_be_reached(more: str) -> None:
    made = compile_clauses(f"Never read .env files. {more}", frame_of("code", CODE, roles=ROLES))
    assert ["Never read .env files."] == [one.text for one in made.refused]


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        (CODE, "Never read files about my taxes."),  # it is refused for its words
        (DIARY, "You may create events, but never in Berlin."),  # what is permitted may be the tool that is left out
    ],
)
def test_no_rule_is_made_of_what_permits_or_is_not_understood(tools: Tools, text: str) -> None:
    made = compile_clauses(text, frame_of("hub", tools, roles=ROLES))
    assert ((), 1) == (made.rules, len(made.refused))


def retouch(*words: str) -> Result:
    return CliRunner().invoke(command, list(words))


def test_a_clause_that_is_enforced_in_part_is_an_error_until_it_is_waived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    listed = [
        {
            "name": name,
            "description": does,
            "inputSchema": {"type": "object", "properties": args, "required": list(args)},
        }
        for name, (does, args) in CODE.items()
    ]
    (tmp_path / "tools.json").write_text(json.dumps({"tools": listed}), encoding="utf-8")
    (tmp_path / "policy.txt").write_text("Never read .env files.\n\nAllow using any tool of code.\n", encoding="utf-8")
    assert 0 == retouch("policy", "annotate", "tools.json", "--server", "code", "-o", "tools.roles.json").exit_code
    words = ("generate", "policy", "policy.txt", "--tools", "tools.roles.json", "--home", "/home/ada", "-o", "run")
    done = retouch(*words, "--json")
    first, second = json.loads(done.stdout)["clauses"]
    assert (1, "partly", "enforced") == (done.exit_code, first["status"], second["status"])
    assert "code/Grep may take a directory, and no call shows what is in it" == first["why"]
    assert first["rules"]
    assert first["scenarios"]
    waived = retouch("policy", "waive", "run", "1", "--reason", "Grep skips hidden files")
    assert (0, "verified, 1 clause waived  run") == (waived.exit_code, waived.stdout.splitlines()[0])
    call = {"serverName": "code", "toolName": "Read", "arguments": {"file_path": "/home/ada/site/.env"}}
    (tmp_path / "call.json").write_text(json.dumps(call), encoding="utf-8")
    assert "deny" == json.loads(retouch("policy", "check", "run", "call.json", "--json").stdout)["decision"]


def test_a_clause_that_is_read_for_some_tools_needs_a_rule_even_if_another_one_decides_their_calls() -> None:
    text = "Never read files.\n\nAsk before reading .env files.\n"
    args = {"path": ["read-path"]}
    tools = [
        {
            "toolName": name,
            "comment": does,
            "args": args,
            "inputSchema": {"type": "object", "properties": {"path": told(path)}},
        }
        for name, does, path in (
            ("read_file", "Reads a file", "The absolute path of the file"),
            ("search_files", "Search in the content of files", "File or directory to search in"),
        )
    ]
    made = job(constitution=text, servers={"code": {"tools": tools}}, base={"servers": {"code": {}}})
    second = made.clauses[1]
    compiled = compile_clauses(text, made.base)
    assert ([second.text], {second.text}) == (
        [one.text for one in compiled.refused],
        {one.quote for one in compiled.silent},
    )
    assert not needs_no_rule(made, second)

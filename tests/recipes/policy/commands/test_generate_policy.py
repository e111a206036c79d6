"""`retouch generate policy`, as a person types it, and the commands over its runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

Retouch: TypeAlias = "Callable[..., Result]"

TEXT = """\
# What the agent may do

Allow reading files inside ~/Documents.
Ask before writing files inside ~/Documents.
Never delete anything outside the sandbox.
"""


def tool(name: str, role: str) -> dict[str, Any]:
    properties = {"path": {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": ["path"]}
    return {"toolName": name, "comment": f"{name} of a file", "args": {"path": [role]}, "inputSchema": schema}


TOOLS = [tool("read_file", "read-path"), tool("write_file", "write-path"), tool("delete_file", "delete-path")]
BASE = {"home": "/home/ada", "allowedDirectory": "/home/ada/sandbox"}
WORDS = ("generate", "policy", "constitution.md", "--tools", "tools.json", "--base", "base.json", "-o", "run")


@pytest.fixture
def folder(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder with a constitution and tools, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(work_folder / "cache"))
    (work_folder / "constitution.md").write_text(TEXT, encoding="utf-8")
    annotations = {"servers": {"filesystem": {"tools": TOOLS}}}
    (work_folder / "tools.json").write_text(json.dumps(annotations), encoding="utf-8")
    (work_folder / "base.json").write_text(json.dumps(BASE), encoding="utf-8")
    return work_folder


def content(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def test_plain_english_becomes_a_verified_policy_that_the_other_commands_read(folder: Path, retouch: Retouch):
    result = retouch(*WORDS, "-q")
    assert 0 == result.exit_code, result.output
    assert content(folder / "run" / "policy.json")["verified"]
    for words in (("test", "run"), ("analyse", "run"), ("explain", "run"), ("diff", "run", "run")):
        assert 0 == retouch("policy", *words).exit_code, words
    call = {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": "~/Documents/a"}}
    (folder / "call.json").write_text(json.dumps(call), encoding="utf-8")
    assert "allow" in retouch("policy", "check", "run", "call.json").output
    for words in (("validate", "run"), ("show", "run"), ("regenerate", "run", "-q")):
        assert 0 == retouch(*words).exit_code, words


@pytest.mark.parametrize(
    ("option", "text", "part"),
    [
        ("--tools", '{"servers": {"filesystem": {"tools": [{"toolName": 3}]}}}', "toolName"),
        ("--tools", "[]", ""),
        ("--tools", "{", "line 1 column 2"),
        ("--lists", '{"friends": {"members": 3}}', "friends"),
        ("--lists", "\x00", "line 1 column 1"),
        ("--scenarios", '[{"request": 3}]', "request"),
    ],
)
def test_a_broken_file_is_named_in_its_error(folder: Path, retouch: Retouch, option: str, text: str, part: str):
    (folder / "broken.json").write_text(text, encoding="utf-8")
    result = retouch(*WORDS, option, "broken.json")
    assert 2 == result.exit_code
    assert "'broken.json'" in result.stderr
    assert part in result.stderr


def test_a_page_of_the_report_shows_rules_with_their_clause_and_their_scenarios(folder: Path, retouch: Retouch):
    retouch(*WORDS, "-q")
    assert 0 == retouch("report", "run", "-o", "run.html").exit_code
    page = (folder / "run.html").read_text(encoding="utf-8")
    assert "Allow reading files inside ~/Documents." in page
    assert "scenario, expects allow" in page


def test_a_dry_run_asks_and_writes_nothing(folder: Path, retouch: Retouch):
    result = retouch(*WORDS, "--dry-run", "--json")
    assert (0, 2) == (result.exit_code, json.loads(result.stdout)["calls"])
    assert not (folder / "run").exists()


def test_a_verified_result_is_used_again_and_no_cache_asks_anew(folder: Path, retouch: Retouch):
    first = json.loads(retouch(*WORDS, "--json").stdout)
    again = json.loads(retouch(*WORDS[:-1], "again", "--json").stdout)
    anew = json.loads(retouch(*WORDS[:-1], "anew", "--json", "--no-cache").stdout)
    assert [[], ["filesystem"], []] == [one["kept"] for one in (first, again, anew)]
    assert (0, first["tokens"]) == (again["tokens"], anew["tokens"])
    assert content(folder / "run" / "policy.json") == content(folder / "again" / "policy.json")
    assert [1] == [len(list((folder / "cache").rglob("*.json")))]


def test_options_say_what_surrounds_the_rules(folder: Path, retouch: Retouch):
    words = ("--home", "/home/eve", "--sandbox", "/home/eve/box", "--protect", "~/.ssh", "--protect", "~/.aws")
    assert 0 == retouch(*WORDS, *words, "-q").exit_code
    stored = content(folder / "run" / "policy.json")
    assert ("/home/eve", "/home/eve/box") == (stored["home"], stored["allowedDirectory"])
    assert ["~/.ssh", "~/.aws"] == stored["protectedPaths"]


def test_handwritten_scenarios_are_kept_as_they_are(folder: Path, retouch: Retouch):
    call = {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": "~/Documents/mine"}}
    handwritten_scenarios = [{"description": "mine", "request": call, "expectedDecision": "not-allow"}]
    (folder / "hand.json").write_text(json.dumps(handwritten_scenarios), encoding="utf-8")
    result = retouch(*WORDS, "--scenarios", "hand.json", "--json")
    assert 0 != result.exit_code
    stored = content(folder / "run" / "scenarios.json")["scenarios"]
    assert [("handwritten", "not-allow")] == [
        (one["source"], one["expectedDecision"]) for one in stored if one["description"] == "mine"
    ]
    assert not content(folder / "run" / "policy.json")["verified"]
    assert ["filesystem: 1 of"] == [one[:16] for one in json.loads(result.stdout)["failed"]]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("constitution.md", "  \n", "the constitution is empty"),
        ("tools.json", "{", "'tools.json' is not JSON"),
        ("tools.json", '{"servers": {}}', "no tool that needs rules"),
        (
            "tools.json",
            '{"servers": {"a/b": {"tools": [{"toolName": "x", "args": {}}]}}}',
            "cannot be used as a directory name",
        ),
        ("tools.json", '{"servers": {"a": {"tools": [{"toolName": "x", "args": {"y": ["z"]}}]}}}', "no role 'z'"),
        ("base.json", "[]", "'base.json' is not a policy"),
        ("base.json", '{"protectedPath": []}', "did you mean 'protectedPaths'"),
    ],
)
def test_what_cannot_be_used_is_named_before_any_call(folder: Path, retouch: Retouch, name: str, text: str, words: str):
    (folder / name).write_text(text, encoding="utf-8")
    result = retouch(*WORDS)
    assert 2 == result.exit_code
    assert words in result.output
    assert not (folder / "run").exists()


def test_a_handwritten_scenario_that_proves_nothing_stops_the_command(folder: Path, retouch: Retouch):
    call = {"serverName": "filesystem", "toolName": "read_file", "arguments": {"file": "x"}}
    handwritten_scenarios = [{"description": "wrong argument", "request": call, "expectedDecision": "deny"}]
    (folder / "hand.json").write_text(json.dumps(handwritten_scenarios), encoding="utf-8")
    result = retouch(*WORDS, "--scenarios", "hand.json")
    assert 2 == result.exit_code
    assert "wrong argument" in result.output


def test_a_sentence_that_is_not_controlled_english_is_named(folder: Path, retouch: Retouch):
    (folder / "constitution.md").write_text(f"{TEXT}Be nice to everybody.\n", encoding="utf-8")
    result = retouch(*WORDS)
    assert 1 == result.exit_code
    assert "'Be nice to everybody.' is not enforced: not understood: 'nice'" in result.output


def two_servers(folder: Path) -> None:
    other = [tool("peek", "read-path"), tool("poke", "write-path")]
    annotations = {"servers": {"filesystem": {"tools": TOOLS}, "other": {"tools": other}}}
    (folder / "tools.json").write_text(json.dumps(annotations), encoding="utf-8")
    call = {"serverName": "other", "toolName": "peek", "arguments": {"path": "~/Documents/mine"}}
    handwritten_scenarios = [{"description": "mine", "request": call, "expectedDecision": "deny"}]
    (folder / "hand.json").write_text(json.dumps(handwritten_scenarios), encoding="utf-8")


def test_with_allow_partial_the_rest_is_made_and_the_exit_status_is_0(folder: Path, retouch: Retouch):
    two_servers(folder)
    strict = retouch(*WORDS, "--scenarios", "hand.json", "--json")
    assert strict.exit_code in (1, 3)
    partial = retouch(*WORDS[:-1], "partial", "--scenarios", "hand.json", "--allow-partial", "--json")
    assert 0 == partial.exit_code
    assert ["other"] == [one.partition(":")[0] for one in json.loads(partial.stdout)["failed"]]
    assert content(folder / "partial" / "policy.json")["verified"]
    assert not content(folder / "run" / "policy.json")["verified"]
    for words in (("test", "partial"), ("analyse", "partial")):
        assert 0 == retouch("policy", *words).exit_code, words


def test_faults_of_a_model_never_make_a_policy_verified_that_fails(folder: Path, retouch: Retouch):
    for seed in range(3):
        run = f"run-{seed}"
        result = retouch(*WORDS[:-1], run, "--model", f"faulty:offline?rate=1&seed={seed}", "--no-cache", "-q")
        verified = content(folder / run / "policy.json")["verified"]
        assert verified or result.exit_code in (1, 3)
        assert not verified or 0 == retouch("policy", "test", run).exit_code


def test_scenario_pages_can_be_made_smaller(folder: Path, retouch: Retouch):
    assert 0 == retouch(*WORDS, "-q").exit_code
    assert 0 == retouch("regenerate", "run", "--repaginate", "scenarios/filesystem", "-q").exit_code
    prompts = content(folder / "run" / "prompts.json")
    assert [2, 2] == [one["total_pages"] for one in prompts if one["type_name"] == "scenarios/filesystem"]

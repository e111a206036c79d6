"""`retouch policy`: what is printed, and the exit statuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from retouch.cli.root import command

if TYPE_CHECKING:
    from pathlib import Path

Run = Callable[..., Result]
READ = {"serverName": "filesystem", "toolName": "read_file", "arguments": {"path": "~/Documents/a"}}
WRITE = {"serverName": "filesystem", "toolName": "write_file", "arguments": {"path": "/etc/hosts"}}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `retouch policy` in an empty folder; `input` is what comes from stdin."""
    monkeypatch.chdir(tmp_path)

    def ran(*words: object, input: str | None = None) -> Result:  # noqa: A002 - click's word
        return CliRunner().invoke(command, ["policy", *map(str, words)], input=input)

    return ran


def written(folder: Path, value: Any, name: str = "request.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def changed(fixtures: Path, folder: Path, **changes: Any) -> Path:
    value = json.loads((fixtures / "policy.json").read_text(encoding="utf-8"))
    return written(folder, {**value, **changes}, "changed.json")


def test_check_prints_the_decision_and_its_trace(run: Run, fixtures: Path, tmp_path: Path):
    done = run("check", fixtures, written(tmp_path, WRITE))
    assert 0 == done.exit_code
    assert done.stdout.startswith("deny by default-deny: No rule applies")
    assert "not allow-tidy-downloads: '/etc/hosts' not within ~/Downloads" in done.stdout


def test_check_as_json_has_the_trace(run: Run, fixtures: Path):
    done = run("check", fixtures, "-", "--json", input=json.dumps(READ))
    found = json.loads(done.stdout)
    assert ("allow", "allow-read-documents") == (found["decision"], found["rule"])
    assert ["read-path"] == [step["role"] for step in found["trace"]]


@pytest.mark.parametrize(
    ("call", "expected", "status"),
    [(READ, "allow", 0), (READ, "deny", 1), (WRITE, "not-allow", 0), (READ, "not-allow", 1)],
)
def test_check_exits_with_one_when_it_is_decided_otherwise(
    run: Run, fixtures: Path, tmp_path: Path, call: Any, expected: str, status: int
):
    assert status == run("check", fixtures, written(tmp_path, call), "--expect", expected).exit_code


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "it is a list, and a call is an object"),
        (None, "it is null"),
        (7, "it is a number"),
        ({"server": "git"}, "'serverName' is missing; it has 'server'"),
        ({}, "'serverName' is missing; it has no keys"),
        ({**READ, "toolName": 3}, "'toolName' is not a text"),
        ({**READ, "arguments": []}, "'arguments' is not an object"),
    ],
)
def test_check_refuses_what_is_not_a_call(run: Run, fixtures: Path, tmp_path: Path, value: Any, why: str):
    for words in ((), ("--expect", "deny")):
        done = run("check", fixtures, written(tmp_path, value), *words)
        assert (2, "") == (done.exit_code, done.stdout)
        assert f"is not a call: {why}" in done.stderr
        assert "it would be denied" in done.stderr


def test_check_says_what_would_have_to_differ(run: Run, fixtures: Path, tmp_path: Path):
    done = run("check", fixtures, written(tmp_path, WRITE), "--why-not", "allow", "--json")
    found = json.loads(done.stdout)["whyNot"]
    assert ["path"] == list(found["changes"])
    assert "it would be allow" in found["message"]


@pytest.mark.parametrize("text", ['{"arguments": {"path": "a", "path": "b"}}', "{", "NaN"])
def test_a_call_that_could_be_read_in_two_ways_is_misuse(run: Run, fixtures: Path, text: str):
    done = run("check", fixtures, "-", "--json", input=text)
    assert 2 == done.exit_code
    assert "error" in json.loads(done.stdout)


def test_test_executes_every_scenario_beside_the_policy(run: Run, fixtures: Path):
    done = run("test", fixtures)
    assert 0 == done.exit_code
    assert "4 of 4 scenarios pass" in done.stdout
    assert "" == done.stderr
    assert any(line.split() == ["escalate-push", "escalate", "1", "0"] for line in done.stdout.splitlines())


def test_test_fails_when_one_scenario_does(run: Run, fixtures: Path, tmp_path: Path):
    scenarios = written(tmp_path, [{"request": WRITE, "expectedDecision": "allow", "description": "wrong"}])
    done = run("test", fixtures, scenarios)
    assert 1 == done.exit_code
    assert "'wrong': expected allow, got deny by default-deny" in done.stdout
    found = json.loads(run("test", fixtures, scenarios, "--json").stdout)
    assert (False, 1, 1) == (found["passed"], found["scenarios"], found["failed"])


def test_test_fails_when_two_scenarios_contradict(run: Run, fixtures: Path, tmp_path: Path):
    both = [{"request": READ, "expectedDecision": one} for one in ("allow", "not-allow")]
    done = run("test", fixtures, written(tmp_path, both), "--json")
    assert 1 == done.exit_code
    assert 1 == len(json.loads(done.stdout)["contradictions"])


def test_test_without_scenarios_is_misuse(run: Run, fixtures: Path, tmp_path: Path):
    assert 2 == run("test", changed(fixtures, tmp_path)).exit_code


def test_analyse_is_content_with_the_small_policy_and_shows_the_gaps(run: Run, fixtures: Path):
    done = run("analyse", fixtures)
    assert 0 == done.exit_code
    assert "no scenario reaches rule 'allow-tidy-downloads'" in done.stdout
    found = json.loads(run("analyse", fixtures, "--json").stdout)
    assert [] == found["complaints"]
    assert found["coverage"]["regionsReached"] < found["coverage"]["regions"]


def test_analyse_exits_with_one_when_a_rule_is_wrong(run: Run, fixtures: Path, tmp_path: Path):
    rules = [{"name": "r", "if": {"tool": ["list_allowed_directories"]}, "then": "allow"}]
    done = run("analyse", changed(fixtures, tmp_path, rules=rules))
    assert 1 == done.exit_code
    assert "error [DEAD] rule 'r' never answers; 'structural-introspection-allow' answers first" in done.stdout


def test_analyse_holds_rules_to_the_text_they_quote(run: Run, fixtures: Path, tmp_path: Path):
    (tmp_path / "text.md").write_text("Nothing is allowed.", encoding="utf-8")
    done = run("analyse", fixtures, "--source", tmp_path / "text.md")
    assert 1 == done.exit_code
    assert 8 == done.stdout.count("[NOT_A_QUOTE]")


def test_diff_shows_calls_and_exits_with_one(run: Run, fixtures: Path, tmp_path: Path):
    other = changed(fixtures, tmp_path, rules=[])
    done = run("diff", fixtures, other)
    assert 1 == done.exit_code
    assert "allow-fetch-news -> default-deny: " in done.stdout
    assert '- fetch/get {"url": "https://' in done.stdout
    assert "+ fetch/get" in run("diff", other, fixtures, "--all").stdout
    found = json.loads(run("diff", fixtures, other, "--json").stdout)
    assert found["calls"] > len(found["changes"]) > len(found["groups"]) > 1


def test_diff_of_equal_policies_is_empty(run: Run, fixtures: Path):
    done = run("diff", fixtures, fixtures)
    assert (0, "0 of 74 kinds of calls are decided differently\n") == (done.exit_code, done.stdout)


def test_explain_shows_clause_condition_calls_and_scenarios(run: Run, fixtures: Path):
    done = run("explain", fixtures, "allow-fetch-news")
    assert 0 == done.exit_code
    for words in ("clause: It may look at the news.", "decides: fetch/get", "reached by: ", "on '@news'"):
        assert words in done.stdout
    assert 8 == len(json.loads(run("explain", fixtures, "--json").stdout)["rules"])


def test_a_rule_or_a_policy_that_is_not_there_is_misuse(run: Run, fixtures: Path, tmp_path: Path):
    assert 2 == run("explain", fixtures, "allow-all").exit_code
    for words in (["check", tmp_path, "-"], ["analyse", tmp_path / "x.json"], ["diff", fixtures, tmp_path]):
        assert 2 == run(*words, input="{}").exit_code

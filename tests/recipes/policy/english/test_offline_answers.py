"""The whole loop with the recipe's own answerer: clean when it is honest, mended when it is made to err."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

import retouch
from retouch.errors import BadInput
from retouch.models.offline import offline
from retouch.recipes.policy import Policy, ToolCall, execute, read_scenarios
from retouch.recipes.policy.english import Reading, read_sentences
from retouch.recipes.policy.english.offline import answer
from retouch.recipes.policy.making.asking.source import PolicyJob, policy_job
from retouch.recipes.policy.making.job import recipe
from tests.recipes.policy.english_frames import EXAMPLE, FRAME

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Prompt

Json = dict[str, Any]
Spoil = Callable[[str, Json], Json]
READS = "Allow reading repositories inside ~/src."
TEXT = f"""{READS} Allow committing inside ~/src. Ask before pushing to any git remote.

Never delete anything outside the sandbox."""
BASE: Json = {
    "home": "/home/ada",
    "allowedDirectory": "/home/ada/sandbox",
    "servers": {"git": {"sandboxed": True}, "filesystem": {"sandboxed": True, "piecewise": True}},
}


def job(text: str = TEXT, *servers: str, handwritten: Any = None, many: int = 0) -> PolicyJob:
    tools = json.loads((EXAMPLE / "annotations.json").read_text(encoding="utf-8"))["servers"]
    chosen = {name: one for name, one in tools.items() if name in (servers or ("git",))}
    lists = json.loads((EXAMPLE / "lists.json").read_text(encoding="utf-8"))
    lists["lists"]["many"] = {"values": [f"site-{number}.example" for number in range(many)]}
    return policy_job(
        constitution=text, annotations={"servers": chosen}, lists=lists, base=BASE, handwritten=handwritten
    )


def task_of(prompt: Prompt) -> str:
    found: str = json.loads(prompt.user.rpartition("```task\n")[2].partition("\n```")[0])["task"]
    return found


def made(folder: Path, work: PolicyJob, spoil: Spoil = lambda _, said: said) -> tuple[retouch.RunResult, list[str]]:
    """Return a run whose answers went through `spoil`, and its tasks in order."""
    tasks: list[str] = []

    def answered(prompt: Prompt) -> str:
        tasks.append(task_of(prompt))
        return json.dumps(spoil(tasks[-1], json.loads(answer(prompt))))

    return retouch.generate(recipe, work, folder, offline(answered)), tasks


def is_proved(folder: Path) -> bool:
    policy = Policy.load(folder)
    executions = execute(policy, read_scenarios(folder / "scenarios.json"))
    return len(executions) > 5 and all(one.passed for one in executions)


def test_the_example_becomes_a_policy_in_one_round(tmp_path: Path):
    servers = ("filesystem", "git", "fetch", "github", "mail")
    text = (EXAMPLE / "constitution.md").read_text(encoding="utf-8")
    result, tasks = made(tmp_path, job(text, *servers))
    assert "verified" == result.status
    assert sorted(["compile", "scenarios"] * len(servers)) == sorted(tasks)
    assert is_proved(tmp_path)
    scenarios = read_scenarios(tmp_path / "scenarios.json")
    assert set(servers) == {one.request.server for one in scenarios}
    assert {"allow", "deny", "escalate"} == {one.expected for one in scenarios}


def test_a_wrong_expectation_is_corrected_by_the_judge(tmp_path: Path):
    def flipped(task: str, said: Json) -> Json:
        if task == "scenarios":
            for one in said["scenarios"][:2]:
                one["expectedDecision"] = "escalate" if one["expectedDecision"] == "allow" else "allow"
        return said

    result, tasks = made(tmp_path, job(), flipped)
    assert "verified" == result.status
    assert "judge" in tasks
    assert "patch" not in tasks
    assert is_proved(tmp_path)
    assert 2 == sum(one.corrected_from is not None for one in read_scenarios(tmp_path / "scenarios.json"))


def test_a_lost_rule_is_blamed_and_patched(tmp_path: Path):
    def forgetful(task: str, said: Json) -> Json:
        if task == "compile":
            said["rules"] = [rule for rule in said["rules"] if rule["then"] != "escalate"]
        return said

    result, tasks = made(tmp_path, job(), forgetful)
    assert "verified" == result.status
    assert {"judge", "patch"} <= set(tasks)
    assert is_proved(tmp_path)
    assert "escalate" in {rule.then for rule in Policy.load(tmp_path).rules}


def test_what_the_scenarios_forget_is_asked_for_in_a_turn(tmp_path: Path):
    def short(task: str, said: Json) -> Json:
        if task == "scenarios":
            said["scenarios"] = said["scenarios"][:3]
        return said

    result, tasks = made(tmp_path, job(), short)
    assert "verified" == result.status
    assert "turn" in tasks
    assert is_proved(tmp_path)


def test_what_proves_nothing_is_replaced(tmp_path: Path):
    replaced: list[str] = []

    def spoiled(task: str, said: Json) -> Json:
        if task == "scenarios":
            arguments = {"path": "~/sandbox/engine"}
            request = {"serverName": "git", "toolName": "git_log", "arguments": arguments}
            said["scenarios"].append({"description": "in the sandbox", "request": request, "expectedDecision": "deny"})
        if task == "turn":
            replaced.extend(one["replaces"] for one in said["scenarios"] if one["replaces"])
        return said

    result, _ = made(tmp_path, job(), spoiled)
    assert "verified" == result.status
    assert 1 == len(replaced)
    assert "in the sandbox" not in {one.description for one in read_scenarios(tmp_path / "scenarios.json")}


def test_members_that_a_prompt_does_not_show_are_left_open():
    text = "Allow fetching pages from @many. Ask before fetching pages from any other site."

    def expected(many: int) -> set[str]:
        prompt = next(one for one in recipe.plan(job(text, "fetch", many=many)) if one.unit == "scenarios/fetch")
        return {one["expectedDecision"] for one in json.loads(answer(prompt))["scenarios"]}

    assert {"allow", "escalate"} == expected(3)
    assert {"allow"} == expected(30)


def test_a_handwritten_scenario_that_contradicts_the_text_is_not_bent(tmp_path: Path):
    request = {"serverName": "git", "toolName": "git_status", "arguments": {"path": "/etc"}}
    handwritten_scenarios = [{"description": "status of /etc", "request": request, "expectedDecision": "allow"}]
    result, _ = made(tmp_path, job(handwritten=handwritten_scenarios))
    assert result.status != "verified"
    stored = [one for one in read_scenarios(tmp_path / "scenarios.json") if one.source == "handwritten"]
    assert ["allow"] == [one.expected for one in stored]


def test_a_sentence_that_is_not_controlled_english_is_named_and_the_policy_is_not_verified(tmp_path: Path):
    result, _ = made(tmp_path, job(f"{TEXT}\n\nBe nice."))
    assert "issues" == result.status
    wrong = {issue.code: issue.message for issue in result.issues if issue.severity == "error"}
    assert ["CLAUSE_NOT_ENFORCED"] == list(wrong)
    assert "line 5: 'Be nice.' is not enforced: not understood: 'nice'" in wrong["CLAUSE_NOT_ENFORCED"]


def test_a_prompt_of_something_else_is_refused():
    prompt = retouch.Prompt(unit="rules/git", system="", user="")
    with pytest.raises(BadInput, match="'rules/git' has no constitution"):
        answer(prompt)


def test_a_list_of_which_only_a_part_is_known_leaves_the_others_open():
    sentences = read_sentences("Allow fetching pages from @news. Ask before fetching pages from any other site.")

    def said(host: str, cut: frozenset[str]) -> str | None:
        call = ToolCall(server="fetch", tool="fetch_page", arguments={"url": f"https://{host}/"})
        return Reading(sentences, FRAME, cut=cut).about(call).decision

    assert ["allow", "escalate"] == [said(one, frozenset()) for one in ("news.example", "other.example")]
    assert ["allow", None] == [said(one, frozenset({"news"})) for one in ("news.example", "other.example")]


@pytest.mark.parametrize(("unread", "expected"), [("none", "allow"), ("code", None), ("all", None)])
def test_a_sentence_about_tools_that_are_not_shown_leaves_code_open(unread: Any, expected: str | None):
    tools: list[Json] = [{"toolName": "run_script", "args": {"name": ["none"]}}]
    empty: Json = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}}
    whole: Json = empty | {"annotations": {"servers": {"hub": {"tools": tools}}}}
    hub = Policy.of_json(whole)
    call = ToolCall(server="hub", tool="run_script", arguments={"name": "nightly"})
    assert expected == Reading(read_sentences("Allow using any tool of hub."), hub, unread=unread).about(call).decision


def test_a_judge_shows_first_what_is_allowed_too_easily():
    strict: Json = {"server": ["git"], "paths": {"roles": ["read-path"], "within": "~/src"}}
    wide: Json = {"server": ["git"], "tool": ["git_log"]}
    words = {"principle": READS, "description": "", "reason": ""}
    rules = [{"name": "strict", "if": strict, "then": "deny"}, {"name": "wide", "if": wide, "then": "allow"}]
    found = judged_rules(job(), [words | rule for rule in rules])
    first = found["probes"][0]
    assert ("git_log", "deny") == (first["request"]["toolName"], first["expectedDecision"])
    assert found["pass"]
    assert [] == found["verdicts"]


def judged_rules(work: PolicyJob, rules: list[Json]) -> Json:
    """Return what the judge says of these rules, when nothing else is asked."""
    prompt = next(one for one in recipe.plan(work) if one.unit.startswith("rules/"))
    fenced = (f"```{tag}\n{json.dumps(one)}\n```" for tag, one in (("task", {"task": "judge"}), ("rules", rules)))
    asked = replace(prompt, user="\n\n".join((prompt.user, *fenced)))
    return cast("Json", json.loads(answer(asked)))

"""Whole runs: from plain English to rules and scenarios that agree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput, ModelError
from retouch.recipes.policy.making.asking.pages import rules_unit, scenarios_unit
from retouch.recipes.policy.making.job import recipe
from retouch.recipes.policy.making.judging.questions import MAX_SHOWN
from tests.recipes.policy.making.scenes import (
    ASK,
    COVERING,
    FAILING,
    GOOD,
    LAX,
    MENDED,
    READS,
    TOOLS,
    WRITE_ID,
    WRITES,
    Scene,
    blame,
    blocks,
    item,
    items,
    job,
    notes,
    operations,
    rule,
    rules,
    scenario_id,
    tool,
    verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "run")


def codes(result: Any) -> list[str]:
    return [issue.code for issue in result.issues]


def test_rules_and_scenarios_that_agree_take_one_call_each(scene: Scene):
    result = scene.generate(GOOD)
    assert ("verified", ()) == (result.status, result.issues)
    assert ["compile", "scenarios"] == scene.asked()
    assert scene.file("policy.json")["verified"]
    assert 3 == scene.file("policy.json")["semantics"]
    assert "PASS" == scene.file("report.json")["verdict"]
    assert 5 == len(scene.file("scenarios.json")["scenarios"])


def test_a_scenario_that_expects_the_wrong_thing_is_corrected_in_place(scene: Scene):
    wrong = [item("write", "~/notes/a", "deny") if one["description"] == "write ~/notes/a" else one for one in COVERING]
    judge = verdict(blame(WRITE_ID, "scenario", ASK, "escalate"), passes=True)
    result = scene.generate({**GOOD, "scenarios": items(*wrong), "judge": judge})
    assert "verified" == result.status
    assert ["compile", "scenarios", "judge"] == scene.asked()
    stored = {one["id"]: one for one in scene.file("scenarios.json")["scenarios"]}[WRITE_ID]
    assert ("escalate", "deny") == (stored["expectedDecision"], stored["correctedFrom"])


def test_where_both_are_wrong_the_scenario_is_corrected_and_the_rules_are_patched(scene: Scene):
    wrong = [item("write", "~/notes/a", "deny") if one["description"] == "write ~/notes/a" else one for one in COVERING]
    answers = {**FAILING, "scenarios": items(*wrong), "judge": verdict(blame(WRITE_ID, "both", ASK, "escalate"))}
    assert "verified" == scene.generate({**answers, "patch": MENDED}).status
    assert ["compile", "scenarios", "judge", "patch"] == scene.asked()


def test_scenarios_are_written_in_sessions_and_nothing_else_is(scene: Scene):
    answers = {**FAILING, "patch": MENDED, "judge": verdict(blame(WRITE_ID, "rule", ASK))}
    scene.generate(answers)
    sessions = [recipe.session(request.prompt) for request in scene.model.requests]
    assert [("compile", False), ("scenarios", True), ("judge", False), ("patch", False)] == list(
        zip(scene.asked(), sessions, strict=True)
    )


def test_gaps_and_slots_are_filled_by_one_more_turn(scene: Scene):
    first = items(*COVERING[:3], COVERING[4], item("write", "~/.ssh/key", "allow"))
    slot = scenario_id("write", "~/.ssh/key")

    def turn(request: Request) -> str:
        told = blocks(request.messages[-1].text)
        assert [slot] == [one["id"] for one in told["removed"]]
        assert ["default-deny"] == [one["rule"] for one in told["uncovered"]]
        return items(item("write", "~/other/a", "deny"), item("write", "~/notes/b", "escalate", slot))

    result = scene.generate({**GOOD, "scenarios": first, "turn": turn})
    assert "verified" == result.status
    assert ["compile", "scenarios", "turn"] == scene.asked()
    stored = [one["description"] for one in scene.file("scenarios.json")["scenarios"]]
    assert ["write ~/other/a", "write ~/notes/b"] == stored[-2:]
    assert "write ~/.ssh/key" not in stored
    pages, turned = (request.messages for request in scene.model.requests[1:])
    assert (pages, first) == (turned[:1], turned[1].text)


def test_what_no_turn_fills_is_put_before_a_judge_and_stays_on_record(scene: Scene):
    first = items(*COVERING[:4])
    asked: list[Any] = []

    def judge(request: Request) -> str:
        asked.extend(blocks(request.messages[-1].text)["uncovered"])
        quote = "It must never delete anything."
        derived = [{"request": one["request"], "expected": "deny", "reasoning": "", "quote": quote} for one in asked]
        return verdict(derived=derived, passes=True)

    result = scene.generate({**GOOD, "scenarios": first, "turn": items(), "judge": judge})
    assert "verified" == result.status
    assert ["compile", "scenarios", "turn", "turn", "judge"] == scene.asked()
    assert ["delete"] == [one["request"]["toolName"] for one in asked]
    stored = scene.file("scenarios.json")["scenarios"][-1]
    assert ("derived", "deny") == (stored["source"], stored["expectedDecision"])


def test_what_nobody_fills_is_a_warning_and_its_clause_is_not_enforced(scene: Scene):
    answers = {**GOOD, "scenarios": items(*COVERING[:4]), "turn": items(), "judge": verdict(passes=True)}
    result = scene.generate(answers)
    assert ("issues", ["CLAUSE_NOT_ENFORCED", "NOT_COVERED"]) == (result.status, codes(result))
    assert ["delete"] == [one["tool"] for one in scene.file("report.json")["servers"]["notes"]["notCovered"]]


def test_new_failures_of_a_turn_are_judged_before_they_are_mended(scene: Scene):
    answers = {
        "compile": rules(READS, {**WRITES, "then": "allow", "name": "write-notes"}),
        "scenarios": items(*[one for one in COVERING if one["description"] != "write ~/notes/a"]),
        "turn": items(item("write", "~/notes/a", "escalate")),
        "judge": verdict(blame(WRITE_ID, "rule", ASK)),
        "patch": MENDED,
    }
    assert "verified" == scene.generate(answers).status
    assert ["compile", "scenarios", "turn", "judge", "patch"] == scene.asked()


def test_corrections_in_opposite_directions_become_a_question_with_the_clause(scene: Scene):
    wrong = [item("write", "~/notes/a", "deny") if one["description"] == "write ~/notes/a" else one for one in COVERING]
    read = blame(scenario_id("read", "~/notes/a"), "rule", "The agent may read my notes.")
    judges = [
        verdict(read, blame(WRITE_ID, "scenario", ASK, "escalate")),
        verdict(blame(WRITE_ID, "scenario", "The agent may read my notes.", "deny")),
    ]
    reads = operations({"op": "add", "rule": READS})
    answers = {"compile": rules(LAX), "scenarios": items(*wrong), "judge": judges, "patch": reads}
    result = scene.generate(answers)
    questions = [issue for issue in result.issues if issue.code == "OPPOSITE_CORRECTIONS"]
    assert [True] == [ASK in issue.message and "The agent may read my notes." in issue.message for issue in questions]
    assert 1 == result.exit_status
    assert "FAIL" == scene.file("report.json")["verdict"]
    decided = [{**item("write", "~/notes/a", "escalate")}]
    mended = {**answers, "patch": MENDED}
    assert "verified" == scene.generate(mended, job(handwritten=decided)).status
    assert ["scenarios", "patch"] == scene.asked()


def test_a_judge_that_withholds_fails_the_server_and_asks_a_person(scene: Scene):
    answers = {**FAILING, "patch": MENDED, "judge": verdict(blame(WRITE_ID, "rule", ASK), open=["Reading is too wide"])}
    result = scene.generate(answers)
    assert ("issues", ["JUDGE_WITHHOLDS"]) == (result.status, codes(result))
    assert ["compile", "scenarios", "judge", "patch", "judge"] == scene.asked()
    assert not scene.file("policy.json")["verified"]


def test_a_judge_that_is_content_later_lets_it_pass(scene: Scene):
    judges = [verdict(blame(WRITE_ID, "rule", ASK), open=["Reading is too wide"]), verdict(passes=True)]
    assert "verified" == scene.generate({**FAILING, "patch": MENDED, "judge": judges}).status


def test_an_attribution_without_a_quote_of_the_text_does_not_count(scene: Scene):
    judge = verdict(blame(WRITE_ID, "scenario", "It may write whatever it likes.", "allow"))
    assert "verified" == scene.generate({**FAILING, "judge": judge, "patch": MENDED}).status
    report = scene.file("report.json")["servers"]["notes"]
    assert ["its quote is not a whole clause of the constitution"] == [
        one["why"] for one in report["ignoredAttributions"]
    ]
    assert [] == report["corrections"]


def test_handwritten_scenarios_are_never_corrected(scene: Scene):
    handwritten_scenarios = [item("write", "~/notes/a", "escalate")]
    judge = verdict(blame(WRITE_ID, "scenario", ASK, "allow"))
    source = job(handwritten=handwritten_scenarios)
    assert "verified" == scene.generate({**FAILING, "judge": judge, "patch": MENDED}, source).status
    stored = scene.file("scenarios.json")["scenarios"]
    assert [("handwritten", "escalate")] == [
        (one["source"], one["expectedDecision"]) for one in stored if one["id"] == WRITE_ID
    ]
    why = scene.file("report.json")["servers"]["notes"]["ignoredAttributions"][0]["why"]
    assert "handwritten" in why


def test_a_handwritten_scenario_that_proves_nothing_stops_everything_before_a_call():
    with pytest.raises(BadInput, match=r"write ~/\.ssh/key.*structural"):
        job(handwritten=[item("write", "~/.ssh/key", "allow")])


TWO = {"notes": {"tools": TOOLS}, "mail": {"tools": [tool("fetch", "read-path", "mail")]}}
MAIL = rule("allow-read-notes", "allow", "The agent may read my notes.", "mail", paths=notes("read-path"))


def of_two(request: Request) -> str:
    task = blocks(request.messages[-1].text)["task"]
    if task["server"] == "notes":
        return {**FAILING, "patch": operations({"op": "delete", "name": str(len(request.messages[-1].text))})}[
            task["task"]
        ]
    fetches = (item("fetch", "~/notes/a", "allow", server="mail"), item("fetch", "~/x", "deny", server="mail"))
    return rules(MAIL) if task["task"] == "compile" else items(*fetches)


def test_a_server_that_does_not_pass_fails_the_run_and_its_calls_are_denied(scene: Scene):
    result = scene.generate(of_two, job(servers=TWO))
    assert 3 == result.exit_status
    stored = scene.file("policy.json")
    assert (["notes"], False) == ([one["server"] for one in stored["failed"]], stored["verified"])
    assert ["allow-read-notes"] == [one["name"] for one in stored["rules"]]
    assert 7 == len(scene.file("scenarios.json")["scenarios"])
    assert "1 of 5 scenarios fail" == scene.file("report.json")["servers"]["notes"]["reason"]


def test_with_allow_partial_the_rest_is_verified_and_a_rule_says_why_calls_are_denied(scene: Scene):
    scene.generate(of_two, replace(job(servers=TWO), allow_partial=True))
    stored = scene.file("policy.json")
    assert stored["verified"]
    assert ["allow-read-notes", "deny-notes-which-did-not-pass"] == [one["name"] for one in stored["rules"]]
    assert "notes did not pass: 1 of 5 scenarios fail" == stored["rules"][1]["reason"]
    assert ["notes"] == [one["server"] for one in stored["failed"]]
    assert {"mail"} == {one["request"]["serverName"] for one in scene.file("scenarios.json")["scenarios"]}


def test_nothing_is_verified_when_no_server_passes(scene: Scene):
    vain = [operations({"op": "delete", "name": f"nope-{number}"}) for number in range(9)]
    scene.generate({**FAILING, "patch": vain}, replace(job(), allow_partial=True))
    assert (False, "FAIL") == (scene.file("policy.json")["verified"], scene.file("report.json")["verdict"])


def test_rules_of_two_servers_with_one_name_are_told_apart(scene: Scene):
    def good(request: Request) -> str:
        task = blocks(request.messages[-1].text)["task"]
        return GOOD[task["task"]] if task["server"] == "notes" else of_two(request)

    assert "verified" == scene.generate(good, job(servers=TWO)).status
    names = [one["name"] for one in scene.file("policy.json")["rules"]]
    assert ["never-delete", "notes-allow-read-notes", "ask-to-write", "mail-allow-read-notes"] == names


@pytest.mark.parametrize("stop", range(1, 6))
def test_a_run_that_broke_off_is_taken_up_and_nothing_is_asked_twice(scene: Scene, stop: int):
    first = items(*COVERING[:3], COVERING[4])
    answers = {**FAILING, "scenarios": first, "patch": MENDED, "turn": items(item("write", "~/other/a", "deny"))}
    calls = 0

    def breaking(request: Request) -> Any:
        nonlocal calls
        calls += 1
        if calls == stop:
            return ModelError("the power is out")
        return answers[blocks(request.messages[-1].text)["task"]["task"]]

    with pytest.raises(ModelError, match="power"):
        scene.generate(breaking)
    result = scene.generate(breaking)
    assert "verified" == result.status
    assert 5 + 1 == calls
    assert scene.file("policy.json")["verified"]


def test_more_failures_than_a_judge_is_shown_at_once_are_shown_in_turn(scene: Scene):
    many = [item("write", f"~/notes/{number}", "deny") for number in range(MAX_SHOWN + 5)]
    shown: list[int] = []

    def judge(request: Request) -> str:
        failures = blocks(request.messages[-1].text)["failures"]
        shown.append(len(failures))
        return verdict(*(blame(one["id"], "scenario", ASK, "escalate") for one in failures), passes=True)

    result = scene.generate({**GOOD, "scenarios": items(*COVERING, *many), "judge": judge})
    assert ("verified", [MAX_SHOWN, 5]) == (result.status, shown)


def test_an_unreadable_page_of_scenarios_is_known_before_its_other_pages_have_landed():
    given = replace(job(), page_tools={"notes": 1})
    foreign = items(item("write", "~/notes/a", "escalate"))
    unit = scenarios_unit("notes")
    early = [recipe.page_errors(given, unit, page, text) for page, text in ((2, "I cannot."), (1, foreign))]
    together = recipe.read(given, unit, [foreign, "I cannot.", items(COVERING[4])]).issues
    assert [(1, "UNKNOWN_TOOL"), (2, early[0][0].code)] == [(one.page, one.code) for one in together]
    assert [*early[1], *early[0]] == [*together]
    assert (
        ()
        == recipe.page_errors(given, unit, 3, items(COVERING[4]))
        == recipe.page_errors(given, rules_unit("notes"), 1, "")
    )

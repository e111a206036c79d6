"""Rules that fail scenarios are patched, and a patch is kept only when it helps and harms nothing."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.verbs import adopt
from retouch.errors import BadInput
from retouch.recipes.policy.making.assembly import verifies
from retouch.recipes.policy.making.checks import read
from retouch.recipes.policy.making.job import recipe
from retouch.recipes.policy.making.judging.server_state import server_state
from retouch.recipes.policy.making.rules.compiled import policy_of, rules_in
from retouch.recipes.policy.scenarios.files import scenarios_in
from tests.recipes.policy.making.scenes import (
    ASK,
    COVERING,
    FAILING,
    GOOD,
    LAX,
    MENDED,
    NEVER,
    READS,
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
    verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request


READ = "The agent may read my notes."


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "run")


def codes(result: Any) -> list[str]:
    return [issue.code for issue in result.issues]


def test_a_rule_that_fails_is_patched_and_nothing_else_is_asked_again(scene: Scene):
    result = scene.generate({**FAILING, "patch": MENDED})
    assert "verified" == result.status
    assert ["compile", "scenarios", "judge", "patch"] == scene.asked()
    names = [one["name"] for one in scene.file("policy.json")["rules"]]
    assert ["never-delete", "allow-read-notes", "ask-to-write"] == names
    assert scene.file("policy.json")["verified"]


def test_a_patch_extends_the_compile_session_word_for_word(scene: Scene):
    scene.generate({**FAILING, "patch": MENDED})
    compiled, patch = scene.model.requests[0], scene.model.requests[3]
    assert compiled.system == patch.system
    assert compiled.messages == patch.messages[:1]
    assert FAILING["compile"] == patch.messages[1].text
    told = blocks(patch.messages[-1].text)["failures"]
    assert [(WRITE_ID, "escalate", "allow", "rule")] == [
        (one["id"], one["expected"], one["decided"], one["blame"]["kind"]) for one in told
    ]


def test_a_patch_that_harms_is_refused_and_the_next_turn_says_what_it_broke(scene: Scene):
    harmful = operations(
        {"op": "delete", "name": "allow-read-notes"}, {"op": "update", "rule": {**WRITES, "name": "write-notes"}}
    )
    result = scene.generate({**FAILING, "patch": [harmful, MENDED]})
    assert "verified" == result.status
    first, second = (request.messages for request in scene.model.requests[3:])
    assert first[:2] == second[:2]
    assert 3 == len(second)
    why = blocks(second[-1].text)["refused"][0]["why"]
    assert scenario_id("read", "~/notes/a") in why


def test_an_operation_that_cannot_be_carried_out_is_named_in_the_next_turn(scene: Scene):
    scene.generate({**FAILING, "patch": [operations({"op": "delete", "name": "nope"}), MENDED]})
    assert "no rule 'nope'" in blocks(scene.model.requests[4].messages[-1].text)["refused"][0]["why"]


def test_after_two_patches_in_vain_the_whole_set_is_asked_for_on_the_same_terms(scene: Scene):
    vain = [operations({"op": "delete", "name": name}) for name in ("nope", "allow-read-notes")]
    result = scene.generate({**FAILING, "patch": [*vain, rules(READS, WRITES)]})
    assert "verified" == result.status
    forms = [blocks(request.messages[-1].text)["task"]["form"] for request in scene.model.requests[3:]]
    assert ["operations", "operations", "whole"] == forms


def test_a_budget_that_is_spent_ends_the_run_with_nothing_lost(scene: Scene):
    vain = [operations({"op": "delete", "name": f"nope-{number}"}) for number in range(9)]
    result = scene.generate({**FAILING, "patch": vain})
    assert ("exhausted", 3) == (result.status, result.exit_status)
    assert ["SCENARIO_FAILS"] == codes(result)
    assert ["patch"] * 3 == scene.asked()[3:]
    stored = scene.file("policy.json")
    assert (False, ["notes"]) == (stored["verified"], [one["server"] for one in stored["failed"]])
    assert 5 == len(scene.file("servers/notes/scenarios.json")["scenarios"])
    assert 3 == len(scene.file("servers/notes/policy.json")["rules"])


def test_the_same_patch_again_is_a_dispute_and_no_third_call_is_made(scene: Scene):
    vain = operations({"op": "update", "rule": {**LAX, "reason": "still"}})
    result = scene.generate({**FAILING, "patch": [vain]})
    assert ["patch"] * 2 == scene.asked()[3:]
    assert ("issues", 1) == (result.status, result.exit_status)


def test_rules_that_come_back_in_other_words_end_the_loop(scene: Scene):
    vain = operations({"op": "update", "rule": {**LAX, "reason": "still"}})
    other = rules(READS, {**LAX, "reason": "still"})
    scene.generate({**FAILING, "patch": [vain, other, MENDED]})
    assert ["patch"] * 2 == scene.asked()[3:]


def test_a_prohibition_stands_before_all_permissions(scene: Scene):
    forbids = rule("never-read-keys", "deny", "The agent may read my notes.", paths=notes("read-path", "~/notes/keys"))
    late = operations({"op": "add", "rule": forbids, "after": "allow-read-notes"})
    first = operations(
        {"op": "add", "rule": forbids},
        {"op": "delete", "name": "write-notes"},
        {"op": "add", "rule": WRITES, "after": "allow-read-notes"},
    )
    more = items(*COVERING, item("read", "~/notes/keys/a", "deny"))
    result = scene.generate({**FAILING, "scenarios": more, "patch": [late, first]})
    assert "verified" == result.status
    assert "it denies, but comes after" in blocks(scene.model.requests[4].messages[-1].text)["refused"][0]["why"]
    assert "never-read-keys" == scene.file("policy.json")["rules"][0]["name"]


def test_a_change_that_changes_nothing_is_said_to_be_one(scene: Scene):
    assert "verified" == scene.generate({**FAILING, "patch": [operations(), MENDED]}).status
    assert ["nothing would change"] == [
        one["why"] for one in blocks(scene.model.requests[4].messages[-1].text)["refused"]
    ]


def test_rules_that_a_person_edits_are_adopted_and_judged_as_any_answer(scene: Scene):
    vain = [operations({"op": "delete", "name": f"nope-{number}"}) for number in range(9)]
    scene.generate({**FAILING, "patch": vain})
    path = scene.folder / "servers" / "notes" / "policy.json"
    edited = {**scene.file("servers/notes/policy.json"), "rules": [NEVER, READS, WRITES]}
    path.write_text(json.dumps(edited), encoding="utf-8")
    result = asyncio.run(adopt(recipe, scene.folder))
    assert ("verified", "adopted") == (result.status, dict(result.states)["rules/notes"])
    assert scene.file("policy.json")["verified"]
    forbids = rule("never", "deny", "It must never delete anything.", paths=notes("delete-path"))
    path.write_text(json.dumps({**edited, "rules": [READS, forbids]}), encoding="utf-8")
    with pytest.raises(BadInput, match="'never' denies, but comes after"):
        asyncio.run(adopt(recipe, scene.folder))


def test_a_patch_that_mends_is_kept_though_it_opens_gaps_elsewhere(scene: Scene):
    opens = operations(
        {"op": "delete", "name": "write-notes"},
        {"op": "add", "rule": WRITES, "after": "allow-read-notes"},
        {"op": "add", "rule": rule("allow-read-pub", "allow", READ, paths=notes("read-path", "~/pub"))},
        {"op": "add", "rule": rule("ask-to-write-tmp", "escalate", ASK, paths=notes("write-path", "~/tmp"))},
    )
    one_each = replace(job(), page_tools={"notes": 1})
    new = {"read": item("read", "~/pub/a", "allow"), "write": item("write", "~/tmp/a", "escalate")}

    def turn(request: Request) -> str:
        return items(new[blocks(request.messages[-1].text)["uncovered"][0]["example"]["toolName"]])

    def first(request: Request) -> str:
        names = {one["tool"] for one in blocks(request.messages[0].text)["tools"]}
        return items(*[one for one in COVERING if one["request"]["toolName"] in names])

    result = scene.generate({**FAILING, "scenarios": first, "patch": opens, "turn": turn}, one_each)
    assert ("verified", 1) == (result.status, scene.asked().count("patch"))
    assert 5 == len(scene.file("policy.json")["rules"])


def test_a_judge_is_asked_three_times_at_most(scene: Scene):
    folders = ("~/a", "~/b", "~/c", "~/d")
    more = [item("read", f"{folder}/x", "allow") for folder in folders]
    patches = [
        operations({"op": "add", "rule": rule(f"allow-read-{one[-1]}", "allow", READ, paths=notes("read-path", one))})
        for one in folders
    ]
    answers = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING, *more), "patch": patches}
    result = scene.generate({**answers, "judge": verdict()})
    assert ("exhausted", 3, 3) == (result.status, scene.asked().count("judge"), scene.asked().count("patch"))
    assert 1 == len(scene.file("report.json")["servers"]["notes"]["failures"])


def test_an_open_question_fails_a_server_even_where_every_scenario_passes():
    source = job()
    opposite = [
        verdict(blame(WRITE_ID, "scenario", ASK, "escalate"), passes=True),
        verdict(blame(WRITE_ID, "scenario", ASK, "deny"), passes=True),
    ]
    wrong = [
        one if one["description"] != "write ~/notes/a" else {**one, "expectedDecision": "allow"} for one in COVERING
    ]
    texts = {"rules/notes": GOOD["compile"], "scenarios/notes": items(*wrong)}
    texts |= {f"judge/notes/x-{number}-y-z": text for number, text in enumerate(opposite)}
    values = {name: value for name, text in texts.items() if (value := read(source, name, [text]).value) is not None}
    state = server_state(source, "notes", values)
    assert state is not None
    assert [WRITE_ID] == list(state.attributed.questions)
    assert ((), False) == (state.failures, state.passed)


def test_what_is_stored_is_verified_by_executing_it():
    lax = policy_of(job(), rules_in("notes", rules(READS, LAX))).as_json()
    asks = policy_of(job(), rules_in("notes", rules(READS, WRITES))).as_json()
    scenarios = scenarios_in([*COVERING], name="scenarios")
    assert [False, True] == [verifies(stored, scenarios) for stored in (lax, asks)]

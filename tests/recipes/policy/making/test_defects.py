"""The mistakes of the public engine that this job was written for, D1 to D20: each ends as it should."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.types import Reply
from retouch.errors import Invalid, TransportError
from retouch.recipes.policy import Policy, evaluate, filter_scenarios, parse_json_with_schema, read_scenarios
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.making.asking.forms import AnswerForm, VerdictForm
from retouch.recipes.policy.making.asking.pages import plan
from retouch.recipes.policy.making.results import result_key
from retouch.recipes.policy.scenarios.files import scenarios_in
from tests.recipes.policy.making.scenes import (
    COVERING,
    READS,
    TOOLS,
    WRITES,
    Json,
    Scene,
    blame,
    blocks,
    item,
    items,
    job,
    operations,
    rules,
    scenario_id,
    task_of,
    tool,
    verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request

ASK = "Ask me before it writes to my notes."
WRITE_ID = scenario_id("write", "~/notes/a")
LAX = {**WRITES, "name": "write-notes", "then": "allow"}
FAILING: Json = {"compile": rules(READS, LAX), "scenarios": items(*COVERING)}
VAIN = [operations({"op": "delete", "name": f"nope-{number}"}) for number in range(9)]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path / "run")


def verified(scene: Scene) -> bool:
    """Whether the run says so, and everything that is stored passes when it is read again."""
    passes = scene.file("policy.json")["verified"]
    if passes:
        policy = Policy.load(scene.folder)
        for one in read_scenarios(scene.folder / "scenarios.json"):
            assert one.expected == evaluate(policy, one.request, surroundings=LEXICAL).decision
    return passes


def test_d1_a_judge_that_says_pass_cannot_let_a_failing_scenario_through(scene: Scene):
    result = scene.generate({**FAILING, "judge": verdict(passes=True), "patch": VAIN})
    assert (False, "exhausted", "FAIL") == (verified(scene), result.status, scene.file("report.json")["verdict"])


def test_d2_prose_with_the_letters_pass_is_no_verdict(scene: Scene):
    result = scene.generate({**FAILING, "judge": "It does not pass. A small change would let it pass.", "patch": VAIN})
    assert (False, "exhausted") == (verified(scene), result.status)
    with pytest.raises(Invalid, match="not JSON"):
        parse_json_with_schema("does not pass", VerdictForm)


def test_d2_a_judge_that_does_not_pass_withholds_without_giving_a_reason(scene: Scene):
    patch = operations({"op": "update", "rule": {**LAX, "then": "escalate", "name": "write-notes"}})
    lax = {**LAX, "name": "write-notes"}
    result = scene.generate({**FAILING, "compile": rules(READS, lax), "judge": verdict(), "patch": patch})
    assert (False, 1) == (verified(scene), result.exit_status)


def test_d3_the_blame_of_an_earlier_round_is_not_lost_when_probes_start_another(scene: Scene):
    probe = item("read", "~/notes/deep/a", "deny")
    judges = [verdict(blame(WRITE_ID, "rule", ASK), probes=[probe]), verdict(passes=True)]
    scene.generate({**FAILING, "judge": judges, "patch": VAIN})
    told = blocks(scene.model.requests[-1].messages[-1].text)["failures"]
    assert [("rule", ASK)] == [(one["blame"]["kind"], one["blame"]["quote"]) for one in told if one["id"] == WRITE_ID]
    second = blocks(scene.model.requests[3].messages[-1].text)
    assert ["judge", 2] == [second["task"]["task"], second["task"]["round"]]
    assert [scenario_id("read", "~/notes/deep/a")] == [one["id"] for one in second["failures"]]


def test_d4_probes_are_executed_before_anything_is_stored(scene: Scene):
    probe = item("read", "~/notes/deep/a", "deny")
    answers = {**FAILING, "judge": verdict(blame(WRITE_ID, "rule", ASK), probes=[probe])}
    scene.generate({**answers, "patch": operations({"op": "update", "rule": {**LAX, "then": "escalate"}})})
    assert not verified(scene)
    failures = scene.file("report.json")["servers"]["notes"]["failures"]
    assert scenario_id("read", "~/notes/deep/a") in [one["id"] for one in failures]


def test_d5_what_is_discarded_is_not_stored(scene: Scene):
    more: list[Json] = [item("write", "~/.ssh/key", "allow"), {**item("read", "~/x", "deny"), "description": "odd"}]
    more[1]["request"] = {**more[1]["request"], "arguments": {"path": "~/x", "verbose": True}}
    answers = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING, *more), "turn": items()}
    assert "verified" == scene.generate(answers).status
    assert 5 == len(scene.file("scenarios.json")["scenarios"])
    kinds = [one["kind"] for one in scene.file("report.json")["servers"]["notes"]["discards"]]
    assert ["structural", "schema"] == kinds


def test_d6_a_stored_scenario_that_contradicts_the_policy_is_never_called_a_pass(scene: Scene):
    wrong = [*COVERING[:2], item("write", "~/notes/a", "deny"), *COVERING[3:]]
    judge = verdict(blame(WRITE_ID, "scenario", "not in the text", "escalate"))
    scene.generate({"compile": rules(READS, WRITES), "scenarios": items(*wrong), "judge": judge, "patch": VAIN})
    assert not verified(scene)


def test_d7_scenarios_are_known_by_their_call_and_not_by_their_description(scene: Scene):
    same = [{**one, "description": "the same words"} for one in COVERING]
    judge = verdict(blame(WRITE_ID, "rule", ASK))
    patch = operations({"op": "update", "rule": {**LAX, "then": "escalate", "name": "write-notes"}})
    scene.generate({**FAILING, "scenarios": items(*same), "judge": judge, "patch": patch})
    assert 5 == len(scene.file("scenarios.json")["scenarios"])
    reordered: Json = {**COVERING[0], "request": dict(reversed(COVERING[0]["request"].items()))}
    other = Scene(scene.folder.parent / "other")
    other.generate({"compile": rules(READS, WRITES), "scenarios": items(*COVERING, reordered)})
    assert 5 == len(other.file("scenarios.json")["scenarios"])


@pytest.mark.parametrize(
    "text",
    [
        'prose [see] {"scenarios": []}',
        'text {"scenarios": []} more {b}',
        '[1, 2] and then {"scenarios": []}',
        '{"a": 1} {"scenarios": []}',
        'So:\n```json\n{"scenarios": []}\n```\n[1]',
        '```\nnot this\n```\n{"scenarios": []}',
        '```json\n{"scenarios": [],}\n```',
    ],
)
def test_d8_json_is_found_whatever_brackets_stand_around_it(text: str):
    assert [] == parse_json_with_schema(text, AnswerForm).scenarios


def test_d8_json_of_another_shape_is_named_with_its_place():
    with pytest.raises(Invalid, match=r"\$\.scenarios\[0\]\.request\.toolName: Field required"):
        parse_json_with_schema('{"scenarios": [{"request": {"serverName": "a"}}]}', AnswerForm)


def test_d8_a_fragment_of_a_broken_answer_is_not_taken_for_the_answer():
    broken = verdict(blame(WRITE_ID, "rule", ASK))[:-30]
    with pytest.raises(Invalid):
        parse_json_with_schema(broken, VerdictForm)


def test_d9_a_server_that_fails_is_named_in_the_policy_and_fails_the_run(scene: Scene):
    result = scene.generate({**FAILING, "judge": verdict(passes=True), "patch": VAIN})
    assert 3 == result.exit_status
    stored = Policy.load(scene.folder)
    call: Json = {"serverName": "notes", "toolName": "read", "arguments": {"path": "~/notes/a"}}
    decision = evaluate(stored, call, surroundings=LEXICAL)
    assert ("deny", "1 of 5 scenarios fail") == (decision.decision, decision.reason)


def test_d12_no_two_different_inputs_have_one_key():
    one = job(constitution="The agent may read my notes.\nab")
    other = job(constitution="The agent may read my notes.\na", handwritten=[item("read", "b", "not-allow")])
    keys = {result_key(found, "notes", model) for found in (one, other) for model in ("m", "m2")}
    assert 4 == len(keys)


def test_d13_the_filters_know_the_allowlist_of_the_server():
    annotated: Json = {**tool("get", "fetch-url"), "args": {"path": ["fetch-url"]}}
    base: Json = {"servers": {"notes": {"domainAllowlist": ["a.example"]}}}
    gated = job(servers={"notes": {"tools": [annotated]}}, base=base)
    allowed = scenarios_in([item("get", "https://b.example", "allow")], name="scenarios")
    found = filter_scenarios(gated.frame_of("notes"), allowed)
    assert ["structural-domain-escalate"] == [one.rule for one in found.discards]


def test_d14_a_network_error_leaves_nothing_behind_in_the_conversation(scene: Scene):
    first = items(*COVERING[:4])
    failed = False

    def flaky(request: Request) -> Any:
        nonlocal failed
        task = blocks(request.messages[-1].text)["task"]["task"]
        if task == "turn" and not failed:
            failed = True
            return TransportError("the line is cut")
        return {"compile": rules(READS, WRITES), "scenarios": first, "turn": items(COVERING[4])}[task]

    scene.generate(flaky)
    assert "verified" == scene.generate(flaky).status
    turns = [one for one in scene.history.attempts.values() if one.why == "followup"]
    assert 2 == len(turns)
    assert turns[0].request.messages == turns[1].request.messages


def test_d15_and_d16_pages_share_the_instructions_and_the_text():
    many = [tool(f"tool{number}", "read-path") for number in range(60)]
    prompts = list(plan(job(servers={"notes": {"tools": many}, "other": {"tools": [tool("x", "read-path", "other")]}})))
    assert 1 == len({one.system for one in prompts})
    assert "The agent may read my notes." in prompts[0].system
    assert not any("The agent may read my notes." in one.user for one in prompts)


def test_d17_an_answer_that_was_cut_off_is_never_read_and_never_asked_again_with_the_same_limit(scene: Scene):
    whole = items(*COVERING)
    answers = {"compile": rules(READS, WRITES), "scenarios": [Reply(text=whole, finish="length", model="m"), whole]}
    assert "verified" == scene.generate(lambda request: _next(answers, request)).status
    asked = [one for one in scene.history.attempts.values() if one.unit == "scenarios/notes"]
    assert [8_192, 16_384] == [one.request.max_output_tokens for one in asked]


def _next(answers: Json, request: Request) -> Any:
    found = answers[task_of(request)]
    return found if isinstance(found, str) else found.pop(0)


def test_d18_an_absent_argument_is_looked_at_like_an_unknown_one(scene: Scene):
    optional = [{**one, "inputSchema": {"type": "object", "properties": {"path": {"type": "string"}}}} for one in TOOLS]
    nothing: Json = {"serverName": "notes", "toolName": "delete", "arguments": {}}
    left_out: Json = {**item("delete", "", "deny"), "request": nothing}
    answers = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING[:4], left_out)}
    assert "verified" == scene.generate(answers, job(servers={"notes": {"tools": optional}})).status
    assert verified(scene)


def test_d19_a_server_of_any_name_may_be_sandboxed(scene: Scene):
    base: Json = {"servers": {"notes": {"sandboxed": True, "piecewise": True}}, "allowedDirectory": "/home/ada/box"}
    inside = item("write", "/home/ada/box/a", "escalate")
    answers = {"compile": rules(READS, WRITES), "scenarios": items(*COVERING, inside), "turn": items()}
    scene.generate(answers, job(base=base))
    told = blocks(scene.model.requests[2].messages[-1].text)["removed"]
    assert ["always allow, by structural-sandbox-allow"] == [one["why"] for one in told]


def test_d20_calls_that_fail_leave_a_row(scene: Scene):
    scene.generate({**FAILING, "compile": TransportError("no route to the host"), "judge": verdict(), "patch": VAIN})
    failed = [one for one in scene.history.attempts.values() if one.error]
    assert ["TransportError: no route to the host"] == [one.error for one in failed]


def test_the_seeds_own_defect_a_corrected_scenario_is_kept_and_not_replaced(scene: Scene):
    wrong = [*COVERING[:2], item("write", "~/notes/a", "deny"), COVERING[3]]
    judge = verdict(blame(WRITE_ID, "scenario", ASK, "escalate"), passes=True)
    turns: list[Json] = []

    def turn(request: Request) -> str:
        turns.append(blocks(request.messages[-1].text))
        return items(COVERING[4]) if len(turns) > 1 else items(item("write", "~/notes/a", "allow", WRITE_ID))

    answers = {"compile": rules(READS, WRITES), "scenarios": items(*wrong), "judge": judge, "turn": turn}
    assert "verified" == scene.generate(answers).status
    stored = {one["id"]: one["expectedDecision"] for one in scene.file("scenarios.json")["scenarios"]}
    assert "escalate" == stored[WRITE_ID]
    assert [[{"id": WRITE_ID, "is": "escalate", "quote": ASK}], None] == [one.get("corrected") for one in turns]
    assert "removed" not in turns[0]

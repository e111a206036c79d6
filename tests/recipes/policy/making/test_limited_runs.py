"""A model writes limits and times: they are enforced by counting, shown by scenarios with earlier calls, or refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.recipe import Unread
from retouch.engine.verbs import read_values
from retouch.recipes.policy.making.job import recipe
from retouch.recipes.policy.making.judging.ledger import clause_ledger
from retouch.recipes.policy.making.judging.server_state import server_states
from tests.recipes.policy.making.scenes import (
    NEVER,
    READS,
    Scene,
    item,
    items,
    job,
    notes,
    operations,
    rule,
    rules,
    verdict,
)

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.recipes.policy.making.judging.ledger import ClauseEntry

LIMIT = "The agent may write at most 3 notes per day."
TIME = "The agent may write notes on weekdays between 9:00 and 17:00."
MONDAY = "2026-11-23T12:00:00+00:00"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def text(clause: str) -> str:
    return f"The agent may read my notes.\n{clause}\nIt must never delete anything.\n"


def at(moment: str, expected: str, *, earlier: int = 0, path: str = "~/notes/a") -> dict[str, Any]:
    """Return a scenario that writes at a moment, after so many calls an hour before."""
    found = item("write", path, expected)
    call = {key: found["request"][key] for key in ("serverName", "toolName", "arguments")}
    before = [{**call, "at": "2026-11-23T11:00:00+00:00", "times": earlier}] if earlier else []
    request = {**found["request"], "at": moment, **({"earlier": before} if before else {})}
    return {**found, "description": f"{moment} {earlier} {path}", "request": request}


def answers(*found: Any, prohibitions: Any, scenarios: Any) -> dict[str, Any]:
    plain = [item("read", "~/notes/a", "allow"), item("read", "~/other/a", "deny"), item("delete", "~/notes/a", "deny")]
    return {
        "compile": rules(READS, *found, prohibitions=[NEVER, *prohibitions]),
        "scenarios": items(*plain, *scenarios),
        "turn": items(),
        "judge": verdict(passes=True),
        "patch": operations(),
    }


def counted(most: int) -> dict[str, Any]:
    """Return answers whose rules allow so many calls per day. The scenarios are right."""
    test = {"count": "calls", "per": "day", "above": most}
    limit = rule("at-most", "deny", LIMIT, tool=["write"], where=[test])
    allow = rule("write-notes", "allow", LIMIT, paths=notes("write-path"))
    right = [at(MONDAY, "allow"), at(MONDAY, "allow", earlier=2), at(MONDAY, "deny", earlier=3)]
    return answers(allow, prohibitions=[limit], scenarios=[*right, at(MONDAY, "deny", path="~/other/a")])


def clause(scene: Scene, given: PolicyJob, wanted: str) -> ClauseEntry:
    """Return the entry of a clause in the ledger of the run."""
    _, values = asyncio.run(read_values(recipe, scene.folder))
    states = server_states(given, {name: one for name, one in values.items() if not isinstance(one, Unread)})
    return next(one for one in clause_ledger(given, states) if one.clause.text == wanted)


def test_a_limit_that_a_model_writes_is_verified_by_scenarios_with_earlier_calls(scene: Scene):
    given = job(constitution=text(LIMIT))
    result = scene.generate(counted(3), given)
    assert "verified" == result.status, result.issues
    found = clause(scene, given, LIMIT)
    assert ("enforced", ("notes/at-most", "notes/write-notes")) == (found.status, found.rules)
    stored = scene.file("scenarios.json")
    assert [2, 3] == sorted(
        one["request"]["earlier"][0]["times"] for one in stored["scenarios"] if "earlier" in one["request"]
    )


@pytest.mark.parametrize("most", [2, 4, 30])
def test_a_limit_with_another_number_is_never_verified(scene: Scene, most: int):
    assert "verified" != scene.generate(counted(most), job(constitution=text(LIMIT))).status


def test_a_wrong_limit_is_not_verified_even_if_the_scenarios_make_the_same_mistake(scene: Scene):
    test = {"count": "calls", "per": "day", "above": 4}
    limit = rule("at-most", "deny", LIMIT, tool=["write"], where=[test])
    allow = rule("write-notes", "allow", LIMIT, paths=notes("write-path"))
    wrong = [at(MONDAY, "allow"), at(MONDAY, "allow", earlier=3), at(MONDAY, "deny", earlier=4)]
    given = answers(allow, prohibitions=[limit], scenarios=[*wrong, at(MONDAY, "deny", path="~/other/a")])
    result = scene.generate(given, job(constitution=text(LIMIT)))
    assert "verified" != result.status
    assert any("the limit 3 per day" in one.message for one in result.issues), result.issues


def timed(hours: str) -> dict[str, Any]:
    when = [{"hours": [hours]}, {"days": ["mon", "tue", "wed", "thu", "fri"]}]
    allow = rule("write-notes", "allow", TIME, paths=notes("write-path"), where=when)
    early, late = "2026-11-23T08:59:00+00:00", "2026-11-23T17:00:00+00:00"
    right = [at(MONDAY, "allow"), at(early, "deny"), at(late, "deny"), at("2026-11-28T12:00:00+00:00", "deny")]
    return answers(allow, prohibitions=[], scenarios=[*right, at(MONDAY, "deny", path="~/other/a")])


def test_a_time_that_a_model_writes_is_verified_by_scenarios_at_that_time(scene: Scene):
    given = job(constitution=text(TIME), base={"timeZone": "UTC"})
    result = scene.generate(timed("09:00-17:00"), given)
    assert "verified" == result.status, result.issues
    assert "enforced" == clause(scene, given, TIME).status


@pytest.mark.parametrize("hours", ["09:00-18:00", "08:00-17:00", "21:00-05:00"])
def test_other_hours_are_never_verified(scene: Scene, hours: str):
    result = scene.generate(timed(hours), job(constitution=text(TIME), base={"timeZone": "UTC"}))
    assert "verified" != result.status


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("Allow sending emails to ada@example.org.", "not_expressible"),
        ("You may send emails to ada@example.org.", "not_expressible"),
        ("Never send emails.", "enforced"),
        ("Ask before sending emails.", "enforced"),
    ],
)
def test_a_permission_that_no_tool_can_use_is_not_enforced(scene: Scene, sentence: str, status: str):
    """What is forbidden or asked for cannot happen. A user who permits something expects that it is allowed."""
    given = job(constitution=text(sentence))
    found: list[dict[str, Any]] = [
        {"clause": sentence, "status": "no_tool", "rules": [], "why": "no tool sends emails"}
    ]
    plain = answers(prohibitions=[], scenarios=[at(MONDAY, "deny")])
    result = scene.generate({**plain, "judge": verdict(passes=True, clauses=found)}, given)
    assert status == clause(scene, given, sentence).status
    assert ("verified" == result.status) is (status == "enforced"), result.issues


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "status"),
    [
        ("## Miller and Sons", "not_a_rule"),
        ("## Weekends", "not_expressible"),
        ("## Blocking", "not_expressible"),
        ("## Above 50", "not_expressible"),
    ],
)
def test_a_judge_may_call_only_a_heading_without_a_condition_background(scene: Scene, heading: str, status: str):
    given = job(constitution=f"{heading}\n\n{text('Never send emails.')}")
    words: list[dict[str, Any]] = [
        {"clause": heading, "status": "not_a_rule", "rules": [], "why": "a title"},
        {"clause": "Never send emails.", "status": "no_tool", "rules": [], "why": "no tool sends emails"},
    ]
    plain = answers(prohibitions=[], scenarios=[at(MONDAY, "deny")])
    result = scene.generate({**plain, "judge": verdict(passes=True, clauses=words)}, given)
    assert status == clause(scene, given, heading).status
    assert ("verified" == result.status) is (status == "not_a_rule"), result.issues

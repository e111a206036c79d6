"""A model that answers at random, and one that makes the mistakes of this job: no wrong PASS, nothing lost."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.models.faulty import faulty
from retouch.recipes.policy import Policy, evaluate, meets, read_scenarios
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.making.faults import FAULTS
from retouch.recipes.policy.making.job import recipe
from retouch.testing import scripted
from tests.recipes.policy.making.scenes import (
    COVERING,
    READS,
    WRITES,
    Json,
    Scene,
    blame,
    by_task,
    item,
    items,
    job,
    notes,
    operations,
    rule,
    rules,
    scenario_id,
    task_of,
    verdict,
)

if TYPE_CHECKING:
    from retouch.engine.types import Reply

TEXT = "The agent may read my notes."
ASK = "Ask me before it writes to my notes."
PATHS = ["~/notes/a", "~/other/a", "~/.ssh/key", "relative", "~/notes/../x", ""]
DECISIONS = ["allow", "escalate", "deny"]
TOOLS = ["read", "write", "delete"]
Some: TypeAlias = "st.SearchStrategy[str]"


def _rule(name: str, then: str, role: str, where: str) -> Json:
    return rule(f"{name}-{then}", then, TEXT, paths=notes(role, where))


def _update(one: Json) -> Json:
    return {"op": "update", "rule": one}


def _add(one: Json) -> Json:
    return {"op": "add", "rule": one}


def _delete(name: str) -> Json:
    return {"op": "delete", "name": f"{name}-allow"}


def _rules(found: list[Json]) -> str:
    return rules(*found)


def _items(found: list[Json]) -> str:
    return items(*found)


def _operations(found: list[Json]) -> str:
    return operations(*found)


def _verdict(found: list[Json], passes: bool, probes: list[Json]) -> str:
    return verdict(*found, passes=passes, probes=probes)


NAMES = st.sampled_from("abc")
ROLES = st.sampled_from(["read-path", "write-path", "delete-path"])
RULES = st.builds(_rule, NAMES, st.sampled_from(["allow", "escalate"]), ROLES, st.sampled_from(["~/notes", "~", "/"]))
ITEMS = st.builds(item, st.sampled_from(TOOLS), st.sampled_from(PATHS), st.sampled_from(DECISIONS))
IDS = st.sampled_from([scenario_id(name, path) for name in TOOLS for path in PATHS[:3]])
KINDS, QUOTES = st.sampled_from(["rule", "scenario", "both"]), st.sampled_from([TEXT, ASK, "", "no quote"])
BLAMES = st.builds(blame, IDS, KINDS, QUOTES, st.none() | st.sampled_from(DECISIONS))
CHANGES = st.builds(_update, RULES) | st.builds(_add, RULES) | st.builds(_delete, NAMES)
SETS: Some = st.builds(_rules, st.lists(RULES, max_size=3))
SCENARIOS: Some = st.builds(_items, st.lists(ITEMS, max_size=8))
PATCHES: Some = st.builds(_operations, st.lists(CHANGES, max_size=3))
VERDICTS: Some = st.builds(_verdict, st.lists(BLAMES, max_size=4), st.booleans(), st.lists(ITEMS, max_size=2))
ANYTHING: Some = st.sampled_from(["", "pass", "null", "[]", '{"scenarios": 1}', "{" * 50])
FITTING = {"compile": SETS, "scenarios": SCENARIOS, "turn": SCENARIOS, "patch": PATCHES, "judge": VERDICTS}


def expect_honest(folder: Path, status: str) -> None:
    """Whatever happened: a verified policy passes all that is stored, and a clean run is a verified one."""
    stored = json.loads((folder / "policy.json").read_text(encoding="utf-8"))
    policy = Policy.load(folder)
    if stored["verified"]:
        for one in read_scenarios(folder / "scenarios.json"):
            assert meets(one.expected, evaluate(policy, one.request, surroundings=LEXICAL).decision)
        assert not stored["failed"]
    assert stored["verified"] or status != "verified"


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_a_model_that_answers_at_random_ends_in_its_budget_and_never_passes_wrongly(data: Any):
    handwritten_scenarios = [item("read", "~/notes/hand", "allow")]
    answered: list[str] = []

    def answer(request: Any) -> str:
        fitting = FITTING[task_of(request)]
        answered.append(data.draw(fitting | fitting | st.one_of(ANYTHING, *FITTING.values())))
        return answered[-1]

    with tempfile.TemporaryDirectory() as place:
        scene = Scene(Path(place) / "run")
        result = scene.generate(answer, job(handwritten=handwritten_scenarios))
        # Two planned pages and three judges, each answered once and repaired at most six times.
        assert len(answered) <= 5 * 7
        expect_honest(scene.folder, result.status)
        replies = [one.reply.text for one in scene.history.attempts.values() if one.reply is not None]
        assert answered == replies
        if (scene.folder / "servers").exists():
            stored = scene.file("servers/notes/scenarios.json")["scenarios"]
            assert [("handwritten", "allow")] == [
                (one["source"], one["expectedDecision"]) for one in stored if one["description"] == "read ~/notes/hand"
            ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(FAULTS))
@pytest.mark.parametrize("seed", [1, 2])
def test_every_mistake_of_the_faulty_model_ends_without_a_wrong_pass(tmp_path: Path, kind: str, seed: int):
    write = scenario_id("write", "~/notes/a")
    answers = {
        "compile": rules(READS, WRITES),
        "scenarios": items(*COVERING),
        "turn": items(*COVERING),
        "judge": verdict(blame(write, "rule", ASK)),
        "patch": rules(READS, WRITES),
    }
    script = scripted(by_task(answers))
    model = faulty(script, rate=1.0, seed=seed, kinds=[kind], faults=recipe.faults)

    async def answer(request: Any) -> Reply:
        return await model(request)

    scene = Scene(tmp_path / "run")
    result = scene.generate(answer)
    expect_honest(scene.folder, result.status)


@pytest.mark.parametrize("kind", sorted(FAULTS))
def test_every_fault_changes_an_answer_of_its_kind_and_no_other(kind: str):
    write = scenario_id("write", "~/notes/a")
    answers = [rules(READS, WRITES), items(*COVERING), verdict(blame(write, "rule", ASK))]
    changed = [FAULTS[kind](answer, Random(1)) != answer for answer in answers]
    assert sum(changed) == (3 if kind == "brackets_in_prose" else 1)
    assert "prose" == FAULTS[kind]("prose", Random(1))

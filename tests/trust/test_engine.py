"""Nothing that the engine did not check is verified: empty runs, stale outcomes, checks that could not judge."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import Batching, RunOptions
from retouch.engine.overview import overview
from retouch.engine.recipe import TierPlan, three_tiers
from retouch.engine.tiers import UnitFacts, tier_outcomes
from retouch.engine.types import BATCH_PREPARED, Issue, Reply, Tier
from retouch.engine.verbs import compare, regenerate
from retouch.errors import DamagedRun
from retouch.testing import scripted
from tests.engine.conftest import Scene, always, honest, run
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from retouch.engine.compare import Comparison
    from retouch.engine.overview import RunResult
    from retouch.engine.types import Journal, Request
    from retouch.errors import ModelError


def outcomes(result: RunResult, name: str) -> tuple[int, int, int]:
    (tier,) = [one for one in result.tiers if one.name == name]
    return tier.passed, tier.failed, tier.not_run


def shown(scene: Scene) -> Any:
    return overview(open_run(scene.folder)).as_json(attempts=False)


def an_issue(tier: int, **more: Any) -> Issue:
    return Issue(code="X", message="x", tier=Tier(tier), unit="a", **more)


def test_a_run_without_units_is_unverified(scene: Scene):
    scene.use(plan=always(()), assemble=always({}))
    for result in (scene.generate(), scene.validate(), scene.assemble(force=True)):
        assert ("unverified", "nothing was checked") == (result.status, result.reason)
    assert "unverified" == shown(scene)["status"]


def test_a_recipe_that_declares_no_tier_is_never_verified(scene: Scene):
    scene.use(tiers=always(()))
    assert ("unverified", "nothing was checked") == ((result := scene.generate()).status, result.reason)


def test_after_a_tier_that_could_not_judge_no_later_one_has_passed():
    plans = [*three_tiers(None), TierPlan(tier=4, name="runtime")]
    broken = UnitFacts(name="a", group="", issues=[an_issue(2, detail={"tool": True})], answered=True)
    found = tier_outcomes(plans, [broken])["a"]
    assert ["passed", "not_run", "not_run", "not_run"] == [one.outcome for one in found.values()]
    assert "tier 2 could not judge 'a'" == found["semantic"].why


def test_what_one_unit_did_not_run_in_tier_two_says_nothing_of_another():
    unread = UnitFacts(
        name="a", group="", issues=[an_issue(2, severity="info", detail={"not_run": "x"})], answered=True
    )
    other = UnitFacts(name="b", group="", issues=[], answered=True)
    found = tier_outcomes(three_tiers(None), [unread, other])
    assert ("not_run", "passed") == (found["a"]["schema"].outcome, found["b"]["schema"].outcome)


def test_answers_that_tier_three_has_not_seen_have_not_passed_it():
    new = UnitFacts(name="a", group="", issues=[], answered=True, checked=False)
    assert "not_run" == tier_outcomes(three_tiers(None), [new])["a"]["semantic"].outcome


def test_what_was_accepted_after_the_last_check_is_not_shown_as_verified(scene: Scene):
    """The process ends between the new answer and its check, as with Ctrl-C or a power cut."""
    scene.generate()
    assert "verified" == shown(scene)["status"]

    answered: list[str] = []

    def interrupted(*_: Any) -> list[Issue]:
        if answered:
            raise KeyboardInterrupt
        return []

    def other(request: Request) -> str:
        answered.append(request.prompt.unit)
        return answer(request.prompt).replace("=", "=NEW ")

    scene.use(check=interrupted)
    with pytest.raises(KeyboardInterrupt):
        scene.regenerate(scripted(other), hint="again")
    found = shown(scene)
    assert "verified" != found["status"], found


def test_files_made_again_are_checked_again(scene: Scene):
    """The world may have changed since: what was found then is not what is true now."""
    scene.generate()
    scene.use(check=always([replace(an_issue(3), unit=next(iter(scene.validate().states))[0])]))
    result = scene.assemble(force=True)
    assert ("issues", 1) == (result.status, result.exit_status)


def test_a_comparison_sees_that_a_file_is_missing(scene: Scene):
    scene.generate()
    (scene.folder / "glossary.txt").unlink()
    found: tuple[RunResult, list[Comparison]] = run(compare(scene.recipe, scene.folder, honest()))
    assert "issues" == found[0].status
    assert ["FILE_MISSING"] == [one.code for one in found[0].issues]


def test_a_check_that_finds_the_same_outcomes_again_is_shown(scene: Scene):
    scene.generate()
    scene.regenerate(scripted(lambda request: answer(request.prompt)), hint="again")
    assert "verified" == shown(scene)["status"]
    scene.validate()
    assert "verified" == shown(scene)["status"]


@pytest.mark.parametrize("name", ["ir.json", "prompts.json"])
@pytest.mark.parametrize("verb", ["regenerate", "compare"])
def test_a_source_that_was_tampered_with_is_not_used_even_if_stale_prompts_are(scene: Scene, name: str, verb: str):
    """The checks trust the source. A verb that used it would also record its hash, and hide the change for good."""
    scene.generate()
    scene.edit("axe", "adze", name=name)
    changed = scene.text(name)
    called = {"regenerate": regenerate, "compare": compare}[verb]
    with pytest.raises(DamagedRun, match="was changed"):
        run(called(scene.recipe, scene.folder, honest(), options=RunOptions(ignore_stale=True)))
    assert changed == scene.text(name)
    assert "verified" != shown(scene)["status"]


def test_a_right_answer_with_a_loop_behind_it_is_not_verified(scene: Scene):
    """What the loop follows was never finished: the end of the answer is not the model's."""
    block = "".join(f"# a line that the model repeats, number {number}\n" for number in range(6))

    def looping(request: Request) -> Reply:
        return Reply(text=f"{answer(request.prompt)}\n{block * 40}", finish="length", model="m", output_tokens=9)

    result = scene.generate(scripted(looping))
    assert ("exhausted", 3) == (result.status, result.exit_status)
    assert {"repeated"} == {one.reply.finish for one in scene.history.attempts.values() if one.reply is not None}
    assert {"exhausted"} == {scene.validate().status, shown(scene)["status"]}


def test_a_run_whose_batch_is_pending_is_incomplete(scene: Scene):
    result = scene.generate(honest(), batching=Batching(model=_NeverDone(), wait_s=0.0))
    assert ("incomplete", 1, 0) == (result.status, result.exit_status, result.calls)
    assert {"incomplete"} == {scene.validate().status, shown(scene)["status"]}


class _NeverDone:
    """A batch API that accepts requests and does not answer."""

    name = "scripted"

    async def answers(
        self, requests: Mapping[int, Request], journal: Journal, *_: Any, **_more: Any
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        entries: dict[str, Any] = {str(seq): seq for seq in requests}
        journal.note(BATCH_PREPARED, {"entries": entries})
        await journal.synced()
        return
        yield  # an async generator

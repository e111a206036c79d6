"""Whatever models answer: a run ends, within its budget, in a state that says the truth, and nothing is asked twice."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch._lib.hashing import canonical_hash, canonical_json
from retouch.engine.options import RunOptions
from retouch.engine.types import RetryBudget
from retouch.errors import ModelError, TransportError
from retouch.testing import scripted
from tests.engine.conftest import Scene, cut, honest, refused, states
from tests.engine.glossary import SOURCE, answer

if TYPE_CHECKING:
    from retouch.engine.overview import RunResult
    from retouch.engine.types import Request

KINDS = st.sampled_from(["right", "nonsense", "thin", "clash", "cut", "refused", "lost", "empty"])
SCRIPTS = st.lists(KINDS, max_size=24)
PAGES = {"animals": 2, "tools": 1}
BOUND = sum(pages * (1 + RetryBudget().for_pages(pages).total_remaining) for pages in PAGES.values())


def reply(kind: str, request: Request, number: int) -> Any:
    """What a model says for a kind of answer; `number` makes each a little different."""
    word = "cat" if request.prompt.unit == "animals" else "saw"
    return {
        "right": answer(request.prompt),
        "nonsense": f"nonsense {number}",
        "thin": f"{word}=THIN{number}",
        "clash": answer(request.prompt) + "\nmore=CLASH",
        "cut": cut(),
        "refused": refused(),
        "lost": TransportError("reset"),
        "empty": "",
    }[kind]


def follows(script: list[str], *, stop: int = -1) -> Any:
    """A model that goes through a script, then answers rightly; call number `stop` finds that credit is gone."""
    kinds = iter(script)
    count = iter(range(10_000))

    def told(request: Request) -> Any:
        number = next(count)
        return ModelError("no more credit") if number == stop else reply(next(kinds, "right"), request, number)

    return scripted(told)


def tells_the_truth(scene: Scene, result: RunResult) -> bool:
    """Whether the status is what the units' states and issues say."""
    found = set(states(result).values())
    errors = any(issue.severity == "error" for issue in result.issues)
    expected = "exhausted" if "exhausted" in found else "incomplete" if "unanswered" in found else None
    if expected is None:
        expected = "issues" if errors else "verified"
    outputs = [page["output"] for page in scene.json("pages.json")["pages"]]
    return expected == result.status and (errors or None not in outputs)


@settings(max_examples=20, deadline=None)
@given(script=SCRIPTS, concurrency=st.integers(1, 4))
def test_any_script_of_answers_ends_within_the_budget_and_tells_the_truth(script: list[str], concurrency: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "run")
        model = follows(script)
        result = scene.generate(model, options=RunOptions(concurrency=concurrency, warm_up_s=0.01))

        assert len(model.requests) <= BOUND
        assert tells_the_truth(scene, result)
        assert "failing" not in states(result).values() or "lost" in script
        for unit, pages in PAGES.items():
            left = scene.history.remaining_budget(unit, pages)
            assert min(left.tier1_remaining, left.tier2_remaining, left.tier3_remaining, left.total_remaining) >= 0
        assert scene.validate(write=False).status == result.status


@settings(max_examples=12, deadline=None)
@example(script=["refused", "lost"])
@example(script=["cut", "lost"])
@example(script=["nonsense", "thin", "right", "thin", "lost", "nonsense"])
@given(script=SCRIPTS)
def test_a_second_run_asks_nothing_that_was_answered(script: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "run")
        first = follows(script)
        result = scene.generate(first)
        got = {a.request for a in scene.history.attempts.values() if a.reply is not None}
        later = honest()
        again = scene.generate(later)
        assert set() == got & set(later.requests)
        assert not (later.requests and "lost" not in script)
        assert tells_the_truth(scene, again)
        assert again.status != "incomplete"
        assert [] == later.requests or result.status in {"incomplete", "issues", "exhausted"}


@settings(max_examples=10, deadline=None)
@example(script=["nonsense", "thin", "right", "right", "nonsense"], stop=2)
@example(script=["thin", "right", "empty", "nonsense"], stop=0)
@given(script=SCRIPTS, stop=st.integers(0, 12))
def test_a_run_that_breaks_off_anywhere_is_taken_up_for_no_more_than_it_lacks(script: list[str], stop: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder) / "run")
        model = follows(script, stop=stop)
        for _ in range(2):
            with suppress(ModelError):
                scene.generate(model)
        got = [a.request for a in scene.history.attempts.values() if a.reply is not None]
        assert len(got) == len(set(got))

        assert len(got) <= BOUND


TIERS = st.integers(1, 3)
BUDGETS = st.builds(RetryBudget, *[st.integers(0, 4)] * 4)


@given(budget=BUDGETS, tiers=st.lists(TIERS, max_size=20))
def test_a_budget_never_pays_more_than_it_holds(budget: RetryBudget, tiers: list[int]) -> None:
    left, paid = budget, [0, 0, 0]
    for tier in tiers:
        if left.can_retry(tier):
            left = left.consume(tier)
            paid[tier - 1] += 1
    start = (budget.tier1_remaining, budget.tier2_remaining, budget.tier3_remaining)
    assert all(spent <= had for spent, had in zip(paid, start, strict=True))
    assert sum(paid) == budget.total_remaining - left.total_remaining <= budget.total_remaining


@given(budget=BUDGETS, tier=TIERS)
def test_paying_takes_one_of_the_tier_and_one_of_all_and_leaves_the_old_value(budget: RetryBudget, tier: int) -> None:
    before = repr(budget)
    if budget.can_retry(tier):
        after = budget.consume(tier)
        assert budget.total_remaining - 1 == after.total_remaining
        name = f"tier{tier}_remaining"
        assert getattr(budget, name) - 1 == getattr(after, name)
    else:
        with pytest.raises(ValueError, match=f"no retry left for tier {tier}"):
            budget.consume(tier)
    assert before == repr(budget)


@given(first=TIERS, second=TIERS)
def test_the_order_of_payments_does_not_matter(first: int, second: int) -> None:
    budget = RetryBudget(4, 4, 4, 9)
    assert budget.consume(first).consume(second) == budget.consume(second).consume(first)


@pytest.mark.parametrize("tier", [0, 4, -1, 99])
def test_no_other_tier_can_be_retried(tier: int) -> None:
    assert not RetryBudget(9, 9, 9, 9).can_retry(tier)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(value=st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_the_order_of_keys_does_not_change_a_hash(value: dict[str, Any]) -> None:
    turned = dict(reversed(value.items()))
    assert (canonical_json(value), canonical_hash(value)) == (canonical_json(turned), canonical_hash(turned))


@given(one=JSON, other=JSON)
def test_different_values_have_different_canonical_texts(one: Any, other: Any) -> None:
    assert (canonical_json(one) == canonical_json(other)) == (canonical_hash(one) == canonical_hash(other))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}])
def test_what_is_not_json_has_no_hash(value: object) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_hash(value)


def test_the_source_of_the_suite_has_the_pages_that_the_bounds_speak_of() -> None:
    from tests.engine.glossary import plan

    assert PAGES == Counter(prompt.unit for prompt in plan(SOURCE))

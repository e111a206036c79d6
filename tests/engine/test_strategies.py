"""Repairs follow a fixed order, and its end is reached: a fallback model that is right ends every run verified."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.repairs import FALLBACK_TRIES
from retouch.engine.types import Issue, Reply, RetryBudget, Tier
from retouch.engine.usage import strategy_report
from retouch.errors import TransportError
from retouch.testing import scripted
from tests.engine.conftest import always, cut, honest, refused, states, wrong_first
from tests.engine.glossary import Glossary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.engine.options import Progress
    from retouch.engine.types import OnEvent, Request
    from retouch.testing import Scripted
    from tests.engine.conftest import Scene

BLOCK = "".join(f"line {number} of a block that is repeated\n" for number in range(8))


def _different_errors(number: int) -> Any:
    return [f"nonsense {number}", "saw=SAW", f"axe=CAT\nsaw=SAW{number}"][number % 3]


def _nonsense(number: int) -> Any:
    return f"no answer {number}"


def _thin(number: int) -> Any:
    return f"saw=SAW{number}"


def _same_error(_number: int) -> Any:
    return "saw=SAW"


def _clash(_number: int) -> Any:
    return "axe=CAT\nsaw=SAW\ncat=DOG"


def _truncated(number: int) -> Any:
    return cut(f"axe=AXE{number}")


def _refused(_number: int) -> Any:
    return refused()


def _loop(_number: int) -> Any:
    return Reply(text=BLOCK * 40, finish="length", model="m", output_tokens=8_192)


def _filtered(_number: int) -> Any:
    return Reply(text="", finish="filtered", model="m")


FAILURES = [_different_errors, _same_error, _clash, _truncated, _refused, _loop, _filtered]


def failing(failure: Callable[[int], Any]) -> Scripted:
    """Return a model that never answers rightly."""
    count = 0

    def script(_request: Request) -> Any:
        nonlocal count
        count += 1
        return failure(count)

    return scripted(script)


def named(model: Scripted, name: str) -> Scripted:
    model.name = name
    return model


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("pages", [1, 5])
def test_with_a_perfect_fallback_every_run_ends_verified(
    scene: Scene, failure: Callable[[int], Any], pages: int
) -> None:
    scene.source = Glossary(units={"a": tuple(f"w{n}" for n in range(pages)), "b": ("axe", "saw")}, page_size=1)
    result = scene.generate(failing(failure), fallback=named(honest(), "right"))
    assert ("verified", {"a": "answered", "b": "answered"}) == (result.status, states(result))


@pytest.mark.parametrize("budget", [RetryBudget(0, 0, 0, 0), RetryBudget(), RetryBudget(9, 9, 9, 9)])
def test_the_retry_budget_limits_the_runs_model_and_not_the_fallback(scene: Scene, budget: RetryBudget) -> None:
    model, right = failing(_different_errors), named(honest(), "right")
    assert "verified" == scene.generate(model, fallback=right, budget=budget).status
    assert 3 == len(right.requests)
    assert len(model.requests) <= 3 * (1 + budget.total_remaining)


def test_fallbacks_are_used_in_the_given_order_each_a_limited_number_of_times(scene: Scene) -> None:
    first, second, third = failing(_nonsense), failing(_thin), honest()
    model = wrong_first({("tools", 1): [f"nonsense {n}" for n in range(9)]})
    given = [named(first, "one"), named(second, "two"), named(third, "three")]
    assert "verified" == scene.generate(model, fallback=given).status
    expected = {"scripted": 3, "one": FALLBACK_TRIES, "two": FALLBACK_TRIES, "three": 1}
    made = [one.model for one in scene.history.attempts.values() if one.unit == "tools"]
    assert expected == {name: made.count(name) for name in dict.fromkeys(made)}
    assert list(expected) == list(dict.fromkeys(made))


def test_if_no_fallback_helps_the_unit_ends_exhausted_with_its_best_answer(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["axe=AXE", "nonsense", "worse"]})
    result = scene.generate(model, fallback=named(failing(_nonsense), "other"))
    assert ("exhausted", "exhausted") == (result.status, states(result)["tools"])
    assert "axe=AXE" in scene.text()


@pytest.mark.parametrize("failure", [_nonsense, _clash, _refused, _truncated])
def test_a_run_that_ended_without_success_continues_with_a_fallback_that_it_did_not_have(
    scene: Scene, failure: Callable[[int], Any]
) -> None:
    ended = scene.generate(failing(failure))
    assert ended.status in {"exhausted", "issues"}
    assert (0, ended.status) == ((again := scene.generate(failing(failure))).calls, again.status)
    right = named(honest(), "right")
    assert "verified" == scene.generate(failing(failure), fallback=right).status
    assert len(right.requests) <= 3


def test_a_fallback_named_later_takes_over_although_more_retries_were_paid_than_one_page_has(scene: Scene) -> None:
    scene.source = Glossary(units={"a": tuple("stuvwxyz")}, page_size=1)
    killed = TransportError("connection reset")
    scene.generate(wrong_first({("a", 8): ["no", "nope", "none", "never", killed]}))
    assert 4 == len(scene.history.retries_of(("a", 8)))
    assert "verified" == scene.generate(failing(_nonsense), fallback=named(honest(), "right")).status


def test_one_page_that_gets_worse_does_not_discard_the_repair_of_another(scene: Scene) -> None:
    scene.source = Glossary(units={"a": tuple("xyz")}, page_size=1)
    model = wrong_first({("a", 1): ["w=W"], ("a", 2): ["v=V", "nonsense"]})
    assert "verified" == scene.generate(model).status
    retried = [one.page for one in scene.history.attempts.values() if one.why != "answer"]
    assert [1, 2, 2] == sorted(retried)
    assert {"Z", "Y", "X"} <= set(scene.text().replace("=", "\n").split("\n"))


def test_the_strategies_of_one_model_follow_in_their_order(scene: Scene) -> None:
    """The page is long enough for a patch. Every reply has the same error as the one before."""
    scene.source = Glossary(units={"tools": ("axe", "saw")})
    long = "axe=" + "X" * 900
    model = scripted(
        [long, "CHANGE 1: no\nFIND:\n```\nno such line\n```\nREPLACE WITH:\n```\n```\n", long + "1", long + "2"]
    )
    scene.generate(model, fallback=named(honest(), "right"), budget=RetryBudget(5, 5, 5, 5))
    attempts = [(one.why, one.model, one.request.temperature) for one in scene.history.attempts.values()]
    assert [
        ("answer", "scripted", None),
        ("patch", "scripted", None),
        ("correction", "scripted", None),
        ("resample", "scripted", 1.0),
        ("patch", "right", None),
    ] == attempts


def test_the_recipes_own_rules_come_last_if_they_answer_completely(scene: Scene) -> None:
    scene.use(offline_complete=True)
    result = scene.generate(failing(_nonsense), fallback=named(failing(_thin), "other"))
    assert "verified" == result.status
    assert ["3 pages were answered by 'offline': animals page 1, animals page 2, tools"] == list(result.notes)
    assert 1 == sum(one.model == "offline" for one in scene.history.attempts.values() if one.unit == "tools")


def test_the_pages_that_a_fallback_answered_are_named_and_no_others(scene: Scene) -> None:
    model = wrong_first({("animals", 2): [_nonsense(n) for n in range(9)]})
    result = scene.generate(model, fallback=named(honest(), "other"))
    assert ["1 page was answered by 'other': animals page 2"] == list(result.notes)
    assert [] == list(scene.regenerate(honest(), hint="again").notes)


@pytest.mark.parametrize(("complete", "last"), [(True, False), (False, True)])
def test_rules_that_are_incomplete_or_not_wanted_answer_nothing(scene: Scene, complete: bool, last: bool) -> None:
    scene.use(offline_complete=complete)
    assert "exhausted" == scene.generate(failing(_nonsense), offline_last=last).status


def test_an_offline_answer_is_checked_like_any_other(scene: Scene) -> None:
    scene.use(offline_complete=True, offline=always("axe="))
    result = scene.generate(failing(_nonsense))
    assert "exhausted" == result.status


def test_a_run_that_offline_answers_anyway_has_no_such_last_strategy(scene: Scene) -> None:
    scene.use(offline_complete=True)
    assert "exhausted" == scene.generate(named(failing(_nonsense), "offline")).status


def test_an_unusable_page_is_repaired_before_the_other_pages_of_its_unit_have_landed(scene: Scene) -> None:
    slow = _SlowLastPage({("a", 1): [refused(), refused()], ("a", 2): [cut()]}, others=5)
    scene.source = Glossary(units={"a": tuple("xyz")}, page_size=1)
    assert "verified" == scene.generate(slow).status
    assert [1, 1, 2] == sorted(slow.repaired_early)


def test_a_page_with_errors_of_its_own_is_repaired_before_the_other_pages_have_landed(scene: Scene) -> None:
    slow = _SlowLastPage({("a", 1): ["nonsense", "more nonsense"], ("a", 2): ["none"]}, others=5)
    scene.source = Glossary(units={"a": tuple("xyz")}, page_size=1)
    scene.use(page_errors=_page_errors)
    assert "verified" == scene.generate(slow).status
    assert [1, 1, 2] == sorted(slow.repaired_early)
    assert "nonsense" in [one.reply.text for one in scene.history.attempts.values() if one.reply][:3]


def test_a_page_that_failed_early_and_has_no_retry_left_is_judged_with_the_others(scene: Scene) -> None:
    slow = _SlowLastPage({("a", 1): ["nonsense", "more nonsense"], ("a", 2): [refused()]}, others=2)
    scene.source = Glossary(units={"a": tuple("xyz")}, page_size=1)
    scene.use(page_errors=_page_errors)
    result = scene.generate(slow, budget=RetryBudget(0, 0, 0, 0))
    assert ("exhausted", "exhausted") == (result.status, states(result)["a"])
    assert [("a", 2)] == [(one.unit, one.page) for one in result.issues]  # a page is missing, so nothing else is read
    assert 3 == len(slow.requests)


@pytest.mark.parametrize("after", range(1, 8))
def test_a_run_that_is_killed_among_early_repairs_resumes_and_pays_nothing_twice(scene: Scene, after: int) -> None:
    scene.source = Glossary(units={"a": tuple("xyz")}, page_size=1)
    scene.use(page_errors=_page_errors)
    wrong = {("a", 1): ["nonsense", "more nonsense"], ("a", 2): [refused()]}
    seen = 0

    def killed(progress: Progress) -> None:
        nonlocal seen
        seen += progress.kind == "answered"
        if seen == after:
            raise KeyboardInterrupt

    model = _SlowLastPage(wrong, others=5)
    with suppress(KeyboardInterrupt):
        scene.generate(model, options=RunOptions(watch=killed, grace_s=0.01))
    model.others = 0  # the replies that are there are not requested again, so that fewer others come
    assert "verified" == scene.generate(model).status
    answered = [one.request for one in scene.history.attempts.values() if one.reply is not None]
    assert len(set(answered)) == len(answered) <= 6
    assert (2, 1) >= (len(scene.history.retries_of(("a", 1))), len(scene.history.retries_of(("a", 2))))


class _SlowLastPage:
    """A model that answers page 3 after `others` replies for other pages, and counts repairs before that."""

    name = "slow"

    def __init__(self, wrong: dict[tuple[str, int], list[Any]], *, others: int) -> None:
        self._inner, self.others = wrong_first(wrong), others
        self.requests = self._inner.requests
        self.repaired_early: list[int] = []

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        page = request.prompt.page
        asked = [one.prompt.page for one in self.requests]
        if page != 3:
            self.repaired_early += [page] if page in asked and 3 not in asked else []
        else:
            for _ in range(20_000):  # ends too, if no repair comes: then the test fails
                if sum(one.prompt.page != 3 for one in self.requests) >= self.others:
                    break
                await asyncio.sleep(0.001)
        return await self._inner(request, on_event=on_event)


def _page_errors(_source: Glossary, unit: str, page: int, text: str) -> Iterator[Issue]:
    for line in text.splitlines():
        if "=" not in line:
            yield Issue(code="BROKEN_LINE", message=f"{line!r} has no '='", tier=Tier.SYNTAX, unit=unit, page=page)


def test_the_success_of_each_strategy_is_counted(scene: Scene) -> None:
    model = wrong_first({("tools", 1): ["no", "nope", "none"], ("animals", 1): ["cat=CAT"]})
    scene.generate(model, fallback=named(wrong_first({("tools", 1): ["saw=SAW"]}), "other"))
    found = strategy_report(scene.history.attempts.values())
    assert [
        ("correction", "scripted", 3, 3, 1),
        ("correction", "other", 2, 2, 1),
    ] == [(one.strategy, one.model, one.retries, one.accepted, one.solved) for one in found]

"""The plan of the current run: computed from its prompts and its past, and the cost of its marks."""

from __future__ import annotations

import gc
import weakref
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from retouch import Message
from retouch.engine.types import CURRENT_RUN, Attempt, CurrentRun, Prompt, Reply, Request
from retouch.models.cache_facts import CacheFacts
from retouch.models.cache_load import Load, Rates, seen_rates
from retouch.models.cache_marks import RunPlans
from retouch.models.cache_plan import CachePlan, cache_plan
from retouch.models.tokens import estimate_tokens
from retouch.testing.prompt_cache import PromptCache
from retouch.testing.wire import PromptBlock, WireCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON

FACTS = CacheFacts(min_tokens=1_024, write=1.25, read=0.1, markers=4)
SYSTEM, OTHER = "rule " * 2_000, "law " * 2_000


class Notebook:
    """A journal that keeps its notes."""

    def __init__(self) -> None:
        self.notes: list[Mapping[str, JSON]] = []

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        assert kind == "cache_plan"
        self.notes.append(data)

    async def synced(self) -> None:
        return


def page(number: int, system: str = SYSTEM) -> Prompt:
    return Prompt(unit=f"unit{number}", system=system, user=f"page {number} " + "word " * 300)


def asked(prompt: Prompt, turns: int = 1) -> Request:
    messages = [Message(role="user", text=prompt.user)]
    for turn in range(1, turns):
        messages += [Message(role="assistant", text="answer " * 200), Message(role="user", text=f"again {turn}")]
    return Request(prompt=prompt, system=prompt.system, messages=tuple(messages), max_output_tokens=9)


def attempt(seq: int, prompt: Prompt, turns: int, *, judged: bool = True) -> Attempt:
    reply = Reply(text="", model="m")
    one = Attempt(seq=seq, unit=prompt.unit, page=1, why="answer", request=asked(prompt, turns), model="m", at="")
    return replace(one, reply=reply, readable=judged)


@dataclass
class Run:
    """The current run, with plans for a model that caches by `FACTS`."""

    prompts: Sequence[Prompt]
    sessions: Sequence[Prompt] = ()

    def __post_init__(self) -> None:
        self.plans = RunPlans(lambda load: cache_plan("anthropic", "m", load, facts=FACTS))
        self.journal = Notebook()
        self.attempts: dict[int, Attempt] = {}
        self.at_work = CurrentRun(
            journal=self.journal,
            prompts=self.prompts,
            attempts=self.attempts,
            session=lambda prompt: prompt in self.sessions,
        )

    def marks(self, request: Request) -> tuple[int, ...]:
        before = CURRENT_RUN.set(self.at_work)
        try:
            return self.plans.breakpoints(request)
        finally:
            CURRENT_RUN.reset(before)

    def saw(self, *turns: int) -> None:
        for count in turns:
            seq = len(self.attempts) + 1
            self.attempts[seq] = attempt(seq, page(seq), count)


def test_a_system_text_is_marked_by_the_number_of_its_own_pages():
    run = Run([*(page(number) for number in range(9)), page(9, OTHER)])
    assert [(-1,), ()] == [run.marks(asked(prompt)) for prompt in (run.prompts[0], run.prompts[9])]


def test_a_text_that_the_run_derived_is_taken_to_be_shared():
    assert (-1,) == Run([page(0)]).marks(asked(page(1, OTHER)))


def test_pages_that_their_recipe_calls_sessions_are_marked_at_every_turn():
    prompts = [page(number) for number in range(4)]
    run = Run(prompts, sessions=prompts[:1])
    assert [(-1, 0), (-1, 0, 2)] == [run.marks(asked(prompts[0], turns)) for turns in (1, 2)]
    assert [(-1,), (-1,)] == [run.marks(asked(prompts[1], turns)) for turns in (1, 2)]


def test_a_conversation_is_known_by_what_it_opened_with():
    plain, other = page(0), replace(page(0), user="one change at a time " * 300)
    run = Run([plain], sessions=[other])
    assert (0, 2) == run.marks(replace(asked(other, 2), prompt=plain))
    assert () == run.marks(asked(plain, 2))


def test_what_a_run_sees_of_its_own_repairs_changes_where_it_marks():
    run = Run([page(number) for number in range(100)])
    assert (-1,) == run.marks(asked(run.prompts[0]))
    run.saw(*[2] * 12, *[1] * 12)
    assert (-1, 0) == run.marks(asked(run.prompts[0]))
    assert ["10%", "50%"] == [
        str(note["why"]).partition("marked: ")[2].partition("marked: ")[2][:3] for note in run.journal.notes
    ]


def test_the_plan_is_noted_once_while_it_stays_as_it_is():
    run = Run([page(number) for number in range(100)])
    for _ in range(60):
        run.saw(1)
        run.marks(asked(run.prompts[0]))
    assert 2 == len(run.journal.notes)  # an assumed rate of 10 %, then the measured 0 %


def test_a_run_that_is_over_is_not_kept_by_the_model_that_it_used():
    run = Run([page(0)])
    run.marks(asked(run.prompts[0]))
    at_work, plans = weakref.ref(run.at_work), run.plans
    del run
    gc.collect()
    assert (None, True) == (at_work(), plans is not None)


def test_outside_of_a_run_a_text_is_taken_to_be_shared():
    assert (-1,) == Run([]).plans.breakpoints(asked(page(0)))


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        ([1] * 19, Rates()),
        ([1] * 20, Rates(first=0.0)),
        ([1] * 10 + [2] * 20, Rates(first=2 / 3, further=0.0)),
        ([1] * 20 + [3] * 15 + [2] * 5, Rates(first=0.5, further=15 / 35)),
    ],
)
def test_shares_count_once_enough_pages_were_seen(turns: list[int], expected: Rates):
    assert expected == seen_rates(attempt(n, page(n), count) for n, count in enumerate(turns))


def test_pages_on_their_way_do_not_count_as_pages_that_needed_no_repair():
    assert Rates() == seen_rates(attempt(n, page(n), 1, judged=False) for n in range(50))


FACTORS = st.builds(
    CacheFacts,
    min_tokens=st.sampled_from([0, 256, 1_024]),
    write=st.sampled_from([1.0, 1.1, 1.25, 2.0]),
    read=st.sampled_from([0.025, 0.1, 0.5]),
    markers=st.sampled_from([2, 3, 4]),
)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), facts=FACTORS, exact=st.booleans())
def test_a_plan_is_never_dearer_than_none_where_the_load_turns_out_as_assumed(
    data: st.DataObject, facts: CacheFacts, *, exact: bool
):
    pages = data.draw(st.integers(1, 12), "pages")
    second = data.draw(st.integers(0, pages), "pages with a second turn")
    third = data.draw(st.integers(0, second), "pages with a third turn")
    system, own = (word * data.draw(st.integers(1, 1_500), word) for word in ("rule ", "page "))
    load = Load(
        shared_tokens=estimate_tokens(system),
        page_tokens=estimate_tokens(own),
        pages=pages,
        rates=Rates(first=second / pages, further=third / (second + third) if second else 0.0),
    )
    plan = cache_plan("any", "m", load, facts=facts)
    assume(load.shared_tokens + load.page_tokens >= facts.min_tokens)  # otherwise the marked turn is a last turn
    lengths = [1 + (number < second) + (number < third) for number in range(pages)]
    marked, uncached = cost(plan, system, own, lengths, exact=exact)
    assert marked <= uncached * 1.001 + facts.write * pages


@pytest.mark.parametrize("own", [0, 400, 3_000])
@pytest.mark.parametrize("shared", [100, 1_500, 6_000])
@pytest.mark.parametrize(("pages", "sessions"), [(1, 0), (2, 0), (30, 0), (1, 1), (30, 30)])
def test_the_share_that_is_expected_of_first_answers_is_what_they_come_to(
    shared: int, own: int, pages: int, sessions: int
):
    system, user = "rule " * shared, "page " * own
    load = Load(
        shared_tokens=estimate_tokens(system), page_tokens=estimate_tokens(user), pages=pages, sessions=sessions
    )
    plan = cache_plan("any", "m", load, facts=FACTS)
    marked, uncached = cost(plan, system, user, [1] * pages, exact=False, session=sessions > 0)
    assert pytest.approx(marked / uncached, abs=0.01) == plan.expected_share


def cost(
    plan: CachePlan, system: str, own: str, lengths: Sequence[int], *, exact: bool, session: bool = False
) -> tuple[float, float]:
    """Return the input cost of all turns on the emulated cache, and what it is without any marker.

    With `exact` entries are found at the request's own markers only, as in GPT-5.6's explicit mode.
    """
    cache, facts = PromptCache(min_tokens=plan.facts.min_tokens), plan.facts
    marked = uncached = 0.0
    for request in requests(system, own, lengths):
        marks = plan.breakpoints(request, session=session)
        blocks = [("system", request.system), *((message.role, message.text) for message in request.messages)]
        found = cache.marked(
            WireCall(
                model="m",
                blocks=[
                    PromptBlock(role=role, text=text, ttl_s=300.0 if n - 1 in marks else None)
                    for n, (role, text) in enumerate(blocks)
                ],
                system=system,
                messages=request.messages,
                max_output_tokens=9,
                look_back_blocks=1 if exact else 20,
            )
        )
        cache.begun(found)
        usage = found.usage
        marked += usage.total - usage.read - usage.written + facts.write * usage.written + facts.read * usage.read
        uncached += usage.total
    return marked, uncached


def requests(system: str, own: str, lengths: Sequence[int]) -> Iterator[Request]:
    """Yield the requests of pages whose conversations have so many turns, turn by turn."""
    for turn in range(1, max(lengths) + 1):
        for number, length in enumerate(lengths):
            if turn <= length:
                yield asked(Prompt(unit=f"unit{number}", system=system, user=f"{number} {own}"), turn)

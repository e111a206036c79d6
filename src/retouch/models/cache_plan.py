"""Where cache markers pay: a plan computed from the provider, the model, the sizes and what repairs are likely."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from retouch.engine.bill import PLAN
from retouch.engine.core import AT_WORK
from retouch.models.cache_cost import Conversation, pages_cost, pays
from retouch.models.cache_facts import CacheFacts, cache_facts
from retouch.models.tokens import estimate_tokens, request_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from retouch.engine.core import Attempt, AtWork, Model, OnEvent, Prompt, Reply, Request

REPAIR_RATE = 0.1  # of a run that has not been seen yet
_SEEN_ENOUGH = 20  # pages, before what was seen of repairs counts
_CHARACTERS_PER_TOKEN = 2.5  # texts are rarely denser: a text that is long by this measure need not be counted


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a run will send: `shared_tokens` of the system text, `page_tokens` of a page's own, `pages` in all.

    `repair_rate` is the share of pages that get a further turn in the same conversation, as the ledger has seen it.
    `pause_s` is the longest time that is expected between two requests.
    """

    shared_tokens: int
    page_tokens: int = 0
    pages: int = 2
    repair_rate: float = REPAIR_RATE
    pause_s: float = 0.0


@dataclass(frozen=True, kw_only=True)
class CachePlan:
    """Where markers go, and why.

    mark_shared      after the system text
    mark_first       after a page's own first turn
    mark_follow_ups  after the newest turn of a conversation that goes on
    go_alone         the first request of a shared text should go before the others; this warms the cache for them
    for_an_hour      entries should live for an hour, at a higher price to write
    expected_share   input cost of the run's first answers as a share of what it would be without a cache; None when
                     the load is not known
    why              one sentence for each decision, for a person
    """

    facts: CacheFacts
    mark_shared: bool
    mark_first: bool
    mark_follow_ups: bool
    go_alone: bool
    for_an_hour: bool = False
    expected_share: float | None = None
    why: tuple[str, ...] = ()

    def breakpoints(self, request: Request) -> tuple[int, ...]:
        """Return where `request` is marked: -1 after the system text, i after message i; never below the minimum."""
        marks: list[int] = []
        if self.mark_shared and _tokens(request.system) >= self.facts.min_tokens:
            marks.append(-1)
        further = len(request.messages) > 1
        wanted = self.mark_follow_ups if further else self.mark_first
        if wanted and _reaches(request, self.facts.min_tokens):
            marks.append(len(request.messages) - 1)
        return tuple(marks)


def load_of(prompts: Iterable[Prompt], *, repair_rate: float = REPAIR_RATE) -> Load:
    """Return the load of a run's prompts: its most frequent system text counts as the shared one."""
    by_system: dict[str, list[str]] = {}
    for prompt in prompts:
        by_system.setdefault(prompt.system, []).append(prompt.user)
    if not by_system:
        return Load(shared_tokens=0, pages=0, repair_rate=repair_rate)
    system = max(by_system, key=lambda text: len(by_system[text]))
    users = by_system[system]
    mean = sum(estimate_tokens(user) for user in users) // len(users)
    return Load(shared_tokens=_tokens(system), page_tokens=mean, pages=len(users), repair_rate=repair_rate)


def seen_repairs(attempts: Iterable[Attempt]) -> float:
    """Return the share of pages that had a further turn in one conversation; a guess while few are known."""
    pages = {(one.unit, one.page): False for one in attempts}
    for one in attempts:
        pages[one.unit, one.page] |= len(one.request.messages) > 1
    return sum(pages.values()) / len(pages) if len(pages) >= _SEEN_ENOUGH else REPAIR_RATE


def cache_plan(
    provider: str, model: str, load: Load | None = None, *, allowed: bool = True, facts: CacheFacts | None = None
) -> CachePlan:
    """Return where markers pay for a model and a load; a load that is not known counts as several pages.

    `facts` replaces what the tables know of the model; `allowed` set to False plans no marker.

    Raises:
        BrokenFile: the user's own table of facts cannot be understood.
    """
    known = facts if facts is not None else cache_facts(provider, model)
    if not allowed or not known.markers:
        why = "the user wants no markers" if not allowed else _unmarked(provider, known)
        return CachePlan(
            facts=known,
            mark_shared=False,
            mark_first=False,
            mark_follow_ups=False,
            go_alone=known.automatic,
            expected_share=_share(load, known, marked=known.automatic),
            why=(why,),
        )
    shared, why_shared = _shared(load, known)
    for_an_hour, why_time = _lifetime(load, known)
    rate = load.repair_rate if load is not None else 0.0
    first = pays(rate, known)
    why_first = (
        f"a page's own text is {'' if first else 'not '}marked: {rate:.0%} of pages get a further turn, "
        f"and a marker pays from {(known.write - 1) / (1 - known.read):.0%}"
    )
    return CachePlan(
        facts=known,
        mark_shared=shared,
        mark_first=first,
        mark_follow_ups=True,
        go_alone=shared and (load is None or load.pages > 1),
        expected_share=_share(load, known, marked=shared),
        for_an_hour=shared and for_an_hour,
        why=(why_shared, why_first, "a conversation that goes on is marked at its newest turn", *why_time),
    )


def _unmarked(provider: str, facts: CacheFacts) -> str:
    if facts.automatic:
        return f"{provider} caches prefixes of {facts.min_tokens} tokens or more by itself"
    return f"{provider} is not known to cache prompts"


def _shared(load: Load | None, facts: CacheFacts) -> tuple[bool, str]:
    if load is None:
        return True, "the system text is marked: it is taken to be shared by several pages"
    if load.shared_tokens < facts.min_tokens:
        short = facts.min_tokens - load.shared_tokens
        return False, (
            f"the system text is not marked: it has about {load.shared_tokens} tokens, {short} fewer than the "
            f"{facts.min_tokens} from which this model caches"
        )
    reads = load.pages * (1 + load.repair_rate) - 1
    if pays(reads, facts):
        return True, f"the system text is marked: about {load.shared_tokens} tokens, read about {reads:.0f} times"
    return False, "the system text is not marked: hardly anything would read it again"


def _lifetime(load: Load | None, facts: CacheFacts) -> tuple[bool, tuple[str, ...]]:
    """Return whether entries should live for an hour, and why; nothing is warmed beforehand: the first page does it."""
    if load is None or not facts.write_1h or load.shared_tokens < facts.min_tokens:
        return False, ()
    if load.pause_s <= facts.ttl_s:
        return False, (f"entries live for {facts.ttl_s / 60:.0f} minutes, which each read renews",)
    reads = load.pages * (1 + load.repair_rate) - 1
    pay = pays(reads, replace(facts, write=facts.write_1h))
    why = f"pauses of {load.pause_s / 60:.0f} minutes are expected, and about {reads:.0f} reads"
    return pay, (f"entries should live for {'an hour' if pay else 'no longer than usual'}: {why}",)


def _share(load: Load | None, facts: CacheFacts, *, marked: bool) -> float | None:
    if load is None or not load.pages:
        return None
    talk = Conversation(shared=load.shared_tokens, own=load.page_tokens)
    uncached = load.pages * (talk.shared + talk.own)
    if not marked or load.shared_tokens < facts.min_tokens or not uncached:
        return 1.0
    return pages_cost(load.pages, talk, facts) / uncached


@lru_cache(maxsize=64)
def _tokens(text: str) -> int:
    return estimate_tokens(text)


def _reaches(request: Request, tokens: int) -> bool:
    """Return whether the whole request has `tokens` or more; counted only where its length leaves a doubt."""
    characters = len(request.system) + sum(len(message.text) for message in request.messages)
    if characters < tokens:
        return False
    return characters > tokens * 5 * _CHARACTERS_PER_TOKEN or request_tokens(request) >= tokens


class RunPlans:
    """The plan of each run that a model works for: computed from its prompts and past at its first request."""

    def __init__(self, plan: Callable[[Load | None], CachePlan]) -> None:
        self._plan = plan
        self._usual = plan(None)
        self._of_runs: WeakKeyDictionary[AtWork, CachePlan] = WeakKeyDictionary()

    def now(self) -> CachePlan:
        """Return the plan of the run at work, noted in its journal; outside of any that of an unknown load."""
        at_work = AT_WORK.get()
        if at_work is None:
            return self._usual
        found = self._of_runs.get(at_work)
        if found is None:
            rate = seen_repairs(list(at_work.attempts.values()))
            found = self._of_runs[at_work] = self._plan(load_of(at_work.prompts, repair_rate=rate))
            at_work.journal.note(PLAN, {"why": list(found.why), "expected_share": found.expected_share})
        return found


class Planned:
    """A model whose requests carry the cache markers of a plan, unless they carry some already."""

    def __init__(self, model: Model, plans: RunPlans | CachePlan) -> None:
        from retouch.engine.calls import model_name

        self.name = model_name(model)
        self.inner = model
        self._plans = plans

    @property
    def plan(self) -> CachePlan:
        """The plan that holds now."""
        return self._plans if isinstance(self._plans, CachePlan) else self._plans.now()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the model's reply to the marked request."""
        if not request.breakpoints and (marks := self.plan.breakpoints(request)):
            request = replace(request, breakpoints=marks)
        return await self.inner(request, on_event=on_event)


def planned(model: Model, plan: CachePlan | RunPlans) -> Planned:
    """Return `model` with the markers of `plan`; a model that has a plan gets this one instead."""
    return Planned(model.inner if isinstance(model, Planned) else model, plan)

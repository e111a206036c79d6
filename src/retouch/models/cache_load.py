"""What a run will send, as far as its prompts and its past tell: what a cache plan is computed from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.types import never_starts_a_session
from retouch.models.tokens import estimate_tokens, system_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.engine.types import Attempt, Prompt, Request

REPAIR_RATE = 0.1  # of a run that has not been seen yet
SEEN_ENOUGH = 20  # turns, before it counts how many of them were followed by one more
_SAMPLE = 100  # pages whose tokens are counted to know the mean


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How often conversations go on, as the ledger has seen it.

    `first` is the share of first turns that are followed by a second one in the same conversation, `further` the share
    of all later turns that are followed by one more.
    """

    first: float = REPAIR_RATE
    further: float = REPAIR_RATE


USUAL = Rates()


@dataclass(frozen=True, kw_only=True)
class Load:
    """What a run sends with one system text: its `shared_tokens`, the `page_tokens` of a page's own, `pages` in all.

    `sessions` of the pages open conversations that are meant to go on; `rates` are those of all others.
    """

    shared_tokens: int
    page_tokens: int = 0
    pages: int = 2
    sessions: int = 0
    rates: Rates = USUAL

    @property
    def reads(self) -> float:
        """How often the system text is likely sent again after its first time."""
        return self.pages - 1 + self.sessions + (self.pages - self.sessions) * self.rates.first


def loads_of(
    prompts: Iterable[Prompt], *, session: Callable[[Prompt], bool] = never_starts_a_session
) -> dict[str, Load]:
    """Return the loads of a run's prompts by their system texts."""
    by_system: dict[str, list[Prompt]] = {}
    for prompt in prompts:
        by_system.setdefault(prompt.system, []).append(prompt)
    return {
        system: Load(
            shared_tokens=system_tokens(system),
            page_tokens=_mean_tokens([prompt.user for prompt in sharing]),
            pages=len(sharing),
            sessions=sum(map(session, sharing)),
        )
        for system, sharing in by_system.items()
    }


def load_of(prompts: Iterable[Prompt], *, session: Callable[[Prompt], bool] = never_starts_a_session) -> Load:
    """Return the load of those of a run's prompts that share the most frequent system text."""
    loads = loads_of(prompts, session=session).values()
    return max(loads, key=lambda load: load.pages, default=Load(shared_tokens=0, pages=0))


def _mean_tokens(texts: Sequence[str]) -> int:
    """Return the mean of the texts' tokens, of a sample where they are many."""
    sample = texts[:: max(len(texts) // _SAMPLE, 1)]
    return sum(map(estimate_tokens, sample)) // len(sample)


def seen_rates(attempts: Iterable[Attempt]) -> Rates:
    """Return how often conversations went on, of pages that were judged; a guess while few are known."""
    turns: Counter[tuple[str, int]] = Counter()
    for one in attempts:
        if one.issues or one.readable:
            turns[one.unit, one.page] = max(turns[one.unit, one.page], turns_of(one.request))
    second = sum(taken > 1 for taken in turns.values())
    later, followed = (sum(max(taken - before, 0) for taken in turns.values()) for before in (1, 2))
    return Rates(first=_share(second, len(turns)), further=_share(followed, later))


def _share(part: int, whole: int) -> float:
    return part / whole if whole >= SEEN_ENOUGH else REPAIR_RATE


def turns_of(request: Request) -> int:
    """Return which turn of its conversation a request is."""
    return sum(message.role == "user" for message in request.messages)

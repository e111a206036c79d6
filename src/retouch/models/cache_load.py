"""The expected requests of a run, from its prompts and its past: the input of a cache plan."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.types import never_starts_a_session
from retouch.models.tokens import estimate_tokens, system_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from retouch.engine.types import Attempt, Prompt, Request

REPAIR_RATE = 0.1  # the assumed rate of a new run
SEEN_ENOUGH = 20  # the number of turns from which the measured rate is used
_SAMPLE = 100  # the number of pages whose tokens are counted for the mean


@dataclass(frozen=True, kw_only=True)
class Rates:
    """How often conversations continue, according to the ledger.

    `first` is the share of first turns with a second one in the same conversation. `further` is the share of all later
    turns with another one.
    """

    first: float = REPAIR_RATE
    further: float = REPAIR_RATE


USUAL = Rates()


@dataclass(frozen=True, kw_only=True)
class Load:
    """The requests of a run with one system text: `shared_tokens`, the `page_tokens` of a page's own text, and `pages`.

    `sessions` of the pages open conversations that are planned to continue. `rates` apply to all other prompts.
    """

    shared_tokens: int
    page_tokens: int = 0
    pages: int = 2
    sessions: int = 0
    rates: Rates = USUAL

    @property
    def reads(self) -> float:
        """The expected number of times that the system text is sent after the first time."""
        return self.pages - 1 + self.sessions + (self.pages - self.sessions) * self.rates.first


def loads_of(
    prompts: Iterable[Prompt], *, session: Callable[[Prompt], bool] = never_starts_a_session
) -> dict[str, Load]:
    """Return the loads of a run's prompts by their system prompts."""
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
    """Return the load of the prompts with the most frequent system text of a run."""
    loads = loads_of(prompts, session=session).values()
    return max(loads, key=lambda load: load.pages, default=Load(shared_tokens=0, pages=0))


def _mean_tokens(texts: Sequence[str]) -> int:
    """Return the mean number of tokens, from a sample if there are many strings."""
    sample = texts[:: max(len(texts) // _SAMPLE, 1)]
    return sum(map(estimate_tokens, sample)) // len(sample)


def seen_rates(attempts: Iterable[Attempt]) -> Rates:
    """Return how often conversations of checked pages continued. Below a minimum number, return a default."""
    turns: Counter[tuple[str, int]] = Counter()
    for one in attempts:
        if one.issues or one.readable:
            turns[one.unit, one.page] = max(turns[one.unit, one.page], turns_of(one.request))
    second = sum(turn > 1 for turn in turns.values())
    later, followed = (sum(max(turn - before, 0) for turn in turns.values()) for before in (1, 2))
    return Rates(first=_share(second, len(turns)), further=_share(followed, later))


def _share(part: int, whole: int) -> float:
    return part / whole if whole >= SEEN_ENOUGH else REPAIR_RATE


def turns_of(request: Request) -> int:
    """Return the number of the turn that a request is in its conversation."""
    return sum(message.role == "user" for message in request.messages)

"""Records that workers die with, for example in a check that takes all memory: found by halving, then left out.

After three deaths with a shard, its next worker adds its records part by part, and records each part before it
starts. The part in which a worker dies is halved. A single record in which one dies is `exhausted`, and the rest of the
shard goes on.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from retouch._lib.logs import redact_record
from retouch.errors import BrokenFile
from retouch.fleet.shards import DEATHS, claims_of, dumped, stored_data

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from retouch.fleet.shards import Claim
    from retouch.fleet.store import Store

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

T = TypeVar("T")
Part: TypeAlias = tuple[int, int]
"""The positions of some records of a shard: from the first number up to the second, which is excluded."""
TRIALS = "trials"
DIED = "WORKER_DIED"


@dataclass(frozen=True, kw_only=True)
class IsolationStep:
    """One step with a shard: the first of `parts` is added now, the rest later. `dead` are positions to leave out."""

    parts: tuple[Part, ...]
    dead: tuple[int, ...] = ()
    epoch: int = 0
    step: int = 0

    def kept(self, records: Sequence[T]) -> list[T]:
        """Return what this step runs: everything but the dead records and the parts that come later."""
        later = {position for start, end in self.parts[1:] for position in range(start, end)}
        return [one for position, one in enumerate(records) if position not in later and position not in self.dead]

    def after_end(self) -> IsolationStep:
        """Return the next step of the same worker, after the first part was run."""
        return replace(self, parts=self.parts[1:], step=self.step + 1)

    def after_death(self) -> IsolationStep:
        """Return the step of the next worker, if the one of this step has died."""
        if not self.parts:
            return self
        (start, end), *others = self.parts
        if end - start == 1:
            return replace(self, parts=tuple(others), dead=(*self.dead, start))
        middle = (start + end) // 2
        return replace(self, parts=((start, middle), (middle, end), *others))


def is_isolated(store: Store, shard: int) -> bool:
    """Return whether the next worker with a shard runs it part by part. Then it must have no other shard.

    Otherwise a record of another shard may end the process, and one of this shard would be left out for it.
    """
    return claims_of(store, shard).deaths >= DEATHS


def first_step(store: Store, own: Claim, size: int) -> IsolationStep | None:
    """Return the first step of a worker with a shard of `size` records. None if few workers have died with it.

    Raises:
        BrokenFile: the last step cannot be read.
    """
    if own.epoch <= DEATHS:
        return None
    known = claims_of(store, own.shard)
    if known.deaths - 1 < DEATHS:  # the own claim is not released either
        return None
    found = _last(store, own.shard)
    if found is None:
        found = IsolationStep(parts=((0, size),)).after_death()
    elif found.epoch != own.epoch and found.epoch not in known.released:
        found = found.after_death()
    return replace(found, epoch=own.epoch, step=found.step + 1 if found.epoch == own.epoch else 0)


@dataclass(frozen=True, kw_only=True)
class Isolation:
    """How one claim of a shard is run part by part, for the shards of a job with its own files."""

    store: Store
    claim: Claim

    async def run(self, size: int, work: Callable[[IsolationStep | None], Awaitable[T]]) -> list[T]:
        """Return what `work` returns for each step of a shard of `size` records.

        The last step has no parts. None instead of a step means the whole shard: few workers have died with it.
        """
        step = first_step(self.store, self.claim, size)
        if step is None:
            return [await work(None)]
        found: list[T] = []
        while True:
            save_step(self.store, self.claim.shard, step)
            found.append(await work(step))
            if not step.parts:
                return found
            step = step.after_end()


def save_step(store: Store, shard: int, trial: IsolationStep) -> None:
    """Record a step before it starts."""
    _LOG.debug("shard %05d: step %d, parts %s, dead %s", shard, trial.step, trial.parts, trial.dead)
    store.put(f"{TRIALS}/{shard:05}/e{trial.epoch}-{trial.step:04}.json", dumped(asdict(trial)))


def dead_positions(store: Store, shard: int) -> frozenset[int]:
    """Return the positions of the records of a shard that workers have died with."""
    found = _last(store, shard)
    return frozenset(found.dead if found is not None else ())


def keep_dead(store: Store, shard: int, dead: Iterable[int]) -> None:
    """Write down that, of the records that workers have died with, only these are left out from now on."""
    found = _last(store, shard)
    if found is not None:
        save_step(store, shard, replace(found, dead=tuple(sorted(dead)), step=found.step + 1))


def _last(store: Store, shard: int) -> IsolationStep | None:
    names = store.list(f"{TRIALS}/{shard:05}")
    if not names:
        return None
    name = max(names, key=_number)
    try:
        data = stored_data(store, name)
        parts = tuple((int(start), int(end)) for start, end in data["parts"])
        dead = tuple(int(one) for one in data["dead"])
        return IsolationStep(parts=parts, dead=dead, epoch=int(data["epoch"]), step=int(data["step"]))
    except (KeyError, TypeError, ValueError) as error:
        raise BrokenFile(f"{name} of the fleet cannot be used: {error}", hint="Restore it, or remove it.") from error


def _number(name: str) -> tuple[int, int]:
    epoch, _, step = name.rpartition("/")[2].removesuffix(".json").removeprefix("e").partition("-")
    return int(epoch), int(step)

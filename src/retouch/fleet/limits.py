"""One cost limit for all workers of a fleet, leased in parts.

The account is a sequence of small files, `limits/0000007.json`, each with the whole state. A worker changes it by
creating the next file, which only one worker can do. So the sum of all leases never exceeds the limit, whoever dies
and whenever. A lease counts as spent until its shard is committed, or a ledger shows the actual cost.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from retouch.errors import BadInput, LimitReached
from retouch.fleet.shards import dumped, stored_data
from retouch.models.spending import CostLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch.fleet.store import Store

LIMITS, LEASED = "limits", "leased"
ROUNDING_USD = 1e-9
_SHARE = 8  # a lease is this part of what is left, per worker


@dataclass(frozen=True, kw_only=True)
class AccountState:
    """The state of a fleet's account, in US dollars: the known cost, and the open leases by claim."""

    settled_usd: float = 0.0
    open_usd: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def used_usd(self) -> float:
        """The known cost, and all that may be spent already."""
        return self.settled_usd + sum(self.open_usd.values())


@dataclass(frozen=True, kw_only=True)
class CostAccount:
    """The account of a fleet. Each change is one new file; a worker that was not first reads again and repeats."""

    store: Store

    def state(self) -> AccountState | None:
        """Return the current state, None if there is no account yet."""
        return self._latest()[1]

    def open(self, earlier: Callable[[], AccountState]) -> AccountState:
        """Return the current state. If there is no account, it starts with what `earlier` returns."""
        return self._change(lambda state: state, start=earlier)

    def begin(self, claim: str) -> None:
        """Open the lease of a claim, before it writes down any request. Nothing is leased yet."""
        self._change(lambda state: replace(state, open_usd={claim: 0.0, **state.open_usd}))

    def lease(self, claim: str, usd: float, *, at_least: float, limit_usd: float, begun: bool = False) -> float | None:
        """Add up to `usd` to the lease of a claim, and return how much. 0.0 if less than `at_least` is left.

        None if the claim has `begun`, and was settled since: another worker has taken over.
        """
        granted: float | None = 0.0

        def change(state: AccountState) -> AccountState:
            nonlocal granted
            if begun and claim not in state.open_usd:
                granted = None
                return state
            left = limit_usd - state.used_usd
            granted = min(usd, left) if left >= at_least else 0.0
            if granted <= 0.0:
                granted = 0.0
                return state
            return replace(state, open_usd={**state.open_usd, claim: state.open_usd.get(claim, 0.0) + granted})

        self._change(change)
        return granted

    def add(self, usd: float) -> None:
        """Add a cost without a lease, for example of a repair after the fleet was done. Nothing without an account."""
        if usd and self.state() is not None:
            self._change(lambda state: replace(state, settled_usd=state.settled_usd + usd))

    def settle(self, costs: Mapping[str, float]) -> AccountState:
        """Replace the leases of claims by their actual cost. Claims without an open lease are ignored."""

        def change(state: AccountState) -> AccountState:
            found = {claim: usd for claim, usd in costs.items() if claim in state.open_usd}
            rest = {claim: usd for claim, usd in state.open_usd.items() if claim not in found}
            return (
                state if not found else AccountState(settled_usd=state.settled_usd + sum(found.values()), open_usd=rest)
            )

        return self._change(change)

    def settle_stopped(self, claim: str, cost: EpochCost) -> None:
        """Replace the lease of a claim whose worker has stopped by what its ledger shows.

        The engine leases a request before it writes it down (`slot_of`), so its ledgers show no more than the lease: a
        seeded simulation of 776 stopped workers found none that did. A wrapper of a model that drops `slot` reserves
        only when it is called, after that. Then what a ledger shows beyond the lease, of calls whose replies were lost,
        was never sent. The lease is stored, and `cost_within` leaves that out, too.
        """
        state = self.state()
        leased = state.open_usd.get(claim) if state is not None else None
        if leased is None:
            return
        if cost.most_usd > leased + ROUNDING_USD:
            self.store.put_new(_leased_name(claim), dumped({"usd": leased}))
        self.settle({claim: cost.within(leased)})

    def _latest(self) -> tuple[int, AccountState | None]:
        names = self.store.list(LIMITS)
        if not names:
            return 0, None
        data = stored_data(self.store, names[-1])
        state = AccountState(settled_usd=float(data["settled_usd"]), open_usd=dict(data["open_usd"]))
        return int(names[-1].rpartition("/")[2].removesuffix(".json")), state

    def _change(
        self, change: Callable[[AccountState], AccountState], start: Callable[[], AccountState] | None = None
    ) -> AccountState:
        while True:
            number, state = self._latest()
            new = change(state) if state is not None else (start() if start is not None else change(AccountState()))
            if new is state:
                return new
            data: dict[str, Any] = {"settled_usd": new.settled_usd, "open_usd": dict(new.open_usd)}
            if self.store.put_new(f"{LIMITS}/{number + 1:07}.json", dumped({**data, "token": secrets.token_hex(8)})):
                return new


@dataclass(frozen=True, kw_only=True)
class EpochCost:
    """What one epoch of a shard has cost by its ledgers, in US dollars.

    `most_usd` also holds the most of the calls whose reply was lost. They may not have been sent.
    """

    known_usd: float
    most_usd: float

    def within(self, leased_usd: float) -> float:
        """Return the most that it can have cost, if its requests were leased."""
        return max(self.known_usd, min(self.most_usd, leased_usd))


def cost_within(store: Store, claim: str, cost: EpochCost) -> float:
    """Return the most that the epoch of a claim can have cost: no more than its lease, if its worker has stopped."""
    if cost.most_usd <= cost.known_usd:
        return cost.most_usd
    leased = stored_data(store, _leased_name(claim)).get("usd")
    return cost.most_usd if leased is None else cost.within(float(leased))


def _leased_name(claim: str) -> str:
    return f"{LEASED}/{claim}.json"


@dataclass(kw_only=True)
class FleetCostLimit(CostLimit):
    """The part of a fleet's cost limit that one claim has leased; `limit_usd` is that of the whole fleet.

    It leases as much as several requests need at once, so that most requests need no change of the account.
    `leases` counts the changes, and `reached_limit` is whether a request was refused.
    """

    account: CostAccount
    claim: str
    workers: int = 1
    leases: int = 0
    reached_limit: bool = False
    _begun: bool = False
    _leased_usd: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Open the lease, before the first request is written down."""
        self.account.begin(self.claim)
        self._begun = True

    def reserve(self, most_usd: float, what: str) -> None:
        """Reserve the maximum cost of `what`, before it is sent.

        Raises:
            LimitReached: the fleet has not that much left.
            CancelledError: another worker has taken over.
        """
        if not most_usd:
            return
        with self._lock:
            missing = self.spent_usd + self.held_usd + most_usd - self._leased_usd
            if missing > 0 and not self._lease_more(missing):
                self.reached_limit = True
                raise self.reached(f"{what} may cost {most_usd:.4f}")
            self.held_usd += most_usd

    def settle(self, most_usd: float, cost_usd: float) -> None:
        """Replace a reserved maximum by a cost."""
        with self._lock:
            self.held_usd -= most_usd
            self.spent_usd += cost_usd

    def close(self, actual_usd: float | None = None) -> None:
        """Give back what was leased and is not spent. `actual_usd` is the cost by the ledger, if it is known."""
        if self.leases or self._begun:
            self.account.settle({self.claim: self.spent_usd + self.held_usd if actual_usd is None else actual_usd})

    def _lease_more(self, missing: float) -> bool:
        state = self.account.state()
        left = self.limit_usd - (state.used_usd if state is not None else 0.0)
        wanted = max(missing, left / (_SHARE * max(1, self.workers)))
        granted = self.account.lease(self.claim, wanted, at_least=missing, limit_usd=self.limit_usd, begun=self._begun)
        if granted is None:
            raise asyncio.CancelledError("the lease is over; it was not sent")
        self._leased_usd += granted
        self.leases += granted > 0.0
        return granted > 0.0

    def reached(self, reason: str) -> LimitReached:
        """Return the error of a call that might cost more than is left."""
        state = self.account.state() or AccountState()
        spent = f"{state.used_usd:.4f} of {self.limit_usd:.4f} dollars of the fleet are spent or leased"
        hint = "Run the same command with a higher --max-cost, which is for the whole fleet, to continue."
        return LimitReached(f"{spent}, and {reason}", hint=hint)


def expect_known(cost_usd: float | None, what: str) -> float:
    """Return a cost that is known.

    Raises:
        BadInput: it is not, so no limit can be held.
    """
    if cost_usd is None:
        hint = "Use a new directory for the rest of the records, or no --max-cost."
        raise BadInput(f"the cost of {what} so far is unknown, so a limit cannot be enforced", hint=hint)
    return cost_usd

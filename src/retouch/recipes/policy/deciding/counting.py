"""CallCounts earlier calls: which totals a call adds to, and the totals that a decision sees."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from math import inf
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from retouch.recipes.policy.deciding.sizes import Passes
from retouch.recipes.policy.language.values import AFTER, PERIOD_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from retouch.recipes.policy.language.values import CallState, Limit, Period, ToolCall

CALLS = "calls"
SAME = " same "
_MARK = "\x1f"
_UNKNOWN_VALUE = "?"
MANY = 10_000
Exact: TypeAlias = "Fraction | int"
Spent: TypeAlias = "Callable[[tuple[str, ...], str, Period | None], float | None]"
Amounts: TypeAlias = "Mapping[str, Mapping[str, float | None]]"


def subject_of(limit: Limit) -> str:
    """Return what a test adds up: `calls`, an argument, or one of them for each value, as in `calls same to`."""
    return (limit.sum or CALLS) + (f"{SAME}{limit.same}" if limit.same else "")


def is_of_calls(subject: str) -> bool:
    """Return whether a subject is a number of calls, and not a total of an argument."""
    return subject == CALLS or subject.startswith(f"{CALLS}{SAME}")


def subject_for(subject: str, value: str | None) -> str:
    """Return the subject of the calls with one value, as a digest. None: their value is unknown."""
    key = _UNKNOWN_VALUE if value is None else _digest(value)
    return f"{subject}{_MARK}{key}"


class SameValues(NamedTuple):
    """The values by which a call and an earlier one are the same: as they are written, and so that values that may mean
    the same are equal. None if they are not known.
    """

    exact: str | None
    loose: str | None


ANY_VALUE = "any"


def subjects_before(values: SameValues, *, surely: bool) -> tuple[str, ...]:
    """Return how a call is stored, for tests of what was called before: as any, as what it may be, as what it is."""
    loose = _UNKNOWN_VALUE if values.loose is None else _digest(values.loose)
    found = (ANY_VALUE, f"~{loose}")
    return (*found, f"={_digest(values.exact)}") if surely and values.exact is not None else found


def called_before(spent: Callable[[str], float | None], values: SameValues) -> Passes:
    """Return whether something was called before with these values. `spent` is the number of calls of a subject."""
    if values.exact is not None and spent(f"={_digest(values.exact)}"):
        return Passes(surely=True, possibly=True)
    if values.loose is None:
        return Passes(surely=False, possibly=spent(ANY_VALUE) != 0)
    return Passes(surely=False, possibly=any(spent(f"~{one}") != 0 for one in (_digest(values.loose), _UNKNOWN_VALUE)))


def _digest(value: str) -> str:
    return sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def _seconds(per: Period | None) -> float:
    return inf if per is None else PERIOD_S[per]


def unknown_total(_scopes: tuple[str, ...], _subject: str, _period: Period | None) -> float | None:
    """Return None: nothing is known about earlier calls."""
    return None


@dataclass(frozen=True, kw_only=True)
class CallMoment:
    """The time of a call, None if it is unknown, and the totals of earlier calls.

    `spent` returns the total of some scopes in the last period (None: at any time), None if it is unknown. Its second
    argument is `calls` for their number, otherwise the name of the argument that is added up.
    """

    at: datetime | None = None
    spent: Spent = unknown_total


NOWHEN = CallMoment()


def moment_of(state: CallState, amounts: Callable[[ToolCall, datetime], Amounts]) -> CallMoment:
    """Return the moment of a call with a state. `amounts` returns what an earlier call adds to each scope."""
    assumed = state.assumed
    rows = [(one.at, one.times, amounts(one.call, one.at)) for one in state.earlier]

    def spent(scopes: tuple[str, ...], subject: str, per: Period | None) -> float | None:
        if assumed is not None and per is not None and not all(one.startswith(AFTER) for one in scopes):
            plain, _, value = subject.partition(_MARK)
            known = scopes if value != _UNKNOWN_VALUE else ()
            return sum(assumed.get((f"{one}:{plain}", per), 0) for one in known)
        recent = (
            (times, found)
            for at, times, found in rows
            if state.at is None or (state.at - at).total_seconds() < _seconds(per)
        )
        return total_of([(times, found) for times, found in recent], scopes, subject)

    return CallMoment(at=state.at, spent=spent)


@lru_cache(maxsize=1024)
def exact(amount: float) -> Exact:
    """Return an amount as it is written, so that three times 0.1 is 0.3."""
    return int(amount) if amount == int(amount) else Fraction(str(amount))


def total_of(rows: Sequence[tuple[int, Amounts]], scopes: tuple[str, ...], subject: str) -> float | None:
    """Return the total of some scopes over rows of earlier calls. None if the amount of one is unknown."""
    total: Exact = 0
    for times, amounts in rows:
        for scope in scopes:
            found = amounts.get(scope)
            if found is None or subject not in found:
                continue
            amount = found[subject]
            if amount is None:
                return None
            total += times * exact(amount)
    return float(total)


class CallTally:
    """Calls that were made, in the order of their times, in seconds since 1970. Totals are exact and found quickly.

    Of what tests of what was called before need, only the last time is stored.
    """

    def __init__(self) -> None:
        self.last = 0.0
        self._sums: dict[tuple[str, str], _Sums] = {}
        self._called: dict[tuple[str, str], float] = {}

    def add(self, at: float, amounts: Amounts) -> None:
        """Add a call. Its time is at least that of the last one."""
        self.last = max(at, self.last)
        for scope, found in amounts.items():
            for subject, amount in found.items():
                if scope.startswith(AFTER):
                    self._called[scope, subject] = self.last
                    continue
                self._sums.setdefault((scope, subject), _Sums()).add(self.last, amount)

    def forget(self, before: float) -> None:
        """Remove the calls before a time, if there are many."""
        for one in self._sums.values():
            one.forget(before)

    def spent_at(self, now: float, *, certain: bool = True) -> Spent:
        """Return the totals as a decision at this time sees them.

        If the time is not `certain`, it is unknown how long ago something was called.
        """

        def spent(scopes: tuple[str, ...], subject: str, per: Period | None) -> float | None:
            after = now - _seconds(per)
            total: Exact = 0
            for scope in scopes:
                called = self._called.get((scope, subject), -inf) > after
                if called and per is not None and not certain:
                    return None
                total += called
                known = self._sums.get((scope, subject))
                found = 0 if known is None else known.since(after)
                if found is None:
                    return None
                total += found
            return float(total)

        return spent


class _Sums:
    """The amounts of one scope with their times, as running totals."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._totals: list[Exact] = []  # of this call and all before it
        self._gone: Exact = 0  # the total of all calls that were forgotten
        self._unknown = float("-inf")  # the time of the last call with an unknown amount

    def add(self, at: float, amount: float | None) -> None:
        before = self._totals[-1] if self._totals else self._gone
        self._times.append(at)
        self._totals.append(before + exact(amount or 0))
        if amount is None:
            self._unknown = at

    def since(self, after: float) -> Exact | None:
        """Return the total of the calls later than a time. None if the amount of one is unknown."""
        if self._unknown > after:
            return None
        first = bisect_right(self._times, after)
        if first == len(self._times):
            return 0
        return self._totals[-1] - (self._totals[first - 1] if first else self._gone)

    def forget(self, before: float) -> None:
        first = bisect_right(self._times, before)
        if first > MANY:
            self._gone = self._totals[first - 1]
            del self._times[:first], self._totals[:first]

"""Counts earlier calls: which totals a call adds to, and the totals that a decision sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.language.values import PERIOD_S

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from retouch.recipes.policy.language.values import CallState, Period, ToolCall

CALLS = "calls"
Spent: TypeAlias = "Callable[[tuple[str, ...], str, Period], float | None]"
Amounts: TypeAlias = "Mapping[str, Mapping[str, float | None]]"


def unknown_total(_scopes: tuple[str, ...], _subject: str, _period: Period) -> float | None:
    """Return None: nothing is known about earlier calls."""
    return None


@dataclass(frozen=True, kw_only=True)
class Moment:
    """The time of a call, None if it is unknown, and the totals of earlier calls.

    `spent` returns the total of some scopes in the last period, None if it is unknown. Its second argument is `calls`
    for their number, otherwise the name of the argument that is added up.
    """

    at: datetime | None = None
    spent: Spent = unknown_total


NOWHEN = Moment()


def moment_of(state: CallState, amounts: Callable[[ToolCall, datetime], Amounts]) -> Moment:
    """Return the moment of a call with a state. `amounts` returns what an earlier call adds to each scope."""
    assumed = state.assumed
    if assumed is not None:
        return Moment(
            at=state.at,
            spent=lambda scopes, subject, per: sum(assumed.get((f"{one}:{subject}", per), 0) for one in scopes),
        )
    rows = [(one.at, one.times, amounts(one.call, one.at)) for one in state.earlier]

    def spent(scopes: tuple[str, ...], subject: str, per: Period) -> float | None:
        recent = (
            (times, found)
            for at, times, found in rows
            if state.at is None or (state.at - at).total_seconds() < PERIOD_S[per]
        )
        return total_of([(times, found) for times, found in recent], scopes, subject)

    return Moment(at=state.at, spent=spent)


def total_of(rows: Sequence[tuple[int, Amounts]], scopes: tuple[str, ...], subject: str) -> float | None:
    """Return the total of some scopes over rows of earlier calls. None if the amount of one is unknown."""
    total = 0.0
    for times, amounts in rows:
        for scope in scopes:
            found = amounts.get(scope)
            if found is None or subject not in found:
                continue
            amount = found[subject]
            if amount is None:
                return None
            total += times * amount
    return total


class Tally:
    """Calls that were made, in the order of their times, in seconds since 1970."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, Amounts]] = []

    @property
    def last(self) -> float:
        """The time of the last call, 0 if there is none."""
        return self._rows[-1][0] if self._rows else 0.0

    def add(self, at: float, amounts: Amounts) -> None:
        """Add a call. Its time is at least that of the last one."""
        self._rows.append((max(at, self.last), amounts))

    def forget(self, before: float) -> None:
        """Remove the calls before a time."""
        if self._rows and self._rows[0][0] < before:
            self._rows = [row for row in self._rows if row[0] >= before]

    def spent_at(self, now: float) -> Spent:
        """Return the totals as a decision at this time sees them."""

        def spent(scopes: tuple[str, ...], subject: str, per: Period) -> float | None:
            recent: list[tuple[int, Amounts]] = []
            for at, amounts in reversed(self._rows):
                if at <= now - PERIOD_S[per]:
                    break
                recent.append((1, amounts))
            return total_of(recent, scopes, subject)

        return spent

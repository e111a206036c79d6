"""The states that a policy distinguishes for a tool: times of day, totals of earlier calls, and what was called before,
one of each kind.

Totals of different scopes are combined freely. Therefore every state that can occur is covered, and some may be listed
that cannot: for example, more pushes to main than pushes. What was called before is always a history of calls. If it
has calls that are counted too, the totals are those of a history.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import product
from math import ceil, prod
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.analysing.histories import Histories, other_value
from retouch.recipes.policy.analysing.spaces import numbers_around
from retouch.recipes.policy.deciding.counting import NOWHEN, SAME, is_of_calls, subject_of
from retouch.recipes.policy.deciding.evaluation import facts_of
from retouch.recipes.policy.language.clock import hours_of
from retouch.recipes.policy.language.values import PERIOD_S, CallState, EarlierCall, ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.recipes.policy.analysing.histories import History
    from retouch.recipes.policy.deciding.limits import ReadyLimit
    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.values import Period, Tool

Total: TypeAlias = "tuple[str, str, Period]"
MONDAY = datetime(2024, 1, 8)
_DAY_MINUTES = 24 * 60


class StateSpace:
    """The states that some policies distinguish for one tool."""

    def __init__(self, tool: Tool, policies: Sequence[Prepared]) -> None:
        self._tool = tool
        self._tests = [
            (ready, rule, test)
            for ready in policies
            if ready.needs_state
            for rule in ready.rules_for(tool.server, tool.name)
            for test in (*ready.where[rule.position], *ready.unless[rule.position])
            if test.limit.is_of_state
        ]
        self._zones = list(dict.fromkeys(ready.zone for ready in policies))
        self._instants = self._find_instants() if self._tests else []
        self._bounds = self._find_bounds()
        names = {name for _, _, test in self._tests if test.limit.after is not None for name in test.limit.after.tools}
        counted = {
            (PERIOD_S[test.limit.per], test.limit.same or "")
            for _, rule, test in self._tests
            if test.limit.is_total and test.limit.per is not None
            if any(rule.rule.when.is_about(tool.server, one) for one in names)
        }
        self._counts_history = bool(counted)
        self._histories = Histories(tool, self._tests, counted=counted)

    @property
    def most(self) -> int:
        """The largest number of states of a call."""
        totals = prod(2 * len(bounds) + 2 for bounds in self._bounds.values())
        return max(1, len(self._instants)) * totals * self._histories.most

    def _find_instants(self) -> list[datetime]:
        """Return one moment for each combination of answers to the tests of the time."""
        clocks = [test for _, _, test in self._tests if test.limit.is_clock]
        minutes = {
            0,
            *(minute % _DAY_MINUTES for test in clocks for span in test.limit.hours for minute in hours_of(span)),
        }
        starts = [MONDAY.replace(tzinfo=zone) for zone in self._zones]
        found: dict[tuple[bool, ...], datetime] = {}
        for start, day, minute in product(starts, range(7), sorted(minutes)):
            at = start + timedelta(days=day, minutes=minute)
            found.setdefault(tuple(test.judge_time(at).surely for test in clocks), at)
        return list(found.values())

    def _find_bounds(self) -> dict[Total, set[float]]:
        found: dict[Total, set[float]] = {}
        for _, rule, test in self._tests:
            limit = test.limit
            if limit.per is not None and limit.is_total:
                key = (self._scope(rule), subject_of(limit), limit.per)
                found.setdefault(key, set()).update(limit.bounds)
        for small, large in product(tuple(found), repeat=2):
            if _is_part_of(small, large):  # so that the larger total can be as large as the smaller one
                found[large] |= {one for one in found[small] if one > max(found[large])}
        return found

    def _scope(self, rule: ReadyRule) -> str:
        return rule.rule.when.scope_of(self._tool.server, self._tool.name)

    def calls(self, call: ToolCall) -> Iterator[ToolCall]:
        """Yield the call in each kind of state."""
        if not self._tests:
            yield call
            return
        names = list(self._bounds)
        options = [_earlier_totals(call, name, self._bounds[name]) for name in names]
        for at in self._instants:
            histories = self._histories.of(call, at)
            for chosen in product(*options):
                totals = dict(zip(names, chosen, strict=True))
                if _is_possible(totals):
                    for history in histories:
                        yield from self._with_state(call, at, totals, history)

    def _with_state(
        self, call: ToolCall, at: datetime, totals: Mapping[Total, float], history: History
    ) -> Iterator[ToolCall]:
        """Yield the call with totals and a history. If the history is counted, with calls that have these totals."""
        counted = bool(history) or any(totals.values())
        left = self._left(call, at, totals, history) if self._counts_history and counted else totals
        assumed: dict[tuple[str, Period], float] = {}
        for (scope, subject, per), total in left.items():
            assumed[f"{scope}:{subject}", per] = total
        found = replace(call, state=CallState(at=at, assumed=assumed, earlier=history))
        if not self._counts_history:
            yield found
            return
        if not any(left.values()):
            yield with_history(found, found.state)
            return
        for like in (call, _with_others(call, self._histories.own_arguments)):
            for age_s in self._histories.ages_s:
                made = with_history(like, found.state, youngest_s=age_s)
                yield replace(call, state=made.state)

    def _left(
        self, call: ToolCall, at: datetime, totals: Mapping[Total, float], history: History
    ) -> dict[Total, float]:
        """Return the totals without what a history adds to them."""
        known = dict(totals)
        made = replace(call, state=CallState(at=at, earlier=history))
        for ready, rule, test in self._tests:
            if test.limit.per is not None and test.limit.is_total:
                key = (self._scope(rule), subject_of(test.limit), test.limit.per)
                added = facts_of(ready, made, self._tool).earlier(test.limit, rule) or 0
                known[key] = max(0.0, totals[key] - added)
        return known

    def key_of(self, request: ToolCall) -> tuple[tuple[tuple[bool, ...], None], ...]:
        """Return the answers of all tests about the state of a call, as a part of the key of its region."""
        if not self._tests:
            return ()
        answers: list[bool] = []
        for ready, rule, test in self._tests:
            answers += _answers(ready, rule, test, request)
        return ((tuple(answers), None),)


def _answers(ready: Prepared, rule: ReadyRule, test: ReadyLimit, request: ToolCall) -> tuple[bool, bool]:
    tool = ready.policy.tools.get((request.server, request.tool))
    facts = None if tool is None else facts_of(ready, request, tool)
    found = (False, True) if facts is None or facts.moment is NOWHEN else facts.passes(test, rule)
    return found[0], found[1]


def _earlier_totals(call: ToolCall, name: Total, bounds: set[float]) -> list[float]:
    """Return totals of earlier calls so that the total with this call is around each bound."""
    own: object = 1 if is_of_calls(name[1]) else call.arguments.get(name[1].partition(SAME)[0])
    if not isinstance(own, (int, float)) or isinstance(own, bool) or own < 0:
        return [0]
    wanted = [one - own for one in numbers_around(bounds) if isinstance(one, (int, float))]
    return list(
        dict.fromkeys((0.0, *(float(ceil(one)) if is_of_calls(name[1]) else one for one in wanted if one >= 0)))
    )


def _is_possible(totals: dict[Total, float]) -> bool:
    """Return whether a longer period never has a smaller total than a shorter one, nor all values than one of them."""
    return all(
        total <= other
        for (scope, subject, per), total in totals.items()
        for (scope_2, subject_2, per_2), other in totals.items()
        if _is_part_of((scope, subject, per), (scope_2, subject_2, per_2))
    )


def _is_part_of(small: Total, large: Total) -> bool:
    """Return whether a total is never larger than another one: of a shorter period, or of one of its values."""
    (scope, subject, per), (scope_2, subject_2, per_2) = small, large
    alike = subject == subject_2 or subject.startswith(f"{subject_2}{SAME}")
    return scope == scope_2 and alike and PERIOD_S[per] <= PERIOD_S[per_2]


def shown(call: ToolCall) -> ToolCall:
    """Return a call of a region as you can execute it, with earlier calls instead of assumed totals."""
    return with_history(call, call.state)


def with_history(call: ToolCall, state: CallState | None, *, youngest_s: int = 1) -> ToolCall:
    """Return a call with earlier calls like it that have the totals a state assumes. None is younger than a number of
    seconds.
    """
    if state is None or state.assumed is None or state.at is None:
        return replace(call, state=state)
    earlier = list(state.earlier)
    by_subject: dict[str, dict[Period, float]] = {}
    for (key, per), total in state.assumed.items():
        known = by_subject.setdefault(key.partition(":")[2], {})
        known[per] = max(known.get(per, 0), total)
    bare = replace(call, state=None)
    made: list[tuple[str, int, float]] = []
    for subject in sorted(by_subject, key=lambda one: SAME not in one):
        totals, age, before = by_subject[subject], youngest_s, 0.0
        like, within = f"{subject}{SAME}", [one for one in by_subject if one.startswith(f"{subject}{SAME}")]
        made_like = [one for one in made if one[0].startswith(like)]
        other = _with_others(bare, [one.removeprefix(like) for one in within])
        for per in sorted(totals, key=lambda one: PERIOD_S[one]):
            left = totals[per] - before - sum(total for _, past, total in made_like if past < PERIOD_S[per])
            if left > 0 and age < PERIOD_S[per]:
                earlier.append(_earlier(other, subject, left, state.at - timedelta(seconds=age)))
                made.append((subject, age, left))
                before += left
            age = max(age, PERIOD_S[per] + 1)
    return replace(call, state=CallState(at=state.at, earlier=tuple(earlier)))


def _with_others(call: ToolCall, args: Sequence[str]) -> ToolCall:
    """Return a call with other values of some arguments, which a limit per value does not count."""
    changed = {arg: other_value(call.arguments[arg]) for arg in args if arg in call.arguments}
    return replace(call, arguments={**call.arguments, **changed}) if changed else call


def _earlier(call: ToolCall, subject: str, total: float, at: datetime) -> EarlierCall:
    if is_of_calls(subject):
        return EarlierCall(call=call, at=at, times=int(total))
    subject = subject.partition(SAME)[0]
    own = call.arguments.get(subject)
    if isinstance(own, (int, float)) and own > 0 and total % own == 0:
        return EarlierCall(call=call, at=at, times=int(total // own))
    amount = int(total) if total == int(total) else total
    return EarlierCall(call=replace(call, arguments={**call.arguments, subject: amount}), at=at)

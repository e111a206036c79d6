"""The usage of a run by unit, by model, by failed tier, and by kind of repair."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from retouch.engine.types import COMPARE, RECORDED_COST, Usage, errors_of, strategy_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch.engine.types import Attempt, Note

FIRST = "answer"  # the `why` of a first answer
NO_FAILURE = "first answer"
RETRY, SURRENDER, PLAN = "transport_retry", "transport_surrender", "cache_plan"  # kinds of notes
SCHEMA_REFUSED = "schema_refused"  # the kind of note about a form of an answer schema that a provider rejected


@dataclass(frozen=True, kw_only=True)
class CostReport:
    """The usage of all calls of a run that got a reply, grouped in four ways.

    `recorded_cost` is what the replies that `replay:` repeated had cost when they were recorded. No sum contains it.
    """

    total: Usage
    by_unit: Mapping[str, Usage]
    by_model: Mapping[str, Usage]
    by_tier: Mapping[str, Usage]
    by_why: Mapping[str, Usage]
    recorded_cost: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        tables = {"by_unit": self.by_unit, "by_model": self.by_model, "by_tier": self.by_tier, "by_why": self.by_why}
        plain = {name: {key: _usage_to_json(usage) for key, usage in table.items()} for name, table in tables.items()}
        return {"total": _usage_to_json(self.total), **plain, RECORDED_COST: self.recorded_cost}


def _usage_to_json(usage: Usage) -> dict[str, Any]:
    return {
        "calls": usage.calls,
        "tokens": usage.tokens,
        "cached_tokens": usage.cached_tokens,
        "cost": usage.cost,
    }


@dataclass(frozen=True, kw_only=True)
class StrategySuccess:
    """How often a repair strategy was used with a model, and how often that helped.

    `accepted` replies became the answer of their page. Of these, `solved` left no error of the page. The rates are for
    information: the order of the strategies is fixed.
    """

    strategy: str
    model: str
    retries: int
    accepted: int
    solved: int

    def as_json(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return dict(vars(self))


def strategy_report(attempts: Iterable[Attempt]) -> list[StrategySuccess]:
    """Return the success of each repair strategy, by stage and in the order of the first use."""
    groups: dict[tuple[int, str, str], list[Attempt]] = defaultdict(list)
    for one in sorted(attempts, key=lambda attempt: attempt.seq):
        strategy = strategy_of(one)
        if strategy not in ("", FIRST, COMPARE) and one.reply is not None:
            groups[one.stage, strategy, one.model].append(one)
    return [
        StrategySuccess(
            strategy=why,
            model=model,
            retries=len(members),
            accepted=sum(one.taken for one in members),
            solved=sum(one.taken and not errors_of(one.issues) for one in members),
        )
        for (_, why, model), members in sorted(groups.items(), key=lambda group: group[0][0])
    ]


@dataclass(frozen=True, kw_only=True)
class TransportReport:
    """Transport retries of a run: how many, how many were given up, how long they waited, and providers' messages.

    `lost_calls` are answers that were received, at least in part, but were unusable. `lost_cost` is their price in US
    dollars, None if any price is unknown.
    """

    retries: int
    surrenders: int
    waited_s: float
    messages: Mapping[str, int]
    lost_calls: int = 0
    lost_tokens: int = 0
    lost_cost: float | None = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data. The messages have the key `said`."""
        return {"said" if name == "messages" else name: value for name, value in vars(self).items()}


def transport_report(notes: Sequence[Note]) -> TransportReport:
    """Return the totals of the retry notes. The most frequent message is first."""
    kinds: Counter[str] = Counter()
    messages: Counter[str] = Counter()
    waited_s = 0.0
    for note in notes:
        if note.kind in (RETRY, SURRENDER):
            data: Any = note.data
            kinds[note.kind] += 1
            messages[str(data["error"])] += 1
            waited_s += data["wait_s"] or 0.0
    lost: list[Any] = [note.data["received"] for note in notes if "received" in note.data]
    return TransportReport(
        retries=kinds[RETRY],
        surrenders=kinds[SURRENDER],
        waited_s=round(waited_s, 3),
        messages=dict(messages.most_common()),
        lost_calls=len(lost),
        lost_tokens=sum(one.get("input_tokens", 0) + one.get("output_tokens", 0) for one in lost),
        lost_cost=None if any("cost" not in one for one in lost) else sum(one["cost"] for one in lost),
    )


@dataclass(frozen=True, kw_only=True)
class SchemaReport:
    """How answer schemas were used: the replies by model and mode, and the forms that providers rejected.

    Each rejection has the keys `model`, `mode` and `error`, the provider's message.
    """

    modes: Mapping[str, Mapping[str, int]]
    rejected: Sequence[Mapping[str, Any]] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return {"modes": {model: dict(counts) for model, counts in self.modes.items()}, "rejected": [*self.rejected]}


def schema_report(attempts: Iterable[Attempt], notes: Iterable[Note]) -> SchemaReport:
    """Return how the answer schemas of a run were used. Models that ignore schemas are left out."""
    modes: dict[str, Counter[str]] = defaultdict(Counter)
    for one in attempts:
        if one.reply is not None and one.reply.schema_mode:
            modes[one.model][one.reply.schema_mode] += 1
    return SchemaReport(modes=modes, rejected=[note.data for note in notes if note.kind == SCHEMA_REFUSED])


def last_cache_plan(notes: Sequence[Note]) -> list[str]:
    """Return the reasons for the cache markers of the last verb, one sentence for each decision."""
    plans: list[Any] = [note.data["why"] for note in notes if note.kind == PLAN]
    return list(plans[-1]) if plans else []


def cost_report(attempts: Iterable[Attempt], *, complete: bool = True) -> CostReport:
    """Return the totals of the attempts with a reply. Unless they are `complete`, the total cost is unknown."""
    paid = [attempt for attempt in attempts if attempt.reply is not None]
    failed = _failed_before(paid)
    return CostReport(
        total=Usage.of_attempts(paid) if complete else replace(Usage.of_attempts(paid), cost=None),
        by_unit=_grouped(paid, lambda one: one.unit),
        by_model=_grouped(paid, lambda one: one.model),
        by_tier=_grouped(paid, lambda one: failed[one.seq]),
        by_why=_grouped(paid, lambda one: one.why),
        recorded_cost=sum(one.reply.usage.get(RECORDED_COST, 0.0) for one in paid if one.reply is not None),
    )


def _failed_before(attempts: Sequence[Attempt]) -> dict[int, str]:
    """Return, per attempt, the tier that its page had failed before the call."""
    last: dict[tuple[str, int], str] = {}
    found: dict[int, str] = {}
    for one in sorted(attempts, key=lambda attempt: attempt.seq):
        key = one.unit, one.page
        found[one.seq] = last.get(key, NO_FAILURE) if one.why not in (FIRST, COMPARE) else NO_FAILURE
        if one.why == COMPARE:
            continue
        errors = errors_of(one.issues)
        last[key] = f"tier {min(int(issue.tier) for issue in errors)} failed" if errors else "tier 3 failed"
    return found


def _grouped(attempts: Sequence[Attempt], name: Callable[[Attempt], str]) -> dict[str, Usage]:
    groups: dict[str, list[Attempt]] = defaultdict(list)
    for one in attempts:
        groups[name(one)].append(one)
    return {key: Usage.of_attempts(members) for key, members in groups.items()}

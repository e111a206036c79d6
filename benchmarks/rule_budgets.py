"""How many sessions of the rule recipe end with the right rule, and what they cost, by the way of retrying.

The engine, the recipe and its checks are the real ones; the model is simulated: it makes each fault with its rate, and
a fault that it is told of goes away with its chance (the figures are those of a study of generate-check-repair loops).
Slips (syntax, a summary, truncation) are drawn anew with each answer; what the model got wrong about the schema or the
paths stays until it is told. A share of what is wrong about the paths never goes away. In a few sessions the check
itself is wrong, and the model says the same again. The same chance is assumed whether a model is shown the error alone
or all that is known of it. Only sessions whose first answer is wrong are run; the others cost
one answer and end right in every way, and are counted in with their share.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from retouch.aio import generate
from retouch.engine.options import RunOptions
from retouch.engine.repair import Correction
from retouch.engine.types import Issue, Message, Reply, RetryBudget, Tier
from retouch.models.tokens import estimate_tokens, request_tokens
from retouch.recipes.rule import RuleJob, recipe
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.recipe import Recipe
    from retouch.engine.repair import Repair, RepairContext
    from retouch.engine.types import Attempt, OnEvent, Request
    from retouch.recipes.rule.judging.artifact import Artifact

JOB = RuleJob(paths=tuple(f"/srv/mission_{n:03}/2024-01-{n + 1:02}/r{n}_x.csv" for n in range(1, 21)), form="yaml")
HARD = 0.15  # of what is wrong about the paths
CACHE_READ = 0.1  # what a cached token costs
HEAD = (
    *("faults", "way", "first answer wrong", "end right", "of those wrong at first"),
    *("answers", "worst", "tokens in", "with the cache", "tokens out"),
)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that can be wrong: its rate by column of the study, the chance that being told mends it, its mark."""

    rates: Mapping[str, float]
    fix: float
    mark: str
    slip: bool = False


def _rates(low: float, default: float, high: float, share: float = 1.0) -> Mapping[str, float]:
    return {"low": low * share, "default": default * share, "high": high * share}


SCHEMA, PATHS = (0.009, 0.03, 0.075), (0.015, 0.05, 0.125)
FAULTS = {
    "syntax": Fault(rates=_rates(0.0045, 0.015, 0.0375), fix=0.85, mark="YAML_SYNTAX_ERROR", slip=True),
    "summary": Fault(rates=_rates(0.0, 0.01, 0.035), fix=0.97, mark="YAML_SYNTAX_ERROR|NOT_A_MAPPING", slip=True),
    "truncation": Fault(rates=_rates(0.0015, 0.005, 0.0125), fix=0.95, mark="cut off", slip=True),
    "source": Fault(rates=_rates(*SCHEMA, 0.5), fix=0.80, mark="extract.mission.from"),
    "type": Fault(rates=_rates(*SCHEMA, 0.5), fix=0.80, mark="extract.date.type"),
    "segment": Fault(rates=_rates(*PATHS, 0.5), fix=0.40, mark="'date'"),
    "glob": Fault(rates=_rates(*PATHS, 0.5), fix=0.40, mark="the glob fits"),
}
CHECKER = {"low": 0.0, "default": 0.005, "high": 0.017}


def answer(faults: set[str], number: int) -> str:
    """Return the rule with these faults; `number` makes each wrong answer a little different."""
    if "summary" in faults:
        return f"I have written a rule: it takes mission and date ({number})."
    colon = "" if "syntax" in faults else ":"
    lines = [
        f"# {number}" if faults else "# right",
        "name: missions",
        f"glob: '**/{'flight' if 'glob' in faults else 'mission'}_*/*/*.csv'",
        "extract:",
        f"  mission{colon}",
        f"    from: {'folder' if 'source' in faults else 'segment'}(-3)",
        "    pattern: '^mission_([0-9]+)$'",
        "    type: integer",
        "  date:",
        f"    from: segment({-1 if 'segment' in faults else -2})",
        f"    type: {'datetime' if 'type' in faults else 'date'}",
    ]
    return "```yaml\n" + "\n".join(lines) + "\n```"


@dataclass(kw_only=True)
class Simulated:
    """One session's model: what is wrong in its mind, and what it was asked."""

    random: Random
    column: str
    faults: set[str]
    hard: bool
    name: str = "simulated"
    answers: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cap: int = 0
    tokens_paid: float = 0.0
    sent: list[tuple[str, ...]] = field(default_factory=list["tuple[str, ...]"])

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the next answer."""
        assert on_event is None or self.answers >= 0
        if self.answers:
            self._think("\n".join(message.text for message in request.messages[-1:]), request.max_output_tokens)
        self.answers += 1
        text, finish = answer(self.faults, self.answers), "end"
        if "truncation" in self.faults:
            text, finish, self.cap = text[: len(text) // 2], "length", request.max_output_tokens
        tokens_in, tokens_out = request_tokens(request), estimate_tokens(text)
        self.tokens_in += tokens_in
        self.tokens_paid += tokens_in - (1 - CACHE_READ) * self._cached(request)
        self.tokens_out += tokens_out
        return Reply(text=text, finish=finish, model=self.name, input_tokens=tokens_in, output_tokens=tokens_out)

    def _cached(self, request: Request) -> int:
        """Return how many tokens of a request begin an earlier one, whole texts only."""
        texts = (request.system, *(message.text for message in request.messages))
        same = [sum(1 for _ in takewhile(_alike, zip(texts, earlier, strict=False))) for earlier in self.sent]
        self.sent.append(texts)
        return sum(estimate_tokens(text) for text in texts[: max(same, default=0)])

    def _think(self, told: str, cap: int) -> None:
        """Mend what was told, with its chance; draw slips anew."""
        for name in sorted(self.faults):
            fault = FAULTS[name]
            known = any(mark in told for mark in fault.mark.split("|"))
            if name == "truncation":
                known = cap > self.cap
            stubborn = self.hard and name in {"segment", "glob"}
            if (known and not stubborn and self.random.random() < fault.fix) or (fault.slip and not known):
                self.faults.discard(name)
        self.faults |= {n for n, one in FAULTS.items() if one.slip and self.random.random() < one.rates[self.column]}


def _alike(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


@dataclass(frozen=True, kw_only=True)
class ErrorOnly(Correction):
    """The clean prompt and the first error, in one line: nothing of the answer, nothing of before."""

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the prompt with the error in front of it."""
        first = context.issues[0] if context.issues else None
        place = f" ({first.path})" if first is not None and first.path else ""
        said = f"[{first.code}] {first.message}{place}\n\n" if first is not None else ""
        return context.prompt.system, (Message(role="user", text=f"{said}{context.prompt.user}"),)


def error_only(_job: RuleJob, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    """Ask again with the error alone."""
    return ErrorOnly()


ONE_COUNTER = RetryBudget(tier1_remaining=3, tier2_remaining=3, tier3_remaining=3, total_remaining=3)
WAYS: Mapping[str, tuple[Recipe[RuleJob, Artifact], RetryBudget]] = {
    "retouch": (recipe, RetryBudget()),
    "retouch, tier 3 twice": (recipe, RetryBudget(tier3_remaining=2)),
    "one counter of 3": (recipe, ONE_COUNTER),
    "the error only": (replace(recipe, repair=error_only), ONE_COUNTER),
    "no retry": (recipe, RetryBudget(total_remaining=0)),
}


@dataclass(frozen=True, kw_only=True)
class Session:
    """What one session drew: its faults, whether they are hard, whether the check is wrong."""

    seed: int
    faults: frozenset[str]
    hard: bool
    checker: bool


def drawn(column: str, count: int) -> tuple[list[Session], float]:
    """Return `count` sessions that are wrong at first, and the share of all sessions that are."""
    random = Random(f"sessions {column}")
    found: list[Session] = []
    number = 0
    while len(found) < count:
        number += 1
        faults = frozenset(name for name, one in FAULTS.items() if random.random() < one.rates[column])
        hard, checker = random.random() < HARD, random.random() < CHECKER[column]
        if faults or checker:
            found.append(Session(seed=number, faults=faults, hard=hard, checker=checker))
    return found, count / number


async def run(session: Session, column: str, way: str) -> tuple[bool, Simulated]:
    """Return whether a session ends with the right rule, and its model."""
    of, budget = WAYS[way]
    model = Simulated(random=Random(session.seed), column=column, faults=set(session.faults), hard=session.hard)

    async def wrong(_job: RuleJob, _values: Mapping[str, Artifact], _options: RunOptions) -> list[Issue]:
        return [Issue(code="CHECKER", message="the check is wrong", tier=Tier.SEMANTIC, unit="rule")]

    with tempfile.TemporaryDirectory(prefix="retouch-") as folder:
        used = replace(of, check=wrong) if session.checker else of
        result = await generate(used, JOB, Path(folder) / "run", model, RunOptions(budget=budget))
    return result.status == "unverified" and not model.faults, model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=150)
    arguments = parser.parse_args()
    announce("rule: retry budgets against a fault model")
    rows: list[list[object]] = []
    for column in ("low", "default", "high"):
        sessions, share = drawn(column, arguments.sessions)
        clean = asyncio.run(_clean(column))
        for way in WAYS:
            seen = [asyncio.run(run(session, column, way)) for session in sessions]
            rows.append([column, way, f"{share:.1%}", *_summary(seen, share, clean)])
    print(table(HEAD, rows))


async def _clean(column: str) -> Simulated:
    """Return the model of a session that is right at once."""
    return (await run(Session(seed=0, faults=frozenset(), hard=False, checker=False), column, "no retry"))[1]


def _summary(seen: Sequence[tuple[bool, Simulated]], share: float, clean: Simulated) -> list[object]:
    right = sum(ended for ended, _ in seen) / len(seen)
    means = [
        share * sum(getattr(model, name) for _, model in seen) / len(seen) + (1 - share) * getattr(clean, name)
        for name in ("answers", "tokens_in", "tokens_paid", "tokens_out")
    ]
    worst = max(model.answers for _, model in seen)
    whole = 1 - share + share * right
    return [f"{whole:.2%}", f"{right:.0%}", f"{means[0]:.3f}", worst, *(f"{one:,.0f}" for one in means[1:])]


if __name__ == "__main__":
    main()

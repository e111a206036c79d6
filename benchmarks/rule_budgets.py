"""How many sessions of the rule recipe end with the correct rule, and their cost, by retry strategy.

The engine, the recipe and its checks are real. The model is simulated: it makes each fault at its rate, and a retry
that names a fault removes it with its probability (the figures are from a study of generate-check-repair loops). Slips
(syntax, a summary, truncation) are drawn again for each answer. Mistakes about the schema or the paths stay until a
retry names them, and a share of those about the paths always stays. In a few sessions the check itself is wrong, and
the model repeats its answer. The probabilities are the same whether the model sees only the error or all details. Only
sessions whose first answer is wrong are run. The others cost one answer and succeed with every strategy, and are
included with their share.
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
HARD = 0.15  # of mistakes about the paths
CACHE_READ = 0.1  # the cost of a cached token
HEAD = (
    *("faults", "way", "first answer wrong", "end right", "of those with a wrong first answer"),
    *("answers", "worst", "tokens in", "with the cache", "tokens out"),
)


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One possible fault: its rate by column of the study, the probability that naming it removes it, its mark."""

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
    """Return the rule with these faults. `number` makes each wrong answer slightly different."""
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
    """The model of one session: its current mistakes, and its requests."""

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
        """Return the number of tokens that a request shares with the beginning of an earlier one, in whole texts."""
        texts = (request.system, *(message.text for message in request.messages))
        same = [sum(1 for _ in takewhile(_alike, zip(texts, earlier, strict=False))) for earlier in self.sent]
        self.sent.append(texts)
        return sum(estimate_tokens(text) for text in texts[: max(same, default=0)])

    def _think(self, told: str, cap: int) -> None:
        """Remove named faults with their probability, and draw slips again."""
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
    """The original prompt and the first error, in one line, without the answer and earlier failures."""

    def conversation(self, context: RepairContext) -> tuple[str, tuple[Message, ...]]:
        """Return the prompt preceded by the error."""
        first = context.issues[0] if context.issues else None
        place = f" ({first.path})" if first is not None and first.path else ""
        said = f"[{first.code}] {first.message}{place}\n\n" if first is not None else ""
        return context.prompt.system, (Message(role="user", text=f"{said}{context.prompt.user}"),)


def error_only(_job: RuleJob, _unit: str, _issues: Sequence[Issue], _attempts: Sequence[Attempt]) -> Repair:
    """Retry with only the error."""
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
    """The random draws of one session: its faults, whether they are hard, whether the check is wrong."""

    seed: int
    faults: frozenset[str]
    hard: bool
    checker: bool


def drawn(column: str, count: int) -> tuple[list[Session], float]:
    """Return `count` sessions with a wrong first answer, and the share of such sessions."""
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
    """Return whether a session ends with the correct rule, and its model."""
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
    """Return the model of a session with a correct first answer."""
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

"""How many runs end verified, and their cost, by the strategies that are available.

The engine and its strategies are real. The model is simulated: a first answer has a fault with the given rate, and a
retry that names the fault removes it with the given probability. A share of the faulty pages is hard: a retry by the
run's own model removes the fault with a probability of 0.1 only. A fallback costs three times as much per token, and
removes any fault with a probability of 0.8. One patch in 17 cannot be applied.

The cost is in tokens: output counts five times, a cached system text a tenth. The floor is every page once, and one
small patch by the run's own model for each faulty page.

Expected, before it was measured: with a fallback, at least 99 % of the runs end verified, at 1.15 times the floor at
most, hard pages included. Without hard pages and without a fallback, all of them do.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any

from retouch.aio import generate
from retouch.engine.options import RunOptions
from retouch.engine.recipe import Read, Recipe
from retouch.engine.types import Issue, Prompt, Reply, RetryBudget, Tier
from retouch.models.tokens import estimate_tokens
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.engine.types import OnEvent, Request

SYSTEM = "Answer each key with a line key=value. " + "Follow the rules of the catalogue. " * 130  # 1,200 tokens
LINES = 40
SIX = RetryBudget(tier1_remaining=6, tier2_remaining=6, tier3_remaining=1, total_remaining=6)
HARD_FIX, FALLBACK_FIX, BROKEN_PATCH = 0.1, 0.8, 0.06
OUTPUT, CACHED, FALLBACK_PRICE = 5.0, 0.1, 3.0
WRONG = re.compile(r"^(k\d+)(=BAD|!)(\d+)-\d+$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """The source: the number of units, and of pages in each."""

    units: int
    pages: int


def plan(source: Catalogue) -> Iterable[Prompt]:
    for unit in range(source.units):
        for page in range(1, source.pages + 1):
            text = f"Page {page} of u{unit}.\n" + "".join(
                f"k{line}: the value of entry {line}\n" for line in range(LINES)
            )
            yield Prompt(unit=f"u{unit}", page=page, total_pages=source.pages, system=SYSTEM, user=text)


def read(_source: Catalogue, unit: str, pages: Sequence[str]) -> Read[Any]:
    issues: list[Issue] = []
    for number, text in enumerate(pages, 1):
        for wrong in WRONG.finditer(text):
            line = text.count("\n", 0, wrong.start()) + 1
            if wrong[2] == "!":
                tier, code = Tier.SYNTAX, "BROKEN_LINE"
            else:
                tier, code = Tier.SCHEMA, "BAD_VALUE"
            message = f"{wrong[1]} is wrong: error {wrong[3]}"
            issues.append(Issue(code=code, message=message, tier=tier, unit=unit, page=number, line=line))
    broken = any(issue.tier == Tier.SYNTAX for issue in issues)
    return Read(None if broken else pages, issues)


def check(_source: Catalogue, _values: Mapping[str, Any], _options: RunOptions) -> list[Issue]:
    return []


def assemble(_source: Catalogue, values: Mapping[str, Any]) -> Mapping[str, str]:
    return {"catalogue.txt": "".join(f"{unit}\n" for unit in values)}


RECIPE = Recipe[Catalogue, Any](
    name="catalogue", source=Catalogue, plan=plan, read=read, check=check, assemble=assemble
)


def right_text() -> str:
    return "".join(f"k{line}=the value of entry number {line}, as in the catalogue\n" for line in range(LINES))


@dataclass(frozen=True, kw_only=True)
class Column:
    """One setting of the simulation. `heal` is the probability that a retry by the run's own model removes a fault."""

    name: str
    source: Catalogue
    rate: float
    heal: float = 0.8
    hard: float = 0.0
    fallback: bool = False
    budget: RetryBudget | None = None


class Account:
    """The cost of one run so far, and that of the floor."""

    def __init__(self) -> None:
        self.cost, self.faults = 0.0, 0

    def add(self, request: Request, text: str, price: float) -> None:
        """Add one call."""
        given = sum(estimate_tokens(message.text) for message in request.messages)
        self.cost += price * (estimate_tokens(request.system) * CACHED + given + estimate_tokens(text) * OUTPUT)


class Simulated:
    """A model with faults. Both models of a run share the faults of its pages."""

    def __init__(self, name: str, column: Column, random: Random, account: Account, faults: dict[Any, Any]) -> None:
        self.name, self._column, self._random, self._account, self._faults = name, column, random, account, faults

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG002
        text = self._answer(request)
        self._account.add(request, text, FALLBACK_PRICE if self.name == "fallback" else 1.0)
        return Reply(text=text, model=self.name, cost=0.0)

    def _answer(self, request: Request) -> str:
        key, last = request.prompt.key, request.messages[-1].text
        if key not in self._faults:
            self._first(key)
            return self._text(key)
        fault = self._faults[key]
        if fault is None or self._random.random() < self._fix(fault):
            healed = True
        else:
            healed = False
            fault["copy"] += 1
            if self._random.random() < 0.5:
                fault["number"] += 1  # another error than before
        if "FIND:" in last:
            return self._patch(request, healed)
        if healed:
            self._faults[key] = None
        return self._text(key)

    def _first(self, key: Any) -> None:
        random, column = self._random, self._column
        fault: Any = None
        if random.random() < column.rate:
            mark = "!" if random.random() < 0.3 else "=BAD"
            self._account.faults += 1
            is_hard = random.random() < column.hard
            fault = {"line": random.randrange(LINES), "mark": mark, "number": 0, "copy": 0, "hard": is_hard}
        self._faults[key] = fault

    def _fix(self, fault: Any) -> float:
        if self.name == "fallback":
            return FALLBACK_FIX
        return HARD_FIX if fault["hard"] else self._column.heal

    def _text(self, key: Any) -> str:
        fault = self._faults[key]
        if fault is None:
            return right_text()
        lines = right_text().splitlines()
        lines[fault["line"]] = f"k{fault['line']}{fault['mark']}{fault['number']}-{fault['copy']}"
        return "\n".join(lines) + "\n"

    def _patch(self, request: Request, healed: bool) -> str:
        current = request.messages[-2].text
        found = WRONG.search(current)
        if found is None or self._random.random() < BROKEN_PATCH:
            return _block("no such line", "k0=x")
        key, number = found[1], int(found[1][1:])
        if healed:
            self._faults[request.prompt.key] = None
            return _block(found[0], right_text().splitlines()[number])
        fault = self._faults[request.prompt.key]
        return _block(found[0], f"{key}{fault['mark']}{fault['number']}-{fault['copy']}")


def _block(find: str, replace_with: str) -> str:
    return f"CHANGE 1: the wrong line\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{replace_with}\n```\n"


async def one_run(column: Column, seed: int) -> tuple[str, float, int]:
    """Return the status of one run, its cost as a multiple of the floor, and its calls."""
    random, account, faults = Random(f"{column.name} {seed}"), Account(), dict[Any, Any]()
    model = Simulated("model", column, random, account, faults)
    fallback = Simulated("fallback", column, random, account, faults) if column.fallback else None
    with tempfile.TemporaryDirectory() as folder:
        options = RunOptions(concurrency=16, warm_up_s=0.0, fallback=fallback, budget=column.budget)
        result = await generate(RECIPE, column.source, Path(folder) / "run", model, options)
    return result.status, account.cost / floor_of(column.source, account.faults), result.calls


def floor_of(source: Catalogue, faults: int) -> float:
    """Return the cost of every page once, and of one patch for each faulty page."""
    pages = [*plan(source)]
    system = estimate_tokens(SYSTEM) * CACHED
    answer, patch = estimate_tokens(right_text()), estimate_tokens(_block("k1=BAD1-1", right_text().splitlines()[1]))
    first = sum(system + estimate_tokens(one.user) + answer * OUTPUT for one in pages)
    return first + faults * (system + estimate_tokens(pages[0].user) + answer + _TURN + patch * OUTPUT)


_TURN = 330  # the correction block and the instructions of a patch, in tokens


def columns() -> list[Column]:
    """Return the settings of docs/benchmarks.md."""
    long, many = Catalogue(units=1, pages=114), Catalogue(units=60, pages=1)
    found: list[Column] = []
    for name, source in (("1 unit of 114 pages", long), ("60 units of 1 page", many)):
        for rate in (0.1, 0.3):
            plain = Column(name=f"{name}, {rate:.0%} faults", source=source, rate=rate)
            hard = replace(plain, name=f"{plain.name}, 15 % hard", hard=0.15)
            found += [plain, hard, replace(hard, name=f"{hard.name}, with a fallback", fallback=True)]
            if source is many:
                found.append(replace(plain, name=f"{plain.name}, --retries 6,6,1/6", budget=SIX))
    return found


async def measured(column: Column, seeds: int) -> list[object]:
    runs = [await one_run(column, seed) for seed in range(seeds)]
    verified = sum(status == "verified" for status, _, _ in runs)
    pages = column.source.units * column.source.pages
    costs = sorted(cost for _, cost, _ in runs)
    calls = fmean(calls for _, _, calls in runs) / pages
    return [column.name, f"{verified} of {seeds}", f"{fmean(costs):.2f}", f"{costs[-1]:.2f}", f"{calls:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--only", default="", help="Only the settings whose name contains this.")
    arguments = parser.parse_args()
    announce("Runs that end verified, and their cost over the floor, by setting")
    chosen = [one for one in columns() if arguments.only in one.name]
    rows = [asyncio.run(measured(one, arguments.seeds)) for one in chosen]
    print(table(("setting", "verified", "cost", "worst", "calls per page"), rows))


if __name__ == "__main__":
    main()

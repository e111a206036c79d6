"""A recipe of tables, and a simulated model: the cost benchmark measures repair strategies on them.

A page asks for sixty lines `key = VALUE`. Only the check knows the right value of a key. The model draws one fault per
fresh page at the default rates of the project's fault model. A retry that names the issue removes it with the
probability of its class. Faults of a checker are not simulated, because no baseline ends on them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from retouch.edits import changes_between, render_blocks
from retouch.engine.recipe import Read, Recipe, Unread
from retouch.engine.repair import patch_instructions
from retouch.engine.types import Issue, OnEvent, Prompt, Reply, Request, Tier
from retouch.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Finish

KEYS = 60
SYSTEM = "Write the table that the page asks for: a line `key = VALUE` for each key, in order, and nothing else. " * 42
ASK = "Look up every key in the register of the year that its number names, and copy the value exactly as it stands. "
MALFORMED_PATCH = 0.06


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One class of fault: its rate on fresh pages, and the probability that a retry which names it removes it."""

    rate: float
    fix: float


FAULTS = {
    "prose": Fault(rate=0.006, fix=0.85),  # prose around the table: fixed automatically
    "syntax": Fault(rate=0.009, fix=0.85),
    "twice": Fault(rate=0.0045, fix=0.80),  # a repeated line: fixed automatically
    "missing": Fault(rate=0.0255, fix=0.80),
    "wrong": Fault(rate=0.05, fix=0.40),
    "cut": Fault(rate=0.005, fix=0.95),  # healed by a larger output cap only
    "elision": Fault(rate=0.005, fix=0.75),
    "summary": Fault(rate=0.01, fix=0.97),
}
BY_RULE = {"prose", "twice"}


@dataclass(frozen=True, kw_only=True)
class Tables:
    """The source: the number of pages."""

    pages: int


def keys_of(unit: str) -> list[str]:
    """Return the keys of one page."""
    return [f"{unit}_row{n:02}" for n in range(KEYS)]


@lru_cache(maxsize=100_000)
def right_value(key: str) -> str:
    """Return the value of `key` in the register."""
    return f"V{Random(key).randrange(10**6):06}"


def right_table(unit: str) -> str:
    """Return the table without a fault."""
    return "\n".join(f"{key} = {right_value(key)}" for key in keys_of(unit))


def plan(source: Tables) -> Iterable[Prompt]:
    """Return one prompt per page, a unit each."""
    for number in range(source.pages):
        unit = f"page{number:04}"
        user = f"PAGE {unit}\n{ASK * 6}\n" + "\n".join(keys_of(unit))
        yield Prompt(unit=unit, system=SYSTEM, user=user)


def read(_source: Tables, unit: str, pages: Sequence[str]) -> Read[dict[str, str]]:
    """Read a table: broken lines are tier 1, missing and double keys tier 2."""
    value: dict[str, str] = {}
    issues: list[Issue] = []
    for row, line in enumerate(pages[0].splitlines(), 1):
        key, equals, meaning = line.partition(" = ")
        if not equals:
            issue_text = f"line {row} is no 'key = VALUE': {line[:60]!r}"
            issues.append(Issue(code="BROKEN_LINE", message=issue_text, tier=Tier.SYNTAX, unit=unit, page=1, line=row))
        elif key in value:
            issue_text = f"{key!r} stands twice"
            issues.append(Issue(code="TWICE", message=issue_text, tier=Tier.SCHEMA, unit=unit, page=1, line=row))
        value[key] = meaning
    if issues:
        return Read(None, issues)
    missing = [key for key in keys_of(unit) if key not in value]
    told = [
        Issue(code="MISSING", message=f"no line for {key!r}", tier=Tier.SCHEMA, unit=unit, page=1) for key in missing
    ]
    return Read(value, told[:5])


def check(_source: Tables, values: Mapping[str, dict[str, str]], _options: RunOptions) -> list[Issue]:
    """Compare every value with the register."""
    return [
        Issue(code="WRONG_VALUE", message=f"{key} is not {found!r}", tier=Tier.SEMANTIC, unit=unit, page=1)
        for unit, value in values.items()
        for key, found in value.items()
        if found != right_value(key)
    ]


def mend(_source: Tables, unit: str, pages: Sequence[str], _issues: Sequence[Issue]) -> Sequence[str] | None:
    """Drop prose around the table and repeated lines."""
    lines = [line for line in pages[0].splitlines() if line.startswith(f"{unit}_row")]
    return ["\n".join(dict.fromkeys(lines))] if len(lines) >= KEYS else None


def assemble(_source: Tables, values: Mapping[str, dict[str, str] | Unread]) -> Mapping[str, str]:
    """Return one file."""
    texts = (
        v.text if isinstance(v, Unread) else "\n".join(f"{k} = {m}" for k, m in v.items()) for v in values.values()
    )
    return {"tables.txt": "\n".join(texts)}


def alone(_source: Tables, unit: str) -> str:
    """Check every page by itself, as the other strategies do."""
    return unit


RECIPE = Recipe[Tables, dict[str, str]](
    name="tables", source=Tables, plan=plan, read=read, check=check, assemble=assemble, mend=mend, group=alone
)


class Author:
    """Writes tables with a model's faults. `first_faults` lists the faults of every page's first answer, by class.

    `spoils` is the probability that a correct page becomes wrong when it is written again. By default it is drawn like
    a fresh page.
    """

    name = "author"

    def __init__(self, seed: int, *, spoils: float | None = None) -> None:
        self._seed = seed
        self._spoils = spoils
        self._fault: dict[str, str] = {}
        self._asked: dict[str, int] = {}
        self.first_faults: list[str] = []

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Answer one request as a whole table, or as blocks if it requests them."""
        del on_event
        unit = request.prompt.user.split(maxsplit=2)[1]
        number = self._asked[unit] = self._asked.get(unit, 0) + 1
        chance = Random(f"{self._seed}|{unit}|{number}")
        informed = unit in self._fault and len(_answer_text(request)) > len(request.prompt.user) + 20
        if informed:
            self._maybe_heal(unit, request, chance)
        elif self._spoils is None or self._fault.get(unit) != "":
            self._fault[unit] = self._drawn(chance)
            if number == 1 and self._fault[unit]:
                self.first_faults.append(self._fault[unit])
        elif chance.random() < self._spoils:
            self._fault[unit] = chance.choices(list(FAULTS), [fault.rate for fault in FAULTS.values()])[0]
        text, finish = spoilt(unit, self._fault[unit], chance)
        if _asks_for_blocks(request):
            text = self._as_blocks(request, text, chance)
        if "json" in request.system.lower():  # instructor requests its model as JSON
            text = json.dumps({"table": text}, indent=None)
        return Reply(text=text, finish=finish, model="author", output_tokens=estimate_tokens(text))

    @property
    def right(self) -> float:
        """The share of pages whose last answer is correct, or has a fault with an automatic fix."""
        return sum(fault in {"", *BY_RULE} for fault in self._fault.values()) / len(self._fault)

    def _drawn(self, chance: Random) -> str:
        at = chance.random()
        for name, fault in FAULTS.items():
            at -= fault.rate
            if at < 0:
                return name
        return ""

    def _maybe_heal(self, unit: str, request: Request, chance: Random) -> None:
        fault = self._fault[unit]
        blind = fault == "cut" and request.max_output_tokens <= 8_192
        if fault and not blind and chance.random() < FAULTS[fault].fix:
            self._fault[unit] = ""

    def _as_blocks(self, request: Request, text: str, chance: Random) -> str:
        if chance.random() < MALFORMED_PATCH:
            return "FIND\nwhat is nowhere in the table\nREPLACE\nsomething else\n"
        return render_blocks(changes_between(request.messages[-2].text, text)) or text


def _answer_text(request: Request) -> str:
    return "\n".join(message.text for message in request.messages)


def _asks_for_blocks(request: Request) -> bool:
    return len(request.messages) > 2 and patch_instructions() in request.messages[-1].text


def spoilt(unit: str, fault: str, chance: Random) -> tuple[str, Finish]:
    """Return the table with a new fault of the class `fault`, and its finish reason."""
    lines = right_table(unit).splitlines()
    at = chance.randrange(5, KEYS - 5)
    if fault == "prose":
        return "Here is the table you asked for:\n" + "\n".join(lines), "end"
    if fault == "summary":
        return f"I looked up all {KEYS} keys; the table is complete and {chance.randrange(99)} values changed.", "end"
    if fault == "cut":
        return "\n".join(lines[:at]), "length"
    if fault == "elision":
        return "\n".join([*lines[:at], "... (the rest is unchanged)"]), "end"
    changed = {
        "syntax": [lines[at].replace(" = ", " ")],
        "twice": [lines[at], lines[at]],
        "missing": [],
        "wrong": [f"{lines[at].partition(' = ')[0]} = V{chance.randrange(10**6)}x"],
    }
    return "\n".join([*lines[:at], *changed.get(fault, [lines[at]]), *lines[at + 1 :]]), "end"

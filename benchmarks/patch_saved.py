"""The savings of FIND/REPLACE repairs compared with whole pages, and when they do not pay.

    python benchmarks/patch_saved.py

It damages correct answers, lets the offline model repair them with blocks and as a whole, and counts tokens and dollars
by list price.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import sys
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from retouch.engine.recipe import find_recipe
from retouch.engine.repair import PATCH_FROM_CHARS, Correction, Patch, RepairContext
from retouch.engine.types import Issue, Message, Prompt, Request, Tier
from retouch.models.offline import offline
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.engine.repair import Repair
    from retouch.engine.types import Reply

SEED = 7
PAGES = 400
MODELS = ("claude-haiku-4-5", "gpt-5-mini")


@dataclass(frozen=True, kw_only=True)
class Case:
    """A correct answer, a damaged version, and their prompt."""

    prompt: Prompt
    right: str
    spoiled: str


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The tokens of one repair: input, the part of it that a cache with the prompt can serve, and output."""

    fresh: int
    cached: int
    out: int


def csharp_cases() -> Iterator[Case]:
    """Yield pages of github.json, each with one of the recipe's own faults."""
    from documents import FOLDER
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint

    recipe, dice = find_recipe("csharp"), random.Random(SEED)
    assert recipe.offline is not None
    endpoint = read_endpoint(
        load_document(FOLDER / "github.json"), "GET /repos/{owner}/{repo}", ReadingOptions(style="connector")
    )
    prompts, faults = list(recipe.plan(endpoint)), sorted(recipe.faults)
    for _ in range(PAGES):
        prompt = dice.choice(prompts)
        right = recipe.offline(prompt)
        spoiled = recipe.faults[dice.choice(faults)](right, dice)
        if spoiled != right:
            yield Case(prompt=prompt, right=right, spoiled=spoiled)


def long_cases() -> Iterator[Case]:
    """Yield answers of about 20 KB (modules of the standard library), each with one to three changed lines."""
    dice = random.Random(SEED)
    sources = [inspect.getsource(sys.modules[name]) for name in ("random", "inspect", "asyncio.base_events")]
    for _ in range(60):
        lines = dice.choice(sources).splitlines(keepends=True)
        start = dice.randrange(max(1, len(lines) - 500))
        right = lines[start : start + 500]
        spoiled = list(right)
        for place in sorted(dice.sample(range(len(spoiled)), dice.randint(1, 3)), reverse=True):
            spoiled[place : place + 1] = [] if dice.random() < 0.5 else ["        changed = True\n"]
        prompt = Prompt(unit="file", system="Write the file.", user="Write the module as specified. " * 40)
        yield Case(prompt=prompt, right="".join(right), spoiled="".join(spoiled))


def ruined_cases() -> Iterator[Case]:
    """Yield pages of github.json with every other line wrong, so that a patch quotes more than a new page contains."""
    for case in csharp_cases():
        lines = case.right.splitlines(keepends=True)
        spoiled = [f"    // wrong {at}\n" if at % 2 else line for at, line in enumerate(lines)]
        yield Case(prompt=case.prompt, right=case.right, spoiled="".join(spoiled))


def measured(case: Case, repair: Repair) -> Cost | None:
    """Return the cost of one repair, or None if it does not lead to the correct answer."""
    issue = Issue(code="WRONG", message="one thing is wrong", tier=Tier.SCHEMA, unit=case.prompt.unit, page=1)
    system, messages = repair.conversation(RepairContext(prompt=case.prompt, answer=case.spoiled, issues=[issue]))
    reply = _answered(case, system, messages)
    if repair.fold(case.spoiled, reply.text).strip() != case.right.strip():
        return None
    prefix = _answered(case, system, messages[:1] if messages[0].text == case.prompt.user else ()).input_tokens
    return Cost(fresh=reply.input_tokens - prefix, cached=prefix, out=reply.output_tokens)


def _answered(case: Case, system: str, messages: tuple[Message, ...]) -> Reply:
    request = Request(prompt=case.prompt, system=system, messages=messages, max_output_tokens=100_000)
    return asyncio.run(offline(lambda _prompt: case.right)(request))


def dollars(model: str, cost: Cost) -> float:
    """Return the price of one repair, with the prompt read from the provider's cache."""
    from genai_prices import Usage, calc_price

    tokens = Usage(input_tokens=cost.fresh + cost.cached, cache_read_tokens=cost.cached, output_tokens=cost.out)
    return float(calc_price(tokens, model_ref=model).total_price)


def rows(name: str, cases: Iterable[Case]) -> Iterator[list[object]]:
    """Yield one row per size of answer."""
    found = [(len(c.spoiled), measured(c, Patch()), measured(c, Correction())) for c in cases]
    bands = ((0, PATCH_FROM_CHARS), (PATCH_FROM_CHARS, 2_000), (2_000, 10**9))
    for low, high in bands:
        pairs = [(patch, whole) for size, patch, whole in found if low <= size < high and patch and whole]
        if not pairs:
            continue
        out_patch, out_whole = (median(pair[side].out for pair in pairs) for side in (0, 1))
        shares = [sum(dollars(m, p) for p, _ in pairs) / sum(dollars(m, w) for _, w in pairs) for m in MODELS]
        band = f"{low:,} to {high:,} characters" if high < 10**9 else f"from {low:,} characters"
        saved = f"{1 - out_patch / out_whole:.0%}"
        yield [name, band, len(pairs), out_whole, out_patch, saved, *(f"{share:.2f}" for share in shares)]


def main() -> None:
    announce("The savings of a patch compared with the whole page")
    head = ["answers", "size", "cases", "tokens out, whole", "patch", "saved", *(f"cost ratio, {m}" for m in MODELS)]
    found = [*rows("csharp pages", csharp_cases()), *rows("20 KB files", long_cases())]
    print(table(head, [*found, *rows("pages, every other line wrong", ruined_cases())]))
    print(
        "\nA cost ratio is dollars of all patches over dollars of all whole pages, the prompt read from the cache; it"
        "\nis also the success rate below which a patch, followed by the whole page when it fails, stops paying:"
        f"\nabove 1 it never pays. The engine requests a patch from {PATCH_FROM_CHARS} characters on."
    )


if __name__ == "__main__":
    main()

"""The cost of a session in which some of the edits of a reply fail, compared with four other ways to repair it.

    python benchmarks/edits_corrections.py

The recipe runs with a scripted model: its first reply has wrong quotes in k of n edits, the second one is right. The
floor is the least that any way needs: the prompt twice, all edits once, the failed ones once more, and their messages.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.models.tokens import estimate_tokens
from retouch.recipes.edit import edit_job, recipe
from retouch.testing import scripted
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Request

STEPS = 400
PRICES = {"input": 1.0, "cached": 0.1, "output": 5.0}  # dollars per million tokens, as of a small hosted model
CASES = ((5, 1), (10, 1), (10, 3), (20, 2), (40, 1), (40, 4), (40, 10))
SOURCE = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(STEPS))


@dataclass(frozen=True)
class Call:
    """The tokens of one call: input, the part of it that begins as the first call did, and output."""

    sent: int
    cached: int
    out: int

    def dollars(self, *, cache: bool) -> float:
        cached = self.cached if cache else 0
        fresh = self.sent - cached
        tokens = fresh * PRICES["input"] + cached * PRICES["cached"] + self.out * PRICES["output"]
        return tokens / 1_000_000


def edit(number: int, step: int, *, right: bool) -> str:
    """Return an edit as a model writes it, with a right or a wrong quote of the file."""
    sign = "+" if right else "-"
    find = f"def step_{step}(value):\n    return value {sign} {step}"
    replace = f"def step_{step}(value):\n    return value * {step}  # a product now"
    return f"CHANGE {number}: multiply\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{replace}\n```\n\n"


def session(n: int, k: int) -> tuple[list[Request], str, str]:
    """Run the recipe, and return its requests, the first reply and the correction."""
    from retouch.engine.verbs import generate

    steps = range(3, 3 + 9 * n, 9)
    first = "".join(edit(i, step, right=i > k) for i, step in enumerate(steps, 1))
    second = "".join(edit(i, step, right=True) for i, step in enumerate(steps, 1) if i <= k)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "steps.py").write_text(SOURCE, encoding="utf-8")
        job = edit_job(root, [Path("steps.py")], "Let the steps that the ticket names multiply.")
        model = scripted([first, second])
        result = asyncio.run(generate(recipe, job, root / "run", model))
        text = (root / "run" / "files" / "steps.py").read_text(encoding="utf-8")
    assert (2, n) == (result.calls, text.count("a product now")), result
    return list(model.requests), first, second


def costs(n: int, k: int) -> Iterator[tuple[str, list[Call]]]:
    """Yield the calls of each way."""
    requests, first, second = session(n, k)
    prompt = estimate_tokens(requests[0].system + requests[0].messages[0].text)
    turn = requests[1].messages[0].text.removeprefix(requests[0].messages[0].text)
    messages = turn.partition("### CHANGE")[0]  # the errors alone, without the quoted edits and the instruction
    begin = Call(sent=prompt, cached=0, out=estimate_tokens(first))
    floor = Call(sent=prompt + estimate_tokens(messages), cached=prompt, out=estimate_tokens(second))
    yield "floor", [begin, floor]
    yield "retouch", [begin, Call(sent=prompt + estimate_tokens(turn), cached=prompt, out=estimate_tokens(second))]
    spoken = estimate_tokens(first)
    yield "conversation", [begin, Call(sent=floor.sent + spoken, cached=prompt, out=estimate_tokens(second))]
    # aider has written the edits that fit, so that the file in its next prompt is another one: no cache hit
    yield "aider's way", [begin, Call(sent=floor.sent + spoken, cached=0, out=estimate_tokens(second))]
    yield "all edits again", [begin, Call(sent=floor.sent, cached=0, out=begin.out)]
    yield "the whole file", [begin, Call(sent=floor.sent, cached=0, out=estimate_tokens(SOURCE))]


def main() -> None:
    announce("The cost of a session with k of n edits failing, as a multiple of the floor")
    head = ["n", "k", "floor, tokens in", "tokens out"]
    names = ("retouch", "conversation", "aider's way", "all edits again", "the whole file")
    head += [f"{name}, {how}" for name in names for how in ("no cache", "cache")]
    rows: list[list[object]] = []
    for n, k in CASES:
        found = dict(costs(n, k))
        floor = found["floor"]
        row: list[object] = [n, k, sum(call.sent for call in floor), sum(call.out for call in floor)]
        for name in names:
            for cache in (False, True):
                ratio = sum(c.dollars(cache=cache) for c in found[name]) / sum(c.dollars(cache=cache) for c in floor)
                row.append(f"{ratio:.2f}")
        rows.append(row)
    print(table(head, rows))
    worst = max(float(str(row[column])) for row in rows for column in (4, 5))
    print(f"\nWorst of retouch: {worst:.2f} of the floor (bar: 1.10).")
    sys.exit(worst > 1.1)


if __name__ == "__main__":
    main()

"""The calls and tokens until a run passes with a faulty model, compared with two simpler strategies.

The floor is every page once and every faulty page once more. "All again" repeats the whole run, with new faults, until
one run has none. "Conversation" sends the whole conversation back with all issues, and requests everything again (one
call per turn). Tokens are the offline model's estimates for all three. If a run passes but differs from the right
answers, the difference is a warning, such as `set` for `init`.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from documents import FOLDER, json_names
from metered import RECIPE, assembled, faulty_model, right_answers, without_blanks
from retouch.aio import generate
from retouch.engine.options import RunOptions
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint
from simple_ways import Seen, run_again, whole_conversation
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.ir import Endpoint

RATES = (0.1, 0.2, 0.3)
PASSED = frozenset({"verified", "unverified"})  # no compiler is used, so that a run of ours is never verified
LARGE = ("github.json", "GET /repos/{owner}/{repo}/pulls", 3)
HEAD = (
    *("document", "pages", "rate", "way", "runs", "passed", "reported as failed", "passed, not as asked"),
    *("calls / floor", "worst", "tokens / floor", "worst"),
)


async def by_retouch(endpoint: Endpoint, rate: float, seed: int) -> Seen:
    """Use the engine: only pages with issues are requested again."""
    model = faulty_model(endpoint, rate=rate, seed=seed)
    with tempfile.TemporaryDirectory(prefix="retouch-") as folder:
        way = RunOptions(compiler="none")
        result = await generate(RECIPE, endpoint, Path(folder) / "run", model, way)
        files = {name: (Path(folder) / "run" / name).read_text(encoding="utf-8") for name in result.files}
    right = assembled(endpoint, right_answers(endpoint))
    wrong = result.status in PASSED and any(without_blanks(files[name]) != text for name, text in right.items())
    calls, tokens = model.calls / model.floor_calls, model.tokens / model.floor_tokens
    return Seen(status=result.status, calls=calls, tokens=tokens, wrong=wrong)


WAYS = {"retouch": by_retouch, "all again": run_again, "conversation": whole_conversation}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    arguments = parser.parse_args()
    announce("Convergence of csharp with a faulty model")
    rows: list[list[object]] = []
    for title, endpoints in (("museum, each endpoint", museum()), (f"{LARGE[0]} {LARGE[1]}", [large()])):
        pages = "+".join(str(len(list(RECIPE.plan(endpoint)))) for endpoint in endpoints)
        for rate in RATES:
            for name, way in WAYS.items():
                seeds = range(1, arguments.seeds + 1)
                seen = [asyncio.run(way(endpoint, rate, seed)) for endpoint in endpoints for seed in seeds]
                rows.append([title, pages, rate, name, *_summary(seen)])
    print(table(HEAD, rows))


def museum() -> list[Endpoint]:
    """Return all JSON endpoints of museum.yaml."""
    document = load_document(FOLDER / "museum.yaml")
    style = ReadingOptions(style="connector")
    return [read_endpoint(document, name, style) for name in json_names(document, request=False)]


def large() -> Endpoint:
    """Return an endpoint of about 100 pages."""
    name, operation, fields_per_page = LARGE
    options = ReadingOptions(fields_per_page=fields_per_page, style="connector")
    return read_endpoint(load_document(FOLDER / name), operation, options)


def _summary(seen: Sequence[Seen]) -> list[object]:
    clean = sum(each.status in PASSED for each in seen)
    calls, tokens = [each.calls for each in seen], [each.tokens for each in seen]
    ratios = [statistics.mean(calls), max(calls), statistics.mean(tokens), max(tokens)]
    return [len(seen), clean, len(seen) - clean, sum(each.wrong for each in seen), *ratios]


if __name__ == "__main__":
    main()

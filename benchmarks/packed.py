"""Calls and tokens of `extract` with several records in one request, compared with one record per request.

    python benchmarks/packed.py [--records 100]

The answers are the recipe's offline ones, damaged by `faulty`. A packed part that is damaged by prose or a fence
becomes a JSON string, and must be repaired; alone, it would be read. Figures are means over five seeds.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

import retouch
from retouch.recipes.extract import recipe
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Usage

KINDS = "fence,prose,summary,refusal,empty"
SEEDS = 5
SCHEMA = {
    "type": "object",
    "properties": {
        "company": {"type": "string", "maxLength": 80},
        "invoice": {"type": "string", "maxLength": 20},
        "country": {"enum": ["AT", "BE", "CH", "DE", "FR", "IT", "NL"]},
        "amount": {"type": "number"},
        "paid": {"type": "boolean"},
        "items": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 4},
    },
    "required": ["company", "invoice", "country", "amount", "paid", "items"],
    "additionalProperties": False,
}
SYSTEM = (
    "Each record is one line of an accounting export. Take company names as they are written, without the legal form. "
    "The country is that of the seller. Amounts are in euros, without tax. An invoice is paid if a date of payment is "
    "given, or if it was paid in cash. List at most four items, the dearest first."
)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100)
    records = parser.parse_args().records
    announce("extract: several records in one request")
    rows: list[list[object]] = []
    for rate in (0.0, 0.1, 0.3):
        floor: float | None = None
        for pack in (1, 5, 10, 20):
            found = [_extracted(records, pack, rate, seed) for seed in range(SEEDS if rate else 1)]
            cost = mean(one.input_tokens + 5 * one.output_tokens for one, _ in found)
            floor = floor or cost
            verified = f"{sum(number for _, number in found)} of {records * len(found)}"
            rows.append([f"{rate:.0%}", pack, *_means([one for one, _ in found]), cost / floor, verified])
    print(table(["faults", "pages per request", "calls", "input tokens", "output tokens", "cost", "verified"], rows))


def _means(usages: Sequence[Usage]) -> list[int]:
    return [
        round(mean(one.calls for one in usages)),
        round(mean(one.input_tokens for one in usages)),
        round(mean(one.output_tokens for one in usages)),
    ]


def _extracted(count: int, pack: int, rate: float, seed: int) -> tuple[Usage, int]:
    """Return the usage of one job, and how many of its records are verified."""
    records = [
        {
            "id": str(number),
            "company": f"Company {number}",
            "invoice": f"2026-{number:05}",
            "country": "DE",
            "amount": number * 1.5,
            "paid": number % 2 == 0,
            "items": ["bolts", "nuts"],
        }
        for number in range(count)
    ]
    model = retouch.open_model(f"faulty:offline?rate={rate}&seed={seed}&kinds={KINDS}", recipe=recipe)
    with tempfile.TemporaryDirectory() as scratch:
        result = retouch.extract(
            records,
            schema=SCHEMA,
            prompt="RECORD:\n{{ record | tojson }}",
            model=model,
            key="id",
            system=SYSTEM,
            pack=pack,
            max_dead=count,
            output=Path(scratch) / "job",
        )
        return result.usage, sum(one.status == "verified" for one in result.records)


if __name__ == "__main__":
    main()

"""How good the rules are that the detector infers from random draws of paths, without a model."""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detect import detect
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "paths"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--show", action="store_true", help="print the rule of each corpus's first draw")
    arguments = parser.parse_args()
    announce("The detector")
    heads = ("corpus", "samples", "precision", "recall", "fields", "usable", "ms")
    for samples in (3, 10, 30):
        found = list(rows(samples, arguments.draws, show=arguments.show))
        print(table(heads, [*found, ["mean", samples, *(mean(row[at] for row in found) for at in range(2, 7))]]), "\n")


def rows(samples: int, draws: int, *, show: bool) -> Iterator[list[Any]]:
    for file in sorted(SHARED.glob("*.truth.jsonl")):
        truth: dict[str, Any] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            truth[row["path"]] = row["fields"]
        results = [judged(truth, samples, seed, show=show and not seed) for seed in range(draws)]
        name = file.name.removesuffix(".truth.jsonl")
        yield [name, samples, *(mean(column) for column in zip(*results, strict=True))]


def judged(truth: dict[str, Any], samples: int, seed: int, *, show: bool) -> list[float]:
    """Return precision, recall, share of fields, whether the rule is usable as it is, and milliseconds."""
    matching = [path for path, fields in truth.items() if fields is not None]
    drawn = random.Random(seed).sample(matching, min(samples, len(matching) // 2))
    started = time.process_time()
    best = detect(drawn)[0]
    spent_ms = (time.process_time() - started) * 1000
    taken = {path: apply_rule(best.rule, path) for path in truth}
    matched = [path for path, one in taken.items() if one.status != "UNMATCHED"]
    right = [path for path in matched if truth[path] is not None]
    precision = len(right) / len(matched) if matched else 0.0
    recall = len(right) / len(matching)
    names = {name for path in matching for name in truth[path]}
    good = {name for name in names if any(agree(truth, taken, right, name, field.name) for field in best.rule.fields)}
    if show:
        lost = ", ".join(sorted(names - good))
        print(best.rule.glob.text, [(f.name, f.source, f.pattern, f.type) for f in best.rule.fields], "lost:", lost)
    usable = good == names and precision >= 0.95 and recall >= 0.95
    return [precision, recall, len(good) / len(names), float(usable), spent_ms]


def agree(truth: dict[str, Any], taken: dict[str, Any], right: list[str], name: str, field: str) -> bool:
    same = sum(json.dumps(truth[path].get(name)) == json.dumps(taken[path].values.get(field)) for path in right)
    return bool(right) and same >= 0.98 * len(right)


if __name__ == "__main__":
    main()

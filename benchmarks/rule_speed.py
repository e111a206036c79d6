"""The time to apply a rule: six fields on growing numbers of paths, and paths that do not match, with the reasons."""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import TYPE_CHECKING

from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.applying.near import near_miss
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

RULE = """\
name: pool
glob: 'pool/**/*_*_*.deb'
extract:
  component: {from: segment(-4)}
  source: {from: segment(-2)}
  package: {from: filename, pattern: '^([^_]+)_'}
  major: {from: filename, pattern: '_([0-9]+)', type: integer}
  day: {from: segment(-3), type: date}
  arch: {from: filename, pattern: '_([^_]+)\\.deb$'}
"""
SIZES = (1_000, 10_000, 100_000, 1_000_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--largest", type=int, default=SIZES[-1])
    arguments = parser.parse_args()
    announce("Speed of rules")
    print("CPU seconds, median of the rounds; six fields, one core.\n")
    heads = ("paths", "all fit", "µs a path", "none fits", "why none fits")
    print(table(heads, rows([size for size in SIZES if size <= arguments.largest], arguments.rounds)))


def rows(sizes: list[int], rounds: int) -> Iterator[list[object]]:
    rule = load_rule(RULE)
    for size in sizes:
        fitting = [
            f"pool/main/2024-{n % 12 + 1:02}-03/src{n % 997}/name{n}_{n % 50}.2-1_amd64.deb" for n in range(size)
        ]
        strange = [path.replace("pool/", "Pool/") for path in fitting]
        assert "COMPLETE" == apply_rule(rule, fitting[0]).status
        fit = taken(lambda path: apply_rule(rule, path), fitting, rounds)
        miss = taken(lambda path: apply_rule(rule, path), strange, rounds)
        why = taken(lambda path: near_miss(rule, path), strange[:10_000], rounds) * len(strange) / len(strange[:10_000])
        yield [size, fit, fit / size * 1e6, miss, why]


def taken(act: Callable[[str], object], paths: list[str], rounds: int) -> float:
    times: list[float] = []
    for _ in range(rounds):
        start = time.process_time()
        for path in paths:
            act(path)
        times.append(time.process_time() - start)
    return median(times)


if __name__ == "__main__":
    main()

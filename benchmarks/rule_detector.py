"""The quality of the rules that the detector infers from random samples of paths, without a model.

    python benchmarks/rule_detector.py [--own] [--draws 10] [--left-out] [--peers]

The shared corpora were used during development of the detector. `--own` uses the project's own corpora (real listings
of public projects and of a Debian system) instead. `--left-out` selects the detector's parameters on all corpora but
one and evaluates that one. `--peers` compares it with grex and tdda's rexpy if they are installed. They only infer
expressions, so they are evaluated by the paths that they match.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting import candidates, guesses, layout, uneven
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data" / "paths"
OWN = Path(__file__).with_name("paths")
NUMBERS = {(guesses, "PEER"): (100.0, 150.0, 200.0), (layout, "CERTAIN"): (4, 8, 12), (uneven, "MANY"): (6, 8, 12)}


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Paths with their expected fields, or None if the rule must not match."""

    name: str
    truth: Mapping[str, Mapping[str, Any] | None]

    def drawn(self, samples: int, seed: int) -> list[str]:
        """Return samples of the matching paths, at most half of them."""
        matching = self.matching
        return random.Random(seed).sample(matching, min(samples, len(matching) // 2))

    @property
    def matching(self) -> list[str]:
        """The paths that the rule must match."""
        return [path for path, fields in self.truth.items() if fields is not None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--own", action="store_true", help="use the project's own corpora instead of the shared ones")
    parser.add_argument(
        "--left-out", action="store_true", help="select the parameters on all corpora but the evaluated one"
    )
    parser.add_argument("--peers", action="store_true", help="compare with grex and rexpy")
    arguments = parser.parse_args()
    corpora = [read(file) for file in sorted((OWN if arguments.own else SHARED).glob("*.jsonl"))]
    announce("The detector")
    heads = ("corpus", "samples", "precision", "recall", "fields", "usable", "ms")
    for samples in (3, 10, 30):
        found = list(rows(corpora, samples, arguments.draws, left_out=arguments.left_out))
        print(table(heads, [*found, ["mean", samples, *(mean(row[at] for row in found) for at in range(2, 7))]]), "\n")
    if arguments.peers:
        print(table(("tool", "samples", "precision", "recall", "ms"), peers(corpora, arguments.draws)))


def read(file: Path) -> Corpus:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return Corpus(name=file.name.partition(".")[0], truth={line["path"]: line["fields"] for line in lines})


def rows(corpora: Sequence[Corpus], samples: int, draws: int, *, left_out: bool) -> Iterator[list[Any]]:
    if not left_out:
        yield from ([corpus.name, samples, *evaluated_often(corpus, samples, draws)] for corpus in corpora)
        return
    settings = list(product(*NUMBERS.values()))
    results = {setting: [evaluated_with(setting, corpus, samples, draws) for corpus in corpora] for setting in settings}
    use(tuple(values[1] for values in NUMBERS.values()))
    for at, corpus in enumerate(corpora):
        others = {one: sum(sum(row[:4]) for i, row in enumerate(found) if i != at) for one, found in results.items()}
        yield [corpus.name, samples, *results[max(settings, key=others.__getitem__)][at]]


def evaluated_with(setting: tuple[float, ...], corpus: Corpus, samples: int, draws: int) -> list[float]:
    use(setting)
    return evaluated_often(corpus, samples, draws)


def use(setting: tuple[float, ...]) -> None:
    for (module, name), value in zip(NUMBERS, setting, strict=True):
        setattr(module, name, value)


def evaluated_often(corpus: Corpus, samples: int, draws: int) -> list[float]:
    results = [evaluated(corpus, samples, seed) for seed in range(draws)]
    return [mean(column) for column in zip(*results, strict=True)]


def evaluated(corpus: Corpus, samples: int, seed: int) -> list[float]:
    """Return precision, recall, share of fields, whether the rule is usable unchanged, and milliseconds."""
    truth, matching = corpus.truth, corpus.matching
    drawn = corpus.drawn(samples, seed)
    started = time.process_time()
    best = candidates.detect(drawn)[0]
    spent_ms = (time.process_time() - started) * 1000
    taken = {path: apply_rule(best.rule, path) for path in truth}
    precision, recall = scores_of(corpus, lambda path: taken[path].status != "UNMATCHED")
    right = [path for path in matching if taken[path].status != "UNMATCHED"]
    names = {name for path in matching for name in truth[path] or {}}
    good = {name for name in names if any(agree(truth, taken, right, name, field.name) for field in best.rule.fields)}
    usable = good == names and precision >= 0.95 and recall >= 0.95
    return [precision, recall, len(good) / len(names), float(usable), spent_ms]


def agree(
    truth: Mapping[str, Mapping[str, Any] | None], taken: dict[str, Any], right: list[str], name: str, field: str
) -> bool:
    wanted = {path: (truth[path] or {}).get(name) for path in right}
    same = sum(json.dumps(wanted[path]) == json.dumps(taken[path].values.get(field)) for path in right)
    return bool(right) and same >= 0.98 * len(right)


def scores_of(corpus: Corpus, takes: Callable[[str], bool]) -> tuple[float, float]:
    """Return precision and recall of the paths that a test matches."""
    matched = [path for path in corpus.truth if takes(path)]
    right = sum(corpus.truth[path] is not None for path in matched)
    return (right / len(matched) if matched else 0.0), right / len(corpus.matching)


def peers(corpora: Sequence[Corpus], draws: int) -> Iterator[list[Any]]:
    tools = {"retouch": expression_free, "grex 1.0": with_grex, "rexpy (tdda)": with_rexpy}
    needs = {"grex 1.0": "grex", "rexpy (tdda)": "tdda"}
    for name, infer in tools.items():
        if name in needs and find_spec(needs[name]) is None:
            print(f"{name} is not installed, so it is skipped")
            continue
        for samples in (10, 30):
            found = [peer(corpus, infer, samples, seed) for corpus, seed in product(corpora, range(draws))]
            yield [name, samples, *(mean(column) for column in zip(*found, strict=True))]


def peer(corpus: Corpus, infer: Callable[[list[str]], Callable[[str], bool]], samples: int, seed: int) -> list[float]:
    drawn = corpus.drawn(samples, seed)
    started = time.process_time()
    takes = infer(drawn)
    spent_ms = (time.process_time() - started) * 1000
    return [*scores_of(corpus, takes), spent_ms]


def expression_free(drawn: list[str]) -> Callable[[str], bool]:
    rule = candidates.detect(drawn)[0].rule
    return lambda path: apply_rule(rule, path).status != "UNMATCHED"


def with_grex(drawn: list[str]) -> Callable[[str], bool]:
    builder: Any = import_module("grex").RegExpBuilder
    text: str = builder.from_test_cases(drawn).with_conversion_of_digits().with_conversion_of_words().build()
    pattern = re.compile(text)
    return lambda path: pattern.fullmatch(path) is not None


def with_rexpy(drawn: list[str]) -> Callable[[str], bool]:
    texts: list[str] = import_module("tdda.rexpy").extract(drawn)
    patterns = [re.compile(text) for text in texts]
    return lambda path: any(pattern.fullmatch(path) for pattern in patterns)


if __name__ == "__main__":
    main()

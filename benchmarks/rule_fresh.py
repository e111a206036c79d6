"""The quality of rules that are inferred from 30 lines of a listing, with the noise that the listing has.

    python benchmarks/rule_fresh.py [--draws 3] [--example] [--first] [--peers] [--show CORPUS]

All lines of a corpus are drawn from, also those that no rule must match. A rule is usable if it gives every expected
field (by value, on at least 98 % of the paths that it matches), with precision and recall of at least .95 on the whole
corpus. It is silently wrong if it is not usable and nothing is reported as open. `--example` adds one labelled path.
`--first` uses the first 30 lines of the sorted listing instead of random ones. `--listings` adds listings of your own:
a file of JSON lines each, with `path` and `fields`, null if no rule must match the path. Or it names one file, such as
`benchmarks/listings/V1.jsonl.gz`, whose lines also name their `listing`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import time
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, TypeAlias

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting import cost, groups, guesses
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.language.render import render_rule
from rule_listings import DEVELOPED, DEVELOPED_LATER, KEPT, KEPT_LATER, made
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PLACES = {"paths": SHARED / "paths", "paths2": SHARED / "paths2", "own": Path(__file__).with_name("paths")}
MADE = {"made": DEVELOPED, "kept": KEPT, "later": DEVELOPED_LATER, "kept_later": KEPT_LATER}
ASIDE = ("kept", "kept_later")  # listings that no rule was developed on, and by which no number is chosen
SAMPLES = 30
HEADS = ("corpus", "precision", "recall", "fields", "usable", "silently wrong", "not asked about", "ms")
NUMBERS = {(cost, "LEFT_OUT"): (10.0, 40.0), (guesses, "PEER"): (100.0, 200.0), (groups, "SMALLEST"): (0.34, 0.5)}


@dataclass(frozen=True, kw_only=True)
class Listing:
    """The lines of a listing with their expected fields, or None if no rule must match the line."""

    name: str
    truth: dict[str, dict[str, Any] | None]


def listings(place: str) -> list[Listing]:
    found = [Listing(name=f"{place}/{one.__name__}", truth=made(one)) for one in MADE.get(place, ())]
    if place in PLACES and PLACES[place].is_file():
        return [Listing(name=f"{place}/{name}", truth=truth) for name, truth in sorted(_packed(PLACES[place]).items())]
    files = sorted(PLACES[place].glob("*.jsonl")) if place in PLACES else []
    for file in files:
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        name = f"{place}/{file.name.partition('.')[0]}"
        found.append(Listing(name=name, truth={line["path"]: line["fields"] for line in lines}))
    return found


def _packed(file: Path) -> dict[str, dict[str, dict[str, Any] | None]]:
    """Return the listings of a compressed file by their names."""
    found: dict[str, dict[str, dict[str, Any] | None]] = {}
    for line in gzip.decompress(file.read_bytes()).decode("utf-8").splitlines():
        one = json.loads(line)
        found.setdefault(one["listing"], {})[one["path"]] = one["fields"]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--example", action="store_true", help="add one labelled path")
    parser.add_argument("--first", action="store_true", help="use the first lines of the sorted listing")
    parser.add_argument("--show", help="print the rule of one corpus and what is wrong with it")
    parser.add_argument("--place", choices=[*PLACES, *MADE, "listings"], action="append")
    parser.add_argument(
        "--listings", type=Path, help="listings of your own: a directory, or one file (place: listings)"
    )
    parser.add_argument("--peers", action="store_true", help="compare with other tools on the same draws")
    parser.add_argument(
        "--left-out", action="store_true", help="choose the numbers on all corpora but the evaluated one"
    )
    arguments = parser.parse_args()
    if arguments.listings is not None:
        PLACES["listings"] = arguments.listings
    announce("Rules from 30 lines of a listing")
    if arguments.peers:
        heads = ("tool", "precision", "recall", "fields", "usable", "ms")
        print(table(heads, list(peers(arguments.draws, first=arguments.first))))
        return
    if arguments.left_out:
        print(table(HEADS, list(left_out(arguments.draws, first=arguments.first, example=arguments.example))))
        return
    rows: list[list[Any]] = []
    for place in arguments.place or (*PLACES, *MADE):
        for listing in listings(place):
            if arguments.show and arguments.show not in listing.name:
                continue
            draws = 1 if arguments.first else arguments.draws
            scores = [
                scored(listing, seed, first=arguments.first, example=arguments.example, show=bool(arguments.show))
                for seed in range(draws)
            ]
            rows.append([listing.name, *(mean(column) for column in zip(*scores, strict=True))])
    total = ["mean", *(mean(row[at] for row in rows) for at in range(1, 8))]
    print(table(HEADS, [*rows, total]))


def left_out(draws: int, *, first: bool, example: bool) -> Iterator[list[Any]]:
    """Yield the scores of each corpus with the numbers that are best on all others, and the mean."""
    places = [place for place in (*PLACES, *MADE) if place not in ASIDE]
    corpora = [one for place in places for one in listings(place)]
    results: dict[tuple[float, ...], list[list[float]]] = {}
    for setting in product(*NUMBERS.values()):
        for (module, name), value in zip(NUMBERS, setting, strict=True):
            setattr(module, name, value)
        rounds = [
            [scored(one, seed, first=first, example=example, show=False) for seed in range(1 if first else draws)]
            for one in corpora
        ]
        results[setting] = [[mean(column) for column in zip(*scores, strict=True)] for scores in rounds]
    rows: list[list[Any]] = []
    for at, corpus in enumerate(corpora):
        others = {
            setting: sum(sum(row[:4]) for number, row in enumerate(found) if number != at)
            for setting, found in results.items()
        }
        rows.append([corpus.name, *results[max(others, key=others.__getitem__)][at]])
    yield from rows
    for place in (*places, ""):
        chosen = [row for row in rows if row[0].startswith(f"{place}/" if place else "")]
        yield [f"mean {place}".strip(), *(mean(row[at] for row in chosen) for at in range(1, 8))]


def scored(listing: Listing, seed: int, *, first: bool, example: bool, show: bool) -> list[float]:
    lines = sorted(listing.truth) if first else list(listing.truth)
    count = min(SAMPLES, max(len(lines) // 2, 3))  # so that a rest is left
    drawn = lines[:count] if first else random.Random(seed).sample(lines, count)
    started = time.process_time()
    best = detected(listing, drawn, example=example)
    spent_ms = (time.process_time() - started) * 1000
    taken = {path: apply_rule(best.rule, path) for path in listing.truth}
    matched = [path for path in listing.truth if taken[path].status != "UNMATCHED"]
    matching = [path for path, fields in listing.truth.items() if fields is not None]
    right = [path for path in matched if listing.truth[path] is not None]
    precision, recall = len(right) / max(len(matched), 1), len(right) / len(matching)
    if first:
        rest = [path for path in matching if path not in set(drawn)]
        recall = sum(taken[path].status != "UNMATCHED" for path in rest) / max(len(rest), 1)
    names = list(dict.fromkeys(name for path in matching for name in listing.truth[path] or {}))
    got = dict.fromkeys(name for path in right for name in taken[path].values)
    good = {name: next((one for one in got if agrees(listing, taken, right, name, one)), None) for name in names}
    share = sum(one is not None for one in good.values()) / max(len(names), 1)
    usable = share == 1 and precision >= 0.95 and recall >= 0.95
    if show:
        print_details(listing, best, taken, good, drawn)
    unasked = [] if usable else not_asked(listing, best, taken, good, drawn)
    if show:
        print("not asked about:", unasked)
    return [precision, recall, share, float(usable), float(not usable and silent(best)), float(bool(unasked)), spent_ms]


def not_asked(
    listing: Listing, best: Any, taken: dict[str, Any], good: dict[str, str | None], drawn: list[str]
) -> list[str]:
    """Return what is wrong with a rule without an open question that leads to it."""
    asked = {one.key for one in best.assumptions if one.open}
    missing = [name for name, field in good.items() if field is None]
    found = [f"field {name}" for name in missing if not about_field(listing, best, taken, name, drawn)]
    data = [path for path, fields in listing.truth.items() if fields is not None]
    missed = [path for path in data if taken[path].status == "UNMATCHED"]
    if len(missed) > 0.05 * len(data) and not about_missed(missed, drawn, asked):
        found.append(f"recall, for example {missed[0]}")
    extra = [path for path, fields in listing.truth.items() if fields is None and taken[path].status != "UNMATCHED"]
    matched = sum(one.status != "UNMATCHED" for one in taken.values())
    if len(extra) > 0.05 * matched and not asked & {"left", "shape:2", "endings", "loose"}:
        found.append(f"precision, for example {extra[0]}")
    return found


def about_missed(missed: list[str], drawn: list[str], asked: set[str]) -> bool:
    """Return whether a question names samples that were left out, a word that missed paths lack, or the list's head."""
    words = [key.partition(":")[2] for key in asked if key.startswith("fixed:")]
    lacking = sum(any(word not in path for word in words) for path in missed)
    return bool(
        (asked & {"left", "shape:2"} and set(missed) & set(drawn))
        or asked & {"head", "few"}
        or lacking * 2 > len(missed)
    )


def about_field(listing: Listing, best: Any, taken: dict[str, Any], name: str, drawn: list[str]) -> bool:
    """Return whether a question leads to a field: it names the constant, or a column that holds it or is part of it."""
    asked = {one.key for one in best.assumptions if one.open}
    rows = [(path, fields[name]) for path in drawn if (fields := listing.truth[path]) and fields.get(name) is not None]
    rows = [(path, value) for path, value in rows if taken[path].status != "UNMATCHED"]
    if not rows or any(key.startswith("example:") for key in asked):
        return bool(asked)  # no sample shows it, so that the samples are asked about
    keys = {key.partition(":")[2] for key in asked if key.partition(":")[0] in {"whole", "zeros", "date", "apart"}}
    fixed = " ".join(one.question for one in best.assumptions if one.open and one.kind == "fixed")
    literal = best.rule.glob.text.removeprefix("**/")
    led = 0
    for path, value in rows:
        text = str(value)
        columns = {field for field, one in taken[path].values.items() if one is not None and related(str(one), text)}
        above = "above" in asked and text in path.rpartition("/")[0] and text not in literal and not columns
        led += bool(columns & keys or any(one in fixed for one in re.findall("[0-9A-Za-z]+", text)) or above)
        led += bool(best.questions and columns and not columns & keys)
    return led * 2 > len(rows)


def related(one: str, other: str) -> bool:
    """Return whether a text holds the other, or both are the same number or date."""
    short, long = sorted((re.sub("[^0-9A-Za-z]", "", text).lstrip("0") for text in (one, other)), key=len)
    return short in long


def detected(listing: Listing, drawn: list[str], *, example: bool) -> Any:
    if not example:
        return detect(drawn)[0]
    labelled = next(path for path in drawn if listing.truth[path] is not None)
    return detect(drawn, examples={labelled: listing.truth[labelled] or {}})[0]


Tool: TypeAlias = "Callable[[list[str]], Callable[[str], dict[str, Any] | None]]"


def peers(draws: int, *, first: bool) -> Iterator[list[Any]]:
    """Yield the mean scores of each tool over all corpora and draws."""
    tools: dict[str, Tool] = {
        "retouch": by_retouch,
        "grex": by_grex,
        "rexpy (tdda)": by_rexpy,
        "DuckDB hive_partitioning": by_hive,
        "split on separators": by_separators,
    }
    corpora = [one for place in (*PLACES, *MADE) for one in listings(place)]
    for name, tool in tools.items():
        try:
            rows = [
                peer_scores(one, tool, seed, first=first) for one in corpora for seed in range(1 if first else draws)
            ]
        except ImportError as error:
            print(f"{name} is skipped: {error}\n")
            continue
        yield [name, *(mean(column) for column in zip(*rows, strict=True))]


def peer_scores(listing: Listing, tool: Tool, seed: int, *, first: bool) -> list[float]:
    lines = sorted(listing.truth) if first else list(listing.truth)
    count = min(SAMPLES, max(len(lines) // 2, 3))
    drawn = lines[:count] if first else random.Random(seed).sample(lines, count)
    started = time.process_time()
    takes = tool(drawn)
    spent_ms = (time.process_time() - started) * 1000
    taken = {path: takes(path) for path in listing.truth}
    data = [path for path, fields in listing.truth.items() if fields is not None]
    matched = [path for path, values in taken.items() if values is not None]
    right = [path for path in matched if listing.truth[path] is not None]
    rest = [path for path in data if not first or path not in set(drawn)]
    precision, recall = len(right) / max(len(matched), 1), len({*right} & {*rest}) / max(len(rest), 1)
    names = list(dict.fromkeys(name for path in data for name in listing.truth[path] or {}))
    got = dict.fromkeys(name for path in right for name in taken[path] or {})
    good = sum(any(same_text(listing, taken, right, name, one) for one in got) for name in names)
    share = good / max(len(names), 1)
    return [precision, recall, share, float(share == 1 and precision >= 0.95 and recall >= 0.95), spent_ms]


def same_text(listing: Listing, taken: dict[str, Any], right: list[str], name: str, field: str) -> bool:
    """Return whether a field has the wanted values, also if it is text where a number or a date is wanted."""
    values: dict[str, dict[str, Any]] = {path: taken[path] or {} for path in right}
    plain = [(str((listing.truth[path] or {}).get(name)), str(values[path].get(field))) for path in right]
    same = sum(one == other or (one.isdigit() and one == (other.lstrip("0") or "0")) for one, other in plain)
    return bool(right) and same >= 0.98 * len(right)


def by_retouch(drawn: list[str]) -> Callable[[str], dict[str, Any] | None]:
    rule = detect(drawn)[0].rule

    def takes(path: str) -> dict[str, Any] | None:
        found = apply_rule(rule, path)
        return dict(found.values) if found.status != "UNMATCHED" else None

    return takes


def by_grex(drawn: list[str]) -> Callable[[str], dict[str, Any] | None]:
    builder: Any = import_module("grex").RegExpBuilder
    text: str = builder.from_test_cases(drawn).with_conversion_of_digits().with_conversion_of_words().build()
    pattern = re.compile(text)
    return lambda path: {} if pattern.fullmatch(path) else None


def by_rexpy(drawn: list[str]) -> Callable[[str], dict[str, Any] | None]:
    texts: list[str] = import_module("tdda.rexpy").extract(drawn)
    patterns = [re.compile(text) for text in texts]

    def takes(path: str) -> dict[str, Any] | None:
        found = next((one for pattern in patterns if (one := pattern.fullmatch(path))), None)
        return {str(at): value for at, value in enumerate(found.groups())} if found else None

    return takes


def by_hive(_drawn: list[str]) -> Callable[[str], dict[str, Any] | None]:
    """Take what DuckDB's option takes: key=value directories. It needs no samples."""
    return lambda path: dict(one.split("=", 1) for one in path.split("/")[:-1] if "=" in one) or None


def by_separators(drawn: list[str]) -> Callable[[str], dict[str, Any] | None]:
    """Split at each separator; a path matches if it has the separators of most samples."""
    marks = Counter("".join(re.findall("[-/_.=]", path)) for path in drawn).most_common(1)[0][0]

    def takes(path: str) -> dict[str, Any] | None:
        if "".join(re.findall("[-/_.=]", path)) != marks:
            return None
        return {str(at): value for at, value in enumerate(re.split("[-/_.=]", path))}

    return takes


def silent(best: Any) -> bool:
    """Return whether nothing is reported as open."""
    return not best.questions and not any(one.open for one in best.assumptions)


def agrees(listing: Listing, taken: dict[str, Any], right: list[str], name: str, field: str) -> bool:
    wanted = {path: (listing.truth[path] or {}).get(name) for path in right}
    same = sum(json.dumps(wanted[path]) == json.dumps(taken[path].values.get(field)) for path in right)
    return bool(right) and same >= 0.98 * len(right)


def print_details(listing: Listing, best: Any, taken: dict[str, Any], good: dict[str, Any], drawn: list[str]) -> None:
    print(f"== {listing.name}\n" + "\n".join(drawn[:6]))
    print(render_rule(best.rule))
    print("questions", best.questions, "\nassumptions", getattr(best, "assumptions", ()))
    print("noise", getattr(best, "noise", ()))
    print("fields", good)
    wrong = [path for path, one in taken.items() if (one.status == "UNMATCHED") is (listing.truth[path] is not None)]
    for path in wrong[:8]:
        print("  wrong:", path, listing.truth[path])
    for name in (name for name, field in good.items() if field is None):
        rows = [(path, fields[name]) for path in drawn if (fields := listing.truth[path]) and name in fields]
        for path, value in rows[:3]:
            print("  missing", name, path, value, dict(taken[path].values))


if __name__ == "__main__":
    main()

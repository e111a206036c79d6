"""Checks every JSON operation of every document: does it resolve, are perfect answers accepted, do they compile?"""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from documents import Answered, Source, answered, chosen, endpoints, json_names, load
from retouch.engine.options import RunOptions
from retouch.errors import RetouchError
from retouch.recipes.csharp.compilers.check import check
from tables import announce, table

if TYPE_CHECKING:
    from retouch.engine.types import Issue
    from retouch.recipes.csharp.ir import Endpoint


@dataclass(kw_only=True)
class Count:
    """The results for one document."""

    operations: int = 0
    resolved: int = 0
    types: int = 0
    pages: int = 0
    clean: int = 0
    compiled: int = 0
    compiled_clean: int = 0
    seconds: float = 0.0
    compile_s: float = 0.0
    problems: list[str] = field(default_factory=list[str])


def main() -> None:
    arguments = _arguments()
    announce("Correctness of csharp on public documents")
    rows: list[list[object]] = []
    problems: list[str] = []
    for source in chosen(arguments.documents):
        count = counted(source, sample=0 if arguments.no_compiler else arguments.sample, seed=arguments.seed)
        known = f"{count.operations} of {source.known}" if source.known else count.operations
        checked = f"{count.compiled_clean} of {count.compiled}"
        sizes = [count.types, count.pages, count.seconds, checked, count.compile_s]
        rows.append([source.name, known, count.resolved, count.clean, *sizes])
        problems += count.problems
        print(f"- {source.name} done", flush=True)
    head = ["document", "JSON operations", "resolved", "clean in tiers 1-2", "types", "pages", "s"]
    print("\n" + table([*head, "clean with Roslyn", "s Roslyn"], rows))
    for problem in problems[: arguments.show]:
        print(f"- {problem}")
    if len(problems) > arguments.show:
        print(f"- and {len(problems) - arguments.show} more")


def counted(source: Source, *, sample: int, seed: int) -> Count:
    """Return the results: all operations in tiers 1 and 2, and a random sample of them with a compiler."""
    count, began = Count(), time.perf_counter()
    document = load(source)
    names = json_names(document, request=source.request)
    count.operations = len(names)
    compiled = set(Random(seed).sample(names, min(sample, len(names))))
    waiting: list[tuple[str, Endpoint, Answered]] = []
    for name, endpoint in endpoints(source, document, names):
        if isinstance(endpoint, RetouchError):
            count.problems.append(f"{source.name} {name}: {endpoint.message}")
            continue
        made = answered(endpoint)
        _tally(count, source, name, endpoint, made)
        if name in compiled:
            waiting.append((name, endpoint, made))
    count.seconds = time.perf_counter() - began
    for name, endpoint, made in waiting:
        _compile(count, source, name, endpoint, made)
    count.compile_s = time.perf_counter() - began - count.seconds
    return count


def _tally(count: Count, source: Source, name: str, endpoint: Endpoint, made: Answered) -> None:
    count.resolved += 1
    count.types += len(endpoint.types)
    count.pages += made.pages
    bad = [issue for issue in made.issues if issue.severity != "info"]
    missing = [type_.name for type_ in endpoint.types if type_.name not in made.values]
    count.clean += not bad and not missing
    count.problems += [_said(source, name, issue) for issue in bad[:1]]
    count.problems += [f"{source.name} {name}: {unit} cannot be read" for unit in missing[:1]]


def _compile(count: Count, source: Source, name: str, endpoint: Endpoint, made: Answered) -> None:
    issues = asyncio.run(check(endpoint, made.values, RunOptions(compiler="roslyn")))
    count.compiled += 1
    count.compiled_clean += not issues
    count.problems += [_said(source, name, issue) for issue in issues[:1]]


def _said(source: Source, name: str, issue: Issue) -> str:
    return f"{source.name} {name}: {issue.unit} [{issue.code}] {issue.message} {dict(issue.detail)}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*", help="file names (default: all)")
    parser.add_argument("--sample", type=int, default=40, help="number of compiled endpoints per document")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--no-compiler", action="store_true")
    parser.add_argument("--show", type=int, default=20, help="number of printed problems")
    return parser.parse_args()


if __name__ == "__main__":
    main()

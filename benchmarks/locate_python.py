"""How often the functions that a fix of a public Python project changed are found from the text about it.

    python benchmarks/locate_python.py REPOSITORIES --work DIRECTORY [--most N] [--fit]

REPOSITORIES has git directories named OWNER+NAME. A case is a commit whose message speaks of a fix and that changes one
to five functions outside of tests. The sources are those of its parent. Two kinds of input: the commit message, and, if
the commit changes a test, the failing test as pytest prints it: its name, its code, and the place. The tests are not
run, so there is no traceback and no message of an assertion. A case is found if one of the changed functions is among
the first N. `--fit` chooses the weights by coordinate search on all other repositories than the one that is measured.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from retouch.locate.index import SpanIndex
from retouch.locate.languages.python import python
from retouch.locate.prose import read_text_evidence
from retouch.locate.text_ranking import TextQuery, TextWeights, fuse_signals, signals
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FIX = re.compile(r"\b(?:fix(?:e[sd])?|bug|regression|crash|error|wrong|incorrect)\b", re.IGNORECASE)
HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
TOPS = (1, 3, 5, 10)
STEPS = (0.0, 0.2, 0.4, 0.7, 1.0, 1.5, 2.0)
BM25 = TextWeights(words=1.0, name=0.0, mention=0.0, path=0.0, file=0.0, frame=0.0, called=0.0)
MOST_FUNCTIONS = 5


@dataclass(frozen=True, kw_only=True)
class TextCase:
    """One input: the repository, the kind of text, the signals of each function, and the right functions."""

    repository: str
    kind: str
    query: TextQuery
    found: Mapping[str, Mapping[str, float]]
    right: frozenset[str]

    def rank(self, weights: TextWeights) -> int:
        """Return the rank of the first right function, 0 if none is found."""
        fused = fuse_signals(self.query, self.found, weights)
        best = max((fused.get(one, 0.0) for one in self.right), default=0.0)
        return 1 + sum(score > best for score in fused.values()) if best else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--only", nargs="+", default=[], metavar="OWNER+NAME")
    parser.add_argument("--work", type=Path, required=True, help="a directory for the checked out sources")
    parser.add_argument("--most", type=int, default=60, help="commits per repository")
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    announce("Python fix commits")
    cases: list[TextCase] = []
    for place in sorted(given.repositories.iterdir()):
        git = next((one for one in (place / "repo", place) if one.is_dir()), place)
        if place.name in given.only:
            cases += cases_of(git, place.name, given.work / place.name, given.most)
    show(cases, TextWeights(), "retouch")
    show(cases, BM25, "BM25 only")
    if given.fit:
        show_fit(cases)


def show(cases: Sequence[TextCase], weights: TextWeights, name: str) -> None:
    """Print a table of one way to rank."""
    rows: list[list[Any]] = []
    for kind in dict.fromkeys(case.kind for case in cases):
        some = [case for case in cases if case.kind == kind]
        ranks = [case.rank(weights) for case in some]
        rows.append([name, kind, len(some), *(mean(0 < one <= top for one in ranks) for top in TOPS)])
        for repository in dict.fromkeys(case.repository for case in some):
            own = [rank for rank, case in zip(ranks, some, strict=True) if case.repository == repository]
            rows.append(["", f"  {repository}", len(own), *(mean(0 < one <= top for one in own) for top in TOPS)])
    print(table(("way", "input", "cases", *(f"top-{top}" for top in TOPS)), rows), "\n", flush=True)


def show_fit(cases: Sequence[TextCase]) -> None:
    """Print the weights that are best for all cases, and the figures with each repository left out."""
    ranks: dict[str, list[int]] = {}
    for repository in dict.fromkeys(case.repository for case in cases):
        weights = fitted([case for case in cases if case.repository != repository])
        for case in cases:
            if case.repository == repository:
                ranks.setdefault(case.kind, []).append(case.rank(weights))
    rows = [[kind, len(some), *(mean(0 < one <= top for one in some) for top in TOPS)] for kind, some in ranks.items()]
    print(table(("left out", "cases", *(f"top-{top}" for top in TOPS)), rows), "\n")
    print("all:", fitted(cases), flush=True)


def fitted(cases: Sequence[TextCase]) -> TextWeights:
    """Return the best weights by coordinate search: top-10 plus half of the reciprocal rank, each kind alike."""
    kinds = {kind: [case for case in cases if case.kind == kind] for kind in {case.kind for case in cases}}

    def worth(weights: TextWeights) -> float:
        return mean(
            mean((0 < r <= 10) + 0.5 / r if r else 0.0 for r in (c.rank(weights) for c in some))
            for some in kinds.values()
        )

    best, most = TextWeights(), worth(TextWeights())
    for _ in range(2):
        for name in vars(best):
            for value in STEPS:
                other = replace(best, **{name: value})
                if (found := worth(other)) > most:
                    best, most = other, found
    return best


def git_output(git: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(git), *words], capture_output=True, check=True).stdout.decode(
        "utf-8", "replace"
    )


def cases_of(git: Path, name: str, work: Path, most: int) -> Iterator[TextCase]:
    """Yield the cases of a repository, oldest first, so that the index only reads what each commit changes."""
    work.mkdir(parents=True, exist_ok=True)
    index = SpanIndex(work, front=python())
    commits = git_output(git, "log", "--no-merges", "--format=%H%x00%s", "HEAD").splitlines()
    fixes = [line.split("\0")[0] for line in commits if FIX.search(line.split("\0")[1])]
    chosen: list[str] = []
    for commit in fixes:
        if len(chosen) == most:
            break
        files = [
            one
            for one in git_output(git, "diff", "--name-only", f"{commit}^", commit).splitlines()
            if one.endswith(".py")
        ]
        code = [one for one in files if not is_test(one)]
        if 0 < len(code) <= 3 and len(files) <= 8:
            chosen.append(commit)
    spent: list[float] = []
    for commit in reversed(chosen):
        _check_out(git, f"{commit}^", work)
        started = time.perf_counter()
        index.build(tests=True)
        spent.append(time.perf_counter() - started)
        yield from _cases_of_commit(git, name, commit, index)
    print(
        f"{name}: {len(chosen)} commits, index {max(spent, default=0):.1f} s, then {mean(spent or [0]):.2f} s",
        file=sys.stderr,
    )


def _check_out(git: Path, commit: str, work: Path) -> None:
    """Write the Python files of a commit, and remove those that it does not have. The repository is not changed."""
    wanted = set(git_output(git, "ls-tree", "-r", "--name-only", commit).splitlines())
    words = ["git", "-C", str(git), f"--work-tree={work}", "checkout", "-q", "-f", commit, "--", "*.py"]
    environment = {**os.environ, "GIT_INDEX_FILE": str(work / ".index")}
    subprocess.run(words, check=True, env=environment)
    for path in work.rglob("*.py"):
        if path.relative_to(work).as_posix() not in wanted:
            path.unlink()


def is_test(path: str) -> bool:
    return bool(re.search(r"(?:^|/)tests?/|(?:^|/)(?:test_|conftest)[^/]*$", path))


def _cases_of_commit(git: Path, name: str, commit: str, index: SpanIndex) -> Iterator[TextCase]:
    diff = git_output(git, "diff", "-U0", "--no-color", f"{commit}^", commit, "--", "*.py")
    parts = re.split(r"^diff --git a/(\S+) b/\S+$", diff, flags=re.MULTILINE)[1:]
    changed = dict(zip(parts[::2], parts[1::2], strict=True))
    message = git_output(git, "log", "-1", "--format=%B", commit)
    probe = TextQuery(evidence=read_text_evidence(message), index=index)
    right = {one for path, hunks in changed.items() if not is_test(path) for one in _functions(probe, path, hunks)}
    if not 0 < len(right) <= MOST_FUNCTIONS:
        return
    texts = {"commit message": message}
    failing = [
        found for path, hunks in changed.items() if is_test(path) for found in _failing(git, commit, path, hunks)
    ]
    if failing:
        texts["failing test"] = "\n".join(failing[:3])
    for kind, text in texts.items():
        query = TextQuery(evidence=read_text_evidence(text), index=index)
        case = TextCase(repository=name, kind=kind, query=query, found=signals(query), right=frozenset(right))
        object.__setattr__(case, "query", _Light(frozenset(query.functions)))
        yield case


@dataclass(frozen=True)
class _Light:
    """The functions of a query. The index changes with the next commit, so only this is kept."""

    functions: frozenset[str]


def _functions(query: TextQuery, path: str, hunks: str) -> Iterator[str]:
    for found in HUNK.finditer(hunks):
        first, count = int(found[1]), int(found[2] or 1)
        for line in range(first, first + max(count, 1)):
            for one, span in query.functions.items():
                if span.file == path and span.start_line <= line <= span.end_line:
                    yield one


def _failing(git: Path, commit: str, path: str, hunks: str) -> Iterator[str]:
    """Yield pytest's output for each changed test function: its name, its code, and the place of the last new line."""
    try:
        text = git_output(git, "show", f"{commit}:{path}")
        tree = ast.parse(text)
    except (subprocess.CalledProcessError, SyntaxError, ValueError):
        return
    lines = text.split("\n")
    added = [
        line for found in HUNK.finditer(hunks) for line in range(int(found[3]), int(found[3]) + int(found[4] or 1))
    ]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            inside = [line for line in added if node.lineno <= line <= (node.end_lineno or 0)]
            if inside:
                body = "\n".join(f"    {line}" for line in lines[node.lineno - 1 : node.end_lineno])
                place = f"{path}:{max(inside)}: AssertionError\nFAILED {path}::{node.name}"
                yield f"___ {node.name} ___\n\n{body}\n\n{place}"


if __name__ == "__main__":
    main()

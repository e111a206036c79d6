"""Edits of the public corpus and git history: correct, refused, WRONG or partial, compared with two other engines.

The corpus is ../shared/data/edits. Texts of real and history cases are unpacked with the tool unpack_corpus.py into a
copy of the data directory: --corpus COPY/edits. History cases are created by that directory's make_history_corpus.py
from any git repository: --history is a directory with its *.jsonl and blobs/, and with the corpus's two Python files.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections import Counter
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING

from edits_cases import CORPUS, Came, Case, cases, passes, verdict
from retouch.edits import apply_reply
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Engine = Callable[[Case], Came]

HEAD = ("cases", "engine", "count", "correct", "near", "refused", "partial", "WRONG", "CPU ms p50", "p95")
WORKER = Path(__file__).with_name("edits_aider.py")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--history", type=Path, help="a directory of new history cases")
    parser.add_argument("--aider", help="a Python with aider-chat installed")
    arguments = parser.parse_args()
    announce("Edits over the corpus and git history")
    found = [*cases(arguments.corpus)] + ([*cases(arguments.history)] if arguments.history else [])
    engines: dict[str, Engine] = {"retouch": retouch, "unique str.replace": replace_unique}
    came = {name: [engine(case) for case in found] for name, engine in engines.items()}
    if arguments.aider:
        came["aider-chat blocks"] = aider(arguments.aider, found)
    print(table(HEAD, rows(found, came)))
    corpus = [(case, one) for case, one in zip(found, came["retouch"], strict=True) if case.group == "corpus"]
    print(f"\nCorpus pass rule (cases with files): {sum(passes(*pair) for pair in corpus)} of {len(corpus)}.")
    whole = [passes(case, one) for case, one in zip(found, came["retouch"], strict=True)]
    print(f"All cases: {sum(whole)} of {len(whole)} pass.")
    print("\n" + table(("kind of history", "count", "correct", "near", "refused", "WRONG"), by_kind(found, came)))
    for case, one in zip(found, came["retouch"], strict=True):
        if verdict(case, one) in {"WRONG", "partial"}:
            print(f"\n{verdict(case, one)}: {case.name}")


def rows(found: Sequence[Case], came: dict[str, list[Came]]) -> Iterator[list[object]]:
    """Return one row for each group and engine, with shares in percent."""
    for group in dict.fromkeys(case.group for case in found):
        for engine, results in came.items():
            pairs = [(case, one) for case, one in zip(found, results, strict=True) if case.group == group]
            said = Counter(verdict(case, one) for case, one in pairs)
            p50, p95 = spread([one.ms for _, one in pairs])
            shares = [f"{100 * said[name] / len(pairs):.1f} %" for name in ("correct", "near", "refused", "partial")]
            yield [group, engine, len(pairs), *shares, said["WRONG"], p50, p95]


def by_kind(found: Sequence[Case], came: dict[str, list[Came]]) -> Iterator[list[object]]:
    """Return retouch's results for each perturbation."""
    pairs = [pair for pair in zip(found, came["retouch"], strict=True) if pair[0].group != "corpus"]
    for kind in sorted({case.kind for case, _ in pairs}):
        said = Counter(verdict(case, one) for case, one in pairs if case.kind == kind)
        yield [kind, said.total(), said["correct"], said["near"], said["refused"], said["WRONG"] + said["partial"]]


def spread(ms: Sequence[float]) -> tuple[float, float]:
    cuts = quantiles(ms, n=20)
    return cuts[9], cuts[18]


def retouch(case: Case) -> Came:
    start = time.process_time()
    result = apply_reply(case.reply, case.before, target=case.target, stop_reason=case.stop_reason)
    ms = (time.process_time() - start) * 1000
    return Came(applied=result.outcome == "applied", files=result.files, ms=ms)


def replace_unique(case: Case) -> Came:
    """Apply edits like most simple tools: each FIND must occur exactly once in the current text."""
    start = time.process_time()
    now: dict[str, str | None] = {}
    ok = bool(case.edits)
    for edit in case.edits or []:
        path = edit.get("path") or case.target or next(iter(case.before), "")
        text = now.get(path, case.before.get(path))
        if text is None or not edit["find"] or text.count(edit["find"]) != 1:
            ok = False
            break
        now[path] = text.replace(edit["find"], edit["replace"])
    ms = (time.process_time() - start) * 1000
    return Came(applied=ok, files=now if ok else {}, ms=ms)


def aider(python: str, found: Sequence[Case]) -> list[Came]:
    """Return the result of aider's applier for the same edits as SEARCH blocks, in a separate process."""
    asked = (json.dumps({"markers": one.markers, "before": one.before, "target": one.target}) for one in found)
    done = subprocess.run([python, WORKER], input="\n".join(asked), stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [Came(applied=one["applied"], files=one["files"], ms=one["ms"]) for one in answers]


if __name__ == "__main__":
    main()

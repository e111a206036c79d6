"""Ranks the functions of a Python repository for a failing check, from its traceback alone.

This demo does not use Chisel, and the index, the fusion and the selection of a candidate do not know Python. A language
is a value (`python()`), and evidence is a list of hints.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.locate import Hint, SpanIndex
from retouch.locate.fusion.unifier import HintUnifier
from retouch.locate.indexing.words import terms
from retouch.locate.languages.python import python

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.locate import Candidate, Span

HERE = Path(__file__).parent
CHECKS = {  # each fails because of one function
    "a_full_pallet_gets_the_bulk_discount": "shop/prices.py::bulk_discount",
    "blanks_around_a_code_do_not_matter": "shop/stock.py::plain_code",
}
FRAME = re.compile(r'^ +File "(.+)", line (\d+), in .*\n((?:    .*\n)*)', re.MULTILINE)
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


def main() -> None:
    index = SpanIndex(HERE, front=python())
    done = index.build(["checks.py", *(f"shop/{path.name}" for path in (HERE / "shop").glob("*.py"))])
    print(f"{done.files} files, {done.spans} classes and functions")
    for check, guilty in CHECKS.items():
        command = [sys.executable, str(HERE / "checks.py"), check]
        traceback = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        candidates = rank(index, traceback)
        print(f"\n{traceback.strip().splitlines()[-1]}")
        for place, candidate in enumerate(candidates[:5], 1):
            why = ", ".join(f"{hint.source} {hint.confidence:.2f}" for hint in candidate.all_evidence)
            mark = "  <- the defect" if candidate.module_id == guilty else ""
            print(f"{place}. {candidate.module_id}  {candidate.fused_score:.2f}  ({why}){mark}")


def rank(index: SpanIndex, traceback: str) -> Sequence[Candidate]:
    """Return the functions of the shop, those that most likely need a fix first."""
    frames = list(by_frames(index, traceback))
    hints = [*frames, *by_words(index, traceback), *by_calls(index, [hint.span for hint in frames])]
    return HintUnifier(index, ()).aggregate_evidence(hint for hint in hints if is_ours(hint.span))


def is_ours(span: Span) -> bool:
    return span.kind == "function" and span.file.startswith("shop/")


def by_frames(index: SpanIndex, traceback: str) -> Iterator[Hint]:
    """Yield the functions in the traceback. The innermost one has the highest confidence."""
    confidence = 1.0
    for file, line, _ in reversed(FRAME.findall(traceback)):
        span = index.get_enclosing_module(str(Path(file).absolute()), int(line))
        if span:
            yield Hint(module_id=span.module_id, span=span, confidence=confidence, source="frames")
            confidence /= 2


def by_words(index: SpanIndex, traceback: str) -> Iterator[Hint]:
    """Yield the functions that share words with the shown lines and with the message."""
    shown = [text for _, _, text in FRAME.findall(traceback)] + [traceback.strip().splitlines()[-1]]
    words = {term for text in shown for name in IDENTIFIER.findall(text) for term in terms(name)}
    ours = [span for span in index.get_all_modules() if is_ours(span)]
    ranked = index.ranked(dict.fromkeys(words, 1.0), ours, weights={"code": 1.0})
    for span, score in ranked:
        yield Hint(module_id=span.module_id, span=span, confidence=score / ranked[0][1], source="words")


def by_calls(index: SpanIndex, running: Iterable[Span]) -> Iterator[Hint]:
    """Yield the functions that the traceback's functions call, directly and indirectly, because a value can be wrong
    long before it is visible.
    """
    reached = {span.module_id: span for span in running}
    fresh = list(reached.values())
    for hops in range(1, 4):
        names = {name: None for span in fresh for name in span.refers}
        called = [one for name in names for one in index.named(name) if one.module_id not in reached]
        fresh = [one for one in called if one.kind == "function"]
        reached |= {one.module_id: one for one in fresh}
        yield from (Hint(module_id=one.module_id, span=one, confidence=0.8**hops, source="calls") for one in fresh)


if __name__ == "__main__":
    main()

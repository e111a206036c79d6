"""Which injected defects are found by our checks and by Roslyn, and which correct variants are reported."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections import Counter
from typing import TYPE_CHECKING

from documents import PROJECT
from retouch.engine.options import RunOptions
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.compilers.check import check
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.csharp.writing.code import CsCode

sys.path.insert(0, str(PROJECT))  # the list of defects belongs to the tests
from tests.recipes.csharp.answers_zoo import ENDPOINT, Case, cases, edited, good_pages


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default="roslyn", help="none omits the compiler's column")
    arguments = parser.parse_args()
    announce("Injected defects and correct variants")
    defects = cases("answers_defects")
    kinds = {"defects": defects, "correct variants": cases("answers_variants")}
    rows = [[what, *_counted(those, arguments.compiler)] for what, those in kinds.items()]
    print(table(["cases", "number", "flagged in tiers 1-2", "flagged by the compiler", "flagged by either"], rows))
    codes = Counter(defect.get("code", "") for defect in defects)
    print("\nDefects by code: " + ", ".join(f"{code} {number}" for code, number in codes.most_common()))


def _counted(those: Sequence[Case], compiler: str) -> list[object]:
    own = [_own(case) for case in those]
    compiled = [_compiled(case, compiler) for case in those]
    either = sum(a or b for a, b in zip(own, compiled, strict=True))
    return [len(those), sum(own), sum(compiled), either]


def _own(case: Case) -> bool:
    return any(issue.severity != "info" for issue in read(ENDPOINT, case["unit"], edited(case)).issues)


def _compiled(case: Case, compiler: str) -> bool:
    """Return whether the compiler reports an error. A unit that cannot be read is not compiled."""
    pages = {**good_pages(), case["unit"]: edited(case)}
    values: dict[str, CsCode] = {}
    for unit, texts in pages.items():
        value = read(ENDPOINT, unit, texts).value
        if value is None:
            return False
        values[unit] = value
    issues = asyncio.run(check(ENDPOINT, values, RunOptions(compiler=compiler)))
    return any(issue.code != "NOT_COMPILED" for issue in issues)


if __name__ == "__main__":
    main()

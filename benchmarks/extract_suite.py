"""How the validator of `extract`, set up as `extract` does it, agrees with the JSON Schema Test Suite.

    python benchmarks/extract_suite.py PATH/TO/JSON-Schema-Test-Suite

The suite is a public repository. Required tests are those of each draft, formats those below `optional/format`. Tests
that need another document are counted apart: `extract` fetches nothing, and refuses such a schema before any call.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.errors import BadInput
from retouch.recipes.extract.schemas import AnswerShape
from tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable

DRAFTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft6": "http://json-schema.org/draft-06/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
AGREES, DIFFERS, REFUSED = "agrees", "differs", "schema refused"


def judged(case: dict[str, Any], draft: str) -> Iterable[tuple[str, str]]:
    """Yield the outcome and the name of each test of a case."""
    schema = case["schema"]
    if not isinstance(schema, dict):  # the recipe takes objects only
        schema = {"allOf": [schema]}
    try:
        shape = AnswerShape({"$schema": DRAFTS[draft], **schema})
    except BadInput:
        yield from ((REFUSED, f"{case['description']}: {test['description']}") for test in case["tests"])
        return
    for test in case["tests"]:
        same = shape.is_valid(test["data"]) == test["valid"]
        yield AGREES if same else DIFFERS, f"{case['description']}: {test['description']}"


def main() -> None:
    """Print a table by draft, and every test that differs."""
    root = Path(sys.argv[1]) / "tests"
    rows: list[list[str]] = []
    differing: list[str] = []
    for draft in DRAFTS:
        for kind, files in (
            ("required", sorted((root / draft).glob("*.json"))),
            ("formats", sorted((root / draft / "optional" / "format").glob("*.json"))),
        ):
            counts = Counter[str]()
            for file in files:
                for case in json.loads(file.read_text(encoding="utf-8")):
                    for outcome, name in judged(case, draft):
                        counts[outcome] += 1
                        if outcome == DIFFERS:
                            differing.append(f"{draft} {kind} {file.stem}: {name}")
            rows.append([draft, kind, str(counts.total()), *(str(counts[one]) for one in (AGREES, REFUSED, DIFFERS))])
    print(table(["draft", "tests", "number", AGREES, REFUSED, DIFFERS], rows))
    print("\n".join(differing))


if __name__ == "__main__":
    main()

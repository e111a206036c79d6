"""Documents of real work: PDFs with a gold answer, whose first answers are broken at random.

    python benchmarks/extract_documents.py extract-bench/dataset --most-kb 700

It needs the data of ExtractBench (github.com/ContextualAI/extract-bench, directory dataset): PDFs, each with a gold
value, and a JSON Schema for each kind of document. The text layer of a PDF is the record. A scripted model answers with
the gold value, broken in the ways of `extract_schemas`; each later answer is right, and holds what was requested. Many
gold values do not satisfy their own schema; of those each answer is the gold value as it is. This measures how Retouch
deals with such schemas and values. It says nothing about how well a model reads.

"Fields like the gold" is the share of texts, numbers and truth values of the gold that a verified value has at the same
place. A field that was broken to another valid value cannot be noticed without a check.

Expected, before it was measured: every record with a gold value that satisfies its schema ends verified, none with a
value that another validator refuses, and at most 1.10 times the floor.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from jsonschema import Draft202012Validator

from extract_schemas import CaseResult, one_case
from retouch import RetouchError
from retouch._lib.json_pointer import pointer_of, value_at
from retouch.recipes.extract.inputs import read_rows
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADS = [
    "kind",
    "characters",
    "valid gold",
    "verified",
    "fields like the gold",
    "cost / floor",
    "invalid gold",
    "verified after automatic fixes",
    "verified and not valid",
]
WAYS = ("missing", "type", "null", "cut", "prose", "comma", "two parts")


def documents(kind: Path, most_kb: int) -> Iterator[tuple[str, Any]]:
    """Yield the text and the gold value of the documents of one kind that have a text layer."""
    for gold in sorted(kind.glob("pdf+gold/*.gold.json")):
        pdf = gold.with_name(gold.name.replace(".gold.json", ".pdf"))
        if not pdf.exists() or pdf.stat().st_size > 1000 * most_kb:
            continue
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "a.pdf").write_bytes(pdf.read_bytes())
            try:
                (row,) = read_rows(Path(directory))
            except RetouchError as error:
                print(f"{pdf.name}: {error}", flush=True)
                continue
        yield str(row["text"]), json.loads(gold.read_bytes())


def main() -> None:
    """Print a row for each kind of document."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--most-kb", type=int, default=700, help="the size of the largest PDF")
    given = parser.parse_args()
    announce("extract: documents of real work")
    rows: list[list[object]] = []
    for place in sorted(given.data.rglob("*-schema.json")):
        schema: dict[str, Any] = json.loads(place.read_bytes())
        rows.append(row_of(place.parent, schema.get("schema_definition", schema), given.most_kb))
        print(rows[-1], flush=True)
    print(table(HEADS, rows))


def row_of(kind: Path, schema: dict[str, Any], most_kb: int) -> list[object]:
    """Return the row of one kind of document."""
    judge: Any = Draft202012Validator(schema)
    valid, invalid = list[CaseResult](), list[CaseResult]()
    characters = fields = same = 0
    for number, (text, value) in enumerate(documents(kind, most_kb)):
        characters += len(text)
        if not judge.is_valid(value):
            invalid.append(one_case(schema, value, "as it is", number, text=text))
            continue
        found = one_case(schema, value, WAYS[number % len(WAYS)], number, text=text)
        valid.append(found)
        gold = [*leaves(value)]
        fields += len(gold) if found.status == "verified" else 0
        same += sum(value_at(found.value, pointer) == (one,) for pointer, one in gold)
    cost = sum(one.cost for one in valid) / max(1, len(valid))
    return [
        kind.name,
        characters,
        len(valid),
        sum(one.status == "verified" for one in valid),
        f"{same} of {fields}",
        f"{cost:.3f}" if valid else "-",
        len(invalid),
        sum(one.status == "verified" for one in invalid),
        sum(bool(one.wrong) for one in (*valid, *invalid)),
    ]


def leaves(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Yield the texts, numbers, truth values and nulls of a value with their JSON Pointers."""
    children: list[tuple[Any, Any]] | None = None
    if isinstance(value, dict):
        children = list(cast("dict[str, Any]", value).items())
    elif isinstance(value, list):
        children = list(enumerate(cast("list[Any]", value)))
    if children is None:
        yield pointer_of(at), value
        return
    for name, one in children:
        yield from leaves(one, (*at, name))


if __name__ == "__main__":
    main()

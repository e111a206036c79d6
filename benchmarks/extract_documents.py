"""Documents of real work: PDFs with a gold answer, whose first answers are broken at random.

    python benchmarks/extract_documents.py extract-bench/dataset --most-kb 700

It needs the data of ExtractBench (github.com/ContextualAI/extract-bench, directory dataset): PDFs, each with a gold
value, and a JSON Schema for each kind of document. The text layer of a PDF is the record. A scripted model answers with
the gold value, broken in the ways of `extract_schemas`; each later answer is right, and holds what was requested. This
measures how Retouch deals with such schemas and values. It says nothing about how well a model reads.

Expected, before it was measured: every record with a gold value that satisfies its schema ends verified, none with a
value that another validator refuses, and at most 1.10 times the floor.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from extract_schemas import one_case
from retouch import RetouchError
from retouch.recipes.extract.inputs import read_rows
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        schema = schema.get("schema_definition", schema)
        judge: Any = Draft202012Validator(schema)
        found, valid, characters = list[tuple[str, float, str]](), 0, 0
        for number, (text, value) in enumerate(documents(place.parent, given.most_kb)):
            characters += len(text)
            if not judge.is_valid(value):
                continue
            valid += 1
            found.append(one_case(schema, value, WAYS[number % len(WAYS)], number, text=text))
        verified = sum(status == "verified" for status, _, _ in found)
        false, mean = sum(bool(wrong) for _, _, wrong in found), sum(cost for _, cost, _ in found) / max(1, len(found))
        rows.append([place.parent.name, characters, valid, verified, false, f"{mean:.3f}"])
    heads = ["kind", "characters", "documents with valid gold", "verified", "verified and not valid", "cost / floor"]
    print(table(heads, rows))


if __name__ == "__main__":
    main()

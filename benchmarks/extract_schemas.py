"""Records under real schemas: whether what is reported verified is valid, and what its repair costs.

It needs the data of JSONSchemaBench (github.com/guidance-ai/jsonschemabench, directory maskbench/data): real schemas,
each with instances that are valid. An instance is the right value of a record. A model gives it broken at random:
a property is missing, a scalar has another type or is null, a text is empty, the text of the answer is cut, wrapped in
prose, or has a comma too many. Each later answer is right, and holds what was requested.

Every value that is reported verified is checked by another validator, the package jsonschema.

Expected, before it was measured: every verified value is valid by the other validator too, except where the two differ
about a schema; at least 99 % of the records end verified; at most 1.10 times the floor in tokens (output five times),
where the floor is each record once, and each broken record once more with its broken parts.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from retouch import RetouchError, extract
from retouch._lib.json_pointer import pointer_of, value_at, with_value_at
from retouch.models.tokens import estimate_tokens
from retouch.recipes.extract.pointers import scalars, without_part
from retouch.testing import scripted
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Request

OUTPUT = 5
WAYS = ("missing", "type", "null", "empty", "cut", "prose", "comma", "two parts")


def cases(directory: Path, count: int, seed: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield names, schemas and valid instances, in an order that the seed decides."""
    files = sorted(directory.glob("*.json"))
    Random(seed).shuffle(files)
    for path in files:
        data = json.loads(path.read_bytes())
        valid = [one["data"] for one in data.get("tests", ()) if one.get("valid")]
        if valid and isinstance(data.get("schema"), dict) and isinstance(valid[0], dict) and valid[0]:
            yield path.stem, data["schema"], valid[0]
            count -= 1
        if not count:
            return


def broken(value: Any, way: str, random: Random) -> tuple[str, list[str]]:
    """Return a broken answer, and the pointers of the parts that are wrong; [""] is the whole."""
    text = json.dumps(value)
    if way == "as it is":
        return text, []
    if way in {"cut", "prose", "comma"}:
        forms = {
            "cut": text[: -max(1, len(text) // 3)],
            "prose": f"Sure!\n\n{text}\n\nDone.",
            "comma": f"{text[:-1]},}}",
        }
        return forms[way], [""] if way == "cut" else []
    if way == "missing":
        name = random.choice(sorted(value))
        return json.dumps(without_part(value, pointer_of([name]))), [pointer_of([name])]
    places = [pointer for pointer, _ in scalars(value)]
    random.shuffle(places)
    chosen = places[: 2 if way == "two parts" else 1]
    for pointer in chosen:
        other: dict[str, Any] = {"type": {"not": "this"}, "null": None, "empty": "", "two parts": [[]]}
        value = with_value_at(value, pointer, other[way])
    return json.dumps(value), chosen


@dataclass(frozen=True, kw_only=True)
class CaseResult:
    """The status and the value of a record, its cost over the floor, and "" or why it is not what it should be."""

    status: str
    value: Any
    cost: float
    wrong: str


def one_case(schema: dict[str, Any], value: Any, way: str, seed: int, *, text: str = "") -> CaseResult:
    """Return the result of one record. `text` is the record, by default the value itself.

    If `way` is "as it is", the first answer is the value, and so are the others.
    """
    document = text or json.dumps(value)
    tokens, floor, answers = 0, 0, 0

    def answer(request: Request) -> str:
        nonlocal tokens, floor, answers
        sent = estimate_tokens(request.system) + sum(estimate_tokens(one.text) for one in request.messages)
        if not answers:
            text, parts = broken(value, way, Random(seed))
            floor += sent + OUTPUT * estimate_tokens(json.dumps(value))
            found = {one: part[0] for one in parts if one and (part := value_at(value, one))}
            again = sent + OUTPUT * estimate_tokens(json.dumps(found or value))
        else:
            again = 0
            asked = request.answer_schema
            whole = asked is None or asked == request.prompt.answer_schema
            names = () if asked is None or whole else asked["properties"]
            text = json.dumps(value if whole else {one: part[0] for one in names if (part := value_at(value, one))})
            floor += first_again.pop() if first_again else 0
        if again:
            first_again.append(again)
        answers += 1
        tokens += sent + OUTPUT * estimate_tokens(text)
        return text

    first_again: list[int] = []
    with tempfile.TemporaryDirectory() as place:
        options: dict[str, Any] = {"prompt": "{{ text }}", "key": "id", "output": Path(place) / "out"}
        rows = [{"id": 1, "text": document}]
        result = extract(rows, schema=schema, model=scripted(answer), **options)
        (found,) = result.records
    judge: Any = validator_for(schema, default=Draft202012Validator)(schema)
    false = result.status == "verified" and not judge.is_valid(found.value)
    wrong = "verified, and not valid for the other validator" if false else ""
    return CaseResult(status=result.status, value=found.value, cost=tokens / floor, wrong=wrong)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="the directory maskbench/data")
    parser.add_argument("--schemas", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    announce("extract: real schemas")
    rows: dict[str, list[CaseResult]] = {way: [] for way in WAYS}
    refused = Counter[str]()
    for number, (name, schema, value) in enumerate(cases(given.data, given.schemas, given.seed)):
        way = WAYS[number % len(WAYS)]
        try:
            rows[way].append(one_case(schema, value, way, number))
        except RetouchError as error:
            refused[error.message.partition(":")[2][:60]] += 1
        if rows[way] and rows[way][-1].wrong:
            print(f"{name}: {rows[way][-1].wrong}", flush=True)
    cells = [
        [
            way,
            len(found),
            sum(one.status == "verified" for one in found),
            sum(bool(one.wrong) for one in found),
            f"{sum(one.cost for one in found) / max(1, len(found)):.3f}",
        ]
        for way, found in rows.items()
    ]
    print(table(["broken by", "records", "verified", "verified and not valid", "cost / floor"], cells))
    print(f"\nRefused before any call: {sum(refused.values())} ({dict(refused)})")


if __name__ == "__main__":
    main()

"""Orders to extract, and models that answer in chosen ways."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retouch._lib.json_pointer import value_at
from retouch.recipes.extract import ExtractResult, extract
from retouch.testing import Scripted, scripted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.types import Request

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "customer": {"type": "string", "minLength": 1},
        "total": {"type": "number"},
        "state": {"enum": ["open", "in transit", "closed"]},
        "due": {"type": "string", "format": "date"},
        "items": {
            "type": "array",
            "maxItems": 1000,
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "amount": {"type": "number"}},
                "required": ["name", "amount"],
            },
        },
    },
    "required": ["customer", "total", "state"],
    "additionalProperties": False,
}
ORDERS: tuple[dict[str, Any], ...] = (
    {"id": "a", "text": "Ada Lovelace ordered tea for 4.50, it is open"},
    {"id": "b", "text": "Bob Bell ordered milk for 1.20 and bread for 2.30, in all 3.50; closed"},
    {"id": "c", "text": "Cid Campeador's order of 9 is in transit"},
)
VALUES: dict[str, dict[str, Any]] = {
    "a": {"customer": "Ada Lovelace", "total": 4.5, "state": "open"},
    "b": {
        "customer": "Bob Bell",
        "total": 3.5,
        "state": "closed",
        "items": [{"name": "milk", "amount": 1.2}, {"name": "bread", "amount": 2.3}],
    },
    "c": {"customer": "Cid Campeador", "total": 9, "state": "in transit"},
}
PROMPT = "ORDER {{ key }}\n{{ text }}"


def answering(answers: Mapping[str, Sequence[Any]] | None = None) -> Scripted:
    """Return a model that answers right, or for a key first with the given answers: texts, or values for JSON."""
    left = {key: list(given) for key, given in (answers or {}).items()}

    def answer(request: Request) -> str:
        key = request.prompt.unit
        if left.get(key):
            first = left[key].pop(0)
            if isinstance(first, Exception):
                raise first
            return first if isinstance(first, str) else json.dumps(first)
        return right_answer(request, VALUES[key])

    return scripted(answer)


def right_answer(request: Request, value: Any) -> str:
    """Return `value` as JSON, or only the parts that are requested."""
    if request.answer_schema == request.prompt.answer_schema or request.answer_schema is None:
        return json.dumps(value)
    parts = {pointer: value_at(value, pointer) for pointer in request.answer_schema["properties"]}
    return json.dumps({pointer: part[0] for pointer, part in parts.items() if part})


@dataclass
class Desk:
    """A place for jobs: `extract` with the orders, unless told otherwise."""

    directory: Path
    options: dict[str, Any] = field(default_factory=dict[str, Any])

    def extract(self, model: Any, records: Any = ORDERS, **more: Any) -> ExtractResult:
        """Run the job."""
        given: dict[str, Any] = {
            "schema": SCHEMA,
            "prompt": PROMPT,
            "key": "id",
            "output": self.directory,
            **self.options,
            **more,
        }
        return extract(records, model=model, **given)

    def statuses(self) -> dict[str, str]:
        """Return the status of each record, in the order of records.jsonl."""
        return {line["key"]: line["status"] for line in self.lines("records.jsonl")}

    def lines(self, name: str) -> list[dict[str, Any]]:
        """Return the lines of a file of JSON lines."""
        return [json.loads(line) for line in (self.directory / name).read_text(encoding="utf-8").splitlines()]


def failing(message: str) -> Callable[[Any, Any], str]:
    """Return a check that complains about everything."""
    return returning(message)


def returning(result: Any) -> Callable[[Any, Any], Any]:
    """Return a check with a fixed result."""
    return lambda _record, _value: result

"""What the repair of extracted records costs, by the kind of fault, beside asking for the whole record again.

The recipe, its checks and the engine are real. The model is simulated: it knows the right value of each record. Its
first answer to a share of the records is broken in one of twelve ways; each later answer is right, and holds what was
requested: the whole value, or the named parts.

The floor is every record once, and each broken record once more with only its broken parts in the answer. The cost is
in tokens, output counted five times.

Expected, before it was measured: all records end verified; faults of form and spelling cost no call; with repair by
field, input and output together stay below 1.10 times the floor, and the input of a repair does not grow with the
number of wrong fields.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from retouch import extract
from retouch._lib.json_pointer import value_at
from retouch.models.tokens import estimate_tokens
from retouch.testing import scripted
from tables import announce, table

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import Request

OUTPUT = 5
STATES = ["open", "in transit", "closed"]
LINE = {"type": "object", "properties": {"name": {"type": "string"}, "amount": {"type": "number"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "customer": {"type": "string", "minLength": 1, "maxLength": 80},
        "summary": {"type": "string", "maxLength": 2000},
        "state": {"enum": STATES},
        "due": {"type": "string", "format": "date"},
        "total": {"type": "number", "minimum": 0},
        "items": {"type": "array", "maxItems": 100, "items": {**LINE, "required": ["name", "amount"]}},
    },
    "required": ["customer", "summary", "state", "due", "total", "items"],
    "additionalProperties": False,
}


def record(number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a record and its right value."""
    random = Random(number)
    items: list[dict[str, Any]] = [
        {"name": f"part {random.randrange(900)}", "amount": random.randrange(1, 99)} for _ in range(8)
    ]
    value: dict[str, Any] = {
        "customer": f"Customer {random.randrange(10_000)}",
        "summary": " ".join(f"word{random.randrange(500)}" for _ in range(60)),
        "state": random.choice(STATES),
        "due": f"2024-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}",
        "total": sum(one["amount"] for one in items),
        "items": items,
    }
    return {"id": number, "text": f"Order {number}. " + json.dumps(value)}, value


def changed(**parts: Any) -> Callable[[dict[str, Any], Random], str]:
    """Return a fault that replaces some properties; None removes one."""

    def fault(value: dict[str, Any], _random: Random) -> str:
        left = {**value, **parts}
        return json.dumps({name: one for name, one in left.items() if one is not None})

    return fault


def one_item(value: dict[str, Any], random: Random) -> str:
    """Give one of the items an amount in words."""
    items = [dict(one) for one in value["items"]]
    items[random.randrange(len(items))]["amount"] = "twelve"
    return json.dumps({**value, "items": items})


# The fault, the parts that a perfect repair would return (None: no call is needed), by name.
FAULTS: dict[str, tuple[Callable[[dict[str, Any], Random], str], tuple[str, ...] | None]] = {
    "fence and prose": (lambda value, _: f"Here it is:\n```json\n{json.dumps(value)}\n```", None),
    "trailing comma": (lambda value, _: json.dumps(value)[:-1] + ",}", None),
    "number as text": (lambda value, _: json.dumps({**value, "total": str(value["total"])}), None),
    "spelling of an enum": (lambda value, _: json.dumps({**value, "state": value["state"].upper()}), None),
    "unknown property": (changed(note="?"), None),
    "another date form": (lambda value, _: json.dumps({**value, "due": value["due"].replace("-", "/")}), None),
    "missing property": (changed(customer=None), ("/customer",)),
    "value outside the enum": (changed(state="lost"), ("/state",)),
    "empty text": (changed(customer=""), ("/customer",)),
    "wrong element": (one_item, ("/items/0/amount",)),
    "four wrong properties": (
        changed(customer="", state="lost", due="soon", total=-1),
        ("/customer", "/state", "/due", "/total"),
    ),
    "cut off": (lambda value, _: json.dumps(value)[: len(json.dumps(value)) // 2], ("",)),
}


class Account:
    """A model that answers right after a first fault, and counts tokens."""

    def __init__(self, fault: str, share: float, values: dict[str, dict[str, Any]]) -> None:
        self.fault, self.share, self.values = fault, share, values
        self.seen: set[str] = set()
        self.tokens = self.floor = 0
        self.calls = self.broken = self.repair_input = 0

    def answer(self, request: Request) -> str:
        """Return an answer, and count it."""
        key = request.prompt.unit
        value = self.values[key]
        sent = estimate_tokens(request.system) + sum(estimate_tokens(one.text) for one in request.messages)
        if key not in self.seen:
            self.seen.add(key)
            text = self._first(key, value, sent)
        else:
            self.repair_input += sent
            text = json.dumps(self._requested(request, value))
        self.calls += 1
        self.tokens += sent + OUTPUT * estimate_tokens(text)
        return text

    def _first(self, key: str, value: dict[str, Any], sent: int) -> str:
        random = Random(f"{self.fault} {key}")
        self.floor += sent + OUTPUT * estimate_tokens(json.dumps(value))
        if random.random() >= self.share:
            return json.dumps(value)
        make, parts = FAULTS[self.fault]
        self.broken += 1
        if parts is not None:
            again = value if parts == ("",) else {one: part[0] for one in parts if (part := value_at(value, one))}
            self.floor += sent + OUTPUT * estimate_tokens(json.dumps(again))
        return make(value, random)

    def _requested(self, request: Request, value: dict[str, Any]) -> Any:
        schema = request.answer_schema
        if schema is None or schema == request.prompt.answer_schema:
            return value
        return {pointer: part[0] for pointer in schema["properties"] if (part := value_at(value, pointer))}


def measured(fault: str, count: int, share: float) -> list[str]:
    """Return a row: what became of the records, and the cost over the floor."""
    pairs = [record(number) for number in range(count)]
    account = Account(fault, share, {str(given["id"]): value for given, value in pairs})
    with tempfile.TemporaryDirectory() as place:
        model = scripted(account.answer)
        options: dict[str, Any] = {"prompt": "{{ text }}", "key": "id", "output": Path(place) / "out"}
        result = extract([given for given, _ in pairs], schema=SCHEMA, model=model, **options)
        right = sum(one.value == account.values[one.key] for one in result.records)
    again = account.calls - count
    return [
        fault,
        f"{account.broken}",
        f"{right} of {count}",
        f"{again}",
        f"{account.repair_input / again:,.0f}" if again else "-",
        f"{account.tokens / account.floor:.3f}",
    ]


def main() -> None:
    """Measure every fault and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--records", type=int, default=200)
    parser.add_argument("--share", type=float, default=0.3)
    given = parser.parse_args()
    announce("extract: the cost of repairs")
    heads = ["fault", "broken", "right", "further calls", "input tokens of one", "cost / floor"]
    print(table(heads, [measured(fault, given.records, given.share) for fault in FAULTS]))


if __name__ == "__main__":
    main()

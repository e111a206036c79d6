"""The example of `retouch demo`: orders in e-mails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retouch.commands import RecipeDemo
from retouch.recipes.extract.source import ExtractShard, InputRecord

if TYPE_CHECKING:
    from pathlib import Path

_SCHEMA = {
    "type": "object",
    "required": ["customer", "article", "quantity"],
    "properties": {
        "customer": {"type": "string"},
        "article": {"type": "string"},
        "quantity": {"type": "integer", "minimum": 1},
        "express": {"type": "boolean"},
    },
    "additionalProperties": False,
}
_ORDERS = (
    ("Ada", "lamp", 2, True),
    ("Grace", "desk", 1, False),
    ("Alan", "chair", 4, False),
    ("Edith", "shelf", 3, True),
    ("Kurt", "clock", 1, False),
    ("Emmy", "plant", 6, True),
)


def demo(folder: Path) -> RecipeDemo:
    """Return records that the model turns into values of a schema. Both are written into `folder`."""
    rows = [
        {"customer": who, "article": what, "quantity": count, "express": fast} for who, what, count, fast in _ORDERS
    ]
    (folder / "orders.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (folder / "order.schema.json").write_text(json.dumps(_SCHEMA, indent=2) + "\n", encoding="utf-8")
    records = tuple(InputRecord(key=f"order-{place}", fields=row) for place, row in enumerate(rows, 1))
    return RecipeDemo(
        source=ExtractShard(records=records, schema=_SCHEMA, prompt="RECORD:\n{{ record | tojson }}"),
        about="rows and a schema -> records that satisfy the schema",
        try_it=(
            f"retouch generate extract {folder / 'orders.jsonl'} --schema {folder / 'order.schema.json'} "
            f"-o {folder / 'orders'} --model anthropic:claude-haiku-4-5"
        ),
        model="faulty:offline?rate=0.5&seed=4&heal=0",  # some records stay invalid, to be seen
    )

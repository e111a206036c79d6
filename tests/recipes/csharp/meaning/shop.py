"""A small document with what the meaning pass can be asked about, and a scripted model for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from retouch.engine.packs import packed_answer
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.testing import scripted
from tests.recipes.csharp.read_documents import read, record, spec

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from retouch.engine.types import Prompt, Request
    from retouch.recipes.csharp.ir import Endpoint
    from retouch.testing import Scripted

ORDER = record(
    "sku",
    "total",
    "closed",
    sku={"type": "string", "example": "A-1"},
    status={"type": "string", "description": "The status of the order. One of: open, packed, sent."},
    placed={"type": "string", "description": "When the order was placed.", "example": "2024-05-01T10:00:00Z"},
    day={"type": "string", "examples": ["2024-05-01", "May 1"]},
    link={"type": "string", "description": "The URL of the order."},
    total={"type": "number", "description": "The amount that the customer pays."},
    closed={"type": "integer", "description": "When the order was closed. It is null while the order is open."},
    phone_number={"type": "string", "description": "The phone number of the customer."},
    note={"type": "string"},
    level={
        "type": "integer",
        "enum": [0, 1],
        "description": "How urgent the order is. 0 means normal, and 1 means rush.",
    },
    ship={
        "type": "object",
        "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
    },
    bill={"type": "object", "properties": {"street": {"type": "string"}, "iban": {"type": "string"}}},
)
DOCUMENT = spec({"$ref": "#/components/schemas/Order"}, {"Order": ORDER}, path="/orders/{id}")
MEANING = ReadingOptions(ask="meaning")


def order(directory: Path, document: Any = DOCUMENT, options: ReadingOptions = MEANING) -> Endpoint:
    """The endpoint of the document, to be asked for the meaning."""
    return read(directory, document, options)


def proposal(kind: str, member: str = "", value: str = "", quote: str = "") -> dict[str, str]:
    return {"kind": kind, "member": member, "value": value, "quote": quote}


def answer(*proposals: Mapping[str, str]) -> str:
    return json.dumps({"proposals": list(proposals)})


def model(script: Mapping[str, Sequence[Mapping[str, str]]]) -> Scripted:
    """A model that proposes this for each unit, and nothing for all others, in packed requests too."""

    def of(prompt: Prompt) -> str:
        return answer(*script.get(prompt.unit, ())) if prompt.page == 1 else answer()

    def reply(request: Request) -> str:
        if request.parts:
            return packed_answer(request, {key: of(prompt) for key, prompt in request.parts})
        return of(request.prompt)

    return scripted(reply)

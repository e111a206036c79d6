"""The round-trip oracle of the benchmarks sees planted losses, and keeps quiet where there are none."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, EnumValue
from retouch.recipes.csharp.reading.contradictions import Reader

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.wire import losses
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

FIELDS = (
    CsField(json_name="id", name="Id", type="long", required=True),
    CsField(json_name="at", name="At", type="DateTime", required=True, nullable=True),
    CsField(json_name="mood", name="Mood", type="Mood", types=("Mood",), nullable=True),
    CsField(json_name="parts", name="Parts", type="Dictionary<string, string?[]>[]", nullable=True),
    CsField(json_name="price", name="Price", type="decimal", nullable=True),
    CsField(json_name="key", name="Key", type="Guid", nullable=True),
    CsField(json_name="raw", name="Raw", type="JsonElement", nullable=True),
    CsField(json_name="file", name="File", type="byte[]", nullable=True),
)
MOOD = CsType(name="Mood", kind="enum", values=(EnumValue(value="", name="Empty"), EnumValue(value="+1", name="Plus1")))
PAYLOAD: dict[str, JSON] = {
    "id": 9007199254740993,
    "at": "2026-11-21T09:02:11.5Z",
    "mood": "",
    "parts": [{"a": ["x", None]}],
    "price": 0.1,
    "key": "0e1e1a52-19cb-4e8a-8e26-0c86b6ab1a10",
    "raw": [1, {"a": None}],
    "file": "aGFuZA==",
}


def endpoint(*fields: CsField) -> Endpoint:
    root = CsType(name="RowDataObject", kind="class", is_root=True, fields=fields or FIELDS)
    return Endpoint(
        method="GET",
        path="/rows",
        status="200",
        media_type="application/json",
        label="GET_rows",
        namespace="N",
        types=(root, MOOD),
    )


def test_a_payload_that_fits_loses_nothing():
    assert [] == losses(endpoint(), PAYLOAD)


def test_every_element_of_an_array_is_the_root():
    assert ["/1/id"] == [loss.path for loss in losses(endpoint(), [PAYLOAD, {**PAYLOAD, "id": 1.5}])]


WRONG: list[tuple[str, JSON]] = [
    ("id", "7"),
    ("id", 1.0),
    ("id", True),
    ("id", None),
    ("id", 2**63),
    ("at", "21.11.2026"),
    ("at", 5),
    ("mood", "happy"),
    ("parts", {}),
    ("parts", [[]]),
    ("parts", [{"a": [1]}]),
    ("price", "0.1"),
    ("price", 1e29),
    ("key", "not a uuid"),
    ("file", "not base64!"),
    ("new", 1),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_value_that_would_be_lost_or_refused_is_found_at_its_place(name: str, value: JSON):
    (loss,) = losses(endpoint(), {**PAYLOAD, name: value})
    assert loss.path.startswith(f"/{name}")


@pytest.mark.parametrize("name", ["id", "at"])
def test_a_required_property_that_is_absent_is_found(name: str):
    payload = {key: value for key, value in PAYLOAD.items() if key != name}
    assert [f"/{name}"] == [loss.path for loss in losses(endpoint(), payload)]


@pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.json_name)
def test_a_type_that_forgets_a_property_is_found(field: CsField):
    rest = [each for each in FIELDS if each is not field]
    assert [f"/{field.json_name}"] == [loss.path for loss in losses(endpoint(*rest), PAYLOAD)]


@pytest.mark.parametrize("wrong", ["int", "bool", "DateOnly", "Guid", "Mood", "RowDataObject", "Nowhere"])
def test_a_property_of_a_wrong_type_is_found(wrong: str):
    fields = (replace(FIELDS[0], type=wrong), *FIELDS[1:])
    assert "/id" in [loss.path[:3] for loss in losses(endpoint(*fields), PAYLOAD)]


SCHEMA: JSON = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": {"type": "integer"},
        "at": {"type": "string", "format": "date-time"},
        "next": {"$ref": "#/row"},
        "kind": {"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "null"}]},
    },
}


CONTRADICTING: list[tuple[JSON, set[str]]] = [
    ({"id": 1, "at": "2026-11-21T09:00:00Z", "next": {"id": 2}, "kind": {"a": "x"}}, set()),
    ({"id": 1, "kind": None}, set()),
    ({"id": 1, "next": {}}, {"/next/id"}),
    ({"id": "1"}, {"/id"}),
    ({"id": 1, "at": "yesterday"}, {"/at"}),
    ({"id": 1, "at": None}, {"/at"}),
    ({"id": 1, "more": 1}, {"/more"}),
    ({"id": 1, "kind": {"b": 1}}, {"/kind/b"}),
]


@pytest.mark.parametrize(("payload", "places"), CONTRADICTING)
def test_a_payload_that_contradicts_its_schema_is_found_at_its_place(payload: JSON, places: set[str]):
    assert places == Reader(document={"row": SCHEMA}).contradictions(SCHEMA, payload)


def test_the_payloads_of_the_demo_s_document_round_trip(project: Path):
    script = project / "benchmarks" / "csharp_roundtrip.py"
    command = [sys.executable, str(script), "depot.yaml", "--sample", "1000"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=MOST_S)
    assert "| depot.yaml | 41 | 41 of 41 | 0 | 0 | 0 | 0 |" in done.stdout

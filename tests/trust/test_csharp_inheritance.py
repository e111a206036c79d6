"""C# that drops what a valid answer has, or refuses it, must not pass tier 4 for want of a payload that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.csharp.reading.contradictions import Reader
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.runtime.payloads import payloads_of
from tests.recipes.csharp.read_documents import fields_of, read, record, spec

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.recipes.csharp.ir import Endpoint, Style

TEXT = {"type": "string"}


def ref(name: str) -> Any:
    return {"$ref": f"#/components/schemas/{name}"}


def heir(base: str, name: str) -> Any:
    return {"allOf": [ref(base), record(name, **{name: TEXT})]}


def event(folder: Path, mapping: Any = None, *, style: Style = "plain", **heirs: Any) -> Endpoint:
    base = record("type", type=TEXT, id={"type": "integer"})
    base["discriminator"] = {"propertyName": "type"} | ({"mapping": mapping} if mapping else {})
    return read(folder, spec(ref("Event"), {"Event": base, **heirs}), ReadingOptions(style=style))


def test_a_base_class_is_selected_by_its_own_name_and_so_are_heirs_of_its_heirs(tmp_path: Path) -> None:
    endpoint = event(tmp_path, Call=heir("Event", "number"), Video=heir("Call", "camera"), Mail=heir("Event", "to"))
    selected = {one for one in endpoint.root.attributes if one.startswith("JsonDerivedType")}
    names = ("Event", "Call", "Video", "Mail")
    assert {f'JsonDerivedType(typeof({name}), "{name}")' for name in names} == selected
    assert {"number", "camera"} == {name for name, one in fields_of(endpoint.by_name["Video"]).items() if one.required}
    sent: list[Any] = [payload.value for payload in payloads_of(endpoint, "Event")]
    assert {*names} <= {value.get("type") for value in sent}


def test_a_base_class_that_no_value_selects_is_not_added(tmp_path: Path) -> None:
    endpoint = event(tmp_path, {"c": "Call", "m": "Mail"}, Call=heir("Event", "number"), Mail=heir("Event", "to"))
    assert 2 == sum(one.startswith("JsonDerivedType") for one in endpoint.root.attributes)


def test_a_class_with_one_heir_does_not_require_what_only_the_heir_has(tmp_path: Path) -> None:
    plain = event(tmp_path, Call=heir("Event", "number"))
    assert ["id"] == [one.json_name for one in plain.root.fields if "JsonExtensionData" not in one.attributes]
    assert 2 == sum(one.startswith("JsonDerivedType") for one in plain.root.attributes)
    connector = event(tmp_path, style="connector", Call=heir("Event", "number"))
    required = {name: one.required for name, one in fields_of(connector.root).items()}
    assert {"type": True, "id": False, "number": False} == required


def test_a_discriminator_value_without_a_schema_is_said(tmp_path: Path) -> None:
    endpoint = event(
        tmp_path,
        {"c": "Call", "m": "Mail", "gone": "#/components/schemas/Gone"},
        Call=heir("Event", "number"),
        Mail=heir("Event", "to"),
    )
    assert any("'gone' names no schema" in note for note in endpoint.root.notes), endpoint.root.notes


PATTERN = {"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": False}
SECRET = {**record("name", "secret", name=TEXT), "properties": {"name": TEXT, "secret": {**TEXT, "writeOnly": True}}}
DAY = {"type": "string", "format": "date"}


@pytest.mark.parametrize(
    ("schema", "value", "wrong"),
    [
        (PATTERN, {"x-a": 1}, set[str]()),
        (PATTERN, {"x-a": "one"}, {"/x-a"}),
        (PATTERN, {"y": 1}, {"/y"}),
        ({**PATTERN, "additionalProperties": TEXT}, {"x-a": 1, "y": "z"}, set[str]()),
        ({"enum": ["a", None]}, None, set[str]()),
        ({"enum": [None]}, None, set[str]()),
        ({"const": None}, None, set[str]()),
        ({"type": "string", "enum": ["a", None]}, None, {""}),
        ({"enum": ["a"]}, None, {""}),
        (SECRET, {"name": "n"}, set[str]()),
        (SECRET, {"secret": "s"}, {"/name"}),
        (DAY, "2024-02-29", set[str]()),
        (DAY, "2023-02-29", {""}),
        ({"type": "string", "format": "time"}, "24:00:00", {""}),
        ({"type": "string", "format": "time"}, "23:59:60Z", set[str]()),
        ({"type": "integer", "format": "int64"}, 2**63, {""}),
        ({"type": "array", "items": True}, [1, None], set[str]()),
    ],
)
def test_an_example_that_its_schema_allows_is_never_called_wrong(schema: Any, value: Any, wrong: set[str]) -> None:
    assert wrong == {*Reader(document={}, described=False).contradictions(schema, value)}


def test_a_payload_never_exceeds_the_numbers_of_its_enum(tmp_path: Path) -> None:
    level = {"type": "integer", "format": "int64", "enum": [-(2**63), 2**63 - 1]}
    endpoint = read(tmp_path, spec(record(level=level), {}), ReadingOptions(style="plain"))
    enum = next(type_.name for type_ in endpoint.types if type_.kind == "enum")
    sent: list[Any] = [payload.value for payload in payloads_of(endpoint, enum)]
    assert all(-(2**63) <= number < 2**63 for number in sent)

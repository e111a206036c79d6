"""The primary key: which one is chosen, which is refused, and with which messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from tests.recipes.csharp.read_documents import fields_of, read, record, spec

if TYPE_CHECKING:
    from pathlib import Path

TEXT: Any = {"type": "string"}


@pytest.mark.parametrize(
    ("properties", "key"),
    [
        ({"uuid": TEXT, "id": TEXT}, "id"),
        ({"ID": TEXT}, "ID"),
        ({"specialEventId": TEXT, "uuid": TEXT}, "specialEventId"),
        ({"special_event_id": {"type": "integer"}}, "special_event_id"),
        ({"eventId": {"type": "string", "format": "uuid"}}, "eventId"),
        ({"guid": TEXT, "key": TEXT}, "guid"),
        ({"key": TEXT}, "key"),
        ({"id": {"type": "object"}, "uuid": TEXT}, "uuid"),
        ({"id": {"type": "number"}, "key": {"type": "integer"}}, "key"),
    ],
)
def test_the_key_is_the_first_property_that_names_an_identifier(tmp_path: Path, properties: Any, key: str) -> None:
    schemas = {"SpecialEvent": record(*properties, **properties)}
    endpoint = read(tmp_path, spec({"$ref": "#/components/schemas/SpecialEvent"}, schemas))
    assert ("id", key) == endpoint.root.key
    assert any(note.startswith(f"key: '{key}'") for note in endpoint.root.notes)


@pytest.mark.parametrize("name", ["width", "monkey", "hybrid", "paid", "valid", "grid"])
def test_a_name_that_only_ends_like_an_identifier_is_no_key(tmp_path: Path, name: str) -> None:
    endpoint = read(tmp_path, spec(record(name, **{name: TEXT})))
    assert () == endpoint.root.key
    assert "no primary key: name one with --key" in endpoint.notes
    assert "no primary key: name one with --key" in endpoint.root.notes


@pytest.mark.parametrize(
    ("schema", "required", "why"),
    [
        (TEXT, (), "'id' may be absent"),
        ({"type": "string", "nullable": True}, ("id",), "'id' may be null"),
        ({"type": "boolean"}, ("id",), "'id' is a bool"),
        ({"type": "array", "items": TEXT}, ("id",), "'id' is a string[]"),
    ],
)
def test_what_rule_c2_forbids_is_no_key_and_the_warning_says_why(
    tmp_path: Path, schema: Any, required: tuple[str, ...], why: str
) -> None:
    endpoint = read(tmp_path, spec(record(*required, id=schema)))
    assert () == endpoint.root.key
    assert f"no primary key; {why}: name one with --key" in endpoint.notes


def test_a_chosen_key_may_be_composite_and_makes_its_fields_required(tmp_path: Path) -> None:
    schema = record("email", division=TEXT, email={"type": "string", "format": "email"})
    endpoint = read(tmp_path, spec(schema), ReadingOptions(key=("email", "division")))
    fields = fields_of(endpoint.root)
    assert ("id", "email", "division") == endpoint.root.key
    assert (True, False) == (fields["division"].required, fields["division"].nullable)
    assert any("part of the key" in note for note in fields["division"].notes)
    assert () == fields["email"].attributes


@pytest.mark.parametrize(
    ("key", "error", "seen"), [("ids", UnknownName, "no property 'ids'"), ("flag", BadInput, "'flag' is a bool")]
)
def test_a_key_that_cannot_be_one_is_refused(tmp_path: Path, key: str, error: type[BadInput], seen: str) -> None:
    with pytest.raises(error, match=seen):
        read(tmp_path, spec(record(id=TEXT, flag={"type": "boolean"})), ReadingOptions(key=(key,)))

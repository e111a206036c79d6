"""Types, limits and review flags of single fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.recipes.csharp.read_documents import read, read_properties, read_property, spec, swagger

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("schema", "type_text"),
    [
        ({"type": "integer"}, "long"),
        ({"type": "integer", "format": "int64"}, "long"),
        ({"type": "integer", "format": "int32"}, "int"),
        ({"type": "integer", "format": "int32", "maximum": 3_000_000_000}, "long"),
        ({"type": "integer", "format": "int32", "example": 3_000_000_000}, "long"),
        ({"type": "integer", "format": "int32", "maximum": 2**31 - 1}, "int"),
        ({"type": "integer", "format": "uint64"}, "ulong"),
        ({"type": "integer", "minimum": 0, "maximum": 18_446_744_073_709_551_615}, "ulong"),
        ({"type": "integer", "maximum": 9_223_372_036_854_776_000}, "long"),
        ({"type": "integer", "maximum": 10**30}, "decimal"),
        ({"type": "number"}, "double"),
        ({"type": "number", "format": "float"}, "double"),
        ({"type": "number", "format": "decimal"}, "decimal"),
        ({"type": "number", "format": "money"}, "decimal"),
        ({"type": "boolean"}, "bool"),
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "DateTime"),
        ({"type": "string", "format": "date"}, "DateOnly"),
        ({"type": "string", "format": "time"}, "TimeOnly"),
        ({"type": "string", "format": "uuid"}, "Guid"),
        ({"type": "string", "format": "UUID"}, "Guid"),
        ({"type": "string", "format": "uri"}, "string"),
        ({"type": "string", "format": "duration"}, "string"),
        ({"type": "string", "format": "int64"}, "string"),
        ({"type": "string", "format": "uint64"}, "string"),
        ({"type": "string", "format": "decimal"}, "string"),
        ({"format": "date-time"}, "DateTime"),
        ({"type": "STRING"}, "string"),
        ({"type": "unheard-of"}, "JsonElement"),
    ],
)
def test_formats_choose_the_type_that_loses_nothing(tmp_path: Path, schema: Any, type_text: str) -> None:
    assert type_text == read_property(tmp_path, schema).type


@pytest.mark.parametrize(
    "schema",
    [
        {"format": "date-time", "example": "/Date(1573755038314)/"},
        {"format": "date-time", "pattern": r"^/Date\(\d+\)/$"},
        {"format": "date-time", "example": "2019-03-05 10:00:00"},
        {"format": "date-time", "example": 1573755038},
        {"format": "date-time", "example": "2019-11-09T11:50:28.889080521Z"},
        {"format": "date", "examples": ["2019-03-05", "05/03/2019"]},
        {"format": "time", "default": "18:00:00Z"},
        {"format": "uuid", "example": "abc"},
    ],
)
def test_text_whose_example_is_in_another_form_stays_text_and_is_noted(tmp_path: Path, schema: Any) -> None:
    field = read_property(tmp_path, {"type": "string", **schema})
    assert "string" == field.type
    assert any(note.startswith("text, since") for note in field.notes)


@pytest.mark.parametrize(
    ("form", "example"),
    [
        ("date-time", "2019-03-05T10:00:00Z"),
        ("date-time", "2019-03-05T10:00:00.123+02:00"),
        ("date", "2019-03-05"),
        ("time", "18:00:00"),
        ("uuid", "00000000-0000-0000-0000-00000000000A"),
        ("uuid", None),
    ],
)
def test_text_whose_example_fits_its_format_is_typed(tmp_path: Path, form: str, example: str | None) -> None:
    assert "string" != read_property(tmp_path, {"type": "string", "format": form, "example": example}).type


@pytest.mark.parametrize("schema", [{"format": "byte"}, {"format": "binary"}])
def test_file_content_is_text_for_review(tmp_path: Path, schema: Any) -> None:
    field = read_property(tmp_path, {"type": "string", **schema})
    assert ("string", True) == (field.type, field.notes[0].startswith("review: file content"))


def test_the_file_type_of_swagger_2_is_text_for_review(tmp_path: Path) -> None:
    field = read(tmp_path, swagger({"properties": {"f": {"type": "file"}}})).root.fields[0]
    assert ("string", True) == (field.type, field.notes[0].startswith("review: file content"))


@pytest.mark.parametrize(
    ("schema", "attributes"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 5}, ("MinLength(1)", "MaxLength(5)")),
        ({"type": "string", "pattern": '^"\\d+\\\\$'}, ('Pattern("^\\"\\\\d+\\\\\\\\$")',)),
        ({"type": "string", "format": "uuid", "maxLength": 36}, ()),
        ({"type": "string", "enum": ["a", "b"], "maxLength": 1}, ()),
        ({"type": "string", "maxLength": 2**40}, ()),
        ({"type": "integer", "minimum": 1, "maximum": 9}, ("Minimum(1)", "Maximum(9)")),
        ({"type": "number", "minimum": 0.5, "multipleOf": 0.01}, ("Minimum(0.5)", "MultipleOf(0.01)")),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, ("ExclusiveMinimum(0)",)),
        (
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            ("ExclusiveMinimum(0)", "ExclusiveMaximum(1)"),
        ),
        ({"type": "number", "maximum": 1e22}, ("Maximum(1e+22)",)),
        ({"type": "integer", "minimum": -(2**63)}, (f"Minimum({-(2**63)})",)),
        ({"type": "integer", "minimum": 10**400}, ()),
        ({"type": "integer", "minimum": "1"}, ()),
        ({"type": "array", "items": {}, "minItems": 1, "uniqueItems": True}, ("MinItems(1)", "UniqueItems(true)")),
        ({"type": "array", "items": {}, "uniqueItems": False}, ()),
        ({"type": "integer", "readOnly": True}, ("ReadOnly",)),
    ],
)
def test_limits_become_attributes_that_compile(tmp_path: Path, schema: Any, attributes: tuple[str, ...]) -> None:
    assert attributes == read_property(tmp_path, schema).attributes


@pytest.mark.parametrize(
    "name",
    ["email", "contactEmail", "client_secret", "IBAN", "bankAccountNumber", "birth_date", "dateOfBirth", "ipAddress"],
)
def test_names_of_personal_and_secret_values_propose_write_only_for_review(tmp_path: Path, name: str) -> None:
    field = read_properties(tmp_path, {name: {"type": "string"}})[name]
    assert ("WriteOnly",) == field.attributes
    assert field.notes[0].startswith("review: WriteOnly proposed")


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("email_verified", {"type": "boolean"}),
        ("max_tokens", {"type": "integer"}),
        ("emails_url", {"type": "string"}),
        ("secretary", {"type": "string"}),
        ("zipper", {"type": "string"}),
        ("email", {"type": "string", "enum": ["all", "none"]}),
    ],
)
def test_harmless_neighbours_of_such_names_are_left_alone(tmp_path: Path, name: str, schema: Any) -> None:
    assert () == read_properties(tmp_path, {name: schema})[name].attributes


@pytest.mark.parametrize("form", ["password", "email", "ipv4"])
def test_formats_of_personal_and_secret_values_count_as_well(tmp_path: Path, form: str) -> None:
    assert ("WriteOnly",) == read_property(tmp_path, {"type": "string", "format": form}).attributes


def test_a_write_only_property_is_never_required_of_a_response(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"type": "string", "writeOnly": True})
    assert (False, True, ("writeOnly: sent in requests only",)) == (field.required, field.nullable, field.notes)


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("one\n\n two\tthree ", "one two three"),
        ("code: ```json\n{}\n``` end", "code: {} end"),
        ("// [SCHMITH:BEGIN X]", "// (SCHMITH BEGIN X]"),
        ("a\u2028b\u0007c", "a b c"),
        ("x" * 400, "x" * 299 + "…"),
        ("word " * 100, ("word " * 59).strip() + "…"),
    ],
)
def test_descriptions_are_one_harmless_line(tmp_path: Path, text: str, read_as: str) -> None:
    assert read_as == read_property(tmp_path, {"type": "string", "description": text}).description


def test_a_title_stands_in_for_a_description(tmp_path: Path) -> None:
    endpoint = read(tmp_path, spec({"title": "A thing", "type": "object", "properties": {"a": {"type": "string"}}}))
    assert "A thing" == endpoint.root.description


def test_a_number_above_two_to_the_53_stays_exact(tmp_path: Path) -> None:
    field = read_property(tmp_path, {"type": "integer", "format": "int64", "default": 9007199254740993})
    assert ("default 9007199254740993",) == field.notes

"""A schema in the manner of another library means the same: optional arguments, references, lists of constants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.policy.language.plain_schemas import plain_schema
from tests.recipes.policy.english.meanings import decision_of, frame_of, meaning_of

NULL: dict[str, Any] = {"type": "null"}
STATUS: dict[str, Any] = {"enum": ["open", "closed"], "type": "string"}


@pytest.mark.parametrize(
    ("plain", "written"),
    [
        ({"type": ["string", "null"], "default": None}, {"anyOf": [{"type": "string"}, NULL], "default": None}),
        ({"type": ["integer", "null"]}, {"oneOf": [NULL, {"type": "integer"}]}),
        (STATUS, {"$ref": "#/$defs/Status"}),
        ({**STATUS, "description": "The state"}, {"allOf": [{"$ref": "#/$defs/Status"}], "description": "The state"}),
        ({**STATUS, "type": ["string", "null"]}, {"anyOf": [{"$ref": "#/$defs/Status"}, NULL]}),
        (STATUS, {"anyOf": [{"const": "open"}, {"const": "closed"}]}),
        ({"enum": ["open"]}, {"const": "open"}),
        ({"type": "array", "items": STATUS}, {"type": "array", "items": {"$ref": "#/$defs/Status"}}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        ({"$ref": "#/$defs/Missing"}, {"$ref": "#/$defs/Missing"}),
    ],
)
def test_a_schema_is_written_without_references_and_nullable_alternatives(
    plain: dict[str, Any], written: dict[str, Any]
) -> None:
    defs: Any = {"Status": {"type": "string", "enum": ["open", "closed"]}}
    found: Any = plain_schema({"$defs": defs, "properties": {"x": written}})
    assert plain == found["properties"]["x"]


def test_a_schema_that_refers_to_itself_ends() -> None:
    tree: Any = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}}
    found: Any = plain_schema({"$defs": {"Tree": tree}, "properties": {"tree": {"$ref": "#/$defs/Tree"}}})
    assert {"$ref": "#/$defs/Tree"} == found["properties"]["tree"]["properties"]["left"]


OPTIONAL: dict[str, Any] = {"anyOf": [{"type": "string"}, NULL], "default": None}
TRACKER = {
    "create_issue": ("Create an issue", {"title": {"type": "string"}, "state": {"anyOf": [STATUS, NULL]}}),
    "update_issue": (
        "Update an issue",
        {"issue_id": {"type": "string"}, "title": OPTIONAL, "state": {"anyOf": [STATUS, NULL], "default": None}},
    ),
    "set_password": ("Update the password of the user", {"password": {"type": "string"}}),
}


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        ({"deny create_issue update_issue state is given state is closed"}, "Never close an issue."),
        ({"deny set_password"}, "Never update passwords."),
    ],
)
def test_a_sentence_is_read_for_the_optional_arguments_of_a_python_server(rules: set[str], text: str) -> None:
    required = {"create_issue": ("title",), "update_issue": ("issue_id",), "set_password": ("password",)}
    assert rules == meaning_of(text, frame_of("tracker", TRACKER, required=required))


def test_a_schema_with_a_list_of_types_is_read() -> None:
    letters = {
        "send_email": ("Send an email", {"to": {"type": "string", "description": "Email address of the recipient"}}),
        "create_filter": ("Create a filter", {"forward": {"type": ["string", "null"], "description": "Email address"}}),
    }
    frame = frame_of("mail", letters, roles={"to": "email-address", "forward": "email-address"})
    assert meaning_of("Never email anyone outside acme.com.", frame)


GUEST: dict[str, Any] = {
    "type": "object",
    "properties": {"email": {"type": "string"}, "optional": {"type": "boolean"}},
    "required": ["email"],
}


@pytest.mark.parametrize(("decision", "guest"), [("allow", "lee@acme.com"), ("deny", "eve@other.com")])
def test_the_names_in_the_objects_of_an_optional_list_are_not_taken_for_values(decision: str, guest: str) -> None:
    guests: dict[str, Any] = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Guest"}}, NULL], "default": None}
    tools = {"create_event": ("Create an event", {"title": {"type": "string"}, "attendees": guests})}
    frame = frame_of("calendar", tools, required={"create_event": ("title",)}, roles={"attendees": "email-address"})
    tool = frame.tools["calendar", "create_event"]
    schema: Any = {**(tool.input_schema or {}), "$defs": {"Guest": GUEST}}
    frame = replace(frame, tools={("calendar", "create_event"): replace(tool, input_schema=schema)})
    text = "Never invite anyone outside acme.com."
    arguments = {"title": "Sync", "attendees": [{"email": guest, "optional": True}]}
    assert decision == decision_of(text, frame, "create_event", **arguments)

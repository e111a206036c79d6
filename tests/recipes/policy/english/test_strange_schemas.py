"""Tools whose schemas are unusual are read like others, and nothing breaks."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.annotating.proposing import ListedTool, propose_roles
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import TEXT, frame_of

STRANGE: dict[str, Any] = {
    "several types": {"type": ["integer", "string"], "description": "Project. 0 = none, 1 = first, 2 = second"},
    "null too": {"type": ["array", "null"], "items": {"type": ["string", "null"]}},
    "values of all types": {"enum": [None, 1, True, "a", ["b"], {"c": 1}], "description": "a (first), 1 (second)"},
    "alternatives": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    "a reference": {"$ref": "#/$defs/project"},
    "any value": True,
    "no value": {},
    "a type that is no text": {"type": 5},
    "items that are no schema": {"type": "array", "items": [1, "x"]},
    "properties that are no schemas": {"type": "object", "properties": {"state": 3, "labels": None, "to": []}},
    "an empty list of values": {"enum": []},
    "bounds that are texts": {"type": "string", "maxLength": "many", "minimum": "none"},
    "a description that is no text": {"type": "string", "description": ["Project"]},
    "a default that is a list": {"type": "boolean", "default": [1]},
    "a constant": {"const": "closed"},
}
SENTENCES = (
    "Never delete anything. Never close issues in project acme. Ask before more than 3 issues per day. "
    "Only create issues with the label bug. You may list issues but not change them. No issues over 5. "
    "Never send emails to people outside acme.example. Don't touch the acme project. Never merge on Fridays."
)


@pytest.mark.parametrize("why", STRANGE)
def test_no_schema_breaks_the_reading_of_sentences(why: str) -> None:
    strange = STRANGE[why]
    tools = {
        "create_issue": ("Create an issue", {"project": strange, "title": TEXT, "labels": strange}),
        "update_issue": ("Update an issue", {"id": strange, "state": strange, "count": strange}),
        "list_issues": ("List issues", {"project": strange}),
        "delete_project": ("Delete a project", {"project": strange}),
        "send_email": ("Send an email", {"to": strange, "body": TEXT}),
    }
    made = compile_clauses(SENTENCES, frame_of("hub", tools, required={one: [] for one in tools}))
    assert len(SENTENCES.split(". ")) >= len(made.refused)
    assert made.rules


@pytest.mark.parametrize("why", STRANGE)
def test_no_schema_breaks_the_proposal_of_roles(why: str) -> None:
    schema: Any = {"properties": {"path": STRANGE[why], "query": STRANGE[why], "to": STRANGE[why]}}
    found = propose_roles("hub", ListedTool(name="update_issue", description="Update", schema=schema, hints={}))
    assert {"path", "query", "to"} == set(found)

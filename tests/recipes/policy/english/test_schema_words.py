"""Sentences in the words of a tool's schema: its units, its listed values, its arguments."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.making.judging.clause_state import missing_state

NUMBER, TEXT = {"type": "integer"}, {"type": "string"}
TOOLS: dict[str, dict[str, Any]] = {
    "start_firing": {
        "kiln": TEXT,
        "duration_minutes": NUMBER,
        "glaze": {"type": "string", "enum": ["bisque", "ash_matt", "raku"]},
    },
    "rent_boat": {"boat": TEXT, "hours": NUMBER, "price_per_hour": NUMBER},
    "set_shutter_mode": {"mode": {"type": "string", "enum": ["slow", "loud"]}},
    "heat_bath": {"temperature": NUMBER},
    "visit_bay": {"bay": TEXT},
    "tilt_mirror": {"mirror": TEXT, "angle": NUMBER},
    "make_payment": {"total": NUMBER, "cost_center": TEXT},
    "set_exhibit_state": {"exhibit_id": TEXT, "state": {"type": "string", "enum": ["hide", "unveil"]}},
    "update_exhibit": {"exhibit_id": TEXT, "caption": TEXT, "state": {"type": "string", "enum": ["hide", "unveil"]}},
}


def frame() -> Policy:
    tools = [
        {
            "toolName": name,
            "args": {arg: ["none"] for arg in args},
            "inputSchema": {"type": "object", "properties": args, "required": ["state"] if "state" in args else []},
        }
        for name, args in TOOLS.items()
    ]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}}
    return Policy.of_json(value | {"annotations": {"servers": {"studio": {"tools": tools}}}})


def meaning(text: str) -> set[str]:
    """Return what a sentence means, one line for each rule and test. Empty if it or its numbers are not read."""
    known = frame()
    made = compile_clauses(text, known)
    if missing_state(text, made.rules, tools=list(known.tools.values())):
        return set()
    return {
        f"{one.then} {' '.join(one.when.tool or ())} {' '.join(test.words for test in one.when.where)}".strip()
        for one in made.rules
    }


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Firings must not be longer than 90 minutes.", "deny start_firing duration_minutes > 90"),
        ("Never start a firing over 2 hours.", "deny start_firing duration_minutes > 120"),
        ("Never rent a boat for more than 90 minutes.", "deny rent_boat hours > 1.5"),
        ("Never rent a boat that costs more than 40 euros per hour.", "deny rent_boat price_per_hour > 40"),
    ],
)
def test_a_number_is_compared_in_the_unit_of_its_argument(text: str, wanted: str):
    assert {wanted} == meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never rent a boat that costs more than 40 euros.",
        "Never rent a boat that costs more than 40 euros per day.",
        "Never start a firing over 2 MB.",
        "Never start a firing over 2 months.",
    ],
)
def test_a_number_in_a_unit_that_no_argument_has_is_refused(text: str):
    assert set() == meaning(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Never start a firing with glaze ash matt.", {"deny start_firing glaze is ash_matt"}),
        ("Never unveil an exhibit.", {"deny set_exhibit_state update_exhibit state is unveil"}),
        (
            "You may start bisques, but never start rakus.",
            {"allow start_firing glaze is bisque", "deny start_firing glaze is raku"},
        ),
    ],
)
def test_a_listed_value_is_read_as_a_name_a_verb_or_a_kind(text: str, wanted: set[str]):
    assert wanted == meaning(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Do not set an angle over 60.", {"deny tilt_mirror angle > 60"}),
        ("Never set the temperature above 24.", {"deny heat_bath temperature > 24"}),
        (
            "The shutter mode may be set to slow, never to loud.",
            {
                "allow set_shutter_mode mode is slow",
                "deny set_shutter_mode mode is given mode is loud",
            },
        ),
        ("Do not set an angle.", set[str]()),
        ("Keep the angle below 60.", {"deny tilt_mirror angle >= 60"}),
        ("Never visit the bay North Pier.", {"deny visit_bay bay is North Pier"}),
        ("Ask me for payments over 20 euros.", {"escalate make_payment total > 20"}),
    ],
)
def test_an_argument_is_read_as_what_is_set(text: str, wanted: set[str]):
    assert wanted == meaning(text)


def test_a_listed_value_is_no_kind_of_what_is_changed_later():
    assert set() == meaning("Never update rakus.")

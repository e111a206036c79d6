"""A noun that only names an argument is no sentence about every call of the tool."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.house_tools import CLUSTER, EVENTS, ROOMS
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy

HOME = frame_of(
    "home",
    {
        "buy_groceries": ("Order groceries.", {"item": TEXT, "store": TEXT, "alcohol": FLAG}),
        "play_music": ("Play music.", {"artist": TEXT, "volume": NUMBER}),
    },
)


@pytest.mark.parametrize("text", ["Stores need approval.", "Volume needs approval.", "Artists are forbidden."])
def test_a_noun_of_an_argument_alone_is_refused(text: str):
    assert set() == meaning_of(text, HOME)


def test_a_noun_of_a_flag_is_about_the_flag_and_one_of_the_tool_about_all_its_calls():
    assert {"deny buy_groceries alcohol is True"} == meaning_of("Alcohol is forbidden.", HOME)
    assert {"escalate buy_groceries"} == meaning_of("Groceries need approval.", HOME)


def decision(text: str, frame: Policy, name: str, **arguments: Any) -> str:
    """Return how a sentence decides a call beside a permission of all others."""
    rules = [*compile_clauses(text, frame).rules, *compile_clauses("Allow using any tool of calendar.", frame).rules]
    call = ToolCall(server="calendar", tool=name, arguments={"calendarId": "primary", **arguments})
    return evaluate(replace(frame, rules=tuple(rules)), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(
    ("wanted", "guest"),
    [
        ("allow", {"email": "ada@acme.example"}),
        ("allow", {"email": "ada@acme.example", "optional": True}),
        ("deny", {"email": "eve@evil.example"}),
        ("deny", {"email": "ada@acme.example", "optional": "eve@evil.example"}),
        ("deny", {"email": "ada@acme.example", "eve@evil.example": True}),
        ("deny", {"email": ["ada@acme.example", "eve@evil.example"]}),
        ("deny", {"email": "ada@acme.example, eve@evil.example"}),
        ("deny", {"optional": True}),
    ],
)
def test_a_guest_that_is_an_object_is_the_address_in_it_and_nothing_is_hidden_beside_it(wanted: str, guest: Any):
    text = "Never invite people whose address is not at acme.example."
    guests = [{"email": "bob@acme.example"}, guest]
    assert wanted == decision(text, EVENTS, "update-event", eventId="e", attendees=guests)


def test_guests_that_are_objects_are_counted():
    guests: list[Any] = [{"email": f"guest{number}@acme.example"} for number in range(4)]
    text = "No event may have more than three attendees."
    assert "allow" == decision(text, EVENTS, "update-event", eventId="e", attendees=guests[:3])
    assert "deny" == decision(text, EVENTS, "update-event", eventId="e", attendees=guests)
    assert "deny" == decision(text, EVENTS, "update-event", eventId="e", attendees=[{"email": "a@b.c, d@e.f"}, *guests])


def test_what_a_tool_does_beside_a_permission_is_not_permitted():
    assert set() == meaning_of("You may view pods.", CLUSTER)  # their logs are something else
    assert {"allow kubectl_get resourceType is po or pod or pods"} == meaning_of("You may get pods.", CLUSTER)


def test_who_may_reschedule_meetings_may_change_nothing_else_of_them():
    (found,) = meaning_of("You may reschedule meetings.", EVENTS)
    assert {"allow update-event summary is left out", "attendees is left out"} <= set(
        re.split(r"(?<=left out) ", found)
    )


def test_who_must_create_nothing_must_not_apply_or_install_it():
    wanted = {
        "deny exec_in_pod",
        "deny install_helm_chart kubectl_apply namespace is production",
        "deny kubectl_apply manifest is given manifest like *production*",
    }
    assert wanted == meaning_of("Never create anything in the production namespace.", CLUSTER)


@pytest.mark.parametrize("text", ["Never turn off the lights.", "Never turn on the lights in the nursery."])
def test_a_light_that_must_not_be_switched_is_not_only_safe_from_the_tools_that_switch(text: str):
    assert set() == meaning_of(text, ROOMS)  # its brightness may be set


@pytest.mark.parametrize(
    "text", ["Only unlock the front door.", "You may unlock the front door.", "Unlock the front door."]
)
def test_a_door_that_may_be_unlocked_is_not_every_one_whose_name_contains_its_name(text: str):
    assert set() == meaning_of(text, ROOMS)


@pytest.mark.parametrize(
    ("wanted", "times"),
    [
        ("allow", {"start": "2026-03-10T10:00:00", "end": "2026-03-10T11:00:00"}),
        ("deny", {"start": "2026-03-10T10:00:00", "end": "2026-03-10T11:01:00"}),
        ("deny", {"start": "2026-03-10T23:30:00", "end": "2026-03-11T01:00:00"}),
        ("deny", {"start": "2026-03-10T10:00:00+02:00", "end": "2026-03-10T10:00:00+00:00"}),
        ("deny", {"end": "2026-03-10T11:00:00"}),  # the start of the event is not in the call
        ("deny", {"start": "2026-03-10T10:00:00", "end": "tonight"}),
        ("allow", {"summary": "One hour"}),
    ],
)
def test_a_change_of_one_time_may_make_an_event_longer(wanted: str, times: dict[str, str]) -> None:
    assert wanted == decision("Meetings can't be longer than one hour.", EVENTS, "update-event", eventId="e", **times)

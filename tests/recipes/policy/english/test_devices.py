"""Rules that people write for the devices of a home, where a call chooses them by name, area and domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.english.assist_tools import ASSIST, decided, is_read
from tests.recipes.policy.english.listed_servers import listed_frame
from tests.recipes.policy.english.meanings import TEXT

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.mark.parametrize(
    ("wanted", "others", "text"),
    [
        (
            ("TurnOff; name=Back Door", "TurnOff; domain=lock", "TurnOff; name=Haustür", "TurnOff"),
            ("TurnOff; name=Desk Lamp", "TurnOff; name=Garage; domain=cover", "TurnOn; name=Front Door"),
            "Never unlock any door.",
        ),
        (
            ("TurnOff; name=Front Door; domain=lock", "TurnOn; name=Front Door; domain=cover"),
            ("TurnOn; name=Front Door; domain=lock", "TurnOff; name=Desk Lamp"),
            "Never open the front door.",
        ),
        (
            ("TurnOff; name=Front Door", "TurnOff; domain=lock"),
            ("TurnOff; name=Back Door", "TurnOn; name=Front Door"),
            "Keep the front door locked at all times.",
        ),
        (
            ("TurnOn; name=Garage Door; at=23", "SetPosition; name=garage door; position=30; at=2"),
            (
                "TurnOn; name=Garage Door",
                "TurnOff; name=Garage Door; at=23",
                "TurnOn; area=Garage; domain=light; at=23",
            ),
            "The garage door must never be opened between 11pm and 6am.",
        ),
        (
            ("SetPosition; name=Office Blind; position=51", "TurnOn; name=Office Blind; domain=cover", "TurnOn"),
            ("SetPosition; name=Office Blind; position=50", "SetPosition; name=Garage Door; position=80"),
            "Blinds may never be opened more than halfway.",
        ),
        (
            ("ClimateSetTemperature; temperature=16.5", "ClimateSetTemperature; temperature=23; area=Hall"),
            ("ClimateSetTemperature; temperature=17", "ClimateSetTemperature; temperature=22; area=Hall"),
            "Keep the heating between 17 and 22 degrees.",
        ),
        (
            ("ClimateSetTemperature; temperature=21; area=Bedroom", "ClimateSetTemperature; temperature=21"),
            ("ClimateSetTemperature; temperature=20; area=Bedroom", "ClimateSetTemperature; temperature=25; area=Hall"),
            "Don't heat the bedroom above 20 degrees.",
        ),
        (
            ("SetVolume; volume_level=41", "SetVolumeRelative; volume_step=10"),
            ("SetVolume; volume_level=40", "SetVolumeRelative; volume_step=-10", "LightSet; brightness=90"),
            "Keep the volume at 40 or lower.",
        ),
        (
            (
                "TurnOff; name=Freezer",
                "TurnOff; domain=switch",
                "TurnOff; area=Kitchen",
                "TurnOff; name=Gefrierschrank",
            ),
            ("TurnOff; domain=light", "TurnOff; name=Coffee Machine", "TurnOff; name=Front Door; domain=lock"),
            "Never turn off the freezer.",
        ),
        (
            ("TurnOn; area=Bedroom; domain=light; at=23", "LightSet; name=Bedroom Lamp; at=23", "TurnOn; at=23"),
            ("TurnOn; area=Bedroom; domain=light", "TurnOn; area=Kitchen; domain=light; at=23"),
            "Don't turn on the lights in the bedroom between 22:00 and 07:00.",
        ),
        (
            ("TurnOff; area=Nursery; domain=light", "VacuumStart; area=nursery", "LightSet; name=Nursery Lamp"),
            ("TurnOn; area=Kitchen; domain=light", "ListAddItem; item=nursery wipes; name=Shopping List"),
            "Everything in the baby's room (area Nursery) is off limits.",
        ),
        (
            ("VacuumStart; at=21", "TurnOn; name=Robby; domain=vacuum; at=7"),
            ("VacuumStart", "VacuumReturnToBase; at=22"),
            "Don't start the vacuum when it's before 8am or after 8pm.",
        ),
        (
            ("MediaSearchAndPlay; at=23", "MediaSearchAndPlay; media_class=album; at=22"),
            ("MediaSearchAndPlay", "MediaSearchAndPlay; media_class=movie; at=23"),
            "No music after 10 pm.",
        ),
        (
            ("ListCompleteItem; item=milk; name=Shopping List", "ListCompleteItem; item=milk; name=Einkaufsliste"),
            ("ListCompleteItem; item=milk; name=To Do", "ListAddItem; item=milk; name=Shopping List"),
            "Don't tick anything off the shopping list.",
        ),
        (("CancelAllTimers",), ("Broadcast; message=x",), "Don't cancel any timers."),
    ],
)
def test_what_is_forbidden(wanted: Sequence[str], others: Sequence[str], text: str):
    assert dict.fromkeys(wanted, "deny") | dict.fromkeys(others, "allow") == decided(text, (*wanted, *others))


@pytest.mark.parametrize(
    ("wanted", "others", "text"),
    [
        (
            ("TurnOn; name=Garage Door; domain=cover", "SetPosition; name=Garage Door; position=30"),
            ("SetPosition; name=Garage Door; position=0", "SetPosition; name=Bedroom Blinds; position=100"),
            "Ask me before opening the garage door.",
        ),
        (
            ("ClimateSetTemperature; temperature=24.5",),
            ("ClimateSetTemperature; temperature=24",),
            "Ask me if you want to set the heating higher than 24.",
        ),
        (("Broadcast; message=x",), ("SetVolume; volume_level=20",), "Don't broadcast anything without asking."),
        (("TurnOff; name=Front Door",), ("TurnOn; name=Front Door",), "Unlocking the front door needs my approval."),
        (("VacuumStart",), ("VacuumReturnToBase",), "Only start the vacuum with my permission."),
    ],
)
def test_what_is_asked(wanted: Sequence[str], others: Sequence[str], text: str):
    assert dict.fromkeys(wanted, "escalate") | dict.fromkeys(others, "allow") == decided(text, (*wanted, *others))


@pytest.mark.parametrize(
    ("wanted", "others", "text"),
    [
        (
            ("TurnOn; area=Kitchen; domain=light", "LightSet; name=Desk Lamp; brightness=60", "TurnOn; name=Desk Lamp"),
            ("TurnOn; domain=light,switch", "TurnOn", "TurnOff; name=Front Door; domain=lock", "GetLiveContext"),
            "You may control the lights, nothing else.",
        ),
        (
            ("TurnOn; area=Living Room; domain=light", "TurnOff; name=Floor Lamp; area=living room; domain=light"),
            ("TurnOn; area=Living Room", "TurnOff; domain=light", "TurnOn; area=Bedroom; domain=light"),
            "You may switch the lights in the living room on and off.",
        ),
        (
            ("ListAddItem; item=milk; name=shopping list",),
            ("ListRemoveItem; item=milk; name=Shopping List", "ListAddItem; item=taxes; name=Work", "TurnOn"),
            "You can add things to the shopping list but don't remove or complete items.",
        ),
        (
            ("MediaSearchAndPlay; area=Kitchen; media_class=album",),
            ("MediaSearchAndPlay; area=Bedroom", "MediaSearchAndPlay", "MediaSearchAndPlay; name=Sonos"),
            "Only play music in the kitchen.",
        ),
        (
            ("TurnOn; name=Garage Door; domain=cover",),
            ("TurnOn; name=Garage Door; at=22", "SetPosition; name=Garage Door; position=100; at=23"),
            "Only open the garage door between 7am and 9pm.",
        ),
        (("VacuumStart; at=11",), ("VacuumStart; at=17",), "The vacuum may only run between 10am and 4pm."),
        (
            ("ClimateSetTemperature; temperature=22",),
            ("ClimateSetTemperature; temperature=22.5",),
            "You may set the heating to at most 22 degrees.",
        ),
        (
            ("TurnOn; name=Front Door; domain=lock",),
            ("TurnOff; name=Front Door; domain=lock", "TurnOn; name=Desk Lamp"),
            "You may lock the doors but never unlock them.",
        ),
    ],
)
def test_what_is_permitted(wanted: Sequence[str], others: Sequence[str], text: str):
    assert dict.fromkeys(wanted, "allow") | dict.fromkeys(others, "deny") == decided(text, (*wanted, *others))


@pytest.mark.parametrize(
    "text",
    [
        "Never turn the heating on.",  # to set a temperature may do it
        "Only unlock the front door.",  # which other names are doors?
        "Never unlock the front door if nobody is at home.",
        "Don't use the fan at night.",
        "Never turn off anything except the lights.",
        "You may open the blinds and never close them on Sundays.",
    ],
)
def test_what_is_not_sure_is_refused(text: str):
    assert not is_read(text)


def test_a_script_may_do_what_is_forbidden():
    strange = listed_frame(
        "home",
        {
            "HassTurnOn": ("Turns on", {"name?": TEXT, "area?": TEXT}),
            "HassTurnOff": ("Turns off", {"name?": TEXT, "area?": TEXT}),
            "leaving_home": ("Runs the script for leaving home", {}),
        },
    )
    assert not is_read("Keep the front door locked.", strange)
    assert is_read("Keep the front door locked.", ASSIST)

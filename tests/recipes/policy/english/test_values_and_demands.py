"""Sentences that give values to arguments, and that demand something of things, with tools of a harbour."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "create_berth": ("Create a berth.", {"berth_type": TEXT, "length": NUMBER, "heated": FLAG}),
    "delete_berth": ("Delete a berth.", {"berth": told("Name of the berth")}),
    "rent_boat": (
        "Rent a boat to a skipper.",
        {"boat": told("Name of the boat"), "skipper": told("Full name of the skipper"), "hours": NUMBER},
    ),
    "send_parcel": (
        "Send a parcel.",
        {"depot": told("Name of the depot"), "weight_kg": NUMBER, "slot": NUMBER, "note": TEXT, "tracking": FLAG},
    ),
    "ring_bell": ("Ring the bell of a tower.", {"tower": told("Name of the tower")}),
    "post_notice": (
        "Publish a notice.",
        {"board": told("Name of the board"), "text": TEXT, "kind": {"type": "string", "enum": ["storm", "lost_item"]}},
    ),
    "delete_notice": ("Delete a notice.", {"notice_id": TEXT}),
    "print_signs": ("Print signs.", {"quay": told("Name of the quay"), "copies": NUMBER, "language": TEXT}),
    "value_cargo": ("Value a cargo.", {"insured_value": NUMBER}),
    "waive_buoy": ("Waive a buoy.", {"buoy_fee_id": TEXT}),
    "order_rope": ("Order rope.", {"quantity": NUMBER, "price": NUMBER}),
    "file_claim": ("Enter a claim.", {"amount": told("Amount in euros", NUMBER)}),
    "power_crane": (
        "Start, stop or lift a crane.",
        {"crane": TEXT, "action": {"type": "string", "enum": ["on", "off"]}},
    ),
    "moor_ship": ("Moor a ship at a harbor.", {"harbor": told("Name of the harbor"), "ship": TEXT}),
    "delete_chart": ("Delete a file with a chart.", {"path": TEXT}),
}


FRAME = frame_of("harbour", TOOLS, roles={"path": "delete-path"})


def _meaning(text: str) -> set[str]:
    return meaning_of(text, FRAME)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Never rent a boat to Jo Okafor.", {"deny rent_boat skipper is Jo Okafor or jo okafor"}),
        ("Ask me before renting a boat to Dr. Novak.", {"escalate rent_boat skipper is Dr. Novak"}),
        ("Never send parcels to the depots North 2 and Pier 4B.", {"deny send_parcel depot is North 2 or Pier 4B"}),
        ("Never create a berth of type b12 or b13.", {"deny create_berth berth_type is b12 or b13"}),
        ("Never delete a berth whose name starts with x-.", {"deny delete_berth berth like x-*"}),
        ("Do not send parcels in slot 4.", {"deny send_parcel slot is 4"}),
        ("Never create heated berths.", {"deny create_berth heated is True"}),
        ("Parcels with tracking need my approval.", {"escalate send_parcel tracking is True"}),
        ("Never moor a ship at the Vega Harbor.", {"deny moor_ship harbor is Vega Harbor"}),
        ("Never order more than 20 ropes at once.", {"deny order_rope quantity > 20"}),
        ("Never delete any PDF or .csv files.", {"deny delete_chart path like *.pdf or *.csv"}),
    ],
)
def test_a_value_belongs_to_the_argument_of_its_noun_its_type_or_its_preposition(text: str, wanted: set[str]):
    assert wanted == _meaning(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Berths must be heated.", {"deny create_berth unless heated is True"}),
        ("New berths must be of type b12.", {"deny create_berth unless berth_type is b12"}),
        ("Parcels to the depot North 2 must have a note.", {"deny send_parcel depot is North 2 unless note like *"}),
        ("Never send a parcel without a note.", {"deny send_parcel unless note like *"}),
        ("No claim may be higher than 1,500 euros.", {"deny file_claim amount > 1500"}),
        ("Notices must never be of kind storm.", {"deny post_notice kind is storm"}),
        ('Notices must not contain the word "sale".', {"deny post_notice text like *sale*"}),
        ("At most 3 notices a day.", {"deny post_notice the number of such calls in any 24 hours > 3"}),
        ("Rentals need my approval if they are longer than 3 hours.", {"escalate rent_boat hours > 3"}),
    ],
)
def test_what_is_demanded_of_a_thing_is_demanded_of_the_calls_that_make_it(text: str, wanted: set[str]):
    assert wanted == _meaning(text)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("You may enter claims.", {"allow file_claim"}),
        ("Rentals may last up to 4 hours.", {"allow rent_boat hours >= 0 and <= 4"}),
        ("Notices may be posted, but not as a storm.", {"allow post_notice", "deny post_notice kind is storm"}),
        (
            "You may print signs for any quay except the West Quay.",
            {"allow print_signs", "deny print_signs quay is West Quay"},
        ),
        (
            "Parcels may be sent at any time except between 8:00 and 18:00.",
            {"allow send_parcel unless the time is between 08:00 and 18:00"},
        ),
        ("Never send parcels after 19:00.", {"deny send_parcel the time is between 19:00 and 00:00"}),
    ],
)
def test_descriptions_limits_and_exceptions_are_read(text: str, wanted: set[str]):
    assert wanted == _meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never ring the bell for Charlie.",  # no tower
        "You may print signs in German.",  # no quay
        "Never rent a boat to Marketing.",  # nobody
        "You may start cranes.",  # the tool stops them as well
        "You may send parcels after 19:00.",  # until when?
        "Parcels may be up to 30 kg.",  # a permission, or only a limit?
        "Parcels must be sealed.",
        "Parcels must be sent to the depot North 2 in winter.",
        "Parcels must have a note or be heavy.",
        "Some berths must be heated.",
        "Every berth must be deleted.",
        "Buoys of more than 20 euros must be approved by me.",  # `buoy_fee_id` is no amount
        "Never delete heated berths.",
        "Only delete PDF files.",  # a permission for files needs a place
        "Heated berths need my approval.",  # deleting one, too
        "At most 3 notices per tower and day.",
    ],
)
def test_a_value_or_demand_that_may_mean_something_else_is_refused(text: str):
    assert set() == _meaning(text)


def test_a_number_of_one_thing_limits_no_amount_of_another_tool():
    assert {"deny print_signs copies > 50"} == _meaning("Never print more than 50 copies.")

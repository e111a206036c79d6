"""Sentences about an attribute: changed at all, set to values, only to values; repeating things and accounts.

Each row has what a sentence means, or nothing if it may mean something else and is refused.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.common_tools import MANY
from tests.recipes.policy.english.meanings import FLAG, MAY_BE_ID, NUMBER, TEXT, frame_of, meaning_of, told

STATE: dict[str, Any] = {"type": "string", "enum": ["requested", "confirmed", "finished"]}
ROOM: dict[str, Any] = {"type": "string", "enum": ["small", "large"]}
FREE: dict[str, Any] = {"type": "object"}
KENNEL = frame_of(
    "kennel",
    {
        "search_bookings": ("Search bookings.", {"state": STATE}),
        "create_booking": ("Create a booking for a dog.", {"dog_id": TEXT, "state": STATE, "room": ROOM}),
        "update_booking": (
            "Change a booking.",
            {
                "booking_id": TEXT,
                "state": {**STATE, "description": "New state"},
                "room": ROOM,
                "keeper": told("New keeper"),
                "price": told("New price in euros", NUMBER),
            },
        ),
        "update_owner_contact": (
            "Change an owner's contact data.",
            {"owner_id": TEXT, "email": told("New email address"), "address": told("New postal address")},
        ),
        "add_tags": ("Add tags to a booking.", {"booking_id": TEXT, "tags": MANY}),
        "remove_tags": ("Remove tags from a booking.", {"booking_id": TEXT, "tags": MANY}),
        "send_note": ("Send a note to an owner.", {"owner_id": TEXT, "text": TEXT}),
    },
    required={
        "search_bookings": [],
        "create_booking": ["dog_id"],
        "update_booking": ["booking_id"],
        "update_owner_contact": ["owner_id"],
        "add_tags": ["booking_id", "tags"],
        "remove_tags": ["booking_id", "tags"],
        "send_note": ["owner_id", "text"],
    },
)
SHIFTS = frame_of(
    "shifts",
    {
        "create_shift": ("Create a shift.", {"start": TEXT, "assignees": told("Usernames to assign", MANY)}),
        "update_shift": ("Change a shift.", {"shift_id": TEXT, "assignees": told("New assignees", MANY)}),
        "assign_task": ("Assign a task to a crew.", {"task_id": TEXT, "crew": told("Crew, e.g. harbor, quay")}),
    },
    required={
        "create_shift": ["start"],
        "update_shift": ["shift_id"],
        "assign_task": ["task_id", "crew"],
    },
)
# Each server has a tool that does what the first one shows in a way that no test of its argument sees.
HIDDEN: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "by an object of any fields": {"patch_boat": ("Patch a boat.", {"boat_id": TEXT, "fields": FREE})},
    "by a verb of its own": {"moor_boat": ("Moor a boat.", {"boat_id": TEXT})},
    "as its description says": {"finish_trip": ("End a trip, so that its boat is moored.", {"boat_id": TEXT})},
}
USERS = frame_of(
    "users",
    {"update_user": ("Update a user.", {"email": told("Email of the user"), "name": TEXT})},
    required={"update_user": ["email"]},
)
MACHINES = frame_of(
    "machines",
    {
        "create_machine": (
            "Create a machine.",
            {"name": TEXT, "machine_type": told("Type, e.g. cx22, t3.micro"), "zone": TEXT},
        ),
        "update_machine": ("Update a machine.", {"machine_id": TEXT, "machine_type": told("New type"), "zone": TEXT}),
    },
    required={
        "create_machine": ["name", "machine_type"],
        "update_machine": ["machine_id"],
    },
)
WAGES = frame_of(
    "wages",
    {"run_payroll": ("Run the payroll for a month.", {"month": TEXT, "dry_run": FLAG})},
    required={"run_payroll": ["month"]},
)
REPEAT: dict[str, Any] = {"type": "string", "enum": ["once", "weekly", "monthly"], "description": "How often"}
SOURCE = told("Account to pay from")
MONEY = frame_of(
    "money",
    {
        "send_payment": ("Send money to a payee.", {"from_account": SOURCE, "payee": TEXT, "amount": NUMBER}),
        "schedule_payment": (
            "Schedule a payment.",
            {"from_account": SOURCE, "payee": TEXT, "amount": NUMBER, "frequency": REPEAT},
        ),
        "move_between_accounts": (
            "Move money between two accounts.",
            {"from_account": told("Account to take the money from"), "to_account": TEXT, "amount": NUMBER},
        ),
        "list_entries": ("List the entries of an account.", {"account": TEXT}),
    },
)
BILLS = frame_of("bills", {"pay_bill": ("Pay a bill.", {"bill_id": TEXT, "from_account": SOURCE, "amount": NUMBER})})
NONE: set[str] = set()
SOMEBODY = "assignees is given the number of items of assignees > 0"
BOTH = frame_of(
    "both",
    {
        "send_payment": ("Send money to a payee.", {"from_account": SOURCE, "payee": TEXT, "amount": NUMBER}),
        "pay_bill": ("Pay a bill.", {"bill_id": TEXT, "from_account": SOURCE, "amount": NUMBER}),
        "buy_shares": ("Buy shares.", {"symbol": TEXT, "amount": NUMBER}),
    },
)
STATUS: dict[str, Any] = {"type": "string", "enum": ["planned", "aired"]}
FILMS = frame_of(
    "films",
    {
        "set_status": ("Set the status of a film.", {"film_id": TEXT, "status": STATUS}),
        "update_film": ("Update a film.", {"film_id": TEXT, "status": STATUS, "title": TEXT}),
    },
    required={"set_status": ["film_id", "status"], "update_film": ["film_id"]},
)
STEPS = frame_of(
    "steps",
    {
        "update_film": ("Update a film.", {"film_id": TEXT, "status": STATUS, "title": TEXT}),
        "add_step": ("Add a step to a film.", {"film_id": TEXT, "status": STATUS}),
    },
    required={"update_film": ["film_id"], "add_step": ["film_id", "status"]},
)
ORDERS = frame_of(
    "orders",
    {
        "create_standing_order": ("Create a standing order.", {"payee": TEXT, "amount": NUMBER}),
        "cancel_standing_order": ("Cancel a standing order.", {"order_id": TEXT}),
    },
)
KIND: dict[str, Any] = {"type": "string", "enum": ["film", "series"]}
LINKS = frame_of(
    "links",
    {
        "create_entry": ("Create an entry.", {"title": TEXT, "entry_type": KIND}),
        "link_entries": (
            "Connect two entries.",
            {"first": TEXT, "second": TEXT, "link_type": {"type": "string", "enum": ["sequel", "remake"]}},
        ),
    },
)
CALENDAR = frame_of(
    "calendar",
    {
        "create_event": ("Create an event.", {"calendarId": told("Name or ID of the calendar"), "title": TEXT}),
        "delete_event": ("Delete an event.", {"calendarId": told("Name or ID of the calendar"), "eventId": TEXT}),
    },
)
FINISHED = {"deny create_booking update_booking state is given state is finished"}
PRICED = {"deny update_booking price is given price >= 0", "deny update_booking price is given price < 0"}
LEFT = {"deny move_between_accounts schedule_payment send_payment from_account is Reserve or reserve"}


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (FINISHED, "Never set the state of a booking to finished."),
        (FINISHED, "A booking must never be set to finished."),
        (FINISHED, "Do not put bookings into the finished state."),
        (
            {"deny update_booking state is given state is finished"},
            "Never set the state of existing bookings to finished.",
        ),
        (FINISHED, "Setting a state of finished is not allowed."),
        (FINISHED, "Do not give a booking the state finished."),
        (
            {line.replace("deny", "escalate") for line in FINISHED},
            "Ask me before you set a booking's state to finished.",
        ),
        (
            {line.replace("finished", "confirmed or finished") for line in FINISHED},
            "Never set bookings to confirmed or finished.",
        ),
        ({"deny update_booking state is given state is finished"}, "Never change the state to finished."),
        (
            {"deny update_booking state is given state is finished"},
            "When you update a booking, never set the state to finished.",
        ),
        (
            {"deny create_booking state is given state is finished"},
            "When you create a booking, never set the state to finished.",
        ),
        (
            {"deny create_booking update_booking room is given unless room is small"},
            "Rooms may only be set to small.",
        ),
        (PRICED, "Leave the prices of existing bookings alone."),
        (PRICED, "Prices must stay as they are."),
        ({"deny update_booking keeper is given keeper like *"}, "The keeper of a booking is not for you to change."),
        (
            {
                "escalate update_booking keeper is given keeper like *",
                "escalate update_booking room is given room like *",
            },
            "Don't touch the room or the keeper of a booking without my okay.",
        ),
        (
            {"deny update_owner_contact address is given address like *"},
            "Owners' postal addresses must not be changed.",
        ),
        ({"deny update_owner_contact email is given email like *"}, "Never change an owner's email address."),
        ({"allow add_tags tags is calm or shy"}, "Feel free to tag bookings as calm or shy."),
        ({"deny add_tags tags is calm"}, "Never tag bookings as calm."),
    ],
)
def test_an_attribute_is_tested_where_a_call_gives_it(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, KENNEL)


@pytest.mark.parametrize(
    "text",
    [
        "Never change the state of finished bookings.",
        "Never change the room from small to large.",
        "Never change the price of a booking by more than 10 euros.",
        "Never set the state to finished before the dog is picked up.",
        "Never set the room to large if the dog is small.",
        "Never set the state to anything but requested.",
        "Only the price of a booking may be changed.",
        "Only set the state to finished when the owner has paid.",
        "You may set the state of a booking to confirmed.",
        "Never set a booking's state to finished or delete it.",
        "Never set the state to finished and the room to large.",
        "Never set the keeper to an intern.",
        "Do not forget to set the state to finished.",
        "Never change my booking's price.",
        "Never change the tags of a booking.",
    ],
)
def test_more_than_an_attribute_and_its_values_is_refused(text: str) -> None:
    assert NONE == meaning_of(text, KENNEL)


@pytest.mark.parametrize("hidden", HIDDEN)
@pytest.mark.parametrize(
    "text", ["Never set the status of a boat to moored.", "The status of a boat must never be changed."]
)
def test_what_another_tool_does_as_well_is_refused(text: str, hidden: str) -> None:
    status: dict[str, Any] = {"type": "string", "enum": ["moored", "rented"]}
    shown = {"set_boat_status": ("Set the status of a boat.", {"boat_id": TEXT, "status": status})}
    assert NONE != meaning_of(text, frame_of("boats", shown))
    assert NONE == meaning_of(text, frame_of("boats", shown | HIDDEN[hidden]))


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (
            SHIFTS,
            {f"deny create_shift update_shift {SOMEBODY} assignees is marta-k"},
            "Do not assign any shift to marta-k.",
        ),
        (
            SHIFTS,
            {f"deny create_shift update_shift {SOMEBODY} unless assignees is jonas or pia"},
            "Shifts must only be assigned to jonas or pia.",
        ),
        (
            SHIFTS,
            {"deny assign_task unless crew is harbor or quay", "allow assign_task crew is harbor or quay"},
            "Only assign tasks to the harbor or quay crew.",
        ),
        (
            SHIFTS,
            {f"deny create_shift update_shift {SOMEBODY} assignees is contractors"},
            'Never assign shifts to "contractors".',
        ),
        (SHIFTS, NONE, "Only assign shifts to contractors."),
        (SHIFTS, NONE, "Do not assign shifts to whoever is ill."),
        (SHIFTS, NONE, "Only assign shifts to jonas on Mondays."),
        (USERS, {"deny update_user name is given name like *"}, "Never change the name of a user."),
        (USERS, NONE, "Never change a user's email address."),
        (
            MACHINES,
            {"deny create_machine unless machine_type is t3.micro or cx22"},
            "New machines must be of type t3.micro or cx22.",
        ),
        (MACHINES, NONE, "New machines must be cheap."),
        (
            WAGES,
            {"deny run_payroll unless dry_run is True", "allow run_payroll dry_run is True"},
            "Run payroll only as a dry run.",
        ),
        (MONEY, {"deny schedule_payment frequency is weekly or monthly"}, "Don't set up payments that repeat."),
        (
            MONEY,
            {"escalate schedule_payment frequency is weekly or monthly"},
            "No standing orders or other recurring payments without my approval.",
        ),
        (MONEY, NONE, "No recurring payments over 100 euros."),
        (MONEY, NONE, "Never cancel recurring payments."),
        (MONEY, LEFT, "Never take money out of the account Reserve."),
        (
            MONEY,
            {line.replace("Reserve or reserve", "reserve") for line in LEFT},
            "Never withdraw money from my reserve account.",
        ),
        (MONEY, NONE, "Never take money out of my bank account."),
        (MONEY, NONE, "Never move money out of the reserve account on Sundays."),
        (
            MONEY,
            {"deny schedule_payment send_payment unless from_account is Kiosk or kiosk"},
            "Payments must only be made from the account Kiosk.",
        ),
        (
            MONEY,
            {"deny schedule_payment send_payment unless payee is Ada Rent or ada rent"},
            "Payments go to Ada Rent only.",
        ),
        (
            BILLS,
            {"deny pay_bill unless from_account is kiosk"},
            "Bills should only ever be paid from the kiosk account.",
        ),
        (BILLS, NONE, "Only bills may be paid from the kiosk account."),
        (BOTH, NONE, "Payments go to Ada Rent only."),
        (BOTH, NONE, "Never take money out of the account Reserve."),
        (FILMS, NONE, "You may set the status of a film to planned."),
        (
            FILMS,
            {"deny set_status status is aired", "deny update_film status is given status is aired"},
            "Never set the status of a film to aired.",
        ),
        (STEPS, NONE, "Never set the status of a film to aired."),
        (ORDERS, {"deny create_standing_order"}, "No standing orders."),
        (LINKS, {"deny create_entry entry_type is series"}, "Never set the type of an entry to series."),
        (BILLS, NONE, "Payments go to Ada Rent only."),
        (
            CALENDAR,
            {"deny create_event unless calendarId is Crew", "allow create_event calendarId is Crew"},
            "You may add events only to the calendar named Crew.",
        ),
        (
            CALENDAR,
            {"deny delete_event calendarId is Crew", f"deny delete_event calendarId {MAY_BE_ID}"},
            "Never delete events in the calendar called Crew.",
        ),
    ],
)
def test_values_of_other_arguments_mean_the_same(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)

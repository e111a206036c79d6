"""Sentences about named things, listed values and single arguments, with tools of a theatre."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told


def _one_of(*values: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


TOOLS: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "read_wall": ("Read the notes of a wall.", {"wall": told("Name of the wall"), "limit": NUMBER}, {"wall"}),
    "move_prop": ("Move a prop to another rack.", {"prop_id": TEXT, "rack": told("Name of the rack")}, set()),
    "raise_curtain": (
        "Raise or lower a curtain.",
        {"curtain": told("Name of the curtain"), "action": _one_of("raise", "lower")},
        {"curtain", "action"},
    ),
    "control_trapdoor": (
        "Open or lock a trapdoor.",
        {"trapdoor": told("Name of the trapdoor"), "action": _one_of("lock", "unlock")},
        {"trapdoor", "action"},
    ),
    "create_rehearsal": (
        "Create a rehearsal.",
        {"hall": told("Number of the hall", NUMBER), "priority": _one_of("low", "urgent"), "lead": TEXT},
        {"hall", "priority"},
    ),
    "update_rehearsal": (
        "Change a rehearsal.",
        {"rehearsal_id": TEXT, "title": TEXT, "assignee": TEXT, "seats": NUMBER, "state": _one_of("Open", "Done")},
        {"rehearsal_id"},
    ),
    "create_remark": ("Remark on a rehearsal.", {"rehearsal_id": TEXT, "text": TEXT}, {"rehearsal_id", "text"}),
    "copy_score": (
        "Copy a score to another vault.",
        {"source_vault": told("Vault to copy from"), "target_vault": told("Vault to copy to")},
        {"source_vault", "target_vault"},
    ),
    "book_dressing_room": ("Book a room.", {"room": told("Name of the room")}, {"room"}),
    "rent_costume": ("Rent a costume.", {"town": told("Town, e.g. riverton")}, {"town"}),
    "reply_to_letter": ("Reply to a letter.", {"letter_id": TEXT, "reply_all": FLAG}, {"letter_id", "reply_all"}),
    "back_up_plan": ("Backup a plan.", {"plan": told("Name of the plan")}, {"plan"}),
}


FRAME = frame_of(
    "stage",
    {name: (comment, args) for name, (comment, args, _) in TOOLS.items()},
    required={name: required for name, (_, _, required) in TOOLS.items()},
)


def _meaning(text: str) -> set[str]:
    return meaning_of(text, FRAME)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("You may read all walls except Blue.", {"allow read_wall", "deny read_wall wall is Blue"}),
        ("Never read the wall gossip.", {"deny read_wall wall is gossip"}),
        ("Never move props to the racks Upper and Lower.", {"deny move_prop rack is given rack is Upper or Lower"}),
        ("Never copy a score to the vault cellar-2.", {"deny copy_score target_vault is cellar-2"}),
        ("You may lock trapdoors.", {"allow control_trapdoor action is lock"}),
        ("Never lower the curtain called Iron.", {"deny raise_curtain action is lower curtain is Iron"}),
        ("You may raise curtains.", {"allow raise_curtain action is raise"}),
        ("Never mark a rehearsal as done.", {"deny update_rehearsal state is given state is Done"}),
        ("Do not give a rehearsal the priority urgent.", {"deny create_rehearsal priority is urgent"}),
        (
            "Ask me before you change the title of a rehearsal.",
            {"escalate update_rehearsal title is given title like *"},
        ),
        ("Do not create rehearsals in the halls 2 and 3.", {"deny create_rehearsal hall is 2 or 3"}),
        ("Never rent costumes in riverton or eastbay.", {"deny rent_costume town is riverton or eastbay"}),
        ("Never book the Salon.", {"deny book_dressing_room room is Salon"}),
        ("Do not use reply all.", {"deny reply_to_letter reply_all is True"}),
    ],
)
def test_names_values_and_single_arguments_are_bound_to_what_the_tools_take(text: str, wanted: set[str]):
    assert wanted == _meaning(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never read the wall budget of the year.",  # a compound, or a name
        "Do not touch the vault old-scores.",  # `update_rehearsal(rehearsal_id)`: nobody sees where it is
        "You may read all walls except old.",
        "You may mark rehearsals as done.",  # `update_rehearsal` can change the title in the same call
        "You may change the title of a rehearsal.",
        "You may set a rehearsal to Done.",
        "You may copy scores from the vault Attic to the vault Cellar unless asked.",
        "Never rent costumes in riverton or cheaply.",
    ],
)
def test_what_may_be_no_name_or_allows_more_than_it_says_is_refused(text: str):
    assert compile_clauses(text, FRAME).refused

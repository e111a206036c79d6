"""A permission is shown by scenarios although another sentence forbids a flag of the same tool."""

from __future__ import annotations

from retouch.recipes.policy.english.compiling import compile_english
from retouch.recipes.policy.english.proposing import proposals
from retouch.recipes.policy.english.reading import Reading
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of

ARGUMENTS = {"supplier": TEXT, "amount": NUMBER, "express": FLAG}
FRAME = frame_of(
    "shop", {"place_order": ("Place an order.", ARGUMENTS)}, required={"place_order": ["supplier", "amount"]}
)


def _shown(text: str) -> set[tuple[object, str | None]]:
    made = compile_english(text, FRAME)
    first, _ = proposals(Reading(made.sentences, FRAME), made.rules)
    return {(one.request.arguments.get("express"), one.verdict.decision) for one in first if one.verdict.by}


def test_an_order_without_the_forbidden_flag_shows_the_permission():
    assert {(None, "allow"), (True, "deny")} == _shown("You may place orders.\nNo express orders.")


def test_a_question_about_the_flag_is_shown_beside_the_permission():
    assert {(None, "allow"), (True, "escalate")} == _shown("You may place orders.\nAsk me before express orders.")

"""A sentence that others repeat is enforced by their rules, and one that others contradict is not."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.compiling import Compiled, compile_clauses
from tests.recipes.policy.english.meanings import NUMBER, TEXT, frame_of

FRAME = frame_of(
    "mail",
    {
        "read_message": ("Read a message.", {"message_id": TEXT}),
        "archive_message": ("Archive a message.", {"message_id": TEXT}),
        "delete_message": ("Delete a message.", {"message_id": TEXT}),
        "buy_stamps": ("Buy stamps.", {"amount": NUMBER}),
    },
)


def _compiled(*sentences: str) -> Compiled:
    found = compile_clauses("\n".join(f"- {one}" for one in sentences), FRAME)
    assert not found.refused
    return found


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("It is fine to archive messages.", "You may read, archive and delete messages."),
        ("Ask me before you delete a message.", "Deleting messages needs my approval."),
        ("Do not delete messages.", "Never delete messages."),
    ],
)
def test_what_other_sentences_say_already_is_enforced_by_their_rules(text: str, other: str):
    found = _compiled(other, text)
    by = {rule.name: rule.principle for rule in found.rules}
    assert {text: {other}} == {quote: {by[one] for one in names} for quote, names in found.standing.items()}


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("You may delete messages.", "Never delete messages."),
        ("You may delete messages.", "Ask me before you delete a message."),
        ("Ask me before you delete a message.", "Never delete messages."),
    ],
)
def test_what_stricter_sentences_decide_in_all_calls_is_not_enforced(text: str, other: str):
    found = _compiled(other, text)
    assert {} == found.standing
    assert [f"changes no decision, because {other!r} decides its calls already"] == [*found.silent.values()]


def test_a_permission_of_which_a_part_is_forbidden_is_enforced_by_the_rule_that_allows_the_rest():
    text, other = "You may archive and delete messages.", "You may read, archive and delete messages."
    found = _compiled("Never delete messages.", other, text)
    by = {rule.name: rule.principle for rule in found.rules}
    assert {other} == {by[one] for one in found.standing[text]}

"""The names of the specification can be imported from one module."""

from __future__ import annotations

from retouch.recipes.policy import compat

NAMES = {
    "ScenarioFeedback",
    "ScenarioGeneratorSession",
    "format_feedback_message",
    "parse_json_with_schema",
}


def test_every_name_of_the_specification_is_offered_and_nothing_else():
    assert NAMES == set(compat.__all__)
    assert all(callable(getattr(compat, name)) for name in NAMES)


def test_the_three_members_of_a_session_keep_their_names():
    members = {"generate", "regenerate", "turn_count"}
    assert members == members & set(vars(compat.ScenarioGeneratorSession))

"""A limit of a size is enforced for what it counts, or the sentence is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from pathlib import Path

LIST: dict[str, Any] = {"type": "array", "items": TEXT}


@pytest.mark.parametrize(
    ("text", "tool", "other"),
    [
        # Each call can be about several, so that the number of calls limits nothing.
        ("Never hire more than 6 divers per day.", ("hire_divers", "Hire divers.", {"diver_ids": LIST}), None),
        ("At most 6 new kites per week.", ("create_kites", "Create kites.", {"colors": LIST}), None),
        # Another call adds to what was made.
        (
            "Never create logs longer than 90 characters.",
            ("create_log", "Create a log.", {"text": TEXT}),
            ("append_to_log", "Append to a log.", {"log_id": TEXT, "text": TEXT}),
        ),
        (
            "A dive must not have more than 6 divers.",
            ("create_dive", "Create a dive.", {"site": TEXT, "divers": LIST}),
            ("add_diver", "Add a diver to a dive.", {"dive_id": TEXT, "diver": told("Name of the diver")}),
        ),
        # The text that is named is not the one with the content.
        ("Log titles must not be longer than 90 characters.", ("create_log", "Create a log.", {"text": TEXT}), None),
    ],
)
def test_a_limit_that_calls_can_get_around_is_refused(text: str, tool: Any, other: Any):
    tools = {name: (comment, args) for name, comment, args in (tool, *([other] if other else []))}
    assert set() == meaning_of(text, frame_of("reef", tools))


def test_a_limit_of_a_thousand_is_shown_by_a_call_with_a_thousand_and_one(tmp_path: Path):
    """The scenarios are longer than a first answer may be, and repeat one address: the rules are no model in a loop."""
    recipients = {"type": "array", "items": {"type": "string", "format": "email"}}
    schema = {"type": "object", "properties": {"to": recipients, "body": {"type": "string"}}, "required": ["to"]}
    tools = {"tools": [{"name": "send_email", "description": "Send an email.", "inputSchema": schema}]}
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    (tmp_path / "text.md").write_text("You may send emails. Never send an email to more than 1000 recipients.\n")
    for words in (
        ["policy", "annotate", "tools.json", "--server", "mail", "-o", "annotations.json"],
        ["generate", "policy", "text.md", "--tools", "annotations.json", "--yes", "--no-cache", "-o", "made", "--json"],
    ):
        paths = [str(tmp_path / one) if one.endswith((".md", ".json")) or one == "made" else one for one in words]
        done = CliRunner().invoke(command, paths)
        assert 0 == done.exit_code, done.output
    found = json.loads(done.stdout)
    assert ("verified", ["enforced"] * 2) == (found["status"], [one["status"] for one in found["clauses"]])
    scenarios = json.loads((tmp_path / "made" / "scenarios.json").read_text(encoding="utf-8"))["scenarios"]
    shown = {(len(one["request"]["arguments"]["to"]), one["expectedDecision"]) for one in scenarios}
    assert (1001, "deny") in shown

"""The feedback in later turns of a session: only new information, and never the expected answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.making.asking.pages import block
from retouch.text import fenced_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.analysing.coverage import Gap
    from retouch.recipes.policy.making.session.merging import Refused, ScenarioCorrection
    from retouch.recipes.policy.scenarios.filters import Discard


@dataclass(frozen=True, kw_only=True)
class ScenarioFeedback:
    """The results of earlier turns. Every part may be empty.

    `discards` prove nothing and need a replacement each. `gaps` are decisions that no scenario shows. `refused` are
    items of the last answer that were not accepted. `corrections` are for information only.
    """

    discards: Sequence[Discard] = ()
    gaps: Sequence[Gap] = ()
    refused: Sequence[Refused] = ()
    corrections: Sequence[ScenarioCorrection] = ()

    @property
    def wanted(self) -> int:
        """The number of requested scenarios."""
        return len(self.discards) + len(self.gaps)


def format_feedback_message(feedback: ScenarioFeedback) -> str:
    """Return the message of a turn: non-empty sections only, in a fixed order, sorted by id."""
    parts = [*_removed(feedback), *_uncovered(feedback), *_refused(feedback), *_corrected(feedback)]
    if not feedback.wanted:
        parts.append("Nothing is to be replaced or added. Answer with an empty list of scenarios.")
    else:
        parts.append(
            f"Answer with replacements and additions only, {feedback.wanted} in all, in the form of your first answer."
            " Repeat nothing that was there."
        )
    return "\n\n".join(parts)


def turn_text(server: str, page: int, turn: int, feedback: ScenarioFeedback) -> str:
    """Return the user message of a later turn."""
    task: dict[str, JSON] = {"task": "turn", "server": server, "page": page, "turn": turn}
    return f"{block('task', task)}\n\n{format_feedback_message(feedback)}"


def count_gaps(turn: str) -> int:
    """Return the number of gaps in the user message of a turn."""
    found = [block.text for block in fenced_blocks(turn) if block.language == "uncovered"]
    return len(json.loads(found[-1])) if found else 0


def _removed(feedback: ScenarioFeedback) -> list[str]:
    rows: list[JSON] = [
        {"id": one.scenario.id, "description": one.scenario.description, "why": _why(one)}
        for one in sorted(feedback.discards, key=lambda one: one.scenario.id)
    ]
    words = 'Removed, because they cannot prove anything. Write one replacement each; name its id in "replaces".'
    return [f"{words}\n{block('removed', rows)}"] if rows else []


def _why(discard: Discard) -> str:
    if discard.actual is not None:
        return f"always {discard.actual}, by {discard.rule}"
    return f"{discard.kind}: {discard.detail}"


def _uncovered(feedback: ScenarioFeedback) -> list[str]:
    rows: list[JSON] = [{"rule": one.rule, "example": one.example.as_json()} for one in feedback.gaps]
    words = "Not covered. Write one scenario for each, such as the example, with what the constitution expects of it."
    return [f"{words}\n{block('uncovered', rows)}"] if rows else []


def _refused(feedback: ScenarioFeedback) -> list[str]:
    rows: list[JSON] = [
        {"id": one.id, "why": one.why} for one in sorted(feedback.refused, key=lambda one: (one.id, one.why))
    ]
    return [f"Not taken from your last answer.\n{block('refused', rows)}"] if rows else []


def _corrected(feedback: ScenarioFeedback) -> list[str]:
    rows = [
        {"id": one.id, "is": one.expected, "quote": one.quote}
        for one in sorted(feedback.corrections, key=lambda one: one.id)
    ]
    words = "Corrected, for your information. Keep what you write consistent with it; these are not to be replaced."
    return [f"{words}\n{block('corrected', cast('JSON', rows))}"] if rows else []

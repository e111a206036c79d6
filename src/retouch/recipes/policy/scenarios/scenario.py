"""A scenario: one call, and the decision that is expected of it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import Outcome, ToolCall

Expectation: TypeAlias = Literal["allow", "deny", "escalate", "not-allow"]
Source: TypeAlias = Literal["generated", "handwritten", "probe", "derived"]
ID_LETTERS = 12


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One call and what is expected. `origin` is the turn that brought it, `corrected_from` the first expectation.

    `quote` are the clauses of the text that settle it, whole.
    """

    request: ToolCall
    expected: Expectation
    description: str = ""
    reasoning: str = ""
    source: Source = "generated"
    origin: int | None = None
    corrected_from: Expectation | None = None
    quote: str = ""

    @cached_property
    def id(self) -> str:
        """The identity: a short hash of the call, whatever the order of its keys. The expectation has no part in it."""
        return request_id(self.request)

    def as_json(self) -> dict[str, JSON]:
        """Return the scenario as it is stored."""
        found: dict[str, JSON] = {
            "id": self.id,
            "description": self.description,
            "request": self.request.as_json(),
            "expectedDecision": self.expected,
            "reasoning": self.reasoning,
            "source": self.source,
        }
        extra: dict[str, JSON] = {
            "origin": self.origin,
            "correctedFrom": self.corrected_from,
            "quote": self.quote or None,
        }
        return found | {key: value for key, value in extra.items() if value is not None}


def canonical_request(request: ToolCall) -> str:
    """Return a call as JSON text that is the same whatever the order of keys."""
    return json.dumps(request.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def request_id(request: ToolCall) -> str:
    """Return the short hash of a call."""
    return sha256(canonical_request(request).encode()).hexdigest()[:ID_LETTERS]


def meets(expected: Expectation, decision: Outcome) -> bool:
    """Return whether a decision is what was expected; `not-allow` is met by anything but allow."""
    return decision != "allow" if expected == "not-allow" else decision == expected


def agree(one: Expectation, other: Expectation) -> bool:
    """Return whether some decision meets both expectations."""
    outcomes: tuple[Outcome, ...] = ("allow", "deny", "escalate")
    return any(meets(one, outcome) and meets(other, outcome) for outcome in outcomes)

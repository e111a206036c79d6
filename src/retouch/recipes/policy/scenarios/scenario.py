"""A scenario: one call, and the expected decision."""

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
    """One call and its expected decision. `origin` is the turn that generated it, `corrected_from` the first
    expectation.

    `quote` contains the clauses of the text that require it, as whole sentences.
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
        """The identity: a short hash of the call, independent of the order of its keys and of the expectation."""
        return request_id(self.request)

    def as_json(self) -> dict[str, JSON]:
        """Return the scenario in its stored form."""
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
    """Return a call as JSON text that is independent of the order of keys."""
    return json.dumps(request.as_json(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def request_id(request: ToolCall) -> str:
    """Return the short hash of a call."""
    return sha256(canonical_request(request).encode()).hexdigest()[:ID_LETTERS]


def meets(expected: Expectation, decision: Outcome) -> bool:
    """Return whether a decision is the expected one. `not-allow` is met by anything but allow."""
    return decision != "allow" if expected == "not-allow" else decision == expected


def agree(one: Expectation, other: Expectation) -> bool:
    """Return whether some decision meets both expectations."""
    outcomes: tuple[Outcome, ...] = ("allow", "deny", "escalate")
    return any(meets(one, outcome) and meets(other, outcome) for outcome in outcomes)

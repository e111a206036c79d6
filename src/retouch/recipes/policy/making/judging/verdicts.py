"""Parses a judge's answer. `attribution` decides which parts of it count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.engine.recipe import Read
from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
from retouch.recipes.policy.making.asking.forms import VerdictForm
from retouch.recipes.policy.making.rules.compiled import ClauseWord, clause_words
from retouch.recipes.policy.making.session.pages import item_of
from retouch.recipes.policy.scenarios.files import request_of

if TYPE_CHECKING:
    from retouch.recipes.policy.language.values import Outcome, ToolCall
    from retouch.recipes.policy.making.session.merging import Item

Blamed: TypeAlias = Literal["rule", "scenario", "both"]


@dataclass(frozen=True, kw_only=True)
class Blame:
    """The side that is incorrect in the failure of one scenario, and the corrected expectation if there is one."""

    id: str
    kind: Blamed
    corrected: Outcome | None
    reasoning: str
    quote: str


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The decision that a judge expects for a call without scenario."""

    request: ToolCall
    expected: Outcome
    reasoning: str
    quote: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One answer of a judge. `unit` identifies the round and the rules."""

    unit: str
    blames: tuple[Blame, ...]
    derived: tuple[Expected, ...]
    probes: tuple[Item, ...]
    passes: bool
    open: tuple[str, ...]
    clauses: tuple[ClauseWord, ...] = ()

    @property
    def withholds(self) -> tuple[str, ...]:
        """The judge's objections other than the failures it was shown, in its own words."""
        if self.open or self.passes or self.blames or self.clauses:
            return self.open
        return ("it does not pass, and no reason is given",)


def read_verdict(unit: str, text: str) -> Read[Verdict]:
    """Return the verdict in an answer.

    Raises:
        Invalid: there is none. Prose never counts as a verdict.
    """
    form = parse_json_with_schema(text, VerdictForm)
    blames = tuple(
        Blame(id=one.id, kind=one.blame, corrected=one.corrected, reasoning=one.reasoning, quote=one.quote)
        for one in form.verdicts
    )
    derived = tuple(
        Expected(request=request_of(one.request), expected=one.expected, reasoning=one.reasoning, quote=one.quote)
        for one in form.derived
    )
    probes = tuple(item_of(one, turn=0) for one in form.probes)
    verdict = Verdict(
        unit=unit,
        blames=blames,
        derived=derived,
        probes=probes,
        passes=form.passes,
        open=tuple(one for one in form.open if one.strip()),
        clauses=clause_words(form.clauses),
    )
    return Read(verdict)

"""The state of the session about one page of tools: parsed from an answer, or from the stored state."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.errors import Invalid
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.making.asking.answers import parse_json_with_schema
from retouch.recipes.policy.making.asking.forms import AnswerForm, DiscardForm, PageForm
from retouch.recipes.policy.making.asking.pages import scenarios_unit
from retouch.recipes.policy.making.session.merging import Item, Refused, merge
from retouch.recipes.policy.scenarios.files import request_of, scenario_of
from retouch.recipes.policy.scenarios.filters import Discard, filter_scenarios
from retouch.recipes.policy.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Tool, ToolCall
    from retouch.recipes.policy.making.asking.forms import ItemForm
    from retouch.recipes.policy.making.asking.source import PolicyJob

MAX_TURNS = 3
OPENS_A_SLOT = frozenset({"schema", "default-role", "structural"})


@dataclass(frozen=True, kw_only=True)
class Page:
    """The scenarios of one page after `turns` answers, without handwritten ones.

    `discards` were removed because they prove nothing. Those with an id in `filled` have been replaced. `refused` are
    items of the last answer that were not accepted. `told` are the corrections, by id and expectation, that the
    generator was sent.
    """

    turns: int
    scenarios: tuple[Scenario, ...]
    discards: tuple[Discard, ...] = ()
    filled: tuple[str, ...] = ()
    refused: tuple[Refused, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def open(self) -> tuple[Discard, ...]:
        """The discards that have no replacement yet."""
        return tuple(one for one in self.discards if one.scenario.id not in self.filled)

    @property
    def text(self) -> str:
        """The page as an answer, which `page_in` parses."""
        discards: list[JSON] = [
            {
                "scenario": one.scenario.as_json(),
                "kind": one.kind,
                "detail": one.detail,
                "actual": one.actual,
                "rule": one.rule,
            }
            for one in self.discards
        ]
        stored: dict[str, JSON] = {
            "turns": self.turns,
            "scenarios": [one.as_json() for one in self.scenarios],
            "discards": discards,
            "filled": cast("JSON", list(self.filled)),
            "refused": [{"id": one.id, "why": one.why} for one in self.refused],
            "told": cast("JSON", list(self.told)),
        }
        return json.dumps(stored, ensure_ascii=False, indent=1)


@dataclass(frozen=True, kw_only=True)
class ScenarioPages:
    """The scenarios of one server, in pages of tools."""

    server: str
    pages: tuple[Page, ...]


def read_pages(job: PolicyJob, server: str, texts: Sequence[str]) -> Read[ScenarioPages]:
    """Return the scenarios of a server. An answer about tools of another page or server is an issue."""
    pages: list[Page] = []
    issues: list[Issue] = []
    for number, text in enumerate(texts[: len(job.pages_of(server))], start=1):
        found = read_page(job, server, number, text)
        if isinstance(found, Issue):
            issues.append(found)
        else:
            pages.append(found)
    return Read(None if issues else ScenarioPages(server=server, pages=tuple(pages)), issues)


def read_page(job: PolicyJob, server: str, number: int, text: str) -> Page | Issue:
    """Return the state of one page of a server, or the issue of an answer that is none."""
    tools = job.pages_of(server)[number - 1]
    try:
        return page_in(job.frame_of(server), tools, job.handwritten_of(server), text)
    except Invalid as wrong:
        return Issue(
            code=wrong.code,
            message=wrong.message,
            tier=Tier(wrong.tier or Tier.SYNTAX),
            unit=scenarios_unit(server),
            page=number,
            fix=wrong.fix,
        )


def page_in(frame: Policy, tools: Sequence[Tool], handwritten_scenarios: Sequence[Scenario], text: str) -> Page:
    """Return the state of one page, from a generator's first answer or from the stored state.

    Raises:
        Invalid: it is neither, or contains tools that are not on this page.
    """
    try:
        return _kept(parse_json_with_schema(text, PageForm))
    except Invalid:
        items = items_in(text, turn=1)
    misplaced = [item for item in items if not _is_on(tools, item.scenario.request)]
    if misplaced:
        request = misplaced[0].scenario.request
        known = ", ".join(tool.name for tool in tools)
        message = (
            f"{len(misplaced)} scenarios are about tools that are not on this page, for example "
            f"{request.server}/{request.tool}"
        )
        raise Invalid("UNKNOWN_TOOL", message, fix=f"The tools are: {known}.", tier=Tier.SCHEMA)
    return first_page(frame, handwritten_scenarios, items)


def _kept(form: PageForm) -> Page:
    return Page(
        turns=form.turns,
        scenarios=tuple(_not_by_hand(scenario_of(one)) for one in form.scenarios),
        discards=tuple(_discard(one) for one in form.discards),
        filled=tuple(form.filled),
        refused=tuple(Refused(id=one.id, why=one.why) for one in form.refused),
        told=tuple(form.told),
    )


def _not_by_hand(scenario: Scenario) -> Scenario:
    return replace(scenario, source="generated") if scenario.source == "handwritten" else scenario


def _discard(form: DiscardForm) -> Discard:
    scenario = scenario_of(form.scenario)
    return Discard(scenario=scenario, kind=form.kind, detail=form.detail, actual=form.actual, rule=form.rule)


def items_in(text: str, *, turn: int) -> tuple[Item, ...]:
    """Return the items of an answer as scenarios with origin `turn`.

    Raises:
        Invalid: the answer cannot be parsed.
    """
    return tuple(item_of(one, turn=turn) for one in parse_json_with_schema(text, AnswerForm).scenarios)


def item_of(form: ItemForm, *, turn: int) -> Item:
    """Return one item of an answer."""
    scenario = Scenario(
        request=request_of(form.request),
        expected=form.expected_decision,
        description=form.description,
        reasoning=form.reasoning,
        origin=turn,
        quote=form.quote,
    )
    return Item(scenario=scenario, replaces=form.replaces)


def _is_on(tools: Sequence[Tool], request: ToolCall) -> bool:
    return any((tool.server, tool.name) == (request.server, request.tool) for tool in tools)


def first_page(frame: Policy, handwritten_scenarios: Sequence[Scenario], items: Sequence[Item]) -> Page:
    """Return the page after a first answer. Scenarios that prove nothing are removed, and each leaves an open slot."""
    new = [replace(item, replaces=None) for item in items]
    merged = merge(frame, handwritten_scenarios, new)
    taken = {one.id for one in merged.accepted}
    weak = {item.scenario.id: item.scenario for item in new if item.scenario.id not in taken}
    removed = filter_scenarios(frame, [*weak.values()], surroundings=LEXICAL).discards
    discards = tuple(one for one in removed if one.kind in OPENS_A_SLOT)
    slots = {one.scenario.id for one in discards}
    refused = tuple(one for one in merged.refused if one.id not in slots)
    return Page(turns=1, scenarios=merged.accepted, discards=discards, refused=refused)


def next_page(
    frame: Policy,
    tools: Sequence[Tool],
    page: Page,
    others: Sequence[Scenario],
    items: Sequence[Item],
    *,
    additions: int,
) -> tuple[Page, tuple[Scenario, ...]]:
    """Return the page after another answer, and its new scenarios. `others` are scenarios that are not of this page."""
    fit = [item for item in items if _is_on(tools, item.scenario.request)]
    misplaced = [item.scenario.id for item in items if item not in fit]
    existing = (*others, *page.scenarios)
    merged = merge(frame, existing, fit, discards=page.discards, filled=page.filled, additions=additions)
    known = {one.id for one in others}
    own = tuple(one for one in merged.scenarios if one.id not in known)
    refused = (*merged.refused, *(Refused(id=one, why="its tool is not on this page") for one in misplaced))
    after = replace(page, turns=page.turns + 1, scenarios=own, filled=merged.filled, refused=refused)
    return after, merged.accepted

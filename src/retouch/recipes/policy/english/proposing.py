"""Proposes scenarios: calls of every region, each with the decision that the sentences imply."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.completing import completed
from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.analysing.regions import by_size
from retouch.recipes.policy.analysing.spaces import FRESH
from retouch.recipes.policy.deciding.json_schema import has_only, keyword_values
from retouch.recipes.policy.resources.roles import PATH_ROLES
from retouch.recipes.policy.scenarios.scenario import request_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.reading import Reading, SentenceVerdict
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Rule, Tool, ToolCall


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A call, and the decision that the sentences imply."""

    request: ToolCall
    verdict: SentenceVerdict

    @property
    def description(self) -> str:
        """A short description of the call."""
        arguments = ", ".join(
            f"{name} {json.dumps(one, ensure_ascii=False)}" for name, one in self.request.arguments.items()
        )
        return f"{self.request.tool} with {arguments}" if arguments else f"{self.request.tool} without arguments"

    def as_item(self, *, replaces: str | None = None) -> dict[str, JSON]:
        """Return the proposal as a scenario of an answer. `replaces` is the id of the scenario that it replaces."""
        return {
            "description": self.description,
            "request": self.request.as_json(),
            "expectedDecision": self.verdict.decision,
            "reasoning": reasoning_of(self.verdict),
            "quote": self.verdict.by[0].quote if self.verdict.by else "",
            "replaces": replaces,
        }


def reasoning_of(verdict: SentenceVerdict) -> str:
    """Return the reasoning for a verdict."""
    quotes = " ".join(sentence.quote for sentence in verdict.by)
    return f"The text says: {quotes}" if quotes else f"Nothing in the text covers it: {verdict.why or 'denied'}."


def proposals(reading: Reading, rules: Iterable[Rule]) -> tuple[tuple[Proposal, ...], tuple[Proposal, ...]]:
    """Return the smallest call for each distinct reason of a decision, and a reserve of further calls.

    `rules` are only used to select the calls: one of every kind that the rules distinguish. The expected decision comes
    from the sentences. Calls that the sentences leave open, and calls that are decided before any rule, are omitted.
    """
    policy: Policy = replace(reading.frame, rules=tuple(rules))
    groups: dict[tuple[str, str, str, str], list[Proposal]] = {}
    seen: set[str] = set()
    for call, was in sorted(decided_regions(policy), key=lambda one: by_size(one[0])):
        tool = policy.tools[call.server, call.tool]
        request = None if was.is_structural else completed(tool, call)
        for one in _corrected(tool, call) if request is None else (request,):
            found = None if request_id(one) in seen else _proposed(reading, one)
            if found is not None:
                seen.add(request_id(found.request))
                reason = f"{was.rule} {bool(found.verdict.by)}"  # what completes a call may pass its tests
                key = (call.server, call.tool, reason, found.verdict.decision or "")
                groups.setdefault(key, []).append(found)
    first = tuple(found[0] for found in groups.values())
    further = zip_longest(*(found[1:] for found in groups.values()))
    reserve = [one for row in further for one in row if one is not None]
    varied = (_proposed(reading, other) for one in first if (other := _varied(one.request)) is not None)
    return first, (*reserve, *(one for one in varied if one is not None and request_id(one.request) not in seen))


def _corrected(tool: Tool, call: ToolCall) -> Iterator[ToolCall]:
    """Yield the calls of a region whose example is none: with each value that the schema has, or a path from `/`."""
    for arg, value in call.arguments.items():
        listed = _listed(tool.schemas.get(arg))
        path = arg in tool.args and not PATH_ROLES.isdisjoint(tool.args[arg].all_roles)
        others: list[JSON] = [f"/{value}"] if path and isinstance(value, str) and value[:1] not in {"/", "~"} else []
        for other in [*others, *(() if value in listed else listed)]:
            found = completed(tool, replace(call, arguments={**call.arguments, arg: other}))
            if found is not None:
                yield found


def _listed(schema: JSON) -> Sequence[JSON]:
    """Return the values that a schema lists, both of a flag, and a list of a number."""
    if has_only(schema, "boolean"):
        return (False, True)
    items = schema.get("items") if isinstance(schema, dict) else None
    if has_only(schema, "array") and has_only(items, "integer", "number"):
        return ([1],)
    own = schema.get("enum") if isinstance(schema, dict) else None
    return own if isinstance(own, list) else sorted(keyword_values(schema, "enum"))


def _proposed(reading: Reading, request: ToolCall) -> Proposal | None:
    verdict = reading.about(request)
    return None if verdict.decision is None else Proposal(request=request, verdict=verdict)


def _varied(request: ToolCall) -> ToolCall | None:
    """Return the same call with another generated name. None if its arguments contain no generated name."""
    arguments = {
        name: f"{one}-2" if isinstance(one, str) and one.endswith(f"/{FRESH}") else one
        for name, one in request.arguments.items()
    }
    return None if arguments == request.arguments else replace(request, arguments=arguments)

"""Scenarios out of sentences: calls of every region, each with what the sentences say of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.analysis import decided_regions
from retouch.recipes.policy.filters import fell_to_default, schema_errors
from retouch.recipes.policy.regions import by_size
from retouch.recipes.policy.roles import PATH_ROLES, URL_ROLES
from retouch.recipes.policy.scenarios import request_id
from retouch.recipes.policy.spaces import FRESH, OUTSIDE, UNLISTED, roles_ever
from retouch.recipes.policy.values import Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from retouch.recipes.policy.english.reading import Reading, Verdict
    from retouch.recipes.policy.policy import Policy
    from retouch.recipes.policy.values import JSON, Rule, Tool


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A call, and what the sentences say of it."""

    request: Request
    verdict: Verdict

    @property
    def description(self) -> str:
        """The call in a few words."""
        said = ", ".join(
            f"{name} {json.dumps(one, ensure_ascii=False)}" for name, one in self.request.arguments.items()
        )
        return f"{self.request.tool} with {said}" if said else f"{self.request.tool} without arguments"

    def as_item(self, *, replaces: str | None = None) -> dict[str, JSON]:
        """Return the proposal as a scenario of an answer; `replaces` is the id of the one it takes the place of."""
        return {
            "description": self.description,
            "request": self.request.as_json(),
            "expectedDecision": self.verdict.decision,
            "reasoning": reasoning_of(self.verdict),
            "replaces": replaces,
        }


def reasoning_of(verdict: Verdict) -> str:
    """Return why something is said about a call."""
    quotes = " ".join(sentence.quote for sentence in verdict.by)
    return f"The text says: {quotes}" if quotes else f"Nothing in the text covers it: {verdict.why or 'denied'}."


def proposals(reading: Reading, rules: Iterable[Rule]) -> tuple[tuple[Proposal, ...], tuple[Proposal, ...]]:
    """Return the smallest call for everything that is decided for another reason, and further ones in reserve.

    `rules` only choose the calls: one for every kind that they treat differently. What is expected comes from the
    sentences; calls that they leave open are left out, and so are calls that are decided before any rule.
    """
    policy: Policy = replace(reading.frame, rules=tuple(rules))
    groups: dict[tuple[str, str, str, str], list[Proposal]] = {}
    seen: set[str] = set()
    for call, was in sorted(decided_regions(policy), key=lambda one: by_size(one[0])):
        request = None if was.is_structural else completed(policy.tools[call.server, call.tool], call)
        found = None if request is None or request_id(request) in seen else _proposed(reading, request)
        if found is not None:
            seen.add(request_id(found.request))
            key = (call.server, call.tool, was.rule, found.verdict.decision or "")
            groups.setdefault(key, []).append(found)
    first = tuple(found[0] for found in groups.values())
    further = zip_longest(*(found[1:] for found in groups.values()))
    reserve = [one for row in further for one in row if one is not None]
    varied = (_proposed(reading, other) for one in first if (other := _varied(one.request)) is not None)
    return first, (*reserve, *(one for one in varied if one is not None and request_id(one.request) not in seen))


def _proposed(reading: Reading, request: Request) -> Proposal | None:
    verdict = reading.about(request)
    return None if verdict.decision is None else Proposal(request=request, verdict=verdict)


def _varied(request: Request) -> Request | None:
    """Return the same call about another thing, None where its arguments hold no name that we made up."""
    arguments = {
        name: f"{one}-2" if isinstance(one, str) and one.endswith(f"/{FRESH}") else one
        for name, one in request.arguments.items()
    }
    return None if arguments == request.arguments else replace(request, arguments=arguments)


def completed(tool: Tool, request: Request) -> Request | None:
    """Return a call with everything that the tool's schema wants, None where that cannot be."""
    schema = tool.input_schema or {}
    properties = cast("Mapping[str, JSON]", schema.get("properties") or {})
    arguments = {name: _fitting(properties.get(name), value) for name, value in request.arguments.items()}
    for name in cast("list[str]", schema.get("required") or []):
        if name not in arguments:
            roles = roles_ever(tool.args[name]) if name in tool.args else ()
            arguments[name] = _fitting(properties.get(name), _named(roles) or _sample(properties.get(name)))
    found = Request(server=request.server, tool=request.tool, arguments=arguments)
    return None if schema_errors(tool, arguments) or fell_to_default(tool, arguments) else found


def _named(roles: Iterable[str]) -> str | None:
    """Return something in the world for an argument with these roles that nobody has settled yet."""
    if PATH_ROLES.intersection(roles):
        return OUTSIDE
    return f"https://{UNLISTED}" if URL_ROLES.intersection(roles) else None


def _fitting(schema: JSON, value: JSON) -> JSON:
    """Return a value as the schema wants it: alone, or in a list."""
    wants_list = isinstance(schema, dict) and schema.get("type") == "array"
    return [value] if wants_list and not isinstance(value, list) else value


def _sample(schema: JSON) -> JSON:
    """Return a value of a simple schema."""
    found = schema if isinstance(schema, dict) else {}
    choices = found.get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    least = found.get("minimum", 1)
    samples: dict[str, JSON] = {"integer": least, "number": least, "boolean": False, "array": [], "object": {}}
    return samples.get(str(found.get("type")), FRESH)

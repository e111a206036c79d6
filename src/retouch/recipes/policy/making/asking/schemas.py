"""The JSON Schemas of answers. They only hold the form; what an answer means is checked by `forms` and the tiers.

All strings and lists are bounded, because a model can repeat itself without end inside of an open one. A quote may be
as long as the longest paragraph of the constitution.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

from retouch.recipes.policy.language.values import DAYS, ListType, Outcome, Period, Size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.policy.making.asking.source import PolicyJob

Schema = dict[str, Any]

_LONG, _QUOTE, _WORDS, _NAME, _PATH = 2_000, 1_000, 600, 120, 400
_MOST_RULES, _MOST_SCENARIOS, _MOST_NAMES, _MOST_VALUES, _MOST_LISTS, _MOST_OPEN = 80, 120, 60, 100, 20, 20
_PARAGRAPHS = re.compile(r"\n\s*\n")
_DECISION: Schema = {"enum": list(get_args(Outcome))}
_CALL_ARGUMENTS: Schema = {"type": "object"}


def _text(most: int) -> Schema:
    return {"type": "string", "maxLength": most}


def _list(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def _object(required: Schema, optional: Mapping[str, Any] | None = None) -> Schema:
    properties = {**required, **(optional or {})}
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


_NAMES = _list(_text(_NAME), _MOST_NAMES)
_VALUES = _list(_text(_PATH), _MOST_VALUES)
_NUMBERS: Schema = {name: {"type": "number"} for name in ("atLeast", "atMost", "above", "below")}
_TEST = _object(
    {},
    {
        "role": _text(_NAME),
        "arg": _text(_NAME),
        "within": _VALUES,
        "domains": _VALUES,
        "emails": _VALUES,
        "in": _list({"type": ["string", "number", "boolean"]}, _MOST_VALUES),
        "like": _VALUES,
        **_NUMBERS,
        "is": {"enum": ["present", "absent"]},
        "count": {"enum": ["calls", *(one for one in get_args(Size) if one != "minutes")]},  # which need `since`
        "sum": _text(_NAME),
        "per": {"enum": list(get_args(Period))},
        "hours": _list({"type": "string", "maxLength": 11}, _MOST_LISTS),
        "days": _list({"enum": list(DAYS)}, len(DAYS)),
    },
)
_TESTS = _list({"$ref": "#/$defs/test"}, _MOST_LISTS)
_CONDITION = _object(
    {"server": _NAMES},
    {
        "where": _TESTS,
        "unless": _TESTS,
        "tool": _NAMES,
        "roles": _NAMES,
        "paths": _object({"roles": _NAMES, "within": _text(_PATH)}),
        "domains": _object({"roles": _NAMES, "allowed": _VALUES}),
        "lists": _list(
            _object({"roles": _NAMES, "allowed": _VALUES, "matchType": {"enum": list(get_args(ListType))}}), _MOST_LISTS
        ),
    },
)
_CALL: Schema = {"serverName": _text(_NAME), "toolName": _text(_NAME), "arguments": _CALL_ARGUMENTS}
_INSTANT = _text(40)
_EARLIER = _list(_object({**_CALL, "at": _INSTANT}, {"times": {"type": "integer"}}), _MOST_LISTS)
_REQUEST = _object(_CALL, {"at": _INSTANT, "earlier": _EARLIER})


def _rule(quote: Schema, then: Sequence[str]) -> Schema:
    condition = {"$ref": "#/$defs/condition"}
    texts = {"name": _text(_NAME), "description": _text(_WORDS), "principle": quote}
    return _object({**texts, "if": condition, "then": {"enum": list(then)}, "reason": _text(_WORDS)})


def _definitions(quote: Schema) -> Schema:
    kind = {"enum": list(get_args(ListType))}
    found = {"name": _text(_NAME), "type": kind, "principle": quote, "generationPrompt": _text(_WORDS)}
    return _list(_object({**found, "requiresMcp": {"type": "boolean"}}), _MOST_LISTS)


def rules_schema(job: PolicyJob) -> Schema:
    """Return the schema of the rules of one server."""
    return _rules_schema(_longest_quote(job))


@lru_cache(maxsize=8)
def _rules_schema(longest: int) -> Schema:
    quote = _text(longest)
    clause = _object({"clause": quote, "why": _text(_WORDS), "nearest": _text(_WORDS)})
    found = _object(
        {
            "prohibitions": _list(_rule(quote, ["deny"]), _MOST_RULES),
            "rules": _list(_rule(quote, ["allow", "escalate"]), _MOST_RULES),
            "listDefinitions": _definitions(quote),
            "unenforceable": _list(clause, _MOST_RULES),
        }
    )
    return {**found, "$defs": {"condition": _CONDITION, "test": _TEST}}


def patch_schema(job: PolicyJob) -> Schema:
    """Return the schema of operations on rules."""
    return _patch_schema(_longest_quote(job))


@lru_cache(maxsize=8)
def _patch_schema(longest: int) -> Schema:
    quote, name = _text(longest), _text(_NAME)
    rule, after = _rule(quote, get_args(Outcome)), {"anyOf": [name, {"type": "null"}]}
    operations = [
        _object({"op": {"const": "update"}, "rule": rule}),
        _object({"op": {"const": "add"}, "rule": rule, "after": after}),
        _object({"op": {"const": "delete"}, "name": name}),
        _object({"op": {"const": "move"}, "name": name, "after": after}),
    ]
    found = _object({"operations": _list({"anyOf": operations}, _MOST_RULES), "listDefinitions": _definitions(quote)})
    return {**found, "$defs": {"condition": _CONDITION, "test": _TEST}}


def scenarios_schema(job: PolicyJob) -> Schema:
    """Return the schema of the scenarios of one page, in any turn of its session."""
    return _scenarios_schema(_longest_quote(job))


@lru_cache(maxsize=8)
def _scenarios_schema(longest: int) -> Schema:
    item = _object(
        {
            "description": _text(_WORDS),
            "request": _REQUEST,
            "expectedDecision": _DECISION,
            "reasoning": _text(_LONG),
            "quote": _text(longest),
        },
        {"replaces": {"anyOf": [_text(_NAME), {"type": "null"}]}},
    )
    return _object({"scenarios": _list(item, _MOST_SCENARIOS)})


def verdict_schema(job: PolicyJob) -> Schema:
    """Return the schema of a judge's answer."""
    return _verdict_schema(_longest_quote(job))


@lru_cache(maxsize=8)
def _verdict_schema(longest: int) -> Schema:
    name, words, why, quote = _text(_NAME), _text(_WORDS), _text(_LONG), _text(longest)
    blame = {"id": name, "blame": {"enum": ["rule", "scenario", "both"]}}
    corrected = {"anyOf": [_DECISION, {"type": "null"}]}
    status = {"enum": ["covered", "no_tool", "not_a_rule", "not_enforced"]}
    verdict = _object({**blame, "corrected": corrected, "reasoning": why, "quote": quote})
    derived = _object({"request": _REQUEST, "expected": _DECISION, "reasoning": why, "quote": quote})
    probe = _object({"description": words, "request": _REQUEST, "expectedDecision": _DECISION, "reasoning": why})
    clause = _object({"clause": quote, "status": status, "rules": _NAMES, "why": words})
    return _object(
        {
            "verdicts": _list(verdict, _MOST_SCENARIOS),
            "derived": _list(derived, _MOST_SCENARIOS),
            "probes": _list(probe, _MOST_OPEN),
            "pass": {"type": "boolean"},
            "open": _list(words, _MOST_OPEN),
            "clauses": _list(clause, _MOST_SCENARIOS),
        }
    )


def _longest_quote(job: PolicyJob) -> int:
    return max(_QUOTE, *(len(one) for one in _PARAGRAPHS.split(job.constitution)))

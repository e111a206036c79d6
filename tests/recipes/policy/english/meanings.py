"""A policy of made-up tools, and what a sentence means for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from retouch.recipes.policy.deciding.evaluation import LEXICAL, evaluate
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.language.policy import Policy
from retouch.recipes.policy.language.values import Rule, ToolCall, When
from retouch.recipes.policy.making.judging.clause_state import missing_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "integer"}
FLAG: dict[str, Any] = {"type": "boolean"}
# The test of a value that may be the id of what a sentence calls by its name.
MAY_BE_ID = f"like {' or '.join(f'*{digit}*' for digit in range(10))}"


def told(text: str, schema: dict[str, Any] = TEXT) -> dict[str, Any]:
    """Return a schema with a description."""
    return {**schema, "description": text}


def frame_of(
    server: str,
    tools: Mapping[str, tuple[str, dict[str, Any]]],
    *,
    required: Mapping[str, Iterable[str]] | None = None,
    roles: Mapping[str, str] | None = None,
) -> Policy:
    """Return a policy without rules for tools of a server: by name, the description and the schemas of the arguments.

    `required`: the arguments that each tool must be given, by default all. `roles`: those of arguments, by name.
    """
    listed: list[dict[str, Any]] = [
        {
            "toolName": name,
            "comment": comment,
            "args": {arg: [(roles or {}).get(arg, "none")] for arg in args},
            "inputSchema": {
                "type": "object",
                "properties": args,
                "required": list(args) if required is None else sorted(required[name]),
            },
        }
        for name, (comment, args) in tools.items()
    ]
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "timeZone": "UTC"}
    return Policy.of_json(value | {"annotations": {"servers": {server: {"tools": listed}}}})


def meaning_of(text: str, frame: Policy) -> set[str]:
    """Return what a sentence means, one line for each rule. Empty if it or its numbers are not read."""
    made = compile_clauses(text, frame)
    if made.refused or missing_state(text, made.rules, tools=list(frame.tools.values())):
        return set()
    found: set[str] = set()
    for one in made.rules:
        tests = [*(test.words for test in one.when.where), *(f"unless {test.words}" for test in one.when.unless)]
        found.add(" ".join((one.then, *(one.when.tool or ()), *tests)))
    return found


def decision_of(sentence: str, frame: Policy, tool: str, /, **arguments: Any) -> str:
    """Return how a call is decided by a sentence that only restricts. "refused" if it is not read."""
    made = compile_clauses(sentence, frame)
    if made.refused or not made.rules:
        return "refused"
    (server,) = {server for server, _ in frame.tools}
    policy = replace(frame, rules=(*made.rules, Rule(name="rest", when=When(server=(server,)), then="allow")))
    call = ToolCall(server=server, tool=tool, arguments=arguments)
    return evaluate(policy, call, surroundings=LEXICAL).decision

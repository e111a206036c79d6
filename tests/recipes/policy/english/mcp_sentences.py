"""Reads the sentences of `mcp/`: sentences to eight kinds of agents, with tools as MCP servers list them.

The roles of the arguments are the ones that `retouch policy annotate` proposes, so nobody has looked at them.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import Compiled, compile_clauses
from retouch.recipes.policy.language.values import CallState

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent / "mcp"
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
WANTED = {"allow": "allow", "deny": "deny", "ask": "escalate"}
Reading = Literal["read", "refused", "misread"]


@dataclass(frozen=True, kw_only=True)
class Expected:
    """A sentence with the decisions of calls. `everything`: a sentence before it allows all tools."""

    agent: str
    text: str
    decisions: tuple[tuple[bool, str, str], ...]
    unenforceable: bool = False


@dataclass(frozen=True, kw_only=True)
class ReadAs:
    """How a sentence was read: the calls with another decision, and why it was refused."""

    status: Reading
    wrong: tuple[str, ...] = ()
    why: str = ""


def _listed(line: str) -> tuple[str, ListedTool]:
    """Return the server and the tool of `server.tool | arg arg[] arg# arg? arg=one/two | description | r or d`."""
    name, arguments, description, hint = [one.strip() for one in f"{line} |".split("|")][:4]
    server, _, tool = name.partition(".")
    properties: dict[str, Any] = {}
    for arg in arguments.split():
        plain, _, values = arg.partition("=")
        kind: dict[str, Any] = {"type": "string"}
        if "#" in plain:
            kind = {"type": "number"}
        elif "[]" in plain:
            kind = {"type": "array", "items": {"type": "string"}}
        elif values:
            kind = {"type": "string", "enum": values.split("/")}
        properties[re.sub(r"[\[\]#?]", "", plain)] = kind
    required = [re.sub(r"[\[\]#]", "", one.partition("=")[0]) for one in arguments.split() if "?" not in one]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    hints: dict[str, Any] = {"r": {"readOnlyHint": True}, "d": {"destructiveHint": True}}.get(hint, {})
    return server, ListedTool(name=tool, description=description, schema=schema, hints=hints)


@cache
def listed_tools() -> dict[str, dict[str, list[ListedTool]]]:
    """Return the tools of every agent, by server."""
    found: dict[str, dict[str, list[ListedTool]]] = {}
    agent = ""
    for line in (HERE / "tools.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            agent = line[1:]
        elif line and not line.startswith("#"):
            server, tool = _listed(line)
            found.setdefault(agent, {}).setdefault(server, []).append(tool)
    return found


def annotated(agent: str) -> dict[str, Any]:
    """Return the annotations of an agent's tools, as `retouch policy annotate` proposes them."""
    servers: dict[str, Any] = {}
    for server, tools in listed_tools()[agent].items():
        made: Any = annotations_of(server, tuple(tools))
        servers |= made["servers"]
    return {"servers": servers}


@cache
def frame(agent: str) -> Policy:
    """Return the tools of an agent, without rules."""
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "annotations": annotated(agent), "servers": {}}
    return Policy.of_json(value)


def expected(name: str = "sentences.txt") -> Iterator[Expected]:
    """Yield the sentences of a file."""
    agent, one = "", None
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("@"):
            agent = line[1:]
        elif line.startswith("* "):
            if one is not None:
                yield one
            one = Expected(agent=agent, text=line[2:], decisions=())
        elif line.startswith("R") and one is not None:
            one = replace(one, unenforceable=True)
        elif line[:2] in {"A ", "E "} and one is not None:
            wanted, _, calls = line[2:].partition(": ")
            more = tuple((line[0] == "E", wanted, call.strip()) for call in calls.split(" ; "))
            one = replace(one, decisions=(*one.decisions, *more))
    if one is not None:
        yield one


def call_of(agent: str, text: str) -> ToolCall:
    """Return the call `server.tool key=value ...` with the types of the tool's schema."""
    name, *pairs = shlex.split(text)
    server, _, tool = name.partition(".")
    (known,) = [one for one in listed_tools()[agent][server] if one.name == tool]
    properties: Any = known.schema["properties"]
    arguments: dict[str, Any] = {}
    for pair in pairs:
        key, _, value = pair.partition("=")
        kind = properties[key]["type"]
        arguments[key] = float(value) if kind == "number" else value.split(",") if kind == "array" else value
    return ToolCall(server=server, tool=tool, arguments=arguments, state=CallState(at=NOON))


def compiled(agent: str, text: str, *, everything: bool = False) -> tuple[Compiled, Policy]:
    """Return what a text compiles to, and its policy."""
    known = frame(agent)
    allowed = [f"Allow using any tool of {server}." for server in listed_tools()[agent]] if everything else []
    made = compile_clauses("\n\n".join((text, *allowed)), known)
    return made, replace(known, rules=made.rules)


@cache
def read_as(one: Expected) -> ReadAs:
    """Return how a sentence is read."""
    made, _ = compiled(one.agent, one.text)
    refused = [clause for clause in clauses_of(one.text) if clause in made.refused and not is_background(clause)]
    if refused:
        return ReadAs(status="refused", why="; ".join(made.refused[clause] for clause in refused))
    if one.unenforceable:
        return ReadAs(status="misread", wrong=("no rule can enforce it",))
    wrong: list[str] = []
    for everything, wanted, text in one.decisions:
        _, policy = compiled(one.agent, one.text, everything=everything)
        was = evaluate(policy, call_of(one.agent, text))
        if was.decision != WANTED[wanted]:
            wrong.append(f"{text} is {was.decision} by {was.rule}, expected {wanted}")
    return ReadAs(status="misread" if wrong else "read", wrong=tuple(wrong))

"""Reads the sentences of `ordinary/`: sentences to eight kinds of agents, each with the reading that is expected."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_clauses

HERE = Path(__file__).parent / "ordinary"
AGENTS: dict[str, Any] = yaml.safe_load((HERE / "agents.yaml").read_text(encoding="utf-8"))
_FILES: list[dict[str, list[dict[str, Any]]]] = [
    yaml.safe_load((HERE / name).read_text(encoding="utf-8")) for name in ("sentences.yaml", "later_sentences.yaml")
]
SENTENCES = {agent: [*_FILES[0][agent], *_FILES[1][agent]] for agent in AGENTS}
WANTED = {"allow": "allow", "deny": "deny", "ask": "escalate"}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a sentence was read, and the calls that are decided in another way than expected."""

    status: Literal["read", "refused", "misread"]
    wrong: tuple[str, ...] = ()


def frame(agent: str) -> Policy:
    """Return the tools of an agent, without rules."""
    servers = {
        server: {"tools": [{"toolName": tool, "args": args} for tool, args in tools.items()]}
        for server, tools in AGENTS[agent].items()
    }
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "annotations": {"servers": servers}, "servers": {}}
    return Policy.of_json(value)


def call_of(text: str) -> ToolCall:
    """Return the call `server/tool key=value ...`. An amount is a number."""
    name, *pairs = shlex.split(text)
    server, _, tool = name.partition("/")
    found = dict(pair.split("=", 1) for pair in pairs)
    arguments: dict[str, Any] = {key: float(one) if key == "amount" else one for key, one in found.items()}
    return ToolCall(server=server, tool=tool, arguments=arguments)


def policy_of(agent: str, *sentences: str) -> Policy:
    """Return the policy that sentences make for the tools of an agent. Sentences that are refused make no rule."""
    known = frame(agent)
    return replace(known, rules=compile_clauses("\n\n".join(sentences), known).rules)


def is_refused(agent: str, text: str) -> bool:
    """Return whether a sentence is refused."""
    (clause,) = clauses_of(text)
    return clause in compile_clauses(text, frame(agent)).refused


def outcome_of(agent: str, sentence: dict[str, Any]) -> Outcome:
    """Return how a sentence is read."""
    text = sentence["text"]
    (clause,) = clauses_of(text)
    if is_refused(agent, text):
        known = sentence.get("background") and is_background(clause)
        return Outcome(status="read" if known else "refused")
    if sentence.get("refuse") or sentence.get("background"):
        return Outcome(status="misread", wrong=("it must be refused",))
    everything = [f"Allow using any tool of {server}." for server in AGENTS[agent]]
    wrong: list[str] = []
    for base, more in (("alone", []), ("everything", everything)):
        policy = policy_of(agent, text, *more)
        for expected, calls in sentence.get(base, {}).items():
            decided = ((call, evaluate(policy, call_of(call)).decision) for call in calls)
            wrong += [f"{base}: {call} is {was}" for call, was in decided if was != WANTED[expected]]
    return Outcome(status="misread" if wrong else "read", wrong=tuple(wrong))

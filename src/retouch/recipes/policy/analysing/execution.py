"""Detects tools that run code. Such a tool can do everything that a policy forbids for other tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.analysing.spaces import roles_ever
from retouch.recipes.policy.language.values import Server

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Tool

_RUNNING_WORDS = """
    bash call cmd command console eval evaluate exec execute interpreter invoke javascript jupyter node perl
    powershell pwsh python repl ruby run script sh shell spawn ssh sudo terminal zsh
"""
_RUNS = frozenset(_RUNNING_WORDS.split())
_ASKS = frozenset({"query", "sql", "cypher", "graphql"})
_LOOKS = frozenset({"get", "list", "describe", "show", "read", "view", "search", "find", "cancel", "stop", "status"})
_CODE = frozenset({"code", "command", "cmd", "script", "sql", "shell", "statement", "program", "source_code", "cypher"})
_QUESTIONS = _CODE | {"query", "q", "text", "expression", "statements", "queries"}


def name_words(tool: Tool) -> frozenset[str]:
    """Return the words of a tool's name in lower case."""
    return frozenset(_split_name(tool.name))


def _split_name(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def executes_code(tool: Tool) -> bool:
    """Return whether a tool runs code that it receives.

    This is assumed if an argument has the role `executes-code`, or if the tool's name suggests it, for example `bash`,
    `run_python`, `evaluate` or `db_query(sql)`. A false positive only makes the policy more careful.
    """
    if any("executes-code" in roles_ever(spec) for spec in tool.args.values()):
        return True
    words = _split_name(tool.name)
    arguments = {name.lower() for name in tool.args}
    if words and words[0] in _LOOKS:
        return False
    if not _RUNS.isdisjoint(words) or arguments & _CODE:
        return True
    return not _ASKS.isdisjoint(words) and bool(arguments & _QUESTIONS)


def free_to_execute(policy: Policy) -> tuple[str, ...]:
    """Return the allowed tools that run code, as `server/tool`. Nothing controls the code they run."""
    running = {key: tool for key, tool in policy.tools.items() if executes_code(tool)}
    if not running:
        return ()
    free = [key for key in running if policy.servers.get(key[0], Server(name=key[0])).trusted]
    allowed = {(call.server, call.tool) for call, was in decided_regions(policy) if was.decision == "allow"}
    return tuple(f"{server}/{name}" for server, name in running if (server, name) in allowed or (server, name) in free)

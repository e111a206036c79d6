"""Tools that run code: whatever a policy forbids elsewhere, they can do."""

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
    """Return the words of a tool's name, in lower case."""
    return frozenset(_words(tool.name))


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def executes_code(tool: Tool) -> bool:
    """Return whether a tool runs what it is given: an argument has the role `executes-code`, or its name says so.

    Names are evidence enough to be careful: `bash`, `run_python`, `evaluate`, `db_query(sql)`.
    """
    if any("executes-code" in roles_ever(spec) for spec in tool.args.values()):
        return True
    words = _words(tool.name)
    arguments = {name.lower() for name in tool.args}
    if words and words[0] in _LOOKS:
        return False
    if not _RUNS.isdisjoint(words) or arguments & _CODE:
        return True
    return not _ASKS.isdisjoint(words) and bool(arguments & _QUESTIONS)


def free_to_execute(policy: Policy) -> tuple[str, ...]:
    """Return the tools that run code and that the policy allows to, as `server/tool`: what they do, nobody decides."""
    running = {key: tool for key, tool in policy.tools.items() if executes_code(tool)}
    if not running:
        return ()
    free = [key for key in running if policy.servers.get(key[0], Server(name=key[0])).trusted]
    allowed = {(call.server, call.tool) for call, was in decided_regions(policy) if was.decision == "allow"}
    return tuple(f"{server}/{name}" for server, name in running if (server, name) in allowed or (server, name) in free)

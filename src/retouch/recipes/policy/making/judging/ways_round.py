"""Says which tools that run code are no way round the rules of a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.name_parts import split_name
from retouch.recipes.policy.english.tools.sql_tools import is_beyond_sql, runs_sql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.language.values import Rule, Tool


def no_ways_round(
    quoting: Mapping[tuple[str, str], Rule], tools: Mapping[tuple[str, str], Tool], text: str
) -> frozenset[str]:
    """Return the tools that run code, as `server/tool`, which cannot do what the rules of a sentence restrict.

    Either the rules test the SQL or commands of these tools, or limit their own calls by time or number. Or they run
    SQL, and the rules are about what no SQL does, such as to create a project of a platform.
    """
    strict = {key: rule for key, rule in quoting.items() if rule.then != "allow"}
    found = {
        f"{server}/{tool}" for (server, _), rule in strict.items() if _is_limited(rule) for tool in rule.when.tool or ()
    }
    found |= {
        f"{server}/{name}"
        for (server, _), rule in strict.items()
        for name in rule.when.tool or ()
        if (server, name) in tools and _spares_values(rule, tools[server, name], text.lower())
    }
    named = [split_name(tool) for rule in strict.values() for tool in rule.when.tool or ()]
    if named and all(is_beyond_sql(words[-1]) for words in named if words):
        found |= {f"{server}/{name}" for (server, name), tool in tools.items() if runs_sql(tool)}
    return frozenset(found)


def _is_limited(rule: Rule) -> bool:
    """Return whether a rule tests SQL or commands, or is only about the time and the number of calls."""
    tests = (*rule.when.where, *rule.when.unless)
    read = any(one.sql or one.tables for one in rule.when.where) or any(one.runs for one in tests)
    return read or (bool(tests) and all(one.is_clock or one.is_total for one in tests))


def _spares_values(rule: Rule, tool: Tool, text: str) -> bool:
    """Return whether a rule spares only some values of what a tool runs, wherever a sentence says so."""
    run = {arg for arg, spec in tool.args.items() if "executes-code" in spec.all_roles}
    said = all(str(value).lower() in text for one in rule.when.where for value in one.among)
    return said and any(one.among and one.arg in run for one in rule.when.unless)

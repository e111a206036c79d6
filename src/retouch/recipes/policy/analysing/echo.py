"""Describes what rules mean for the tools at hand: "allow read_email and search_emails of gmail"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.language.values import STRICTNESS

if TYPE_CHECKING:
    from collections.abc import Collection

    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Limit, Rule, Tool

MOST_NAMES = 5
_WORDS = {"allow": "allow", "escalate": "ask before", "deny": "deny"}


def echo_of(policy: Policy, names: Collection[str]) -> tuple[str, ...]:
    """Return what the rules with these names do, one line per condition: permissions, questions, prohibitions.

    The tools are those that a rule can match, by server, name and roles. At most five are named.
    """
    found: dict[str, None] = {}
    for rule in sorted(policy.rules, key=lambda one: STRICTNESS[one.then]):
        if rule.name in names:
            by_server: dict[str, list[str]] = {}
            for (server, name), tool in policy.tools.items():
                if _may_match(rule, tool):
                    by_server.setdefault(server, []).append(name)
            for server, tools in by_server.items():
                found[f"{_WORDS[rule.then]} {_listed(tools)} of {server}{_condition(rule, policy)}"] = None
    return tuple(found)


def _may_match(rule: Rule, tool: Tool) -> bool:
    when = rule.when
    if not when.is_about(tool.server, tool.name):
        return False
    ever = {role for spec in tool.args.values() for role in spec.all_roles}
    named = [when.roles, None if when.paths is None else when.paths.roles]
    named += [None if when.domains is None else when.domains.roles, *(one.roles for one in when.lists or ())]
    return all(roles is None or not ever.isdisjoint(roles) for roles in named)


def _listed(tools: list[str]) -> str:
    if len(tools) > MOST_NAMES:
        return f"{', '.join(tools[:MOST_NAMES])} and {len(tools) - MOST_NAMES} more tools"
    return tools[0] if len(tools) == 1 else f"{', '.join(tools[:-1])} and {tools[-1]}"


def _condition(rule: Rule, policy: Policy) -> str:
    when = rule.when
    parts: list[str] = []
    if when.paths is not None:
        parts.append(f"{' or '.join(when.paths.roles)} within {when.paths.within}")
    elif when.roles is not None:
        parts.append(f"for {' or '.join(when.roles)}")
    if when.domains is not None:
        parts.append(f"{' or '.join(when.domains.roles)} on {' or '.join(when.domains.allowed)}")
    parts += [f"{' or '.join(one.roles)} is {' or '.join(one.allowed)}" for one in when.lists or ()]
    parts += [_words_of(one, policy) for one in when.where]
    words = f" if {' and '.join(parts)}" if parts else ""
    return f"{words} unless {' and '.join(_words_of(one, policy) for one in when.unless)}" if when.unless else words


def _words_of(limit: Limit, policy: Policy) -> str:
    return f"{limit.words} ({policy.time_zone})" if limit.is_clock else limit.words

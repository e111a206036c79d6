"""Writes a policy as human-readable JSON that `Policy.load` reads back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from retouch._lib.hashing import canonical_hash

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import (
        Condition,
        EarlierTools,
        Limit,
        ListDef,
        ResolvedList,
        RoleSpec,
        Rule,
        Server,
        Tool,
    )

Stored = dict[str, "JSON"]


def stored_policy(policy: Policy) -> Stored:
    """Return the stored form of a policy."""
    found: Stored = {
        "semantics": policy.semantics,
        "home": policy.home,
        "timeZone": policy.time_zone,
        "workingDirectory": policy.working_directory,
        "allowedDirectory": policy.allowed_directory,
        "protectedPaths": list(policy.protected_paths),
        "servers": {name: _server(one) for name, one in policy.servers.items()},
        "rules": [stored_rule(rule) for rule in policy.rules],
        "listDefinitions": [stored_list_def(one) for one in policy.list_defs],
        "dynamicLists": None if policy.lists is None else {name: _resolved(one) for name, one in policy.lists.items()},
        "annotations": {"servers": _tools(policy), **({"roles": {**policy.roles}} if policy.roles else {})},
        "sourceHash": policy.source_hash,
        "inputHash": policy.input_hash,
        "engineVersion": policy.engine_version,
        "verified": policy.verified,
        "skipped": [{"server": one.server, "reason": one.reason} for one in policy.skipped],
        "failed": [{"server": one.server, "reason": one.reason} for one in policy.failed],
    }
    if policy.verified:
        found["verifiedHash"] = verified_hash(policy)
    return _given(found)


def verified_hash(policy: Policy) -> str:
    """Return the hash of everything that a policy's decisions depend on, in its stored form."""
    stored = stored_policy(replace(policy, verified=False))
    return canonical_hash({key: one for key, one in stored.items() if key != "verified"})


def stored_rule(rule: Rule) -> Stored:
    """Return one rule with the keys it has in a policy file."""
    when = rule.when
    condition: Stored = {
        "roles": _list(when.roles),
        "server": _list(when.server),
        "tool": _list(when.tool),
        "paths": None if when.paths is None else {"roles": _list(when.paths.roles), "within": when.paths.within},
        "domains": None
        if when.domains is None
        else {"roles": _list(when.domains.roles), "allowed": _list(when.domains.allowed)},
        "lists": None
        if when.lists is None
        else [{"roles": _list(one.roles), "allowed": _list(one.allowed), "matchType": one.match} for one in when.lists],
        "where": [_limit(one) for one in when.where] or None,
        "unless": [_limit(one) for one in when.unless] or None,
    }
    return {
        "name": rule.name,
        "description": rule.description,
        "principle": rule.principle,
        "if": _given(condition),
        "then": rule.then,
        "reason": rule.reason,
    }


def _limit(one: Limit) -> Stored:
    names = {"within": one.within, "domains": one.domains, "emails": one.emails, "in": one.among, "like": one.like}
    names |= {"sql": one.sql, "tables": one.tables, "runs": one.runs}
    found: Stored = {"role": one.role, "arg": one.arg, "is": one.state} | _earlier(one.after)
    found |= {key: cast("JSON", list(values)) for key, values in names.items() if values}
    found |= {"count": one.count or one.size, "sum": one.sum, "per": one.per}
    found |= {"since": one.since} if one.same is None else {"same": one.same}
    found |= {key: cast("JSON", list(values)) for key, values in (("hours", one.hours), ("days", one.days)) if values}
    bounds = {"atLeast": one.at_least, "atMost": one.at_most, "above": one.above, "below": one.below}
    return _given(found | bounds)


def _earlier(after: EarlierTools | None) -> Stored:
    if after is None:
        return {}
    same: JSON = dict(after.same) or None
    if all(own == other for own, other in after.same):
        same = _list(tuple(own for own, _ in after.same) or None)
    return {"after": _list(after.tools), "where": [_limit(one) for one in after.where] or None, "same": same}


def _given(found: Stored) -> Stored:
    return {key: value for key, value in found.items() if value is not None}


def _list(names: tuple[str, ...] | None) -> JSON:
    return None if names is None else cast("JSON", list(names))


def _server(server: Server) -> Stored:
    return _given(
        {
            "sandboxed": server.sandboxed,
            "piecewise": server.piecewise,
            "introspection": _list(server.introspection),
            "domainAllowlist": _list(server.domain_allowlist),
            "trusted": server.trusted,
            "defaultRemoteArg": server.default_remote_arg,
        }
    )


def stored_list_def(one: ListDef) -> Stored:
    """Return the definition of a list with the keys it has in a policy file."""
    return _given(
        {
            "name": one.name,
            "type": one.type,
            "principle": one.principle,
            "generationPrompt": one.prompt,
            "requiresMcp": one.needs_data,
            "mcpServerHint": one.hint,
        }
    )


def _resolved(one: ResolvedList) -> Stored:
    return _given(
        {
            "values": _list(one.values),
            "manualAdditions": _list(one.additions),
            "manualRemovals": _list(one.removals),
            "resolvedAt": one.resolved_at,
            "inputHash": one.input_hash,
        }
    )


def _tools(policy: Policy) -> Stored:
    found: dict[str, list[JSON]] = {}
    for (server, _), tool in policy.tools.items():
        found.setdefault(server, []).append(_tool(tool))
    return {server: {"tools": tools} for server, tools in found.items()}


def _tool(tool: Tool) -> Stored:
    args: Stored = {arg: stored_spec(spec) for arg, spec in tool.args.items()}
    found: Stored = {"toolName": tool.name, "serverName": tool.server, "comment": tool.comment, "args": args}
    if tool.input_schema is not None:
        found["inputSchema"] = dict(tool.input_schema)
    return found


def stored_spec(spec: RoleSpec) -> JSON:
    """Return the roles of an argument in the form of annotations."""
    if not spec.modes:
        return _list(spec.default)
    modes: list[JSON] = [{"condition": _condition(one.condition), "roles": _list(one.roles)} for one in spec.modes]
    return {"default": _list(spec.default), "when": modes}


def _condition(one: Condition) -> Stored:
    if one.kind == "equals":
        return {"arg": one.arg, "equals": one.equals}
    if one.kind == "in":
        return {"arg": one.arg, "in": cast("JSON", list(one.among))}
    return {"arg": one.arg, "is": one.state}

"""A policy made ready for many decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.policy.matching import DomainPatterns, View, ready_rule, view_of
from retouch.recipes.policy.modes import mode_of, roles_in
from retouch.recipes.policy.paths import Places, find_places
from retouch.recipes.policy.semantics import SEMANTICS
from retouch.recipes.policy.values import Server

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.policy import Policy
    from retouch.recipes.policy.values import JSON, Rule, Tool


class Prepared:
    """A policy with its folders resolved and its rules sorted by tool; what was computed once is kept.

    `disk=False` reads no symbolic links, so that decisions depend on nothing but the policy and the call.
    """

    def __init__(self, policy: Policy, *, disk: bool) -> None:
        self.policy = policy
        self.disk = disk
        self.semantics = SEMANTICS[policy.semantics]
        self.sandbox = None if policy.allowed_directory is None else self.places(policy.allowed_directory)
        self.protected = tuple((one, self.places(one).candidates) for one in policy.protected_paths)
        strict = self.semantics.strict
        self.rules = tuple(
            ready_rule(rule, position, self._folders(rule), policy.lists, strict=strict)
            for position, rule in enumerate(policy.rules)
        )
        self.failed = {note.server: note.reason for note in policy.failed}
        self.gates = {
            name: DomainPatterns(server.domain_allowlist, strict=strict)
            for name, server in policy.servers.items()
            if server.domain_allowlist is not None
        }
        self._views: dict[tuple[str, str, tuple[int, ...]], View] = {}

    def places(self, path: str) -> Places:
        """Return where a path of this policy or of a call may lead."""
        policy = self.policy
        return find_places(path, home=policy.home, working_directory=policy.working_directory, disk=self.disk)

    def server(self, name: str) -> Server:
        """Return what is declared about a server."""
        return self.policy.servers.get(name) or Server(name=name)

    def view(self, tool: Tool, arguments: Mapping[str, JSON]) -> View:
        """Return a tool as a call with these arguments sees it."""
        modes = tuple(mode_of(spec, arguments) if spec.modes else -1 for spec in tool.args.values())
        key = (tool.server, tool.name, modes)
        found = self._views.get(key)
        if found is None:
            roles = {arg: roles_in(spec, mode) for (arg, spec), mode in zip(tool.args.items(), modes, strict=True)}
            rules = tuple(one for one in self.rules if _is_for(one.rule, tool))
            found = self._views[key] = view_of(roles, rules)
        return found

    def _folders(self, rule: Rule) -> tuple[str, ...] | None:
        return None if rule.when.paths is None else self.places(rule.when.paths.within).candidates


def _is_for(rule: Rule, tool: Tool) -> bool:
    when = rule.when
    return (when.server is None or tool.server in when.server) and (when.tool is None or tool.name in when.tool)


def prepared(policy: Policy, *, disk: bool) -> Prepared:
    """Return the policy made ready; it is kept with the policy, so that the next decision costs less."""
    key = f"_prepared_{disk}"
    found = vars(policy).get(key)
    if not isinstance(found, Prepared):
        found = vars(policy)[key] = Prepared(policy, disk=disk)
    return found

"""Prepares a policy for many decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from retouch.recipes.policy.deciding.limits import ReadyLimit
from retouch.recipes.policy.deciding.matching import DomainPatterns, ReadyRule, View, ready_rule, view_of
from retouch.recipes.policy.deciding.modes import mode_of, roles_in
from retouch.recipes.policy.deciding.omitted import omitted_values, with_omitted
from retouch.recipes.policy.language.clock import zone_of
from retouch.recipes.policy.language.semantics import SEMANTICS
from retouch.recipes.policy.language.values import Server
from retouch.recipes.policy.resources.paths import Places, find_places, fold_place, may_reach, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import EarlierTools, Rule, Tool, ToolCall


class EarlierTest(NamedTuple):
    """What was called before, with the tests of its arguments prepared."""

    after: EarlierTools
    where: tuple[ReadyLimit, ...]


class Prepared:
    """A policy with resolved directories and rules indexed by tool. Results are cached.

    With `disk=False` symbolic links are not resolved, so that decisions depend only on the policy and the call.
    """

    def __init__(self, policy: Policy, *, disk: bool) -> None:
        self.policy = policy
        self.disk = disk
        self.semantics = SEMANTICS[policy.semantics]
        self.sandbox = None if policy.allowed_directory is None else self.places(policy.allowed_directory)
        self.protected = tuple(_Protected(self, one) for one in policy.protected_paths)
        strict = self.semantics.strict
        self.rules = tuple(
            ready_rule(rule, position, self._folders(rule), policy.lists, strict=strict)
            for position, rule in enumerate(policy.rules)
        )
        self.where = tuple(tuple(ReadyLimit(one, self) for one in rule.when.where) for rule in policy.rules)
        self.unless = tuple(tuple(ReadyLimit(one, self) for one in rule.when.unless) for rule in policy.rules)
        self.zone = zone_of(policy.time_zone)
        self.needs_state = any(rule.when.needs_state for rule in policy.rules)
        self._scopes: dict[int, tuple[str, ...]] = {}
        self._before: dict[tuple[str, str], tuple[EarlierTest, ...]] = {}
        self.failed = {note.server: note.reason for note in policy.failed}
        self.gates = {
            name: DomainPatterns(server.domain_allowlist, strict=strict)
            for name, server in policy.servers.items()
            if server.domain_allowlist is not None
        }
        self._servers = {name: Server(name=name) for name, _ in policy.tools} | dict(policy.servers)
        self._views: dict[tuple[str, str, tuple[int, ...]], View] = {}
        self._omitted: dict[tuple[str, str], dict[str, str]] = {}
        self._plain_views: dict[tuple[str, str], View] = {}  # of tools whose roles do not depend on their arguments

    def places(self, path: str) -> Places:
        """Return the possible locations of a path of this policy or of a call."""
        policy = self.policy
        return find_places(path, home=policy.home, working_directory=policy.working_directory, disk=self.disk)

    def server(self, name: str) -> Server:
        """Return the declaration of a server."""
        return self._servers.get(name) or Server(name=name)

    def view(self, tool: Tool, arguments: Mapping[str, JSON]) -> View:
        """Return a tool with the modes that these arguments select."""
        found = self._plain_views.get((tool.server, tool.name))
        if found is not None:
            return found
        modes = tuple(mode_of(spec, arguments) if spec.modes else -1 for spec in tool.args.values())
        key = (tool.server, tool.name, modes)
        found = self._views.get(key)
        if found is None:
            roles = {arg: roles_in(spec, mode) for (arg, spec), mode in zip(tool.args.items(), modes, strict=True)}
            found = self._views[key] = view_of(roles, self.rules_for(tool.server, tool.name))
            if not any(spec.modes for spec in tool.args.values()):
                self._plain_views[tool.server, tool.name] = found
        return found

    def completed(self, tool: Tool, call: ToolCall) -> ToolCall:
        """Return a call with the paths and addresses that the tool uses for those that the call omits."""
        found = self._omitted.get((tool.server, tool.name))
        if found is None:
            found = self._omitted[tool.server, tool.name] = omitted_values(tool)
        if not found or (not call.arguments and tool.name in self.server(tool.server).introspection):
            return call
        return with_omitted(call, found)

    def is_in_sandbox(self, found: Places) -> bool:
        """Return whether a path with these locations is certainly inside the sandbox."""
        if self.sandbox is None:
            return False
        return found.are_inside(self.sandbox.candidates, root_holds_all=self.semantics.root_holds_all)

    def is_protected(self, text: str, found: Places | None = None, *, below: bool = False) -> bool:
        """Return whether a path may touch a protected path. With `below`, a path that contains a protected one counts
        too.

        A path in the sandbox is not protected. With strict semantics it is, if the protected path is in the sandbox
        too.
        """
        if not self.protected:
            return False
        found = self.places(text) if found is None else found
        inside = self.is_in_sandbox(found)
        strict = self.semantics.strict
        if inside and not strict:
            return False
        spelled = self.spelled(found) if strict else ()
        for one in self.protected:
            if inside and not one.in_sandbox:
                continue
            if strict and any(may_reach(place, known, below=below) for place in spelled for known in one.folded):
                return True
            if not strict and found.may_touch(one.folders, root_holds_all=self.semantics.root_holds_all):
                return True
        return False

    def spelled(self, found: Places) -> tuple[str, ...]:
        """Return the locations of a path and the path as written, folded in the way prohibitions compare paths."""
        folded = [fold_place(one) for one in (*found.candidates, found.written) if one]
        return tuple(dict.fromkeys((*folded, *map(tidy, folded))))

    def scopes(self, position: int) -> tuple[str, ...]:
        """Return the scopes that the tests of a rule about earlier calls count: one for each tool of the rule."""
        found = self._scopes.get(position)
        if found is None:
            when = self.policy.rules[position].when
            keys = (key for key in self.policy.tools if when.is_about(*key))
            found = self._scopes[position] = tuple(when.scope_of(*key) for key in keys)
        return found

    def before(self, server: str, tool: str) -> tuple[EarlierTest, ...]:
        """Return the tests of what was called before that calls of a tool are kept for, one of each scope."""
        found = self._before.get((server, tool))
        if found is None:
            known: dict[str, EarlierTest] = {}
            for rule in self.policy.rules:
                for limit in rule.when.afters if rule.when.server is None or server in rule.when.server else ():
                    after = limit.after
                    if after is not None and tool in after.tools:
                        tests = tuple(ReadyLimit(one, self) for one in after.where)
                        known.setdefault(after.scope_of(server, tool), EarlierTest(after, tests))
            found = self._before[server, tool] = tuple(known.values())
        return found

    def rules_for(self, server: str, tool: str) -> tuple[ReadyRule, ...]:
        """Return the rules for this tool and its server, including rules that name no tool or server."""
        return tuple(one for one in self.rules if one.rule.when.is_about(server, tool))

    def _folders(self, rule: Rule) -> tuple[str, ...] | None:
        return None if rule.when.paths is None else self.places(rule.when.paths.within).candidates


class _Protected:
    """One protected path: its locations, its folded locations, and whether it is in the sandbox."""

    def __init__(self, ready: Prepared, written: str) -> None:
        places = ready.places(written)
        self.folders = places.candidates
        self.folded = tuple(map(fold_place, (*places.candidates, *([places.written] if places.written else []))))
        self.in_sandbox = ready.is_in_sandbox(places)


def prepared(policy: Policy, *, disk: bool) -> Prepared:
    """Return the prepared policy. It is cached on the policy object."""
    key = "_prepared_on_disk" if disk else "_prepared"
    found: Prepared | None = vars(policy).get(key)
    if found is None:
        found = vars(policy)[key] = Prepared(policy, disk=disk)
    return found

"""Compares two policies and lists the calls that they decide differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.regions import by_size, tool_space
from retouch.recipes.policy.analysing.states import shown
from retouch.recipes.policy.deciding.evaluation import LEXICAL, Surroundings, evaluate
from retouch.recipes.policy.deciding.prepared import prepared
from retouch.recipes.policy.language.values import STRICTNESS, RoleSpec, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.decision import Decision
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import ToolCall


@dataclass(frozen=True, kw_only=True)
class Change:
    """One call that is decided differently."""

    request: ToolCall
    before: Decision
    after: Decision

    @property
    def loosens(self) -> bool:
        """True if the later decision is less strict."""
        return STRICTNESS[self.after.decision] < STRICTNESS[self.before.decision]

    @property
    def by(self) -> tuple[str, str]:
        """The names of the deciding rules, before and after."""
        return self.before.rule, self.after.rule

    def as_json(self) -> dict[str, JSON]:
        """Return the change as JSON."""
        return {
            "request": self.request.as_json(),
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            "loosens": self.loosens,
        }


@dataclass(frozen=True, kw_only=True)
class Difference:
    """All changes, the smallest call first, and the number of calls compared."""

    changes: tuple[Change, ...]
    calls: int

    @property
    def by_rules(self) -> dict[tuple[str, str], tuple[Change, ...]]:
        """The changes grouped by deciding rule, before and after. The group with the smallest call comes first."""
        groups: dict[tuple[str, str], list[Change]] = {}
        for one in self.changes:
            groups.setdefault(one.by, []).append(one)
        return {rules: tuple(found) for rules, found in groups.items()}

    def as_json(self) -> dict[str, JSON]:
        """Return the difference as JSON."""
        groups: list[JSON] = [
            {"before": before, "after": after, "calls": len(found), "example": found[0].as_json()}
            for (before, after), found in self.by_rules.items()
        ]
        return {"calls": self.calls, "changes": [one.as_json() for one in self.changes], "groups": groups}


def compare_policies(before: Policy, after: Policy, *, surroundings: Surroundings = LEXICAL) -> Difference:
    """Return the calls that two policies decide differently, one per region.

    All tools that either policy knows are compared. Two decisions differ if the outcome differs, or if an escalation
    prompts the user about other roles. Different rules or reasons with the same outcome are not a change.
    """
    calls, changes = 0, list[Change]()
    for call in calls_of_both(before, after, surroundings):
        calls += 1
        was = evaluate(before, call, surroundings=surroundings)
        now = evaluate(after, call, surroundings=surroundings)
        if was.decision != now.decision or set(was.escalated_roles) != set(now.escalated_roles):
            changes.append(Change(request=shown(call), before=was, after=now))
    return Difference(changes=tuple(sorted(changes, key=lambda one: by_size(one.request))), calls=calls)


def calls_of_both(before: Policy, after: Policy, surroundings: Surroundings) -> Iterator[ToolCall]:
    """Yield one call of every kind that either policy distinguishes, for all tools that either knows."""
    policies = [prepared(one, disk=surroundings.disk) for one in (before, after)]
    for key in dict.fromkeys((*before.tools, *after.tools)):
        tools = [one.tools[key] for one in (before, after) if key in one.tools]
        yield from tool_space(_merged_tool(tools), policies).calls()


def _merged_tool(tools: list[Tool]) -> Tool:
    """Return a tool whose arguments have the roles and modes of both policies."""
    if len(tools) == 1 or tools[0].args == tools[1].args:
        return tools[-1]
    first, second = tools
    args: dict[str, RoleSpec] = {}
    for name in dict.fromkeys((*first.args, *second.args)):
        specs = [tool.args[name] for tool in tools if name in tool.args]
        roles = dict.fromkeys(role for spec in specs for role in spec.default)
        args[name] = RoleSpec(default=tuple(roles), modes=tuple(mode for spec in specs for mode in spec.modes))
    return Tool(server=second.server, name=second.name, args=args, input_schema=second.input_schema)

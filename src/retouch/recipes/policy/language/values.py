"""The nouns of policies that are plain values: rules, tools, servers, lists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch._lib.json_text import JSON

if TYPE_CHECKING:
    from collections.abc import Mapping

Scalar: TypeAlias = "bool | int | float | str | None"
Outcome: TypeAlias = Literal["allow", "escalate", "deny"]
ListType: TypeAlias = Literal["domains", "emails", "identifiers"]
State: TypeAlias = Literal["present", "absent", "truthy", "falsy"]

STRICTNESS: Mapping[Outcome, int] = {"allow": 0, "escalate": 1, "deny": 2}


@dataclass(frozen=True, kw_only=True)
class PathsWhen:
    """Holds for values of `roles` that lie within one folder; `within` may begin with `~`."""

    roles: tuple[str, ...]
    within: str


@dataclass(frozen=True, kw_only=True)
class DomainsWhen:
    """Holds when every host that values of `roles` name fits one of `allowed` (patterns, or `@list`)."""

    roles: tuple[str, ...]
    allowed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ListWhen:
    """Holds when every value of `roles` is in `allowed`, compared as `match` says."""

    roles: tuple[str, ...]
    allowed: tuple[str, ...]
    match: ListType


@dataclass(frozen=True, kw_only=True)
class When:
    """The condition of a rule: all parts that are given must hold. None is a part that is not given."""

    roles: tuple[str, ...] | None = None
    server: tuple[str, ...] | None = None
    tool: tuple[str, ...] | None = None
    paths: PathsWhen | None = None
    domains: DomainsWhen | None = None
    lists: tuple[ListWhen, ...] | None = None

    def is_about(self, server: str, tool: str) -> bool:
        """Return whether a tool of a server is named, or it does not matter which it is."""
        return (self.server is None or server in self.server) and (self.tool is None or tool in self.tool)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule; the first that fits answers. `principle` quotes the text that the rule was made from."""

    name: str
    when: When
    then: Outcome
    description: str = ""
    principle: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Holds by what a sibling argument is: exactly one of `equals`, `among`, `state` is in use (`kind`)."""

    arg: str
    kind: Literal["equals", "in", "is"]
    equals: Scalar = None
    among: tuple[Scalar, ...] = ()
    state: State = "present"


@dataclass(frozen=True, kw_only=True)
class Mode:
    """The roles that an argument has while a condition holds."""

    condition: Condition
    roles: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RoleSpec:
    """The roles of an argument: those of the first mode whose condition holds, else `default`."""

    default: tuple[str, ...]
    modes: tuple[Mode, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool of a server: what its arguments are used for, and its JSON Schema when it is known."""

    server: str
    name: str
    args: Mapping[str, RoleSpec]
    comment: str = ""
    input_schema: Mapping[str, JSON] | None = None


@dataclass(frozen=True, kw_only=True)
class Server:
    """What is known about a server before any rule is looked at.

    `sandboxed`: paths inside the sandbox folder need no rule, a role at a time. `piecewise`: also value by value, so
    that rules only decide about values outside it. `introspection` are tools that may always be called without
    arguments. `default_remote_arg` names the argument whose folder has the remote that is used when none is given.
    """

    name: str
    sandboxed: bool = False
    piecewise: bool = False
    introspection: tuple[str, ...] = ()
    domain_allowlist: tuple[str, ...] | None = None
    trusted: bool = False
    default_remote_arg: str | None = None


@dataclass(frozen=True, kw_only=True)
class ListDef:
    """What a list that rules name with `@` is to hold, for whoever fills it."""

    name: str
    type: ListType
    principle: str = ""
    prompt: str = ""
    needs_data: bool = False
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class ResolvedList:
    """The members of a list: what was found, what a person added and what a person took away."""

    values: tuple[str, ...] = ()
    additions: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()
    resolved_at: str | None = None
    input_hash: str | None = None

    @property
    def effective(self) -> tuple[str, ...]:
        """The members that count, in order, each once."""
        gone = set(self.removals)
        return tuple(dict.fromkeys(one for one in (*self.values, *self.additions) if one not in gone))


@dataclass(frozen=True, kw_only=True)
class ServerNote:
    """A server that was left out of a policy or did not pass, and why."""

    server: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call that an agent wants to make."""

    server: str
    tool: str
    arguments: Mapping[str, JSON] = field(default_factory=dict[str, JSON])

    def as_json(self) -> dict[str, JSON]:
        """Return the request as stored: `serverName`, `toolName`, `arguments`."""
        return {"serverName": self.server, "toolName": self.tool, "arguments": dict(self.arguments)}

"""The plain values of policies: rules, tools, servers, lists."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from retouch._lib.json_text import JSON
from retouch.recipes.policy.language.docstrings import plain_texts
from retouch.recipes.policy.language.plain_schemas import plain_schema

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

Scalar: TypeAlias = "bool | int | float | str | None"
Outcome: TypeAlias = Literal["allow", "escalate", "deny"]
ListType: TypeAlias = Literal["domains", "emails", "identifiers"]
State: TypeAlias = Literal["present", "absent", "truthy", "falsy"]
Size: TypeAlias = Literal["characters", "items", "minutes"]

SqlKind: TypeAlias = Literal[
    "select", "insert", "update", "delete", "truncate", "create", "alter", "drop", "drop other", "grant",
    "update all", "delete all", "user",
]  # fmt: skip
SQL_KINDS: tuple[SqlKind, ...] = get_args(SqlKind)[:10]
SQL_PARTS: Mapping[SqlKind, SqlKind] = {"update all": "update", "delete all": "delete", "user": "create"}
RUN_PATTERN = re.compile(
    r"\((?:reads|well-known)\)|[\w.+@~/-]*[\w+](?: (?!-)[\w.+@:=-]+)*(?: (?:--?[a-zA-Z][\w-]*|-\d+|\+))*|"
    r"git push(?: <[\w.*/-]+>)+(?: --?[a-zA-Z][\w-]*)*",
    re.ASCII,
)
Period: TypeAlias = Literal["minute", "hour", "day", "week", "month"]

PERIOD_S: Mapping[Period, int] = {"minute": 60, "hour": 3600, "day": 86400, "week": 604800, "month": 31 * 86400}
PERIOD_WORDS: Mapping[Period, str] = {
    "minute": "60 seconds",
    "hour": "60 minutes",
    "day": "24 hours",
    "week": "7 days",
    "month": "31 days",
}
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
DAY_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MOST_SHOWN = 2  # earlier calls in the words of a state
AFTER = "after-"  # prefix of the scopes of tests about what was called before
STRICTNESS: Mapping[Outcome, int] = {"allow": 0, "escalate": 1, "deny": 2}


@dataclass(frozen=True, kw_only=True)
class PathsWhen:
    """Matches values of `roles` that are within one directory. `within` may start with `~`."""

    roles: tuple[str, ...]
    within: str


@dataclass(frozen=True, kw_only=True)
class DomainsWhen:
    """Matches if every host in the values of `roles` matches one of `allowed` (patterns, or `@list`)."""

    roles: tuple[str, ...]
    allowed: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ListWhen:
    """Matches if every value of `roles` is in `allowed`. `match` selects the comparison."""

    roles: tuple[str, ...]
    allowed: tuple[str, ...]
    match: ListType


@dataclass(frozen=True, kw_only=True)
class EarlierTools:
    """Calls that were let through before: of one of `tools`, on the server of the call that is decided.

    `where` are tests of their arguments. `same` pairs an argument of the call that is decided with the argument of the
    earlier call that must have the same value.
    """

    tools: tuple[str, ...]
    where: tuple[Limit, ...] = ()
    same: tuple[tuple[str, str], ...] = ()

    def scope_of(self, server: str, tool: str) -> str:
        """Return a short name for the stored earlier calls of one of the tools."""
        tests = sorted(json.dumps(one.given, sort_keys=True) for one in self.where)
        text = json.dumps([server, tool, tests, [other for _, other in self.same]])
        return f"{AFTER}{sha256(text.encode()).hexdigest()[:20]}"

    @property
    def words(self) -> str:
        """The calls as text, for example `cordon_node was called before with the same node`."""
        tests = f" ({' and '.join(one.words for one in self.where)})" if self.where else ""
        pairs = [own if own == other else f"{own} (as {other})" for own, other in self.same]
        same = f" with the same {' and '.join(pairs)}" if pairs else ""
        return f"{' or '.join(self.tools)}{tests} was called before{same}"


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A test of the values of one argument, `arg`, or of all arguments with a role. Exactly one of the two is given.

    Exactly one kind of test is given: `within` (directories), `domains` (host patterns), `emails` (addresses, or
    `*@domain`), `among` (scalars), `like` (patterns with `*`), `sql` (kinds of statements), `tables` (that SQL names),
    `runs` (commands that a command line runs), or numbers (`at_least`, `at_most`, `above`, `below`, which can be
    combined). With `size` the numbers are about the length of a text in code points, about the number of items of a
    list, or about the minutes from the time that the argument `since` names to the time that `arg` names. `state`: the
    argument is given, or left out.

    Instead of an argument, a test can be about earlier calls that its rule is about: `count` is their number and `sum`
    the total of their argument with this name, both in the last `per`, this call included. With `same`, only earlier
    calls with the same value of that argument count, or with the same host if it is a URL. Or it can be about the time
    of the call: `hours` (`09:00-17:00`) and `days` (`mon`). With `arg` these are about the time that an argument names.
    Or it can be about what was called before: `after`, in the last `per` or at any time.
    """

    role: str | None = None
    arg: str | None = None
    within: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    among: tuple[Scalar, ...] = ()
    like: tuple[str, ...] = ()
    at_least: float | None = None
    at_most: float | None = None
    above: float | None = None
    below: float | None = None
    count: Literal["calls"] | None = None
    sum: str | None = None
    per: Period | None = None
    same: str | None = None
    hours: tuple[str, ...] = ()
    days: tuple[str, ...] = ()
    size: Size | None = None
    since: str | None = None
    state: Literal["present", "absent"] | None = None
    after: EarlierTools | None = None
    sql: tuple[SqlKind, ...] = ()
    tables: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def given(self) -> dict[str, object]:
        """The fields that are given."""
        return {name: one for name, one in vars(self).items() if one is not None and one != ()}

    @property
    def is_total(self) -> bool:
        """True if the test is about earlier calls."""
        return self.count is not None or self.sum is not None

    @property
    def is_clock(self) -> bool:
        """True if the test is about the time of the call."""
        return bool(self.hours or self.days) and self.arg is None

    @property
    def is_of_state(self) -> bool:
        """True if the test is about earlier calls, or about the time of the call."""
        return self.is_total or self.is_clock or self.after is not None

    @property
    def is_written_time(self) -> bool:
        """True if the test is about a time that an argument names."""
        return bool(self.hours or self.days) and self.arg is not None

    @property
    def values(self) -> tuple[object, ...]:
        """The values, patterns, places and addresses that the test compares with."""
        return (*self.among, *self.like, *self.within, *self.emails, *self.domains)

    @property
    def bounds(self) -> tuple[float, ...]:
        """The numbers of the test."""
        return tuple(one for one in (self.at_least, self.at_most, self.above, self.below) if one is not None)

    def admits(self, number: float) -> bool:
        """Return whether a number is within the bounds."""
        low = (self.at_least is None or number >= self.at_least) and (self.above is None or number > self.above)
        return low and (self.at_most is None or number <= self.at_most) and (self.below is None or number < self.below)

    @property
    def words(self) -> str:
        """The test as text, for example `amount >= 0 and < 50`."""
        if self.hours or self.days:
            days = f"on {' or '.join(self.days)}" if self.days else ""
            hours = f"between {' or '.join(one.replace('-', ' and ') for one in self.hours)}" if self.hours else ""
            return f"{self.arg or 'the time'} is {' '.join(one for one in (days, hours) if one)}"
        name = self.role or self.arg or ""
        if self.after is not None:
            return f"{self.after.words}{'' if self.per is None else f' in the last {PERIOD_WORDS[self.per]}'}"
        if self.state is not None:
            return f"{name} is {'given' if self.state == 'present' else 'left out'}"
        of = "of" if self.since is None else f"from {self.since} to"
        name = name if self.size is None else f"the number of {self.size} {of} {name}"
        if self.per is not None:
            what = "number of such calls" if self.sum is None else f"total {self.sum} of such calls"
            name = f"the {what}{f' with the same {self.same}' if self.same else ''} in any {PERIOD_WORDS[self.per]}"
        for what, found in (("within", self.within), ("on", self.domains), ("to", self.emails), ("like", self.like)):
            if found:
                return f"{name} {what} {' or '.join(found)}"
        if self.among:
            return f"{name} is {' or '.join(map(str, self.among))}"
        if self.sql or self.tables or self.runs:
            return f"{name} {self._code_words}"
        pairs = ((">=", self.at_least), (">", self.above), ("<=", self.at_most), ("<", self.below))
        return f"{name} {' and '.join(f'{sign} {one:g}' for sign, one in pairs if one is not None)}"

    @property
    def _code_words(self) -> str:
        if self.sql:
            return _sql_words(self.sql)
        if self.tables:
            return f"names {' or '.join(self.tables)}"
        return f"runs {' or '.join(_RUN_WORDS.get(one, one) for one in self.runs)}"


_RUN_WORDS: Mapping[str, str] = {"(reads)": "only what reads", "(well-known)": "only well-known programs"}


def _sql_words(kinds: tuple[SqlKind, ...]) -> str:
    """Return kinds of statements as text, for example `SQL other than SELECT`."""
    others = [one for one in SQL_KINDS if one not in kinds]
    if not others:
        return "is SQL of which all is understood"
    named = others if len(others) <= 2 and kinds[-1] in SQL_KINDS else kinds
    return f"is SQL {'other than' if named is others else 'of'} {' or '.join(one.upper() for one in named)}"


@dataclass(frozen=True, kw_only=True)
class When:
    """The condition of a rule: all given parts must match. None is a part that is not given.

    `where` and `unless` are tests of the whole call (semantics 3). An allowing rule applies if every test of `where`
    certainly holds and some test of `unless` certainly does not. Any other rule applies if every test of `where` may
    hold and some test of `unless` may not.
    """

    roles: tuple[str, ...] | None = None
    server: tuple[str, ...] | None = None
    tool: tuple[str, ...] | None = None
    paths: PathsWhen | None = None
    domains: DomainsWhen | None = None
    lists: tuple[ListWhen, ...] | None = None
    where: tuple[Limit, ...] = ()
    unless: tuple[Limit, ...] = ()

    @property
    def list_names(self) -> tuple[str, ...]:
        """The names of the lists that `domains` and `lists` refer to, without the `@`."""
        allowed = (() if self.domains is None else self.domains.allowed, *(one.allowed for one in self.lists or ()))
        return tuple(dict.fromkeys(name[1:] for found in allowed for name in found if name.startswith("@")))

    @property
    def totals(self) -> tuple[Limit, ...]:
        """The tests about totals of earlier calls."""
        return tuple(one for one in (*self.where, *self.unless) if one.is_total)

    @property
    def afters(self) -> tuple[Limit, ...]:
        """The tests about what was called before."""
        return tuple(one for one in (*self.where, *self.unless) if one.after is not None)

    @property
    def needs_state(self) -> bool:
        """True if a test is about earlier calls or about the time."""
        return any(one.is_of_state for one in (*self.where, *self.unless))

    def scope_of(self, server: str, tool: str) -> str:
        """Return a short hash of the calls of a tool that the tests about totals of earlier calls count.

        It does not depend on bounds and periods, so that a changed bound keeps the count.
        """
        unless = () if any(one.is_total for one in self.unless) else self.unless
        tests = [
            sorted(json.dumps(one.given, sort_keys=True) for one in found if not one.is_total and one.after is None)
            for found in (self.where, unless)
        ]
        text = json.dumps([server, tool, None if self.roles is None else sorted(self.roles), *tests])
        return sha256(text.encode()).hexdigest()[:20]

    def is_about(self, server: str, tool: str) -> bool:
        """Return whether the condition covers a tool of a server."""
        return (self.server is None or server in self.server) and (self.tool is None or tool in self.tool)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule. The first rule that matches decides. `principle` quotes the text that the rule was made from."""

    name: str
    when: When
    then: Outcome
    description: str = ""
    principle: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Condition:
    """Depends on a sibling argument. `kind` selects which of `equals`, `among` and `state` is used."""

    arg: str
    kind: Literal["equals", "in", "is"]
    equals: Scalar = None
    among: tuple[Scalar, ...] = ()
    state: State = "present"


@dataclass(frozen=True, kw_only=True)
class Mode:
    """The roles of an argument if a condition holds."""

    condition: Condition
    roles: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class RoleSpec:
    """The roles of an argument: those of the first mode whose condition holds, otherwise `default`."""

    default: tuple[str, ...]
    modes: tuple[Mode, ...] = ()

    @property
    def all_roles(self) -> tuple[str, ...]:
        """The roles in any mode."""
        return tuple(dict.fromkeys((*self.default, *(role for mode in self.modes for role in mode.roles))))


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool of a server: the roles of its arguments, and its JSON Schema if it is known."""

    server: str
    name: str
    args: Mapping[str, RoleSpec]
    comment: str = ""
    input_schema: Mapping[str, JSON] | None = None

    @cached_property
    def schemas(self) -> Mapping[str, JSON]:
        """The schemas of the arguments that are known, without references and nullable alternatives.

        They have what the text of the tool states about the arguments.
        """
        found = plain_texts(self.comment, plain_schema(self.input_schema or {}))[1].get("properties")
        return found if isinstance(found, dict) else {}


@dataclass(frozen=True, kw_only=True)
class Server:
    """The declaration of a server, for decisions that come before any rule.

    `sandboxed`: a role needs no rule if all its paths are inside the sandbox directory. `piecewise`: this applies to
    each value, so that rules only decide about values outside it. `introspection` are tools that may always be called
    without arguments. `default_remote_arg` names the argument with the repository directory. The remote of that
    repository is used if the call names none.
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
    """The definition of a list that rules reference with `@`, for the user or program that resolves it."""

    name: str
    type: ListType
    principle: str = ""
    prompt: str = ""
    needs_data: bool = False
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class ResolvedList:
    """The members of a list: the resolved values, and the manual additions and removals of the user."""

    values: tuple[str, ...] = ()
    additions: tuple[str, ...] = ()
    removals: tuple[str, ...] = ()
    resolved_at: str | None = None
    input_hash: str | None = None

    @property
    def effective(self) -> tuple[str, ...]:
        """The effective members, in order, without duplicates."""
        gone = set(self.removals)
        return tuple(dict.fromkeys(one for one in (*self.values, *self.additions) if one not in gone))


@dataclass(frozen=True, kw_only=True)
class ServerNote:
    """A server that was skipped in a policy or did not pass, with the reason."""

    server: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """One call that an agent wants to make. `state` is its time and what was called before, None if it is not given."""

    server: str
    tool: str
    arguments: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    state: CallState | None = None

    @property
    def words(self) -> str:
        """The call as one line: server, tool, arguments, and its state."""
        arguments = json.dumps(dict(self.arguments), ensure_ascii=False)
        return f"{self.server}/{self.tool} {arguments}{'' if self.state is None else self.state.words}"

    def as_json(self) -> dict[str, JSON]:
        """Return the call as stored: `serverName`, `toolName`, `arguments`, and `at` and `earlier` if given."""
        found: dict[str, JSON] = {"serverName": self.server, "toolName": self.tool, "arguments": dict(self.arguments)}
        if self.state is not None:
            found.update(self.state.as_json())
        return found


@dataclass(frozen=True, kw_only=True)
class EarlierCall:
    """A call that was made before, `times` times at this moment."""

    call: ToolCall
    at: datetime
    times: int = 1

    def as_json(self) -> dict[str, JSON]:
        """Return the call with `at`, and with `times` if it is not 1."""
        more: dict[str, JSON] = {"at": self.at.isoformat()}
        return {**self.call.as_json(), **more, **({} if self.times == 1 else {"times": self.times})}


@dataclass(frozen=True, kw_only=True)
class CallState:
    """The time of a call and the calls that were made before. Without `at`, all of these count as recent.

    `assumed` is used by analyses: totals of earlier calls by scope and period, instead of those of `earlier`. What was
    called before is always in `earlier`.
    """

    at: datetime | None = None
    earlier: tuple[EarlierCall, ...] = ()
    assumed: Mapping[tuple[str, Period], float] | None = None

    @property
    def words(self) -> str:
        """The state as text, for example `at 2026-11-23 12:00 after 3 earlier calls`. One or two calls are shown."""
        at = "" if self.at is None else f" at {self.at:%a %Y-%m-%d %H:%M}"
        if 0 < len(self.earlier) <= MOST_SHOWN and all(one.times == 1 for one in self.earlier):
            return f"{at} after {' and '.join(replace(one.call, state=None).words for one in self.earlier)}"
        count = sum(one.times for one in self.earlier)
        return f"{at} after {count:,} earlier call{'s' if count > 1 else ''}" if count else at

    def as_json(self) -> dict[str, JSON]:
        """Return the state with the keys it has in a scenario."""
        at: dict[str, JSON] = {} if self.at is None else {"at": self.at.isoformat()}
        earlier: list[JSON] = [one.as_json() for one in self.earlier]
        return {**at, "earlier": earlier} if earlier else at

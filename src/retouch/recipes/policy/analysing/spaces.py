"""The kinds of values that a policy distinguishes for an argument, with one representative of each. Exact.

Every condition makes finitely many tests of a value. For example: is it inside this directory, does its host
match these patterns, is it in this list. Values with equal answers are equal to the policy, so one of each kind is
enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.analysing.sized_values import (
    FILLED,
    days_and_times,
    sized_values,
    sizes_around,
    thresholds,
)
from retouch.recipes.policy.deciding.comparing import value_compared, value_written
from retouch.recipes.policy.deciding.depth import has_depth, reaches_below
from retouch.recipes.policy.deciding.json_schema import fields_of, has_only
from retouch.recipes.policy.deciding.lengths import SOME_START, ends_around
from retouch.recipes.policy.deciding.limits import LimitSubject
from retouch.recipes.policy.deciding.matching import host_of
from retouch.recipes.policy.deciding.modes import holds, same
from retouch.recipes.policy.deciding.shell_tests import run_examples
from retouch.recipes.policy.deciding.sizes import UNKNOWN, Passes
from retouch.recipes.policy.deciding.sql_statements import sql_examples
from retouch.recipes.policy.resources.paths import NOWHERE, has_wildcard, may_reach
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.limits import ReadyLimit
    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.values import Condition, Limit, Scalar, Tool

Question: TypeAlias = Callable[[str], bool]
Test: TypeAlias = Callable[["JSON"], Passes]
Key: TypeAlias = "tuple[tuple[bool, ...], tuple[bool, ...] | bool | None]"
FRESH = FILLED
OUTSIDE = "/outside/example"
UNLISTED = "unlisted.example"
ADDRESS = "192.0.2.1"


@dataclass(frozen=True, kw_only=True, eq=False)
class ArgumentSpace:
    """The kinds of values of one argument. `choices` has one value of each kind, None for an omitted argument.

    A `decisive` kind decides the whole call, whatever the other arguments are. Protected paths are an example.
    """

    name: str
    choices: tuple[tuple[Key, JSON], ...]
    decisive: frozenset[Key]
    questions: tuple[Question, ...]
    conditions: tuple[Condition, ...]
    tests: tuple[Test, ...] = ()
    sized: bool = False

    def key_of(self, value: JSON) -> Key | None:
        """Return the kind of a value. None for several values at once, or if it should be text and is not.

        If sizes are tested, several values of one kind have a kind too.
        """
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if isinstance(value, list) and self.sized and (not value or self._are_alike(value)):
            return _key(self.name, value, self.questions, self.conditions, self.tests)
        if isinstance(value, list) or (isinstance(value, dict) and not self.tests):
            return None
        if self.questions and not isinstance(value, (str, type(None))):
            return None
        return _key(self.name, value, self.questions, self.conditions, self.tests)

    def _are_alike(self, values: Sequence[JSON]) -> bool:
        kinds = [None if isinstance(one, (list, dict)) else self.key_of(one) for one in values]
        return None not in kinds and len(set(kinds)) == 1


def _key(
    name: str,
    value: JSON,
    questions: tuple[Question, ...],
    conditions: tuple[Condition, ...],
    tests: tuple[Test, ...],
) -> Key:
    single = value[0] if isinstance(value, list) and value else value  # the items are of one kind
    given: dict[str, JSON] = {} if value is None else {name: single}
    modes = tuple(holds(one, given) for one in conditions)
    if tests:
        modes += (value is None, *(one for test in tests for one in test(value)))
    if not questions:
        return modes, None
    return modes, tuple(question(single) for question in questions) if isinstance(single, str) else value is None


def argument_space(name: str, tool: Tool, policies: Sequence[Prepared]) -> ArgumentSpace:
    """Return the kinds of values that these policies distinguish for an argument of `tool`."""
    found = [_Questions(ready, name, tool) for ready in policies]
    questions = tuple(question for one in found for question in one.questions())
    conditions = tuple(
        mode.condition for spec in tool.args.values() for mode in spec.modes if mode.condition.arg == name
    )
    tests = tuple(test for one in found for test in one.tests())
    mentioned = _mentioned(name, tool)
    values: list[JSON] = [None, *mentioned, *_unmentioned_value(name, tool, mentioned)]
    values += [text for one in found for text in one.texts()]
    values += [value for one in found for value in one.tested_values()]
    values += numbers_around({bound for one in found for bound in one.bounds})
    values += _in_sizes(name, tool, values, found)
    if any(tool.name in ready.server(tool.server).introspection for ready in policies):
        questions = (*questions, _is_given)
        values.append(FRESH)
    choices: dict[Key, JSON] = {}
    for value in values:
        single = value[0] if isinstance(value, list) and value else value
        if value is None or not (questions and not isinstance(single, str)):
            choices.setdefault(_key(name, value, questions, conditions, tests), value)
    settled = (
        key for key, value in choices.items() if isinstance(value, str) and all(one.settles(value) for one in found)
    )
    return ArgumentSpace(
        name=name,
        choices=tuple(choices.items()),
        decisive=frozenset(settled),
        questions=questions,
        conditions=conditions,
        tests=tests,
        sized=any(limit.size for one in found for limit in one.sizes),
    )


def _in_sizes(name: str, tool: Tool, values: Sequence[JSON], found: Sequence[_Questions]) -> list[JSON]:
    """Return values of the sizes that tests of an argument distinguish."""
    lengths = {length for one in found for length in one.lengths}
    counts = {count for one in found for count in one.counts}
    schema = tool.schemas.get(name)
    return list(sized_values(values, sorted(lengths), sorted(counts), joined=has_only(schema, "string")))


def _is_given(_text: str) -> bool:
    """Return True for any text. For an introspection tool it only matters whether the argument is given."""
    return True


def _mentioned(name: str, tool: Tool) -> tuple[Scalar, ...]:
    found: list[Scalar] = []
    conditions = (mode.condition for spec in tool.args.values() for mode in spec.modes)
    for one in conditions:
        if one.arg == name:
            found += [one.equals] if one.kind == "equals" else one.among
            found += (True, False) if one.kind == "is" and one.state in {"truthy", "falsy"} else ()
            found += (True,) if one.kind == "is" and one.state in {"present", "absent"} else ()
    unique: list[Scalar] = []
    for one in found:
        if not any(same(one, other) for other in unique):
            unique.append(one)
    return tuple(unique)


def _unmentioned_value(name: str, tool: Tool, mentioned: tuple[Scalar, ...]) -> list[Scalar]:
    """Return one more value for an argument that modes depend on: a value of its schema that no mode names."""
    if not mentioned:
        return []
    schema = tool.schemas.get(name)
    known: list[JSON] = ["other"]
    if isinstance(schema, dict) and isinstance(schema.get("enum"), list):
        enum = schema["enum"]
        known = enum if isinstance(enum, list) else known
    elif has_only(schema, "boolean"):
        known = [True, False]
    free = [one for one in known if not isinstance(one, (list, dict)) and not any(same(one, two) for two in mentioned)]
    return free[:1]


class _Questions:
    """The tests that the rules of one policy make of one argument, and strings that give different results."""

    def __init__(self, ready: Prepared, name: str, tool: Tool) -> None:
        self.ready = ready
        self.spec = tool.args.get(name)
        self.roles = () if self.spec is None else self.spec.all_roles
        self.rules = tuple(rule for rule in ready.rules_for(tool.server, tool.name) if self._asks(rule))
        ever = frozenset(role for spec in tool.args.values() for role in spec.all_roles)
        deep = has_depth(tool.args)
        self.below = any(reaches_below(role, tool.name, ever, deep=deep) for role in self.roles)
        server = ready.server(tool.server)
        self.gate = ready.gates.get(tool.server)
        self.gate_texts = server.domain_allowlist or ()
        self.places = [ready.sandbox.candidates] if ready.sandbox is not None else []
        self.places += [rule.folders for rule in self.rules if rule.folders]

        self.limits = tuple(one for one in self._limits(tool) if self._is_about(one.limit, name))
        self.starts = any(one.limit.since == name for one in self._limits(tool))
        self.sums = tuple(one.limit for one in self._limits(tool) if one.limit.sum == name)
        afters = [one.limit.after for one in self._limits(tool) if one.limit.after is not None]
        self.schema = tool.schemas.get(name)
        self.repeated = any(own == name for after in afters for own, _ in after.same)
        self.sames = self.repeated or any(one.limit.same == name for one in self._limits(tool))
        self.spec = tool.args.get(name)
        self.subject_below = {role: reaches_below(role, tool.name, ever, deep=deep) for role in self.roles}
        self.sizes = [one.limit for one in self.limits if one.limit.size is not None]
        self.lengths = sizes_around(self.sizes, "characters", together=1)
        self._added = [one for one in self.sizes if one.size == "items" and _arguments_with(one.role, tool) > 1]
        together = max((_arguments_with(one.role, tool) for one in self._added), default=1)
        self.counts = sizes_around(self.sizes, "items", together=together)

    def _limits(self, tool: Tool) -> Iterator[ReadyLimit]:
        for rule in self.ready.rules_for(tool.server, tool.name):
            yield from (*self.ready.where[rule.position], *self.ready.unless[rule.position])

    def _is_about(self, limit: Limit, name: str) -> bool:
        return limit.arg == name or (limit.role is not None and limit.role in self.roles)

    @property
    def bounds(self) -> tuple[float, ...]:
        """The numbers that the tests compare values with."""
        limits = (*(one.limit for one in self.limits), *self.sums)
        return tuple(bound for limit in limits if limit.size is None for bound in limit.bounds)

    def tests(self) -> Iterator[Test]:
        """Yield the tests of `where` and `unless` that concern the argument."""
        for one in self.limits:
            special = (role for role in self.roles if role in PATH_ROLES or role in URL_ROLES)
            role = one.limit.role or next(special, self.roles[0] if self.roles else "none")
            subject = LimitSubject(role, self.subject_below.get(role, False), self.ready.places)
            yield lambda value, o=one, s=subject: o.judge(value, s)
        for one in self._added:
            yield from thresholds(self.counts, one.role or "none")
        if self.starts:
            yield lambda value: Passes(value == SOME_START, True)
        for limit in self.sums:
            yield lambda value, o=limit: _as_amount(o, value)
        if self.sames:
            yield lambda value: Passes(self.spec is not None and value_compared(value, self.spec) is not None, True)
        if self.repeated:
            yield lambda value: Passes(self._is_one(value), True)

    def tested_values(self) -> Iterator[JSON]:
        """Yield names of every kind that the tests distinguish. An object has them as its fields, or in these."""
        if not PATH_ROLES.isdisjoint(self.roles):
            yield from self._files_like()  # first: no rule decides about a path that is relative to no known directory
        for one in self.limits:
            limit = one.limit
            if fields := fields_of(self.schema):
                yield from (_in_object(fields, value) for value in limit.among if isinstance(value, str))
                continue
            yield from limit.among
            whole = [value for value in limit.among if isinstance(value, int) and not isinstance(value, bool)]
            yield from [max(whole) + 1] if whole else []  # another number than those
            yield from limit.emails if not any("*" in name for name in limit.emails) else ()
            yield from (f"{FRESH}{name[1:]}" for name in limit.emails if name.startswith("*@"))
            yield from (pattern.replace("*", FRESH) for pattern in limit.like)
            yield from self._of_both(limit)
            yield from (f"https://{host}/" for pattern in limit.domains for host in _hosts(pattern))
            yield from (path for folder in one.folders for path in (_fresh_in(folder, one.folders), folder))
        if any(one.limit.sql or one.limit.tables for one in self.limits):
            tables = [name for one in self.limits for name in one.limit.tables]
            yield from sql_examples((one.limit.sql for one in self.limits if one.limit.sql), tables)
        yield from run_examples(one.limit.runs for one in self.limits)
        if any(one.limit.domains for one in self.limits) or (self.sames and not URL_ROLES.isdisjoint(self.roles)):
            yield f"https://{UNLISTED}/"
        if any(one.limit.within for one in self.limits):
            yield OUTSIDE
        if any(one.limit.emails for one in self.limits) or (
            (self.counts or self.sames) and "email-address" in self.roles
        ):
            yield f"{FRESH}@{UNLISTED}"
        if self.repeated:
            yield _accepted_value(self.schema)
        if (self.limits and not self.bounds) or self.sames:
            yield FRESH
        yield from (OUTSIDE,) if self.repeated and not PATH_ROLES.isdisjoint(self.roles) else ()
        yield from (1, -1) if self.sums else ()
        yield from (SOME_START,) if self.starts else ()
        yield from (text for one in self.limits if one.limit.since for text in ends_around(one.limit))
        yield from days_and_times(one.limit for one in self.limits)

    def _of_both(self, limit: Limit) -> Iterator[str]:
        """Yield texts that match the patterns of a test and of another one: a rule may test both, or only one."""
        first = next((one for one in limit.like if one.endswith("*")), "")
        for other in dict.fromkeys(one.limit.like for one in self.limits if one.limit.like and one.limit is not limit):
            last = next((one for one in other if one.startswith("*")), "")
            if first and last:
                yield f"{first}{last.removeprefix('*')}".replace("*", FRESH)

    def _is_one(self, value: JSON) -> bool:
        """Return whether a value is certainly one value, so that it can be that of an earlier call."""
        if PATH_ROLES.isdisjoint(self.roles):
            return value_written(value) is not None
        places = self.ready.places(value) if isinstance(value, str) and not has_wildcard(value) else NOWHERE
        return places.certain and len(places.candidates) == 1

    def _files_like(self) -> Iterator[str]:
        """Yield paths of the patterns, in each directory and outside of all: a rule may test both."""
        folders = dict.fromkeys(folder for one in self.limits for folder in one.folders)
        for pattern in dict.fromkeys(pattern for one in self.limits for pattern in one.limit.like):
            name = pattern.replace("*", FRESH).lstrip("/")
            yield from (f"{folder.rstrip('/')}/{name}" for folder in folders)
            yield f"{OUTSIDE}/{name}"

    def _asks(self, rule: ReadyRule) -> bool:
        return any(rule.is_relevant(role) for role in self.roles) or any(
            role in entry.roles for entry in rule.lists or () for role in self.roles
        )

    def settles(self, text: str) -> bool:
        """Return whether the text is a protected path and the argument is a path in every mode."""
        modes = () if self.spec is None else (self.spec.default, *(mode.roles for mode in self.spec.modes))
        always = bool(modes) and all(not PATH_ROLES.isdisjoint(roles) for roles in modes)
        return always and self.ready.is_protected(text)

    def questions(self) -> Iterator[Question]:
        """Yield the questions about a value."""
        if not PATH_ROLES.isdisjoint(self.roles):
            yield self.ready.is_protected
            if self.below:
                yield lambda text: self.ready.is_protected(text, below=True)
            all_in_root = self.ready.semantics.root_holds_all
            for folded in dict.fromkeys(rule.folded for rule in self._keeping_out()):
                yield lambda text, f=folded: self._may_touch(text, f)
            for folders in dict.fromkeys(self.places):
                yield lambda text, f=folders: self.ready.places(text).are_inside(f, root_holds_all=all_in_root)
        for role in self.roles:
            asked = [rule.domains for rule in self.rules if rule.domains is not None and role in URL_ROLES]
            asked += [self.gate.fit] if self.gate is not None and role in URL_ROLES else []
            entries = [entry for rule in self.rules for entry in rule.lists or () if role in entry.roles]
            asked += [entry.fits for entry in entries if entry.match == "domains" and role in URL_ROLES]
            for fits in asked:
                yield lambda text, f=fits, r=role: f(host_of(r, text))
            for entry in entries:
                if entry.match != "domains" or role not in URL_ROLES:
                    yield entry.fits

    def _keeping_out(self) -> list[ReadyRule]:
        return [rule for rule in self.rules if rule.keeps_out and rule.folders]

    def _may_touch(self, text: str, folded: tuple[str, ...]) -> bool:
        spelled = self.ready.spelled(self.ready.places(text))
        return any(may_reach(one, folder, below=self.below) for one in spelled for folder in folded)

    def _above(self) -> Iterator[str]:
        """Yield the parent directories of those that are excluded, the deepest first. A tool may act on all files
        below.
        """
        kept = [one for rule in self._keeping_out() for one in rule.folders or ()]
        kept += [one for known in self.ready.protected for one in known.folders]
        if self.below and self.ready.semantics.strict:
            yield from sorted({str(one) for path in kept for one in PurePosixPath(path).parents}, key=len, reverse=True)

    def texts(self) -> Iterator[str]:
        """Yield strings of every kind, more specific directories first."""
        if not PATH_ROLES.isdisjoint(self.roles):
            places = [*self.places, *(known.folders for known in self.ready.protected)]
            folders = sorted({one for found in places for one in found}, key=lambda one: (-len(one), one))
            for folder in folders:
                yield _fresh_in(folder, folders)
                yield folder
            yield OUTSIDE
            yield from self._above()
        urls = not URL_ROLES.isdisjoint(self.roles)
        patterns = [text for rule in self.rules for text in self._patterns(rule)]
        if urls:
            patterns += [*self.gate_texts, UNLISTED, ADDRESS]
            yield from (f"https://{host}" for pattern in dict.fromkeys(patterns) for host in _hosts(pattern))
        entries = [entry for rule in self.rules for entry in rule.allowed_by(self.ready.policy.lists)]
        listed = [one for roles, allowed in entries if not set(roles).isdisjoint(self.roles) for one in allowed]
        for pattern in dict.fromkeys(listed):
            yield from (f"{FRESH}{pattern[1:]}",) if pattern.startswith("*@") else _hosts(pattern)
        if not urls and PATH_ROLES.isdisjoint(self.roles) and listed:
            yield FRESH

    def _patterns(self, rule: ReadyRule) -> Iterator[str]:
        for roles, allowed in rule.allowed_by(self.ready.policy.lists):
            if not set(roles).isdisjoint(self.roles):
                yield from allowed


def _in_object(fields: Mapping[str, JSON], text: str) -> JSON:
    """Return an object that names a text: as a field, or as the value of the first field that takes it."""
    if text in fields:
        return {text: FRESH}
    takes = {name: schema for name, schema in fields.items() if has_only(schema, "string", "array")}
    name = next(iter(takes), text)
    return {name: [text] if has_only(takes.get(name), "array") else text}


def _accepted_value(schema: JSON) -> Scalar:
    """Return a value that a schema accepts, if it lists them or wants a number. Otherwise a text."""
    listed = schema.get("enum") if isinstance(schema, dict) else None
    names = [one for one in listed if isinstance(one, (str, int, float))] if isinstance(listed, list) else []
    number = 1 if has_only(schema, "integer", "number") else FRESH
    return next((one for one in names if not isinstance(one, bool)), number)


def _arguments_with(role: str | None, tool: Tool) -> int:
    return sum(role in spec.all_roles for spec in tool.args.values())


def _as_amount(limit: Limit, value: JSON) -> Passes:
    """Return what a total of this amount alone passes. An amount that cannot be added up is uncertain."""
    if not isinstance(value, (int, float)) or isinstance(value, bool) or value < 0:
        return UNKNOWN
    passed = limit.admits(value)
    return Passes(passed, passed)


def numbers_around(bounds: set[float]) -> list[Scalar]:
    """Return each bound, a number between every two, one below all and one above all."""
    known = sorted(bounds)
    between = ((low + high) / 2 for low, high in pairwise(known))
    return [_shortest(one) for one in (known[0] - 1, *known, *between, known[-1] + 1)] if known else []


def _shortest(number: float) -> Scalar:
    return int(number) if number == int(number) else number


def _fresh_in(folder: str, folders: Sequence[str]) -> str:
    base = "" if folder == "/" else folder
    name = FRESH
    while f"{base}/{name}" in folders:
        name += "-2"
    return f"{base}/{name}"


def _hosts(pattern: str) -> tuple[str, ...]:
    if pattern == "*":
        return (UNLISTED,)
    return (pattern[2:], f"{FRESH}.{pattern[2:]}") if pattern.startswith("*.") else (pattern,)

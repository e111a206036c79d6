"""The facts about one call: the values per role, the locations of its paths, the hosts of its URLs."""

from __future__ import annotations

import json
from functools import partial
from posixpath import dirname, join
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote

from retouch.recipes.policy.deciding.comparing import value_compared, value_written
from retouch.recipes.policy.deciding.counting import (
    NOWHEN,
    CallMoment,
    SameValues,
    called_before,
    subject_for,
    subject_of,
)
from retouch.recipes.policy.deciding.depth import reaches_below
from retouch.recipes.policy.deciding.json_schema import plain_items
from retouch.recipes.policy.deciding.lengths import judge_minutes
from retouch.recipes.policy.deciding.limits import MAX_NUMBER, LimitSubject
from retouch.recipes.policy.deciding.matching import host_of, is_address
from retouch.recipes.policy.deciding.sizes import UNKNOWN, Passes, judge_given, judge_sizes
from retouch.recipes.policy.resources.paths import (
    LONGEST_PATH,
    NOWHERE,
    Places,
    has_wildcard,
    is_inside,
    linked_matches,
    may_climb,
    may_reach,
)
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.limits import ReadyLimit
    from retouch.recipes.policy.deciding.matching import ReadyList, ReadyRule, View
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.values import EarlierTools, Limit, Tool, ToolCall

_MOST_DECODED = 8
MOST_ENTRIES = 20_000  # of directories that are read for wildcards, per call
Spot: TypeAlias = "tuple[str, str | None]"


class Facts:
    """One call with one policy. Each path is resolved once, so that the trace shows the same location."""

    def __init__(
        self,
        prepared: Prepared,
        request: ToolCall,
        view: View,
        tool: Tool | None = None,
        moment: CallMoment = NOWHEN,
    ) -> None:
        self.prepared = prepared
        self.moment = moment
        self.tool = tool
        self.request = request
        self.server = prepared.server(request.server)
        self.view = view
        self.arguments: Mapping[str, JSON] = request.arguments
        self._values: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, Places] = {}
        self._applies: dict[int, bool] = {}
        self._entries = MOST_ENTRIES

    def applies(self, rule: ReadyRule) -> bool:
        """Return whether the tests of a rule, `where` and `unless`, let it decide this call.

        A test that is uncertain makes the policy stricter: it switches a permission off and any other rule on.
        """
        ready = self.prepared
        where, unless = ready.where[rule.position], ready.unless[rule.position]
        if not where and not unless:
            return True
        found = self._applies.get(rule.position)
        if found is None:
            found = self._applies[rule.position] = self._tests_hold(rule, where, unless)
        return found

    def _tests_hold(self, rule: ReadyRule, where: tuple[ReadyLimit, ...], unless: tuple[ReadyLimit, ...]) -> bool:
        if rule.rule.then == "allow":
            exempt = bool(unless) and all(self.passes(one, rule).possibly for one in unless)
            return all(self.passes(one, rule).surely for one in where) and not exempt
        exempt = bool(unless) and all(self.passes(one, rule).surely for one in unless)
        return all(self.passes(one, rule).possibly for one in where) and not exempt

    def amount(self, limit: Limit) -> float | None:
        """Return what this call adds to a total: 1, or its argument. None if that is not a number of at least 0."""
        if limit.sum is None:
            return 1
        value = self.arguments.get(limit.sum)
        if not isinstance(value, (int, float)) or isinstance(value, bool):
            return None
        return value if 0 <= value <= MAX_NUMBER else None

    def added(self, limit: Limit) -> tuple[str, float | None]:
        """Return what this call adds to, and how much. With an unknown value, it may belong to each of them."""
        subject = subject_of(limit)
        if limit.same is None:
            return subject, self.amount(limit)
        value = self._compared(limit.same)
        return subject_for(subject, value), None if value is None else self.amount(limit)

    def earlier(self, limit: Limit, rule: ReadyRule) -> float | None:
        """Return the total of earlier calls that a test adds this call to. None if it is unknown."""
        scopes, subject, per = self.prepared.scopes(rule.position), subject_of(limit), limit.per or "month"
        if limit.same is None:
            return self.moment.spent(scopes, subject, per)
        value = self._compared(limit.same)
        if value is None or self.moment.spent(scopes, subject_for(subject, None), per) != 0:
            return None
        return self.moment.spent(scopes, subject_for(subject, value), per)

    def _compared(self, arg: str) -> str | None:
        """Return the value of an argument that calls are compared by."""
        spec = None if self.tool is None else self.tool.args.get(arg)
        return None if spec is None else value_compared(self.arguments.get(arg), spec)

    def same_values(self, args: Sequence[str]) -> SameValues:
        """Return the values of arguments by which calls are the same."""
        exact = [self._written(one) for one in args]
        loose = [self._compared(one) for one in args]
        return SameValues(
            exact=None if None in exact else json.dumps(exact), loose=None if None in loose else json.dumps(loose)
        )

    def _written(self, arg: str) -> str | None:
        """Return a value as only the same value is written. A path is its location."""
        value = self.arguments.get(arg)
        if PATH_ROLES.isdisjoint(self.view.roles_of.get(arg, ())):
            return value_written(value)
        if not isinstance(value, str) or has_wildcard(value):
            return None
        places = self.places(value, _role_of(self.view, arg))
        return places.candidates[0] if places.certain and len(places.candidates) == 1 else None

    def called_before(self, test: ReadyLimit, after: EarlierTools) -> Passes:
        """Return whether one of some tools was called before: certainly, possibly."""
        scopes = test.scopes_after(self.request.server)
        values = self.same_values([own for own, _ in after.same])
        return called_before(lambda subject: self.moment.spent(scopes, subject, test.limit.per), values)

    def is_counted(self, rule: ReadyRule) -> bool:
        """Return whether the tests of a rule about earlier calls count this call. If in doubt, it is counted."""
        ready, when = self.prepared, rule.rule.when
        if when.roles is not None and self.view.roles.isdisjoint(when.roles):
            return False
        where = (one for one in ready.where[rule.position] if not one.limit.is_total and one.limit.after is None)
        unless = ready.unless[rule.position]
        exempt = (
            bool(unless)
            and not any(one.limit.is_total or one.limit.after is not None for one in unless)
            and all(self.passes(one, rule).surely for one in unless)
        )
        return not exempt and all(self.passes(one, rule).possibly for one in where)

    def passes(self, test: ReadyLimit, rule: ReadyRule) -> Passes:
        """Return whether the call passes a test of a rule: certainly, possibly. An argument that is left out is
        uncertain.
        """
        limit = test.limit
        if limit.after is not None:
            return self.called_before(test, limit.after)
        if limit.is_clock:
            return test.judge_time(self.moment.at)
        if limit.is_total and limit.per is not None:
            return test.judge_total(self.earlier(limit, rule), self.amount(limit))
        return self.passes_alone(test)

    def passes_alone(self, test: ReadyLimit) -> Passes:
        """Return whether the arguments of the call pass a test of arguments."""
        limit = test.limit
        names = self.args_tested(limit)
        if not names:
            return Passes(surely=False, possibly=False)
        if limit.state is not None:
            return judge_given(limit, self.arguments.get(names[0]))
        if limit.since is not None:
            return judge_minutes(limit, self.arguments.get(limit.since), self.arguments.get(names[0]))
        if limit.size is not None:
            return judge_sizes(limit, [(self._plain(name), self.role_tested(limit, name)) for name in names])
        found: list[Passes] = []
        for name in names:
            value = self._plain(name)
            if value not in (None, "", [], {}):
                role = self.role_tested(limit, name)
                subject = LimitSubject(role, self.reaches_below(role), partial(self.places, role=role))
                found.append(test.judge(value, subject))
        if not found:
            return UNKNOWN
        return Passes(all(one.surely for one in found), any(one.possibly for one in found))

    def _plain(self, arg: str) -> JSON:
        """Return the value of an argument, a list of objects with one text each as these texts."""
        value = self.arguments.get(arg)
        return plain_items(value, self.schema_of(arg)) if self.prepared.semantics.strict else value

    def args_tested(self, limit: Limit) -> tuple[str, ...]:
        """Return the arguments that a test is about. None if the tool does not have them."""
        if limit.role is not None:
            return self.view.args_of.get(limit.role, ())
        return (limit.arg or "",) if self.tool is not None and limit.arg in self.tool.args else ()

    def role_tested(self, limit: Limit, arg: str) -> str:
        """Return the role by which a test reads an argument."""
        return limit.role or _role_of(self.view, arg)

    def fill(self, arg: str, value: str) -> None:
        """Set an argument that the call omits."""
        self.arguments = {**self.arguments, arg: value}
        self._values.clear()
        self._applies.clear()

    def values(self, role: str) -> tuple[str, ...]:
        """Return the distinct values of a role, in the order of the arguments."""
        found = self._values.get(role)
        if found is None:
            args = self.view.args_of.get(role, ())
            only = self.arguments.get(args[0]) if len(args) == 1 else None
            if isinstance(only, str):
                found = (only,)
            else:
                found = tuple(dict.fromkeys(text for arg in args for text in self.texts(arg)))
            self._values[role] = found
        return found

    def texts(self, arg: str) -> Iterator[str]:
        """Yield the strings of an argument: the value itself or its list items; with strict semantics at any depth."""
        value = self.arguments.get(arg)
        if isinstance(value, str):
            yield value
        elif self.prepared.semantics.strict:
            yield from nested_texts(value, self.schema_of(arg))
        elif isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))

    def schema_of(self, arg: str) -> JSON:
        """Return the JSON Schema of an argument, None if the tool has none."""
        return None if self.tool is None else self.tool.schemas.get(arg)

    def places(self, path: str, role: str = "") -> Places:
        """Return the possible locations of a path of the call.

        Deleting a symbolic link deletes the link. Therefore a path that is deleted is also located where the link is.
        """
        removed = role == "delete-path" and self.prepared.semantics.strict and self.prepared.disk
        if len(path) > LONGEST_PATH and self.prepared.semantics.strict:
            return NOWHERE
        key = f"{path}\0" if removed else path
        found = self._places.get(key)
        if found is None:
            found = self.prepared.places(path)
            if "%" in path and self.prepared.semantics.strict:
                found = self._with_decoded(path, found)
            if has_wildcard(path) and self.prepared.semantics.strict:
                found = self._with_matches(path, found)
            found = self._places[key] = self._with_entry(found) if removed else found
        return found

    def _with_decoded(self, path: str, found: Places) -> Places:
        """Add the location of a path that a program decodes first, as if it were a part of a URL."""
        for _ in range(_MOST_DECODED):
            path, before = unquote(path, errors="surrogateescape"), path
            if path == before:
                return found
            other = self.prepared.places(path)
            candidates = tuple(dict.fromkeys((*found.candidates, *other.candidates)))
            found = found._replace(candidates=candidates, certain=found.certain and other.certain)
        return found._replace(certain=False)

    def _with_matches(self, path: str, found: Places) -> Places:
        """Add the files that a program reaches over links if it takes the path for a pattern."""
        if may_climb(path):
            return found._replace(certain=False)  # what `*/..` is depends on what `*` matches
        if not self.prepared.disk:
            return found
        more = linked_matches(found.written, most=self._entries) if found.written else ((), 0)
        if more is None:
            return found._replace(certain=False)
        self._entries -= more[1]
        return found._replace(candidates=tuple(dict.fromkeys((*found.candidates, *more[0]))))

    def _with_entry(self, found: Places) -> Places:
        if len(found.candidates) == 1 and found.candidates[0] == found.written:
            return found
        parent = self.prepared.places(dirname(found.written)).candidates
        entries = (join(one, found.written.rpartition("/")[2]) for one in parent)
        return found._replace(candidates=tuple(dict.fromkeys((*found.candidates, *entries))))

    def reaches_below(self, role: str) -> bool:
        """Return whether the tool acts on everything below a path of this role: it deletes, or its name suggests it."""
        return reaches_below(role, self.request.tool, self.view.roles, deep=self.view.deep)

    def spots(self, role: str) -> list[Spot]:
        """Return the values of a role, each with a location. The location is None if it is unknown; some values have
        two.
        """
        if role not in PATH_ROLES:
            return [(text, None) for text in self.values(role)]
        found: list[Spot] = []
        for text in self.values(role):
            places = self.places(text, role)
            found += [(text, one) for one in (places.candidates if places.certain else (None,))]
        return found

    def taken(self, rule: ReadyRule, role: str, left: list[Spot]) -> list[Spot]:
        """Return the values in `left` that a rule answers for.

        Semantics 1 matches hosts and list members together: either all values of the role match, or none. Strict
        semantics decides each value separately, so that a value cannot hide behind another one.
        """
        if self.prepared.semantics.strict:
            if rule.domains is None and not rule.lists:  # most rules: about directories only, or about everything
                return left if rule.folders is None else [one for one in left if self._leads_into(one, rule, role)]
            return [spot for spot in left if self._takes(rule, role, spot)]
        if not (self.domains_hold(rule, role) and self.lists_hold(rule, role)):
            return []
        return left if rule.folders is None else [spot for spot in left if self._leads_into(spot, rule, role)]

    def _takes(self, rule: ReadyRule, role: str, spot: Spot) -> bool:
        if rule.folders is not None and not self._leads_into(spot, rule, role):
            return False
        text = spot[0]
        if rule.domains is not None and not self._names_host(rule, role, text):
            return False
        return all(
            entry.fits(_member(entry, role, text)) if role in entry.roles else self._list_holds(entry, None, rule)
            for entry in rule.lists or ()
        )

    def _names_host(self, rule: ReadyRule, role: str, text: str) -> bool:
        """Return whether the host of a value matches a rule. A name that is not an address never matches an allowing
        rule.
        """
        if role not in URL_ROLES or rule.domains is None or not (rule.keeps_out or is_address(role, text)):
            return False
        return rule.domains(host_of(role, text))

    def _leads_into(self, spot: Spot, rule: ReadyRule, role: str) -> bool:
        """Return whether a value is within a rule's directory. A denying rule also matches if it only may be."""
        text, place = spot
        folders, all_in_root = rule.folders or (), self.prepared.semantics.root_holds_all
        if rule.rule.then != "deny" and len(folders) == 1:
            return place is not None and is_inside(place, folders[0], root_holds_all=all_in_root)
        if rule.rule.then == "deny":
            if self.prepared.semantics.strict:
                return self.may_touch(text, rule.folded, role)
            return self.places(text, role).may_touch(folders, root_holds_all=all_in_root)
        if place is None or not folders:
            return False
        return all(is_inside(place, folder, root_holds_all=all_in_root) for folder in folders)

    def may_touch(self, text: str, folded: tuple[str, ...], role: str) -> bool:
        """Return whether a path may be in a directory, in any spelling, or above it if the tool acts on everything
        below.
        """
        below = self.reaches_below(role)
        spelled = self.prepared.spelled(self.places(text, role))
        return any(may_reach(one, folder, below=below) for one in spelled for folder in folded)

    def is_in(self, path: str, folders: tuple[str, ...]) -> bool:
        """Return whether a path is certainly within one of the policy's directories."""
        return self.places(path).are_inside(folders, root_holds_all=self.prepared.semantics.root_holds_all)

    def is_in_sandbox(self, path: str) -> bool:
        """Return whether a path is certainly within the sandbox."""
        return self.prepared.is_in_sandbox(self.places(path))

    def in_sandbox(self, role: str) -> tuple[str, ...]:
        """Return the values of a path role that are inside the sandbox. Empty for other roles."""
        if role not in PATH_ROLES:
            return ()
        return tuple(one for one in self.values(role) if self.prepared.is_in_sandbox(self.places(one, role)))

    def hosts(self, role: str) -> tuple[str, ...]:
        """Return the hosts of the values of a URL role. Empty for other roles."""
        return tuple(host_of(role, one) for one in self.values(role)) if role in URL_ROLES else ()

    def domains_hold(self, rule: ReadyRule, role: str | None) -> bool:
        """Return whether `role` has hosts and all match the rule's domains. True for a rule without domains."""
        if rule.domains is None:
            return True
        hosts = () if role is None else self.hosts(role)
        return bool(hosts) and all(map(rule.domains, hosts))

    def lists_hold(self, rule: ReadyRule, role: str | None) -> bool:
        """Return whether each list of the rule contains all values of its roles, and there is at least one."""
        return rule.lists is None or all(self._list_holds(entry, role, rule) for entry in rule.lists)

    def _list_holds(self, entry: ReadyList, role: str | None, rule: ReadyRule) -> bool:
        roles = (role,) if role is not None and role in entry.roles else entry.roles
        found = [entry.fits(_member(entry, one, text)) for one in roles for text in self.values(one)]
        if rule.keeps_out:
            return any(found)  # for a prohibition one matching member is enough
        return bool(found) and all(found)


def _role_of(view: View, arg: str) -> str:
    """Return the role of an argument that a test of the argument uses: a path or an address first."""
    roles = [role for role, args in view.args_of.items() if arg in args]
    return next((one for one in roles if one in PATH_ROLES or one in URL_ROLES), roles[0] if roles else "none")


def _member(entry: ReadyList, role: str, text: str) -> str:
    return host_of(role, text) if entry.match == "domains" and role in URL_ROLES else text


def nested_texts(value: JSON, schema: JSON = None, *, keys: bool = True) -> Iterator[str]:
    """Yield every string inside a value, at any depth.

    Keys of objects are included (`{"/etc/shadow": "r"}`), unless `schema` declares them as properties.
    """
    waiting: list[tuple[JSON, JSON]] = [(value, schema)]
    while waiting:
        one, known = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            inner = known.get("items") if isinstance(known, dict) else None
            waiting += [(item, inner) for item in reversed(one)]
        elif isinstance(one, dict):
            named = known.get("properties") if isinstance(known, dict) else None
            properties = named if isinstance(named, dict) else {}
            for key, item in reversed(one.items()):
                waiting.append((item, properties.get(key)))
                if keys and key not in properties:
                    waiting.append((key, None))

"""Prepares rules, servers and tools for many decisions: resolves directories, expands lists, indexes patterns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.deciding.depth import has_depth
from retouch.recipes.policy.resources.addresses import addresses_in, mailbox_of, may_name_mailbox
from retouch.recipes.policy.resources.hosts import (
    DomainPatterns,
    extract_domain,
    extract_git_domain,
    is_host_name,
    is_plain_host,
)
from retouch.recipes.policy.resources.paths import fold_place
from retouch.recipes.policy.resources.roles import RESOURCE_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.language.values import ListType, ListWhen, ResolvedList, Rule

Fits: TypeAlias = Callable[[str], bool]
Lists: TypeAlias = "Mapping[str, ResolvedList] | None"
_OWNER = "github-owner"  # names are compared like addresses, whatever their case


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadyList:
    """One entry of `lists`: its roles, and a function that tests membership."""

    roles: tuple[str, ...]
    match: ListType
    fits: Fits


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadyRule:
    """A prepared rule with its position. `folders` are the locations of `paths.within`, None without that condition.

    If `keeps_out` (strict semantics and not an allowing rule), it matches any spelling, and one matching value is
    enough.
    """

    rule: Rule
    position: int
    keeps_out: bool
    folders: tuple[str, ...] | None
    domains: Fits | None
    lists: tuple[ReadyList, ...] | None
    folded: tuple[str, ...] = ()

    def is_relevant(self, role: str) -> bool:
        """Return whether the rule applies to `role`: every condition with roles names it, and one list does."""
        when = self.rule.when
        if when.roles is not None and role not in when.roles:
            return False
        if when.paths is not None and role not in when.paths.roles:
            return False
        if when.domains is not None and role not in when.domains.roles:
            return False
        return self.lists is None or any(role in entry.roles for entry in self.lists)

    def allowed_by(self, lists: Lists) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield the allowed members of the rule's domain and list conditions, each with the roles they apply to."""
        when = self.rule.when
        if when.domains is not None:
            yield when.domains.roles, expanded(when.domains.allowed, lists)
        for one in when.lists or ():
            yield one.roles, expanded(one.allowed, lists)


def ready_rule(rule: Rule, position: int, folders: tuple[str, ...] | None, lists: Lists, *, strict: bool) -> ReadyRule:
    """Return a prepared rule. `folders` are the locations of its `paths.within`."""
    when = rule.when
    keeps_out = strict and rule.then != "allow"
    patterns = None if when.domains is None else expanded(when.domains.allowed, lists)
    domains = None if patterns is None else DomainPatterns(patterns, strict=strict, any_spelling=keeps_out).fit
    ready = None
    if when.lists is not None:
        ready = tuple(
            ReadyList(roles=one.roles, match=one.match, fits=_members(one, lists, strict=strict, keeps_out=keeps_out))
            for one in when.lists
        )
    return ReadyRule(
        rule=rule,
        position=position,
        keeps_out=keeps_out,
        folders=folders,
        domains=domains,
        lists=ready,
        folded=tuple(dict.fromkeys(map(fold_place, folders or ()))),
    )


def expanded(allowed: tuple[str, ...], lists: Lists) -> tuple[str, ...]:
    """Return the allowed values with each `@name` replaced by its members. An unknown list is empty.

    If `lists` is None, `@name` stays a literal.
    """
    if lists is None:
        return allowed
    found: list[str] = []
    for one in allowed:
        if one.startswith("@"):
            found += lists[one[1:]].effective if one[1:] in lists else ()
        else:
            found.append(one)
    return tuple(found)


def misfits(rule: Rule, lists: Lists) -> Iterator[tuple[str, str]]:
    """Yield the members of a rule's domain and list conditions that no value can match, each with what is expected."""
    for members, kind, roles in _conditions(rule, lists):
        yield from _misfits(members, kind, roles)


def hosts_without_subdomains(rule: Rule, lists: Lists) -> list[str]:
    """Return the hosts that a rule keeps out, if it does not keep out their subdomains too."""
    found = (
        one
        for members, kind, roles in _conditions(rule, lists)
        for one in members
        if kind == "domains" and "fetch-url" in roles and leaves_subdomains_out(one) and f"*.{one}" not in members
    )
    return list(found) if rule.then != "allow" else []


def leaves_subdomains_out(pattern: str) -> bool:
    """Return whether a pattern of hosts is a single host that can have subdomains.

    Example:
        >>> [leaves_subdomains_out(one) for one in ("x.example", "*.x.example", "10.0.0.1", "localhost", "@news")]
        [True, False, False, False, False]
    """
    return "." in pattern and "/" not in pattern and is_host_name(pattern)


def _conditions(rule: Rule, lists: Lists) -> Iterator[tuple[tuple[str, ...], ListType, tuple[str, ...]]]:
    when = rule.when
    if when.domains is not None:
        yield expanded(when.domains.allowed, lists), "domains", when.domains.roles
    for one in when.lists or ():
        yield expanded(one.allowed, lists), one.match, one.roles


def _misfits(members: tuple[str, ...], kind: ListType, roles: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for one in members:
        if kind == "emails" and _OWNER not in roles and ("*" in one or len(addresses_in(one) or ()) != 1):
            yield one, "expected one e-mail address"
        elif kind == "domains" and one != "*" and not one.startswith("["):
            host, slash, _ = one.removeprefix("*.").partition("/")
            if not is_plain_host(host) or (slash and ("git-remote-url" not in roles or one.startswith("*."))):
                yield one, "expected a host such as 'example.org', without scheme or path, or '*.example.org'"


def _members(entry: ListWhen, lists: Lists, *, strict: bool, keeps_out: bool) -> Fits:
    members = expanded(entry.allowed, lists)
    if entry.match == "domains":
        return DomainPatterns(members, strict=strict, any_spelling=keeps_out).fit
    if entry.match == "emails":
        if keeps_out:
            return _forbidden_mailboxes(members)
        folded = frozenset(map(fold, members))
        if strict and "email-address" in entry.roles:
            return lambda value: all(fold(one) in folded for one in addresses_in(value) or (value,))
        return lambda value: fold(value) in folded
    if keeps_out:
        plain = frozenset(map(plain_name, members))
        return lambda value: plain_name(value) in plain
    return frozenset(members).__contains__


def _forbidden_mailboxes(members: tuple[str, ...]) -> Fits:
    """Return a function that tests whether a text may reach one of the mailboxes, in any spelling and in a list of
    several. It returns True if the text cannot be parsed.
    """
    whole = frozenset(map(fold, members))
    known = frozenset(mailbox_of(bare) for one in members for bare in addresses_in(one) or (one,))

    def fits(value: str) -> bool:
        if fold(value).strip() in whole:
            return True
        found = addresses_in(value)
        if found is None:  # a mail program may parse an address that this parser does not see
            return may_name_mailbox(value)
        return any(mailbox_of(one) in known for one in found)

    return fits


def plain_name(text: str) -> str:
    """Return a name as prohibitions compare it: in lower case, without invisible letters and signs around it.

    Example:
        >>> plain_name(" @Eve.")
        'eve'
    """
    return fold_place(text).strip(" \t\r\n\"'`[]<>@.:,;")


def fold(text: str) -> str:
    """Return text with only A-Z lowered, as mail servers compare e-mail addresses.

    For example, the Kelvin sign is not the letter k.
    """
    return "".join(one.lower() if one.isascii() else one for one in text)


@dataclass(frozen=True, kw_only=True, eq=False)
class FolderRun:
    """Successive rules that each allow one directory, without any other condition. They are tested in one step."""

    rule_of: Mapping[str, ReadyRule]
    longest: int

    def first(self, place: str) -> ReadyRule | None:
        """Return the first of the rules whose directory has a place in it."""
        best: ReadyRule | None = None
        if len(place) > self.longest:  # so that a long path costs no more than its directories can
            place = place[: self.longest + 1].rpartition("/")[0]
        while place:
            found = self.rule_of.get(place)
            if found is not None and (best is None or found.position < best.position):
                best = found
            place = place.rpartition("/")[0]
        return best


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """A tool with the modes that one call selects.

    `active` are the resource roles in the order of the arguments. `gated` are the arguments that the server's domain
    allowlist applies to, each with its first URL role. `rules` are those whose server, tool and roles match. `relevant`
    maps a role to the rules of these that apply to it, and `steps` has the same rules, some of them joined.
    `resources` are the arguments with resource roles. `deep` tools have an argument that sets how deep they go.
    """

    roles: frozenset[str]
    active: tuple[str, ...]
    args_of: Mapping[str, tuple[str, ...]]
    gated: tuple[tuple[str, str], ...]
    rules: tuple[ReadyRule, ...]
    relevant: Mapping[str, tuple[ReadyRule, ...]]
    steps: Mapping[str, tuple[ReadyRule | FolderRun, ...]]
    roles_of: Mapping[str, frozenset[str]]
    resources: Mapping[str, tuple[str, ...]]
    deep: bool = False


def view_of(roles_by_arg: Mapping[str, tuple[str, ...]], rules: tuple[ReadyRule, ...]) -> View:
    """Return the view of a tool whose arguments have these roles. `rules` are those for its server and name."""
    roles = tuple(dict.fromkeys(role for found in roles_by_arg.values() for role in found))
    fitting = tuple(
        one for one in rules if one.rule.when.roles is None or not set(one.rule.when.roles).isdisjoint(roles)
    )
    active = tuple(role for role in roles if role in RESOURCE_ROLES)
    relevant = {role: tuple(one for one in fitting if one.is_relevant(role)) for role in active}
    gated = ((arg, [role for role in found if role in URL_ROLES]) for arg, found in roles_by_arg.items())
    return View(
        roles=frozenset(roles),
        active=active,
        args_of={role: tuple(arg for arg, found in roles_by_arg.items() if role in found) for role in roles},
        gated=tuple((arg, found[0]) for arg, found in gated if found),
        rules=fitting,
        relevant=relevant,
        steps={role: _steps(found) for role, found in relevant.items()},
        roles_of={arg: frozenset(found) for arg, found in roles_by_arg.items()},
        deep=has_depth(roles_by_arg),
        resources={
            arg: resources
            for arg, found in roles_by_arg.items()
            if (resources := tuple(role for role in active if role in found))
        },
    )


def _steps(rules: tuple[ReadyRule, ...]) -> tuple[ReadyRule | FolderRun, ...]:
    """Return the rules in order, with runs of rules about directories only joined."""
    found: list[ReadyRule | FolderRun] = []
    for plain, run in groupby(rules, _is_about_one_directory):
        if plain:
            rule_of: dict[str, ReadyRule] = {}
            for rule in run:
                rule_of.setdefault((rule.folders or ("",))[0], rule)
            found.append(FolderRun(rule_of=rule_of, longest=max(map(len, rule_of))))
        else:
            found += run
    return tuple(found)


def _is_about_one_directory(rule: ReadyRule) -> bool:
    when = rule.rule.when
    if rule.rule.then != "allow" or rule.domains is not None or rule.lists is not None or when.where or when.unless:
        return False
    return rule.folders is not None and len(rule.folders) == 1 and rule.folders[0] != "/"


def is_address(role: str, value: str) -> bool:
    """Return whether a value of a URL role is an address with a host, and not a name such as `origin`."""
    return ":" in value if role == "git-remote-url" else "://" in value


def host_of(role: str, value: str) -> str:
    """Return the host of a value of a URL role. For git remotes it includes the path."""
    return extract_git_domain(value) if role == "git-remote-url" else extract_domain(value)

"""Rules, servers and tools made ready for many decisions: folders resolved, lists expanded, patterns indexed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.resources.addresses import addresses_in, mailbox_of
from retouch.recipes.policy.resources.hosts import DomainPatterns, extract_domain, extract_git_domain
from retouch.recipes.policy.resources.paths import fold_place
from retouch.recipes.policy.resources.roles import RESOURCE_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.language.values import ListType, ListWhen, ResolvedList, Rule

Fits: TypeAlias = Callable[[str], bool]
Lists: TypeAlias = "Mapping[str, ResolvedList] | None"


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadyList:
    """One entry of `lists`: the roles it looks at, and whether a value is a member."""

    roles: tuple[str, ...]
    match: ListType
    fits: Fits


@dataclass(frozen=True, kw_only=True, eq=False)
class ReadyRule:
    """A rule with its place in the order; `folders` are where `paths.within` leads, None without such a condition.

    One that `keeps_out`, by strict semantics each that does not allow, holds for any spelling, and for one among many.
    """

    rule: Rule
    position: int
    keeps_out: bool
    folders: tuple[str, ...] | None
    domains: Fits | None
    lists: tuple[ReadyList, ...] | None
    folded: tuple[str, ...] = ()

    def is_relevant(self, role: str) -> bool:
        """Return whether the rule speaks of `role`: every part that names roles names it, and one list does."""
        when = self.rule.when
        if when.roles is not None and role not in when.roles:
            return False
        if when.paths is not None and role not in when.paths.roles:
            return False
        if when.domains is not None and role not in when.domains.roles:
            return False
        return self.lists is None or any(role in entry.roles for entry in self.lists)

    def allowed_by(self, lists: Lists) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Yield what the rule's conditions on domains and lists allow: the roles they look at, and the members."""
        when = self.rule.when
        if when.domains is not None:
            yield when.domains.roles, expanded(when.domains.allowed, lists)
        for one in when.lists or ():
            yield one.roles, expanded(one.allowed, lists)


def ready_rule(rule: Rule, position: int, folders: tuple[str, ...] | None, lists: Lists, *, strict: bool) -> ReadyRule:
    """Return a rule made ready; `folders` are the places of its `paths.within`."""
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
    """Return what a condition allows, with each `@name` replaced by its members; an unknown list has none.

    Without any lists (None) `@name` stays a literal.
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
        plain = frozenset(one.strip().casefold() for one in members)
        return lambda value: value.strip().casefold() in plain
    return frozenset(members).__contains__


def _forbidden_mailboxes(members: tuple[str, ...]) -> Fits:
    """Return whether a text may reach one of the mailboxes: in any spelling, among others, or unreadably."""
    whole = frozenset(map(fold, members))
    known = frozenset(mailbox_of(bare) for one in members for bare in addresses_in(one) or (one,))

    def fits(value: str) -> bool:
        if fold(value).strip() in whole:
            return True
        found = addresses_in(value)
        if found is None:  # a mail program may read an address in it that we do not see
            return "@" in value or "=?" in value
        return any(mailbox_of(one) in known for one in found)

    return fits


def fold(text: str) -> str:
    """Return text with A-Z lowered and nothing else, as addresses of people are compared.

    The Kelvin sign is no k to a mail server.
    """
    return "".join(one.lower() if one.isascii() else one for one in text)


@dataclass(frozen=True, kw_only=True, eq=False)
class View:
    """A tool as one call sees it, its modes settled.

    `active` are the roles that name resources, in the order of the arguments; `gated` are the arguments that the
    allowlist of a server looks at, each with the first of its url roles; `rules` are those whose server, tool and
    roles fit; `relevant` are those of them that speak of a role.
    """

    roles: frozenset[str]
    active: tuple[str, ...]
    args_of: Mapping[str, tuple[str, ...]]
    gated: tuple[tuple[str, str], ...]
    rules: tuple[ReadyRule, ...]
    relevant: Mapping[str, tuple[ReadyRule, ...]]


def view_of(roles_by_arg: Mapping[str, tuple[str, ...]], rules: tuple[ReadyRule, ...]) -> View:
    """Return the view of a tool whose arguments have these roles; `rules` are those for its server and name."""
    roles = tuple(dict.fromkeys(role for found in roles_by_arg.values() for role in found))
    fitting = tuple(
        one for one in rules if one.rule.when.roles is None or not set(one.rule.when.roles).isdisjoint(roles)
    )
    active = tuple(role for role in roles if role in RESOURCE_ROLES)
    gated = ((arg, [role for role in found if role in URL_ROLES]) for arg, found in roles_by_arg.items())
    return View(
        roles=frozenset(roles),
        active=active,
        args_of={role: tuple(arg for arg, found in roles_by_arg.items() if role in found) for role in roles},
        gated=tuple((arg, found[0]) for arg, found in gated if found),
        rules=fitting,
        relevant={role: tuple(one for one in fitting if one.is_relevant(role)) for role in active},
    )


def is_address(role: str, value: str) -> bool:
    """Return whether a value of a url role is an address with a host, not a name such as `origin`."""
    return ":" in value if role == "git-remote-url" else "://" in value


def host_of(role: str, value: str) -> str:
    """Return the host (for remotes also the path) that a value of a url role names."""
    return extract_git_domain(value) if role == "git-remote-url" else extract_domain(value)

"""Tests of whole calls: `where` and `unless` of a rule. Each shows whether a value certainly or possibly passes."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import normalize

from retouch.recipes.policy.deciding.comparing import bare_name
from retouch.recipes.policy.deciding.counting import exact
from retouch.recipes.policy.deciding.lengths import from_some_start
from retouch.recipes.policy.deciding.matching import fold, host_of, is_address
from retouch.recipes.policy.deciding.modes import same
from retouch.recipes.policy.deciding.shell_tests import judge_runs
from retouch.recipes.policy.deciding.sizes import UNKNOWN, Passes, judge_given, judge_sizes
from retouch.recipes.policy.deciding.sql_statements import read_sql
from retouch.recipes.policy.language.clock import is_on, minute_written, moments_written
from retouch.recipes.policy.resources.addresses import addresses_in, mailbox_of
from retouch.recipes.policy.resources.hosts import DomainPatterns
from retouch.recipes.policy.resources.paths import fold_place, may_reach
from retouch.recipes.policy.resources.roles import URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.values import Limit, Scalar
    from retouch.recipes.policy.resources.paths import Places

_PLAIN_BRANCH = re.compile(r"(?!-)[\w/-]+(?:\.[\w/-]+)*")
MAX_NUMBER = 2**53
_SOME_DAY = datetime(2024, 1, 8)


class LimitSubject(NamedTuple):
    """What a test needs to know about an argument: its role, whether the tool acts on everything below a path, and how
    to locate a path.
    """

    role: str
    below: bool
    places: Callable[[str], Places]


class ReadyLimit:
    """One prepared test."""

    def __init__(self, limit: Limit, ready: Prepared) -> None:
        self.limit = limit
        self.ready = ready
        self.places = tuple(ready.places(one).candidates for one in limit.within)
        self.folders = tuple(dict.fromkeys(place for found in self.places for place in found))
        self.folded = tuple(dict.fromkeys(map(fold_place, self.folders)))
        self.hosts = DomainPatterns(limit.domains, strict=True)
        self._scopes: dict[str, tuple[str, ...]] = {}
        self.any_hosts = DomainPatterns(limit.domains, strict=True, any_spelling=True)

    def scopes_after(self, server: str) -> tuple[str, ...]:
        """Return the scopes of the tools that were called before, on a server."""
        found = self._scopes.get(server)
        if found is None:
            after = self.limit.after
            tools = () if after is None else after.tools
            found = () if after is None else tuple(after.scope_of(server, one) for one in tools)
            self._scopes[server] = found
        return found

    def judge_time(self, at: datetime | None) -> Passes:
        """Return whether a moment passes a test of the time. An unknown moment possibly passes."""
        if at is None:
            return UNKNOWN
        passed = is_on(self.limit.hours, self.limit.days, at.astimezone(self.ready.zone))
        return Passes(passed, passed)

    def _judge_written(self, text: str) -> Passes:
        """Return whether the time that a text names passes. Without an hour, it may be any of its day, and without a
        day any day.
        """
        minute = minute_written(text)
        if minute is not None:
            passed = is_on(self.limit.hours, (), _SOME_DAY + timedelta(minutes=minute))
            return Passes(passed and not self.limit.days, passed)
        found = moments_written(text, self.ready.zone)
        if not found:
            return UNKNOWN
        hours = self.limit.hours if len(text) > len("2025-01-01") else ()
        passed = [is_on(hours, self.limit.days, one) for one in found]
        return Passes(all(passed) and hours == self.limit.hours, any(passed))

    def judge_total(self, earlier: float | None, own: float | None) -> Passes:
        """Return whether a total passes, given the total of earlier calls and the amount of this one."""
        if earlier is None or own is None:
            return UNKNOWN
        passed = self.limit.admits(float(exact(earlier) + exact(own)))
        return Passes(passed, passed)

    def judge(self, value: JSON, subject: LimitSubject) -> Passes:
        """Return whether all parts of an argument's value pass, certainly or possibly.

        None is an argument that is left out. An empty value is unknown, except for its size.
        """
        if self.limit.state is not None:
            return judge_given(self.limit, value)
        if value is None:
            return UNKNOWN
        if self.limit.since is not None:
            return from_some_start(self.limit, value)
        if self.limit.size is not None:
            return judge_sizes(self.limit, [(value, subject.role)])
        if value == "":
            return UNKNOWN
        found = [self._judge_one(one, subject) for one in leaves(value)]
        if not found:
            return UNKNOWN
        return Passes(all(one.surely for one in found), any(one.possibly for one in found))

    def _judge_one(self, value: Scalar, subject: LimitSubject) -> Passes:
        if self.limit.bounds:
            return self._judge_number(value)
        if self.limit.among:
            return _judge_member(value, self.limit.among, subject.role)
        if not isinstance(value, str):
            return UNKNOWN
        if self.limit.is_written_time:
            return self._judge_written(value)
        if self.limit.within:
            return self._judge_path(value, subject)
        if self.limit.domains:
            return self._judge_host(value, subject.role)
        if self.limit.sql or self.limit.tables:
            return _judge_sql(value, self.limit)
        if self.limit.runs:
            return judge_runs(value, self.limit.runs)
        return _judge_email(value, self.limit.emails) if self.limit.emails else self._judge_like(value, subject.role)

    def _judge_path(self, text: str, subject: LimitSubject) -> Passes:
        found = subject.places(text)
        spelled = self.ready.spelled(found)
        touched = any(may_reach(one, folder, below=subject.below) for one in spelled for folder in self.folded)
        inside = any(found.are_inside(one, root_holds_all=True) for one in self.places)
        return Passes(inside, touched)

    def _judge_host(self, text: str, role: str) -> Passes:
        known = role if role in URL_ROLES else "fetch-url"
        named = is_address(known, text)
        host = host_of(known, text)
        return Passes(named and self.hosts.fit(host), not named or self.any_hosts.fit(host))

    def _judge_number(self, value: Scalar) -> Passes:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            sound = isfinite(value) and abs(value) <= MAX_NUMBER
            return Passes(sound and self.limit.admits(value), not sound or self.limit.admits(value))
        return UNKNOWN

    def _judge_like(self, text: str, role: str) -> Passes:
        plain = role != "branch-name" or (_is_plain_branch(text))
        one_line = "\n" not in text and ".." not in text.split("/")
        surely = plain and one_line and any(fits_pattern(text, one) for one in self.limit.like)
        folded = [each for one in self.limit.like for each in _with_bare(_folded(one))]
        names = [each for one in _spellings(text, role) for each in _with_bare(_folded(one))]
        return Passes(surely, surely or not plain or any(fits_pattern(name, one) for one in folded for name in names))


def fits_pattern(text: str, pattern: str) -> bool:
    """Return whether a string matches a pattern with any number of `*`. The work grows with the length of the text.

    Example:
        >>> fits_pattern("release/1.0", "release/*"), fits_pattern("ab", "a*b*b")
        (True, False)
    """
    first, *rest = pattern.split("*")
    if not rest:
        return text == pattern
    *middle, last = rest
    start, end = len(first), len(text) - len(last)
    if start > end or not text.startswith(first) or not text.endswith(last):
        return False
    for one in middle:
        found = text.find(one, start, end)
        if found < 0:
            return False
        start = found + len(one)
    return True


def leaves(value: JSON) -> Iterator[Scalar]:
    """Yield every scalar of a value, and every key of an object in it."""
    waiting: list[JSON] = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        else:
            yield one


def _judge_member(value: Scalar, among: tuple[Scalar, ...], role: str) -> Passes:
    plain = role != "branch-name" or (isinstance(value, str) and _is_plain_branch(value))
    surely = plain and any(same(value, one) for one in among)
    if value is None or not plain:
        return Passes(False, True)
    known = {_folded_name(str(one)) for one in among}
    return Passes(surely, surely or not known.isdisjoint(map(_folded_name, _spellings(str(value), role))))


def _is_plain_branch(text: str) -> bool:
    """Return whether a text can only be the name of one branch, and not a refspec, `HEAD`, or a full reference."""
    special = text.upper() in {"HEAD", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD"} or text.startswith(("refs/", "heads/"))
    return _PLAIN_BRANCH.fullmatch(text) is not None and not special


def _folded(text: str) -> str:
    return normalize("NFKC", text).casefold()


def _folded_name(text: str) -> str:
    return bare_name(_folded(text).strip(" \t\r\n\"'`[]<>"))


def _with_bare(text: str) -> tuple[str, ...]:
    """Return a text or pattern, and the same without the sign of a channel or user."""
    bare = bare_name(text)
    return (text,) if bare == text or bare.startswith("*") else (text, bare)


def _spellings(text: str, role: str) -> list[str]:
    """Return the names that a text may mean: a table may follow its schema, a branch its remote, a name another one."""
    found = [text, *(one for one in re.split(r"[\s,;]+", text) if one and one != text)]
    if role == "branch-name":
        found.append(text.partition("/")[2])
    found += [one.rpartition(".")[2] for one in found if "." in one and role != "branch-name"]
    return found


def _judge_email(text: str, patterns: tuple[str, ...]) -> Passes:
    found = addresses_in(text)
    if not found:
        return UNKNOWN
    plain = frozenset(map(fold, (one for one in patterns if not one.startswith("*@"))))
    domains = frozenset(one[2:].lower() for one in patterns if one.startswith("*@"))
    mailboxes = frozenset(map(mailbox_of, plain))
    surely = all(fold(one) in plain or fold(one).rpartition("@")[2] in domains for one in found)
    reached = (mailbox_of(one) for one in found)
    possibly = any(one in mailboxes or _is_on(one.rpartition("@")[2], domains) for one in reached)
    return Passes(surely, surely or possibly)


def _judge_sql(text: str, limit: Limit) -> Passes:
    """Return whether all statements are of some kinds, and whether one may be; or whether a table is named."""
    found = read_sql(text)
    if found is None:
        return UNKNOWN
    if limit.tables:
        named = not found.names.isdisjoint(map(str.lower, limit.tables))
        return Passes(named, named or found.is_wide)
    return Passes(found.kinds <= {*limit.sql}, not (found.kinds | found.aspects).isdisjoint(limit.sql))


def _is_on(host: str, domains: frozenset[str]) -> bool:
    return any(f".{host}".endswith(f".{one}") for one in domains)

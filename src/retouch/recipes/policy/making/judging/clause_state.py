"""The limits, amounts and times that a clause names, compared with the tests of its rules."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.analysing.units import (
    CHARACTERS,
    factor_between,
    is_in_cents,
    is_unit_of_text,
    rate_of_argument,
    unit_named,
    unit_of_argument,
)
from retouch.recipes.policy.english.rewriting.reasons import without_reason
from retouch.recipes.policy.english.rewriting.spoken import without_emphasis
from retouch.recipes.policy.english.words.clock_words import with_times
from retouch.recipes.policy.making.judging.clause_ends import is_implied
from retouch.recipes.policy.making.judging.clause_numbers import edges_of, numbers_in, whole
from retouch.recipes.policy.making.judging.clause_times import missing_time, moment_places, strange_time
from retouch.recipes.policy.making.judging.clause_unread import unread_quantity, vague_rate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy.language.values import Limit, Rule, Tool
    from retouch.recipes.policy.making.judging.clause_numbers import Edge, NamedNumber

_UNITS = "minute|hour|day|week|month|quarter|year|session|conversation"
_PERIOD = re.compile(
    r"\b(?:(?:per|an?|each|every|any|one|within|in|during)\s+"
    r"(?:(?:the|any|one|an?|calendar|single|same|given|course\s+of|space\s+of)\s+)*"
    r"|on\s+(?:the\s+same|one\s+and\s+the\s+same|an?\s+single|any(?:\s+(?:one|single|given))?)\s+)"
    rf"(?:(?P<many>\d+)\s+)?"
    rf"(?P<unit>{_UNITS})s?\b|\b(?P<adverb>daily|hourly|weekly|monthly|yearly|annually)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:once|twice) an? \w+"
    r"|\b(?:daily|hourly|weekly|monthly|yearly|annual|overall|total) (?:limit|maximum|cap|budget|quota|allowance)\b"
    r"|\b(?:at most|no more than|up to|more than|maximum|limit)\b.*\b(?:in total|altogether|overall)\b",
    re.IGNORECASE,
)
_ADVERBS = {"daily": "day", "hourly": "hour", "weekly": "week", "monthly": "month"}
_SAME = {("24", "hour"): "day", ("60", "minute"): "hour", ("7", "day"): "week", ("31", "day"): "month"}
_COUNTED = frozenset({"minute", "hour", "day", "week", "month"})
_UNIT_BEHIND = re.compile(r" ?(?P<unit>[a-z]+)\b", re.IGNORECASE)
# What comes before a limit, so that the number behind it is no name.
_LIMITING = "|".join(  # the last letters, since a look-behind needs a width
    ("han", "ost", "ast", " to", "ver", "der", "low", "ove", "hin", "eed", "mum", "mit", " of", "nly", "ond")
)
_LONG = re.compile(r"(?<!\d)\d{9,18}(?!\d)")  # a phone number, and no limit
_LENGTH = re.compile(r"(?:^|[_-])(?:length|chars|characters)$|(?:Length|Chars|Characters)$")
_ONCE_DONE = re.compile(r"\bonce(?= (?:(?:you|the (?:agent|assistant)) (?:have|has)|you['\u2019]ve)\b)", re.IGNORECASE)
_DONE_BEFORE = re.compile(
    r"\b(?:once|after|unless|until) (?:(?:you|the (?:agent|assistant)) (?:have|has)|you['\u2019]ve)\b"
    r"(?!.*\b(?:ask\w*|me|my|mine|us|our|approv\w*|permission|consent|confirm\w*|ok|okay)\b) [a-z]+",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"[;,:](?=\s)|\band\b")


def missing_state(text: str, rules: Sequence[Rule], *, quoted: bool = True, tools: Sequence[Tool] | None = None) -> str:
    """Return why rules do not enforce the limits, amounts and times of a clause. "" if they do, or if it has none.

    Every number that the clause names as a limit must be in its rules, on the same side and for the same period. Rules
    may only have numbers and times that their own quotes name. A permission must be under every limit of the clause.
    The last two are about rules that quote the clause (`quoted`). `tools` are the tools of the rules' servers.
    """
    unordered = _missing_order(text, rules)
    text = without_reason(text)
    text = _ONCE_DONE.sub("after", text)
    text = _without_values(_without_rates(with_times(without_emphasis(text)), rules), rules)
    found = ((test, _unit_of(test, _tools_of(test, rules, tools))) for test in _tests(rules))
    units = {unit for test, unit in found if unit and test.bounds}
    problem = (
        unordered
        or unread_quantity(text, units)
        or _missing_limit(text, rules, tools)
        or _missing_amount(text, rules, tools)
    )
    problem = problem or missing_time(text, rules)
    if not quoted:
        return problem
    for rule in rules:
        problem = problem or _strange_number(rule, tools) or strange_time(rule)
    return problem or _way_around(rules, tools)


def _missing_order(text: str, rules: Sequence[Rule]) -> str:
    """Return why a permission of a clause that requires an earlier action does not require it. "" if it does."""
    asked = any(rule.when.afters for rule in rules)
    if asked or all(rule.then != "allow" for rule in rules) or not _DONE_BEFORE.search(text):
        return ""
    return "it says what is done before, and none of its rules asks what was called before"


def _tests(rules: Sequence[Rule]) -> list[Limit]:
    return [test for rule in rules for test in (*rule.when.where, *rule.when.unless)]


class _Rates:
    """The limits per period of a sentence: the numbers of each period. `rest` are all other numbers."""

    def __init__(self, text: str) -> None:
        numbers = numbers_in(text)
        found = list(_PERIOD.finditer(text))
        outside = [one for one in numbers if not any(p.start() <= one.start < p.end() for p in found)]
        self.of: dict[str, list[NamedNumber]] = {}
        self.unclear = False
        self.rest = outside
        for place, one in enumerate(found):
            before, end = (
                found[place - 1].end() if place else 0,
                found[place + 1].start() if found[place + 1 :] else None,
            )
            own = self._own(text, outside, before, one.start())
            if not own and place == 0:
                own = self._own(text, outside, one.end(), len(text) if end is None else end)
            if own:
                self.of.setdefault(_period_of(one), []).extend(own)
        used = {one.start for numbers in self.of.values() for one in numbers}
        self.rest = [one for one in outside if one.start not in used]
        self.limited = bool(self.of) or _LIMITED.search(text) is not None or vague_rate(text)
        self.limited = self.limited or any(one["many"] for one in found)

    def _own(self, text: str, numbers: Sequence[NamedNumber], start: int, end: int) -> list[NamedNumber]:
        """Return the number of a period: the only limit, or else the only number, of the last part with a number."""
        inner = [one for one in numbers if start <= one.start < end]
        cuts = [start, *(one.end() for one in _SEPARATOR.finditer(text, start, end)), end]
        parts = [[one for one in inner if low <= one.start < high] for low, high in pairwise(cuts)]
        filled = [part for part in parts if part]
        last = filled[-1] if filled else inner
        limits = [one for one in last if one.limits]
        self.unclear = self.unclear or len(limits or last) > 1
        return limits or last


def _period_of(found: re.Match[str]) -> str:
    unit, many = (found["unit"] or "").lower(), found["many"]
    if found["adverb"]:
        return _ADVERBS.get(found["adverb"].lower(), "year")
    if many in {None, "1"}:
        return unit
    return _SAME.get((many, unit), f"{many} {unit}s")


def _missing_limit(text: str, rules: Sequence[Rule], tools: Sequence[Tool] | None) -> str:
    rates, totals = _Rates(text), [one for one in _tests(rules) if one.is_total]
    if not rates.limited:
        return ""
    if not totals:
        return "it has a limit, and none of its rules counts earlier calls"
    if not rates.of:
        return "it has a limit without a number or without a period, and rules count to a number in a period"
    if rates.unclear:
        return "it has several numbers for one period; write each limit as 'at most 3 per day' in a sentence of its own"
    for period, numbers in rates.of.items():
        if period not in _COUNTED:
            return f"it has a limit per {period}, which no rule can count"
        found = [one for one in totals if one.per == period]
        if not found:
            return f"it has a limit per {period}, and its rules count per {totals[0].per}"
        for number in numbers:
            if not any(_is_meant(text, number, one, _tools_of(one, rules, tools)) for one in found):
                return f"it has the limit {number.value:g} per {period}, and its rules count to {_words(found)}"
    return ""


def _words(limits: Sequence[Limit]) -> str:
    return " and ".join(f"{bound:g}" for one in limits for bound in one.bounds)


def _is_meant(text: str, number: NamedNumber, limit: Limit, tools: Sequence[Tool] | None) -> bool:
    unit = _unit_of(limit, tools)
    return any(_means(text, number, edge, limit, unit) for edge in _edges(limit, tools))


def _means(text: str, number: NamedNumber, edge: Edge, limit: Limit, unit: str) -> bool:
    """Return whether a number per period means an edge of a test. A bare number is the most that is allowed."""
    if limit.same is not None and limit.above == 1 and number.value == 2 and not number.limits:  # "not the same twice"
        return True
    if limit.count is not None:
        return edge in whole([number])
    factor = _factor(text, number, unit)
    same = factor is not None and edge[0] * factor == number.value
    return same and edge[1] in (number.sides if number.limits else ("after",))


def _tools_of(test: Limit, rules: Sequence[Rule], tools: Sequence[Tool] | None) -> list[Tool]:
    """Return the tools that rules with a test are about: an amount may be in euros for one and in cents for another."""
    whens = [rule.when for rule in rules if test in rule.when.where or test in rule.when.unless]
    return [one for one in tools or () if any(when.is_about(one.server, one.name) for when in whens)]


def _edges(test: Limit, tools: Sequence[Tool] | None) -> list[Edge]:
    """Return where the values of a test start and end, as a sentence states them: 5000 cents are 50 euros."""
    arg = test.arg or test.sum
    named = [one for one in tools or () if arg in one.args]
    cents = bool(named) and arg is not None and all(is_in_cents(one, arg) for one in named)
    return [(value / 100, side) for value, side in edges_of(test)] if cents else edges_of(test)


def _without_rates(text: str, rules: Sequence[Rule]) -> str:
    """Return a text without "per night" if a rule tests `price_per_night`: it is no limit for several calls.

    A `daily_limit` is "the daily limit".
    """
    tests = [one for one in _tests(rules) if one.bounds and not one.is_total and one.arg]
    for noun in {rate_of_argument(one.arg or "") for one in tests} - {""}:
        text = re.sub(rf"(?<=\w) (?:per|an?|each|every) {noun}\b", "", text, flags=re.IGNORECASE)
    for first, rest in {(one.arg or "").partition("_")[::2] for one in tests if rate_of_argument(one.arg or "")}:
        text = re.sub(rf"\b{first} (?={re.escape(rest.replace('_', ' '))}s?\b)", "", text, flags=re.IGNORECASE)
    return text


def _without_values(text: str, rules: Sequence[Rule]) -> str:
    """Return a text without the names with digits that its rules test, such as `Biology 7A`, and long numbers that
    are names, such as the cost center 4711. What may be a limit stays.
    """
    tests = _tests(rules)
    for number in {found[0] for one in tests for value in one.values if (found := _LONG.search(str(value)))}:
        text = re.sub(rf"\+?{'[ ()-]*'.join(number)}(?!\d)", "x", text)
    for name in {str(value) for one in tests for value in one.among if re.search(r"\d", str(value))}:
        if re.search(r"[A-Za-z]", name):
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", "x", text)
        elif len(name) > 2:
            text = re.sub(rf"(?<=[a-z] )(?<!(?:{_LIMITING}) ){name}(?![\w.,]\w)", "x", text)
    for one in tests:
        word = re.escape(re.split(r"[_-]", one.arg or "")[-1].lower())
        for value in (value for value in one.among if isinstance(value, int) and word):
            listed = rf"(\b{word}s? (?:[\dx]+(?:,? (?:and|or)|,) )*){value}(?![\w.,]\w)"
            text = re.sub(listed, r"\1x", text, flags=re.IGNORECASE)
    given = any(one.like == ("*",) for rule in rules for one in rule.when.unless)
    return re.sub(r"\bat least (?:one|1)\b", "a", text) if given else text


def _unit_of(test: Limit, tools: Sequence[Tool] | None) -> str:
    """Return the unit of the argument of a test: of time, of memory, or what its size is counted in.

    "" if it has none, or not in all tools.
    """
    if test.size is not None:
        return "minute" if test.since is not None else test.size
    if test.arg is not None and _LENGTH.search(test.arg):
        return "length"
    arg = test.arg or test.sum
    found = {unit_of_argument(one, arg) for one in tools or () if arg in one.args} if arg else set[str]()
    return found.pop() if len(found) == 1 else ""


def _allows(text: str, number: NamedNumber, edge: Edge, unit: str) -> bool:
    """Return whether a number of a text, with its unit, can mean an edge of a test in another unit."""
    said = _UNIT_BEHIND.match(text, number.end)
    noun = said["unit"].lower() if said is not None else ""
    if unit in {"characters", "items"}:
        counted = "characters" if noun in CHARACTERS else "" if is_unit_of_text(noun) or unit_named(noun) else "items"
        return unit == counted and edge in whole([number])
    if noun in CHARACTERS or unit == "length":
        return unit == "length" and not is_unit_of_text(noun) and number.allows(edge)
    factor = _factor(text, number, unit)
    return factor is not None and number.allows((edge[0] * factor, edge[1]))


def _factor(text: str, number: NamedNumber, unit: str) -> float | None:
    """Return with what a value of a test is multiplied to be in the unit behind a number. None if it cannot be."""
    said = _UNIT_BEHIND.match(text, number.end)
    named = unit_named(said["unit"].lower()) if said is not None else ""
    return factor_between(unit, named) if named else 1


def _missing_amount(text: str, rules: Sequence[Rule], tools: Sequence[Tool] | None) -> str:
    """Return why no rule tests a number that may be a limit of the clause, and that is not one per period."""
    tests = [one for one in _tests(rules) if one.bounds and not one.is_total]
    about = [(one, _tools_of(one, rules, tools)) for one in tests]
    edges = [(edge, _unit_of(one, known)) for one, known in about for edge in _edges(one, known)]
    moments = [(start, end) for start, end, _ in moment_places(text)]
    for number in _Rates(text).rest:
        if number.describes or any(start <= number.start < end for start, end in moments):
            continue
        if not any(_allows(text, number, edge, unit) for edge, unit in edges):
            side = " on the same side" if number.limits else ""
            return f"it has the number {number.value:g}, and none of its rules compares with it{side}"
    return ""


def _strange_number(rule: Rule, tools: Sequence[Tool] | None) -> str:
    """Return why a rule compares with a number that its own quote does not name. "" if it does not."""
    tests = [
        one
        for one in _tests([rule])
        if one.bounds and not (one.size and 0 in (one.above, one.at_most)) and not is_implied(one, rule.principle)
    ]  # "any" and "none"
    if not tests:
        return ""
    text = _without_rates(with_times(without_emphasis(rule.principle)), [rule])
    rates = _Rates(text)
    for test in tests:
        known = _tools_of(test, [rule], tools)
        unit = _unit_of(test, known)
        strange = [edge for edge in _edges(test, known) if not _is_named(edge, test, rates, text, unit)]
        if strange:
            per = f" per {test.per}" if test.per else ""
            return f"its rules compare with {test.bounds[0]:g}{per}, a limit that it does not name"
    return ""


def _is_named(edge: Edge, test: Limit, rates: _Rates, text: str, unit: str) -> bool:
    if test.is_total:
        return any(_means(text, one, edge, test, unit) for one in rates.of.get(test.per or "", ()))
    return any(_allows(text, one, edge, unit) for one in rates.rest)


def _way_around(rules: Sequence[Rule], tools: Sequence[Tool] | None) -> str:
    """Return which permission no limit covers, if other permissions of the clause count. "" if there is none."""
    counted = [rule for rule in rules if any(test.is_total for test in _tests([rule]))]
    for place, rule in enumerate(rules):
        if counted and rule.then == "allow" and rule not in counted:
            before = [one for one in rules[:place] if one in counted and one.then != "allow"]
            if not _covers(before, rule, tools):
                return f"its rule {rule.name!r} allows calls that none of its limits covers"
    return ""


def _covers(limits: Sequence[Rule], rule: Rule, tools: Sequence[Tool] | None) -> bool:
    """Return whether rules with limits apply to every call that a permission is about."""
    wide = [one for one in limits if _is_as_wide(one, rule)]
    if any(one.when.tool is None for one in wide):
        return True
    named = {name for one in wide for name in one.when.tool or ()}
    if tools is None:
        return rule.when.tool is not None and named.issuperset(rule.when.tool)
    return named.issuperset(one.name for one in tools if _is_about(rule, one))


def _is_about(rule: Rule, tool: Tool) -> bool:
    """Return whether a permission can allow calls of a tool: the tool has every kind of role that it needs."""
    when, roles = rule.when, {role for spec in tool.args.values() for role in spec.all_roles}
    needed = [when.roles, when.paths and when.paths.roles, when.domains and when.domains.roles]
    needed += [one.roles for one in when.lists or ()]
    needed += [(one.role,) for one in when.where if one.role is not None]
    fits = all(not roles.isdisjoint(one) for one in needed if one)
    return when.is_about(tool.server, tool.name) and fits


def _is_as_wide(limit: Rule, rule: Rule) -> bool:
    """Return whether a rule with a limit applies to all calls of a permission to one of the limit's tools."""
    mine, other = limit.when, rule.when
    parts = ((mine.server, other.server), (mine.roles, other.roles), (mine.paths, other.paths))
    more = ((mine.domains, other.domains), (mine.lists, other.lists))
    same = all(one is None or one == another for one, another in (*parts, *more))
    tests = [one for one in mine.where if not one.is_total]
    exempt = [one for one in mine.unless if not one.is_total]
    return same and set(tests) <= set(other.where) and (not exempt or set(exempt) == set(other.unless))

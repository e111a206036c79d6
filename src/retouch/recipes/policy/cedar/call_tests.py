"""Tests of whole calls (`where` and `unless`) in Cedar: what a request contains about an argument, and the expressions.

A request has one value of each argument or role that a test is about. Calls for which this loses something, because an
argument has several values or another spelling, cannot be queried. `why_unsayable` identifies them.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.cedar.text import all_of, any_of, fits_host, is_inside, is_like, is_one_of, quoted
from retouch.recipes.policy.deciding.limits import leaves
from retouch.recipes.policy.deciding.matching import fold, host_of, is_address
from retouch.recipes.policy.deciding.modes import same
from retouch.recipes.policy.resources.addresses import addresses_in
from retouch.recipes.policy.resources.hosts import is_host_name, is_plain_host
from retouch.recipes.policy.resources.paths import is_inside as path_is_inside
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.deciding.facts import Facts
    from retouch.recipes.policy.deciding.limits import ReadyLimit
    from retouch.recipes.policy.deciding.matching import ReadyRule
    from retouch.recipes.policy.deciding.prepared import Prepared
    from retouch.recipes.policy.language.values import Limit, Scalar

Value: TypeAlias = "dict[str, str | bool | dict[str, dict[str, str]]]"
VALUE_TYPE = """\
type Value = {
  unknown: Bool,
  text?: String,
  number?: decimal,
  truth?: Bool,
  path?: String,
  host?: String,
  hostpath?: String,
  isName: Bool,
  isPlain: Bool,
  mail?: String,
};
"""
_LARGEST = Decimal("922337203685477.5807")


def decimal_of(number: float) -> str | None:
    """Return a number as Cedar writes decimals. None if it has more than four digits after the point, or is larger."""
    exact = Decimal(str(number))
    if not exact.is_finite() or abs(exact) > _LARGEST or exact != exact.quantize(Decimal("0.0001")):
        return None
    return f"{exact:.4f}"


def why_test_is_unsayable(limit: Limit) -> str | None:
    """Return why Cedar cannot express a test. None if it can."""
    if limit.is_total:
        return "it counts earlier calls"
    if limit.after is not None:
        return "it depends on what was called before"
    if limit.is_clock or limit.is_written_time:
        return "it depends on the time"
    if limit.size is not None:
        return "it measures a text or a list"
    if limit.state is not None:
        return "it depends on whether an argument is given"
    if limit.sql or limit.tables:
        return "it reads SQL"
    if limit.runs:
        return "it reads a command line"
    numbers = [*limit.bounds, *(one for one in limit.among if _is_number(one))]
    if any(decimal_of(one) is None for one in numbers):  # pyright: ignore[reportArgumentType]
        return "it compares a number that is no decimal of Cedar, which has four digits after the point"
    if any(one is None for one in limit.among):
        return "it compares a value with null"
    return None


def subject_of(limit: Limit) -> tuple[str, str]:
    """Return the part of a request that a test is about: `roles` or `args`, and the name there."""
    return ("roles", limit.role) if limit.role is not None else ("args", limit.arg or "")


def tested(ready: Prepared) -> Iterator[tuple[ReadyRule, ReadyLimit]]:
    """Yield the tests that Cedar can express, each with its rule."""
    for rule in ready.rules:
        for test in (*ready.where[rule.position], *ready.unless[rule.position]):
            if why_test_is_unsayable(test.limit) is None:
                yield rule, test


def value_of(facts: Facts, limit: Limit) -> Value | None:
    """Return what a request contains about the subject of a test. None if the tool has no such argument or role."""
    names = facts.args_tested(limit)
    found = [one for name in names for one in leaves(facts.arguments.get(name)) if one is not None and one != ""]
    if not names:
        return None
    plain: Value = {"unknown": not found, "isName": False, "isPlain": False}
    if len(found) != 1:
        return plain
    value = found[0]
    if isinstance(value, bool):
        return plain | {"truth": value}
    if isinstance(value, str):
        return plain | _text_value(facts, facts.role_tested(limit, names[0]), value)
    number = decimal_of(value)
    return plain if number is None else plain | {"number": {"__extn": {"fn": "decimal", "arg": number}}}


def _text_value(facts: Facts, role: str, text: str) -> Value:
    found: Value = {"text": text}
    if role in PATH_ROLES:
        places = facts.places(text, role)
        if places.certain and len(places.candidates) == 1:
            found["path"] = places.candidates[0]
    known = role if role in URL_ROLES else "fetch-url"
    if is_address(known, text):
        value = host_of(known, text)
        host = value.partition("/")[0]
        found |= {"host": host, "hostpath": value, "isName": is_host_name(host), "isPlain": is_plain_host(host)}
    if addresses_in(text) == (text,):
        found["mail"] = fold(text)
    return found


def why_unsayable(facts: Facts, ready: Prepared) -> str | None:
    """Return why Cedar would judge a test of a call differently. None if it would not."""
    for rule, test in tested(ready):
        value = value_of(facts, test.limit)
        if value is None or value["unknown"] or not rule.rule.when.is_about(facts.request.server, facts.request.tool):
            continue
        holds = _holds(test, value)
        if facts.passes(test, rule) != (holds, holds):
            return f"it is not plain whether {test.limit.words}"
    return None


def _holds(test: ReadyLimit, value: Value) -> bool:
    limit, text = test.limit, value.get("text")
    if limit.bounds:
        return "number" in value and limit.admits(float(_number_in(value)))
    if limit.among:
        own: Scalar = float(_number_in(value)) if "number" in value else value.get("truth", text)  # pyright: ignore[reportAssignmentType]
        return any(same(own, one) for one in limit.among)
    if limit.within:
        place = value.get("path")
        return isinstance(place, str) and any(path_is_inside(place, one, root_holds_all=True) for one in test.folders)
    if limit.domains:
        return test.hosts.fit(str(value["hostpath"])) if "hostpath" in value else False
    if limit.emails:
        mail = value.get("mail")
        ends = [fold(one[1:]) for one in limit.emails if one.startswith("*@")]
        return isinstance(mail, str) and (mail in map(fold, limit.emails) or mail.endswith(tuple(ends)))
    patterns = [".*".join(map(re.escape, one.split("*"))) for one in limit.like]
    return isinstance(text, str) and any(re.fullmatch(one, text, re.DOTALL) for one in patterns)


def _number_in(value: Value) -> str:
    number = value["number"]
    return number["__extn"]["arg"] if isinstance(number, dict) else ""


def applies(ready: Prepared, rule: ReadyRule) -> list[str]:
    """Return the conditions under which the tests of a rule let it decide a call."""
    where, unless = ready.where[rule.position], ready.unless[rule.position]
    allows = rule.rule.then == "allow"
    parts = [_passes(one, surely=allows) for one in where]
    if unless:
        parts.append(f"!({all_of([_passes(one, surely=not allows) for one in unless])})")
    return parts


def _passes(test: ReadyLimit, *, surely: bool) -> str:
    part, name = subject_of(test.limit)
    value = f"context.{part}[{quoted(name)}]"
    reading = _reading(test, value)
    found = reading if surely else any_of([f"{value}.unknown", f"({reading})"])
    return f"context.{part} has {quoted(name)} && ({found})"


def _reading(test: ReadyLimit, value: str) -> str:
    limit = test.limit
    if limit.bounds:
        signs = (
            ("greaterThanOrEqual", limit.at_least),
            ("greaterThan", limit.above),
            ("lessThanOrEqual", limit.at_most),
            ("lessThan", limit.below),
        )
        found = [f"{value}.number.{sign}({_decimal(one)})" for sign, one in signs if one is not None]
        return all_of([f"{value} has number", *found])
    if limit.among:
        return any_of([f"({one})" for one in _memberships(limit, value)])
    if limit.within:
        places = [f"({is_inside(f'{value}.path', one)})" for one in test.folders if one != "/"]
        return f"{value} has path && ({'true' if '/' in test.folders else any_of(places)})"
    if limit.domains:
        return f"{value} has host && {value} has hostpath && ({fits_host(value, limit.domains)})"
    if limit.emails:
        plain = [fold(one) for one in limit.emails if not one.startswith("*@")]
        parts = [is_one_of(f"{value}.mail", plain)] if plain else []
        parts += [is_like(f"{value}.mail", after=fold(one[1:])) for one in limit.emails if one.startswith("*@")]
        return f"{value} has mail && ({any_of(parts)})"
    return f"{value} has text && ({any_of([is_like(f'{value}.text', *one.split('*')) for one in limit.like])})"


def _memberships(limit: Limit, value: str) -> Iterator[str]:
    texts = [one for one in limit.among if isinstance(one, str)]
    if texts:
        yield f"{value} has text && {is_one_of(f'{value}.text', texts)}"
    for one in limit.among:
        if isinstance(one, bool):
            yield f"{value} has truth && {value}.truth == {str(one).lower()}"
        elif isinstance(one, (int, float)):
            yield f"{value} has number && {value}.number == {_decimal(one)}"


def _is_number(value: Scalar) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _decimal(number: float) -> str:
    return f'decimal("{decimal_of(number)}")'

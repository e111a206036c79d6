"""Determines whether two calls have the same value of an argument, for limits that count per value."""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING
from unicodedata import normalize

from retouch.recipes.policy.deciding.matching import host_of, is_address
from retouch.recipes.policy.resources.addresses import addresses_in, mailbox_of
from retouch.recipes.policy.resources.roles import PATH_ROLES, URL_ROLES

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.language.values import RoleSpec

MAILBOX = "email-address"
_NUMBER = re.compile(r"[-+]?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:e[-+]?[0-9]{1,4})?")


def value_compared(value: JSON, spec: RoleSpec) -> str | None:
    """Return a value in one spelling, so that equal values are equal strings. None if it is not one known value.

    A URL is its host, an address its mailbox. Upper case, spaces around a text and the sign of a channel or user make
    no difference (`#dev` is `dev`), nor does writing a number as a string or with insignificant zeros: `7`, `"7"`,
    `"07.0"`. A list or an object is not one value, and a path can be written in too many ways.
    """
    roles = {*spec.all_roles}
    if isinstance(value, (bool, dict, list)) or value is None or not roles.isdisjoint(PATH_ROLES):
        return None
    if not isinstance(value, str):
        return _number(str(value)) if isfinite(value) else None
    addressed = next((one for one in roles if one in URL_ROLES), None)
    if addressed is not None:
        return (host_of(addressed, value).removeprefix("www.") or None) if is_address(addressed, value) else None
    if MAILBOX in roles:
        found = {mailbox_of(one) for one in addresses_in(value) or ()}
        return found.pop() if len(found) == 1 else None
    text = bare_name(" ".join(normalize("NFKC", value).casefold().split()))
    return (_number(text) if _NUMBER.fullmatch(text) else text) or None


def bare_name(text: str) -> str:
    """Return a name without the sign that many servers take for a channel or a user, for example `dev` for `#dev`."""
    return text.lstrip("#@") or text


def value_written(value: JSON) -> str | None:
    """Return a value so that only the same value is the same text. None if it is missing, or is not one value
    that can name something.

    A whole number is the same with and without a point, but a number that is written as a text is another one.
    """
    if value is None or isinstance(value, (bool, dict, list)) or value == "":
        return None
    if isinstance(value, float) and value == value // 1:
        return str(int(value))
    return f"'{value}" if isinstance(value, str) else str(value)


def _number(text: str) -> str:
    """Return a number without zeros at either end, however many digits it has."""
    sign, digits, exponent = Decimal(text).as_tuple()
    shown = "".join(map(str, digits)).lstrip("0")
    kept = shown.rstrip("0")
    power = int(exponent) + len(shown) - len(kept)
    return f"{'-' * sign}{kept}{f'e{power}' if power else ''}" if kept else "0"

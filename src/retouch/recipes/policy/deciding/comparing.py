"""Says whether two calls have the same value of an argument, for limits that count per value."""

from __future__ import annotations

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


def value_compared(value: JSON, spec: RoleSpec) -> str | None:
    """Return a value in one spelling, so that equal values are equal texts. None if it is not one known value.

    A URL is its host, an address its mailbox. Upper case and spaces around a text make no difference, nor does writing
    a number as a text. A list or an object is not one value, and a path can be written in too many ways.
    """
    roles = {*spec.default, *(role for mode in spec.modes for role in mode.roles)}
    if isinstance(value, (bool, dict, list)) or value is None or not roles.isdisjoint(PATH_ROLES):
        return None
    if not isinstance(value, str):
        return f"{value:g}" if isfinite(value) and value != int(value) else str(int(value)) if isfinite(value) else None
    addressed = next((one for one in roles if one in URL_ROLES), None)
    if addressed is not None:
        return (host_of(addressed, value).removeprefix("www.") or None) if is_address(addressed, value) else None
    if MAILBOX in roles:
        found = {mailbox_of(one) for one in addresses_in(value) or ()}
        return found.pop() if len(found) == 1 else None
    return " ".join(normalize("NFKC", value).casefold().split()) or None

"""Writes how long customers have to pay, and amounts with a sign, as the readers know them.

"Give customers at least 14 days to pay an invoice" is "invoices must never be due in less than 14 days", if a tool has
an argument for the days until an invoice is due. "$5" is "5 dollars" beside an argument for the currency.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_SIGNS: Mapping[str, str] = {"$": "dollar", "\u20ac": "euro", "\u00a3": "pound"}
_SUM = re.compile(r"(?P<sign>[$\u20ac\u00a3])(?P<number>\d[\d.,]*\d|\d)(?![\w])")
_NEVER = r"(?:please )?(?:(?:you (?:must|may|should|can) )?(?:never|not)|do not|don't)"
_LESS = r"(?:less|fewer|shorter) than|under|below"
_MORE = r"(?:more|longer) than|over|above"
_NUMBER = r"\d{1,3}"
_LIMITS = (
    rf"(?P<bounds>(?:{_LESS}|{_MORE}) {_NUMBER}(?: days)?(?: (?:or|and|nor) (?:{_LESS}|{_MORE}) {_NUMBER})?) days?"
)
_DEMAND = (
    rf"(?:(?P<least>at least|no less than|no fewer than|a minimum of|not less than)|(?P<most>at most|no "
    rf"more than|up to|a "
    rf"maximum of|not more than)|between (?P<low>{_NUMBER}) and) (?P<number>{_NUMBER}) days?"
)
_CUSTOMERS = r"(?:(?:a|the|any|our|my|every|each|all|your) )?(?:customers?|clients?|buyers?|people)"
_TO_PAY = (
    r" (?:to pay|for paying|to settle)(?: (?:(?:an?|the|any|our|my|their|your|its) )?(?:invoices?|bills?|it|them))?"
)
_TERM = r"(?:(?:the|any|our|my|a) )?(?:payment (?:terms?|deadlines?|periods?)|(?:invoice )?due dates?)"
_FORBIDS = (
    re.compile(rf"{_NEVER} (?:ever )?(?:give|allow|grant|offer) {_CUSTOMERS} {_LIMITS}{_TO_PAY}", re.IGNORECASE),
    re.compile(
        rf"{_CUSTOMERS} (?:must|may|should|can) (?:never|not) (?:get|have|be given) {_LIMITS}{_TO_PAY}", re.IGNORECASE
    ),
    re.compile(rf"{_NEVER} (?:ever )?(?:set|make|use) {_TERM}(?: to| of)? {_LIMITS}", re.IGNORECASE),
    re.compile(rf"no {_TERM} (?:of )?{_LIMITS}", re.IGNORECASE),
    re.compile(rf"{_TERM} (?:must|may|should|can) (?:never|not) be {_LIMITS}", re.IGNORECASE),
)
_DEMANDS = (
    re.compile(rf"(?:please )?(?:always )?(?:give|allow|grant|offer) {_CUSTOMERS} {_DEMAND}{_TO_PAY}", re.IGNORECASE),
    re.compile(
        rf"{_CUSTOMERS} (?:must|should|always) (?:always )?(?:get|have|be given) {_DEMAND}{_TO_PAY}", re.IGNORECASE
    ),
    re.compile(
        rf"(?:all |every )?invoices? (?:must|should)(?: always)? be (?:due|payable) (?:in|within|after) {_DEMAND}",
        re.IGNORECASE,
    ),
    re.compile(rf"{_TERM} (?:must|should)(?: always)? be {_DEMAND}", re.IGNORECASE),
)


def with_said_currency(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with the sign of a currency as a word, if a tool is told the currency of an amount."""
    if not any("currency" in arg.lower() for one in toolbox.tools for arg in one.tool.args):
        return text
    return _SUM.sub(lambda one: f"{one['number']} {_SIGNS[one['sign']]}{'' if one['number'] == '1' else 's'}", text)


def with_payment_terms(text: str, toolbox: Toolbox) -> str:
    """Return a sentence about the time to pay as one about the days in which invoices are due."""
    if not any("due" in arg.lower() and "day" in arg.lower() for one in toolbox.tools for arg in one.numbers):
        return text
    plain = text.strip().rstrip(".!").replace("\u2019", "'")
    for pattern in _FORBIDS:
        if (found := pattern.fullmatch(plain)) is not None:
            return f"Invoices must never be due in {_plain(found['bounds'])} days."
    for pattern in _DEMANDS:
        if (found := pattern.fullmatch(plain)) is not None:
            return f"Invoices must never be due in {_beyond(found)} days."
    return text


def _plain(bounds: str) -> str:
    """Return bounds in the words of the readers."""
    less = re.sub(rf"(?:{_LESS})(?= \d)", "less than", bounds, flags=re.IGNORECASE)
    return re.sub(rf"(?:{_MORE})(?= \d)", "more than", less, flags=re.IGNORECASE).replace(" days", "")


def _beyond(found: re.Match[str]) -> str:
    """Return what a demanded number of days excludes."""
    if found["low"]:
        return f"less than {found['low']} or more than {found['number']}"
    return f"{'less' if found['least'] else 'more'} than {found['number']}"

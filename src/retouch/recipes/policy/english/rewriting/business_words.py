"""Replaces words of invoices, payments and refunds by those of the tools: "draft an invoice", "payments", "duplicates".

To draft what another tool finalizes is to create it, the payments of a server may be called payment intents, and
"unless it was a duplicate" is a reason that the tool lists. Each is only replaced if the tools at hand have what it
stands for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import CREATING, singular

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_DRAFT = re.compile(
    r"\b(?P<verb>[Dd]raft|[Pp]repare)(?P<form>ing|) (?P<what>(?:(?:an?|any|the|new) )?(?P<noun>[a-z]+))(?=[ .,;!]|$)"
)
_PAYMENTS = re.compile(
    r"(?P<before>\b(?:look up|looking up|look at|see|view|list|check|read|"
    r"search)\b[^.;]*?\b)(?P<noun>payments?|charges?)\b(?! (?:link|"
    r"method|intent|term|plan)s?\b)"
)
_CASE = re.compile(
    r"\b(?P<word>unless|except (?:if|when)|only (?:if|when)|if|when) (?:it|they|(?:the |a )?[a-z]+) (?:was|"
    r"is|were|are) "
    r"(?:clearly |really )?(?:an? )?(?P<value>[a-z_]+)(?P<end>[.!]?)$"
)
_REFUNDED = re.compile(
    r"\b(?P<no>[Nn]ever|[Dd]on['\u2019]t|[Dd]o not) refund (?:anything|(?:any )?(?:payments|charges|"
    r"orders)) (?:that (?:is|was|are) )?"
    r"(?:marked|flagged|reported) as (?P<value>[a-z_]+)(?=[.!]?$)"
)


def with_business_words(text: str, toolbox: Toolbox) -> str:
    """Return a sentence in the words of the tools at hand. A sentence with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    made = {one.head for one in toolbox.tools if one.verbs & CREATING}
    finished = {one.head for one in toolbox.tools if "finalize" in one.verbs}
    if "draft" not in toolbox.verbs:
        text = _DRAFT.sub(lambda found: _created(found, made & finished), text)
    cores = {one.core for one in toolbox.tools if one.reads}
    for whole, plain in (("payment intent", "payment"), ("charge", "charge")):
        if tuple(whole.split()) in cores and not any(core == (plain,) for core in cores):
            text = _PAYMENTS.sub(lambda found, name=whole: _renamed(found, name), text)
    text = _CASE.sub(lambda found: _with_reason(found, toolbox), text)
    return _REFUNDED.sub(lambda found: _with_refunds(found, toolbox), text)


def _created(found: re.Match[str], nouns: set[str | None]) -> str:
    if singular(found["noun"]) not in nouns:
        return found[0]
    verb = "creating" if found["form"] else "create"
    return f"{verb if found['verb'].islower() else verb.capitalize()} {found['what']}"


def _renamed(found: re.Match[str], name: str) -> str:
    return f"{found['before']}{name}{'s' if found['noun'].endswith('s') else ''}"


def _reasons(value: str, toolbox: Toolbox) -> Iterator[tuple[str, str, str]]:
    """Yield the tool heads with an argument that lists a value as a reason, the argument and the value."""
    wanted = {value, singular(value)}
    for one in toolbox.tools:
        for arg, values in one.listed.items() if one.verbs & CREATING else ():
            yield from ((one.head or "", arg, known) for known in values if arg == "reason" and known.lower() in wanted)


def _with_reason(found: re.Match[str], toolbox: Toolbox) -> str:
    """Return "unless the reason is duplicate", if one kind of things has such a reason."""
    reasons = set(_reasons(found["value"], toolbox))
    return f"{found['word']} the reason is {reasons.pop()[2]}{found['end']}" if len(reasons) == 1 else found[0]


def _with_refunds(found: re.Match[str], toolbox: Toolbox) -> str:
    reasons = {one for one in _reasons(found["value"], toolbox) if one[0] == "refund"}
    return f"{found['no']} create refunds with the reason {reasons.pop()[2]}" if len(reasons) == 1 else found[0]

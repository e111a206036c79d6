"""Reads sentences about forms, passwords and tabs for tools that act on the page of a browser.

To submit a form is to press Enter, to type with the flag for it, or to click on what says so. What a call types goes
into the field that it describes. Tools that run code on the page can do all of this, and keys that are pressed one by
one go into any field.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.stances.framing import framed
from retouch.recipes.policy.english.words.rates import PERIOD, number_of
from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart
from retouch.recipes.policy.language.values import PERIOD_S, Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.tokens import Token
    from retouch.recipes.policy.language.values import Period

_ANY = r"(?:(?:a|an|any|the|my|all|web|online|contact|filled-in|completed) )*"
_FORM = r"(?:forms?|anything|pages?|applications?)"
_SUBMIT = re.compile(
    rf"(?:submit {_ANY}{_FORM}|send(?: off| in)? {_ANY}forms?)(?: on (?:any |a )?(?:web ?)?(?:sites?|pages?))?"
)
_SECRETS = r"(?P<what>passwords?|credit card (?:numbers?|details|data)|card (?:numbers?|details))"
_IN_FORMS = rf"(?: (?:into|in|on) {_ANY}(?:forms?|(?:web ?)?sites?|pages?))?"
# What is typed may be a password in any field, so that only fields for it are told by their descriptions.
_FIELDS = re.compile(
    rf"(?:(?:fill in|fill out|fill) {_ANY}{_SECRETS}(?: (?:fields?|boxes|box|inputs?))?|(?:fill in|fill out|"
    rf"fill|type into|type in|enter into|write into|use|"
    rf"touch) {_ANY}{_SECRETS.replace('what', 'named')} (?:fields?|boxes|box|inputs?)){_IN_FORMS}"
)
_TABS = re.compile(
    rf"(?:(?:never |do not )?open (?:no more than|at most|more than|up to)|no more than|at most) "
    rf"(?P<number>\w+) (?:new )?"
    rf"(?:browser )?tabs (?P<period>{PERIOD})"
)
_SUBMITTING = (
    "submit", "send", "apply", "save", "confirm", "continue", "checkout", "check out", "place order", "order now",
    "buy", "purchase", "pay ", "pay now", "register", "publish", "subscribe", "sign up", "sign in", "sign on", "log in",
    "log on", "login", "search button", "post button", "reply button", "comment button", "go button", "book now",
    "book button",
)  # fmt: skip
_NAMED_KEYS = ("Arrow*", "Enter", "Tab", "Escape", "Page*", "Home", "End", "Backspace", "Delete")


def browser_meaning(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about a page in a browser means. None if it is another one, or there is no browser."""
    if not any(_is_click(one) for one in toolbox.tools):
        return None
    tabs = _of_tabs(" ".join(one.text for one in tokens), toolbox)
    if tabs is not None:
        return tabs
    found: set[tuple[str, str]] = set()
    for one in framed(tokens, toolbox.words):
        if one.how in {"forbid", "ask"} and not one.times:
            if _SUBMIT.fullmatch(one.said) is not None:
                found.add((one.how, "submit"))
            elif (fields := _FIELDS.fullmatch(one.said)) is not None:
                found.add((one.how, "card" if "card" in (fields["what"] or fields["named"]) else "password"))
    if ("ask", "submit") in found or ("ask", "password") in found or ("ask", "card") in found:
        found = {one for one in found if one[0] == "ask"}
    if len(found) != 1:
        return None
    ((how, what),) = found
    read = _submitting if what == "submit" else _filling
    parts = frozenset(part for one in toolbox.tools for part in ([part_of(one)] if one.code else read(one, what)))
    return Meaning(ask=parts) if how == "ask" else Meaning(never=parts)


def _is_click(one: KnownTool) -> bool:
    return "click" in one.verbs and "element" in one.tool.args


def _submitting(one: KnownTool, _: str) -> Iterator[ToolPart]:
    """Yield the calls of a tool that submit a form."""
    args = one.tool.args
    if _is_click(one):
        said = (f"*{word}*" for word in _SUBMITTING)
        yield part_of(one, where=(Limit(arg="element", like=tuple(said)),))
    if "submit" in args and "submit" in one.flags.values():
        yield part_of(one, where=(Limit(arg="submit", state="present"), Limit(arg="submit", among=(True,))))
    if "press" in one.verbs and "key" in args:
        yield part_of(one, where=(Limit(arg="key", like=("*enter*", "*return*")),))


def _filling(one: KnownTool, what: str) -> Iterator[ToolPart]:
    """Yield the calls of a tool that write into such a field. Single keys may go into any field."""
    args = one.tool.args
    names = ("*card*", "*cvc*", "*cvv*") if what == "card" else ("*passw*", "*passcode*")
    if "type" in one.verbs and "element" in args:
        yield part_of(one, where=(Limit(arg="element", like=names),))
    if "fill" in one.verbs and "fields" in args:
        yield part_of(one, where=(Limit(arg="fields", like=names),))
    if "press" in one.verbs and "key" in args:
        yield part_of(one, unless=(Limit(arg="key", like=_NAMED_KEYS),))


def _of_tabs(text: str, toolbox: Toolbox) -> Meaning | None:
    """Return what "open no more than 3 new tabs per hour" means."""
    found = _TABS.fullmatch(text)
    number = number_of(found["number"]) if found is not None else None
    bounded = re.match(r"(?:never|do not|open (?:no more|at most|up to)|no more|at most)", text) is not None
    if found is None or number is None or not bounded:
        return None
    periods: list[Period] = [one for one in PERIOD_S if one in found["period"]]
    tabs = [one for one in toolbox.tools if "tabs" in one.tool.name]
    tools = [(one, arg) for one in tabs for arg, values in one.listed.items() if "new" in values]
    if len(periods) != 1 or len(tools) != 1:
        return None
    ((one, arg),) = tools
    (period,) = periods
    rate = Limit(count="calls", per=period, above=number)
    counted = part_of(one, where=(Limit(arg=arg, among=("new",)), rate))
    return Meaning(never=frozenset({counted, *(part_of(each) for each in toolbox.tools if each.code)}))

"""Refuses a restriction whose words were taken for something else: for the wrong side of a flag, or for a value.

"Restore a page from trash" is not `in_trash: true`, "the base branch" is no branch called `base` where tools have an
argument of that name, and who adds somebody to a group makes no group.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.policy.english.checking.restriction import Restriction
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.language.values import Limit

_BACK = re.compile(
    r"\b(?:restor|recover|reviv|reinstat|undelet|untrash|unarchiv|unhid|unpublish|unstar|unpin|unmut|unlock|unblock|"
    r"unfreez|unsubscrib|bring(?:ing)? back|tak(?:e|ing) out|get(?:ting)? out)\w*"
)
_PERSON = r"(?:(?:any|some|every)(?:one|body)|people|persons?|users?|members?|colleagues?|guests?|employees?)"
_ADDED = re.compile(rf"\b(?:add|put|invit)(?:e|ing|ting)? (?:(?:any|an?|new|other|more) )*{_PERSON}\b.*? to\b")
_MAKING = word_set("create make new open register")
_PEOPLE = word_set("user member person people participant invitee attendee email guest assignee")
_MADE_PUBLIC = re.compile(
    r"\bmak(?:e|ing) (?:(?:any|an?|the|my|our|all|of) )*(?P<what>[a-z]+(?: [a-z]+)?) (?:public|visible)\b"
)
_ANYTHING = word_set("anything something everything")
_SECRET = word_set("confidential private secret hidden internal restricted")


def misplaced(whole: Restriction) -> str:
    """Return why words of a restriction were taken for something else. "" if nothing speaks against it."""
    return next((why for rule in _RULES if (why := rule(whole))), "")


def _is_taken_back(whole: Restriction) -> str:
    """Return a flag that is tested to be true, if what it says is taken back."""
    if _BACK.search(whole.text) is None:
        return ""
    flags = {arg for one in whole.restricted for arg in one.flags.values()}
    found = next((limit.arg for limit in whole.limits if limit.arg in flags and limit.among == (True,)), None)
    return f"who takes it back does not set {found}" if found else ""


def _is_argument(whole: Restriction) -> str:
    """Return a tested name that names an argument, as in "the base branch", and not a value of it."""
    for one in whole.restricted:
        limits = [limit for limit in whole.limits if split_name(limit.arg or "")[-1:] not in (["kind"], ["type"])]
        tested = [limit for limit in limits if _tests(one, limit)]
        for value in (str(each) for limit in tested for each in limit.among):
            if re.search(rf"[\"\u201c`']{re.escape(value.lower())}", whole.text):
                continue
            if any(_names(arg, value) and _has_role(one, arg, whole.limits) for arg in one.tool.args):
                return f"{value!r} is an argument of {one.tool.name}, or a name"
    return ""


def _tests(one: KnownTool, limit: Limit) -> bool:
    return bool(limit.role) or (limit.arg in one.tool.args and limit.arg not in one.listed)


def _names(arg: str, value: str) -> bool:
    words = split_name(arg)
    return words == [value.lower()] or (len(words) == 2 and words[0] == value.lower() and words[1] == "branch")


def _has_role(one: KnownTool, arg: str, limits: tuple[Limit, ...]) -> bool:
    """Return whether an argument is one that is tested, or has a role that is."""
    roles = {limit.role for limit in limits if limit.role}
    return any(limit.arg == arg for limit in limits) or not roles.isdisjoint(one.tool.args[arg].all_roles)


def _adds_nobody(whole: Restriction) -> str:
    """Return a tool that makes a group, if people are added to one."""
    if _ADDED.search(whole.text) is None:
        return ""
    changing = [one for one in whole.restricted if not one.reads]
    made = [one for one in changing if one.verbs <= _MAKING and _PEOPLE.isdisjoint({*one.argument_words, one.head})]
    return f"{made[0].tool.name} adds nobody" if made and made == changing else ""


def _shows_otherwise(whole: Restriction) -> str:
    """Return how a thing may be made public beside what is tested."""
    found = _MADE_PUBLIC.search(whole.text)
    if found is None:
        return ""
    what = {*map(singular, found["what"].split())}
    heads = {one.head for one in whole.restricted}
    others = {one.head for one in whole.tools} - heads
    if not what & _ANYTHING and what & others and not what & heads:
        return f"{whole.restricted[0].tool.name} is about something else"
    for one in whole.left:
        flags = [arg for name, arg in one.flags.items() if _SECRET & {*name.split()}]
        if flags and (what & _ANYTHING or one.head in what):
            return f"{one.tool.name} may make it public by {flags[0]}"
    return ""


_RULES: tuple[Callable[[Restriction], str], ...] = (_is_taken_back, _is_argument, _adds_nobody, _shows_otherwise)

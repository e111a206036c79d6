"""Refuses a permission that reaches more than is said, and a restriction that lost one of several values.

Leave to draft e-mails is none to send drafts, who may close issues must not change their titles, and "high or urgent"
is about both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import READ, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_LOOKING = READ | {"see", "look at", "view", "read", "look through", "go through"}
_SENDING = word_set("send email mail post message submit")
_CHANGERS = word_set("update edit modify change patch set write manage")
_ENDS = word_set("close reopen resolve complete finish cancel archive approve reject")
_RETIMING = word_set("reschedule postpone shift delay")
_WRITING = word_set("add create make send post delete remove update edit write publish submit comment reply")
_MAKING = word_set("create make add new")
_LABELLED = re.compile(
    r"\b(?:label|tag)(?:l?ing|ging)? (?:(?:an?|any|the|my|our|all|new) )*(?:e-?mails?|messages?|mails?|threads?|"
    r"issues?|tickets?|tasks?|pull requests?|prs?|cards?|events?|photos?|pages?|notes?|conversations?)\b"
)
_HAVING = re.compile(
    r"(?:(?:an?|any|each|every|the) )?(?!you\b)[a-z-]+ (?:may|can) (?:only )?have (?:at most|no more|up to)\b"
)
_PERSON = word_set("assignee assigned owner responsible user")
_STATES = word_set("done closed open completed resolved cancelled canceled finished")


def permits_more(low: str, meaning: Meaning, said: Said, tools: tuple[KnownTool, ...]) -> str:
    """Return why a permission reaches more than is said, or a value is lost. "" if nothing speaks against it."""
    known = {one.key: one for one in tools}
    if meaning.allow and _HAVING.match(low):
        return "what a thing may have permits nothing"
    for part in sorted(meaning.allow, key=str):
        one = known.get((part.server, part.tool))
        if one is not None and not one.code and _reaches_more(low, said, one, part):
            return f"{one.tool.name} does more than is said"
    parts = [part for part in meaning.parts if (part.server, part.tool) in known]
    if lost := next((_lost(low, known[part.server, part.tool], parts) for part in parts if part.where), ""):
        return lost
    tests = [limit for part in parts for limit in part.where if {*split_name(limit.arg or "")} & _PERSON]
    state = next((str(value) for limit in tests for value in limit.among if str(value).lower() in _STATES), "")
    return f"{state!r} may be no person" if state else ""


def _reaches_more(low: str, said: Said, one: KnownTool, part: ToolPart) -> bool:
    verbs = said.verbs
    if verbs and verbs <= _LOOKING and not one.reads and (one.verbs | one.done) & _WRITING:
        return True
    if one.head == "draft" and one.verbs <= {"send"} and verbs.isdisjoint(_SENDING) and "send" not in low:
        return True
    if one.head in {"label", "tag"} and one.verbs & (_MAKING - {"add"}) and _LABELLED.search(low):
        return True
    return _changes_more(said, one, part) or _goes_elsewhere(one, part) or _takes_off_more(one, part)


def _changes_more(said: Said, one: KnownTool, part: ToolPart) -> bool:
    """Return whether who may close or reschedule things may change others of their attributes as well."""
    if not one.verbs <= _CHANGERS or not said.verbs.isdisjoint(_CHANGERS):
        return False
    tested = {limit.arg for limit in part.where if limit.arg}
    free = {*one.tool.args} - one.required - tested
    if said.acts & _RETIMING and not part.where:
        return bool(free)
    states = {split_name(arg)[-1] for arg in tested if arg} & {"state", "status"}
    return bool(said.acts & _ENDS) and bool(states) and bool(free)


def _goes_elsewhere(one: KnownTool, part: ToolPart) -> bool:
    """Return whether a place is tested, and where things go is not: `forward_message(channel, to_channel)`."""
    tested = {limit.arg for limit in part.where if limit.arg and limit.among}
    return any(f"{side}_{arg}" in one.required - tested for arg in tested for side in ("to", "target", "destination"))


def _takes_off_more(one: KnownTool, part: ToolPart) -> bool:
    """Return whether a percentage is limited, and an amount can be given instead."""
    tested = {limit.arg for limit in part.where if limit.arg and limit.bounds}
    shares = any("percent" in split_name(arg) for arg in tested if arg)
    return shares and any("amount" in split_name(arg) for arg in {*one.numbers} - tested - one.required)


def _lost(low: str, one: KnownTool, parts: list[ToolPart]) -> str:
    """Return which value of "high or urgent" is not tested. "" if none is lost."""
    mine = [part for part in parts if (part.server, part.tool) == one.key]
    for arg, values in one.listed.items():
        said = {value for limit in _tests(mine) if limit[0] == arg for value in limit[1]}
        words = {value.lower() for value in values}
        for first, second in re.findall(r"\b([a-z_-]+)(?:, | or |, or )(?=([a-z_-]+)\b)", low):
            pair = {first, second}
            if pair <= words and said and not pair <= said and pair & said:
                return f"{min(pair - said)!r} may be meant as well"
    return ""


def _tests(parts: list[ToolPart]) -> Iterator[tuple[str, frozenset[str]]]:
    for part in parts:
        for limit in (*part.where, *part.unless):
            if limit.arg and limit.among:
                yield limit.arg, frozenset(str(value).lower() for value in limit.among)

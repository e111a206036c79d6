"""Finds words of a sentence that its reading loses or takes for something else.

A name that nothing tests, a flag that is named and not tested, "to" before what is tested as a source, "by default", a
name that is tested as an id: each speaks against the reading.
"""

from __future__ import annotations

import calendar
import re
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.known_tools import split_name
from retouch.recipes.policy.english.lexicon import singular, word_set
from retouch.recipes.policy.english.stance_search import covered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.known_tools import KnownTool
    from retouch.recipes.policy.english.sentences import Mood, ToolPart
    from retouch.recipes.policy.english.tokens import Token
    from retouch.recipes.policy.english.toolbox import Toolbox
    from retouch.recipes.policy.language.values import Limit

Part: TypeAlias = "tuple[Mood, bool, ToolPart]"
_SOURCES = word_set("from source src origin old current local")
_TARGETS = word_set("to target dest destination new remote into")
_SMALL_FLAG_WORDS = word_set("is at in on the a do be as of")
_CAPITAL = re.compile(r"[A-Z][a-z]+")
_ENDS = frozenset({":", "?", "!"})
_NO_NAMES = frozenset(map(str.lower, (*calendar.day_name, *calendar.month_name))) | word_set(
    "mondays tuesdays wednesdays thursdays fridays saturdays sundays claude github gitlab gmail google slack"
)
_ON_A_NEW_SIDE = re.compile(r"\b(?:to|into|onto)(?: (?:the|a|an|my|our|any|all|files?|folders?|names?))*$")
_OF_ANYTHING = re.compile(
    r"\b(?:to|into|onto) (?:anything|something|a name|names|files?|folders?|addresses|an? [a-z]+)"
    r"(?: (?:that|which))? (?:starting|beginning|ending|starts?|begins?|ends?|containing|contains?|named|called)\b"
)


def lost_word(text: str, tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Return which word of a sentence speaks against a reading, as a reason. "" if none does."""
    plain = " ".join(one.text or one.raw.lower() for one in tokens)
    if re.search(r"\bby default\b", plain):
        return "'by default' leaves exceptions open"
    known = {one.key: one for one in toolbox.tools}
    for _, _, part in parts:
        one = known.get((part.server, part.tool))
        why = "" if one is None else _wrong_in(plain, one, part)
        if why:
            return f"{part.tool} {why}"
    name = _lost_name(tokens, parts, known)
    if name:
        return f"nothing tests {name!r}"
    return _only_of_subject(text, parts, toolbox) or _owned(text, parts, known)


def _wrong_in(plain: str, one: KnownTool, part: ToolPart) -> str:
    limits = (*part.where, *part.unless)
    if any(_excludes(a, b) for a in part.where for b in part.where):
        return "is tested for two values of one argument"
    if any("other" in limit.among and re.search(r"\bothers? \w", plain) for limit in limits):
        return "has a value 'other', and the sentence may mean other ones"
    if any(_is_name_of_id(limit) for limit in limits):
        return "takes an id, and no name"
    copied = {word for word in ("cc", "bcc") if re.search(rf"\b{word}\b", plain) and word in one.tool.args}
    if copied and any(limit.role == "email-address" for limit in limits):
        return "is not tested for who gets a copy"
    if any(_is_source(plain, one, limit) for limit in limits):
        return "is tested for where it takes something from, and the sentence says where to"
    flag = next(_named_flags(plain, one, limits), "")
    return f"has an argument {flag!r} that is not tested" if flag else ""


def _excludes(one: Limit, other: Limit) -> bool:
    same = (one.arg, one.role) == (other.arg, other.role)
    return same and bool(one.among) and bool(other.among) and set(one.among).isdisjoint(other.among)


def _is_name_of_id(limit: Limit) -> bool:
    words = split_name(limit.arg or "")
    return words[-1:] in (["id"], ["ids"]) and any(_CAPITAL.fullmatch(str(one)) for one in limit.among)


def _is_source(plain: str, one: KnownTool, limit: Limit) -> bool:
    """Return whether "to" stands before what is tested as a source or an old name, of a tool with a target."""
    words = set(split_name(limit.arg or ""))
    targets = {arg for arg in one.tool.args if _TARGETS & set(split_name(arg))}
    if not words or not targets or limit.arg in targets:
        return False
    if _OF_ANYTHING.search(plain) and limit.like:
        return True
    values = [str(value).strip("*").lower() for value in (*limit.among, *limit.like)]
    before = (plain[: found.start()].rstrip() for value in values for found in re.finditer(re.escape(value), plain))
    return any(map(_ON_A_NEW_SIDE.search, before)) and not words.isdisjoint(_SOURCES)


def _named_flags(plain: str, one: KnownTool, limits: Sequence[Limit]) -> Iterator[str]:
    """Yield the arguments that are true or false and that a sentence names in full, but that no test is about."""
    tested = {limit.arg for limit in limits}
    said = {singular(word) for word in plain.split()}
    for arg in one.flags.values():
        words = {singular(word) for word in split_name(arg)} - _SMALL_FLAG_WORDS
        if arg not in tested and len(words) > 1 and words <= said and not words <= {*one.nouns, *one.verbs}:
            yield arg


def _only_of_subject(text: str, parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Refuse "only" before an action or a kind of things whose place or amount is said later.

    "Only uploading is fine from ~/outbox" may forbid all else, or uploads from elsewhere.
    """
    found = re.match(r"only (?P<subject>[a-z]+) (?:may|can|is|are|should|must)\b", text.lower())
    subject = singular(found["subject"]) if found else ""
    ours = subject.endswith("ing") or any(subject in {one.head, *one.nouns} for one in toolbox.tools)
    tested = any(part.where or part.unless for _, _, part in parts)
    return "'only' can be about the action or about its limit" if subject and ours and tested else ""


def _owned(text: str, parts: Sequence[Part], known: dict[tuple[str, str], KnownTool]) -> str:
    """Refuse "change the email of a contact" if it is read as about emails: it is about contacts."""
    for thing, owners in re.findall(r"\bthe ([a-z]+) of (?:a|an|any|the|my|our) ([a-z]+(?: [a-z]+)?)", text.lower()):
        for _, _, part in parts:
            one = known.get((part.server, part.tool))
            if one is None or one.head != singular(thing):
                continue
            if {*one.nouns, *one.argument_words, *one.told_words}.isdisjoint(map(singular, owners.split())):
                return f"{part.tool} is not about the {thing} of a {owners}"
    return ""


def _lost_name(tokens: Sequence[Token], parts: Sequence[Part], known: dict[tuple[str, str], KnownTool]) -> str:
    """Return a name within a sentence that nothing tests and no tool says."""
    tested = [limit for _, _, part in parts for limit in (*part.where, *part.unless)]
    values = " ".join(str(value) for limit in tested for value in _values_of(limit)).lower()
    meant = {known[key] for _, _, part in parts if (key := (part.server, part.tool)) in known}
    told = {word for one in meant for word in (*one.told_words, *one.nouns, *one.server_words, *one.argument_words)}
    said = covered(tokens)
    for at, (before, one) in enumerate(pairwise(tokens), start=1):
        name = one.raw.strip(".,;:").lower()
        capital = _CAPITAL.fullmatch(one.raw.strip(".,;:")) is not None and before.text not in _ENDS
        if (
            at not in said
            and (capital or one.quoted)
            and name not in _NO_NAMES
            and name not in values
            and singular(name) not in told
        ):
            return name
    return ""


def _values_of(limit: Limit) -> tuple[object, ...]:
    return (*limit.among, *limit.like, *limit.within, *limit.emails, *limit.domains)

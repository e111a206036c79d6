"""Sentences about what customers see: public replies and internal notes, and articles that are published or drafts.

A comment with a flag `public` is a public reply unless the flag is false, and an article with a flag `draft` is
published unless that is true. Where a call leaves the flag out, it is not known to be internal, or a draft.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.limits.telling_times import time_tests
from retouch.recipes.policy.english.stances.framing import framed
from retouch.recipes.policy.english.words.lexicon import CREATING, word_set
from retouch.recipes.policy.english.words.sentences import Meaning
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.stances.framing import How
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.acts import Qualifier
    from retouch.recipes.policy.english.words.sentences import ToolPart
    from retouch.recipes.policy.english.words.tokens import Token

_Kind: TypeAlias = Literal["public", "internal", "published", "draft"]
_Saying: TypeAlias = "tuple[How, _Kind, tuple[Qualifier, ...]]"
_ANY = r"(?:(?:a|an|any|the|our|your|new|my|more) )*"
_POST = r"(?:post|send|write|add|make|leave|create|give|publish|use)"
_REPLIES = r"(?:repl(?:y|ies)|comments?|answers?|responses?|messages?|notes?)"
_TICKET = r"(?: (?:to|on|in|for) (?:(?:a|an|any|the|our) )?(?:tickets?|customers?|requesters?|users?|clients?))*"
_PEOPLE = rf"{_ANY}(?:customers?|requesters?|clients?)"
_PUBLIC = (
    rf"(?:{_POST} )?{_ANY}public {_REPLIES}{_TICKET}",
    rf"(?:comment|reply|answer|respond)(?: on| to)?{_TICKET} publicly",
    rf"(?:comment|reply|answer|respond) publicly{_TICKET}",
    rf"(?:reply to|answer|respond to|write to|message|contact) {_PEOPLE}(?: directly)?",
    rf"{_POST} {_ANY}(?:repl(?:y|ies)|answers?|responses?) to {_PEOPLE}",
)
_INTERNAL = (rf"(?:{_POST} )?{_ANY}(?:internal|private) (?:notes?|comments?)(?: only)?{_TICKET}",)
_ARTICLES = r"(?:(?:help cent(?:er|re) |knowledge base |kb |faq )?(?:articles?|posts?|pages?))"
_PUBLISHED = (
    rf"publish {_ANY}(?:{_ARTICLES}|drafts?|them|it|any)",
    rf"(?:make|set) {_ANY}{_ARTICLES} (?:public|live)",
)
_DRAFTS = (
    rf"(?:draft|prepare) {_ANY}{_ARTICLES}",
    rf"(?:create|write|make|save) {_ANY}(?:draft {_ARTICLES}|drafts(?: of {_ARTICLES})?)",
    rf"(?:create|write|make|save) {_ANY}{_ARTICLES} (?:only )?as drafts?",
    r"drafts?",
)
_MUST = r"(?:must|should|have to|may only|can only|must only)(?: always)? be"
_ALL = r"(?:(?:all|any|your|new|every) )*"
_AS_DRAFT = r"(?:(?:created|saved|made) (?:only )?as )?(?:a )?drafts?(?: only| first)?"
_DEMANDS: tuple[tuple[_Kind, str], ...] = (
    ("public", rf"{_ALL}{_REPLIES}(?: on tickets)? {_MUST} (?:internal|private)(?: only)?"),
    ("public", rf"{_REPLIES} (?:must|may|should|can) (?:never|not) be public"),
    ("published", rf"{_ALL}{_ARTICLES} {_MUST} {_AS_DRAFT}"),
    ("published", rf"(?:always |only )?(?:create|save|make|write) {_ALL}{_ARTICLES} as drafts?(?: only)?"),
)
_OPPOSITE: dict[_Kind, _Kind] = {"internal": "public", "draft": "published"}
_ADDING = word_set("create add post send write reply")


def meaning_of_public_replies(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what a sentence about public replies or published articles means. None if it is about something else."""
    if not any(_flag(one, kind) for one in toolbox.tools for kind in ("public", "published")):
        return None
    found = set(_sayings(tokens, toolbox))
    parts: Meaning | None = None
    if len(found) == 1:
        parts = _meaning(next(iter(found)), toolbox)
    return parts or _of_two(tokens, toolbox)


def _of_two(tokens: tuple[Token, ...], toolbox: Toolbox) -> Meaning | None:
    """Return what "never post a public reply; internal notes are fine" means: the second part only permits the rest."""
    for at in range(1, len(tokens) - 1):
        if tokens[at].text not in {";", ",", "but", "and"}:
            continue
        start = at + 1 + (tokens[at + 1].text in {"but", "and"} and tokens[at].text in {";", ","})
        rest = tokens[start:]
        rest = (replace(rest[0], text="never"), *rest[1:]) if rest and rest[0].text == "not" else rest
        first, second = (set(_sayings(part, toolbox)) for part in (tokens[:at], rest))
        if len(first) != 1 or len(second) != 1:
            continue
        (one,), (other,) = first, second
        leads = one[0] == "permit"
        one, other = (other, one) if leads else (one, other)
        if one[0] in {"forbid", "ask"} and other[0] == "permit" and _OPPOSITE.get(other[1]) == one[1] and not other[2]:
            strict, mild = _meaning(one, toolbox), _meaning(other, toolbox)
            if strict is not None and mild is not None:
                return strict | mild if leads else strict  # "internal notes are fine" at the end only explains
    return None


def _sayings(tokens: tuple[Token, ...], toolbox: Toolbox) -> Iterator[_Saying]:
    """Yield what a sentence says of what kind."""
    kinds: tuple[tuple[_Kind, tuple[str, ...]], ...] = (
        ("public", _PUBLIC),
        ("internal", _INTERNAL),
        ("published", _PUBLISHED),
        ("draft", _DRAFTS),
    )
    longest: dict[tuple[How, _Kind], tuple[Qualifier, ...]] = {}
    for one in framed(tokens, toolbox.words):
        for kind, patterns in kinds:
            if any(re.fullmatch(pattern, one.said) for pattern in patterns):
                longest[one.how, kind] = max(longest.get((one.how, kind), ()), one.times, key=len)
    if any(how == "ask" for how, _ in longest):
        longest = {key: times for key, times in longest.items() if key[0] == "ask"}
    for (how, kind), times in longest.items():
        yield how, kind, times
    text = " ".join(one.text for one in tokens)
    for kind, pattern in _DEMANDS:
        if re.fullmatch(pattern, text) is not None:
            yield "forbid", kind, ()


def _meaning(said: _Saying, toolbox: Toolbox) -> Meaning | None:
    how, kind, times = said
    if how == "only" and kind in _OPPOSITE and not times:  # "only internal notes"
        how, kind = "forbid", _OPPOSITE[kind]
    shown: _Kind = _OPPOSITE.get(kind, kind)
    tools = [one for one in toolbox.tools if _flag(one, shown)]
    if not tools or how == "only" or (how == "permit" and (times or kind not in _OPPOSITE)):
        return None
    if how == "permit":
        wanted = [one for one in tools if not one.verbs.isdisjoint(CREATING | _ADDING)]
        return Meaning(allow=frozenset(part_of(one, where=(_hidden(one, shown),)) for one in wanted))
    if kind in _OPPOSITE:
        return None  # internal notes are forbidden, or asked about
    if any(one.code for one in toolbox.tools) or len(times) > 1:
        return None
    parts = [part_of(one, unless=(_hidden(one, shown),)) for one in tools]
    parts += [part for one in toolbox.tools if one not in tools for part in _beside(one, shown)]
    known = {one.key: one for one in toolbox.tools}
    for time in times:
        parts = [each for part in parts for each in _at_time(part, time, known[part.server, part.tool], toolbox)]
    return Meaning(ask=frozenset(parts)) if how == "ask" else Meaning(never=frozenset(parts))


def _flag(one: KnownTool, kind: _Kind) -> str:
    """Return the flag of a tool that says whether customers see what it writes. "" if there is none."""
    wanted = {"public": ("public", "is_public"), "published": ("draft", "is_draft")}[kind]
    found = [arg for arg in one.flags.values() if arg.lower() in wanted]
    about = one.head in {"comment", "reply", "note"} if kind == "public" else one.head in {"article", "post", "page"}
    return found[0] if found and about and not one.reads else ""


def _hidden(one: KnownTool, kind: _Kind) -> Limit:
    """Return the test of the calls that customers certainly do not see."""
    return Limit(arg=_flag(one, kind), among=(kind == "published",))


def _beside(one: KnownTool, kind: _Kind) -> Iterator[ToolPart]:
    """Yield the calls of another tool that may write a public reply: a change of a ticket with a comment."""
    comment = [arg for arg in one.tool.args if arg.lower() == "comment"]
    if kind == "public" and comment and not one.reads and one.verbs.isdisjoint(CREATING):
        yield part_of(one, where=(Limit(arg=comment[0], state="present"),))


def _at_time(part: ToolPart, time: Qualifier, one: KnownTool, toolbox: Toolbox) -> Iterator[ToolPart]:
    """Yield some calls of a tool at a time, as alternatives. Outside of a time is the rest of a week."""
    for test in time_tests(one, time, "send", toolbox, permits=False, exact=False) or []:
        rest = time.when.rest if time.when is not None and test.unless else ()
        for where in [test.where] if not test.unless else [(Limit(hours=each.hours, days=each.days),) for each in rest]:
            yield part_of(one, where=(*part.where, *where), unless=part.unless)

"""Reads a sentence that is refused as a whole by its parts: a rule and what adds nothing to it, or two rules.

- "Never push to main; feature branches are fine" forbids what it says before the semicolon: what is fine is nothing
  that it forbids. It gives no leave either.
- "~/Archive is read-only: no editing or moving", "stay out of acme/payroll, and do not even read it" and "only create
  private repositories, never public ones" say the same twice.
- "Don't read .env files or anything in ~/.ssh" is two rules.

A part is only left out if the rules of the other one show that it adds nothing.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from retouch.recipes.policy.english.reach import kinds_of
from retouch.recipes.policy.english.rules import reached
from retouch.recipes.policy.english.tools.flag_words import opposites
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import READ, bases_of, singular, word_set
from retouch.recipes.policy.english.words.scanning import Unclear
from retouch.recipes.policy.english.words.sentences import CallAction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.sentences import Sentence, ToolPart
    from retouch.recipes.policy.language.values import Limit

Reader: TypeAlias = "Callable[[str], tuple[Sentence, ...]]"
_JOINT = r"(?:[;,]| -| \u2013| \u2014)(?: (?:but|and|though|although|while))?"
_FORBIDDING = r"(?:no|nothing|never|do not|don['\u2019]t|you (?:must|may|should) (?:not|never))"
_OPENING = rf"(?:please )?(?:always )?(?:{_FORBIDDING}|ask(?: me)?)"  # a time in front may be one of both parts
_FINE = re.compile(
    rf"(?P<rule>{_OPENING} [^;]+?){_JOINT} (?P<what>[a-z][\w' -]*?(?:(?:, | and | or |, and )[\w' -]+?)*) (?:is|are) "
    r"(?:always |perfectly |totally |completely |still |of course )*(?:fine|ok|okay|allowed|all right|alright|welcome|"
    r"permitted|good|no problem|not a problem)(?: (?:with|by) me| though| any ?time)?[.!]*",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?P<rule>[^:;]+?)(?::|;|,? so|,? and|,? meaning|,? that is,?|,? i\.e\.,?| -| \u2013| \u2014|,) "
    rf"(?P<again>(?:please )?{_FORBIDDING} [^:;]+?)[.!]*",
    re.IGNORECASE,
)
_TO_IT = re.compile(
    r"(?:please )?(?:never|do not|don['\u2019]t|you (?:must|may|should) (?:not|never)) (?:even |ever )*"
    r"(?P<verbs>[a-z]+(?:(?:, | or |, or | and )[a-z]+)*) (?:it|them|there|anything (?:there|in it|in there)|in there)",
    re.IGNORECASE,
)
_OTHER_ONES = re.compile(
    rf"{_FORBIDDING} (?:(?:create|make|open|add|set up|use) )?(?:an? |any )?(?P<kinds>[a-z-]+(?:(?:, | or |, or )"
    r"[a-z-]+)*) (?:ones?|(?P<noun>[a-z]+))",
    re.IGNORECASE,
)
_OR_ANYTHING = re.compile(
    rf"(?P<lead>(?:please )?(?:{_FORBIDDING}|(?:always )?ask (?:me )?before you|you may|you can) (?:ever )?[a-z]+) "
    r"(?P<one>[^,;:]+?),? (?P<joint>or|and) (?P<other>anything|any (?:file|files)|everything) "
    r"(?P<place>(?:in|inside|under|below|within|outside)(?: of)? [^,;:]+?)(?P<end>[.!]*)",
    re.IGNORECASE,
)
_OTHER_BRANCHES = re.compile(
    r"(?:(?:all|any|your|the|my|our) )*(?:(?:other|feature|topic|own|working|short-lived|personal|temporary) )+"
    r"branch(?:es)?",
    re.IGNORECASE,
)
_REQUESTS = re.compile(r"(?:opening )?(?:an? )?(?:(?:pull|merge) requests?|prs?|mrs?)(?: instead)?", re.IGNORECASE)
_SPLIT = re.compile(r",? (?:and|or) |, ")
_SMALL = word_set("it them those these that there the a an any my your all in on to of for")
_LOOKING = READ | word_set("look looking view open see browse inspect check download")
_READING = word_set("read view see open list search browse look")
_MOST = 2  # branches that are named


def meant_in_parts(text: str, read: Reader, toolbox: Toolbox) -> tuple[Sentence, ...]:
    """Return what a sentence means that is one rule beside what adds nothing, or two rules. Empty if it is another one.

    `read` returns what a text means, or raises `Unclear`.
    """
    if '"' in text or "`" in text:
        return ()
    for attempt in (_beside_what_is_fine, _said_twice, _of_two_things):
        with suppress(Unclear):
            if found := attempt(text.strip(), read, toolbox):
                return found
    return ()


@dataclass(frozen=True, kw_only=True, eq=False)
class _Rule:
    """The sentences of a rule that only forbids or asks, with the tools that it restricts."""

    sentences: tuple[Sentence, ...]
    toolbox: Toolbox

    @cached_property
    def restricted(self) -> tuple[KnownTool, ...]:
        """The tools that are restricted, some of their calls at least. Those that run code always are."""
        frame = self.toolbox.frame
        kinds = kinds_of(frame.tools.values())
        keys = {(one.server, one.name) for sentence in self.sentences for one, _ in reached(sentence, frame, kinds)}
        return tuple(one for one in self.toolbox.tools if one.key in keys and not one.code)

    @cached_property
    def keys(self) -> frozenset[tuple[str, str]]:
        """The servers and names of these tools."""
        return frozenset(one.key for one in self.restricted)

    @cached_property
    def parts(self) -> tuple[ToolPart, ...]:
        """The restricted calls, if all sentences are about calls of tools. Otherwise none."""
        actions = [one.action for one in self.sentences]
        calls = [one for one in actions if isinstance(one, CallAction)]
        parts = tuple(part for one in calls for part in one.parts)
        return tuple(one for one in parts if (one.server, one.tool) in self.keys) if len(calls) == len(actions) else ()

    @property
    def is_strict(self) -> bool:
        """True if it only forbids, or only asks."""
        return len({one.mood for one in self.sentences}) == 1 and self.sentences[0].mood != "allow"


def _rule(text: str, read: Reader, toolbox: Toolbox) -> _Rule:
    return _Rule(sentences=read(f"{text.rstrip(' ,;')}."), toolbox=toolbox)


# What is fine


def _beside_what_is_fine(text: str, read: Reader, toolbox: Toolbox) -> tuple[Sentence, ...]:
    """Return the rule of "never delete files; reading them is fine", if it restricts nothing of what is fine."""
    found = _FINE.fullmatch(text)
    if found is None:
        return ()
    rule = _rule(found["rule"], read, toolbox)
    items = [one for one in _SPLIT.split(found["what"]) if one]
    return rule.sentences if rule.is_strict and all(_is_left_free(one, rule) for one in items) else ()


def _is_left_free(what: str, rule: _Rule) -> bool:
    """Return whether a rule restricts nothing of what is said to be fine."""
    if _OTHER_BRANCHES.fullmatch(what):
        return bool(rule.parts) and all(map(_is_of_named_branches, rule.parts))
    if _REQUESTS.fullmatch(what):
        return all(one.head != "request" for one in rule.restricted)
    words = [word for word in what.lower().split() if word not in _SMALL]
    if len(words) == 1 and not {words[0], *bases_of(words[0], form="ing")}.isdisjoint(_LOOKING):
        return not any(one.reads for one in rule.restricted)
    return _is_other_value(words, rule) or (len(words) == 1 and _is_other_verb(words[0], rule))


def _is_of_named_branches(part: ToolPart) -> bool:
    """Return whether a restriction is of one or two branches that it names, such as `main`."""
    tests = [one for one in part.where if (one.arg or one.role or "").rsplit("-", 1)[0].split("_")[-1] == "branch"]
    return bool(tests) and not part.unless and all(0 < len({*map(_plain, one.among)}) <= _MOST for one in tests)


def _plain(branch: object) -> str:
    return str(branch).removeprefix("refs/heads/")


def _is_other_value(words: list[str], rule: _Rule) -> bool:
    """Return whether words are another value than the tested one, for each restricted tool: `REQUEST_CHANGES`."""
    said = {singular(word) for word in words}
    return bool(rule.parts) and all(
        any(said == _words(value) for limit in _listed(one, part) for value in _others(one, limit))
        for part in rule.parts
        for one in rule.restricted
        if one.key == (part.server, part.tool)
    )


def _listed(one: KnownTool, part: ToolPart) -> Iterator[Limit]:
    """Yield the tests of some listed values."""
    return (limit for limit in part.where if limit.among and limit.arg in one.listed)


def _others(one: KnownTool, limit: Limit) -> set[str]:
    return {value for value in one.listed[limit.arg or ""] if value not in limit.among}


def _words(value: str) -> set[str]:
    return {singular(word) for word in split_name(value)}


def _is_other_verb(word: str, rule: _Rule) -> bool:
    """Return whether a word is the verb of tools here, and none of them is restricted."""
    verbs = {*bases_of(word, form="ing"), lexicon.NOMINAL.get(singular(word), "")} - {""}
    doing = [one for one in rule.toolbox.tools if not verbs.isdisjoint(one.verbs | one.done)]
    return bool(doing) and rule.keys.isdisjoint(one.key for one in doing)


# What is said twice


def _said_twice(text: str, read: Reader, toolbox: Toolbox) -> tuple[Sentence, ...]:
    """Return the rule of "X is read-only: no editing", if what it says again restricts nothing else."""
    found = _AGAIN.fullmatch(text)
    if found is None:
        return ()
    sentences = read(f"{found['rule'].rstrip(' ,;')}.")
    rule = _Rule(sentences=tuple(one for one in sentences if one.mood != "allow"), toolbox=toolbox)
    if not rule.sentences or not rule.is_strict:
        return ()
    if other := _OTHER_ONES.fullmatch(found["again"]):
        return sentences if _are_other_kinds(re.split(r", or |, | or ", other["kinds"].lower()), rule) else ()
    if len(rule.sentences) != len(sentences):
        return ()
    if to_it := _TO_IT.fullmatch(found["again"]):
        verbs = set(re.split(r", or |, | or | and ", to_it["verbs"].lower()))
        return sentences if all(any(_does(one, verb) for one in rule.restricted) for verb in verbs) else ()
    again = found["again"]
    more = _rule(f"{again[0].upper()}{again[1:]}", read, toolbox)
    same = more.is_strict and more.sentences[0].mood == rule.sentences[0].mood
    return sentences if same and more.keys and more.keys <= rule.keys else ()


def _does(one: KnownTool, verb: str) -> bool:
    """Return whether a tool reads, or changes something, as a verb says."""
    return one.reads if verb in _READING else not one.reads and (verb in one.verbs or verb in lexicon.VERBS)


def _are_other_kinds(kinds: list[str], rule: _Rule) -> bool:
    """Return whether "only private ones" excludes kinds: the other values of what is tested, or of a flag."""
    tools = {one.key: one for one in rule.restricted}
    return bool(rule.parts) and all(_excludes(tools[part.server, part.tool], part, kinds) for part in rule.parts)


def _excludes(one: KnownTool, part: ToolPart, kinds: list[str]) -> bool:
    """Return whether a restricted call is of such kinds, or one without what is demanded."""
    kept = {(limit.arg, str(value).lower()) for limit in part.unless for value in limit.among}
    args = {limit.arg for limit in (*part.where, *part.unless)}
    others = {word for word, arg in opposites(one).items() if arg in args}
    others |= {
        value.lower() for arg in args for value in one.listed.get(arg or "", ()) if (arg, value.lower()) not in kept
    }
    return set(kinds) <= others


# Two things


def _of_two_things(text: str, read: Reader, toolbox: Toolbox) -> tuple[Sentence, ...]:
    """Return the rules of "never read .env files or anything in ~/.ssh"."""
    found = _OR_ANYTHING.fullmatch(text)
    if found is None:
        return ()
    first = read(f"{found['lead']} {found['one']}.")
    second = read(f"{found['lead']} {found['other']} {found['place']}.")
    strict = all(_Rule(sentences=each, toolbox=toolbox).is_strict for each in (first, second))
    return (*first, *second) if strict else ()

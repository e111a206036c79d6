"""Finds names of a sentence that its reading loses: nothing tests them, and no tool that is meant says them."""

from __future__ import annotations

import re
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.rewriting.spoken import without_emphasis
from retouch.recipes.policy.english.stances.search import covered
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.english.checking.agreeing_tools import Part
    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.tokens import Token

_NAME = re.compile(
    r"`[^`]+`|https?://[^\s,;]+|\"[^\"]+\"|(?<![\w/])[~/][\w./~-]+|[\w.+%-]+@[\w.-]+\w|@[\w-]+\.[\w.]+|(?<!\w)#\w[\w-]*"
    r"|\b[\w-]+(?:\.[a-z]{2,})+\b|\b[A-Za-z]+_\w+\b|\b[A-Za-z]+\d\w*\b"
)
# The last word of a sentence after a noun: "the collection donors".
_AFTER_NOUN = re.compile(r"\bthe ([a-z]+) ([a-z]{3,})(?=[.!]?$)")
_CAPITAL = re.compile(r"[A-Z][a-z]+")
_STATE = re.compile(r"(?:\b(\w+) )?\b([a-z]+ed) ([a-z]+)\b")
_AUXILIARIES = word_set("is are be been being was were get gets got has have had having")
_ENDS = frozenset({":", "?", "!"})
_NO_NAMES = lexicon.DAY_WORDS | word_set(
    "i internet english german french claude github gitlab gmail google slack docker linux python javascript git"
)


# "A sub-issue", "create sub-issues": what has no article, and is not made, is a name.
_KIND = re.compile(
    r"\b(?:an?|any|another|some|no|more|create|creating|open|opening|make|making|add|adding|start|starting) "
    r"(?P<name>[a-z]+(?:-[a-z]+)+)"
    r"(?=[.!?,;]|$| (?:without|unless|if|in|on|to|for|before|after|with|from|or|and|by|at|yourself|instead)\b)"
)


def lost_name(text: str, tokens: Sequence[Token], parts: Sequence[Part], toolbox: Toolbox) -> str:
    """Return why a name of a sentence is lost. "" if none is. `tokens` are the words as they were read."""
    limits = [limit for _, _, part in parts for limit in (*part.where, *part.unless)]
    values = " ".join(str(value).lower() for limit in limits for value in limit.values)
    plain = without_emphasis(text.replace("\u2019", "'"))
    found = chain(
        _marked(plain, values, toolbox),
        _last_words(plain, values, toolbox),
        _in_capitals(text, tokens, values, parts, toolbox),
        _states(plain.lower(), values, parts, toolbox),
    )
    name, kind = next(found, ""), next(_kinds(plain.lower(), parts, toolbox), "")
    return f"no rule tests {name!r}" if name else kind and f"{kind!r} may be a kind of thing; put names in quotes"


def _kinds(text: str, parts: Sequence[Part], toolbox: Toolbox) -> Iterator[str]:
    """Yield words that are tested as names, and are what some things are called: "create a sub-issue"."""
    listed = {(*one.key, arg): texts for one in toolbox.tools for arg, texts in one.listed.items()}
    tested = {
        str(value).lower()
        for _, _, part in parts
        for limit in (*part.where, *part.unless)
        for value in limit.among
        if value not in listed.get((part.server, part.tool, limit.arg or ""), ())
    }
    yield from (found["name"] for found in _KIND.finditer(text) if found["name"] in tested)


def _marked(text: str, values: str, toolbox: Toolbox) -> Iterator[str]:
    """Yield paths, addresses and other names that their characters show, if nothing tests them."""
    known = " ".join(f"{one.tool.server} {one.tool.name} {' '.join(one.tool.args)}" for one in toolbox.tools).lower()
    for found in _NAME.findall(text):
        name = found.strip("`\"'").rstrip("/.,;:!?").lower()
        bare = name.removeprefix("#").removeprefix("@").removeprefix("https://").removeprefix("http://")
        if bare and not any(one in values for one in (name, bare)) and bare not in known:
            yield name


def _last_words(text: str, values: str, toolbox: Toolbox) -> Iterator[str]:
    """Yield the last word of "the collection donors", if a collection is tested for something else."""
    told = {word for one in toolbox.tools for word in (*one.told_words, *one.server_words, *one.argument_words)}
    told |= {word for one in toolbox.tools for word in one.nouns}
    given = {singular(word) for one in toolbox.tools for arg in one.tool.args for word in re.findall("[a-z]+", arg)}
    for noun, name in _AFTER_NOUN.findall(text) if values else ():
        if singular(noun) in given and singular(name) not in told and name not in values:
            yield name


def _states(text: str, values: str, parts: Sequence[Part], toolbox: Toolbox) -> Iterator[str]:
    """Yield "closed" of "closed tickets" where a tool closes tickets: a state of things before the call."""
    known = {one.key: one for one in toolbox.tools}
    heads = {one.head for _, _, part in parts if (one := known.get((part.server, part.tool))) is not None}
    flags = {word for one in toolbox.tools for name in one.flags for word in name.split()}
    for before, word, noun in _STATE.findall(text):
        done = toolbox.verbs.intersection(bases_of(word, form="ed"))
        if done and before not in _AUXILIARIES and singular(noun) in heads and word not in flags and word not in values:
            yield word


def _in_capitals(
    text: str, tokens: Sequence[Token], values: str, parts: Sequence[Part], toolbox: Toolbox
) -> Iterator[str]:
    """Yield words with a capital within a sentence, and quoted ones, that nothing tests and no meant tool says."""
    known = {one.key: one for one in toolbox.tools}
    meant = {known[key] for _, _, part in parts if (key := (part.server, part.tool)) in known}
    told = {word for one in meant for word in (*one.told_words, *one.nouns, *one.server_words, *one.argument_words)}
    said, first = covered(tokens), text.split(maxsplit=1)[0]
    for at, (before, one) in enumerate(pairwise(tokens), start=1):
        name = one.raw.strip(".,;:")
        moved = one.raw == first  # to another place, by rewriting
        capital = _CAPITAL.fullmatch(name) is not None and before.text not in _ENDS and not moved
        known_words = name.lower() in _NO_NAMES or name.lower() in values or singular(name.lower()) in told
        if at not in said and (capital or one.quoted) and not known_words:
            yield name

"""The words of a sentence for the comparison with its reading: their forms, the verbs that are said, and the things."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.explaining import forms_of
from retouch.recipes.policy.english.tools.known_tools import PEOPLE
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import bases_of, singular, word_set

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.policy.english.tools.toolbox import Toolbox
    from retouch.recipes.policy.english.words.tokens import Token

CHANGING = word_set("change modify edit update alter adjust set patch")
GENERIC = CHANGING | word_set("do use have keep exceed contain cost last be start begin make")
WHOLE = word_set("anything everything nothing")
_SWITCHED = re.compile(r"\b(?:turn|switch|put)(?:s|ed|ing|ting)?\b(?: \S+){0,4}? (?P<on>on and off|on or off|on|off)\b")
_AGREEING = word_set("approve confirm ask check agree allow permit forbid prohibit authorize consult")
_BEFORE_VERBS = word_set(", ; to never not ever you may can only always before it and or")
_BEFORE_NEW = _BEFORE_VERBS | word_set("as into with of in for on at is are be from the")


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a sentence says: its words, their forms and verbs, and what things are.

    `is_done`: it says what is done. `joins`: it says "add", and a tool here adds something to something else. `ways`
    are "on" and "off", if something is turned on or off.
    """

    words: tuple[str, ...]
    forms: frozenset[str]
    verbs: frozenset[str]
    things: frozenset[str]
    ways: frozenset[str]
    is_done: bool
    joins: bool

    @property
    def acts(self) -> frozenset[str]:
        """The verbs that say more than that something is changed or done."""
        return self.verbs & lexicon.VERBS.keys() - GENERIC

    @property
    def is_labelling(self) -> bool:
        """True if "label" only says what is done: "label and archive e-mails". What is removed may be a label."""
        once = self.words.count("label") == 1 and "labels" not in self.words
        return once and "label" in self.verbs and "remove" not in self.verbs

    @cached_property
    def objects(self) -> frozenset[str]:
        """The things that it names."""
        return self.things.intersection(map(singular, self.words))

    def is_state(self, value: str) -> bool:
        """Return whether a value says what things are before something is done: "lost deals may be changed"."""
        plain = value.replace("_", " ")
        done = {form for verb in self.verbs for form in (verb, f"{verb}ed", f"{verb}d", lexicon.DONE.get(verb, verb))}
        if value in lexicon.ENVIRONMENTS | done:
            return False
        text = " ".join(self.words)
        found = re.search(rf"(?:(?P<before>\S+) )?(?:(?:the|a|an) )?{re.escape(plain)}s?\b", text)
        return found is not None and found["before"] not in _BEFORE_NEW


def said_in(tokens: Sequence[Token], toolbox: Toolbox, values: Collection[str]) -> Said:
    """Return what words say. One of `values`, which are tested, is no verb: "set orders to shipped"."""
    words = tuple(one.text for one in tokens if not one.quoted)
    verbs: set[str] = set()
    explicit: set[str] = set()
    own: set[str] = set()  # verbs in the names of tools that are no common ones: `like_post`
    named_verbs = {verb for one in toolbox.tools for verb in one.verbs} - lexicon.VERBS.keys()
    for at, word in ((at, word) for at, word in enumerate(words) if word not in values or word in toolbox.verbs):
        done = {*bases_of(word, form="ing"), *bases_of(word, form="ed")}
        base = {word} if at == 0 or words[at - 1] in _BEFORE_VERBS else set[str]()
        phrases = (" ".join((one, *words[at + 1 : at + 2])) for one in base | done)
        base |= {one for one in phrases if one in lexicon.VERBS}
        explicit |= (done | base) & lexicon.VERBS.keys()
        own |= base & named_verbs
        verbs |= done | base
    named = explicit - GENERIC - _AGREEING
    acted = {each.get(singular(word)) for word in words for each in (lexicon.NOMINAL, lexicon.ACTIONS)} - {None}
    verbs |= set[str]() if named or explicit & CHANGING else {one for one in acted if one}
    verbs &= lexicon.VERBS.keys() | toolbox.verbs
    heads = {noun for one in toolbox.tools for noun in one.core}
    things = (lexicon.THINGS | heads | toolbox.values) - lexicon.NOMINAL.keys() - lexicon.ACTIONS.keys()
    ways = [way for found in _SWITCHED.finditer(" ".join(words)) for way in re.findall("on|off", found["on"])]
    verbs -= {"turn", "switch", "put"} if ways else set[str]()
    return Said(
        words=words,
        forms=frozenset(form for word in words for form in forms_of(word)),
        verbs=frozenset(verbs),
        things=things - (PEOPLE - heads),
        ways=frozenset(ways),
        is_done=bool(named | own) or (bool(acted) and not {"make", "making", "made"}.isdisjoint(words)),
        joins="add" in verbs and any("add" in one.verbs and "to" in one.words for one in toolbox.tools),
    )

"""Takes in the searches and overviews that show what a sentence says must not be read.

"Never read #hr" is about a search without a channel, and about `get_unread_messages`, "never read tickets" about a
search of everything. What shows things of one place without a filter shows those of every place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.checking.restriction import Restriction
from retouch.recipes.policy.english.checking.same_places import UNTOUCHED, thing_of
from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.checking.said_words import Said
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import Meaning, ToolPart

_FINDING = word_set("search find query")
_OF_ALL = re.compile(r"\b(?:across|of|in|from) (?:all|every|several|multiple|many)\b")
_OVERVIEWS = word_set("unread recent inbox mention timeline feed activity overview digest dashboard")
_GENERIC = word_set("data content everything anything all object item record entity resource thing global")
_FILTERS = word_set("filter filters in by")
_LISTED = re.compile(r"\bcomma[- ]separated|\blists? of\b")
_LOOKING = word_set("read view see open look inspect access touch use")


def with_shown_elsewhere(meaning: Meaning, low: str, said: Said, tools: tuple[KnownTool, ...]) -> Meaning:
    """Return a meaning whose restrictions of reading reach the searches that show the same. `low`: in lower case."""
    whole = _Shown(text=low, meaning=meaning, said=said, tools=tools)
    return meaning.with_added(whole.added)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Shown(Restriction):
    """What a sentence says must not be read, and the tools that read."""

    said: Said

    @cached_property
    def looks(self) -> bool:
        """True if things must not be read, and not only listed or changed."""
        if "alone" in self.text:
            return False  # a list that shows a thing does nothing to it
        reads = not self.said.verbs.isdisjoint(_LOOKING) and "mark" not in self.said.verbs
        return reads or (UNTOUCHED.search(self.text) is not None and "read-only" not in self.text)

    @cached_property
    def reading(self) -> tuple[KnownTool, ...]:
        """The tools that are restricted and only read."""
        return tuple(one for one in self.restricted if one.reads)

    @cached_property
    def contents(self) -> frozenset[str]:
        """The nouns of what these show: the messages of a channel."""
        told = {noun for one in self.reading for phrase in one.told for noun in phrase[-1:]}
        return frozenset(told | {one.head for one in self.reading if one.head})

    def added(self, parts: frozenset[ToolPart]) -> Iterator[ToolPart]:
        """Yield the parts of the searches that parts leave open."""
        known = {one.key: one for one in self.reading}
        for part in sorted(parts, key=str) if self.looks else ():
            one = known.get((part.server, part.tool))
            if one is None or part.unless or any(limit.is_total for limit in part.where):
                continue
            for other in self.tools:
                if other.tool.server == part.server and other.reads and not other.code:
                    yield from self._of(one, other, part)

    def _of(self, one: KnownTool, other: KnownTool, part: ToolPart) -> Iterator[ToolPart]:
        """Yield the parts of a tool that shows what another one shows."""
        left = self.is_left(other)
        named = [limit for limit in part.where if limit.arg and limit.among]
        if not part.where:
            if left and self._finds_anything(other):
                yield replace(part, tool=other.tool.name)
            return
        if len(named) != 1 or any(not limit.is_clock for limit in part.where if limit not in named):
            return
        thing = thing_of(one, named[0].arg or "")
        filters = [arg for arg in other.tool.args if arg not in other.required and _filters(arg, thing)]
        rest = tuple(limit for limit in part.where if limit.is_clock)
        if filters and "search" in other.verbs | other.done and self._shows(other):
            yield from self._filtered(other, filters[0], named[0], replace(part, tool=other.tool.name, where=rest))
        elif left and not filters and self._shows(other) and self._is_of_all(other):
            yield replace(part, tool=other.tool.name, where=rest)

    def is_left(self, one: KnownTool) -> bool:
        """Return whether nothing is said about a tool."""
        return all((part.server, part.tool) != one.key for part in self.meaning.parts)

    def _finds_anything(self, one: KnownTool) -> bool:
        """Return whether a tool searches for things of any kind."""
        about = bool(self.said.objects & self.contents) and bool(one.verbs) and one.verbs <= _FINDING
        return about and not ({*one.core} - _GENERIC) and bool(one.told_words & (_GENERIC | self.contents))

    def _shows(self, one: KnownTool) -> bool:
        """Return whether a tool shows things such as those that must not be read."""
        words = {singular(word) for word in one.words} | one.told_words
        named = {singular(word) for phrase in one.told for word in phrase} | {*one.core}
        return bool(named & (self.contents | _GENERIC)) or bool(words & _GENERIC)

    def _is_of_all(self, one: KnownTool) -> bool:
        """Return whether a tool shows things of all places at once."""
        words = {singular(word) for word in one.words}
        return bool(words & _OVERVIEWS) or bool(one.verbs & _FINDING) or _OF_ALL.search(one.tool.comment) is not None

    def _filtered(self, one: KnownTool, arg: str, limit: Limit, part: ToolPart) -> Iterator[ToolPart]:
        """Yield the parts of a search with no filter, and with a filter for what must not be read."""
        yield replace(part, where=(*part.where, Limit(arg=arg, state="absent")))
        if self.is_left(one):
            listed = _LISTED.search(one.described(arg).lower()) is not None
            like = tuple(f"*{value}*" for value in limit.among)
            test = Limit(arg=arg, like=like) if listed else replace(limit, arg=arg)
            yield replace(part, where=(*part.where, Limit(arg=arg, state="present"), test))


def _filters(arg: str, thing: str) -> bool:
    """Return whether an argument of a search chooses the place of what it finds: `spaces_filter`."""
    words = {singular(word) for word in split_name(arg)}
    return thing in words and words <= {thing, "id", "key", "name"} | {singular(word) for word in _FILTERS}

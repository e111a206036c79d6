"""The names inside of arguments, and tests of a call for one of them: `addLabelIds` of `action`.

A test of an argument that is an object or a list of objects looks at all keys and values in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.tools.known_tools import split_name
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch._lib.json_text import JSON
    from retouch.recipes.policy.english.tools.known_tools import KnownTool

_IDS = word_set("id ids gid gids uuid uuids")


@dataclass(frozen=True, kw_only=True)
class CallSlot:
    """What a call can give: an argument, or the value of a key at any depth inside of one."""

    arg: str
    key: str | None
    schema: Mapping[str, JSON]

    @property
    def name(self) -> str:
        """Its own name."""
        return self.key or self.arg

    @property
    def words(self) -> tuple[str, ...]:
        """The words of its name, in the singular and without "id"."""
        return plain_words_of(self.name)

    def given(self, one: KnownTool) -> tuple[Limit, ...]:
        """Return the tests of a call that gives it."""
        state = () if self.arg in one.required else (Limit(arg=self.arg, state="present"),)
        return state if self.key is None else (*state, Limit(arg=self.arg, among=(self.key,)))

    def takes(self, limit: Limit) -> Limit:
        """Return a test of the values of another argument for this one."""
        like = (*limit.like, *limit.emails)
        return replace(limit, arg=self.arg, role=None, like=like, emails=())


def plain_words_of(name: str) -> tuple[str, ...]:
    """Return the words of an argument's name, in the singular and without "id" at its end."""
    words = [singular(word) for word in split_name(name)]
    while len(words) > 1 and words[-1] in _IDS:
        words.pop()
    return tuple(words)


def slots_of(one: KnownTool) -> Iterator[CallSlot]:
    """Yield what a call of a tool can give: its arguments, and the keys inside of them."""
    for arg in one.tool.args:
        schema = one.schema_of(arg)
        yield CallSlot(arg=arg, key=None, schema=schema)
        for key, inner in names_inside(dict(schema)):
            yield CallSlot(arg=arg, key=key, schema=inner)


def names_inside(schema: JSON, depth: int = 0) -> Iterator[tuple[str, Mapping[str, JSON]]]:
    """Yield the properties inside of an argument: those of an object, or of the items of a list, with their schemas."""
    if not isinstance(schema, dict) or depth > 4:
        return
    inside = schema.get("properties")
    for name, each in inside.items() if isinstance(inside, dict) else ():
        yield name, each if isinstance(each, dict) else {}
        yield from names_inside(each, depth + 1)
    yield from names_inside(schema.get("items"), depth + 1)

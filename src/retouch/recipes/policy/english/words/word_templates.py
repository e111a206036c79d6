"""Patterns over whole words, written as templates: "you [always] (may|can) {also}".

`[...]` may be left out, `[...]*` may be repeated, `(a|b c)` is one of several, and `{name}` is a part with a name,
which may be used by many templates and is matched once at each place. A comma is a word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch.recipes.policy.english.words.tokens import Token

T = TypeVar("T")
_PART = re.compile(r"\{(?P<name>[a-z_]+)\}|(?P<mark>\]\*|[\[\]()|])|(?P<word>[^\s\[\](){}|]+)")


@dataclass(frozen=True, kw_only=True, eq=False)
class Node:
    """One part of a template: a word, a part with a name, several in a row, or one of several.

    `is_optional`: it may be left out. `repeats`: it may be left out or come more than once.
    """

    kind: Literal["word", "name", "row", "choice"]
    text: str = ""
    nodes: tuple[Node, ...] = ()
    is_optional: bool = False
    repeats: bool = False


class Templates:
    """Templates that share parts. `parts` are templates by name."""

    def __init__(self, parts: Mapping[str, str]) -> None:
        self.parts = {name: node_of(one) for name, one in parts.items()}
        self._first: dict[Node, tuple[frozenset[str], bool]] = {}

    def first_words(self, node: Node) -> tuple[frozenset[str], bool]:
        """Return the words that a node can begin with, and whether it can be nothing."""
        if node not in self._first:
            self._first[node] = self._first_of(node)
        words, nothing = self._first[node]
        return words, nothing or node.is_optional or node.repeats

    def _first_of(self, node: Node) -> tuple[frozenset[str], bool]:
        if node.kind == "word":
            return frozenset({node.text}), False
        if node.kind == "name":
            return self.first_words(self.parts[node.text])
        found = [self.first_words(one) for one in node.nodes]
        if node.kind == "choice":
            return frozenset(word for words, _ in found for word in words), any(nothing for _, nothing in found)
        words: frozenset[str] = frozenset()
        for more, nothing in found:
            words |= more
            if not nothing:
                return words, False
        return words, True


@dataclass(frozen=True, kw_only=True)
class Matcher:
    """The matches of templates in the words of one sentence. A name in quotes is no word."""

    templates: Templates
    words: tuple[str, ...]
    _known: dict[tuple[Node, int], frozenset[int]] = field(default_factory=dict[tuple[Node, int], "frozenset[int]"])

    def ends(self, node: Node, at: int) -> frozenset[int]:
        """Return where the matches of a node that start at a position end."""
        found = self._once(node, at)
        if node.repeats:
            every, new = found | {at}, found - {at}
            while new:
                new = frozenset(end for start in new for end in self._once(node, start)) - every
                every |= new
            return every
        return found | {at} if node.is_optional else found

    def _once(self, node: Node, at: int) -> frozenset[int]:
        if node.kind == "word":
            return frozenset({at + 1}) if at < len(self.words) and self.words[at] == node.text else frozenset()
        key = (node, at)
        if key not in self._known:
            self._known[key] = self._ends(node, at)
        return self._known[key]

    def _ends(self, node: Node, at: int) -> frozenset[int]:
        words, nothing = self.templates.first_words(node)
        if not nothing and (at >= len(self.words) or self.words[at] not in words):
            return frozenset()
        if node.kind == "name":
            return self.ends(self.templates.parts[node.text], at)
        if node.kind == "choice":
            return frozenset(end for one in node.nodes for end in self.ends(one, at))
        ends = frozenset({at})
        for one in node.nodes:
            ends = frozenset(end for start in ends for end in self.ends(one, start))
        return ends


def templates_of(text: str) -> tuple[str, ...]:
    """Return the templates of a text, one on each line. A line that begins with a blank continues the one before."""
    found: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        if line.startswith(" "):
            found[-1] += f" {line.strip()}"
        else:
            found.append(line.strip())
    return tuple(found)


def words_of(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the words of a sentence. "" for names in quotes."""
    return tuple("" if one.quoted else one.text for one in tokens)


def node_of(template: str) -> Node:
    """Return a template as a node."""
    found = list(_PART.finditer(template))
    node, end = _choice(found, 0)
    if end != len(found):
        raise ValueError(f"unbalanced brackets: {template}")
    return node


def _choice(found: list[re.Match[str]], at: int) -> tuple[Node, int]:
    rows: list[Node] = []
    row: list[Node] = []
    while at < len(found) and not (found[at]["mark"] or "").startswith(("]", ")")):
        if found[at]["mark"] == "|":
            rows.append(_row(row))
            row = []
            at += 1
            continue
        one, at = _one(found, at)
        row.append(one)
    return Node(kind="choice", nodes=(*rows, _row(row))) if rows else _row(row), at


def _one(found: list[re.Match[str]], at: int) -> tuple[Node, int]:
    one = found[at]
    if not one["mark"]:
        return Node(kind="name" if one["name"] else "word", text=one["name"] or one["word"]), at + 1
    inner, end = _choice(found, at + 1)
    if end >= len(found):
        raise ValueError(f"unbalanced brackets: {one.string}")
    closing = found[end]["mark"]
    optional = one["mark"] == "["
    return Node(kind="row", nodes=(inner,), is_optional=optional, repeats=closing == "]*"), end + 1


def _row(nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Node(kind="row", nodes=tuple(nodes))


def by_first_word(templates: Templates, found: Iterable[T], node: Callable[[T], Node]) -> dict[str, list[T]]:
    """Return values with nodes by the words that these can begin with."""
    index: dict[str, list[T]] = {}
    for one in found:
        for word in templates.first_words(node(one))[0]:
            index.setdefault(word, []).append(one)
    return index

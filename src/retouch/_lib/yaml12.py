"""YAML 1.2 on libyaml's events: a text stays a text unless it is a number, boolean or null in the core schema.

PyYAML's own loaders follow YAML 1.1, where `NO` is false, `18:00` is 1080, `2020-01-01` a date object, and the last of
two equal keys silently wins. Working on events keeps the speed of the C parser, since no node tree is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import yaml

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from retouch._lib.json_text import JSON


MAX_NODES = 10_000_000
MAX_DEPTH = 800

_NUMBER = re.compile(r"[-+]?(?:(?P<int>\d+)|(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)\Z", re.ASCII)
_OTHER_BASE = re.compile(r"0(?:o(?P<oct>[0-7]+)|x(?P<hex>[0-9a-fA-F]+))\Z")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)\Z|\.(?:nan|NaN|NAN)\Z")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_MAY_NOT_BE_TEXT = frozenset("+-.0123456789~nNtTfF")
_CORE_TAGS = frozenset(f"tag:yaml.org,2002:{name}" for name in ("int", "float", "bool", "null"))


class YamlError(BadInput):
    """A problem in a YAML text. `line` and `column` count from 1. They are 0 if unknown."""

    def __init__(self, message: str, *, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


@dataclass(kw_only=True)
class _Open:
    """An open mapping or sequence. `key` has no value yet, `nodes` counts its expanded values."""

    value: dict[str, JSON] | list[JSON]
    anchor: str | None
    key: str | None = None
    nodes: int = 1
    merged: list[dict[str, JSON]] = field(default_factory=list["dict[str, JSON]"])


def parse_yaml(text: str) -> tuple[JSON, list[str]]:
    """Return the value of a YAML 1.2 text and warnings about it.

    Keys are the text as it is written (`200:` is "200"); merge keys (`<<`) are applied. Source: YAML 1.2.2, chapter 10.

    Raises:
        YamlError: invalid YAML, a duplicate key, a recursive or exploding anchor, or a number that JSON lacks.
    """
    builder = _Builder()
    try:
        for event in parse_events(text):
            builder.take(event)
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        said = " ".join(part for part in (problem.context, problem.problem) if part)
        raise YamlError(said, line=mark.line + 1 if mark else 0, column=mark.column + 1 if mark else 0) from None
    except yaml.YAMLError as problem:
        raise YamlError(" ".join(str(problem).split())) from None
    return builder.root, builder.warnings


def parse_events(text: str) -> Iterator[Any]:
    """Return the parse events of a YAML text, parsed lazily. Invalid YAML raises PyYAML's own errors."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # some builds of PyYAML lack the faster C parser
    return cast("Iterator[Any]", yaml.parse(text, Loader=loader))


class _Builder:
    """Builds plain values from parse events, without recursion."""

    def __init__(self) -> None:
        self.root: JSON = None
        self.warnings: list[str] = []
        self._documents = 0
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[JSON, int]] = {}
        self._named: set[str] = set()
        self._takes: dict[type[object], Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }

    def take(self, event: Any) -> None:
        """Add one event to the value."""
        act = self._takes.get(cast("type[object]", type(event)))
        if act:
            act(event)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            raise _at(event, "a second document starts here ('---'); one file holds one document")

    def _scalar(self, event: Any) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and top.key is None and type(top.value) is dict:
            self._key(top, event, event.value)
            if event.anchor is not None:
                self._remember(event, event.anchor, event.value, 1)
            return
        value: JSON = event.value
        if (event.tag is None and event.implicit[0]) or event.tag in _CORE_TAGS:
            value = plain_value(event)
        if event.anchor is not None:
            self._remember(event, event.anchor, value, 1)
        self._put(event, value, 1)

    def _key(self, top: _Open, event: Any, key: str) -> None:
        if key in top.value:
            raise _at(event, f"the key {key!r} is given twice in one mapping")
        top.key = key

    def _start(self, event: Any) -> None:
        top = self._open[-1] if self._open else None
        if top is not None and top.key is None and type(top.value) is dict:
            raise _at(event, "a mapping or sequence cannot be a key")
        if len(self._open) >= MAX_DEPTH:
            raise _at(event, f"nested more than {MAX_DEPTH} levels deep")
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)
        empty: dict[str, JSON] | list[JSON] = {} if type(event) is yaml.MappingStartEvent else []
        self._open.append(_Open(value=empty, anchor=event.anchor))

    def _end(self, event: Any) -> None:
        done = self._open.pop()
        if done.merged:
            own = cast("dict[str, JSON]", done.value)
            for source in done.merged:
                for key, value in source.items():
                    own.setdefault(key, value)
        if done.anchor is not None:
            self._remember(event, done.anchor, done.value, done.nodes)
        self._put(event, done.value, done.nodes)

    def _alias(self, event: Any) -> None:
        if event.anchor not in self._anchors:
            inside = any(item.anchor == event.anchor for item in self._open)
            raise _at(event, f"the anchor {event.anchor!r} " + ("contains itself" if inside else "is not defined"))
        value, nodes = self._anchors[event.anchor]
        top = self._open[-1]
        if top.key is None and type(top.value) is dict:
            if not isinstance(value, str):
                raise _at(event, f"the alias {event.anchor!r} stands for a key but is not text")
            self._key(top, event, value)
            return
        self._put(event, value, nodes)

    def _remember(self, event: Any, anchor: str, value: JSON, nodes: int) -> None:
        self._anchors[anchor] = (value, nodes)
        if anchor in self._named:
            self.warnings.append(f"line {event.start_mark.line + 1}: the anchor {anchor!r} is used a second time")
        self._named.add(anchor)

    def _put(self, event: Any, value: JSON, nodes: int) -> None:
        if not self._open:
            self.root = value
            return
        top = self._open[-1]
        top.nodes += nodes
        if top.nodes > MAX_NODES:
            raise _at(event, f"aliases expand to more than {MAX_NODES:,} values")
        if type(top.value) is list:
            top.value.append(value)
            return
        own = cast("dict[str, JSON]", top.value)
        key, top.key = cast("str", top.key), None
        if key == "<<" and not self._merge(top, value):
            raise _at(event, "'<<' merges a mapping or a list of mappings")
        if key != "<<":
            own[key] = value

    @staticmethod
    def _merge(top: _Open, value: JSON) -> bool:
        sources = value if isinstance(value, list) else [value]
        top.merged += [source for source in sources if isinstance(source, dict)]
        return all(isinstance(source, dict) for source in sources)


def _at(event: Any, message: str) -> YamlError:
    return YamlError(message, line=event.start_mark.line + 1, column=event.start_mark.column + 1)


def plain_value(event: Any) -> JSON:
    """Return the value of a plain scalar event in the core schema of YAML 1.2.

    Raises:
        YamlError: a number that JSON lacks.
    """
    text: str = event.value
    if text and text[0] not in _MAY_NOT_BE_TEXT:
        return text
    if text in _WORDS:
        return _WORDS[text]
    try:
        return _number(text)
    except (ValueError, OverflowError) as problem:
        raise _at(event, f"{text[:40]!r} is not a number that JSON can hold: {problem}") from None


def _number(text: str) -> JSON:
    if found := _NUMBER.match(text):
        return int(text) if found["int"] else _finite(text)
    if found := _OTHER_BASE.match(text):
        return int(found["oct"], 8) if found["oct"] else int(found["hex"], 16)
    if _NOT_FINITE.match(text):
        raise ValueError("it is not finite")
    return text


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError("it is too large")
    return value

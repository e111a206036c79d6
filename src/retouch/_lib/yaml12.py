"""YAML 1.2 on libyaml's events: a text stays a text unless it is a number, boolean or null in the core schema.

PyYAML's own loaders follow YAML 1.1, where `NO` is false, `18:00` is 1080, `2020-01-01` a date object, and the last of
two equal keys silently wins. Working on events keeps the speed of the C parser, since no node tree is built.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import yaml

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch._lib.json_text import JSON


LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # some builds of PyYAML lack the faster C parser
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
    acts: dict[type[object], Callable[[Any], None]] = {
        yaml.ScalarEvent: builder.scalar,
        yaml.MappingStartEvent: builder.start,
        yaml.SequenceStartEvent: builder.start,
        yaml.MappingEndEvent: builder.end,
        yaml.SequenceEndEvent: builder.end,
        yaml.AliasEvent: builder.alias,
    }
    documents = 0
    try:
        for event in yaml.parse(text, Loader=LOADER):
            kind = cast("type[object]", type(event))
            if kind in acts:
                acts[kind](event)
            elif kind is yaml.DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise _at(event, "a second document starts here ('---'); one file holds one document")
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        said = " ".join(part for part in (problem.context, problem.problem) if part)
        raise YamlError(said, line=mark.line + 1 if mark else 0, column=mark.column + 1 if mark else 0) from None
    except yaml.YAMLError as problem:
        raise YamlError(" ".join(str(problem).split())) from None
    return builder.root, builder.warnings


@dataclass(kw_only=True)
class _Builder:
    """Builds plain values from parse events, without recursion."""

    root: JSON = None
    warnings: list[str] = field(default_factory=list[str])
    _open: list[_Open] = field(default_factory=list[_Open])
    _anchors: dict[str, tuple[JSON, int]] = field(default_factory=dict[str, "tuple[JSON, int]"])
    _named: set[str] = field(default_factory=set[str])

    def scalar(self, event: Any) -> None:
        """Add a scalar: a key as it is written, or a value of the core schema."""
        top = self._open[-1] if self._open else None
        is_key = top is not None and top.key is None and type(top.value) is dict
        value: JSON = event.value
        if not is_key and ((event.tag is None and event.implicit[0]) or event.tag in _CORE_TAGS):
            value = plain_value(event)
        if event.anchor is not None:
            self._remember(event, event.anchor, value, 1)
        self._put(event, value, 1)

    def start(self, event: Any) -> None:
        """Open a mapping or sequence."""
        top = self._open[-1] if self._open else None
        if top is not None and top.key is None and type(top.value) is dict:
            raise _at(event, "a mapping or sequence cannot be a key")
        if len(self._open) >= MAX_DEPTH:
            raise _at(event, f"nested more than {MAX_DEPTH} levels deep")
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)
        empty: dict[str, JSON] | list[JSON] = {} if type(event) is yaml.MappingStartEvent else []
        self._open.append(_Open(value=empty, anchor=event.anchor))

    def end(self, event: Any) -> None:
        """Close the innermost mapping or sequence, and add it to the one around it."""
        done = self._open.pop()
        if done.merged:
            own = cast("dict[str, JSON]", done.value)
            for source in done.merged:
                for key, value in source.items():
                    own.setdefault(key, value)
        if done.anchor is not None:
            self._remember(event, done.anchor, done.value, done.nodes)
        self._put(event, done.value, done.nodes)

    def alias(self, event: Any) -> None:
        """Add the value of an anchor, as a value or as a key."""
        if event.anchor not in self._anchors:
            inside = any(item.anchor == event.anchor for item in self._open)
            raise _at(event, f"the anchor {event.anchor!r} " + ("contains itself" if inside else "is not defined"))
        value, nodes = self._anchors[event.anchor]
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
        if top.key is None and type(top.value) is dict:
            if not isinstance(value, str):
                raise _at(event, f"the alias {event.anchor!r} stands for a key but is not text")
            if value in top.value:
                raise _at(event, f"the key {value!r} is given twice in one mapping")
            top.key = value
            return
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
    why = ""
    try:
        if found := _NUMBER.match(text):
            number = int(text) if found["int"] else float(text)
            if not isinstance(number, float) or isfinite(number):
                return number
            why = "it is too large"
        elif found := _OTHER_BASE.match(text):
            return int(found["oct"], 8) if found["oct"] else int(found["hex"], 16)
        elif _NOT_FINITE.match(text):
            why = "it is not finite"
    except (ValueError, OverflowError) as problem:
        why = str(problem)
    if why:
        raise _at(event, f"{text[:40]!r} is not a number that JSON can hold: {why}")
    return text

"""The relations between the definitions of a Chisel source: extends, makes, mentions, contains, calls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.locate.indexing.words import pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch.locate.index import SpanIndex
    from retouch.locate.values import Span, SpanKind

Tie: TypeAlias = Literal["extends", "makes", "mentions", "contains", "calls"]

_MOST_NAMESAKES = 6
_MOST_CALLED = 3
_IS_HARDWARE = re.compile(r"(?:Raw|MultiIO|Lazy|LazyRaw|Legacy)?Module(?:Imp|ImpLike)?|(?:Ext|Black)(?:Module|Box)")
_IS_IMPLEMENTATION = re.compile(r"(?i:impl?)$")
_IS_DATA = re.compile(r"Bundle|^(?:Record|Data)$")
_CALL = re.compile(r"\b(\w{4,})\s*\(")
_FIELD = re.compile(
    r"\bval\s+(\w+)\s*(?::[^=\n]*)?=\s*(?:Input|Output|Flipped|[US]Int|Bits|Bool|Vec|Valid(?:IO)?|Decoupled(?:IO)?|"
    r"Irrevocable|new|chiselTypeOf|Clock|(?:Async)?Reset|Option|if|Analog|Enum)\b"
)


@dataclass(frozen=True, kw_only=True)
class Link:
    """A related module, and the kind of relation."""

    module_id: str
    tie: Tie


class Design:
    """Answers questions about the modules of an index. Results are cached, so use one instance per query."""

    def __init__(self, index: SpanIndex) -> None:
        self.index = index
        self._hardware: dict[str, bool] = {}
        self._data: dict[str, bool] = {}
        self._fields: dict[str, frozenset[str]] = {}
        self._links: dict[str, Sequence[Link]] = {}
        self._spans: dict[str, Sequence[Span]] = {}
        self._definers: dict[str, Sequence[str]] = {}

    def links(self, module_id: str) -> Sequence[Link]:
        """Return the modules that a module extends, makes, mentions or contains, each with the closest of these
        relations.
        """
        if module_id not in self._links:
            members = self.index.members(module_id)
            ties: dict[str, Tie] = {}
            for span in members:
                for tie, names in _names_by_tie(span):
                    for target in self._resolved(names, span):
                        ties.setdefault(target, tie)
            for target in self.children(module_id):
                ties[target] = "contains"
            ties.pop(module_id, None)
            self._links[module_id] = [Link(module_id=target, tie=tie) for target, tie in ties.items()]
        return self._links[module_id]

    def children(self, module_id: str) -> Sequence[str]:
        """Return the modules that are defined directly inside a module."""
        return self._children.get(module_id, ())

    @cached_property
    def _children(self) -> Mapping[str, Sequence[str]]:
        found: dict[str, dict[str, None]] = {}
        for span in self.index.get_all_modules():
            if "." in span.qualified:
                outer = f"{span.file}::{span.qualified.rpartition('.')[0]}"
                found.setdefault(outer, {})[span.module_id] = None
        return {outer: list(inner) for outer, inner in found.items()}

    def calls(self, module_id: str) -> Sequence[Link]:
        """Return the modules that a module's text calls by name, or whose functions it calls, unless too many match."""
        names = {name for span in self.index.members(module_id) for name in _CALL.findall(self.index.text(span))}
        found: dict[str, Link] = {}
        for name in sorted(names):
            called = [*self.definers(name), *(span.module_id for span in self._named(name))]
            if len(called) <= _MOST_CALLED:
                found.update({one: Link(module_id=one, tie="calls") for one in called if one != module_id})
        return list(found.values())

    def definers(self, name: str) -> Sequence[str]:
        """Return the modules that define exactly this name."""
        if name not in self._definers:
            rarest = min(pieces(name), key=self.index.fields["defines"].frequency, default="")
            ranked = self.index.ranked({rarest: 1.0}, weights={"defines": 1.0}) if rarest else ()
            self._definers[name] = list(dict.fromkeys(span.module_id for span, _ in ranked if name in span.defines))
        return self._definers[name]

    def ancestors(self, module_ids: Iterable[str]) -> frozenset[str]:
        """Return the modules with all that they extend, directly or indirectly."""
        found: set[str] = set()
        open_ends = list(module_ids)
        while open_ends:
            module_id = open_ends.pop()
            if module_id not in found:
                found.add(module_id)
                open_ends += self._parents(module_id)
        return frozenset(found)

    def implementations(self, module_id: str) -> Sequence[str]:
        """Return the inner classes that contain a module's hardware, for example `class Impl extends
        LazyModuleImp(this)`.
        """
        return [child for child in self.children(module_id) if self._is_implementation(child)]

    def is_hardware(self, module_id: str) -> bool:
        """Return whether a class becomes a separate Verilog module."""
        return self._derives(module_id, self._hardware, _IS_HARDWARE.fullmatch, kinds=("class",))

    def is_data(self, module_id: str) -> bool:
        """Return whether a class is a bundle: a type of wires."""
        return self._derives(module_id, self._data, _IS_DATA.search, kinds=("class", "trait"))

    def fields(self, module_id: str) -> frozenset[str]:
        """Return the names of a bundle's wires. An assignment to such a name does not show where it is computed."""
        if module_id not in self._fields:
            spans = self.index.members(module_id) if self.is_data(module_id) else ()
            names = (name for span in spans for name in _FIELD.findall(self.index.text(span)))
            self._fields[module_id] = frozenset(names)
        return self._fields[module_id]

    def _is_implementation(self, module_id: str) -> bool:
        for span in self.index.members(module_id):
            if span.kind == "class" and any(_IS_IMPLEMENTATION.search(name) for name in (span.name, *span.parents)):
                return True
        return False

    def _parents(self, module_id: str) -> list[str]:
        spans = self.index.members(module_id)
        return [parent for span in spans for parent in self._resolved(span.parents, span) if parent != module_id]

    def _derives(
        self, module_id: str, known: dict[str, bool], says: Callable[[str], object], *, kinds: Sequence[SpanKind]
    ) -> bool:
        if module_id not in known:
            known[module_id] = False  # a class that extends itself in a circle is none
            spans = [span for span in self.index.members(module_id) if span.kind in kinds]
            known[module_id] = any(says(name) for span in spans for name in span.parents) or any(
                self._derives(parent, known, says, kinds=kinds)
                for span in spans
                for parent in self._resolved(span.parents, span)
            )
        return known[module_id]

    def _resolved(self, names: Iterable[str], seen_from: Span) -> list[str]:
        """Return the modules of some names as seen from a span. Of several with one name, the nearest are chosen."""
        found: dict[str, None] = {}
        for name in dict.fromkeys(names):
            spans = self._named(name)
            if len(spans) > 1:
                shared = [_shared(_place(span), _place(seen_from)) for span in spans]
                spans = [span for span, number in zip(spans, shared, strict=True) if number == max(shared)]
            found.update(dict.fromkeys(span.module_id for span in spans[:_MOST_NAMESAKES]))
        return list(found)

    def _named(self, name: str) -> Sequence[Span]:
        if name not in self._spans:
            self._spans[name] = self.index.named(name)
        return self._spans[name]


def _names_by_tie(span: Span) -> Sequence[tuple[Tie, Sequence[str]]]:
    return ("extends", span.parents), ("makes", span.makes), ("mentions", span.refers)


def _place(span: Span) -> list[str]:
    return [*span.file.split("/"), *span.qualified.split(".")]


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many leading parts two places share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))

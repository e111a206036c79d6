"""Resolves source locators to indexed files and definitions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from retouch.locate.diffs.locators import Locator
    from retouch.locate.index import SpanIndex


@dataclass(frozen=True, kw_only=True)
class LocatorHits:
    """The places of locators: weight and lines (`file:line`) by module id, and the weight outside indexed files."""

    weights: dict[str, float] = field(default_factory=dict[str, float])
    lines: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    outside: float = 0.0


class PathResolver:
    """Resolves paths of locators to files of an index.

    A path refers to the files with which it shares most parts from the end. If there are several, the one that defines
    a module of `preferred` (module ids) is chosen. If there is none, the weight is shared.
    """

    def __init__(self, index: SpanIndex, preferred: Collection[str] = ()) -> None:
        self._index = index
        self._preferred = {module_id.rpartition("::")[0] for module_id in preferred}
        self._by_name: dict[str, list[str]] = defaultdict(list)
        for file in index.files():
            self._by_name[file.rpartition("/")[2]].append(file)

    def files(self, path: str) -> Sequence[str]:
        """Return the files that a locator's path may refer to: none for a library, several for a file name only."""
        wanted = path.replace("\\", "/").split("/")
        files = self._by_name.get(wanted[-1], [])
        shared = {file: _shared_from_end(file.split("/"), wanted) for file in files}
        longest = [file for file in files if shared[file] == max(shared.values())]
        return [file for file in longest if file in self._preferred] or longest

    def located(self, weighted: Iterable[tuple[Locator, float]]) -> LocatorHits:
        """Return the modules in which the locators are."""
        weights: dict[str, float] = defaultdict(float)
        lines: dict[str, dict[str, None]] = defaultdict(dict)
        outside = 0.0
        for locator, weight in weighted:
            spans = [self._index.get_enclosing_module(file, locator.line) for file in self.files(locator.path)]
            inside = [span for span in spans if span is not None]
            for span in inside:
                weights[span.module_id] += weight / len(inside)
                lines[span.module_id][f"{span.file}:{locator.line}"] = None
            outside += 0.0 if inside else weight
        return LocatorHits(
            weights=dict(weights), lines={one: list(each) for one, each in lines.items()}, outside=outside
        )


def _shared_from_end(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(reversed(one), reversed(other), strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))

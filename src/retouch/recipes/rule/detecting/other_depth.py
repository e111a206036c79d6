"""Adds a rule for paths with one more directory, such as `sig-cloud/azure/586-zones/kep.yaml` beside `sig-node/1769-x`.

Only a label that is null says that the directory is a value that other paths lack, and not that of other files. Few
samples may have it, so that its rule is made from that of the others: the same parts, and any directory between.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.writing import write_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.labels import Labels
    from retouch.recipes.rule.language.model import ExtractionRule, Source


def with_other_depth(best: RuleCandidate, labels: Labels) -> RuleCandidate | None:
    """Return the candidate with a second rule for the left paths that have one more directory, or None.

    This directory is a label that is null, and that the rule does not give.
    """
    segments = best.rule.glob.text.split("/")
    if best.rule.others or "**" in segments[1:] or not _is_specific(segments) or not all(map(_is_placed, best.columns)):
        return None
    unknown = [one.rpartition(": ") for one in best.unlabelled]
    nulls = [name for path, _, name in unknown if name in labels.get(path, {}) and labels[path][name] is None]
    if not nulls:
        return None
    found: list[tuple[int, int, ExtractionRule, list[str]]] = []
    for place in range(1, len(segments)):
        rule = _longer(best, segments, place, nulls[0])
        taken = {path: apply_rule(rule, path) for path in best.left}
        paths = [path for path, one in taken.items() if one.status == "COMPLETE"]
        if paths:
            found.append((len(paths), _known(best.columns, [dict(taken[path].values) for path in paths]), rule, paths))
    if not found:
        return None
    _, _, rule, paths = max(found, key=lambda one: one[:2])
    second = replace(rule, name=f"{best.rule.name}_2", order=1)
    left = tuple(path for path in best.left if path not in paths)
    return replace(
        best,
        rule=replace(best.rule, others=(second,)),
        left=left,
        coverage=1 - (1 - best.coverage) * len(left) / len(best.left),
        unlabelled=tuple(one for one in best.unlabelled if one.rpartition(": ")[2] not in nulls[:1]),
    )


def _is_specific(segments: Sequence[str]) -> bool:
    """Return whether the glob says more than how deep the paths are, and which extension their files have."""
    *above, name = segments
    return any(char.isalnum() for part in (*above, name.rpartition(".")[0]) for char in part)


def _is_placed(column: Column) -> bool:
    return column.source == "filename" or isinstance(column.source, int)


def _longer(best: RuleCandidate, segments: Sequence[str], place: int, name: str) -> ExtractionRule:
    """Return the rule of the paths with one more directory before the segment `place`."""
    index = place - len(segments) - 1  # of the new directory, counted from the end
    columns = [_shifted(one, index) for one in best.columns]
    own = Column(name=name, source=index, pattern=None, values=())
    glob = "/".join((*segments[:place], "*", *segments[place:]))
    return write_rule(glob, with_unique_names([own, *columns]), name=best.rule.name)


def _shifted(column: Column, index: int) -> Column:
    rest = tuple(replace(part, source=_deeper(part.source, index)) for part in column.rest)
    return replace(column, source=_deeper(column.source, index), rest=rest)


def _deeper(source: Source, index: int) -> Source:
    """Return the place of a directory if there is one more at `index`."""
    return source - 1 if isinstance(source, int) and source <= index else source


def _known(columns: Sequence[Column], rows: Sequence[dict[str, object]]) -> int:
    """Return how many values of paths are among the texts of the columns of the others."""
    texts = {column.name: Counter(column.values) for column in columns}
    return sum(value in texts.get(name, ()) for row in rows for name, value in row.items() if isinstance(value, str))

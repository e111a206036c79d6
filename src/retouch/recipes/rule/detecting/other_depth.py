"""Adds a rule for paths with one more directory, such as `sig-cloud/azure/586-zones/kep.yaml` beside `sig-node/1769-x`.

A label that is null says that the directory is a value that other paths lack, and not that of other files. Without one,
the file names must be of the same form. Few samples may have the directory, so that its rule is made from that of the
others: the same parts, and any directory between.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.globs.parsing import escaped

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.labels import Labels
    from retouch.recipes.rule.language.model import ExtractionRule, Source

_LEAST = 2  # paths
_LEAST_MARKS = 2  # that separate the parts of file names; with fewer, other files have the same form
_MARKS = re.compile(r"(?<!0)[-_.](?!9)")  # not those of a range of digits
_WILD = re.compile(r"[*?\[{]")


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
    unlabelled = tuple(one for one in best.unlabelled if one.rpartition(": ")[2] not in nulls[:1])
    return replace(_with_second(best, rule, paths), unlabelled=unlabelled)


def with_one_directory_more(best: RuleCandidate, rows: Sequence[Sequence[str]]) -> RuleCandidate:
    """Return the candidate with a second rule for the left paths that have one more directory and a file name of the
    same form, if several have. A directory that all others share is the one that these share.
    """
    segments = best.rule.glob.text.split("/")
    if best.rule.others or "**" in segments[1:] or not all(map(_is_placed, best.columns)):
        return best
    if len(_MARKS.findall(segments[-1].rpartition(".")[0])) < _LEAST_MARKS:
        return best
    depths = {len(row) for row in rows if path_of(row) not in best.left}
    deeper = [path for path in best.left if path.count("/") == max(depths, default=0) + 1]
    found: list[tuple[int, ExtractionRule, list[str]]] = []
    for place in range(1 + (segments[0] == "**"), len(segments)):
        rule = _longer(best, _of_deeper(segments, place, deeper), place, "")
        taken = {path: apply_rule(rule, path) for path in deeper}
        paths = [path for path, one in taken.items() if one.status == "COMPLETE"]
        known = _known(best.columns, [dict(taken[path].values) for path in paths])
        found += [(len(paths), rule, paths)] if len(paths) >= _LEAST and known >= len(paths) else []
    if not found:
        return best
    _, rule, paths = max(reversed(found), key=lambda one: one[0])  # of equal ones, it is next to the file
    return _with_second(best, rule, paths)


def _of_deeper(segments: Sequence[str], place: int, paths: Sequence[str]) -> list[str]:
    """Return a glob with the fixed directories of paths that have one more before the segment `place`."""
    rows = [path[1:].split("/") for path in paths]
    done = [*segments]
    for at, segment in enumerate(segments[:-1]):
        index = at - len(segments) - (at < place)
        others = {row[index] for row in rows if -index <= len(row)}
        if not _WILD.search(segment) and len(others) == 1:
            done[at] = escaped(min(others))
    return done


def _with_second(best: RuleCandidate, rule: ExtractionRule, paths: Collection[str]) -> RuleCandidate:
    """Return the candidate with a second rule, which takes these of the left paths."""
    left = tuple(path for path in best.left if path not in paths)
    return replace(
        best,
        rule=replace(best.rule, others=(replace(rule, name=f"{best.rule.name}_2", order=1),)),
        left=left,
        coverage=1 - (1 - best.coverage) * len(left) / len(best.left),
    )


def _is_specific(segments: Sequence[str]) -> bool:
    """Return whether the glob says more than how deep the paths are, and which extension their files have."""
    *above, name = segments
    return any(char.isalnum() for part in (*above, name.rpartition(".")[0]) for char in part)


def _is_placed(column: Column) -> bool:
    return column.source == "filename" or isinstance(column.source, int)


def _longer(best: RuleCandidate, segments: Sequence[str], place: int, name: str) -> ExtractionRule:
    """Return the rule of the paths with one more directory before the segment `place`, which `name` is the field of."""
    index = place - len(segments) - 1  # of the new directory, counted from the end
    columns = [_shifted(one, index) for one in best.columns]
    own = [Column(name=name, source=index, pattern=None, values=())] if name else []
    glob = "/".join((*segments[:place], "*", *segments[place:]))
    return write_rule(glob, with_unique_names([*own, *columns]), name=best.rule.name)


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

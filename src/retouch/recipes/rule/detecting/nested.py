"""Infers rules of a label that takes several directories, such as the `org/apache/maven` of a repository of Maven.

Others may take fewer or more. So these directories are made one, all paths are of one depth then, and the rule that is
inferred for these is written for the real paths.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.detecting.candidate import with_rules
from retouch.recipes.rule.detecting.columns import Column
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.patterns import quoted
from retouch.recipes.rule.detecting.writing import write_rule

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.labels import Labels

SHARED = 0.7  # the share of the samples that have the directories above the label
_JOINT = "\ue000"  # no path has this character of private use


@dataclass(frozen=True, kw_only=True)
class NestedLabel:
    """A label of several directories of the only labelled path: those `above` it, and how many parts are `below`."""

    name: str
    path: str
    above: tuple[str, ...]
    below: int

    @classmethod
    def of(cls, rows: Sequence[Sequence[str]], labels: Labels) -> NestedLabel | None:
        """Return the only label of several directories whose upper directories most rows share, or None."""
        if len(labels) != 1 or any(_JOINT in part for row in rows for part in row):
            return None
        path, wanted = next(iter(labels.items()))
        found = {name: value.split("/") for name, value in wanted.items() if isinstance(value, str)}
        nested = [(name, parts) for name, parts in found.items() if len(parts) > 1 and all(parts)]
        if len(nested) != 1:
            return None
        name, parts = nested[0]
        row = path[1:].split("/")
        places = [at for at in range(len(row) - len(parts)) if row[at : at + len(parts)] == parts]
        for at in places:
            one = cls(name=name, path=path, above=tuple(row[:at]), below=len(row) - at - len(parts))
            if sum(map(one.fits, rows)) >= SHARED * len(rows):
                return one
        return None

    def fits(self, row: Sequence[str]) -> bool:
        """Return whether a row has the directories above, at least one of the label, and the parts below."""
        return tuple(row[: len(self.above)]) == self.above and len(row) > len(self.above) + self.below

    def joined(self, row: Sequence[str]) -> list[str]:
        """Return a row with the directories of the label as one, if it has them."""
        if not self.fits(row):
            return list(row)
        start, end = len(self.above), len(row) - self.below
        return [*row[:start], _JOINT.join(row[start:end]), *row[end:]]

    def joined_labels(self, labels: Labels) -> dict[str, dict[str, JSON]]:
        """Return the labels of the joined path."""
        wanted = dict(labels[self.path])
        wanted[self.name] = str(wanted[self.name]).replace("/", _JOINT)
        return {path_of(self.joined(self.path[1:].split("/"))): wanted}

    def separated(
        self, best: RuleCandidate, rows: Sequence[Sequence[str]], wanted: Container[str]
    ) -> RuleCandidate | None:
        """Return the candidate of joined rows for the real ones, or None if it does not give a `wanted` label then."""
        index = -self.below - 1
        own = next((one for one in best.columns if one.name == self.name), None)
        if own is None or own.source != index or own.pattern is not None or best.rule.others:
            return None
        kept = tuple(one for one in best.columns if one is own or _is_below(one, index))
        if any(one.name in wanted for one in best.columns if one not in kept):
            return None
        start = "".join(f"{quoted(one)}/" for one in self.above)
        pattern = f"^{start}(.+){'/[^/]+' * self.below}$"
        values = tuple(None if one is None else one.replace(_JOINT, "/") for one in own.values)
        column = Column(name=self.name, source="rel_path", pattern=pattern, values=values)
        segments = best.rule.glob.text.split("/")
        segments[index : index + 1] = ["*", "**"]
        columns = tuple(column if one is own else one for one in kept)
        rule = write_rule("/".join(segments), columns, name=best.rule.name)
        unlabelled = tuple(one.replace(_JOINT, "/") for one in best.unlabelled)
        return with_rules(replace(best, rule=rule, columns=columns, unlabelled=unlabelled), (), (), rows)


def _is_below(column: Column, index: int) -> bool:
    """Return whether a column is of the parts below a directory."""
    places = [column.source, *(part.source for part in column.rest)]
    return all(one == "filename" or (isinstance(one, int) and one > index) for one in places)

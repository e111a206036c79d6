"""Reads samples by the template of a labelled path where the columns that were found one by one read them otherwise."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.detecting.candidate import with_rules
from retouch.recipes.rule.detecting.cost import column_cost
from retouch.recipes.rule.detecting.fewer_parts import with_fewer_parts
from retouch.recipes.rule.detecting.groups import path_of
from retouch.recipes.rule.detecting.labelled_shapes import beside
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.other_depth import with_one_directory_more
from retouch.recipes.rule.detecting.template import SHAPES, more_bits, spread, template_of
from retouch.recipes.rule.detecting.template_columns import columns_of, glob_of_template, other_shapes
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.parsing import parse_glob
from retouch.recipes.rule.language.names import as_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column
    from retouch.recipes.rule.detecting.labels import Labels
    from retouch.recipes.rule.detecting.template import TemplateReading
    from retouch.recipes.rule.language.model import ExtractionRule, Field

ALL = 0.98  # the share of the samples in which both readings agree
LESS = 12.0  # bits that the description by the template must be shorter
MOST = 0.8  # the share of the samples of the rule that a template must read


@dataclass(frozen=True, kw_only=True)
class LabelledReading:
    """What the template of the only labelled path reads of the rows that are as deep as it."""

    row: Sequence[str]
    wanted: Mapping[str, JSON]
    alike: Sequence[Sequence[str]]
    reading: TemplateReading

    @classmethod
    def of(cls, best: RuleCandidate, rows: Sequence[Sequence[str]], labels: Labels) -> LabelledReading | None:
        """Return the reading, or None if there is no template, or several labelled paths."""
        if len(labels) != 1:
            return None
        path, wanted = next(iter(labels.items()))
        if "" in wanted.values():
            return None  # a template would take an empty value for a missing one
        row = path[1:].split("/")
        alike = [one for one in rows if len(one) == len(row)]
        reading = template_of(alike, row, wanted, best.columns)
        return None if reading is None else cls(row=row, wanted=wanted, alike=alike, reading=reading)

    def readings(self) -> Iterator[tuple[Sequence[str], tuple[str, ...] | None]]:
        """Yield each row with the values that the template reads, None if it does not read it."""
        yield from zip(self.alike, self.reading.values, strict=True)


def by_template(
    best: RuleCandidate, labelled: LabelledReading, rows: Sequence[Sequence[str]], labels: Labels, *, absolute: bool
) -> RuleCandidate:
    """Return the candidate of the template of the labelled path, if it reads the samples otherwise, or itself."""
    row, wanted, alike, reading = labelled.row, labelled.wanted, labelled.alike, labelled.reading
    path = path_of(row)
    readings = [(reading, alike), *other_shapes(reading, rows, wanted)]
    shapes = [_Shape.of(one, own, best, absolute=absolute) for one, own in readings]
    main, *further = shapes
    read = [row for one in shapes for row in one.read]
    new = replace(main.rule, others=tuple(one.rule for one in further))
    taken = [one for one in rows if apply_rule(best.rule, path_of(one)).status != "UNMATCHED"]
    if len(read) < MOST * len(taken) or {one.name for one in main.columns} < _found(best, wanted):
        return best
    known = {path_of(one) for one in taken}
    both = [one for one in read if path_of(one) in known]
    whole = [one for number, one in enumerate(main.read) if all(column.values[number] for column in main.columns)]
    more = sum(more_bits(one, row, ended=reading.ended) for one in whole if path_of(one) not in known)
    compared = {*wanted} - {*_named_by_paths(best, wanted)}
    if not more and _agree(best, [path_of(one) for one in both], new, compared):
        fewer = with_one_directory_more(with_fewer_parts(best, rows, labels), rows)
        return fewer if fewer.rule.others else _with_shapes(best, further, rows)
    if _bits(new, both, wanted) + LESS > _bits(best.rule, both, wanted) + more:
        return best
    own = {one.name for one in main.columns}  # no template reads what several directories make together
    others = [one for one in best.columns if one.name not in wanted or (one.rest and one.name not in own)]
    kept = [] if best.rule.others or further else beside(others, main.columns, row)
    asked = [_with_rival(one, best, new, [path_of(each) for each in both]) for one in main.columns]
    columns = with_unique_names([*asked, *kept])
    glob = new.glob.text if further else _glob(best, new.glob.text, read, rows)
    first = replace(best, rule=write_rule(glob, columns, name=best.rule.name), columns=columns, others=())
    missing = tuple(f"{path}: {name}" for name in wanted if all(one.name != name for one in columns))
    return _taken_by(replace(first, unlabelled=missing, questions=()), further, rows)


def _with_rival(column: Column, best: RuleCandidate, new: ExtractionRule, paths: Sequence[str]) -> Column:
    """Return a column with the value that the other reading has in some path, so that it is asked about."""
    for path in paths:
        one, other = (apply_rule(rule, path).values.get(column.name) for rule in (new, best.rule))
        if one is not None and other is not None and one != other:
            return replace(column, rival=(str(one), str(other)))
    return column


def _with_shapes(best: RuleCandidate, further: Sequence[_Shape], rows: Sequence[Sequence[str]]) -> RuleCandidate:
    """Return the candidate with rules for the shapes of which it leaves out all paths."""
    new = [one for one in further if {path_of(row) for row in one.read} <= {*best.left}]
    return _taken_by(best, new, rows) if new and not best.rule.others else best


def _taken_by(best: RuleCandidate, further: Sequence[_Shape], rows: Sequence[Sequence[str]]) -> RuleCandidate:
    """Return the candidate with further shapes, and which of the rows it takes."""
    others = tuple(
        replace(one.rule, name=f"{best.rule.name}_{number}", tag=best.rule.tag, order=number - 1)
        for number, one in enumerate(further, 2)
    )
    return with_rules(best, others, [one.columns for one in further], rows)


@dataclass(frozen=True, kw_only=True)
class _Shape:
    """The columns and the rule of a reading, and the rows that it reads."""

    columns: tuple[Column, ...]
    rule: ExtractionRule
    read: list[Sequence[str]]

    @classmethod
    def of(
        cls, reading: TemplateReading, rows: Sequence[Sequence[str]], best: RuleCandidate, *, absolute: bool
    ) -> _Shape:
        columns = tuple(columns_of(reading, rows))
        read = [one for one, values in zip(rows, reading.values, strict=True) if values is not None]
        glob = ("/" if absolute else "") + glob_of_template(reading, read)
        return cls(columns=columns, rule=write_rule(glob, columns, name=best.rule.name), read=read)


def _found(best: RuleCandidate, wanted: Mapping[str, JSON]) -> set[str]:
    return {one.name for one in best.columns if one.name in wanted}


def _named_by_paths(best: RuleCandidate, wanted: Mapping[str, JSON]) -> Iterator[str]:
    """Yield the labels that are null and whose values other paths name, as the `opt` of `x.opt-1.pyc` beside `x.pyc`.

    A template does not know where these are.
    """
    for column in best.columns:
        lead = column.slot.lead if column.slot is not None and column.optional else ""
        if column.name in wanted and wanted[column.name] is None and as_name(lead) == column.name:
            yield column.name


def _agree(best: RuleCandidate, paths: Sequence[str], rule: ExtractionRule, wanted: Collection[str]) -> bool:
    """Return whether the rule of the candidate reads the wanted fields of paths as another rule does."""
    same = 0
    for path in paths:
        one, other = apply_rule(best.rule, path), apply_rule(rule, path)
        same += all(one.values.get(name) == other.values.get(name) for name in wanted)
    return same >= ALL * len(paths)


def _bits(rule: ExtractionRule, rows: Sequence[Sequence[str]], wanted: Mapping[str, JSON]) -> float:
    """Return the length of a description of the labelled values of a rule, and of the texts between them."""
    values: dict[str, list[str]] = {name: [] for name in wanted}
    between: dict[str, list[str]] = {}
    for row in rows:
        path = path_of(row)
        shapes = [replace(one, others=()) for one in (rule, *rule.others)]
        shape = next((one for one in shapes if apply_rule(one, path).status != "UNMATCHED"), shapes[0])
        spans = sorted(_spans([one for one in shape.fields if one.name in wanted], row))
        found: dict[str, str] = {}
        for index, text in enumerate(row, -len(row)):
            at = 0
            for _, start, end, name in (one for one in spans if one[0] == index):
                found[name] = text[start:end]
                between.setdefault(name, []).append(text[at:start])
                at = max(at, end)
            between.setdefault(f"{index}", []).append(text[at:])
        for name, column in values.items():
            column.append(found.get(name, ""))
    columns = (*values.values(), *between.values())
    return sum(map(column_cost, columns)) + SHAPES * sum(map(spread, values.values()))


def _spans(fields: Sequence[Field], row: Sequence[str]) -> Iterator[tuple[int, int, int, str]]:
    """Yield the segment and the characters that fields take of a path."""
    for field in fields:
        index = -1 if field.source == "filename" else field.source
        if isinstance(index, int) and -index <= len(row) and not field.rest:
            hit = re.search(field.pattern or "^(.+)$", row[index], re.DOTALL)
            if hit is not None and hit[1]:
                yield (index, *hit.span(1), field.name)


def _glob(best: RuleCandidate, own: str, read: Sequence[Sequence[str]], rows: Sequence[Sequence[str]]) -> str:
    """Return the glob of the candidate, or the template's own one if that takes fewer of the paths that it does not
    read, or if the former does not take all that it reads.
    """
    if best.rule.others:
        return own
    extra: list[int] = []
    every = [*rows, *(path[1:].split("/") for path in best.noise)]
    for glob in (best.rule.glob.text, own):
        fits = glob_test(parse_glob(glob))
        taken = [row for row in every if fits("/".join(row), path_of(row))]
        extra.append(sum(row not in read for row in taken) if all(row in taken for row in read) else len(every) + 1)
    return own if extra[1] < extra[0] else best.rule.glob.text

"""Writes the detector's columns for a model, one JSON object per line, and reads them back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from retouch.recipes.rule.applying.places import locate
from retouch.recipes.rule.asking.showing import as_data
from retouch.recipes.rule.asking.source import DAY_FIRST, MONTH_FIRST
from retouch.recipes.rule.detecting.across import dates_across, with_other_order
from retouch.recipes.rule.detecting.assumptions import PLAIN_WORDS, Assumption
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.columns import Fixed
from retouch.recipes.rule.detecting.hints import followed
from retouch.recipes.rule.detecting.naming import with_unique_names
from retouch.recipes.rule.detecting.writing import field_of, write_rule
from retouch.recipes.rule.language.dates import date_reader

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from retouch.recipes.rule.asking.redactor import PathRedactor
    from retouch.recipes.rule.asking.source import RuleJob
    from retouch.recipes.rule.detecting.candidate import RuleCandidate
    from retouch.recipes.rule.detecting.columns import Column, Piece

MOST_EXAMPLES = 6
_LETTERS = re.compile(r"[a-z]+")
_ORDERS = {DAY_FIRST: "%d-%m-%Y", MONTH_FIRST: "%m-%d-%Y"}


@dataclass(frozen=True, kw_only=True)
class Table:
    """The detector's result for all samples: a candidate rule, and its columns by id ("c1", "c2", ...)."""

    candidate: RuleCandidate
    columns: dict[str, Column]

    @property
    def questions(self) -> dict[str, str]:
        """The questions that only the user can answer, by the id of the column."""
        return {key: column.question for key, column in self.columns.items() if column.question}

    def open_assumptions(self, accepted: Collection[str]) -> tuple[Assumption, ...]:
        """Return the assumptions that nothing answers: neither the samples nor the user, who `accepted` some keys.

        The question about plain words is asked together with other questions, never alone.
        """
        found = tuple(one for one in self.candidate.assumptions if one.open and not one.is_accepted(accepted))
        return () if {one.key for one in found} == {PLAIN_WORDS} else found


@lru_cache(maxsize=16)
def table_of(job: RuleJob) -> Table:
    """Return the detector's best table of a source's samples. Columns whose date format the user gave are dates."""
    candidate = detect(job.samples, examples={path: dict(fields) for path, fields in job.examples})[0]
    if job.hint:
        candidate = _with_hint(candidate, job)
    candidate = _with_order(_with_dates_across(candidate, job), job)
    columns = [_with_answers(column, job.dates) for column in candidate.columns]
    return Table(candidate=candidate, columns={f"c{number}": column for number, column in enumerate(columns, 1)})


def _with_hint(candidate: RuleCandidate, job: RuleJob) -> RuleCandidate:
    """Return the candidate as the hint names its columns. Whether the rest of the hint is followed is an assumption."""
    row = locate(job.samples[0]).absolute[1:].split("/")
    columns, unclear = followed(job.hint, candidate.columns, row)
    rule = replace(write_rule(candidate.rule.glob.text, columns), name=candidate.rule.name, tag=candidate.rule.tag)
    question = (
        f"nothing checks whether the rule follows {unclear[0]!r}; code only understands hints such as "
        "'the third part is the site', 'the directory below data is the site' and 'site is text'"
        if unclear
        else ""
    )
    more = (Assumption(key="hint", kind="hint", question=question),) if unclear else ()
    rule = replace(rule, others=candidate.rule.others)
    return replace(candidate, rule=rule, columns=columns, assumptions=(*more, *candidate.assumptions))


def _with_dates_across(candidate: RuleCandidate, job: RuleJob) -> RuleCandidate:
    """Return the candidate with the dates over several columns that the user accepted, or whose order the user gave."""
    columns, answered = list(candidate.columns), set[str]()
    for found in dates_across(candidate.columns):
        orders = [_ORDERS[one] for one in job.dates if one in _ORDERS and _ORDERS[one] in found.forms]
        if len(found.forms) > 1 and orders:
            columns = [found.renamed(one, orders[0]) for one in columns]
            columns.append(found.column(orders[0]))
        elif len(found.forms) == 1 and found.key in job.accepted:
            columns.append(found.column(found.forms[0]))
        else:
            continue
        answered.add(found.key)
    if not answered:
        return candidate
    done = with_unique_names(columns)
    rule = replace(candidate.rule, fields=tuple(map(field_of, done)))
    rest = tuple(one for one in candidate.assumptions if one.key not in answered)
    return replace(candidate, rule=rule, columns=done, assumptions=rest)


def _with_order(candidate: RuleCandidate, job: RuleJob) -> RuleCandidate:
    """Return the candidate with the order of day and month that the user gave, where a label leaves it open."""
    order = next((one for one in job.dates if one in _ORDERS), None)
    asked = {one.key for one in candidate.assumptions if one.open}
    labelled = {name for _, fields in job.examples for name, _ in fields}
    found = {one.name: one for one in candidate.columns if one.name in labelled and f"date:{one.name}" in asked}
    forms = {name: form for name, one in found.items() if order and (form := _in_order(one.format, order))}
    if not forms:
        return candidate
    rest = tuple(one for one in candidate.assumptions if one.key.removeprefix("date:") not in forms)
    columns = tuple(replace(one, format=forms.get(one.name, one.format)) for one in candidate.columns)
    fields = tuple(replace(one, format=forms.get(one.name, one.format)) for one in candidate.rule.fields)
    return replace(candidate, rule=replace(candidate.rule, fields=fields), columns=columns, assumptions=rest)


def _in_order(form: str | None, order: str) -> str | None:
    """Return a format with the day and the month in an order, or None if it has no such numbers."""
    other = with_other_order(form)
    if form is None or other is None:
        return None
    return form if (form.index("%d") < form.index("%m")) is (order == DAY_FIRST) else other


def _with_answers(column: Column, answers: Iterable[str]) -> Column:
    for answer in answers if column.question else ():
        there = [value for value in column.values if value is not None]
        form = _format(answer, there[0])
        if all(date_reader(form)(value) for value in there):
            return replace(column, type="date", format=form, question="")
    return column


def _format(answer: str, value: str) -> str:
    mark = value[-5]
    return {DAY_FIRST: f"%d{mark}%m{mark}%Y", MONTH_FIRST: f"%m{mark}%d{mark}%Y"}.get(answer, answer)


def table_lines(table: Table, redactor: PathRedactor) -> list[str]:
    """Return the lines of a table: the rule that the detector would write first, then its columns."""
    rule = table.candidate.rule
    head: dict[str, Any] = {
        "rule": redactor.hide_part(rule.name),
        "glob": redactor.hide_glob(rule.glob.text),
        "coverage": table.candidate.coverage,
    }
    if rule.others:
        head["shapes"] = [
            {"of": redactor.hide_part(one.name), "glob": redactor.hide_glob(one.glob.text)} for one in rule.others
        ]
    constants = [one.key.partition(":")[2] for one in table.candidate.assumptions if one.kind == "fixed"]
    if constants := [word for word in constants if word]:
        head["constants"] = [redactor.hide_part(word) for word in constants]
    names: list[str] = []
    rows: list[dict[str, Any]] = [head]
    for key, column in table.columns.items():
        name = _LETTERS.sub(lambda word: redactor.hide_part(word[0]), column.name)
        names.append(f"{name}_{key}" if name in names else name)  # stand-ins can be equal, but names must differ
        rows.append(_row(key, names[-1], column, redactor))
    return [_line(row) for row in rows]


def _row(key: str, name: str, column: Column, redactor: PathRedactor) -> dict[str, Any]:
    source = f"segment({column.source})" if isinstance(column.source, int) else column.source
    there = [value for value in column.values if value is not None]
    row: dict[str, Any] = {"id": key, "from": source, "name": name, "type": column.type}
    if column.format:
        row["format"] = column.format
    if column.optional:
        row["optional"] = True
    if column.rest:
        row["joined"] = [
            source,
            *(f"segment({one.source})" if isinstance(one.source, int) else one.source for one in column.rest),
        ]
    row["layout"] = redactor.hide_part(_layout(column.pieces, column.at)) if column.pieces else ""
    row["values"] = [as_data(redactor.hide_part(value)) for value in list(dict.fromkeys(there))[:MOST_EXAMPLES]]
    row["distinct"] = len(set(there))
    if column.question:
        row["undecided"] = redactor.hide_in_prose(column.question)
    return row


def _layout(pieces: Sequence[Piece], at: int) -> str:
    """Return the part of the path with this column as <>, other columns as *, and the fixed text around them."""
    shown = (one.text if isinstance(one, Fixed) else "<>" if number == at else "*" for number, one in enumerate(pieces))
    return "".join(shown)


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def rows_in(lines: Iterable[str]) -> list[dict[str, Any]]:
    """Return the JSON objects of the lines of a table. Lines that are not JSON objects are skipped."""
    rows: list[dict[str, Any]] = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            rows.append(cast("dict[str, Any]", row))
    return rows

"""The view of an artifact as plain data: typed columns, cells with reasons, and the paths that do not match."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.applying.near import near_miss
from retouch.recipes.rule.asking.showing import as_data
from retouch.recipes.rule.globs.overlap import common_path
from retouch.recipes.rule.language.model import precedence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.judging.artifact import Artifact
    from retouch.recipes.rule.judging.rows import Row
    from retouch.recipes.rule.language.model import ExtractionRule
    from retouch.recipes.rule.rounds import RoundResult
    from retouch.recipes.rule.wizard.session_state import SessionState

Mark: TypeAlias = Literal["ok", "default", "failed"]
SYMBOLS: Mapping[str, str] = {"COMPLETE": "✓", "PARTIAL": "!", "FAILED": "✗", "UNMATCHED": "○"}
MARKS: Mapping[Mark, str] = {"ok": "", "default": "○ ", "failed": "✗ "}
MOST_ROWS = 1_000
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "list", dict: "mapping"}


@dataclass(frozen=True, kw_only=True)
class ShownColumn:
    """A field: its name, its type, and whether it is optional."""

    name: str
    type: str
    optional: bool = False

    @property
    def heading(self) -> str:
        """The type, shown below the name."""
        return f"{self.type}?" if self.optional else self.type


@dataclass(frozen=True, kw_only=True)
class ShownCell:
    """A value as text, and the reason if it is missing or a default."""

    text: str
    mark: Mark = "ok"
    why: str = ""

    @property
    def marked(self) -> str:
        """The text after its symbol, which makes the state visible without colour."""
        return f"{MARKS[self.mark]}{self.text}"


@dataclass(frozen=True, kw_only=True)
class ShownRow:
    """A path and its result: the status, the cells in the order of the columns, and why it does not match."""

    path: str
    status: str
    cells: tuple[ShownCell, ...]
    why: str = ""

    @property
    def symbol(self) -> str:
        """The symbol of the status."""
        return SYMBOLS[self.status]


@dataclass(frozen=True, kw_only=True)
class Conflict:
    """Another rule that matches the same paths: which one wins, why, and how many samples both match."""

    winner: str
    loser: str
    decided_by: Literal["priority", "name", "nothing"]
    common: int
    example: str


@dataclass(frozen=True, kw_only=True)
class Shown:
    """An artifact on the samples of its source. `rows` holds at most a thousand, failing ones first."""

    kind: str
    name: str
    text: str
    columns: tuple[ShownColumn, ...]
    rows: tuple[ShownRow, ...]
    total: int
    taken: int
    coverage: float
    conflicts: tuple[Conflict, ...] = ()
    notes: tuple[str, ...] = ()
    questions: int = 0  # of the notes, the first ones, which are open: the rule is not verified
    engine: str = ""

    @property
    def unmatched(self) -> tuple[ShownRow, ...]:
        """The rows of paths that the artifact does not match."""
        return tuple(row for row in self.rows if row.status == "UNMATCHED")


def shown(data: SessionState) -> Shown | None:
    """Return the view of the current artifact, or None if it cannot be tried."""
    outcome = data.outcome
    artifact = outcome.artifact if outcome is not None else None
    if outcome is None or artifact is None or not outcome.trial.rows:
        return None
    trial = outcome.trial
    columns = _columns(artifact, trial.rows)
    return Shown(
        kind=artifact.kind,
        name=data.name,
        text=artifact.text,
        columns=columns,
        rows=tuple(_row(row, columns, artifact, outcome.job.root) for row in _worth_seeing(trial.rows)),
        total=len(trial.rows),
        taken=sum(row.status == "COMPLETE" for row in trial.rows),
        coverage=trial.coverage,
        conflicts=conflicts(data.setup.rules, artifact.rule, trial.rows, outcome.job.root),
        notes=_notes(outcome, artifact),
        questions=len(outcome.open_questions),
        engine=trial.engine,
    )


def _columns(artifact: Artifact, rows: Sequence[Row]) -> tuple[ShownColumn, ...]:
    if artifact.rule is not None:
        return tuple(ShownColumn(name=one.name, type=one.type, optional=one.optional) for one in artifact.rule.fields)
    names = dict.fromkeys(name for row in rows for name in (*row.values, *row.reasons))
    return tuple(ShownColumn(name=name, type=_type(row.values.get(name) for row in rows)) for name in names)


def _type(values: Iterable[JSON]) -> str:
    found = {_TYPES.get(type(value), "?") for value in values if value is not None}
    return found.pop() if len(found) == 1 else "mixed" if found else "null"


def _worth_seeing(rows: Sequence[Row]) -> Sequence[Row]:
    if len(rows) <= MOST_ROWS:
        return rows
    return sorted(rows, key=lambda row: row.status == "COMPLETE" and not row.reasons)[:MOST_ROWS]


def _row(row: Row, columns: Sequence[ShownColumn], artifact: Artifact, root: str) -> ShownRow:
    cells = tuple(_cell(row, column.name) for column in columns)
    why = row.failure[1] if row.failure is not None else ""
    if row.status == "UNMATCHED" and not why:
        rule = artifact.rule
        why = near_miss(rule, row.path, root=root).why if rule is not None else "the function returns None for it"
    return ShownRow(path=as_data(row.path), status=row.status, cells=cells, why=as_data(why))


def _cell(row: Row, name: str) -> ShownCell:
    reason = row.reasons.get(name)
    if reason is None or reason.defaulted:
        text = _text(row.values[name]) if name in row.values else ""
        return ShownCell(text=text, mark="default" if reason else "ok", why=as_data(reason.message) if reason else "")
    return ShownCell(text=reason.code.lower().replace("_", " "), mark="failed", why=as_data(reason.message))


def _text(value: JSON) -> str:
    return as_data(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def conflicts(
    rules: Sequence[ExtractionRule], mine: ExtractionRule | None, rows: Sequence[Row], root: str
) -> tuple[Conflict, ...]:
    """Return your rules that match, or could match, some of the same paths. Those with most common paths come first."""
    taken = [row.path for row in rows if row.status != "UNMATCHED"]
    found: list[Conflict] = []
    for rule in rules:
        if rule == mine:  # the same rule, approved before
            continue
        common = [path for path in taken if apply_rule(rule, path, root=root).status != "UNMATCHED"]
        example = common[0] if common else common_path(mine.glob, rule.glob) if mine is not None else None
        if example is not None:
            found.append(_conflict(mine, rule, len(common), as_data(example)))
    return tuple(sorted(found, key=lambda one: -one.common))


def _conflict(mine: ExtractionRule | None, other: ExtractionRule, common: int, example: str) -> Conflict:
    if mine is None:
        return Conflict(winner="?", loser=other.name, decided_by="nothing", common=common, example=example)
    first, second = sorted((mine, other), key=precedence)
    by = "priority" if first.priority != second.priority else "name" if first.name != second.name else "nothing"
    return Conflict(winner=first.name, loser=second.name, decided_by=by, common=common, example=example)


def _notes(outcome: RoundResult, artifact: Artifact) -> tuple[str, ...]:
    warnings = [f"{issue.message}. {issue.fix}".strip(". ") + "." for issue in outcome.result.warnings]
    repaired = [f"Automatic fix: {one}." for one in artifact.repaired]
    return tuple(
        as_data(one) for one in (*outcome.open_questions, *warnings, *repaired, *outcome.notes, *outcome.stated)
    )

"""The events of trials, one per line of a file, and the records that are computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import TypeAdapter

SCHEMA = 1
Scores: TypeAlias = Mapping[str, float]
Outcome: TypeAlias = Literal["success", "apply_fail", "compile_fail", "lec_fail", "rejected", "none"]
EventKind: TypeAlias = Literal["attempt_started", "outcome", "invalidated", "record"]
FileAndName: TypeAlias = Mapping[str, str]
Key: TypeAlias = tuple[str, str]
OUTCOMES: tuple[Outcome, ...] = ("success", "apply_fail", "compile_fail", "lec_fail", "rejected", "none")
KINDS: tuple[EventKind, ...] = ("attempt_started", "outcome", "invalidated", "record")


def split_id(module_id: str) -> dict[str, str]:
    """Return the file and the name of a module id. The path may contain `::`, the name cannot."""
    file, separator, name = module_id.rpartition("::")
    return {"file": file, "name": name} if separator else {"file": module_id, "name": ""}


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """The state of one module in one case, with the specification's fields and some more.

    `attempts` counts all started attempts, `attempts_here` those since the last change of the code. `pending` are the
    iterations without an outcome. If `outcome_last` is "none", the last attempt had no result, and the module counts as
    untried. `span_sha256` is the hash of the module's text as it was shown, "" if unknown. `proof` is what was shown
    for a success: "compiled", "simulated", "bounded" or "proved", "" if unknown.
    """

    module_id: FileAndName
    score: float = 0.0
    sources: Scores = field(default_factory=dict[str, float])
    tried: bool = False
    attempts: int = 0
    iteration_last: int = 0
    outcome_last: Outcome = "none"
    commit_hash: str = ""
    timestamps: tuple[str, ...] = ()
    notes: str = ""
    case_id: str = ""
    span_sha256: str = ""
    attempts_here: int = 0
    pending: tuple[int, ...] = ()
    proof: str = ""

    @property
    def is_proved(self) -> bool:
        """Whether nothing is left to prove about a success. A success of an unknown kind counts."""
        return self.proof in ("", "proved")

    @property
    def key(self) -> Key:
        """The case, and the module's id as one string."""
        return self.case_id, "::".join(part for part in (self.module_id["file"], self.module_id["name"]) if part)


@dataclass(frozen=True, kw_only=True)
class TrialEvent:
    """One line of a ledger: an event of one module in one case.

    `time` is UTC in ISO 8601. An event with an `id` counts once, even if the file contains it several times. `record`
    is the whole record of a module, for events of that kind, and `ids` are the events that it includes. `proof` is what
    was shown for a success.
    """

    event: EventKind
    module_id: str
    time: str
    case_id: str = ""
    iteration: int = 0
    outcome: Outcome = "none"
    score: float = 0.0
    sources: Scores = field(default_factory=dict[str, float])
    commit: str = ""
    span_sha256: str = ""
    notes: str = ""
    id: str = ""
    record: TrialRecord | None = None
    ids: tuple[str, ...] = ()
    proof: str = ""

    def as_json(self) -> dict[str, object]:
        """Return the event as plain data, without empty values."""
        data: dict[str, object] = {"schema": SCHEMA, **asdict(self)}
        return {key: value for key, value in data.items() if value not in ("", None, (), {})}


def event_from(data: object) -> TrialEvent:
    """Return the event that `as_json` wrote. Keys of later versions are ignored.

    Raises:
        ValueError: it is not an event.
    """
    event = _events().validate_python(data)
    if event.event == "record" and event.record is None:
        raise ValueError("an event of kind 'record' has no record")
    return event


def record_from(data: object) -> TrialRecord:
    """Return the record from plain data. The specification's records, without a case, are accepted as well.

    Raises:
        ValueError: it is not a record.
    """
    record = _records().validate_python(data)
    is_specification_record = isinstance(data, dict) and "attempts_here" not in data
    return replace(record, attempts_here=record.attempts) if is_specification_record else record


@cache
def _events() -> TypeAdapter[TrialEvent]:
    from pydantic import TypeAdapter

    return TypeAdapter(TrialEvent)


@cache
def _records() -> TypeAdapter[TrialRecord]:
    from pydantic import TypeAdapter

    return TypeAdapter(TrialRecord)


class Trials:
    """The records that are computed from events. `apply` updates them."""

    def __init__(self, events: Iterable[TrialEvent] = ()) -> None:
        self.records: dict[Key, TrialRecord] = {}
        self.seen: dict[str, Key] = {}
        for event in events:
            self.apply(event)

    def apply(self, event: TrialEvent) -> bool:
        """Apply one event and return True. Return False if it was applied before."""
        if event.id and event.id in self.seen:
            return False
        key = event.case_id, event.module_id
        if event.id:
            self.seen[event.id] = key
        fresh = TrialRecord(module_id=split_id(event.module_id), case_id=event.case_id)
        before = self.records.get(key, fresh)
        self.records[key] = _FOLDS[event.event](before, event)
        for name in event.ids:
            self.seen.setdefault(name, key)
        return True

    def snapshot(self, time: str) -> list[TrialEvent]:
        """Return one event per record. Together they give the same state."""
        ids: dict[Key, list[str]] = {key: [] for key in self.records}
        for name, key in self.seen.items():
            ids[key].append(name)
        return [
            TrialEvent(
                event="record",
                case_id=key[0],
                module_id=key[1],
                time=time,
                record=record,
                ids=tuple(ids[key]),
            )
            for key, record in self.records.items()
        ]


def _started(before: TrialRecord, event: TrialEvent) -> TrialRecord:
    """Count an attempt. It hides the outcome of earlier ones, but never a success of the same code.

    A line that was damaged is written again at the end of the file. So an event may be older than what is known.
    """
    if _is_counted(before, event):
        return before
    counted = replace(
        before,
        attempts=before.attempts + 1,
        attempts_here=before.attempts_here + 1,
        timestamps=(*before.timestamps, event.time),
        pending=(*before.pending, event.iteration),
    )
    if _is_older(before, event):
        return replace(counted, pending=before.pending)
    is_same_code = event.span_sha256 in ("", before.span_sha256)
    if before.outcome_last == "success" and is_same_code:
        return counted
    return replace(_with_event_fields(counted, event), tried=False, outcome_last="none", proof="")


def _ended(before: TrialRecord, event: TrialEvent) -> TrialRecord:
    """Apply the outcome of a started attempt, of one without a start event, or a later verdict on the same attempt."""
    is_older = _is_older(before, event)
    if event.iteration not in before.pending and not _is_counted(before, event):
        before = _started(before, event)
    pending = list(before.pending)
    if event.iteration in pending:
        pending.remove(event.iteration)
    before = replace(before, pending=tuple(pending))
    if is_older:
        return before
    return replace(
        _with_event_fields(before, event),
        outcome_last=event.outcome,
        tried=event.outcome != "none",
        notes=event.notes,
        proof=event.proof,
    )


def _is_counted(before: TrialRecord, event: TrialEvent) -> bool:
    """Return whether the attempt of an event from a run was counted, because its outcome is known."""
    return bool(event.id) and event.time in before.timestamps and event.iteration not in before.pending


def _is_older(before: TrialRecord, event: TrialEvent) -> bool:
    """Return whether an event belongs to an attempt before the last one that has an outcome."""
    is_decided = before.outcome_last != "none" and bool(before.timestamps)
    return is_decided and event.time < max(before.timestamps)


def _invalidated(before: TrialRecord, event: TrialEvent) -> TrialRecord:
    notes = event.notes or before.notes
    return replace(before, tried=False, outcome_last="none", attempts_here=0, notes=notes, proof="")


def _with_event_fields(before: TrialRecord, event: TrialEvent) -> TrialRecord:
    return replace(
        before,
        score=event.score,
        sources=event.sources or before.sources,
        iteration_last=event.iteration,
        commit_hash=event.commit,
        span_sha256=event.span_sha256 or before.span_sha256,
    )


def _replaced(before: TrialRecord, event: TrialEvent) -> TrialRecord:
    record = event.record or before
    return replace(record, case_id=event.case_id, module_id=split_id(event.module_id))


_FOLDS = {"attempt_started": _started, "outcome": _ended, "invalidated": _invalidated, "record": _replaced}

"""The ledger of trials: which module was tried for which case, with the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.locate.errors import LocateError
from retouch.locate.trial_events import OUTCOMES, TrialEvent, TrialRecord, Trials
from retouch.locate.trial_file import TrialFile

if TYPE_CHECKING:
    from retouch.locate.trial_events import Key, Outcome
    from retouch.locate.values import Candidate, FileSource, Span

Invalidate: TypeAlias = Literal["span", "commit", "never"]
Hashes: TypeAlias = Mapping[str, str]
_SPECIFICATION_KEYS = (
    "module_id",
    "score",
    "sources",
    "tried",
    "attempts",
    "iteration_last",
    "outcome_last",
    "commit_hash",
    "timestamps",
    "notes",
)


def case_id_of(text: str) -> str:
    """Return the id of a case without a name: the hash of its cleaned diff."""
    return "sha256:" + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def span_hash(spans: Iterable[Span], lines_of: Mapping[str, Sequence[str]]) -> str:
    """Return the hash of the text of all `spans` of one module. `lines_of` maps their files to lines."""
    ordered = sorted(spans, key=lambda span: (span.file, span.start_line, span.end_line))
    texts = ["\n".join(lines_of[span.file][span.start_line - 1 : span.end_line]) for span in ordered]
    return sha256("\0".join(texts).encode("utf-8", "surrogateescape")).hexdigest()


def span_hashes(candidates: Iterable[Candidate], source: FileSource) -> dict[str, str]:
    """Return the hash of each candidate's text by module id. Candidates with unreadable files are omitted."""
    lines: dict[str, Sequence[str]] = {}
    hashes: dict[str, str] = {}
    for candidate in candidates:
        spans = candidate.members or (candidate.span,)
        try:
            for span in spans:
                if span.file not in lines:
                    lines[span.file] = source.read(span.file).decode("utf-8", "surrogateescape").splitlines()
        except (LocateError, OSError):
            continue
        hashes[candidate.module_id] = span_hash(spans, lines)
    return hashes


class TrialLedger:
    """The history of trials in an append-only file. Any number of processes may write to it.

    Every method that changes something returns when the change is on disk. `case_id` separates cases: a trial for one
    case does not affect other cases. `invalidate` determines when a tried module counts as untried again: if its text
    has changed ("span"), with any new commit ("commit", the specification's rule), or "never". `warnings` are sentences
    about lines of the file that could not be used. Writing never loses a line.
    """

    def __init__(self, ledger_path: str | Path, *, invalidate: Invalidate = "span") -> None:
        self.ledger_path = Path(ledger_path)
        self.invalidate: Invalidate = invalidate
        self._file = TrialFile(self.ledger_path)
        self._trials = Trials()
        self._load()

    @property
    def records(self) -> Mapping[Key, TrialRecord]:
        """All records, by case and module."""
        return self._trials.records

    @property
    def warnings(self) -> list[str]:
        """Messages for the user about the file."""
        found: list[str] = []
        if self._file.skipped:
            what = "line" if self._file.skipped == 1 else "lines"
            found.append(f"{self._file.skipped} damaged {what} of {str(self.ledger_path)!r} were skipped")
        if self._file.cut:
            found.append(f"the last line of {str(self.ledger_path)!r} is incomplete and was ignored")
        return found

    def get_record(self, module_id: str, *, case_id: str = "") -> TrialRecord | None:
        """Return the record of a module in a case. None if it was never started."""
        return self.records.get((case_id, module_id))

    def of_case(self, case_id: str) -> list[TrialRecord]:
        """Return the records of one case, ordered by first start."""
        return [record for (case, _), record in self.records.items() if case == case_id]

    def update_record(self, record: TrialRecord) -> None:
        """Replace the record of a module."""
        case, module = record.key
        self._append([TrialEvent(event="record", case_id=case, module_id=module, time=_now(), record=record)])

    def standing(
        self, module_id: str, commit_hash: str, *, case_id: str = "", span_hashes: Hashes | None = None
    ) -> TrialRecord | None:
        """Return the record of a module for its current code. After a change it is untried, without attempts."""
        record = self.get_record(module_id, case_id=case_id)
        if record is None or not self._outdated(record, commit_hash, (span_hashes or {}).get(module_id)):
            return record
        return replace(record, tried=False, outcome_last="none", attempts_here=0)

    def get_untried(
        self,
        candidates: Iterable[Candidate],
        commit_hash: str,
        *,
        case_id: str = "",
        span_hashes: Hashes | None = None,
    ) -> list[Candidate]:
        """Return the candidates that were not tried for the case, or whose code has changed since, in order."""
        found: list[Candidate] = []
        for candidate in candidates:
            known = self.standing(candidate.module_id, commit_hash, case_id=case_id, span_hashes=span_hashes)
            if known is None or not known.tried:
                found.append(candidate)
        return found

    def start(
        self,
        module_id: str,
        iteration: int,
        commit_hash: str,
        score: float,
        *,
        case_id: str = "",
        sources: Mapping[str, float] | None = None,
        span_sha256: str = "",
    ) -> None:
        """Record that a module is being tried. If no outcome follows, it is "none" and the attempt counts."""
        event = TrialEvent(
            event="attempt_started",
            case_id=case_id,
            module_id=module_id,
            time=_now(),
            iteration=iteration,
            score=score,
            sources=sources or {},
            commit=commit_hash,
            span_sha256=span_sha256,
        )
        self._append([event])

    def mark_tried(
        self,
        module_id: str,
        outcome: Outcome,
        iteration: int,
        commit_hash: str,
        score: float,
        notes: str = "",
        *,
        case_id: str = "",
        span_sha256: str = "",
    ) -> None:
        """Record the outcome of trying a module. Without a start event it counts as an attempt of its own.

        Raises:
            ValueError: `outcome` is unknown.
        """
        if outcome not in OUTCOMES:
            raise ValueError(f"unknown outcome {outcome!r}; known outcomes: {', '.join(OUTCOMES)}")
        event = TrialEvent(
            event="outcome",
            case_id=case_id,
            module_id=module_id,
            time=_now(),
            iteration=iteration,
            outcome=outcome,
            score=score,
            commit=commit_hash,
            span_sha256=span_sha256,
            notes=notes,
        )
        self._append([event])

    def invalidate_on_change(
        self, commit_hash: str, *, case_id: str | None = None, span_hashes: Hashes | None = None
    ) -> None:
        """Record every module whose code has changed as untried, for one case or for all."""
        events: list[TrialEvent] = []
        for (case, module), record in self.records.items():
            now = (span_hashes or {}).get(module)
            if case_id in (None, case) and self._outdated(record, commit_hash, now):
                events.append(
                    TrialEvent(
                        event="invalidated",
                        case_id=case,
                        module_id=module,
                        time=_now(),
                        commit=commit_hash,
                        span_sha256=now or "",
                        notes="the code has changed",
                    )
                )
        self._append(events)

    def append(self, events: Iterable[TrialEvent]) -> int:
        """Write those of `events` whose ids are not in the ledger yet. Return the number of new ones."""
        return self._append(list(events))

    def consider(self, events: Iterable[TrialEvent]) -> None:
        """Apply `events` in this process only. Nothing is written."""
        for event in events:
            self._trials.apply(event)

    def compact(self) -> None:
        """Rewrite the file with one line per record. The old content is saved in `.bak`."""
        with self._file.writing():
            self._load()
            if self.records:
                self._file.replace(self._trials.snapshot(_now()))
            self._load()

    def save(self) -> None:
        """Read events that other processes have written since. Events of this process are already on disk."""
        self._load()

    def export_records(self, *, case_id: str = "") -> dict[str, dict[str, object]]:
        """Return the records of one case in the specification's format, by module id."""
        return {record.key[1]: _specification_json(record) for record in self.of_case(case_id)}

    def _outdated(self, record: TrialRecord, commit_hash: str, span_now: str | None) -> bool:
        if not (record.tried or record.attempts_here):
            return False
        if self.invalidate == "commit":
            return record.commit_hash != commit_hash
        known = record.span_sha256
        solved = record.outcome_last == "success"  # the code that solved the case has changed by applying the solution
        return self.invalidate == "span" and not solved and span_now is not None and known not in ("", span_now)

    def _append(self, events: Sequence[TrialEvent]) -> int:
        if not events:
            return 0
        with self._file.writing():
            self._load()
            known = self._trials.seen
            new = list({event.id or f"#{place}": event for place, event in enumerate(events)}.values())
            new = [event for event in new if event.id not in known]
            self._file.append(new)
            self._load()
        return len(new)

    def _load(self) -> None:
        events, replaced = self._file.fresh()
        if replaced:
            self._trials = Trials()
        for event in events:
            self._trials.apply(event)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _specification_json(record: TrialRecord) -> dict[str, object]:
    data = {**asdict(record), "timestamps": list(record.timestamps)}
    return {key: data[key] for key in _SPECIFICATION_KEYS}

"""The ledger of an active run and its current state. Each appended event is also folded into the state."""

from __future__ import annotations

import logging
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch._lib.clock import now
from retouch._lib.disk import staged, sweep, sync_directory
from retouch._lib.hashing import text_hash
from retouch._lib.logs import redact_record
from retouch._lib.redaction import keys_in, redactor, without_keys
from retouch._lib.relaxed_gc import relaxed_gc
from retouch.engine.events import NoteAdded, OptionsRecorded, TextStored, parse_event
from retouch.engine.history import History, read_history
from retouch.engine.ledger import LEDGER, Ledger, LedgerRow, damaged_ledger, one_writer
from retouch.engine.options import RunOptions
from retouch.engine.stored_files import (
    JOURNAL,
    STORED,
    changed_files,
    file_hash,
    file_hashes,
    finish_scrub,
    known_hashes,
)
from retouch.engine.types import Issue, Tier, model_name

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.disk import Text
    from retouch._lib.json_text import JSON
    from retouch._lib.redaction import KeyFound, Redactor
    from retouch.engine.events import LedgerEvent
    from retouch.engine.types import Model, Note, Prompt

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)


_GATHER_SHARE = 0.1  # how long a commit may wait for further rows, as a share of the latency of replies
_MAX_GATHER_S = 0.01
LEDGER_LOST = "ledger_lost"  # the kind of the note that records a missing ledger at the start of a verb
_MADE_LATER = ("ir.json", "pages.json")
_RESULT = "result"  # the kind of notes with cached results of checks


class Record:
    """The writer of a run. It appends events, keeps the current state, and is the `Journal` of wrappers.

    `changed` are JSON files of the directory that differed from the run's version when it was opened.
    """

    def __init__(self, ledger: Ledger | NoLedger, history: History, *, changed: tuple[str, ...] = ()) -> None:
        self._ledger = ledger
        self.changed = changed
        self._redacted: set[tuple[str, str]] = set()
        self.history = history
        _LOG.debug("opened a ledger with %d rows", history.last_seq)
        for name in changed:
            _LOG.info("%s was changed since it was written", name)

    def append(self, event: LedgerEvent) -> int:
        """Append one event without secrets and return its number. It is on disk before any later `synced` returns."""
        clean = redactor()
        data = clean.value(event.to_json(partial(self._store_text, clean)))
        row = self._ledger.append(event.kind, data, attempt=event.attempt, unit=event.unit)
        folded = event
        if clean.replaced:  # the history must equal the ledger
            folded = parse_event(event.kind, data, self.history.texts, attempt=event.attempt, unit=event.unit)
        self.history.apply(row.seq, row.at, folded)
        if clean.replaced:
            self._note_redacted(event.kind, clean.replaced)
        return row.seq

    def _note_redacted(self, kind: str, names: Iterable[str]) -> None:
        """Note once which secrets were replaced in rows of one kind. Their values are not stored."""
        new: list[JSON] = [name for name in sorted(names) if (kind, name) not in self._redacted]
        if new:
            self._redacted.update((kind, str(name)) for name in new)
            self.note("redacted", {"kind": kind, "names": new})

    def add_missing_parts(self, request: int) -> None:
        """Append the parts of the reply to a packed request that have no row yet. Nothing for any other request."""
        pack = self.history.packs.get(request)
        for row in pack.missing_parts() if pack is not None else ():
            self.append(row)

    async def synced(self) -> None:
        """Wait until all rows appended so far are on disk. A cancelled run still commits them."""
        await self._ledger.synced()

    def commit_now(self, event: LedgerEvent) -> None:
        """Append one event and wait until it is on disk. For events that must precede a change of a file."""
        self.append(event)
        self._ledger.synced_now()

    def learn_latency(self, seconds: float) -> None:
        """Record the latency of a reply. With slow replies, commits may gather rows for longer."""
        self._ledger.gather_s = min(_MAX_GATHER_S, seconds * _GATHER_SHARE)

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append a note of a wrapper."""
        (_LOG.info if kind == LEDGER_LOST else _LOG.debug)("note: %s", kind)
        self.append(NoteAdded(name=kind, data=dict(data)))

    def _store_text(self, clean: Redactor, text: str) -> str:
        """Store `text` once, without secrets, and return its hash."""
        text = clean.text(text)
        name = text_hash(text)
        if name not in self.history.texts:
            self.append(TextStored(hash=name, text=text))
        return name


def write_stored(record: Record, directory: Path, files: Mapping[str, Text]) -> None:
    """Write the JSON files whose content differs. Their hashes are in the ledger before they get their names."""
    with ExitStack() as stack:
        made = {name: stack.enter_context(staged(directory / name, text)) for name, text in files.items()}
        hashes = {name: f"sha256:{file.sha256}" for name, file in made.items()}
        known = known_hashes(record.history)
        new: dict[str, JSON] = {name: found for name, found in hashes.items() if found not in known.get(name, ())}
        if new:
            record.commit_now(NoteAdded(name=STORED, data={"files": new}))
        changed = False
        for name, file in made.items():
            if file_hash(file.place) != hashes[name]:
                file.commit()
                changed = True
        if changed:
            sync_directory(directory)


class NoLedger:
    """Discards rows, for dry runs."""

    def __init__(self, *, next_seq: int) -> None:
        self.gather_s = 0.0
        self._next = next_seq

    def append(
        self, kind: str, data: Mapping[str, JSON], *, attempt: int | None = None, unit: str | None = None
    ) -> LedgerRow:
        """Return the row without storing it."""
        row = LedgerRow(seq=self._next, kind=kind, attempt=attempt, unit=unit, at=now(), data=dict(data))
        self._next += 1
        return row

    async def synced(self) -> None:
        """Return at once: nothing is written."""

    def synced_now(self) -> None:
        """Return at once: nothing is written."""


def lost_ledger(directory: Path, history: History) -> str:
    """Return a message if the run's ledger is missing, or was missing when a verb began, else "".

    A new run creates its ledger first. So a run without a ledger has lost it, or another tool created the files.
    """
    noted = next((note for note in history.notes if note.kind == LEDGER_LOST or _began_without(note)), None)
    if noted is not None:
        when = f"{noted.at[:19].replace('T', ' ')} UTC"
        return f"{str(directory / LEDGER)!r} was missing on {when}: calls and costs before are unknown"
    if (directory / LEDGER).exists() or not any((directory / name).exists() for name in _MADE_LATER):
        return ""
    return f"{str(directory / LEDGER)!r} is missing: calls and costs of this run are unknown"


def _began_without(note: Note) -> bool:
    """Return whether a note is the first row of a scrubbed ledger of a run that had no ledger before."""
    scrubbed: Any = note.data if note.kind == "scrubbed" else None
    while scrubbed is not None:
        if scrubbed["head"] is None:
            return True
        scrubbed = next(iter(scrubbed.get("earlier", ())), None)
    return False


def lost_ledger_of(directory: Path) -> str:
    """Return the message of `lost_ledger` for the run in a directory.

    Raises:
        BrokenFile: the ledger cannot be read.
    """
    return lost_ledger(directory, read_history(directory / LEDGER))


def scratch_record(directory: Path) -> Record:
    """Return a record that starts from the directory's ledger, writes nothing, and takes no lock."""
    hashes = file_hashes(directory)
    history = read_history(directory / LEDGER)
    history.add_missing_parts()
    return Record(NoLedger(next_seq=history.last_seq + 1), history, changed=changed_files(hashes, history))


@asynccontextmanager
async def recording(directory: Path, *, wait: bool = False) -> AsyncGenerator[Record]:
    """Open the run directory for writing, as its only writer, and yield its record.

    Raises:
        FolderBusy: another process writes there and `wait` is False.
        DamagedRun: rows of the ledger were changed.
        BrokenFile: the ledger cannot be read. It is not changed.
    """
    async with one_writer(directory, wait=wait):
        if (directory / JOURNAL).exists():
            finish_scrub(directory)
        sweep(directory)
        path = directory / LEDGER
        history = read_history(path)
        missing = lost_ledger(directory, history)
        if history.damage is not None:
            raise damaged_ledger(path, history.damage)
        changed = changed_files(file_hashes(directory), history)
        ledger = Ledger(path, next_seq=history.last_seq + 1)
        try:
            record = Record(ledger, history, changed=changed)
            if missing:
                record.note(LEDGER_LOST, {})
            for request in [*history.packs]:
                record.add_missing_parts(request)
            with relaxed_gc():
                yield record
        finally:
            ledger.close()


def cached_result(history: History, key: str) -> JSON:
    """Return the latest result that was cached under `key`, or None."""
    found = (note.data["value"] for note in reversed(history.notes) if note.kind == _RESULT and note.data["key"] == key)
    return next(found, None)


def with_cache(options: RunOptions, record: Record) -> RunOptions:
    """Return `options` with `recall` and `keep` that cache results of costly checks in the run's ledger.

    Names that an earlier verb of the run allowed to remove stay allowed.
    """

    def recall(key: str) -> JSON:
        return cached_result(record.history, key)

    def keep(key: str, value: JSON) -> None:
        record.note(_RESULT, {"key": key, "value": value})

    earlier = last_options(record.history).options.allow_removal
    return replace(
        options, recall=recall, keep=keep, allow_removal=tuple(dict.fromkeys((*earlier, *options.allow_removal)))
    )


@dataclass(frozen=True, kw_only=True)
class LastOptions:
    """The models of the last verb by name ("" for none), its options, and its intended last step."""

    model: str = ""
    fallbacks: tuple[str, ...] = ()
    options: RunOptions = RunOptions()
    ending: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])


def record_options(record: Record, options: RunOptions, model: Model) -> None:
    """Record the models and options of this verb, unless they equal those of the last verb."""
    last = record.history.options
    event = OptionsRecorded(
        model=model_name(model),
        fallbacks=tuple(map(model_name, options.fallbacks)),
        options=options.stored(),
        ending=(last.ending if last is not None else {}) if options.ending is None else options.ending,
    )
    if event != last:
        record.append(event)


def last_options(history: History) -> LastOptions:
    """Return the models and options of the last verb. Unknown options are ignored."""
    last = history.options
    if last is None:
        return LastOptions()
    options = RunOptions.from_stored(last.options)
    return LastOptions(model=last.model, fallbacks=last.fallbacks, options=options, ending=last.ending)


CODE = "SECRET_IN_TEXT"
OUTPUT = "output"  # the key of a command's output in an issue's detail
_MOST_ISSUES = 5  # per text


def without_secrets(issues: Iterable[Issue]) -> list[Issue]:
    """Return issues without known secrets. In quoted command output, likely keys are removed too."""
    found: list[Issue] = []
    clean: Redactor | None = None
    for issue in issues:
        clean = clean or redactor()
        detail = _clean_output(clean.value(issue.detail))
        message, fix = clean.text(issue.message), clean.text(issue.fix)
        same = (message, fix) == (issue.message, issue.fix) and detail is issue.detail
        found.append(issue if same else replace(issue, message=message, fix=fix, detail=detail))
    return found


def _clean_output(detail: Mapping[str, JSON]) -> Mapping[str, JSON]:
    output = detail.get(OUTPUT)
    clean = without_keys(output) if isinstance(output, str) else output
    return detail if clean == output else {**detail, OUTPUT: clean}


class SecretsInText:
    """Warns about parts of prompts and answers that look like keys, without changing them."""

    def __init__(self, prompts: Iterable[Prompt]) -> None:
        self._prompts: dict[str, list[Prompt]] = {}
        for prompt in prompts:
            self._prompts.setdefault(prompt.unit, []).append(prompt)
        self._of_prompts: dict[str, list[Issue]] = {}
        self._of_systems: dict[str, list[KeyFound]] = {}

    def issues(self, unit: str, pages: Sequence[str]) -> list[Issue]:
        """Return a warning for each likely key in the unit's prompts, then in its answers."""
        if unit not in self._of_prompts:
            self._of_prompts[unit] = [one for prompt in self._prompts.get(unit, ()) for one in self._in_prompt(prompt)]
        answers = [one for page, text in enumerate(pages, 1) for one in _warnings(unit, page, "answer", keys_in(text))]
        return [*self._of_prompts[unit], *answers]

    def _in_prompt(self, prompt: Prompt) -> list[Issue]:
        if prompt.system not in self._of_systems:
            self._of_systems[prompt.system] = keys_in(prompt.system)
        found = [*self._of_systems[prompt.system], *keys_in(prompt.user)]
        return _warnings(prompt.unit, prompt.page, "prompt", found)


def _warnings(unit: str, page: int, where: str, found: Sequence[KeyFound]) -> list[Issue]:
    return [_warning(unit, page, where, one) for one in found[:_MOST_ISSUES]]


def _warning(unit: str, page: int, where: str, found: KeyFound) -> Issue:
    article = "an" if found.kind[0] in "AEIOUaeiou" else "a"
    detail: dict[str, Any] = {"kind": found.kind, "in": where}
    return Issue(
        code=CODE,
        message=f"Line {found.line} of the {where} of {unit!r} holds what looks like {article} {found.kind}.",
        tier=Tier.SYNTAX,
        unit=unit,
        page=page,
        severity="warning",
        line=found.line if where == "answer" else None,
        detail=detail,
        fix="If it is real, revoke it, take it out of the source, and remove it from the run with 'retouch scrub'.",
    )

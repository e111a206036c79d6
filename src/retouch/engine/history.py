"""The state that results from the rows of a ledger. Resumed runs, active runs and readers share this fold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from retouch._lib.frozen import made, with_fields
from retouch._lib.hashing import text_hash
from retouch.engine.events import (
    NOTE,
    WHOLE_UNIT,
    AttemptChecked,
    CallFailed,
    CallIntended,
    FilesWritten,
    NoteAdded,
    OptionsRecorded,
    PackIntended,
    PartReceived,
    PromptDerived,
    ReplyReceived,
    RoundStarted,
    StoredAnswer,
    TextStored,
    UnitSettled,
    WritingFiles,
    WrittenFile,
    parse_event,
)
from retouch.engine.ledger import REMEDY, folded
from retouch.engine.packs import PackedCall
from retouch.engine.tiers import TIERS
from retouch.engine.types import (
    COMPARE,
    Attempt,
    Note,
    PageKey,
    Prompt,
    Request,
    RetryBudget,
    prompt_hash,
    strategy_of,
)
from retouch.errors import BrokenFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch.engine.chain import LedgerDamage
    from retouch.engine.events import LedgerEvent
    from retouch.engine.ledger import LedgerRow
    from retouch.engine.types import Finish, Issue


@dataclass(frozen=True, kw_only=True)
class GrantedRetry:
    """A granted retry of some pages of one unit: the tier that paid, and the stage (0: the run's own model)."""

    tier: int
    pages: tuple[int, ...]
    stage: int


OUTPUT_LIMIT = "output_limit"  # the kind of note with the output cap (`limit`) that the server of a `model` enforces


@dataclass
class History:
    """The content of a ledger, kept up to date by `apply`.

    `answers` are the current answers by page. `settled` is the last row of each unit in the current round. `unchecked`
    are replies that were not checked, by request and model, for example because the run was interrupted.
    `packs` are the packed requests: the parts of their replies are attempts, and they themselves are not.
    `output_limits` are the output caps that servers enforce, by model. `retries` are the granted retries
    of each unit in this round. `written` are the files as last written, `writing` those of an interrupted write.
    `outcomes` are the last recorded tier outcomes by unit. They are removed if the unit's answer changes. `edited` are
    the hashes of the manually edited files that they cover. `answers_seq` is the last row about an attempt or an
    answer. `damage` is set if rows were changed.
    """

    texts: dict[str, str] = field(default_factory=dict[str, str])
    attempts: dict[int, Attempt] = field(default_factory=dict[int, Attempt])
    packs: dict[int, PackedCall] = field(default_factory=dict[int, PackedCall])
    by_page: dict[PageKey, list[int]] = field(default_factory=dict[PageKey, list[int]])
    unchecked: dict[tuple[Request, str], int] = field(default_factory=dict[tuple[Request, str], int])
    answers: dict[PageKey, StoredAnswer] = field(default_factory=dict[PageKey, StoredAnswer])
    derived: dict[PageKey, Prompt] = field(default_factory=dict[PageKey, Prompt])
    settled: dict[str, UnitSettled] = field(default_factory=dict[str, UnitSettled])
    budget: RetryBudget | None = None
    budget_grows: bool = False
    output_limits: dict[str, int] = field(default_factory=dict[str, int])
    retries: dict[str, list[GrantedRetry]] = field(default_factory=dict[str, list[GrantedRetry]])
    hint: str = ""
    round_start: int = 0
    written: dict[str, WrittenFile] = field(default_factory=dict[str, WrittenFile])
    writing: dict[str, WrittenFile] = field(default_factory=dict[str, WrittenFile])
    damage: LedgerDamage | None = None
    options: OptionsRecorded | None = None
    notes: list[Note] = field(default_factory=list[Note])
    outcomes: dict[str, Any] = field(default_factory=dict[str, Any])
    edited: Mapping[str, Any] = field(default_factory=dict[str, Any])
    last_seq: int = 0
    answers_seq: int = 0
    _unchecked_keys: dict[int, tuple[Request, str]] = field(default_factory=dict[int, "tuple[Request, str]"])

    def apply(self, seq: int, at: str, event: LedgerEvent | None) -> None:
        """Fold one row into the state. None is a row of a kind that this version does not know."""
        self.last_seq = seq
        match event:
            case TextStored():
                self.texts[event.hash] = event.text
            case NoteAdded():
                self._note_added(at, event)
            case OptionsRecorded():
                self.options = event
            case WritingFiles():
                self.writing = dict(event.files)
            case FilesWritten():
                self.written, self.writing = dict(event.files), {}
            case RoundStarted():
                self.round_start, self.hint = seq, event.hint
                self.budget, self.budget_grows = event.budget, event.grows
                self.retries.clear()
                for unit in event.units:
                    self.settled.pop(unit, None)
            case PromptDerived():
                self._prompt_derived(event.prompt)
            case _:
                self._apply_to_attempts(seq, at, event)

    def _apply_to_attempts(self, seq: int, at: str, event: LedgerEvent | None) -> None:
        self.answers_seq = seq
        match event:
            case CallIntended():
                self._call_intended(seq, at, event)
            case ReplyReceived():
                self._reply_received(event)
            case CallFailed():
                self._call_failed(event)
            case PackIntended():
                self.packs[seq] = PackedCall(seq=seq, at=at, why=event.why, model=event.model, request=event.request)
            case PartReceived():
                self._part_received(seq, event)
            case UnitSettled():
                self._unit_settled(at, event)
            case _:  # a row of a later version
                pass

    def adopted(self, unit: str) -> StoredAnswer | None:
        """Return the manual edit that is the answer of the whole unit, or None if it has per-page answers."""
        return self.answers.get((unit, WHOLE_UNIT))

    def answer_to(self, prompt: Prompt) -> StoredAnswer | None:
        """Return the current answer to exactly this prompt, or None."""
        answer = self.answers.get(prompt.key)
        return answer if answer is not None and answer.prompt_hash == prompt_hash(prompt) else None

    def checked_attempts(self, key: PageKey) -> tuple[Attempt, ...]:
        """Return the attempts at one page in this round whose answer was checked, oldest first.

        Of a page in two parts, only the second attempt counts.
        """
        seqs = (seq for seq in self.by_page.get(key, ()) if seq > self.round_start)
        found = (self.attempts[seq] for seq in seqs)
        checked = (one for one in found if one.taken or (one.why != COMPARE and one.is_checked))
        return tuple(one for one in checked if strategy_of(one))

    def cut_at(self, key: PageKey, prompt: str, model: str) -> int:
        """Return the highest output cap that truncated `model`'s reply to the prompt with this hash, or 0."""
        cut = self._finished(key, prompt, model, "length")
        return max((one.request.max_output_tokens for one in cut), default=0)

    def repeats(self, key: PageKey, prompt: str, model: str) -> bool:
        """Return whether an answer of `model` to the prompt with this hash repeated itself without end."""
        return any(self._finished(key, prompt, model, "repeated"))

    def _finished(self, key: PageKey, prompt: str, model: str, finish: Finish) -> Iterator[Attempt]:
        """Yield the attempts of `model` at the prompt with this hash whose reply ended by `finish`.

        An unchecked reply of an interrupted run does not count, because it is used first. It would change the request,
        so that the reply would not be found and would be bought again.
        """
        for seq in self.by_page.get(key, ()):
            one = self.attempts[seq]
            ended = one.issues and one.model == model and one.reply is not None and one.reply.finish == finish
            if ended and prompt_hash(one.request.prompt) == prompt:
                yield one

    def has_reply(self, key: PageKey) -> bool:
        """Return whether a page got a reply in this round, whatever it was worth."""
        seqs = (seq for seq in self.by_page.get(key, ()) if seq > self.round_start)
        return any(self.attempts[seq].reply is not None for seq in seqs)

    def add_missing_parts(self) -> None:
        """Add the parts of packed replies that an interrupted run has not recorded, for a reader of the run."""
        for pack in self.packs.values():
            for row in pack.missing_parts():
                self.apply(self.last_seq + 1, pack.at, row)

    def remaining_budget(self, unit: str, pages: int = 1, page: int | None = None) -> RetryBudget:
        """Return the rest of the retry budget of one page in this round, for a unit with that many pages.

        If `page` is None, return that of the page with the most retries.
        """
        budget = self.full_budget(pages)
        own = [one for one in self.retries.get(unit, ()) if not one.stage]
        retried = {number for one in own for number in one.pages} if page is None else {page}
        spent = ([one.tier for one in own if number in one.pages] for number in retried)
        for tier in max(spent, key=len, default=list[int]()):
            if not budget.can_retry(tier):  # an earlier command had a larger one
                return RetryBudget(0, 0, 0, 0)
            budget = budget.consume(tier)
        return budget

    def full_budget(self, pages: int = 1) -> RetryBudget:
        """Return the retry budget of each page in this round, for a unit with that many pages."""
        budget = self.budget or RetryBudget()
        return budget.for_pages(pages) if self.budget_grows else budget

    def retries_of(self, key: PageKey) -> list[GrantedRetry]:
        """Return the retries of one page that were granted in this round, oldest first."""
        return [one for one in self.retries.get(key[0], ()) if key[1] in one.pages]

    def _note_added(self, at: str, event: NoteAdded) -> None:
        self.notes.append(Note(kind=event.name, at=at, data=event.data, seq=self.last_seq))
        if event.name == TIERS:
            checked: Any = event.data
            self.outcomes, self.edited = dict(checked["units"]), checked.get("edited", {})
        if event.name == OUTPUT_LIMIT:
            limit: Any = event.data
            self.output_limits[limit["model"]] = limit["limit"]

    def _prompt_derived(self, prompt: Prompt) -> None:
        self.outcomes.pop(prompt.unit, None)
        for key in [key for key in self.derived if key[0] == prompt.unit and key[1] > prompt.total_pages]:
            del self.derived[key]  # earlier, the unit was derived with more pages
        self.derived[prompt.key] = prompt

    def _call_intended(self, seq: int, at: str, event: CallIntended) -> None:
        unit, page = event.request.prompt.key
        self.attempts[seq] = made(
            Attempt,
            seq=seq,
            unit=unit,
            page=page,
            why=event.why,
            request=event.request,
            model=event.model,
            at=at,
            reply=None,
            error=None,
            received=None,
            seconds=None,
            issues=(),
            readable=False,
            taken=False,
            stage=event.stage,
            pack=None,
            calls=1,
        )
        self.by_page.setdefault((unit, page), []).append(seq)

    def _reply_received(self, event: ReplyReceived) -> None:
        if (pack := self.packs.get(event.attempt or 0)) is not None:
            pack.reply, pack.seconds = event.reply, event.seconds
            return
        intent = self.attempts[event.attempt or 0]
        self.attempts[intent.seq] = with_fields(intent, reply=event.reply, seconds=event.seconds)
        self._await_check(intent)

    def _await_check(self, attempt: Attempt) -> None:
        key = self._unchecked_keys[attempt.seq] = (attempt.request, attempt.model)
        self.unchecked[key] = attempt.seq

    def _part_received(self, seq: int, event: PartReceived) -> None:
        """Add the attempt at one page of a packed request."""
        pack = self.packs[event.pack]
        request = pack.request_of(event.key)
        unit, page = request.prompt.key
        pack.attempts[event.key] = seq
        attempt = self.attempts[seq] = Attempt(
            seq=seq,
            unit=unit,
            page=page,
            why=pack.why,
            request=request,
            model=pack.model,
            at=pack.at,
            reply=event.reply,
            error=event.error,
            seconds=pack.seconds,
            pack=pack.seq,
            calls=int(pack.is_first(event.key)),
        )
        self.by_page.setdefault((unit, page), []).append(seq)
        if attempt.has_answer:
            self._await_check(attempt)

    def _call_failed(self, event: CallFailed) -> None:
        if (pack := self.packs.get(event.attempt or 0)) is not None:
            pack.error, pack.received, pack.seconds = event.error, event.received, event.seconds
            return
        intent = self.attempts[event.attempt or 0]
        self.attempts[intent.seq] = with_fields(
            intent, error=event.error, received=event.received, seconds=event.seconds
        )

    def _unit_settled(self, at: str, event: UnitSettled) -> None:
        unit = event.unit or ""
        for checked in event.attempts:
            self._attempt_checked(checked)
        if event.answers:
            self.outcomes.pop(unit, None)
        for page, answer in (event.answers or {}).items():
            if answer is None:
                self.answers.pop((unit, page), None)
            else:
                self.answers[unit, page] = with_fields(answer, at=at)
        self.settled[unit] = event
        if event.charged is not None or event.stage:
            pages = event.retried if event.new_retries is None else event.new_retries
            retry = GrantedRetry(tier=event.charged or 0, pages=pages, stage=event.stage)
            self.retries.setdefault(unit, []).append(retry)

    def _attempt_checked(self, checked: AttemptChecked) -> None:
        attempt = self.attempts[checked.seq]
        self.attempts[attempt.seq] = with_fields(
            attempt, issues=checked.issues, readable=checked.readable, taken=checked.taken
        )
        key = self._unchecked_keys.pop(attempt.seq, None)
        if key is not None:
            self.unchecked.pop(key, None)


def rechecked(
    answers: Mapping[int, StoredAnswer], issues: Sequence[Issue], history: History, *, taken: bool
) -> list[AttemptChecked]:
    """Return the row's entries for the attempts of `answers`, by page, after tier 3."""
    rows: list[AttemptChecked] = []
    for page, answer in answers.items():
        attempt = history.attempts.get(answer.attempt or 0)
        own = tuple(issue for issue in issues if issue.page in (None, page))
        if attempt is not None and (attempt.issues, attempt.taken) != (own, taken):
            rows.append(AttemptChecked(seq=attempt.seq, readable=attempt.readable, taken=taken, issues=own))
    return rows


def checked_first_part(first: Attempt, second: AttemptChecked) -> AttemptChecked:
    """Return the row's entry for the first part of a page in two parts. It is never an answer of its own."""
    return AttemptChecked(seq=first.seq, readable=not second.issues, taken=False, issues=second.issues)


def _fold_rows(path: Path, entries: Iterable[LedgerRow]) -> History:
    history = History()
    for row in entries:
        if not row.intact and row.kind.startswith(NOTE):
            continue  # nothing refers to it, and readers of notes trust them
        try:
            if row.kind == TextStored.kind:  # most rows
                text: Any = row.data
                history.texts[text["hash"]], history.last_seq = text["text"], row.seq
                continue
            event = parse_event(row.kind, row.data, history.texts, attempt=row.attempt, unit=row.unit)
            history.apply(row.seq, row.at, event)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"row {row.seq} ({row.kind}): {type(error).__name__}: {error}"
            raise BrokenFile(f"{str(path)!r} is damaged: {what}", hint=REMEDY) from error
    return history


def read_history(path: Path) -> History:
    """Return the content of the ledger at `path`. If the file does not exist, the history is empty.

    If the ledger has changed rows but is readable, they are in `History.damage`.

    Raises:
        BrokenFile: it cannot be read, or a row does not match its kind.
    """
    if not path.exists():
        return History()
    found = folded(path, partial(_fold_rows, path))
    history = found.value
    history.damage = found.damage
    for name, text in () if found.is_chained else history.texts.items():  # a chain covers the texts
        if text_hash(text) != name:
            raise BrokenFile(f"{str(path)!r} is damaged: a text was changed ({name})", hint=REMEDY)
    return history


def latest_unchecked(prompt: Prompt, attempts: Sequence[Attempt]) -> Attempt | None:
    """Return the latest complete reply to this prompt that an interrupted run did not check, or None."""
    hashed = prompt_hash(prompt)
    for one in reversed(attempts):
        complete = one.reply is not None and one.reply.finish == "end" and one.why != COMPARE
        if complete and not one.is_checked and prompt_hash(one.request.prompt) == hashed:
            return one
    return None

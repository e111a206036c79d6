"""What the rows of a ledger mean: the same fold serves a resume, a running round and a reader."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, cast

from retouch._lib.hashing import text_hash
from retouch.engine.ledger import REMEDY, folded
from retouch.engine.types import (
    COMPARE,
    Attempt,
    Issue,
    Message,
    Note,
    Prompt,
    Reply,
    Request,
    RetryBudget,
    issues_from,
    prompt_hash,
)
from retouch.errors import BrokenFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.ledger import Entry

Key: TypeAlias = "tuple[str, int]"
NOTE = "note:"  # how the kinds of rows begin that wrappers and batches append
WHOLE_UNIT = 0  # the page number under which an adopted text stands for all pages of its unit


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The standing text of one page: from which attempt, for which prompt, and when.

    `attempt` is None when a person wrote it, or when it was taken over from a `pages.json`; `origin` is then what that
    file said of it.
    """

    text: str
    attempt: int | None
    prompt_hash: str
    by: str
    at: str
    origin: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])


@dataclass(frozen=True, kw_only=True)
class Settled:
    """How a unit stood after it was last judged in this round.

    `issues` are those of what stands; `rung` is the step of the repair ladder; `asked` are the pages that were to be
    asked again next, already paid for; `state` is "" while there is hope, else "exhausted" or "disputed". `failed` is
    the tier that failed last, 0 where that is the first of `issues`.
    """

    issues: tuple[Issue, ...] = ()
    rung: int = 0
    asked: tuple[int, ...] = ()
    state: str = ""
    failed: int = 0

    @property
    def in_vain(self) -> tuple[int, ...]:
        """The pages that got a reply which was no answer: refused, withheld or cut off."""
        return tuple(issue.page for issue in self.issues if issue.page is not None and "finish" in issue.detail)


@dataclass
class History:
    """All that a ledger says, kept up to date by `apply`."""

    texts: dict[str, str] = field(default_factory=dict[str, str])
    attempts: dict[int, Attempt] = field(default_factory=dict[int, Attempt])
    by_page: dict[Key, list[int]] = field(default_factory=dict[Key, list[int]])
    unjudged: dict[tuple[Request, str], int] = field(default_factory=dict[tuple[Request, str], int])
    answers: dict[Key, Answer] = field(default_factory=dict[Key, Answer])
    derived: dict[Key, Prompt] = field(default_factory=dict[Key, Prompt])
    settled: dict[str, Settled] = field(default_factory=dict[str, Settled])
    budgets: dict[str, RetryBudget] = field(default_factory=dict[str, RetryBudget])
    budget: RetryBudget | None = None
    hint: str = ""
    round_start: int = 0
    written: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    writing: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    way: dict[str, Any] = field(default_factory=dict[str, Any])
    notes: list[Note] = field(default_factory=list[Note])
    last_seq: int = 0
    _waiting: dict[int, tuple[Request, str]] = field(default_factory=dict[int, "tuple[Request, str]"])

    def apply(self, entry: Entry) -> None:
        """Take one row into account; rows of kinds that are not known are left aside."""
        self.last_seq = entry.seq
        if entry.kind.startswith(NOTE):
            self.notes.append(Note(kind=entry.kind.removeprefix(NOTE), at=entry.at, data=entry.data))
            return
        fold = self._FOLDS.get(entry.kind)
        if fold is not None:
            fold(self, entry, cast("dict[str, Any]", entry.data))

    def adopted(self, unit: str) -> Answer | None:
        """Return the text that a person gave for the whole unit, None when pages stand."""
        return self.answers.get((unit, WHOLE_UNIT))

    def answer_to(self, prompt: Prompt) -> Answer | None:
        """Return the standing answer to exactly this prompt, None when there is none."""
        answer = self.answers.get(prompt.key)
        return answer if answer is not None and answer.prompt_hash == prompt_hash(prompt) else None

    def of_page(self, key: Key) -> tuple[Attempt, ...]:
        """Return the judged attempts at one page in this round, oldest first."""
        seqs = (seq for seq in self.by_page.get(key, ()) if seq > self.round_start)
        found = (self.attempts[seq] for seq in seqs)
        return tuple(one for one in found if one.taken or (one.why != COMPARE and (one.issues or one.readable)))

    def arrived(self, key: Key, system: str, messages: tuple[Message, ...]) -> int | None:
        """Return the latest attempt at a page in exactly these words whose reply nobody has judged, None if none."""
        for seq in reversed(self.by_page.get(key, ())):
            attempt = self.attempts[seq]
            judged = attempt.issues or attempt.readable or attempt.reply is None or attempt.why == COMPARE
            if not judged and (attempt.request.system, attempt.request.messages) == (system, messages):
                return seq
        return None

    def cut_at(self, key: Key, prompt: str, model: str) -> int:
        """Return the highest output cap at which `model` was cut off at the prompt of this hash, 0 if it never was.

        A reply that an interrupted run did not come to judge is not counted: it is taken up first.
        """
        attempts = (self.attempts[seq] for seq in self.by_page.get(key, ()))
        judged = (a for a in attempts if a.issues and a.model == model)
        cut = (a for a in judged if a.reply is not None and a.reply.finish == "length")
        return max((a.request.max_output_tokens for a in cut if prompt_hash(a.request.prompt) == prompt), default=0)

    def _text(self, _entry: Entry, data: dict[str, Any]) -> None:
        self.texts[data["hash"]] = data["text"]

    def _round(self, entry: Entry, data: dict[str, Any]) -> None:
        self.round_start = entry.seq
        self.budget = RetryBudget(**data["budget"])
        self.hint = data["hint"]
        self.budgets.clear()
        for unit in data["units"]:
            self.settled.pop(unit, None)

    def _way(self, _entry: Entry, data: dict[str, Any]) -> None:
        self.way = data

    def _derived(self, _entry: Entry, data: dict[str, Any]) -> None:
        prompt = self._prompt(data)
        for key in [key for key in self.derived if key[0] == prompt.type_name and key[1] > prompt.total_pages]:
            del self.derived[key]  # the unit was derived in more pages before
        self.derived[prompt.key] = prompt

    def _prompt(self, data: dict[str, Any]) -> Prompt:
        data = {**data, "system": self.texts[data["system"]], "user": self.texts[data["user"]]}
        return Prompt(**data)

    def _intent(self, entry: Entry, data: dict[str, Any]) -> None:
        request = self._request(data)
        attempt = Attempt(
            seq=entry.seq,
            unit=request.prompt.type_name,
            page=request.prompt.page,
            why=data["why"],
            request=request,
            model=data["model"],
            at=entry.at,
        )
        self.attempts[entry.seq] = attempt
        self.by_page.setdefault((attempt.unit, attempt.page), []).append(entry.seq)

    def _request(self, data: dict[str, Any]) -> Request:
        texts = self.texts
        return Request(
            prompt=self._prompt(data["prompt"]),
            system=texts[data["system"]],
            messages=tuple(Message(role=role, text=texts[name]) for role, name in data["messages"]),
            max_output_tokens=data["max_output_tokens"],
            temperature=data["temperature"],
            breakpoints=tuple(data["breakpoints"]),
        )

    def _reply(self, entry: Entry, data: dict[str, Any]) -> None:
        intent = self.attempts[entry.attempt or 0]
        raw: dict[str, Any] = {**data["reply"], "text": self.texts[data["reply"]["text"]]}
        reply = Reply(**raw)
        self.attempts[intent.seq] = replace(intent, reply=reply, seconds=data["seconds"])
        key = self._waiting[intent.seq] = (intent.request, intent.model)
        self.unjudged[key] = intent.seq

    def _failure(self, entry: Entry, data: dict[str, Any]) -> None:
        intent = self.attempts[entry.attempt or 0]
        self.attempts[intent.seq] = replace(intent, error=data["error"], seconds=data["seconds"])

    def _settle(self, entry: Entry, data: dict[str, Any]) -> None:
        unit = entry.unit or ""
        for verdict in data["attempts"]:
            self._judge(verdict)
        if data["standing"] is not None:
            self._stand(unit, entry.at, data)
        self.settled[unit] = Settled(
            issues=issues_from(data["issues"]),
            rung=data["rung"],
            asked=tuple(data["asked"]),
            state=data["state"],
            failed=data.get("failed", 0),
        )
        if data["paid"] is not None:
            self.budgets[unit] = self.left(unit).consume(data["paid"])

    def left(self, unit: str) -> RetryBudget:
        """Return what is left of the unit's budget in this round."""
        return self.budgets.get(unit) or self.budget or RetryBudget()

    def _judge(self, verdict: dict[str, Any]) -> None:
        attempt = self.attempts[verdict["seq"]]
        issues = issues_from(verdict["issues"])
        judged = replace(attempt, issues=issues, readable=verdict["readable"], taken=verdict["taken"])
        self.attempts[attempt.seq] = judged
        key = self._waiting.pop(attempt.seq, None)
        if key is not None:
            self.unjudged.pop(key, None)

    def _stand(self, unit: str, at: str, data: dict[str, Any]) -> None:
        """Replace the standing texts of one unit: a whole one puts its pages aside, pages put a whole one aside."""
        standing = cast("Mapping[str, dict[str, Any] | None]", data["standing"])
        for page, answer in standing.items():
            key = (unit, int(page))
            if answer is None:
                self.answers.pop(key, None)
                continue
            text = self.texts[answer["text"]]
            prompt, by = answer["prompt_hash"], answer["by"]
            origin = answer.get("origin", {})
            self.answers[key] = Answer(
                text=text, attempt=answer["attempt"], prompt_hash=prompt, by=by, at=at, origin=origin
            )

    def _writing(self, _entry: Entry, data: dict[str, Any]) -> None:
        self.writing = data["files"]

    def _written(self, _entry: Entry, data: dict[str, Any]) -> None:
        self.written, self.writing = data["files"], {}

    _FOLDS: ClassVar[Mapping[str, Callable[[Any, Entry, dict[str, Any]], None]]] = {
        "text": _text,
        "round": _round,
        "way": _way,
        "derived": _derived,
        "intent": _intent,
        "reply": _reply,
        "failure": _failure,
        "settled": _settle,
        "writing": _writing,
        "written": _written,
    }


def _told(path: Path, entries: Iterable[Entry]) -> History:
    history = History()
    for entry in entries:
        try:
            history.apply(entry)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"row {entry.seq} ({entry.kind}): {type(error).__name__}: {error}"
            raise BrokenFile(f"{str(path)!r} is damaged: {what}", hint=REMEDY) from error
    return history


def read_history(path: Path) -> History:
    """Return what the ledger at `path` tells; that of an empty one when there is none.

    Raises:
        BrokenFile: it cannot be read, or a row does not say what a row must.
    """
    history = folded(path, lambda entries: _told(path, entries))
    for name, text in history.texts.items():
        if text_hash(text) != name:
            raise BrokenFile(f"{str(path)!r} is damaged: a text is not what was written ({name})", hint=REMEDY)
    return history

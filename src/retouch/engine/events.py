"""The rows of a ledger as values: one frozen dataclass per kind of row, with `to_json` and `from_json`.

Nothing else knows the keys of a row. `Record.append` takes an event, `History.apply` folds it. Long texts are rows of
their own, stored once each: `to_json` is given a function that stores a text and returns its hash, `from_json` the
texts by their hashes. To add an event: write its dataclass here, list it in `_KINDS`, and fold it in `history`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, cast

from retouch.engine.types import Issue, Message, Prompt, Reply, Request, RetryBudget, issues_from_json, issues_to_json

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

NOTE = "note:"  # how the kinds of rows begin that wrappers and batches append
WHOLE_UNIT = 0  # the page number of an adopted text, which stands for all pages of its unit

Store: TypeAlias = Callable[[str], str]
Texts: TypeAlias = Mapping[str, str]
Row: TypeAlias = Mapping[str, Any]


class LedgerEvent(Protocol):
    """One row before it has a place in the ledger.

    `attempt` is the sequence number of the intent that it belongs to, `unit` the unit; None if there is none.
    """

    @property
    def kind(self) -> str:
        """The row's kind."""
        ...

    @property
    def attempt(self) -> int | None:
        """The attempt that the row is about."""

    @property
    def unit(self) -> str | None:
        """The unit that the row is about."""

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the row's data; long texts go through `store` and are named by their hash."""
        ...


@dataclass(frozen=True, kw_only=True)
class _Row:
    """What most rows have in common: a constant kind, and neither attempt nor unit."""

    KIND: ClassVar[str]
    attempt: int | None = field(default=None, init=False)
    unit: str | None = field(default=None, init=False)

    @property
    def kind(self) -> str:
        """The kind of the row."""
        return self.KIND


@dataclass(frozen=True, kw_only=True)
class TextStored(_Row):
    """A long text, stored once and named by its hash from then on."""

    KIND: ClassVar[str] = "text"
    hash: str
    text: str

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        return {"hash": self.hash, "text": self.text}

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> TextStored:
        """Return the event with the data of a row."""
        return TextStored(hash=data["hash"], text=data["text"])


@dataclass(frozen=True, kw_only=True)
class RoundStarted(_Row):
    """A verb began with a fresh budget: which units it may retry, and what the user added to the corrections."""

    KIND: ClassVar[str] = "round"
    verb: str
    units: tuple[str, ...]
    hint: str
    budget: RetryBudget

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        budget: dict[str, JSON] = dict(asdict(self.budget))
        return {"verb": self.verb, "units": list(self.units), "hint": self.hint, "budget": budget}

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> RoundStarted:
        """Return the event with the data of a row."""
        budget = RetryBudget(**data["budget"])
        return RoundStarted(verb=data["verb"], units=tuple(data["units"]), hint=data["hint"], budget=budget)


@dataclass(frozen=True, kw_only=True)
class OptionsRecorded(_Row):
    """The models and options of a verb, and how it was to end, so that `resume` can do the same."""

    KIND: ClassVar[str] = "way"
    model: str
    fallback: str
    options: Mapping[str, JSON]
    ending: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        data: dict[str, JSON] = {"model": self.model, "fallback": self.fallback, "options": dict(self.options)}
        return {**data, "ending": dict(self.ending)} if self.ending else data

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> OptionsRecorded:
        """Return the event with the data of a row."""
        ending = data.get("ending", {})
        return OptionsRecorded(model=data["model"], fallback=data["fallback"], options=data["options"], ending=ending)


def _prompt_to_json(prompt: Prompt, store: Store) -> dict[str, JSON]:
    return {**prompt.to_json(), "system": store(prompt.system), "user": store(prompt.user)}


def _prompt_from_json(data: Row, texts: Texts) -> Prompt:
    return Prompt.from_json({**data, "system": texts[data["system"]], "user": texts[data["user"]]})


@dataclass(frozen=True, kw_only=True)
class PromptDerived(_Row):
    """A prompt that could only be written once there were values."""

    KIND: ClassVar[str] = "derived"
    prompt: Prompt

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        return _prompt_to_json(self.prompt, store)

    @staticmethod
    def from_json(data: Row, texts: Texts) -> PromptDerived:
        """Return the event with the data of a row."""
        return PromptDerived(prompt=_prompt_from_json(data, texts))


@dataclass(frozen=True, kw_only=True)
class CallIntended:
    """A request is about to be sent; the row is on disk before it leaves. Its place in the ledger is the attempt."""

    KIND: ClassVar[str] = "intent"
    why: str
    model: str
    request: Request
    attempt: int | None = field(default=None, init=False)

    @property
    def kind(self) -> str:
        """The kind of the row."""
        return self.KIND

    @property
    def unit(self) -> str | None:
        """The unit that the call is for."""
        return self.request.prompt.unit

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        request = self.request
        messages: list[JSON] = [[message.role, store(message.text)] for message in request.messages]
        return {
            "why": self.why,
            "model": self.model,
            "prompt": _prompt_to_json(request.prompt, store),
            "system": store(request.system),
            "messages": messages,
            "max_output_tokens": request.max_output_tokens,
            "temperature": request.temperature,
            "breakpoints": list(request.breakpoints),
        }

    @staticmethod
    def from_json(data: Row, texts: Texts) -> CallIntended:
        """Return the event with the data of a row."""
        request = Request(
            prompt=_prompt_from_json(data["prompt"], texts),
            system=texts[data["system"]],
            messages=tuple(Message(role=role, text=texts[name]) for role, name in data["messages"]),
            max_output_tokens=data["max_output_tokens"],
            temperature=data["temperature"],
            breakpoints=tuple(data["breakpoints"]),
        )
        return CallIntended(why=data["why"], model=data["model"], request=request)


_OPTIONAL = frozenset({"parts", "reasoning", "reasoning_tokens", "finish_raw", "request_id", "usage"})


def _reply_to_json(reply: Reply, store: Store) -> dict[str, JSON]:
    """Return a reply's data; what is empty is left out, as in ledgers that do not know these keys."""
    data: dict[str, JSON] = {
        **vars(reply),
        "text": store(reply.text),
        "parts": [store(part) for part in reply.parts],
        "reasoning": store(reply.reasoning) if reply.reasoning else "",
        "usage": dict(reply.usage),
    }
    return {key: value for key, value in data.items() if value or key not in _OPTIONAL}


def _reply_from_json(data: Row, texts: Texts) -> Reply:
    raw: dict[str, Any] = {
        **data,
        "text": texts[data["text"]],
        "parts": tuple(texts[name] for name in data.get("parts", ())),
        "reasoning": texts[data["reasoning"]] if data.get("reasoning") else "",
    }
    return Reply(**raw)


@dataclass(frozen=True, kw_only=True)
class ReplyReceived:
    """The reply to an attempt, exactly as received; the row is appended before anything reads the text."""

    KIND: ClassVar[str] = "reply"
    attempt: int | None
    reply: Reply
    seconds: float
    unit: str | None = field(default=None, init=False)

    @property
    def kind(self) -> str:
        """The kind of the row."""
        return self.KIND

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        return {"reply": _reply_to_json(self.reply, store), "seconds": self.seconds}

    @staticmethod
    def from_json(data: Row, texts: Texts, attempt: int | None = None) -> ReplyReceived:
        """Return the event with the data of a row."""
        return ReplyReceived(attempt=attempt, reply=_reply_from_json(data["reply"], texts), seconds=data["seconds"])


@dataclass(frozen=True, kw_only=True)
class CallFailed:
    """Why an attempt got no reply, and the part of one that it had received."""

    KIND: ClassVar[str] = "failure"
    attempt: int | None
    error: str
    seconds: float
    received: Reply | None = None
    unit: str | None = field(default=None, init=False)

    @property
    def kind(self) -> str:
        """The kind of the row."""
        return self.KIND

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        data: dict[str, JSON] = {"error": self.error, "seconds": self.seconds}
        return data if self.received is None else {**data, "received": _reply_to_json(self.received, store)}

    @staticmethod
    def from_json(data: Row, texts: Texts, attempt: int | None = None) -> CallFailed:
        """Return the event with the data of a row."""
        received = _reply_from_json(data["received"], texts) if "received" in data else None
        return CallFailed(attempt=attempt, error=data["error"], seconds=data["seconds"], received=received)


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """The current text of one page: from which attempt, for which prompt, and when.

    `attempt` is None if the user wrote it, or if it was imported from a `pages.json`; `origin` is then what that file
    recorded of it. `at` is the time of the row (UTC, ISO 8601), set when it is appended or read.
    """

    text: str
    attempt: int | None
    prompt_hash: str
    by: str
    at: str = ""
    origin: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])


@dataclass(frozen=True, kw_only=True)
class AttemptChecked:
    """What a check found about one attempt, inside the row of its unit."""

    seq: int
    readable: bool
    taken: bool
    issues: tuple[Issue, ...]


@dataclass(frozen=True, kw_only=True)
class UnitSettled:
    """The state of a unit after it was checked, as one row: all of it is on disk, or none.

    `answers` replace the current ones by page, None for one that is removed; None as a whole if nothing changed.
    `issues` are those of the current answer. `escalation` counts how often the same error came back. `retried` are the
    pages that are retried next; `charged` is the tier whose budget pays for that. `state` is "" while there is hope,
    else "exhausted" or "disputed". `failed_tier` is the tier that failed last, also if that answer was rejected; 0 if
    it is the first of `issues`.
    """

    KIND: ClassVar[str] = "settled"
    unit: str | None
    attempts: Sequence[AttemptChecked] = ()
    answers: Mapping[int, StoredAnswer | None] | None = None
    issues: tuple[Issue, ...] = ()
    escalation: int = 0
    retried: tuple[int, ...] = ()
    state: str = ""
    charged: int | None = None
    failed_tier: int = 0
    attempt: int | None = field(default=None, init=False)

    @property
    def kind(self) -> str:
        """The kind of the row."""
        return self.KIND

    @property
    def unusable_pages(self) -> tuple[int, ...]:
        """The pages whose reply was no answer: refused, filtered or cut off."""
        return tuple(issue.page for issue in self.issues if issue.page is not None and "finish" in issue.detail)

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        attempts: list[JSON] = [
            {"seq": one.seq, "readable": one.readable, "taken": one.taken, "issues": issues_to_json(one.issues)}
            for one in self.attempts
        ]
        answers = self.answers
        return {
            "attempts": attempts,
            "standing": None
            if answers is None
            else {str(page): _answer_to_json(answer, store) for page, answer in answers.items()},
            "issues": issues_to_json(self.issues),
            "rung": self.escalation,
            "asked": list(self.retried),
            "state": self.state,
            "paid": self.charged,
            "failed": self.failed_tier,
        }

    @staticmethod
    def from_json(data: Row, texts: Texts, unit: str | None = None) -> UnitSettled:
        """Return the event with the data of a row."""
        answers = data["standing"]
        return UnitSettled(
            unit=unit,
            attempts=tuple(
                AttemptChecked(
                    seq=one["seq"],
                    readable=one["readable"],
                    taken=one["taken"],
                    issues=issues_from_json(one["issues"]),
                )
                for one in data["attempts"]
            ),
            answers=None
            if answers is None
            else {int(page): _answer_from_json(answer, texts) for page, answer in answers.items()},
            issues=issues_from_json(data["issues"]),
            escalation=data["rung"],
            retried=tuple(data["asked"]),
            state=data["state"],
            charged=data["paid"],
            failed_tier=data.get("failed", 0),
        )


def _answer_to_json(answer: StoredAnswer | None, store: Store) -> dict[str, JSON] | None:
    if answer is None:
        return None
    row: dict[str, JSON] = {"text": store(answer.text), "attempt": answer.attempt, "by": answer.by}
    return {**row, "prompt_hash": answer.prompt_hash, "origin": dict(answer.origin)}


def _answer_from_json(data: Row | None, texts: Texts) -> StoredAnswer | None:
    if data is None:
        return None
    return StoredAnswer(
        text=texts[data["text"]],
        attempt=data["attempt"],
        prompt_hash=data["prompt_hash"],
        by=data["by"],
        origin=data.get("origin", {}),
    )


@dataclass(frozen=True, kw_only=True)
class WrittenFile:
    """A file as it was assembled: the hash of its text, and the hash of each unit's block in it.

    `outside` is the hash of the text outside the blocks without white space, "" in rows of earlier versions.
    """

    hash: str
    blocks: Mapping[str, str]
    outside: str = ""


@dataclass(frozen=True, kw_only=True)
class _Files(_Row):
    files: Mapping[str, WrittenFile]

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        return {"files": {name: {**vars(one), "blocks": dict(one.blocks)} for name, one in self.files.items()}}


@dataclass(frozen=True, kw_only=True)
class WritingFiles(_Files):
    """The files are about to be written; on disk before the first one changes."""

    KIND: ClassVar[str] = "writing"

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> WritingFiles:
        """Return the event with the data of a row."""
        return WritingFiles(files=_files_from_json(data))


@dataclass(frozen=True, kw_only=True)
class FilesWritten(_Files):
    """The files have been written."""

    KIND: ClassVar[str] = "written"

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> FilesWritten:
        """Return the event with the data of a row."""
        return FilesWritten(files=_files_from_json(data))


def _files_from_json(data: Row) -> dict[str, WrittenFile]:
    files = cast("Mapping[str, Row]", data["files"])
    return {name: WrittenFile(**file) for name, file in files.items()}


@dataclass(frozen=True, kw_only=True)
class NoteAdded:
    """A note of a wrapper or a batch, such as a transport retry; `name` is its kind without the prefix."""

    name: str
    data: Mapping[str, JSON]
    attempt: int | None = field(default=None, init=False)
    unit: str | None = field(default=None, init=False)

    @property
    def kind(self) -> str:
        """The kind of the row."""
        return NOTE + self.name

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        return dict(self.data)


_KINDS: dict[str, Callable[[Row, Texts], LedgerEvent]] = {
    TextStored.KIND: TextStored.from_json,
    RoundStarted.KIND: RoundStarted.from_json,
    OptionsRecorded.KIND: OptionsRecorded.from_json,
    PromptDerived.KIND: PromptDerived.from_json,
    CallIntended.KIND: CallIntended.from_json,
    WritingFiles.KIND: WritingFiles.from_json,
    FilesWritten.KIND: FilesWritten.from_json,
}


def parse_event(kind: str, data: Row, texts: Texts, *, attempt: int | None, unit: str | None) -> LedgerEvent | None:
    """Return the event of a row; None if this version does not know its kind.

    Raises:
        KeyError, TypeError, ValueError: the data is not that of such a row.
    """
    if kind.startswith(NOTE):
        return NoteAdded(name=kind.removeprefix(NOTE), data=data)
    if kind == ReplyReceived.KIND:
        return ReplyReceived.from_json(data, texts, attempt)
    if kind == CallFailed.KIND:
        return CallFailed.from_json(data, texts, attempt)
    if kind == UnitSettled.KIND:
        return UnitSettled.from_json(data, texts, unit)
    read = _KINDS.get(kind)
    return read(data, texts) if read is not None else None

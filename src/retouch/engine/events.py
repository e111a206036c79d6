"""The rows of a ledger as values: one frozen dataclass per kind of row, with `to_json` and `from_json`.

No other module knows the keys of a row. `Record.append` takes an event, `History.apply` folds it. A long text is stored
once, as its own row: `to_json` gets a function that stores it and returns its hash, `from_json` the texts by hash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from retouch._lib.hashing import schema_text
from retouch._lib.json_text import shared_json
from retouch.engine.types import Issue, Message, Prompt, Reply, Request, RetryBudget, issues_from_json, issues_to_json

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

NOTE = "note:"  # prefix of the kinds of rows that wrappers and batches append
WHOLE_UNIT = 0  # the page number of an adopted text, which replaces all pages of its unit

Store: TypeAlias = Callable[[str], str]
Texts: TypeAlias = Mapping[str, str]
Row: TypeAlias = Mapping[str, Any]


class LedgerEvent(Protocol):
    """One row before it is appended to the ledger.

    `attempt` is the sequence number of its intent, `unit` its unit. Both may be None.
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
        """Return the row's data. Long texts go through `store` and are replaced by their hash."""
        ...


@dataclass(frozen=True, kw_only=True)
class _Row:
    """Base class of most rows: a constant kind, and neither attempt nor unit."""

    kind: str = field(init=False)
    attempt: int | None = field(default=None, init=False)
    unit: str | None = field(default=None, init=False)


@dataclass(frozen=True, kw_only=True)
class TextStored(_Row):
    """A long text, stored once. Other rows refer to it by hash."""

    kind: str = field(default="text", init=False)
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
    """A verb began with a new budget, which `grows` with the number of pages of a unit. `units` may be retried."""

    kind: str = field(default="round", init=False)
    verb: str
    units: tuple[str, ...]
    hint: str
    budget: RetryBudget
    grows: bool = False

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row."""
        grows: dict[str, JSON] = {"grows": True} if self.grows else {}
        return {"verb": self.verb, "units": [*self.units], "hint": self.hint, "budget": asdict(self.budget), **grows}

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> RoundStarted:
        """Return the event with the data of a row."""
        given: Any = {**data, "units": tuple(data["units"]), "budget": RetryBudget(**data["budget"])}
        return RoundStarted(**given)


@dataclass(frozen=True, kw_only=True)
class OptionsRecorded(_Row):
    """The models and options of a verb, and its intended last step, so that `resume` can repeat them."""

    kind: str = field(default="way", init=False)
    model: str
    fallbacks: tuple[str, ...]
    options: Mapping[str, JSON]
    ending: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])

    def to_json(self, store: Store) -> dict[str, JSON]:  # noqa: ARG002 - the protocol's signature
        """Return the data of the row. Its key "fallback" is the first one, "fallbacks" are all if there are several."""
        first = next(iter(self.fallbacks), "")
        data: dict[str, JSON] = {"model": self.model, "fallback": first, "options": dict(self.options)}
        if len(self.fallbacks) > 1:
            data["fallbacks"] = list(self.fallbacks)
        return {**data, "ending": dict(self.ending)} if self.ending else data

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> OptionsRecorded:
        """Return the event with the data of a row."""
        ending = data.get("ending", {})
        names = tuple(data.get("fallbacks", filter(None, [data["fallback"]])))
        return OptionsRecorded(model=data["model"], fallbacks=names, options=data["options"], ending=ending)


def _prompt_to_json(prompt: Prompt, store: Store) -> dict[str, JSON]:
    texts: dict[str, JSON] = {"system": store(prompt.system), "user": store(prompt.user)}
    return {**prompt.to_json(), **texts, **_schema_to_json(prompt.answer_schema, store)}


def _prompt_from_json(data: Row, texts: Texts) -> Prompt:
    found = {**data, "system": texts[data["system"]], "user": texts[data["user"]]}
    return Prompt.from_json({**found, "answer_schema": _schema_from_json(data, texts)})


def _schema_to_json(schema: Mapping[str, Any] | None, store: Store) -> dict[str, JSON]:  # as a text: many share one
    return {} if schema is None else {"answer_schema": store(schema_text(schema))}


def _schema_from_json(data: Row, texts: Texts) -> Mapping[str, Any] | None:
    return cast("Any", shared_json(texts[data["answer_schema"]])) if "answer_schema" in data else None


@dataclass(frozen=True, kw_only=True)
class PromptDerived(_Row):
    """A prompt that depends on values of other units."""

    kind: str = field(default="derived", init=False)
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
    """A request is about to be sent. The row is on disk before that. Its sequence number identifies the attempt."""

    kind: str = field(default="intent", init=False)
    why: str
    model: str
    request: Request
    stage: int = 0  # of a fallback, see `repairs`
    attempt: int | None = field(default=None, init=False)

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
            **_schema_to_json(request.answer_schema, store),
            **({"stage": self.stage} if self.stage else {}),
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
            answer_schema=_schema_from_json(data, texts),
        )
        return CallIntended(why=data["why"], model=data["model"], request=request, stage=data.get("stage", 0))


_OPTIONAL = frozenset({"parts", "reasoning", "reasoning_tokens", "finish_raw", "request_id", "usage", "schema_mode"})


def _reply_to_json(reply: Reply, store: Store) -> dict[str, JSON]:
    """Return a reply's data. Empty values are left out, as in older ledgers without these keys."""
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
    """The reply to an attempt, exactly as received. The row is appended before anything reads the text."""

    kind: str = field(default="reply", init=False)
    attempt: int | None
    reply: Reply
    seconds: float
    unit: str | None = field(default=None, init=False)

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        return {"reply": _reply_to_json(self.reply, store), "seconds": self.seconds}

    @staticmethod
    def from_json(data: Row, texts: Texts, attempt: int | None = None) -> ReplyReceived:
        """Return the event with the data of a row."""
        return ReplyReceived(attempt=attempt, reply=_reply_from_json(data["reply"], texts), seconds=data["seconds"])


@dataclass(frozen=True, kw_only=True)
class CallFailed:
    """The error of an attempt without a reply, and the part of a reply that was received."""

    kind: str = field(default="failure", init=False)
    attempt: int | None
    error: str
    seconds: float
    received: Reply | None = None
    unit: str | None = field(default=None, init=False)

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
    """The current text of one page, with its attempt, its prompt and its time.

    `attempt` is None if the user wrote it, or if it was imported from a `pages.json`. In the second case, `origin` is
    its metadata in that file. `at` is the time of the row (UTC, ISO 8601), set when it is appended or read.
    """

    text: str
    attempt: int | None
    prompt_hash: str
    by: str
    at: str = ""
    origin: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])


@dataclass(frozen=True, kw_only=True)
class AttemptChecked:
    """The result of the checks for one attempt, inside the row of its unit."""

    seq: int
    readable: bool
    taken: bool
    issues: tuple[Issue, ...]


@dataclass(frozen=True, kw_only=True)
class UnitSettled:
    """The state of a unit after a check, stored atomically as one row.

    `answers` replace the current ones by page: None for a removed page, and None as a whole if nothing changed.
    `issues` are those of the current answer. `retried` are the pages that wait for the reply to a retry. `charged` is
    the tier whose budget this row charges, for the pages in `new_retries` (None: all of `retried`). If `stage` is set,
    these pages go to a fallback (see `repairs`), and no budget is charged. `state` is "" while retries are possible,
    else "exhausted" or "disputed". `failed_tier` is the tier that failed last, even if that answer was rejected. It is
    0 if it equals the first tier of `issues`.
    """

    kind: str = field(default="settled", init=False)
    unit: str | None
    attempts: Sequence[AttemptChecked] = ()
    answers: Mapping[int, StoredAnswer | None] | None = None
    issues: tuple[Issue, ...] = ()
    retried: tuple[int, ...] = ()
    state: str = ""
    charged: int | None = None
    new_retries: tuple[int, ...] | None = None
    stage: int = 0
    failed_tier: int = 0
    attempt: int | None = field(default=None, init=False)

    @property
    def unusable_pages(self) -> tuple[int, ...]:
        """The pages without a usable reply: refused, filtered or truncated."""
        return tuple(issue.page for issue in self.issues if issue.page is not None and "finish" in issue.detail)

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        attempts: list[JSON] = [
            {"seq": one.seq, "readable": one.readable, "taken": one.taken, "issues": issues_to_json(one.issues)}
            for one in self.attempts
        ]
        answers = self.answers
        new: list[JSON] | None = None if self.new_retries is None else [*self.new_retries]
        optional: dict[str, JSON] = {"new_asked": new, "stage": self.stage or None}
        return {
            "attempts": attempts,
            "standing": None
            if answers is None
            else {str(page): _answer_to_json(answer, store) for page, answer in answers.items()},
            "issues": issues_to_json(self.issues),
            "rung": 0,  # of earlier versions
            "asked": list(self.retried),
            "state": self.state,
            "paid": self.charged,
            "failed": self.failed_tier,
            **{key: value for key, value in optional.items() if value is not None},
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
            retried=tuple(data["asked"]),
            state=data["state"],
            charged=data["paid"],
            failed_tier=data.get("failed", 0),
            new_retries=tuple(data["new_asked"]) if "new_asked" in data else None,
            stage=data.get("stage", 0),
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
    """A file as assembled: the hash of its text, and the hash of each unit's block.

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
    """The files are about to be written. The row is on disk before the first file changes."""

    kind: str = field(default="writing", init=False)

    @staticmethod
    def from_json(data: Row, _texts: Texts) -> WritingFiles:
        """Return the event with the data of a row."""
        return WritingFiles(files=_files_from_json(data))


@dataclass(frozen=True, kw_only=True)
class FilesWritten(_Files):
    """The files have been written."""

    kind: str = field(default="written", init=False)

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
    TextStored.kind: TextStored.from_json,
    RoundStarted.kind: RoundStarted.from_json,
    OptionsRecorded.kind: OptionsRecorded.from_json,
    PromptDerived.kind: PromptDerived.from_json,
    CallIntended.kind: CallIntended.from_json,
    WritingFiles.kind: WritingFiles.from_json,
    FilesWritten.kind: FilesWritten.from_json,
}


def parse_event(kind: str, data: Row, texts: Texts, *, attempt: int | None, unit: str | None) -> LedgerEvent | None:
    """Return the event of a row, or None if this version does not know its kind.

    Raises:
        KeyError, TypeError, ValueError: the data does not match the row's kind.
    """
    if kind.startswith(NOTE):
        return NoteAdded(name=kind.removeprefix(NOTE), data=data)
    if kind == ReplyReceived.kind:
        return ReplyReceived.from_json(data, texts, attempt)
    if kind == CallFailed.kind:
        return CallFailed.from_json(data, texts, attempt)
    if kind == UnitSettled.kind:
        return UnitSettled.from_json(data, texts, unit)
    read = _KINDS.get(kind)
    return read(data, texts) if read is not None else None

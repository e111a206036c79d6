"""The rows of a ledger as values: one frozen dataclass per kind of row, with `to_json` and `from_json`.

No other module knows the keys of a row. `Record.append` takes an event, `History.apply` folds it. A long text is stored
once, as its own row: `to_json` gets a function that stores it and returns its hash, `from_json` the texts by hash. The
rows about calls are in `call_events`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, cast

from retouch._lib.frozen import made
from retouch.engine.call_events import (
    CallFailed,
    CallIntended,
    PackIntended,
    PartReceived,
    PlainRow,
    ReplyReceived,
    TextStored,
    prompt_from_json,
    prompt_to_json,
)
from retouch.engine.types import Issue, Prompt, RetryBudget, issues_from_json, issues_to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.call_events import LedgerEvent, Row, Store, Texts

NOTE = "note:"  # prefix of the kinds of rows that wrappers and batches append
WHOLE_UNIT = 0  # the page number of an adopted text, which replaces all pages of its unit


@dataclass(frozen=True, kw_only=True)
class RoundStarted(PlainRow):
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
class OptionsRecorded(PlainRow):
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


@dataclass(frozen=True, kw_only=True)
class PromptDerived(PlainRow):
    """A prompt that depends on values of other units."""

    kind: str = field(default="derived", init=False)
    prompt: Prompt

    def to_json(self, store: Store) -> dict[str, JSON]:
        """Return the data of the row."""
        return prompt_to_json(self.prompt, store)

    @staticmethod
    def from_json(data: Row, texts: Texts) -> PromptDerived:
        """Return the event with the data of a row."""
        return PromptDerived(prompt=prompt_from_json(data, texts))


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
        return made(
            UnitSettled,
            kind=UnitSettled.kind,
            unit=unit,
            attempt=None,
            attempts=tuple(
                [
                    made(
                        AttemptChecked,
                        seq=one["seq"],
                        readable=one["readable"],
                        taken=one["taken"],
                        issues=issues_from_json(one["issues"]),
                    )
                    for one in data["attempts"]
                ]
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
    return made(
        StoredAnswer,
        text=texts[data["text"]],
        attempt=data["attempt"],
        prompt_hash=data["prompt_hash"],
        by=data["by"],
        at="",
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
class _Files(PlainRow):
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
    PackIntended.kind: PackIntended.from_json,
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
    if kind == PartReceived.kind:
        return PartReceived.from_json(data, texts, unit)
    read = _KINDS.get(kind)
    return read(data, texts) if read is not None else None

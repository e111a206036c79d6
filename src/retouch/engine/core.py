"""The nouns that are plain values: prompts, requests, replies, issues, attempts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from retouch.errors import ModelError

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
Severity: TypeAlias = Literal["error", "warning", "info"]
Finish: TypeAlias = Literal["end", "length", "refused", "filtered", "error"]


class Tier(IntEnum):
    """The order of checks: a unit that fails one tier is not judged by the next."""

    SYNTAX = 1
    SCHEMA = 2
    SEMANTIC = 3


@dataclass(frozen=True, kw_only=True)
class Issue:
    """What is wrong with one unit, written for the model that mends it and for a person.

    `page` (1-based) is None when the whole unit is to blame; `line` is 1-based within the page when a page is
    named, else within the unit. `fix` is the next step. `info` issues say what was not done; they change no status.
    """

    code: str
    message: str
    tier: Tier
    unit: str
    page: int | None = None
    line: int | None = None
    path: str | None = None
    detail: Mapping[str, JSON] = field(default_factory=dict[str, JSON])
    severity: Severity = "error"
    fix: str = ""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One stored call: the clean text of one page of one unit, with the keys it has in `prompts.json`."""

    type_name: str
    is_root: bool = False
    page: int = 1
    total_pages: int = 1
    system: str
    user: str

    @property
    def key(self) -> tuple[str, int]:
        """The prompt's identity: unit and page."""
        return self.type_name, self.page


@dataclass(frozen=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is really sent for one page.

    `breakpoints` are indexes into `messages` (-1 for the system text) after which a provider may cache the prefix.
    """

    prompt: Prompt
    system: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    temperature: float | None = None
    breakpoints: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What came back for one request.

    `input_tokens` is the total (cached and written ones included); `cost` is in US dollars, None when unknown.
    """

    text: str
    finish: Finish = "end"
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    cost: float | None = None


@dataclass(frozen=True, kw_only=True)
class Event:
    """A sign of life from a model at work: the first byte, or a piece of text."""

    kind: Literal["first_byte", "text"]
    text: str = ""


OnEvent: TypeAlias = Callable[[Event], None]


class Model(Protocol):
    """Anything that answers a request: a provider, a wrapper around one, a test's function.

    Raises `ModelError` (or its subclass `TransportError`) when no reply came.
    """

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the reply to `request`; `on_event` hears the first byte and each piece of text."""
        ...


class Journal(Protocol):
    """How wrappers and batches report to the ledger without importing it."""

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append one note; it is on disk before the next reply is."""
        ...

    async def synced(self) -> None:
        """Return when all notes so far are on disk."""
        ...


@dataclass(frozen=True, kw_only=True)
class Note:
    """One note of a journal, read again; `at` is UTC in ISO 8601."""

    kind: str
    at: str
    data: Mapping[str, JSON]


BATCH_PREPARED = "batch_prepared"
"""The kind of note that is on disk before a batch is created; its `entries` give the attempts by the entries' ids."""


COMPARE = "compare"
"""Why an attempt was made that only sets another model's answer beside what stands."""


class BatchModel(Protocol):
    """A model that answers many requests together: later, and for less."""

    name: str

    def answers(
        self,
        requests: Mapping[int, Request],
        journal: Journal,
        earlier: Sequence[Note],
        *,
        wait_s: float | None,
        told: Callable[[str], None],
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Yield what came for each of the `requests`, by attempt: a reply, or why there is none.

        What is on its way is noted in `journal` so that it is never bought twice; `earlier` are the notes of processes
        that ended before. After `wait_s` seconds (None: as long as it takes) what has not come is left on its way.
        `told` hears how it stands.

        Raises:
            ModelError: nothing can be sent at all.
        """
        ...


def nothing_kept(_key: str) -> JSON:
    """Recall nothing: no run is at work."""
    return None


def kept_nowhere(_key: str, _value: JSON) -> None:
    """Keep nothing: no run is at work."""


def no_session(_prompt: Prompt) -> bool:
    """Take no page for the first turn of a session."""
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class AtWork:
    """The run that is at work: where wrappers report to that were made before it began, and what they may know of it.

    `attempts` are all of its past ones, by their sequence numbers; it grows as the run goes on. `session` is the
    recipe's.
    """

    journal: Journal
    prompts: Sequence[Prompt]
    attempts: Mapping[int, Attempt]
    session: Callable[[Prompt], bool] = no_session


AT_WORK: ContextVar[AtWork | None] = ContextVar("at_work", default=None)
"""The run at work in this task, None outside of any."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """What a run may use; passed whole to checks and outside every hash.

    `compiler` is "auto", "none" or the name of one that must be there. `max_output_tokens` is the first cap of a
    request; a truncated page is asked again with a doubled one, up to `max_output_limit`. `grace_s` is how long a
    cancelled run waits for replies in flight. `workspace` is the person's project folder: checks may copy it, never
    write into it; `commands` are the programs that checks may run there, by name. `recall` gives back what a check
    has kept in this run under a key, None when nothing; `keep` keeps it.
    """

    compiler: str = "auto"
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    workspace: str = ""
    concurrency: int = 8
    max_output_tokens: int = 8_192
    max_output_limit: int = 65_536
    temperature: float | None = None
    check_timeout_s: float = 120.0
    warm_up_s: float = 60.0
    grace_s: float = 5.0
    recall: Callable[[str], JSON] = nothing_kept
    keep: Callable[[str, JSON], None] = kept_nowhere


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One row of the ledger: what was asked and why, what came back, what it cost, what was wrong with it.

    `seq` orders attempts; `reply` is None while a request is in flight or when none came (`error` says why);
    `readable` says that the unit could be read with this answer; `seconds` is the duration by a monotonic clock.
    """

    seq: int
    unit: str
    page: int
    why: str
    request: Request
    model: str
    at: str
    reply: Reply | None = None
    error: str | None = None
    seconds: float | None = None
    issues: tuple[Issue, ...] = ()
    readable: bool = False
    taken: bool = False

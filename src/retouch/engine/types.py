"""The values of the engine: prompts, requests, replies, issues, attempts, budgets. Nothing here does anything.

A `Prompt` is stored and never edited. A `Request` is what is sent for it, a `Reply` what comes back, an `Attempt` both
together with their outcome. An `Issue` describes an error; a `RetryBudget` limits how often it may be retried. `Usage`
adds up calls, tokens and cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from retouch._lib.hashing import canonical_hash, schema_text
from retouch._lib.json_text import JSON

if TYPE_CHECKING:
    from _hashlib import HASH


Severity: TypeAlias = Literal["error", "warning", "info"]
Finish: TypeAlias = Literal["end", "length", "refused", "filtered", "error", "repeated", "missing"]
SchemaMode: TypeAlias = Literal["", "strict", "relaxed", "json", "prompt"]
PageKey: TypeAlias = "tuple[str, int]"
"""A page's identity: the name of its unit and its number, from 1."""


class Tier(IntEnum):
    """The order of checks: a unit that fails one tier is not checked by the next."""

    SYNTAX = 1
    SCHEMA = 2
    SEMANTIC = 3
    RUNTIME = 4


@dataclass(frozen=True, kw_only=True)
class Issue:
    """A problem of one unit, written for the model that repairs it and for the user.

    `page` (from 1) is None if the issue concerns the whole unit. `line` counts from 1 within the page if a page is
    named, else within the unit. `fix` is the next step. An `info` issue reports a skipped action and changes no status.
    `pointers` are the JSON Pointers of the invalid parts of a JSON answer. If all errors of a page have them, only
    these parts may be requested again.
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
    pointers: tuple[str, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether it must be repaired, unlike warnings and infos."""
        return self.severity == "error"

    @property
    def is_failure(self) -> bool:
        """Whether it is an error of the answer, and not of a `tool` that could not run (see `detail`)."""
        return self.is_error and not self.detail.get("tool")

    def to_json(self) -> dict[str, JSON]:
        """Return the issue as plain data, with its tier as a number."""
        plain: dict[str, JSON] = {key: value for key, value in vars(self).items() if key != "pointers"}
        plain |= {"tier": int(self.tier), "detail": dict(self.detail)}
        return {**plain, "pointers": [*self.pointers]} if self.pointers else plain

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Issue:
        """Return the issue that `to_json` wrote. Unknown keys of later versions are ignored."""
        known: dict[str, Any] = {key: value for key, value in data.items() if key in _ISSUE_FIELDS}
        known["tier"] = Tier(data["tier"])
        known["pointers"] = tuple(data.get("pointers", ()))
        return Issue(**known)

    def summary(self) -> dict[str, JSON]:
        """Return the keys of an issue that commands print with `--json`."""
        return dict(zip(_SUMMARY_KEYS, map(self.to_json().get, _SUMMARY_KEYS), strict=True))


_ISSUE_FIELDS = frozenset(Issue.__dataclass_fields__)
_SUMMARY_KEYS = ("code", "tier", "unit", "page", "line", "message", "fix", "severity")


def issues_to_json(issues: Iterable[Issue]) -> list[JSON]:
    """Return `issues` as plain data."""
    return [issue.to_json() for issue in issues]


def issues_from_json(data: Iterable[Mapping[str, Any]]) -> tuple[Issue, ...]:
    """Return the issues that `issues_to_json` wrote."""
    return tuple(Issue.from_json(one) for one in data)


def errors_of(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the issues that must be repaired."""
    return tuple(issue for issue in issues if issue.is_error)


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """One stored call: the text of one page of one unit. Its keys in `prompts.json` are `to_json`'s.

    `answer_schema` is the JSON Schema of the expected answer, for providers that can enforce one. It is part of the
    prompt's hash, and stored only if it is set.
    """

    unit: str
    is_root: bool = False
    page: int = 1
    total_pages: int = 1
    system: str
    user: str
    answer_schema: Mapping[str, Any] | None = field(default=None, hash=False)

    @property
    def key(self) -> PageKey:
        """The prompt's identity: unit and page."""
        return self.unit, self.page

    @cached_property
    def content_hash(self) -> str:
        """The hash of the system text, the user text and the answer schema."""
        whole = _hash_of_system(self.system).copy()
        whole.update(self.user.encode("utf-8", "surrogatepass"))
        if self.answer_schema is not None:
            whole.update(f"\n{schema_text(self.answer_schema)}".encode("utf-8", "surrogatepass"))
        return "sha256:" + whole.hexdigest()

    def to_json(self) -> dict[str, JSON]:
        """Return the prompt as plain data; the stored key of `unit` is `type_name`."""
        data = vars(self).copy()
        data.pop("content_hash", None)
        if self.answer_schema is None:
            del data["answer_schema"]
        return {"type_name": data.pop("unit"), **data}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Prompt:
        """Return the prompt that `to_json` wrote."""
        return Prompt(unit=data["type_name"], **{key: value for key, value in data.items() if key != "type_name"})


@dataclass(frozen=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True, kw_only=True)
class Request:
    """The complete request for one page.

    `breakpoints` are indexes into `messages` (-1 for the system text) after which a provider may cache the prefix.
    `answer_schema` is the JSON Schema of the expected reply. It may differ from the prompt's: a repair may ask for a
    part of the answer, or for edits. A packed request (see `packs`) has the prompts of all its pages in `parts`, each
    with its key in the answer. Its `prompt` then has the identity of the first one.
    """

    prompt: Prompt
    system: str
    messages: tuple[Message, ...]
    max_output_tokens: int
    temperature: float | None = None
    breakpoints: tuple[int, ...] = ()
    answer_schema: Mapping[str, Any] | None = field(default=None, hash=False)
    parts: tuple[tuple[str, Prompt], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The response to one request.

    `text`, `parts` (if there are several), `reasoning`, `finish_raw`, `request_id` and `usage` are as the provider
    sent them; `finish` is normalized: "missing" means that a packed reply has no answer for the page. `input_tokens`
    includes cached and written ones, `output_tokens` includes `reasoning_tokens`. `cost` is in US dollars, None if
    unknown; `schema_mode` is how the answer schema was used (docs/reference/models.md), "" if it was not.
    """

    text: str
    finish: Finish = "end"
    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    cost: float | None = None
    parts: tuple[str, ...] = ()
    reasoning: str = ""
    reasoning_tokens: int = 0
    finish_raw: str = ""
    request_id: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    schema_mode: SchemaMode = ""


_HASHES_KEPT = 64  # texts


def prompt_hash(prompt: Prompt) -> str:
    """Return the hash of a prompt's system and user text and its answer schema. Its position in the plan is ignored.

    It is stored with the prompt, because each page needs its hash several times.
    """
    return prompt.content_hash


@lru_cache(maxsize=_HASHES_KEPT)
def _hash_of_system(system: str) -> HASH:
    """Return the hash of a prompt up to its user text, to be copied."""
    return sha256(f"{len(system)}\n{system}\n".encode("utf-8", "surrogatepass"))


def request_hash(request: Request) -> str:
    """Return the hash of the whole request, the key of caches and replays."""
    messages = [vars(message) for message in request.messages]
    content = {**vars(request), "prompt": request.prompt.to_json(), "messages": messages}
    if request.answer_schema is None:
        del content["answer_schema"]
    content["parts"] = [[key, prompt.to_json()] for key, prompt in request.parts]
    if not request.parts:
        del content["parts"]
    return canonical_hash(content)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One call and its outcome: the request and why it was made, the reply, its cost, and the issues of its answer.

    `seq` orders attempts. `reply` is None while a request is in flight, or if it failed (`error` has the reason).
    `received` is the partial reply of a failed request. `readable` is whether the unit could be read with this answer,
    `taken` is whether it became the current one. `seconds` is the duration by a monotonic clock. `stage` is 0 for the
    run's own model, else that of a fallback. A page that was answered by a packed request has its number in `pack`, and
    a share of its usage. The request is then the one that would have been sent for the page alone.
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
    received: Reply | None = None
    seconds: float | None = None
    issues: tuple[Issue, ...] = ()
    readable: bool = False
    taken: bool = False
    stage: int = 0
    pack: int | None = None
    calls: int = 1  # 0 for all pages of a packed request but the first

    @property
    def has_answer(self) -> bool:
        """Whether its reply has something for the page, whatever it is worth."""
        return self.reply is not None and self.reply.finish != "missing"

    @property
    def is_checked(self) -> bool:
        """Whether its reply was read and checked. An interrupted run may leave replies unchecked."""
        return bool(self.issues) or self.readable


@dataclass(frozen=True, kw_only=True)
class Usage:
    """The calls that got a reply, their tokens and their cost. Add values with `+`.

    `input_tokens` is the total, cached and written ones included. `cost` is in US dollars, None if the price of any
    call is unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            written_tokens=self.written_tokens + other.written_tokens,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
        )

    @property
    def tokens(self) -> int:
        """All tokens, input and output."""
        return self.input_tokens + self.output_tokens

    @property
    def price(self) -> str:
        """The cost as text. An unknown cost is never shown as zero."""
        return "unknown" if self.cost is None else f"${self.cost:,.4f}"

    @property
    def spent(self) -> str:
        """The cost as a part of a sentence: "$0.0312", or "cost unknown"."""
        return "cost unknown" if self.cost is None else self.price

    @staticmethod
    def of_replies(replies: Iterable[tuple[Reply | None, int]]) -> Usage:
        """Return the usage of replies, each with its number of calls: 0 for all pages of a shared request but one."""
        paid = [(reply, calls) for reply, calls in replies if reply is not None]
        return Usage(
            calls=sum([calls for _, calls in paid]),
            input_tokens=sum([reply.input_tokens for reply, _ in paid]),
            output_tokens=sum([reply.output_tokens for reply, _ in paid]),
            cached_tokens=sum([reply.cached_tokens for reply, _ in paid]),
            written_tokens=sum([reply.written_tokens for reply, _ in paid]),
            cost=None if None in (costs := [reply.cost for reply, _ in paid]) else sum(filter(None, costs), 0.0),
        )

    @staticmethod
    def of_attempts(attempts: Iterable[Attempt]) -> Usage:
        """Return the usage of the attempts that got a reply."""
        return Usage.of_replies([(one.reply, one.calls) for one in attempts])


_PAGES_FOR_MORE_TIER3 = 8


@dataclass(frozen=True)
class RetryBudget:
    """The remaining retries of one unit: per tier and in total.

    The value is frozen, so `consume` returns a new one.
    """

    tier1_remaining: int = 2
    tier2_remaining: int = 2
    tier3_remaining: int = 1
    total_remaining: int = 3

    def can_retry(self, tier: int) -> bool:
        """Return whether a retry after a failure in `tier` (1, 2 or 3) is left. False for any other tier."""
        return self.total_remaining > 0 and self._remaining_in(tier) > 0

    def consume(self, tier: int) -> RetryBudget:
        """Return the budget after one retry for `tier`: one less for the tier and one less in total.

        Raises:
            ValueError: nothing is left for `tier`; call `can_retry` first.
        """
        if not self.can_retry(tier):
            raise ValueError(f"no retry left for tier {tier!r} in {self}; call can_retry first")
        spent = {f"tier{int(tier)}_remaining": self._remaining_in(tier) - 1}
        return replace(self, total_remaining=self.total_remaining - 1, **spent)

    def for_pages(self, pages: int) -> RetryBudget:
        """Return the budget of a unit with that many pages. This value is the budget for one page.

        With g = ceil(log2(pages)), tiers 1 and 2 get g more retries each, tier 3 gets one more from 8 pages on, and the
        total gets 2g more.

        assert RetryBudget(9, 9, 2, 17) == RetryBudget().for_pages(114)
        """
        more = max(pages - 1, 0).bit_length()
        return RetryBudget(
            tier1_remaining=self.tier1_remaining + more,
            tier2_remaining=self.tier2_remaining + more,
            tier3_remaining=self.tier3_remaining + (1 if pages >= _PAGES_FOR_MORE_TIER3 else 0),
            total_remaining=self.total_remaining + 2 * more,
        )

    def _remaining_in(self, tier: int) -> int:
        return {1: self.tier1_remaining, 2: self.tier2_remaining, 3: self.tier3_remaining}.get(int(tier), 0)


@dataclass(frozen=True, kw_only=True)
class Event:
    """A stream event of a model: the first byte, or a piece of text."""

    kind: Literal["first_byte", "text"]
    text: str = ""


OnEvent: TypeAlias = Callable[[Event], None]


class AnswerRepeats(Exception):
    """Raised by a listener to a model's events if the answer repeats itself endlessly. Stop receiving it.

    A model that can stop in time returns the received text with the finish "repeated".
    """


class Model(Protocol):
    """Any async callable that answers a request: a provider, a wrapper around one, a function in a test.

    Raises `ModelError` (or its subclass `TransportError`) if no reply arrived.
    """

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the reply to `request`. `on_event` receives the first byte and each piece of text."""
        ...


def model_name(model: Model) -> str:
    """Return a model's name for the ledger, before it has replied."""
    name = getattr(model, "name", None)
    return name if isinstance(name, str) else type(model).__name__


def caches_prefixes(model: Model) -> bool:
    """Return whether a model's provider caches the beginning of each request by itself (`caches_prefixes`).

    Then a retry repeats the clean prompt unchanged and adds to its end, so that the prompt is a cache hit.
    """
    return getattr(model, "caches_prefixes", False) is True


def may_cache(model: Model, shared: str) -> bool:
    """Return whether a provider's cache can take `shared`, the beginning of several requests. True if not known."""
    known: Callable[[str], bool] | None = getattr(model, "may_cache", None)
    return known is None or known(shared)


class Journal(Protocol):
    """How wrappers and batches report to the ledger without importing it."""

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append one note. It is on disk before the next reply."""
        ...

    async def synced(self) -> None:
        """Return when all notes so far are on disk."""
        ...


@dataclass(frozen=True, kw_only=True)
class Note:
    """One stored note of a journal. `at` is UTC in ISO 8601, `seq` the number of its row."""

    kind: str
    at: str
    data: Mapping[str, JSON]
    seq: int = 0


BATCH_PREPARED = "batch_prepared"
"""The kind of note that is on disk before a batch is created. Its `entries` map entry ids to attempts."""

OFFLINE = "offline"
"""The name of the model that answers by a recipe's own rules, and the `why` of its attempts as the last strategy."""

COMPARE = "compare"
"""The `why` of an attempt that gets another model's answer for a comparison."""

RECORDED_COST = "recorded_cost"  # the key of a replayed reply's usage: what it had cost when it was recorded


def never_starts_a_session(_prompt: Prompt) -> bool:
    """Treat no page as the first turn of a session."""
    return False


@dataclass(frozen=True, kw_only=True, eq=False)
class CurrentRun:
    """The active run, as seen by wrappers: the journal for their notes, and some of the run's state.

    `attempts` are those so far by sequence number; the mapping grows. `session` is the recipe's function.
    """

    journal: Journal
    prompts: Sequence[Prompt]
    attempts: Mapping[int, Attempt]
    session: Callable[[Prompt], bool] = never_starts_a_session


CURRENT_RUN: ContextVar[CurrentRun | None] = ContextVar("current_run", default=None)
"""The active run of this task, None outside of runs."""

FIRST_PART, TWO_PARTS = "firstpart", "twoparts"
"""The `why` of the attempts at both parts of a page in two parts. The second one is the retry."""


def strategy_of(attempt: Attempt) -> str:
    """Return the repair strategy of an attempt, or "" if it is only the first half of a retry."""
    if attempt.why != FIRST_PART:
        return attempt.why
    return "" if attempt.reply is not None and attempt.reply.finish == "end" else TWO_PARTS

"""The options of a verb, and its progress reports."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from retouch._lib.process.verdicts import CheckOptions

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON
    from retouch.engine.types import Journal, Model, Note, Reply, Request, RetryBudget
    from retouch.errors import ModelError

ProgressKind: TypeAlias = Literal[
    "asked",
    "waiting",
    "text",
    "answered",
    "failed",
    "mended",
    "repairing",
    "settled",
    "checking",
    "checked",
    "batch",
    "stopping",
    "done",
]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One event of an active run. `done` of `total` pages have an answer. `text` explains the event to the user.

    `reply` is the reply that arrived, if this event is its arrival; None if an earlier process had it already. A page
    that is called again, for a repair or by `regenerate`, has no answer until its new reply was checked. "asked" and
    "repairing" are sent with the request: `request` is what is sent, and `model` the name of the model. "checking" and
    "checked" are sent around each check of tier 3; `text` of the second one is "passed", "not run" or the number of
    errors. "stopping" is sent when a cancelled run starts to wait for pending replies.
    """

    kind: ProgressKind
    unit: str = ""
    page: int = 0
    text: str = ""
    done: int = 0
    total: int = 0
    reply: Reply | None = None
    request: Request | None = None
    model: str = ""


Watch: TypeAlias = Callable[[Progress], None]
DEFAULT_WATCH: ContextVar[Watch | None] = ContextVar("default_watch", default=None)
"""The watcher of runs whose options have none, such as those of a worker process."""


class Tell(Protocol):
    """Reports progress to the watcher of a run, if there is one."""

    def __call__(
        self,
        kind: ProgressKind,
        unit: str = "",
        page: int = 0,
        text: str = "",
        *,
        reply: Reply | None = None,
        request: Request | None = None,
        model: str = "",
    ) -> None:
        """Report one event."""
        ...


def no_cached_result(_key: str) -> JSON:
    """Return None: no run is active, so nothing is cached."""
    return None


def no_result_cache(_key: str, _value: JSON) -> None:
    """Do nothing: no run is active that could cache a result."""


class BatchModel(Protocol):
    """A model that answers many requests together, later and at a lower price."""

    name: str

    def answers(
        self,
        requests: Mapping[int, Request],
        journal: Journal,
        earlier: Sequence[Note],
        *,
        wait_s: float | None,
        on_status: Callable[[str], None],
    ) -> AsyncGenerator[tuple[int, Reply | ModelError]]:
        """Yield the outcome of each of the `requests`, by attempt: a reply, or an error.

        Requests in flight are noted in `journal`, so that none is paid for again. `earlier` are the notes of earlier
        processes. Requests without a response after `wait_s` seconds (None: no limit) stay pending at the provider.
        `on_status` receives progress messages.

        Raises:
            ModelError: nothing can be sent at all.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Batching:
    """The options for first answers through a batch API.

    If `submit` is False, nothing new is sent, and only the results of earlier batches are collected. After
    `wait_s` seconds (None: no limit) the verb ends, and requests without a response stay pending.
    """

    model: BatchModel
    submit: bool = True
    wait_s: float | None = None


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """All options of a verb, passed as one value. They are not part of any hash.

    For calls: `concurrency`; `max_output_tokens` is the first output cap of a request (a truncated page is retried with
    a doubled one, up to `max_output_limit`); `temperature`; `loop_guard` stops an answer that repeats itself without
    end; `pack` is the maximum number of pages per request (None: the recipe's default, 1: one page per request);
    `warm_up_s` limits how long other requests wait for the first one of a shared system prompt; `grace_s` is how long a
    cancelled run waits for replies in flight; `fallback` is the model, or the models in order, to use if the run's own
    cannot repair a page within the retry budget; `offline_last` then uses the recipe's own rules, if the recipe
    declares that they answer completely; `batching` requests first answers through a batch API; `budget` replaces the
    recipe's own for this verb; `max_cost_usd` is the limit of all that the run may cost, which the models enforce, and
    which is stored for `resume`.

    For checks: `compiler` is "auto", "none" or the name of one that must be installed; `runtime` requests the checks
    that execute the result, if the recipe has them; `workspace` is the user's project directory (checks may copy it,
    never write into it); `commands` are the programs that checks may run there, by name; `check_timeout_s`; `checks` is
    how the user's own commands are run. `recall` returns the result that a check has cached in this run under a key,
    None if there is none; `keep` caches one. The engine provides both.

    `allow_removal` are names that answers may remove although no request names them, as patterns. A run keeps them.

    For the run directory: `wait` waits for another process that writes into it; `force` overwrites manual edits;
    `ignore_stale` works with prompts of an older source, and lets `generate` keep answered prompts that another version
    of the recipe planned. `watch` receives progress. `ending` describes how the caller finishes the work after the
    loop, so that `resume` in another process can do the same. None keeps the value of an earlier verb.
    """

    compiler: str = "auto"
    runtime: bool = False
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    workspace: str = ""
    concurrency: int = 8
    max_output_tokens: int = 8_192
    max_output_limit: int = 65_536
    temperature: float | None = None
    loop_guard: bool = True
    pack: int | None = None
    check_timeout_s: float = 120.0
    checks: CheckOptions = CheckOptions()
    warm_up_s: float = 60.0
    grace_s: float = 5.0
    fallback: Model | Sequence[Model] | None = None
    offline_last: bool = True
    batching: Batching | None = None
    budget: RetryBudget | None = None
    max_cost_usd: float | None = None
    wait: bool = False
    force: bool = False
    ignore_stale: bool = False
    allow_removal: tuple[str, ...] = ()
    watch: Watch | None = None
    ending: Mapping[str, JSON] | None = None
    recall: Callable[[str], JSON] = no_cached_result
    keep: Callable[[str, JSON], None] = no_result_cache

    @property
    def fallbacks(self) -> tuple[Model, ...]:
        """The fallback models, in order."""
        if self.fallback is None:
            return ()
        return tuple(self.fallback) if isinstance(self.fallback, Sequence) else (self.fallback,)

    def stored(self) -> dict[str, JSON]:
        """Return the options that are stored in the ledger, so that a run can be resumed with them."""
        given: dict[str, Any] = {name: getattr(self, name) for name in STORED_OPTIONS}
        for name in ("pack", "max_cost_usd"):
            if given[name] is None:
                del given[name]
        lists: dict[str, JSON] = {"allow_removal": list(self.allow_removal)} if self.allow_removal else {}
        return {**given, "commands": dict(self.commands), "checks": self.checks.to_json(), **lists}

    @staticmethod
    def from_stored(data: Mapping[str, Any]) -> RunOptions:
        """Return the options that `stored` wrote. Unknown keys of later versions are ignored."""
        known: dict[str, Any] = {name: value for name, value in data.items() if name in STORED_OPTIONS}
        allowed = tuple(data.get("allow_removal", ()))
        return RunOptions(**known, checks=CheckOptions.from_json(data.get("checks", {})), allow_removal=allowed)


STORED_OPTIONS = (
    "compiler",
    "commands",
    "workspace",
    "concurrency",
    "max_output_tokens",
    "max_output_limit",
    "temperature",
    "loop_guard",
    "pack",
    "max_cost_usd",
    "check_timeout_s",
    "warm_up_s",
    "grace_s",
    "offline_last",
)
DEFAULT_OPTIONS = RunOptions()

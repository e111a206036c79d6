"""The calls of one verb: everything that is asked goes through here, whatever the verb does with the replies."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from retouch.engine.calls import Caller, ask_all
from retouch.engine.types import CURRENT_RUN, CurrentRun
from retouch.engine.usage import RETRY
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.calls import PlannedCall
    from retouch.engine.options import RunOptions, Tell
    from retouch.engine.record import Record
    from retouch.engine.types import Attempt, Event, Prompt


class VerbCalls:
    """Asks, tells the watcher, and knows which replies came in by this verb and not by an earlier one."""

    def __init__(
        self,
        record: Record,
        options: RunOptions,
        prompts: Sequence[Prompt],
        tell: Tell,
        *,
        session: Callable[[Prompt], bool],
    ) -> None:
        self._record, self._options, self._prompts, self._tell = record, options, prompts, tell
        self._session = session
        self._caller = Caller(record, options, self._heard)
        self._last_before = record.history.last_seq
        attempts = record.history.attempts.values()
        self._open_before = frozenset(one.seq for one in attempts if one.reply is None and one.error is None)

    @contextmanager
    def at_work(self) -> Generator[None]:
        """Let retries, cache plans and batches know the run they work for."""
        attempts = self._record.history.attempts
        run = CurrentRun(journal=self, prompts=self._prompts, attempts=attempts, session=self._session)
        before = CURRENT_RUN.set(run)
        try:
            yield
        finally:
            with suppress(ValueError):  # the collector closes a task that was broken off in another context
                CURRENT_RUN.reset(before)

    def note(self, kind: str, data: Mapping[str, JSON]) -> None:
        """Append a note of a wrapper; who watches hears of a wait."""
        self._record.note(kind, data)
        if kind == RETRY:
            raw: Any = data
            text = f"{raw['error']} (try {raw['try']} failed, the next one in {raw['wait_s']:.0f} s)"
            self._tell("waiting", raw["unit"], raw["page"], text=text)

    async def synced(self) -> None:
        """Return when all notes so far are on disk."""
        await self._record.synced()

    async def ask(
        self, asks: Iterable[PlannedCall], landed: Callable[[PlannedCall, Attempt], Sequence[PlannedCall]]
    ) -> None:
        """Ask each of `asks`, and what `landed` gives in return for its attempt, which has a reply or a failure.

        Raises:
            ModelError: a model cannot answer at all; what arrived before is kept.
            BadInput: nothing may be asked at once.
        """
        if self._options.concurrency < 1:
            raise BadInput(f"concurrency is {self._options.concurrency!r}", hint="At least 1 call at once is needed.")

        async def one(ask: PlannedCall) -> Sequence[PlannedCall]:
            key = ask.prompt.key
            self._tell("asked" if ask.repair is None else "repairing", *key, text=ask.why)
            attempt = await self._caller.call(ask)
            reply = attempt.reply if self._came(attempt) else None
            self._tell("failed" if attempt.reply is None else "answered", *key, text=attempt.error or "", reply=reply)
            return landed(ask, attempt)

        await ask_all(asks, one, concurrency=self._options.concurrency)

    def came(self) -> list[Attempt]:
        """Return the attempts whose reply or failure came in by this verb; those of a batch were made by an earlier."""
        return [attempt for attempt in self._record.history.attempts.values() if self._came(attempt)]

    def _came(self, attempt: Attempt) -> bool:
        return attempt.seq > self._last_before or attempt.seq in self._open_before

    def _heard(self, ask: PlannedCall, event: Event) -> None:
        if event.text:
            self._tell("text", *ask.prompt.key, text=event.text)

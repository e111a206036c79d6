"""Progress of a run for the user: a live line in a terminal, plain lines when piped, nothing if silent."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.failure import printable

if TYPE_CHECKING:
    from collections.abc import Generator

    from retouch.engine.options import Progress, Watch
    from retouch.engine.types import Reply

_LOGGED = frozenset({"failed", "mended", "repairing", "settled", "batch", "waiting"})
_IN_WORDS = frozenset({"batch", "waiting"})
_STANDINGS = frozenset({"settled", "batch"})  # only repeated if they have changed


@contextmanager
def watching(*, silent: bool) -> Generator[Watch | None]:
    """Yield the function that receives progress, and clear its output at the end. None if `silent`."""
    if silent:
        yield None
    elif sys.stderr.isatty():
        with live_bar("pages") as bar:
            yield Live(bar)
    else:
        yield Lines()


class Lines:
    """Prints progress as log lines: each settled unit, and repairs of units that did not pass at first.

    Every `every_s` seconds it prints the usage so far. Of the waits for a server, it prints the first, and then one per
    `wait_s`. A failure that several requests share is printed once.
    """

    def __init__(self, *, every_s: float = 30.0, wait_s: float = 5.0) -> None:
        self._told: dict[str, str] = {}
        self._meter = Meter()
        self._every_s = every_s
        self._next_s = time.monotonic() + every_s
        self._wait_s = wait_s
        self._next_wait_s = 0.0
        self._last_failure = ""

    def __call__(self, event: Progress) -> None:
        """Print one event as one line on stderr, unless it repeats the last one."""
        self._meter = self._meter.after(event)
        if self._meter.calls and time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + self._every_s
            _print_to_stderr(f"[{event.done}/{event.total}] {self._meter.words}")
        if event.kind not in _LOGGED:
            return
        if event.kind == "waiting":
            if time.monotonic() < self._next_wait_s:
                return
            self._next_wait_s = time.monotonic() + self._wait_s
        if event.kind == "failed" and event.text:
            if event.text == self._last_failure:
                return
            self._last_failure = event.text
        if event.kind in _STANDINGS:
            if self._told.get(event.unit) == event.text:
                return
            self._told[event.unit] = event.text
        place = f"[{event.done}/{event.total}] " if event.total else ""
        page = f" page {event.page}" if event.page else ""
        text = f": {event.text}" if event.text else ""
        _print_to_stderr(printable(f"{place}{event.kind} {event.unit}{page}{text}".replace("\n", " ")))


def _print_to_stderr(line: str) -> None:
    """Print a line to stderr. A closed stderr does not end the run."""
    with suppress(OSError):
        click.echo(line, err=True)


@contextmanager
def live_bar(noun: str) -> Generator[Any]:
    """Yield a progress bar on stderr with a method `show(done, total, words)`. It is removed at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Shown

    console = Console(stderr=True)
    wide = console.width >= 100
    columns = (SpinnerColumn(), BarColumn(bar_width=24 if wide else 8), MofNCompleteColumn(), TextColumn(noun))
    words = TextColumn("{task.description}", markup=False)
    # It has no thread, because a fleet forks while the bar is shown.
    with Shown(*columns, TimeElapsedColumn(), words, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=None)
        yield Bar(bar, task, room=console.width - len(noun) - (38 if wide else 22))


class Bar:
    """A progress bar on one line of a terminal, followed by a text that is cut at the end of the line."""

    def __init__(self, bar: Any, task: Any, *, room: int) -> None:
        self._bar = bar
        self._task = task
        self._room = room

    def show(self, done: int, total: int, words: str) -> None:
        """Redraw the bar."""
        room = max(self._room - len(f"{done}/{total}"), 1)
        words = words if len(words) <= room else f"{words[: room - 1]}…"
        self._bar.update(self._task, completed=done, total=total or None, description=words, refresh=True)


class Live:
    """Counts the events of a run and shows them on one line."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._counts: Counter[str] = Counter()
        self._meter = Meter()

    def __call__(self, event: Progress) -> None:
        """Update the line with one event."""
        self._meter = self._meter.after(event)
        if event.kind == "text":
            return
        self._counts[event.kind] += 1
        named = {"asked": "asked", "answered": "answered", "mended": "mended", "repairing": "repaired"}
        counts = ", ".join(f"{self._counts[kind]} {name}" for kind, name in named.items() if self._counts[kind])
        unit = printable(event.text if event.kind in _IN_WORDS else event.unit or event.kind)
        self._bar.show(event.done, event.total, " · ".join(part for part in (unit, counts, self._meter.words) if part))


@dataclass(frozen=True, kw_only=True)
class Meter:
    """Calls and tokens of a run so far. `cost` is in US dollars, None if a price was unknown.

    `already` is how many pages had an answer before the first call, `done` of `total` have one now.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    already: int | None = None
    done: int = 0
    total: int = 0

    def after(self, event: Progress) -> Meter:
        """Return the sums with one more event."""
        already = event.done if self.already is None else self.already
        now = replace(self, already=already, done=event.done, total=event.total)
        return now if event.reply is None else now.plus(event.reply)

    def plus(self, reply: Reply) -> Meter:
        """Return the sums with one more reply."""
        return replace(
            self,
            calls=self.calls + 1,
            input_tokens=self.input_tokens + reply.input_tokens,
            output_tokens=self.output_tokens + reply.output_tokens,
            cached_tokens=self.cached_tokens + reply.cached_tokens,
            cost=None if self.cost is None or reply.cost is None else self.cost + reply.cost,
        )

    @property
    def calls_left(self) -> int | None:
        """The estimated number of calls for the unanswered pages, at the current rate. None before the first answer."""
        answered = self.done - (self.already or 0)
        return round(self.calls / answered * (self.total - self.done)) if answered > 0 else None

    @property
    def words(self) -> str:
        """The sums in words, "" before the first call. An unknown cost is never shown as zero."""
        if not self.calls:
            return ""
        tokens = self.input_tokens + self.output_tokens
        share = self.cached_tokens / self.input_tokens if self.input_tokens else 0.0
        spent = "cost unknown" if self.cost is None else f"${self.cost:,.4f}"
        told = f"{self.calls:,} calls, {tokens:,} tokens, {share:.0%} of input cached, {spent}"
        left = self.calls_left
        if not left:
            return told
        more = "" if self.cost is None else f", ${self.cost / self.calls * left:,.4f}"
        return f"{told}; about {left:,} calls{more} to go"

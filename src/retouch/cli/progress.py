"""Progress of a run at work: a live line in a terminal, plain lines in a log, and an answer to Ctrl-C in both."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Event, RLock, Thread
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.colour import is_live_terminal
from retouch.cli.failure import printable
from retouch.cli.output import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from retouch.engine.options import Progress, Watch
    from retouch.engine.types import Reply

STOP_NOW = "press again to stop now"
_LOGGED = frozenset({"failed", "mended", "repairing", "settled", "batch", "waiting"})
_EXPLAINED = frozenset({"batch", "waiting"})  # the text of these events is shown, not the name of the unit
_REPEATED = frozenset({"settled", "batch"})  # printed again only if the text has changed
_CALLED, _RETURNED = frozenset({"asked", "repairing"}), frozenset({"answered", "failed"})
_FRAME_S = 0.125  # between two frames of the live line
_drawing = RLock()  # held while the terminal is written to
if hasattr(os, "register_at_fork"):  # fork only between two frames: a fork during one inherits held locks
    os.register_at_fork(before=_drawing.acquire, after_in_parent=_drawing.release, after_in_child=_drawing.release)


@contextmanager
def watching(*, silent: bool, may_trace: bool = True) -> Generator[Watch]:
    """Yield the function that receives progress, and clear what it drew. If `silent`, only Ctrl-C is answered.

    With the variable RETOUCH_TRACE it also makes the spans of OpenTelemetry, unless `may_trace` is False.
    """
    if may_trace and os.environ.get("RETOUCH_TRACE"):
        from retouch.cli.tracing import tracing

        with watching(silent=silent, may_trace=False) as watch, tracing(watch) as traced:
            yield traced
    elif silent:
        yield Stopping()
    elif is_live_terminal(sys.stderr):
        with live_bar("pages") as bar:
            yield Live(bar)
    else:
        lines = Lines(every_s=10.0 if sys.stderr.isatty() else 30.0)
        with ticking(lines.tick, every_s=1.0):
            yield lines


@dataclass(frozen=True, kw_only=True)
class Meter:
    """Calls and tokens of a run so far; `cost` is in US dollars, None once a price was unknown.

    `already` pages had an answer before the first call; `done` of `total` have one now. `pending` requests were sent
    and have no reply yet; `repairs` of all requests were repairs, and `fixes` are repairs that took no request.
    """

    calls: int = 0
    pending: int = 0
    repairs: int = 0
    fixes: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    already: int | None = None
    done: int = 0
    total: int = 0

    def after(self, event: Progress) -> Meter:
        """Return the sums with one more event."""
        if event.kind == "text":
            return self
        now = replace(
            self,
            already=event.done if self.already is None else self.already,
            done=event.done,
            total=event.total,
            pending=max(self.pending + (event.kind in _CALLED) - (event.kind in _RETURNED), 0),
            repairs=self.repairs + (event.kind == "repairing"),
            fixes=self.fixes + (event.kind == "mended"),
        )
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
        """About how many calls the pages without an answer will take, at the rate so far; None before one has one."""
        answered = self.done - (self.already or 0)
        return round(self.calls / answered * (self.total - self.done)) if answered > 0 else None

    @property
    def spent(self) -> str:
        """The cost as text; an unknown cost is never shown as zero."""
        return "cost unknown" if self.cost is None else f"${self.cost:,.4f}"

    @property
    def expected(self) -> str:
        """The pending replies as text, "" if there are none."""
        return f"waiting for {counted(self.pending, 'reply')}" if self.pending else ""

    @property
    def used(self) -> str:
        """Calls and tokens as text, and what kind of calls they were."""
        tokens = self.input_tokens + self.output_tokens
        share = self.cached_tokens / self.input_tokens if self.input_tokens else 0.0
        parts = [counted(self.calls, "call"), counted(tokens, "token"), f"{share:.0%} of input cached"]
        parts += [counted(self.repairs, "repair")] if self.repairs else []
        parts += [counted(self.fixes, "automatic fix")] if self.fixes else []
        return ", ".join(parts)

    @property
    def to_go(self) -> str:
        """The remaining work as text, "" if there is none or if it is unknown."""
        left = self.calls_left
        if not left:
            return ""
        more = "" if self.cost is None else f", ${self.cost / self.calls * left:,.4f}"
        return f"about {counted(left, 'call')}{more} to go"

    @property
    def words(self) -> str:
        """The sums as text, "" before the first request."""
        sums = f"{self.spent}, {self.used}" if self.calls else ""
        return "; ".join(part for part in (sums, self.expected, self.to_go) if part)

    def line(self, now: str) -> str:
        """Return the sums with the present work in them; what matters most comes first."""
        spent, used = (self.spent, self.used) if self.calls else ("", "")
        return " · ".join(part for part in (spent, self.expected, now, self.to_go, used) if part)


class Stopping:
    """Answers Ctrl-C at once, also if no progress is shown: how long the command waits, and for what."""

    def __call__(self, event: Progress) -> None:
        """Print the event if it is the answer to Ctrl-C."""
        if event.kind == "stopping":
            print_line(f"{event.text}; {STOP_NOW}")


@dataclass(eq=False, kw_only=True)
class Lines:
    """Prints what a log should hold: each unit that settled, and each repair of one that did not pass at once.

    Only events of these `kinds` are printed. Every `every_s` seconds it prints what was spent and how many replies are
    pending. It prints the first wait for a server, and then one per `wait_s`. If one request after another waits or
    fails for the same reason, that is printed once, until a reply arrives.
    """

    every_s: float = 30.0
    wait_s: float = 5.0
    kinds: frozenset[str] = _LOGGED
    _printed: dict[str, str] = field(init=False, default_factory=dict[str, str])
    _meter: Meter = field(init=False, default_factory=Meter)
    _sums_s: float = field(init=False, default_factory=time.monotonic)
    _next_wait_s: float = field(init=False, default=0.0)
    _reason: str = field(init=False, default="")

    def __call__(self, event: Progress) -> None:
        """Print one event as one line on stderr, unless it is not new."""
        with _drawing:
            self._meter = self._meter.after(event)
            self.tick()
            if event.kind == "answered":
                self._reason = ""
            if event.kind == "stopping":
                print_line(f"{event.text}; {STOP_NOW}")
            elif event.kind in self.kinds and self._is_new(event):
                place = f"[{event.done}/{event.total}] " if event.total else ""
                page = f" page {event.page}" if event.page else ""
                text = f": {event.text}" if event.text else ""
                print_line(f"{place}{event.kind} {event.unit}{page}{text}")

    def tick(self) -> None:
        """Print the sums if it is time to, and if anything was sent."""
        if time.monotonic() >= self._sums_s + self.every_s and self._meter.words:
            self._sums_s = time.monotonic()
            print_line(f"[{self._meter.done}/{self._meter.total}] {self._meter.words}")

    def _is_new(self, event: Progress) -> bool:
        if event.kind == "waiting":
            before, self._reason = self._reason, event.text.partition(" (try ")[0]
            is_due = time.monotonic() >= self._next_wait_s and before != self._reason
            self._next_wait_s = time.monotonic() + self.wait_s if is_due else self._next_wait_s
            return is_due
        if event.kind == "failed" and event.text:
            is_known = bool(self._reason) and self._reason in event.text
            self._reason = self._reason if is_known else event.text
            return not is_known
        if event.kind in _REPEATED:
            before, self._printed[event.unit] = self._printed.get(event.unit, ""), event.text
            return before != event.text
        return True


def print_line(line: str) -> None:
    """Print a line on stderr. A closed stderr does not end the run."""
    with suppress(OSError):
        click.echo(printable(line.replace("\n", " ")), err=True)


@contextmanager
def ticking(tick: Callable[[], object], *, every_s: float) -> Generator[None]:
    """Call `tick` every `every_s` seconds from a thread, so that the display moves while a model thinks."""
    over = Event()

    def run() -> None:
        while not over.wait(every_s):
            with _drawing, suppress(OSError):
                tick()

    thread = Thread(target=run, name="retouch-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def live_bar(noun: str) -> Generator[Bar]:
    """Yield a bar on stderr, with a spinner and a clock that move by themselves. It disappears at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Shown

    console = Console(stderr=True)
    wide = console.width >= 100
    columns = (SpinnerColumn(), BarColumn(bar_width=24 if wide else 8), MofNCompleteColumn(), TextColumn(noun))
    words = TextColumn("{task.description}", markup=False)
    taken = len(noun) + (38 if wide else 22)
    with Shown(*columns, TimeElapsedColumn(), words, console=console, transient=True, auto_refresh=False) as shown:
        bar = Bar(shown, shown.add_task("", total=None), room=lambda: console.width - taken)
        with ticking(shown.refresh, every_s=_FRAME_S):
            yield bar


class Bar:
    """A bar on one line of a terminal, and text after it that is cut where the line ends."""

    def __init__(self, bar: Any, task: Any, *, room: Callable[[], int]) -> None:
        self._bar = bar
        self._task = task
        self._room = room

    def show(self, done: int, total: int, words: str) -> None:
        """Draw the bar with these figures."""
        room = max(self._room() - len(f"{done}/{total}"), 1)
        words = printable(words).replace("\n", " ")
        words = words if len(words) <= room else f"{words[: room - 1]}…"
        with _drawing:
            self._bar.update(self._task, completed=done, total=total or None, description=words, refresh=True)

    def print(self, line: str) -> None:
        """Print a line above the bar; it stays.

        Another thread prints it, because a second Ctrl-C in the middle of printing would show the line twice.
        """
        printing = Thread(target=self._print, args=(line,), name="retouch-line")
        printing.start()
        printing.join()

    def _print(self, line: str) -> None:
        with _drawing, suppress(OSError):
            self._bar.console.print(printable(line), markup=False, highlight=False)


class Live:
    """Shows a run's progress on one line: cost, pending replies and the present work first, since lines are cut."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._meter = Meter()
        self._now = ""

    def __call__(self, event: Progress) -> None:
        """Take one event into the line."""
        self._meter = self._meter.after(event)
        if event.kind == "text":
            return
        if event.kind == "stopping":
            self._bar.print(f"{event.text}; {STOP_NOW}")
        self._now = event.text if event.kind in _EXPLAINED else event.unit or event.kind
        self._bar.show(event.done, event.total, self._meter.line(self._now))


class ManyRuns:
    """Shows the progress of many runs as one: how many have ended and how, with the cost and pending replies of all.

    `total` runs are expected, and at most `at_once` requests are under way together (None is no limit): the other
    requests wait for their turn here. If `silent`, only Ctrl-C is answered. A run in another process is seen when it
    ends.
    """

    def __init__(self, total: int, *, silent: bool, at_once: int | None = None) -> None:
        self._total = total
        self._at_once = at_once
        self._silent = silent
        self._bar: Bar | None = None
        self._lines = Lines(kinds=frozenset({"failed", "waiting"}))
        self._meter = Meter()
        self._statuses: Counter[str] = Counter()
        self.is_stopping = False
        """Whether the command was stopped: no further request may leave."""

    @contextmanager
    def shown(self) -> Generator[None]:
        """Show a live bar in a terminal and plain lines in a log."""
        if self._silent:
            yield
        elif is_live_terminal(sys.stderr):
            with live_bar("runs") as self._bar:
                self._draw("starting")
                yield
        else:
            with ticking(self._lines.tick, every_s=1.0):
                yield

    def watch(self, name: str) -> Watch:
        """Return the function that receives the progress of the run `name`."""
        return lambda event: self._hear(name, event)

    def _hear(self, name: str, event: Progress) -> None:
        event = replace(event, unit="", page=0, done=self._statuses.total(), total=self._total)
        self._meter = self._meter.after(event)
        if event.kind == "stopping":
            self._stop(event)
        elif self._bar is not None and event.kind != "text":
            self._draw(event.text if event.kind == "waiting" else name)
        elif not self._silent:
            self._lines(event)

    def _stop(self, event: Progress) -> None:
        """Answer Ctrl-C once, with the replies that all runs wait for."""
        first, self.is_stopping = not self.is_stopping, True
        line = f"{event.text.rpartition(' for ')[0]} for {counted(self._shown.pending, 'reply')}; {STOP_NOW}"
        if first and self._bar is not None:
            self._bar.print(line)
            self._draw("stopping")
        elif first:
            print_line(line)

    def ended(self, name: str, status: str) -> None:
        """Count a run that ended."""
        self._statuses[status] += 1
        if self._bar is not None:
            self._draw(name)
        elif not self._silent:
            print_line(f"[{self._statuses.total()}/{self._total}] {status} {name}")

    @property
    def _shown(self) -> Meter:
        pending = self._meter.pending
        return replace(self._meter, pending=pending if self._at_once is None else min(pending, self._at_once))

    def _draw(self, now: str) -> None:
        if self._bar is not None:
            counts = ", ".join(f"{count:,} {status}" for status, count in self._statuses.items())
            line = self._shown.line(" · ".join(part for part in (counts, now) if part))
            self._bar.show(self._statuses.total(), self._total, line)

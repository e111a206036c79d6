"""What a run has spent so far, and about what the rest will take."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retouch.engine.options import Progress
    from retouch.engine.types import Reply


@dataclass(frozen=True, kw_only=True)
class Meter:
    """Calls and tokens of a run so far; `cost` is in US dollars, None once a price was unknown.

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
        """About how many calls the pages without an answer will take, at the rate so far; None before one has one."""
        answered = self.done - (self.already or 0)
        return round(self.calls / answered * (self.total - self.done)) if answered > 0 else None

    @property
    def words(self) -> str:
        """The sums in words, "" before the first call; what is unknown is never zero."""
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

"""The provider-independent interface of batch APIs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from retouch.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.types import Reply, Request


@dataclass(frozen=True, kw_only=True)
class BatchProgress:
    """The progress of a batch: `done` of `total` entries, and whether its results can be read.

    `refused` is the reason if the provider rejected the whole batch, else "".
    """

    ended: bool
    done: int
    total: int
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One batch in a provider's list. `created_at` is in seconds since 1970.

    `key` is the label of the process that created it, "" if it has none, None if the provider has no labels.
    """

    id: str
    created_at: float
    total: int
    ended: bool
    key: str | None = None


UNREADABLE = "unreadable"
"""The outcome of an invalid line of results, whose entry is not known."""


class ResultsGone(ModelError):
    """A batch has ended, but its results were deleted: providers keep them for some weeks."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One result: the HTTP status and body that an online call would have returned. The status is 0 if it was not
    called.

    `outcome` is the provider's word for the result, for example expired.
    """

    entry: str
    outcome: str
    status: int = 0
    body: JSON = None


class BatchApi(Protocol):
    """A provider's batch API. All calls raise `ModelError`, or `TransportError` if a retry can help."""

    async def body(self, request: Request) -> Mapping[str, JSON]:
        """Return the body of `request` in an online call, without streaming."""
        ...

    async def create(self, key: str, bodies: Mapping[str, Mapping[str, JSON]]) -> str:
        """Return the id of a new batch of `bodies`, by entry. It is labelled with `key` if the provider allows it."""
        ...

    async def progress(self, batch: str) -> BatchProgress:
        """Return the progress of a batch."""
        ...

    def lines(self, batch: str) -> AsyncGenerator[Line]:
        """Yield the results of an ended batch, in any order. Raise `ResultsGone` if they were deleted."""
        ...

    def listed(self) -> AsyncGenerator[Listed]:
        """Yield the account's batches, the newest first."""
        ...

    async def cancel(self, batch: str) -> None:
        """Cancel a batch. Finished answers stay available."""
        ...

    async def reply(self, line: Line, request: Request) -> Reply:
        """Return the reply to `request` in a result, with the price of an online call."""
        ...

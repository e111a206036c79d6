"""What a provider's batch API can be asked, in our own words."""

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
    """How a batch stands: `done` of `total` entries, and whether its results can be read.

    `refused` says why the provider took none of the entries, "" when it took them.
    """

    ended: bool
    done: int
    total: int
    refused: str = ""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """One batch in a provider's list; `created_at` is in seconds since 1970.

    `key` is what its maker wrote on it, "" for nothing; None where nothing can be written on a batch.
    """

    id: str
    created_at: float
    total: int
    ended: bool
    key: str | None = None


UNREADABLE = "unreadable"
"""The outcome of a line of results that is none; nobody knows which entry it was about."""


class ResultsGone(ModelError):
    """A batch has ended and its results are not there any more: providers keep them for some weeks."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One result: the HTTP status and body that an online call would have had; status 0 when it was never asked.

    `outcome` is the provider's word for it, such as expired.
    """

    entry: str
    outcome: str
    status: int = 0
    body: JSON = None


class BatchApi(Protocol):
    """A provider's batch API. All calls raise `ModelError`, a `TransportError` when another try may help."""

    async def body(self, request: Request) -> Mapping[str, JSON]:
        """Return the body that `request` has online, but for streaming."""
        ...

    async def create(self, key: str, bodies: Mapping[str, Mapping[str, JSON]]) -> str:
        """Return the id of a new batch of `bodies`, by entry; `key` is written on it where that can be done."""
        ...

    async def standing(self, batch: str) -> BatchProgress:
        """Return how a batch stands."""
        ...

    def lines(self, batch: str) -> AsyncGenerator[Line]:
        """Yield the results of a batch that has ended, in any order; raises `ResultsGone` when there are none left."""
        ...

    def listed(self) -> AsyncGenerator[Listed]:
        """Yield the account's batches, the newest first."""
        ...

    async def cancel(self, batch: str) -> None:
        """Stop a batch; what is answered already stays answered."""
        ...

    async def reply(self, line: Line) -> Reply:
        """Return the reply that a result holds, priced as an online one."""
        ...

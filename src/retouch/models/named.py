"""A function as a model with a name. The ledger needs the name before the first reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from retouch.engine.types import OnEvent, Reply, Request


@dataclass(frozen=True, kw_only=True)
class NamedModel:
    """A model called `name` that answers with the async function `answer`."""

    name: str
    answer: Callable[[Request, OnEvent | None], Coroutine[Any, Any, Reply]]

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the reply of `answer` to the request."""
        return await self.answer(request, on_event)

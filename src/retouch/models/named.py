"""A function as a model with a name. The ledger needs the name before the first reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.engine.types import caches_prefixes, model_name

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from retouch.engine.types import Model, OnEvent, Reply, Request


@dataclass(frozen=True, kw_only=True)
class NamedModel:
    """A model called `name` that answers with the async function `answer`.

    `caches_prefixes` is whether its provider caches the beginning of each request by itself.
    """

    name: str
    answer: Callable[[Request, OnEvent | None], Coroutine[Any, Any, Reply]]
    caches_prefixes: bool = False

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the reply of `answer` to the request."""
        return await self.answer(request, on_event)


def wrapping(model: Model, answer: Callable[[Request, OnEvent | None], Coroutine[Any, Any, Reply]]) -> NamedModel:
    """Return `answer` as a model with the name and the cache of `model`, which it calls."""
    return NamedModel(name=model_name(model), answer=answer, caches_prefixes=caches_prefixes(model))

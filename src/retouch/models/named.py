"""A function as a model with a name. The ledger needs the name before the first reply."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from retouch.engine.planned_calls import slot_of
from retouch.engine.types import caches_prefixes, may_cache, model_name
from retouch.errors import LimitReached

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from typing import Any

    from retouch.engine.types import Model, OnEvent, Reply, Request

_Turn = TypeVar("_Turn")


@dataclass(frozen=True, kw_only=True)
class NamedModel:
    """A model called `name` that answers with the async function `answer`.

    `caches_prefixes` is whether its provider caches the beginning of each request by itself. `may_cache` is whether
    a cache can take the text that several requests begin with (None: not known). `slot` is what the engine enters
    before it records a request as sent (None: nothing).
    """

    name: str
    answer: Callable[[Request, OnEvent | None], Coroutine[Any, Any, Reply]]
    caches_prefixes: bool = False
    may_cache: Callable[[str], bool] | None = None
    slot: Callable[[Request], AbstractAsyncContextManager[None]] | None = None

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the reply of `answer` to the request."""
        return await self.answer(request, on_event)


def wrapping(model: Model, answer: Callable[[Request, OnEvent | None], Coroutine[Any, Any, Reply]]) -> NamedModel:
    """Return `answer` as a model with the name, the cache and the slot of `model`, which it calls."""
    return NamedModel(
        name=model_name(model),
        answer=answer,
        caches_prefixes=caches_prefixes(model),
        may_cache=partial(may_cache, model),
        slot=getattr(model, "slot", None),
    )


def taking_turns(
    model: Model,
    take: Callable[[Request], Awaitable[_Turn]],
    answer: Callable[[_Turn, Request, OnEvent | None], Coroutine[Any, Any, Reply]],
    *,
    give_back: Callable[[_Turn], None] = lambda _: None,
) -> NamedModel:
    """Return `model`, each call of which waits for a turn of `take` and passes it to `answer`, which calls `model`.

    The engine waits in `slot`, before it records a request as sent. The first call inside of it uses that turn, and
    each retry waits for one of its own. `give_back` gets a turn that no call has used.
    """
    taken: ContextVar[list[_Turn]] = ContextVar("taken")

    @asynccontextmanager
    async def slot(request: Request) -> AsyncGenerator[None]:
        mine = [await take(request)]
        before = taken.set(mine)
        try:
            async with slot_of(model, request):
                yield
        finally:
            with suppress(ValueError):  # the garbage collector closes an abandoned task in another context
                taken.reset(before)
            for unused in mine:
                give_back(unused)

    async def called(request: Request, on_event: OnEvent | None) -> Reply:
        mine = taken.get([])
        turn = mine.pop() if mine else await take(request)
        return await answer(turn, request, on_event)

    return replace(wrapping(model, called), slot=slot)


def inside(model: Model, block: Callable[[], AbstractContextManager[None]]) -> NamedModel:
    """Return `model`, whose waits for a turn and whose calls each run inside of a `block` of their own."""

    @asynccontextmanager
    async def slot(request: Request) -> AsyncGenerator[None]:
        with block():
            async with slot_of(model, request):
                yield

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        with block():
            return await model(request, on_event=on_event)

    return replace(wrapping(model, answer), slot=slot)


def noticing_limit(model: Model, notice: Callable[[], None]) -> NamedModel:
    """Return `model`, which calls `notice` if the limit of cost refuses a request, before its turn or later."""

    @contextmanager
    def noticed() -> Generator[None]:
        try:
            yield
        except LimitReached:
            notice()
            raise

    return inside(model, noticed)

"""Models with scripted answers."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, TypeAlias

from retouch.engine.types import Event, Reply
from retouch.errors import ModelError
from retouch.models.tokens import estimate_tokens, request_tokens

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from retouch.engine.types import OnEvent, Request

Answer: TypeAlias = "str | Reply | Exception"
Script: TypeAlias = "Sequence[Answer] | Callable[[Request], Answer | Awaitable[Answer]]"


class Scripted:
    """A model that follows a script. `requests` lists the received requests, oldest first."""

    name = "scripted"

    def __init__(self, script: Script) -> None:
        self._script = script
        self.requests: list[Request] = []

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the script's answer to `request`, or raise it if it is an exception."""
        self.requests.append(request)
        answer = await self._answer(request)
        if isinstance(answer, Exception):
            raise answer
        reply = answer if isinstance(answer, Reply) else _reply(request, answer)
        if on_event is not None:
            on_event(Event(kind="first_byte"))
            on_event(Event(kind="text", text=reply.text))
        return reply

    async def _answer(self, request: Request) -> Answer:
        if callable(self._script):
            answer = self._script(request)
            return await answer if inspect.isawaitable(answer) else answer
        call = len(self.requests)
        if call > len(self._script):
            unit, page = request.prompt.key
            raise ModelError(
                f"the script has {len(self._script)} answers, but call {call} requests page {page} of {unit!r}",
                hint="Add an answer, or find out from `requests` why it was requested.",
            )
        return self._script[call - 1]


def scripted(script: Script) -> Scripted:
    """Return a model that answers with `script`: a list, one answer per call in the order of the calls, or a function.

    An answer is a text, a whole `Reply`, or an exception to raise. A function gets the request and can be async. Use a
    function if several pages are requested concurrently, because the order of calls is then not certain. Token counts
    are estimates.
    """
    return Scripted(script)


def _reply(request: Request, text: str) -> Reply:
    return Reply(
        text=text,
        model="scripted",
        input_tokens=request_tokens(request),
        output_tokens=estimate_tokens(text),
        cost=0.0,
    )

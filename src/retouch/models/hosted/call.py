"""One call of a provider, always streamed.

The first byte and the text are heard as they come, a stall is noticed, and an answer that ends without saying why is
known to be cut.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

from pydantic_ai.direct import model_request, model_request_stream
from pydantic_ai.messages import (
    CachePoint,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestParameters

from retouch.engine.types import Event, Reply
from retouch.models.cache_facts import cache_facts
from retouch.models.hosted.cache_keys import CacheKeys
from retouch.models.hosted.clients import OPENED, closing_client
from retouch.models.hosted.failures import early_end, failure_of, stalled
from retouch.models.pricing import Tokens, price

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine, Mapping

    from httpx2 import AsyncBaseTransport
    from pydantic_ai.messages import ModelMessage, ModelResponseStreamEvent, UserContent
    from pydantic_ai.models import Model as Client
    from pydantic_ai.settings import ModelSettings

    from retouch.engine.types import Finish, OnEvent, Request
    from retouch.models.endpoints import Endpoint

_FINISH: Mapping[str, Finish] = {"stop": "end", "length": "length", "content_filter": "filtered"}
_PARAMETERS = ModelRequestParameters()
Lifetime: TypeAlias = Literal["5m", "1h"]
_LIVES: WeakKeyDictionary[asyncio.AbstractEventLoop, list[AsyncGenerator[Client]]] = WeakKeyDictionary()
"""What closes the clients of each loop: kept here, so that none is forgotten before its loop ends."""


class _Unheard(BaseException):
    """Whoever listened to an answer raised `error`: the call is not to blame."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


class Hosted:
    """A provider's model; the same object may be used in one event loop after another."""

    def __init__(self, endpoint: Endpoint, wire: AsyncBaseTransport | None = None) -> None:
        self.name = endpoint.spec
        self._endpoint = endpoint
        self._wire = wire
        self._cache = cache_facts(endpoint.provider.name, endpoint.model)
        self._lifetime: Lifetime = "1h" if endpoint.tuning.cache == "hour" else "5m"
        self._keys = CacheKeys(self._cache.requests_per_key if wire is None else 0)
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the provider's reply.

        Raises:
            TransportError: a passing failure: 408, 409, 429, 5xx, a time-out, a reset, a cut or garbled answer.
            ModelError: the provider refuses the call: a bad key, an unknown model, a request that it does not take.
        """
        return self._reply(await self._sent(self._stream(request, on_event)))

    async def at_once(self, request: Request) -> Reply:
        """Return the provider's reply to a call that is not streamed; raises as a streamed one does."""
        settings, client = self._settings(request, self._key(request)), await self.client()
        call = model_request(
            client, conversation(request, self._lifetime), model_settings=settings, model_request_parameters=_PARAMETERS
        )
        return self._reply(await self._sent(call))

    async def _sent(self, call: Coroutine[Any, Any, ModelResponse]) -> ModelResponse:
        try:
            return await call
        except TimeoutError:
            failure = stalled(self._endpoint)
        except _Unheard as unheard:
            raise unheard.error from None
        except Exception as error:
            found = failure_of(error, self._endpoint)
            if found is None:
                raise
            failure = found
        raise failure  # not from within: the client's error may hold the key, and keeps what it has opened open

    async def _stream(self, request: Request, on_event: OnEvent | None) -> ModelResponse:
        client, tuning, loop = await self.client(), self._endpoint.tuning, asyncio.get_running_loop()
        latest = loop.time() + tuning.call_s
        key = self._key(request)
        OPENED.set(opened := list[Any]())
        stream = model_request_stream(
            client,
            conversation(request, self._lifetime),
            model_settings=self._settings(request, key),
            model_request_parameters=_PARAMETERS,
        )
        try:
            async with asyncio.timeout(min(tuning.first_byte_s, tuning.call_s)) as limit, stream as events:
                first = True
                async for event in events:
                    limit.reschedule(min(loop.time() + tuning.idle_s, latest))
                    if first:
                        self._keys.begun(key)
                    if on_event is not None:
                        _tell(on_event, event, first=first)
                    first = False
                return events.get()
        finally:
            self._keys.over(key)
            for answer in opened:
                await answer.aclose()

    async def client(self) -> Client:
        """Return the client that belongs to the running event loop."""
        loop = asyncio.get_running_loop()
        found = self._clients.get(loop)
        if found is None:
            life = closing_client(self._endpoint, self._wire)
            found = self._clients[loop] = await anext(life)
            _LIVES.setdefault(loop, []).append(life)
        return found

    def _key(self, request: Request) -> str:
        return self._keys.key(request.system, request.messages[0].text)

    def _settings(self, request: Request, key: str) -> ModelSettings:
        # pydantic-ai would put a text of its own before the system text of some models: it explains frames never used
        settings: dict[str, Any] = {"max_tokens": request.max_output_tokens, "framing_announcement": "never"}
        if request.temperature is not None:
            settings["temperature"] = request.temperature
        marked = -1 in request.breakpoints and bool(request.system)
        if self._endpoint.provider.name == "anthropic":
            settings["anthropic_cache_instructions"] = marked and self._lifetime
        elif self._endpoint.of_openai:
            settings["openai_prompt_cache_key"] = key
            if self._cache.markers:  # without "explicit" it writes every newest turn, and has that paid
                settings["openai_cache_instructions"] = marked
                settings["openai_prompt_cache_options"] = {"mode": "explicit"}
        return settings  # pyright: ignore[reportReturnType] - each provider's settings are a kind of ModelSettings

    def _reply(self, response: ModelResponse) -> Reply:
        details = response.provider_details or {}
        finish = _finish(response.finish_reason, details)
        if finish is None:
            raise early_end(self._endpoint)
        usage, endpoint = response.usage, self._endpoint
        listed = endpoint.provider.name != "ollama" and not endpoint.url
        counted = usage.input_tokens > 0  # some servers do not count in streams: what that cost is not known
        text = "".join(part.content for part in response.parts if isinstance(part, TextPart))
        tokens = Tokens(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cache_read_tokens,
            written_tokens=usage.cache_write_tokens,
            hour_tokens=usage.cache_write_1h_tokens,
        )
        return Reply(
            text=text or str(details.get("refusal", "")),
            finish=finish,
            model=response.model_name or endpoint.model,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            cached_tokens=usage.cache_read_tokens,
            written_tokens=usage.cache_write_tokens,
            cost=price(endpoint.provider.name, endpoint.model, tokens) if listed and counted else None,
        )


def conversation(request: Request, lifetime: Lifetime) -> list[ModelMessage]:
    """Return the request's messages in pydantic-ai's words, with a cache point after each marked user turn.

    A marker on an assistant's turn is left out: providers take none there.
    """
    found: list[ModelMessage] = []
    for number, message in enumerate(request.messages):
        if message.role == "assistant":
            found.append(ModelResponse(parts=[TextPart(message.text)]))
            continue
        content: list[UserContent] | str = message.text
        if number in request.breakpoints and message.text:
            content = [message.text, CachePoint(ttl=lifetime)]
        found.append(ModelRequest(parts=[UserPromptPart(content)], instructions=request.system or None))
    return found


def _finish(reason: str | None, details: Mapping[str, Any]) -> Finish | None:
    """Return why the answer ended, None when it did not say: then it was cut."""
    raw = details.get("finish_reason") or details.get("block_reason")
    if details.get("refusal") or raw == "refusal":
        return "refused"
    if not raw:
        return None
    return _FINISH.get(reason or "", "error")


def _tell(on_event: OnEvent, event: ModelResponseStreamEvent, *, first: bool) -> None:
    text = ""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        text = event.part.content
    elif isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        text = event.delta.content_delta
    try:
        if first:
            on_event(Event(kind="first_byte"))
        if text:
            on_event(Event(kind="text", text=text))
    except Exception as error:  # noqa: BLE001 - whatever it is, it is the listener's
        raise _Unheard(error) from None

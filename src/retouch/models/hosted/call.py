"""One call of a provider. Its response is parsed by `models/wire`, not by the client library."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from httpx2 import ConnectError, MockTransport
from httpx2 import Request as HttpRequest
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import ModelAPIError
from pydantic_ai.messages import CachePoint, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.output import OutputObjectDefinition

from retouch.engine.types import AnswerRepeats, Reply
from retouch.errors import ModelError, TransportError
from retouch.models.cache_facts import cache_facts
from retouch.models.hosted.cache_keys import CacheKeys
from retouch.models.hosted.clients import OPENED, closing_client
from retouch.models.hosted.converse import closing_converse_client
from retouch.models.hosted.exchange import CURRENT, Exchange
from retouch.models.hosted.failures import PromptWithheld, failure_of, in_answer, not_read, rejects_schema, stalled
from retouch.models.hosted.lean import closing_lean_client, is_installed, is_plain
from retouch.models.hosted.profiles import anthropic_effort, takes_both_samplings, takes_sampling
from retouch.models.pricing import Tokens, price, priced
from retouch.models.schemas import SchemaLadder
from retouch.models.tokens import estimate_tokens, request_tokens
from retouch.models.wire import response_reader
from retouch.models.wire.shapes import amount_in, object_in
from retouch.text import leading_reasoning, well_formed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from httpx2 import AsyncBaseTransport, Response
    from pydantic_ai.messages import ModelMessage, UserContent
    from pydantic_ai.models import Model as Client
    from pydantic_ai.settings import ModelSettings

    from retouch.engine.types import Finish, OnEvent, Request
    from retouch.models.endpoints import ModelEndpoint
    from retouch.models.hosted.converse import ConverseClient
    from retouch.models.hosted.lean import LeanClient
    from retouch.models.schemas import SchemaForm
    from retouch.models.wire import ResponseReader

_AFTER_END_S = 2.0  # the time limit for closing the connection after a complete response
_PARAMETERS = ModelRequestParameters()
C = TypeVar("C")
Lifetime: TypeAlias = Literal["5m", "1h"]
_LIVES: WeakKeyDictionary[asyncio.AbstractEventLoop, list[AsyncGenerator[Any]]] = WeakKeyDictionary()
"""The generators that close the clients of each loop. The reference keeps them alive until the loop ends."""


_RECORDED: ContextVar[list[HttpRequest]] = ContextVar("recorded")
"""The recorded request of the running task's call, for clients that send nothing."""


async def _record(request: HttpRequest) -> Response:
    _RECORDED.get().append(request)
    raise ConnectError("it was recorded, not sent")


async def _of_this_loop(
    clients: WeakKeyDictionary[asyncio.AbstractEventLoop, C], opened: Callable[[], AsyncGenerator[C]]
) -> C:
    """Return the client of the running event loop, which closes it at its end."""
    loop = asyncio.get_running_loop()
    found = clients.get(loop)
    if found is None:
        life = opened()
        found = clients[loop] = await anext(life)
        _LIVES.setdefault(loop, []).append(life)
    return found


class Hosted:
    """A provider's model. The same object can be used in one event loop after another."""

    def __init__(self, endpoint: ModelEndpoint, wire: AsyncBaseTransport | None = None) -> None:
        self.name = endpoint.spec
        self._endpoint = endpoint
        self._wire = wire
        self._cache = cache_facts(endpoint.family, endpoint.model)
        self._lifetime: Lifetime = "1h" if endpoint.tuning.cache == "hour" else "5m"
        self.ladder = SchemaLadder(endpoint)
        self._takes_sampling = takes_sampling(endpoint)  # the engine may ask for another temperature after a failure
        self._keys = CacheKeys(self._cache.requests_per_key if wire is None else 0)
        needs_library = wire is not None or self._has_own_schemas or endpoint.tuning.stream == "library"
        self._has_lean_calls = not needs_library and is_installed()
        self._recorders: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()
        self._lean: WeakKeyDictionary[asyncio.AbstractEventLoop, LeanClient] = WeakKeyDictionary()
        self._converse: WeakKeyDictionary[asyncio.AbstractEventLoop, ConverseClient] = WeakKeyDictionary()
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, Client] = WeakKeyDictionary()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        """Return the provider's reply. If it rejects the form of the answer schema, it gets the next one.

        Raises:
            TransportError: a temporary failure: 408, 409, 429, 5xx, a time-out, a reset, or an incomplete or invalid
                response. Its `received` is the part that arrived.
            ModelError: the provider rejects the call: an invalid key, an unknown model, an invalid request.
        """
        while True:
            form = self.ladder.form(request)
            try:
                reply = await self._answer(request, form, on_event)
            except _SchemaRejected as rejected:
                if form is None:
                    raise
                self.ladder.rejected(request, form, str(rejected))
                continue
            if form is None:
                return reply
            self.ladder.accepted(form)
            return replace(reply, schema_mode=form.mode)

    async def _answer(self, request: Request, form: SchemaForm | None, on_event: OnEvent | None) -> Reply:
        """Return the reply to a request with its schema in one form."""
        exchange, failure = Exchange(self._endpoint.provider.dialect, on_event), None
        try:
            await self._send(request, form, exchange)
        except TimeoutError:
            failure = stalled(self._endpoint)
        except Exception as error:
            if not exchange.ended and exchange.listener_error is None:
                failure = failure_of(error, self._endpoint)
                if failure is None:
                    raise
                rejected = exchange.rejects_schema or rejects_schema(error)
                if form is not None and form.parameter is not None and rejected:
                    failure = _SchemaRejected(failure.message)
        if isinstance(exchange.listener_error, AnswerRepeats):
            return self._reply(exchange.reader, exchange.request_id, "repeated", request)
        if exchange.listener_error is not None:
            raise exchange.listener_error
        # raised out here, because the client's error can contain the key and keeps its connections open
        try:
            cap = request.max_output_tokens
            return self._reply_or_error(exchange.reader, exchange.request_id, cap, failure, request)
        except PromptWithheld as withheld:
            reply = self._reply(exchange.reader, exchange.request_id, "filtered", request)
            return replace(reply, finish_raw=withheld.message)

    def read_document(self, body: bytes, *, cap: int) -> Reply:
        """Return the reply in the document `body`, such as a result of a batch. It raises like a call."""
        reader = response_reader(self._endpoint.provider.dialect)
        reader.feed(body)
        reader.close()
        return self._reply_or_error(reader, "", cap, None)

    async def _send(self, request: Request, form: SchemaForm | None, exchange: Exchange) -> None:
        """Send a request. Its response is read into `exchange`, which then ends the call with an exception."""
        lean = await self._lean_client() if self._has_lean_calls and is_plain(request) else None
        converse = await self._converse_client() if self._endpoint.provider.dialect == "bedrock" else None
        client = await self.client() if lean is None and converse is None else None
        if lean is not None:
            await lean.template(request, form)  # outside of the time limits, as the creation of a client
        tuning, loop = self._endpoint.tuning, asyncio.get_running_loop()
        latest, key = loop.time() + tuning.call_s, self._key(request)
        OPENED.set(opened := list[Any]())
        token = CURRENT.set(exchange)
        try:
            async with asyncio.timeout(min(tuning.first_byte_s, tuning.call_s)) as limit:

                def alive(complete: bool) -> None:
                    self._keys.begun(key)
                    limit.reschedule(min(loop.time() + (_AFTER_END_S if complete else tuning.idle_s), latest))

                exchange.alive = alive
                if lean is not None:
                    await lean.send(request, form, key, exchange)
                elif converse is not None:
                    await converse.send(exchange, **self._call(request, form, key))
                elif client is not None:
                    await self._stream(client, request, form, key)
        finally:
            CURRENT.reset(token)
            self._keys.over(key)
            for answer in opened:
                await answer.aclose()

    async def _stream(self, client: Client, request: Request, form: SchemaForm | None, key: str) -> None:
        """Send a request with the client library, streamed. The running exchange reads the response."""
        async with model_request_stream(client, **self._call(request, form, key)):
            raise not_read(self._endpoint)

    def _call(self, request: Request, form: SchemaForm | None, key: str) -> dict[str, Any]:
        """Return the arguments of pydantic-ai's call for a request."""
        return {
            "messages": conversation(request, self._lifetime),
            "model_settings": self._settings(request, key, form),
            "model_request_parameters": _native_parameters(form) if self._has_own_schemas else _PARAMETERS,
        }

    async def recorded(self, request: Request, form: SchemaForm | None, key: str) -> HttpRequest:
        """Return what the client library sends for a request, without sending it."""
        client = await _of_this_loop(self._recorders, lambda: closing_client(self._endpoint, MockTransport(_record)))
        _RECORDED.set(written := list[HttpRequest]())
        with suppress(ModelAPIError):
            await self._stream(client, request, form, key)
        return written[0]

    def _reply_or_error(
        self, reader: ResponseReader, request_id: str, cap: int, failure: ModelError | None, sent: Request | None = None
    ) -> Reply:
        """Return the reply if the response is complete, even if the connection failed afterwards.

        Raises:
            ModelError: it is not complete.
        """
        finish = reader.finish(cap=cap)
        if finish is not None:
            return self._reply(reader, request_id, finish)
        failure = failure or in_answer(reader, self._endpoint)
        if isinstance(failure, TransportError) and (reader.text or reader.reasoning or reader.usage):
            failure.received = self._reply(reader, request_id, "error", sent)
        raise failure

    async def client(self) -> Client:
        """Return the client of the running event loop."""
        return await _of_this_loop(self._clients, lambda: closing_client(self._endpoint, self._wire))

    async def _converse_client(self) -> ConverseClient:
        """Return the client for Bedrock's Converse API of the running event loop."""
        return await _of_this_loop(self._converse, lambda: closing_converse_client(self._endpoint))

    async def _lean_client(self) -> LeanClient:
        """Return the client without a library of the running event loop."""
        return await _of_this_loop(self._lean, lambda: closing_lean_client(self._endpoint, self.recorded))

    def _key(self, request: Request) -> str:
        """Return the cache key. A retry that starts with its clean prompt is sent where the prompt is cached."""
        first, own = request.messages[0].text, request.prompt.user
        return self._keys.key(request.system, own if own and first.startswith(own) else first)

    def _settings(self, request: Request, key: str, form: SchemaForm | None) -> ModelSettings:
        # pydantic-ai would prefix the system text of some models with an explanation of frames, which are not used here
        settings: dict[str, Any] = {"max_tokens": request.max_output_tokens, "framing_announcement": "never"}
        settings.update(sampling(self._endpoint, request.temperature if self._takes_sampling else None))
        if form is not None and form.parameter is not None and not self._has_own_schemas:
            settings["extra_body"] = {**settings.get("extra_body", {}), **self._extra_body(form)}
        marked = -1 in request.breakpoints and bool(request.system)
        if self._endpoint.provider.name == "anthropic":
            settings["anthropic_cache_instructions"] = marked and self._lifetime
        elif self._endpoint.provider.dialect == "bedrock":
            settings["bedrock_cache_instructions"] = marked and self._lifetime
        elif self._endpoint.of_openai:
            settings["openai_prompt_cache_key"] = key
            if self._cache.markers:  # without "explicit" every newest turn is written, which is charged
                settings["openai_cache_instructions"] = marked
                settings["openai_prompt_cache_options"] = {"mode": "explicit"}
        return settings  # pyright: ignore[reportReturnType] - each provider's settings are a kind of ModelSettings

    @property
    def _has_own_schemas(self) -> bool:
        """Whether the client library builds the part of the body with the answer schema."""
        return self._endpoint.provider.dialect in {"google", "bedrock"}

    def _extra_body(self, form: SchemaForm) -> dict[str, Any]:
        """Return the part of a body with an answer schema, for the dialects of Anthropic and OpenAI."""
        if self._endpoint.provider.dialect == "responses":
            return {"text": {"format": form.parameter}}
        if self._endpoint.provider.dialect == "openai":
            return {"response_format": form.parameter}
        effort = anthropic_effort(self._endpoint)
        return {"output_config": {"format": form.parameter, **({"effort": effort} if effort else {})}}

    def _reply(self, reader: ResponseReader, request_id: str, finish: Finish, partial: Request | None = None) -> Reply:
        """Return the reply as read. If it is a `partial` one to a request, its cost is estimated: no count follows.

        Its tokens are estimated too, unless the response broke off. Then they are what the provider had counted.
        """
        endpoint, counts, text = self._endpoint, reader.counts, well_formed(reader.text)
        sent, received = counts.input_tokens, counts.output_tokens
        if partial is not None:
            sent = sent or request_tokens(partial)
            received = max(received, estimate_tokens(text) + estimate_tokens(reader.reasoning))
        broke_off = finish == "error"
        tokens = Tokens(
            input_tokens=sent,
            output_tokens=received,
            cached_tokens=counts.cached_tokens,
            written_tokens=counts.written_tokens,
            hour_tokens=counts.hour_tokens,
        )
        return Reply(
            text=text,
            finish=finish,
            model=reader.model or endpoint.model,
            input_tokens=counts.input_tokens if broke_off else sent,
            output_tokens=counts.output_tokens if broke_off else received,
            cached_tokens=counts.cached_tokens,
            written_tokens=counts.written_tokens,
            cost=_cost(endpoint, tokens, reader.usage, counted=received > 0 or not text),
            parts=tuple(map(well_formed, reader.parts)) if len(reader.parts) > 1 else (),
            reasoning=well_formed(reader.reasoning) or leading_reasoning(text),
            reasoning_tokens=counts.reasoning_tokens,
            finish_raw=reader.finish_raw,
            request_id=request_id or reader.id,
            usage=reader.usage,
        )


class _SchemaRejected(ModelError):
    """A provider rejected a request because of the form of its answer schema."""


def _native_parameters(form: SchemaForm | None) -> ModelRequestParameters:
    """Return the parameters that make the client of Google or Bedrock send a schema, or request JSON."""
    if form is None or form.parameter is None:
        return _PARAMETERS
    schema = form.parameter.get("responseJsonSchema")
    if schema is None:
        return ModelRequestParameters(output_mode="prompted", prompted_output_template=False)
    return ModelRequestParameters(output_mode="native", output_object=OutputObjectDefinition(json_schema=schema))


def conversation(request: Request, lifetime: Lifetime) -> list[ModelMessage]:
    """Return the request's messages as pydantic-ai's types, with a cache point after each marked user turn.

    A marker on an assistant's turn is dropped, because providers do not accept one there.
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


def sampling(endpoint: ModelEndpoint, temperature: float | None) -> dict[str, Any]:
    """Return the settings of sampling and reasoning. A call's `temperature` overrides the spec's.

    It also overrides `top_p` if the model does not take both.
    """
    tuning, name = endpoint.tuning, endpoint.provider.name
    thinking = {"type": "enabled", "budget_tokens": tuning.thinking}
    found: dict[str, Any] = {"temperature": tuning.temperature if temperature is None else temperature}
    both = temperature is None or takes_both_samplings(endpoint)
    found["top_p"] = tuning.top_p if both else None
    if name == "mistral":
        found["extra_body"] = None if tuning.seed is None else {"random_seed": tuning.seed}
    else:
        found["seed"] = tuning.seed
    if endpoint.provider.dialect == "responses":
        found["openai_store"] = False  # the request is complete in itself, and nothing reads it there later
    of_openai = endpoint.provider.dialect in {"openai", "responses"}
    found["openai_reasoning_effort" if of_openai else "thinking"] = tuning.effort
    if tuning.thinking is not None and name == "anthropic":
        found["anthropic_thinking"] = thinking
    elif tuning.thinking is not None and endpoint.provider.dialect == "bedrock":
        found["bedrock_additional_model_requests_fields"] = {"thinking": thinking}
    elif tuning.thinking is not None:
        found["google_thinking_config"] = {"thinking_budget": tuning.thinking, "include_thoughts": True}
    return {key: value for key, value in found.items() if value is not None}


def _cost(endpoint: ModelEndpoint, tokens: Tokens, usage: Mapping[str, Any], *, counted: bool) -> float | None:
    """Return the cost of a call: as charged by OpenRouter, at the spec's price, or by the price list, else None.

    `counted` is whether the tokens of the answer are known.
    """
    charged = amount_in(usage.get("cost"))
    if endpoint.provider.name == "openrouter" and charged is not None:
        return _charged(charged, usage)
    if not (tokens.input_tokens and counted):  # some servers do not count tokens in streams, so the cost is unknown
        return None
    given = priced(endpoint.tuning, tokens)
    listed = endpoint.provider.name not in {"ollama", "litellm"} and not endpoint.url
    return price(endpoint.family, endpoint.model, tokens) if given is None and listed else given


def _charged(charged: float, usage: Mapping[str, Any]) -> float | None:
    """Return what OpenRouter charges, with what the provider itself charges for a key of the user's own."""
    if usage.get("is_byok") is not True:
        return charged
    upstream = amount_in(object_in(usage.get("cost_details")).get("upstream_inference_cost"))
    return charged + upstream if upstream is not None else None

"""Clients of providers. Each belongs to one event loop and is closed with it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from retouch.models.cache_facts import cache_facts
from retouch.models.hosted.exchange import CURRENT
from retouch.models.hosted.failures import sent_elsewhere

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
    from typing import Any

    from httpx2 import AsyncBaseTransport
    from pydantic_ai.models import Model as Client
    from pydantic_ai.models.openai import OpenAIChatModel

    from retouch.models.endpoints import ModelEndpoint

OPENED: ContextVar[list[Any]] = ContextVar("opened")
"""The responses that a call has opened and must close, because a client forgets those that it cannot read."""

_SAME_CALL = frozenset({307, 308})  # other redirects change the request
_NO_KEY = "none-needed"  # a local server needs no key, but the client library does


async def closing_client(endpoint: ModelEndpoint, wire: AsyncBaseTransport | None = None) -> AsyncGenerator[Client]:
    """Yield a client once. It is closed with the generator, which an event loop closes at its shutdown.

    `wire` replaces the network for Anthropic's and OpenAI's clients.
    """
    if endpoint.provider.name == "google":
        clients = _google(endpoint)
    else:
        make = _anthropic if endpoint.provider.name == "anthropic" else _openai
        clients = make(endpoint, wire)
    async for client in clients:
        yield client


def _hooks(endpoint: ModelEndpoint) -> Mapping[str, list[Callable[[Any], Awaitable[None]]]]:
    """Return hooks that check the origin of a response, limit the time between two of its bytes, and read it.

    A server can redirect a call only to another path on the same host, so that prompts and keys are not sent elsewhere.
    """

    async def begun(response: Any) -> None:
        if response.has_redirect_location and response.request.method == "POST":
            target = response.url.join(response.headers["location"])
            if response.status_code not in _SAME_CALL or target.origin != response.url.origin:
                address = str(target.copy_with(userinfo=b"", query=None, fragment=None))
                raise sent_elsewhere(endpoint, response.status_code, address)
        OPENED.get([]).append(response)
        response.request.extensions["timeout"]["read"] = endpoint.tuning.idle_s
        exchange = CURRENT.get()
        if exchange is not None and response.is_success:
            await exchange.read(response)

    return {"response": [begun]}


async def _anthropic(endpoint: ModelEndpoint, wire: AsyncBaseTransport | None) -> AsyncGenerator[Client]:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    tuning = endpoint.tuning
    sdk = AsyncAnthropic(
        api_key=endpoint.provider.key or _NO_KEY,
        base_url=endpoint.address,
        max_retries=0,
        timeout=tuning.first_byte_s,
        http_client=DefaultAsyncHttpxClient(event_hooks=_hooks(endpoint), transport=wire),
    )
    try:
        yield AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=sdk))
    finally:
        await sdk.close()


async def _openai(endpoint: ModelEndpoint, wire: AsyncBaseTransport | None) -> AsyncGenerator[Client]:
    """Yield a client of OpenAI or of a server with the same protocol.

    Special tokens in messages are sent unchanged, so that the request matches the stored prompt. Models of others get
    `max_tokens`, because several servers ignore its newer name. Our facts, which the user can override, specify
    which models support cache markers.
    """
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    tuning, original = endpoint.tuning, endpoint.of_openai
    sdk = AsyncOpenAI(
        api_key=endpoint.provider.key or _NO_KEY,
        base_url=endpoint.address,
        max_retries=0,
        timeout=tuning.first_byte_s,
        http_client=DefaultAsyncHttpxClient(event_hooks=_hooks(endpoint), transport=wire),
    )
    verbatim = OpenAIModelProfile(
        may_tokenize_special_tokens_in_content=False,
        openai_chat_supports_max_completion_tokens=endpoint.caps_completion,
        openai_supports_encrypted_reasoning_content=False,
        openai_supports_prompt_cache_breakpoints=original and cache_facts("openai", endpoint.model).markers > 0,
    )
    provider = OpenAIProvider(openai_client=sdk)
    make = _without_stream_options(OpenAIChatModel) if endpoint.provider.name == "mistral" else OpenAIChatModel
    try:
        if endpoint.provider.dialect == "responses":
            yield OpenAIResponsesModel(endpoint.model, provider=provider, profile=verbatim)
        else:
            yield make(endpoint.model, provider=provider, profile=verbatim)
    finally:
        await sdk.close()


def _without_stream_options(base: type[OpenAIChatModel]) -> type[OpenAIChatModel]:
    """Return a client that sends no `stream_options`, which Mistral rejects. It sends usage with every stream."""
    from openai import Omit

    class WithoutStreamOptions(base):
        def _get_stream_options(self, model_settings: Any) -> Any:  # noqa: ARG002 - the signature of the replaced method
            return Omit()

    return WithoutStreamOptions


async def _google(endpoint: ModelEndpoint) -> AsyncGenerator[Client]:
    from pydantic_ai.models import create_async_httpx2_client
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    client = create_async_httpx2_client(timeout=int(endpoint.tuning.first_byte_s) + 1)
    client.event_hooks = dict(_hooks(endpoint))
    client.follow_redirects = True
    key = endpoint.provider.key or _NO_KEY
    try:
        provider = GoogleProvider(api_key=key, base_url=endpoint.address, http_client=client)
        yield GoogleModel(endpoint.model, provider=provider)
    finally:
        await client.aclose()

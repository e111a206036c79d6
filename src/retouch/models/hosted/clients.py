"""Clients of providers: each belongs to one event loop and is closed with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.models.cache_facts import cache_facts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
    from typing import Any

    from httpx2 import AsyncBaseTransport
    from pydantic_ai.models import Model as Client

    from retouch.models.providers import Endpoint, Tuning

_NO_KEY = "none-needed"  # servers of one's own want no key, and the client library wants one


async def closing_client(endpoint: Endpoint, wire: AsyncBaseTransport | None = None) -> AsyncGenerator[Client]:
    """Yield a client once; it is closed when the generator is, which an event loop does when it is shut down.

    `wire` takes the place of the network, where a client takes one: those of Anthropic and OpenAI do.
    """
    if endpoint.provider.name == "google":
        clients = _google(endpoint)
    else:
        make = _anthropic if endpoint.provider.name == "anthropic" else _openai
        clients = make(endpoint, wire)
    async for client in clients:
        yield client


def _hooks(tuning: Tuning) -> Mapping[str, list[Callable[[Any], Awaitable[None]]]]:
    """Return hooks that limit the silence between two bytes once an answer has begun.

    The events of a client say less than the bytes do: pings, and the head of an answer, are signs of life as well.
    """

    async def begun(response: Any) -> None:
        response.request.extensions["timeout"]["read"] = tuning.idle_s

    return {"response": [begun]}


async def _anthropic(endpoint: Endpoint, wire: AsyncBaseTransport | None) -> AsyncGenerator[Client]:
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    tuning = endpoint.tuning
    sdk = AsyncAnthropic(
        api_key=endpoint.provider.key or _NO_KEY,
        base_url=endpoint.address,
        max_retries=0,
        timeout=tuning.first_byte_s,
        http_client=DefaultAsyncHttpxClient(event_hooks=_hooks(tuning), transport=wire),
    )
    try:
        yield AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=sdk))
    finally:
        await sdk.close()


async def _openai(endpoint: Endpoint, wire: AsyncBaseTransport | None) -> AsyncGenerator[Client]:
    """Yield a client of OpenAI or of a server that speaks like it.

    Special tokens in texts go out as they are: what is stored is what is sent. Servers other than OpenAI's own get
    `max_tokens`, since several take no notice of its newer name. Which models take cache markers is said by our facts,
    which a user can correct.
    """
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    tuning, original = endpoint.tuning, endpoint.provider.name == "openai" and not endpoint.url
    sdk = AsyncOpenAI(
        api_key=endpoint.provider.key or _NO_KEY,
        base_url=endpoint.address,
        max_retries=0,
        timeout=tuning.first_byte_s,
        http_client=DefaultAsyncHttpxClient(event_hooks=_hooks(tuning), transport=wire),
    )
    verbatim = OpenAIModelProfile(
        may_tokenize_special_tokens_in_content=False,
        openai_chat_streaming_requires_finish_reason=True,
        openai_chat_supports_max_completion_tokens=original,
        openai_supports_prompt_cache_breakpoints=original and cache_facts("openai", endpoint.model).markers > 0,
    )
    try:
        yield OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=sdk), profile=verbatim)
    finally:
        await sdk.close()


async def _google(endpoint: Endpoint) -> AsyncGenerator[Client]:
    from pydantic_ai.models import create_async_httpx2_client
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    client = create_async_httpx2_client(timeout=int(endpoint.tuning.first_byte_s) + 1)
    client.event_hooks = dict(_hooks(endpoint.tuning))
    key = endpoint.provider.key or _NO_KEY
    try:
        provider = GoogleProvider(api_key=key, base_url=endpoint.address, http_client=client)
        yield GoogleModel(endpoint.model, provider=provider)
    finally:
        await client.aclose()

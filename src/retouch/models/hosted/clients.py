"""Clients of providers: each belongs to one event loop and is closed with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from pydantic_ai.models import Model as Client

    from retouch.models.providers import Endpoint

_NO_KEY = "none-needed"  # servers of one's own want no key, and the client library wants one


async def closing_client(endpoint: Endpoint) -> AsyncGenerator[Client]:
    """Yield a client once; it is closed when the generator is, which an event loop does when it is shut down."""
    make = {"anthropic": _anthropic, "google": _google}.get(endpoint.provider.name, _openai)
    async for client in make(endpoint):
        yield client


async def _anthropic(endpoint: Endpoint) -> AsyncGenerator[Client]:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    tuning = endpoint.tuning
    sdk = AsyncAnthropic(
        api_key=endpoint.provider.key or _NO_KEY,
        base_url=endpoint.address,
        max_retries=0,
        timeout=max(tuning.first_byte_s, tuning.idle_s),
    )
    try:
        yield AnthropicModel(endpoint.model, provider=AnthropicProvider(anthropic_client=sdk))
    finally:
        await sdk.close()


async def _openai(endpoint: Endpoint) -> AsyncGenerator[Client]:
    """Yield a client of OpenAI or of a server that speaks like it.

    Special tokens in texts go out as they are: what is stored is what is sent. Servers other than OpenAI's own get
    `max_tokens`, since several take no notice of its newer name.
    """
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    tuning = endpoint.tuning
    sdk = AsyncOpenAI(
        api_key=endpoint.provider.key or _NO_KEY,
        base_url=endpoint.address,
        max_retries=0,
        timeout=max(tuning.first_byte_s, tuning.idle_s),
    )
    verbatim = OpenAIModelProfile(
        may_tokenize_special_tokens_in_content=False,
        openai_chat_streaming_requires_finish_reason=True,
        openai_chat_supports_max_completion_tokens=endpoint.provider.name == "openai" and not endpoint.url,
    )
    try:
        yield OpenAIChatModel(endpoint.model, provider=OpenAIProvider(openai_client=sdk), profile=verbatim)
    finally:
        await sdk.close()


async def _google(endpoint: Endpoint) -> AsyncGenerator[Client]:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    provider = GoogleProvider(api_key=endpoint.provider.key or _NO_KEY, base_url=endpoint.address)
    async with provider:
        yield GoogleModel(endpoint.model, provider=provider)

"""Real client libraries with the loopback server. The fuse of pydantic-ai is removed only here."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeAlias

import pytest

from retouch import Message, Request, open_model
from retouch.engine.types import Prompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.types import OnEvent, Reply
    from retouch.testing import ModelServer

Ask: TypeAlias = "Callable[..., Reply]"
CLAUDE, GPT, GEMINI = "anthropic:claude-sonnet-4-6", "openai:gpt-5-mini", "google:gemini-2.5-flash"


def asking(user: str = "Say it.", system: str = "Be brief.", *more: Message, cap: int = 100) -> Request:
    """Return the request for one page."""
    prompt = Prompt(unit="Pet", system=system, user=user)
    messages = (Message(role="user", text=user), *more)
    return Request(prompt=prompt, system=system, messages=messages, max_output_tokens=cap)


@pytest.fixture
def point(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], None]:
    """Direct the clients to a server."""

    def pointed(server: ModelServer) -> None:
        for name, value in server.environment.items():
            monkeypatch.setenv(name, value)

    return pointed


@pytest.fixture
def ask(point: Callable[[ModelServer], None]) -> Ask:
    """Send one request to the model `spec` at a server, in a new event loop."""

    def asked(
        server: ModelServer, spec: str, request: Request | None = None, *, on_event: OnEvent | None = None
    ) -> Reply:
        point(server)
        model = open_model(spec.replace("@URL", f"@{server.openai_url}"))
        return asyncio.run(model(request or asking(), on_event=on_event))  # pyright: ignore[reportArgumentType]

    return asked

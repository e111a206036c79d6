"""Requests for models, as the engine builds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from retouch.engine.types import Message, Prompt, Request

MakeRequest: TypeAlias = Callable[..., Request]


@pytest.fixture
def make_request() -> MakeRequest:
    """Build the request for one page. `correction` precedes the original prompt."""

    def make(
        unit: str = "Pet", page: int = 1, *, user: str = "", correction: str = "", cap: int = 8_192, asked: str = ""
    ) -> Request:
        prompt = Prompt(unit=unit, page=page, system="Write code only.", user=user or f"TYPE: {unit} {page}")
        text = asked or (f"{correction}\n\n{prompt.user}" if correction else prompt.user)
        messages = (Message(role="user", text=text),)
        return Request(prompt=prompt, system=prompt.system, messages=messages, max_output_tokens=cap)

    return make

"""Responses as providers sent them, served on the loopback address to the real client libraries."""

from __future__ import annotations

import pydantic_ai.models
import pytest


@pytest.fixture(autouse=True)
def loopback_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the real clients send; other hosts are still refused by the socket."""
    monkeypatch.setattr(pydantic_ai.models, "ALLOW_MODEL_REQUESTS", True)

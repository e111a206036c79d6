"""Sandboxes for the tests: each is opened once, and what cannot be used on this machine is skipped with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.sandbox import Box, Limits, Unavailable, open_sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMITS = Limits(call_s=30.0, batch_s=240.0, output_bytes=10_000, depth=8, printed_bytes=1000, grace_s=0.2)


@pytest.fixture(scope="session", params=["monty", "cpython"])
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    """An open sandbox of every engine that works here."""
    try:
        opened = open_sandbox(engine=str(request.param), limits=LIMITS)
        with opened as found:
            yield found
    except Unavailable as error:
        pytest.skip(f"{error}")

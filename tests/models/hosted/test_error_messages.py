"""The message that a user sees if the failure itself has none."""

from __future__ import annotations

from itertools import pairwise

from retouch.models.hosted.messages import message_of


def chained(*errors: Exception) -> Exception:
    """Return the first error, each raised while the next one was handled."""
    for outer, inner in pairwise(errors):
        outer.__context__ = inner
    return errors[0]


def test_the_error_of_the_system_precedes_that_of_a_library() -> None:
    refused = ConnectionRefusedError(111, "Connection refused")
    error = chained(Exception("Connection error."), refused, RuntimeError("no running event loop"))
    assert "Connection error. (ConnectionRefusedError: [Errno 111] Connection refused)" == message_of(error)


def test_without_a_system_error_the_deepest_message_is_shown() -> None:
    error = chained(Exception("Connection error."), ValueError("a stream that ended"))
    assert "Connection error. (ValueError: a stream that ended)" == message_of(error)

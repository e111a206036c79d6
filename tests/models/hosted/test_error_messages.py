"""What a person reads of a failure whose own words say nothing."""

from __future__ import annotations

from itertools import pairwise

from retouch.models.hosted.messages import message_of


def chained(*errors: Exception) -> Exception:
    """Return the first error, each raised while the next one was handled."""
    for outer, inner in pairwise(errors):
        outer.__context__ = inner
    return errors[0]


def test_what_the_system_said_goes_before_what_a_library_met_on_its_way() -> None:
    refused = ConnectionRefusedError(111, "Connection refused")
    error = chained(Exception("Connection error."), refused, RuntimeError("no running event loop"))
    assert "Connection error. (ConnectionRefusedError: [Errno 111] Connection refused)" == message_of(error)


def test_without_words_of_the_system_the_deepest_are_told() -> None:
    error = chained(Exception("Connection error."), ValueError("a stream that ended"))
    assert "Connection error. (ValueError: a stream that ended)" == message_of(error)

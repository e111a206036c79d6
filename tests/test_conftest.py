"""The nets under all tests hold."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType


def test_a_connection_to_another_machine_is_refused():
    with socket.socket() as outside, pytest.raises(AssertionError, match="this machine only"):
        outside.connect(("192.0.2.1", 80))


def test_a_connection_that_reports_errors_by_number_is_refused_as_well():
    with socket.socket() as outside, pytest.raises(AssertionError, match="this machine only"):
        outside.connect_ex(("192.0.2.1", 80))


def test_a_connection_to_this_machine_is_made():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as inside:
        inside.connect(server.getsockname())
        assert server.getsockname() == inside.getpeername()


@pytest.fixture(scope="module")
def models() -> ModuleType:
    """pydantic-ai, in use before the fixtures of a test are set up."""
    return pytest.importorskip("pydantic_ai.models")


def test_pydantic_ai_may_not_ask_real_models(models: ModuleType):
    with pytest.raises(RuntimeError, match="Model requests are not allowed"):
        models.check_allow_model_requests()

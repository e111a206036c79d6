"""The nets under all tests hold."""

from __future__ import annotations

import socket

import pytest


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

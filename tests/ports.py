"""Ports for programs that cannot choose one themselves and tell it."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress

from tests.waiting import wait_until

_FIRST, _NUMBER = 20_000, 10_000  # the system gives none of these to a connection that goes out


def free_port() -> int:
    """Return a port of this machine at which nobody listens.

    It is not one of those that every outgoing connection takes one of, so that hardly anybody takes it before the
    program that is to have it.
    """
    while True:
        port = _FIRST + secrets.randbelow(_NUMBER)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def until_listening(port: int) -> None:
    """Wait until a program listens at a port of this machine."""

    def answers() -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", port)) == 0

    wait_until(answers, seen=lambda: f"port {port}")

"""What every test may rely on: where large data lies, and that no test talks to a real model or to another machine."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable

PROJECT = Path(__file__).resolve().parent.parent
settings.register_profile("repeatable", derandomize=True)  # what is found by chance is found on a person's machine
if os.environ.get("CI"):
    settings.load_profile("repeatable")
_LOOPBACK = ("127.", "::1", "localhost", "0.0.0.0")


@pytest.fixture(scope="session")
def project() -> Path:
    """The project's folder."""
    return PROJECT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of large public documents beside the project."""
    folder = PROJECT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"needs the documents in {os.path.relpath(folder, PROJECT)}, which are not on this machine")
    return folder


@pytest.fixture(autouse=True)
def no_model_requests() -> None:
    """Blow pydantic-ai's own fuse where it is in use; where it is not there is nothing to forbid."""
    models = sys.modules.get("pydantic_ai.models")
    if models is not None:
        vars(models)["ALLOW_MODEL_REQUESTS"] = False


def _refuse_strangers(connect: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(self: socket.socket, address: Any) -> Any:
        away = self.family in {socket.AF_INET, socket.AF_INET6} and not str(address[0]).startswith(_LOOPBACK)
        if away:
            raise AssertionError(f"a test wants to connect to {address!r}; tests talk to this machine only")
        return connect(self, address)

    return guarded


@pytest.fixture(autouse=True)
def no_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections that leave this machine."""
    monkeypatch.setattr(socket.socket, "connect", _refuse_strangers(socket.socket.connect))
    monkeypatch.setattr(socket.socket, "connect_ex", _refuse_strangers(socket.socket.connect_ex))

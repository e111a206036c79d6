"""What every test may rely on: where large data is, that no test reaches another machine, and that asyncio is quiet."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import socket
import sys
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest_plugins = ("tests.sampling",)
PROJECT = Path(__file__).resolve().parent.parent
os.environ.setdefault("SSL_CERT_FILE", str(PROJECT / "tests" / "no_authority.pem"))  # reading all of them takes 70 ms
ANY_SPEED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is no defect
settings.register_profile("any speed", ANY_SPEED)
settings.register_profile("repeatable", ANY_SPEED, derandomize=True)  # chance finds things on a person's machine
settings.load_profile("repeatable" if os.environ.get("CI") else "any speed")
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


@pytest.fixture(scope="session")
def readable_copy() -> Iterator[Path]:
    """A directory with the package, its entry points and the tests, which every user of this machine can read.

    A clone in a home directory of mode 700 is closed to other users; put this first on `PYTHONPATH` for them.
    """
    with TemporaryDirectory() as name:
        copy = Path(name)
        copy.chmod(0o755)
        caches = shutil.ignore_patterns("__pycache__")
        shutil.copytree(PROJECT / "src" / "retouch", copy / "retouch", ignore=caches)
        shutil.copytree(PROJECT / "tests", copy / "tests", ignore=caches)
        metadata = copy / "retouch-0.dist-info"
        metadata.mkdir()
        entry_points = [point for point in distribution("retouch").entry_points if point.group.startswith("retouch.")]
        lines = [f"[{point.group}]\n{point.name} = {point.value}\n" for point in entry_points]
        (metadata / "entry_points.txt").write_text("".join(lines))
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: retouch\nVersion: 0\n")
        yield copy


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


class _Complaints(logging.Handler):
    """Collects the errors that anybody logs, such as asyncio: exceptions never retrieved, pending tasks destroyed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(self.format(record))

    def taken(self) -> list[str]:
        """Return what was logged since the last time."""
        found, self.found = self.found, []
        return found


_COMPLAINTS = _Complaints()
logging.getLogger().addHandler(_COMPLAINTS)


@pytest.fixture
def asyncio_errors() -> Callable[[], list[str]]:
    """Return a function that finalizes what is garbage, and returns the errors that asyncio logged meanwhile."""

    def errors() -> list[str]:
        gc.collect()
        return _COMPLAINTS.taken()

    return errors


@pytest.fixture(autouse=True)
def no_asyncio_errors() -> Iterator[None]:
    """Fail if asyncio logs an error; the objects may come from an earlier test, since the garbage collector reports."""
    yield
    assert [] == _COMPLAINTS.taken()


@pytest.fixture(autouse=True, scope="module")
def no_asyncio_errors_later() -> Iterator[None]:
    """Fail if asyncio logs an error when what a module's tests left behind is finalized."""
    yield
    gc.collect(1)
    assert [] == _COMPLAINTS.taken()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep the garbage collector from going through all tests and modules again and again: they stay to the end."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Finalize everything, and fail if asyncio logs an error then."""
    gc.collect()
    if found := _COMPLAINTS.taken():
        print(*found, sep="\n", file=sys.stderr)
        session.exitstatus = 1

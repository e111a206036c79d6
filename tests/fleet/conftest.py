"""An object store of the test: moto's server stands in for S3."""

from __future__ import annotations

import importlib
import importlib.util
import io
import secrets
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

moto_missing = any(importlib.util.find_spec(name) is None for name in ("moto", "s3fs", "flask"))


def _atomic(application: Any) -> Any:
    """Return moto's application with one request at a time: it looks for an object and then writes it, which S3 does
    in one step.
    """
    turn = threading.Lock()

    class OneAtATime(application):
        def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
            size = int(environ.get("CONTENT_LENGTH") or 0)
            environ["wsgi.input"] = io.BytesIO(environ["wsgi.input"].read(size))  # a slow client holds nobody up
            with turn:
                return application.__call__(self, environ, start_response)

    return OneAtATime


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a directory in a bucket. Processes that a test starts reach it too."""
    if moto_missing:
        pytest.skip("moto's server or s3fs is not installed: pip install s3fs 'moto[server]'")
    moto: Any = importlib.import_module("moto.server")

    threaded: Any = importlib.import_module("moto.moto_server.threaded_moto_server")
    monkeypatch.setattr(threaded, "DomainDispatcherApplication", _atomic(threaded.DomainDispatcherApplication))
    server: Any = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "NO_PROXY": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    try:
        s3fs: Any = importlib.import_module("s3fs")

        s3fs.S3FileSystem.clear_instance_cache()  # one of an earlier test has the port of its server
        system: Any = s3fs.S3FileSystem(skip_instance_cache=True)
        with suppress(FileExistsError):
            system.mkdir("fleets")
        yield f"s3://fleets/{secrets.token_hex(4)}"
        s3fs.S3FileSystem.clear_instance_cache()
    finally:
        server.stop()

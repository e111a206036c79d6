"""Listings of S3, Cloud Storage and HTTP: each from a server of its own on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from tests.ports import free_port, until_listening
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = "name: day\nglob: '**/d/*/*.csv'\nextract: {day: {from: segment(-2), type: date}}\n"


@pytest.fixture
def bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A file system with the empty bucket "lake", and a current directory with a rule."""
    server: Any = import_module("moto.server").ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "x",
        "AWS_SECRET_ACCESS_KEY": "y",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RULE, encoding="utf-8")
    system: Any = import_module("s3fs").S3FileSystem
    system.clear_instance_cache()  # one of an earlier test has the port of its server
    files = system(skip_instance_cache=True)
    files.mkdir("lake")
    yield files
    system.clear_instance_cache()
    server.stop()


def test_objects_of_a_bucket_are_read_and_watched(bucket: Any) -> None:
    for day in ("2024-03-05", "2024-03-06"):
        bucket.pipe(f"lake/d/{day}/a.csv", b"x")
    bucket.pipe("lake/list.txt", b"/d/2024-05-06/b.csv\n")
    found = CliRunner().invoke(command, ["rule", "apply", "r.yaml", "s3://lake/d/"])
    assert ["2024-03-05", "2024-03-06"] == [json.loads(line)["values"]["day"] for line in found.stdout.splitlines()]
    assert "s3://lake/d/2024-03-05/a.csv" == json.loads(found.stdout.splitlines()[0])["path"]
    listed = CliRunner().invoke(command, ["rule", "apply", "r.yaml", "@s3://lake/list.txt"])
    assert "2024-05-06" == json.loads(listed.stdout)["values"]["day"]
    watch = ["rule", "watch", "s3://lake/", "--rule", "r.yaml", "--state", "state.json", "--max-unmatched", "1"]
    assert "3 new paths" in CliRunner().invoke(command, watch).stdout
    import_module("fsspec").filesystem("s3").invalidate_cache()
    bucket.pipe("lake/d/2024-03-07/a.csv", b"x")
    assert "1 new path" in CliRunner().invoke(command, watch).stdout
    missing = CliRunner().invoke(command, ["rule", "apply", "r.yaml", "s3://nolake/d/"])
    assert 2 == missing.exit_code


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as in the library
        """Print nothing."""

    def send_head(self) -> Any:
        """Refuse one directory, as a server does that has no right to list it."""
        if "/locked/" in self.path:
            self.send_error(403)
            return None
        return super().send_head()


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a web server that lists the directory "www" of the current directory, with a rule beside it."""
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RULE, encoding="utf-8")
    for day in ("2024-03-05", "2024-03-06"):
        Path(f"www/d/{day}").mkdir(parents=True)
        Path(f"www/d/{day}/a.csv").touch()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory="www"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_pages_of_a_web_server_are_read_and_watched(web: str) -> None:
    Path("www/list.txt").write_text("/d/2024-05-06/b.csv\n", encoding="utf-8")
    found = CliRunner().invoke(command, ["rule", "apply", "r.yaml", f"{web}/d/"])
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert {f"{web}/d/2024-03-05/a.csv": "2024-03-05", f"{web}/d/2024-03-06/a.csv": "2024-03-06"} == {
        row["path"]: row["values"]["day"] for row in rows
    }
    listed = CliRunner().invoke(command, ["rule", "apply", "r.yaml", f"@{web}/list.txt"])
    assert "2024-05-06" == json.loads(listed.stdout)["values"]["day"]
    watch = ["rule", "watch", f"{web}/d/", "--rule", "r.yaml", "--state", "state.json"]
    assert "2 new paths" in CliRunner().invoke(command, watch).stdout
    assert "0 new paths" in CliRunner().invoke(command, watch).stdout


def test_links_of_a_web_page_are_the_paths_that_they_stand_for(web: str) -> None:
    Path("www/t/dt=2024-03-05").mkdir(parents=True)
    Path("www/t/dt=2024-03-05/a+b.csv").touch()
    fields = "{dt: {from: segment(-2), pattern: '^dt=(.+)$'}, name: {from: filename}}"
    Path("t.yaml").write_text(f"name: t\nglob: '**/dt=*/*.csv'\nextract: {fields}", encoding="utf-8")
    found = CliRunner().invoke(command, ["rule", "apply", "t.yaml", f"{web}/t/"])
    assert {"dt": "2024-03-05", "name": "a+b.csv"} == json.loads(found.stdout)["values"]


def test_a_directory_that_cannot_be_listed_is_an_error_and_not_left_out(web: str) -> None:
    Path("www/d/locked").mkdir()
    found = CliRunner().invoke(command, ["rule", "apply", "r.yaml", f"{web}/d/"])
    assert 2 == found.exit_code
    assert "cannot be read" in found.stderr
    missing = CliRunner().invoke(command, ["rule", "apply", "r.yaml", f"{web}/nowhere/"])
    assert "has no files" in missing.stderr


needs_emulator = pytest.mark.skipif(
    find_spec("gcsfs") is None or find_spec("gcp_storage_emulator") is None,
    reason="needs the packages gcsfs and gcp-storage-emulator",
)


@needs_emulator
def test_objects_of_cloud_storage_are_read_and_watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    port = free_port()
    monkeypatch.chdir(tmp_path)
    for name, value in {
        "STORAGE_EMULATOR_HOST": f"http://127.0.0.1:{port}",
        "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT": "false",
        "FSSPEC_GS_TOKEN": "anon",
    }.items():
        monkeypatch.setenv(name, value)
    Path("r.yaml").write_text(RULE, encoding="utf-8")
    words = [sys.executable, "-m", "gcp_storage_emulator", "start", "--in-memory", "--default-bucket", "lake"]
    emulator = subprocess.Popen(
        [*words, "--host", "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until_listening(port)
        files: Any = import_module("gcsfs").GCSFileSystem(token="anon", project="x")
        files.pipe({"lake/d/2024-03-05/a.csv": b"x", "lake/list.txt": b"/d/2024-05-06/b.csv\n"})
        run = partial(subprocess.run, capture_output=True, text=True, check=False, env={**os.environ})
        retouch = [sys.executable, "-m", "retouch", "rule"]
        found = run([*retouch, "apply", "r.yaml", "gs://lake/d/"])
        assert ["2024-03-05"] == [json.loads(line)["values"]["day"] for line in found.stdout.splitlines()], found.stderr
        listed = run([*retouch, "apply", "r.yaml", "@gs://lake/list.txt"])
        assert "2024-05-06" == json.loads(listed.stdout)["values"]["day"]
        watch = [*retouch, "watch", "gs://lake/d/", "--rule", "r.yaml", "--state", "state.json"]
        assert "1 new path" in run(watch).stdout
        assert "0 new paths" in run(watch).stdout
        assert 2 == run([*retouch, "apply", "r.yaml", "gs://nolake/d/"]).returncode
    finally:
        emulator.terminate()
        emulator.wait(timeout=MOST_S)

"""Listings of S3: a server of its own on loopback."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command

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

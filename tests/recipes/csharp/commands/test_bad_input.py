"""Invalid documents with the real command: a message, the next step, status 2, and nothing written."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.cli.conftest import Retouch

BOMB = "openapi: 3.0.0\npaths: {}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]\n" for level in range(1, 12)
)
DOCUMENTS = {
    "empty.yaml": b"",
    "binary.json": bytes(range(128, 256)) * 4,
    "broken.json": b'{"openapi": "3.0.0",\n "paths": {,}}',
    "broken.yaml": b"openapi: 3.0.0\npaths:\n  - a\n b: [",
    "bomb.yaml": BOMB.encode(),
    "deep.json": b'{"openapi": "3.0.0", "paths": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep.yaml": b"openapi: 3.0.0\npaths: " + b"[" * 50_000 + b"]" * 50_000,
    "list.json": b"[1, 2]",
    "other.json": b'{"name": "not an API"}',
    "number.yaml": b"42",
    "nan.json": b'{"openapi": "3.0.0", "paths": NaN}',
    "old.yaml": b"swagger: '1.2'\npaths: {}",
    "nothing.yaml": b"openapi: 3.0.0\npaths: {}",
    "wrong.yaml": b"openapi: 3.0.0\npaths: [1]",
}


@pytest.mark.parametrize("name", [*DOCUMENTS, "not-there.yaml", "folder"])
@pytest.mark.parametrize("words", [("GET /x",), ("--all",)], ids=["one", "all"])
def test_a_document_that_cannot_be_used_is_named_with_a_next_step(
    name: str, words: tuple[str, ...], retouch: Retouch
) -> None:
    Path("folder").mkdir()
    if name in DOCUMENTS:
        Path(name).write_bytes(DOCUMENTS[name])
    done = retouch("generate", "csharp", name, *words, "--compiler", "none")
    assert (2, "") == (done.exit_code, done.stdout)
    assert name in done.stderr
    assert "next: " in done.stderr
    assert "unexpected" not in done.stderr
    assert not Path("output").exists()


@pytest.mark.parametrize(("name", "place"), [("broken.json", "line 2, column 12"), ("broken.yaml", "line 4")])
def test_a_broken_document_is_named_with_line_and_column(name: str, place: str, retouch: Retouch) -> None:
    Path(name).write_bytes(DOCUMENTS[name])
    assert place in retouch("endpoints", name).stderr


def test_a_document_of_200_mb_is_refused_before_it_is_read(retouch: Retouch) -> None:
    with Path("big.json").open("wb") as big:
        big.truncate(200_000_000)
    done = retouch("endpoints", "big.json")
    assert 2 == done.exit_code
    assert "larger than the limit" in done.stderr


def test_an_unknown_endpoint_gets_a_few_near_names_and_not_thousands(retouch: Retouch) -> None:
    write({f"/things{number}": {"type": "string"} for number in range(3_000)})
    done = retouch("generate", "csharp", "api.json", "GET /thing17")
    assert 2 == done.exit_code
    assert "GET /things17" in done.stderr
    assert len(done.stderr) < 600


@pytest.mark.parametrize(
    "path", ["/../../etc/passwd", "/..", "//", "/a/../../b", "/C:\\x", "/%2e%2e/x", "/\u202e", "/nul"]
)
def test_a_path_cannot_leave_the_output_directory(
    path: str, retouch: Retouch, work_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = work_folder / "outer" / "middle" / "inner"  # what leaves it by `..` is still in the test's own directory
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    write({path: {"type": "object", "properties": {"id": {"type": "string"}}}})
    before = {found for found in work_folder.rglob("*") if deep not in found.parents}
    done = retouch("generate", "csharp", "api.json", f"GET {path}", "--compiler", "none", "--json")
    assert 0 == done.exit_code, done.stderr
    assert Path("output") == Path(json.loads(done.stdout)["run"]).parent
    assert before == {found for found in work_folder.rglob("*") if deep not in found.parents}


def test_names_that_a_terminal_would_obey_are_shown_and_not_obeyed(retouch: Retouch) -> None:
    write({"/a\x1b[31m": {"type": "object", "properties": {"id": {"type": "string"}}}})
    assert "\x1b" not in retouch("endpoints", "api.json").stdout


@pytest.mark.parametrize(
    "ref", ["#/components/schemas/Gone", "#/components/schemas/Loop", "file.json#/x", "http://192.0.2.1/x"]
)
def test_a_part_that_leads_nowhere_is_named_and_stops_nothing_else(ref: str, retouch: Retouch) -> None:
    write({"/x": {"type": "object", "properties": {"id": {"type": "string"}, "part": {"$ref": ref}}}})
    done = retouch("generate", "csharp", "api.json", "GET /x", "--compiler", "none")
    assert 0 == done.exit_code
    assert "note: XDataObject.Part: unresolved" in done.stdout


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the standard library's word
        """Log nothing."""


@contextmanager
def served(folder: Path) -> Generator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_another_machine_is_only_contacted_if_that_is_allowed(retouch: Retouch, work_folder: Path) -> None:
    away = work_folder / "away"
    away.mkdir()
    (away / "part.json").write_text('{"part": {"type": "integer"}}')
    with served(away) as address:
        reference = {"$ref": f"{address}/part.json#/part"}
        write({"/x": {"type": "object", "properties": {"id": {"type": "string"}, "part": reference}}})
        words = ("generate", "csharp", "api.json", "GET /x", "--compiler", "none")
        assert "unresolved" in retouch(*words, "-o", "without").stdout
        assert "unresolved" not in retouch(*words, "-o", "with", "--allow-remote").stdout
    assert "long? Part" in Path("with/XDataObject.cs").read_text()


def write(schemas: dict[str, Any]) -> None:
    paths = {
        path: {"get": {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}
        for path, schema in schemas.items()
    }
    loop = {"Loop": {"$ref": "#/components/schemas/Loop"}}
    document = {"openapi": "3.0.0", "paths": paths, "components": {"schemas": loop}}
    Path("api.json").write_text(json.dumps(document))

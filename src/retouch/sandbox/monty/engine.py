"""Finds Monty, and keeps one worker ready for each sandbox that is opened."""

from __future__ import annotations

import shlex
import tempfile
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.sandbox.bubble import bubble, bubble_program
from retouch.sandbox.values import Engine, Job, Limits

if TYPE_CHECKING:
    from collections.abc import Generator

    from retouch.sandbox.values import Runner

_NAME = "monty"
_TRIAL = Job(code="def trial(text):\n    return [text]", function="trial", arguments=["works"])
_HINT = 'install the extra "rule": pip install "retouch[rule]"'


@cache
def monty_engine(*, bubbled: bool | None = None) -> Engine:
    """Return what Monty can offer here, found by running something in it.

    Without `bubbled`, bubblewrap is used where it works.
    """
    try:
        found = version("pydantic-monty")
        import_module("pydantic_monty")
    except (PackageNotFoundError, ImportError) as error:
        return Engine(name=_NAME, reason=f"pydantic-monty cannot be loaded: {error}", hint=_HINT)
    reason = "bubblewrap is not installed"
    for wrapped in [bubbled] if bubbled is not None else [True, False] if bubble_program() else [False]:
        opening = partial(_open, wrapped)
        try:
            with opening(Limits()) as run:
                outcome = run(_TRIAL).outcomes[0]
        except (OSError, RuntimeError, _monty_error()) as error:
            reason = f"its worker does not start: {error}"
            continue
        if outcome.value == ["works"]:
            layers = ("bubblewrap", "monty") if wrapped else ("monty",)
            return Engine(name=_NAME, version=found, layers=layers, open=opening)
        reason = f"its worker does not answer: {outcome.error}"
    return Engine(name=_NAME, version=found, reason=reason, hint=_HINT)


def _monty_error() -> type[Exception]:
    from pydantic_monty import MontyError

    return MontyError


@contextmanager
def _open(wrapped: bool, limits: Limits) -> Generator[Runner]:
    import pydantic_monty
    from pydantic_monty._binary import find_monty_binary

    from retouch.sandbox.monty.batch import run_batch

    with tempfile.TemporaryDirectory(prefix="retouch-") as folder:
        program = find_monty_binary()
        if wrapped:
            program = _wrapper(Path(folder), program)
        pool = pydantic_monty.Monty(
            binary_path=program,
            min_processes=1,
            max_processes=1,
            max_checkouts_per_worker=1,
            feed_duration_limit_grace=limits.grace_s,
            request_timeout=None,
        )
        with pool:
            yield partial(run_batch, pool, limits)


def _wrapper(folder: Path, program: str) -> str:
    """Write the program that the pool starts in place of its own, as it takes a program and no arguments."""
    real = str(Path(program).resolve())
    path = folder / "monty"
    command = shlex.join([*bubble(shown=(real,)), real])
    path.write_text(f'#!/bin/sh\nexec {command} "$@" 2>/dev/null\n', encoding="utf-8")
    path.chmod(0o700)
    return str(path)

"""Finds Monty, and keeps one worker ready for each open sandbox."""

from __future__ import annotations

import os
import shlex
import tempfile
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.sandbox.bubble import bubble, bubble_program
from retouch.sandbox.values import Engine, Limits, SandboxJob

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from retouch.sandbox.values import Runner

_NAME = "monty"
_TRIAL = SandboxJob(code="def trial(text):\n    return [text]", function="trial", arguments=["works"])
_HINT = 'install the extra "rule": pip install "retouch[rule]"'


Way: TypeAlias = Literal["bubblewrap", "quiet", "bare"]  # in namespaces; with its error output dropped; unchanged


@cache
def monty_engine(way: Way | None = None) -> Engine:
    """Return the Monty engine of this machine. It is tested by running code in it.

    If `way` is None, the first that works is used: in bubblewrap, started by a shell that drops its error output, or
    started directly.
    """
    try:
        found = version("pydantic-monty")
        import_module("pydantic_monty")
    except (PackageNotFoundError, ImportError) as error:
        return Engine(name=_NAME, reason=f"pydantic-monty cannot be loaded: {error}", hint=_HINT)
    reason = "bubblewrap is not installed"
    tried: list[Way] = _ways() if way is None else [way]
    for one in tried:
        opening = partial(_open, one)
        try:
            with opening(Limits()) as run:
                outcome = run(_TRIAL).outcomes[0]
        except (OSError, RuntimeError, _monty_error()) as error:
            reason = f"its worker does not start: {error}"
            continue
        if outcome.value == ["works"]:
            layers = ("bubblewrap", "monty") if one == "bubblewrap" else ("monty",)
            return Engine(name=_NAME, version=found, layers=layers, open=opening)
        reason = f"its worker does not answer: {outcome.error}"
    return Engine(name=_NAME, version=found, reason=reason, hint=_HINT)


def _ways() -> list[Way]:
    shelled: list[Way] = ["quiet"] if os.name == "posix" else []
    return [*(["bubblewrap"] if bubble_program() else []), *shelled, "bare"]


def _monty_error() -> type[Exception]:
    from pydantic_monty import MontyError

    return MontyError


@contextmanager
def _open(way: Way, limits: Limits) -> Generator[Runner]:
    import pydantic_monty
    from pydantic_monty._binary import find_monty_binary

    from retouch.sandbox.monty.batch import run_batch

    with tempfile.TemporaryDirectory(prefix="retouch-") as directory:
        real = str(Path(find_monty_binary()).resolve())
        around = bubble(shown=(real,)) if way == "bubblewrap" else []
        pool = pydantic_monty.Monty(
            binary_path=real if way == "bare" else _starter(Path(directory), [*around, real]),
            min_processes=1,
            max_processes=1,
            max_checkouts_per_worker=1,
            feed_duration_limit_grace=limits.grace_s,
        )
        with pool:
            yield partial(run_batch, pool, limits)


def _starter(directory: Path, command: Sequence[str]) -> str:
    """Write the program that the pool starts instead of its own. The pool accepts a program without arguments."""
    path = directory / "monty"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@" 2>/dev/null\n', encoding="utf-8")
    path.chmod(0o700)
    return str(path)

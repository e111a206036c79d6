"""Selects an engine and opens it."""

from __future__ import annotations

import keyword
from contextlib import contextmanager
from typing import TYPE_CHECKING

from retouch.sandbox.cpython.engine import cpython_engine
from retouch.sandbox.monty.engine import monty_engine
from retouch.sandbox.values import Engine, Limits, SandboxJob, SandboxResult, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from retouch.sandbox.values import Runner

_ENGINES: Mapping[str, Callable[[], Engine]] = {"monty": monty_engine, "cpython": cpython_engine}


class Box:
    """An open sandbox. `engine` names the engine, `printed` is the printed output of the last run."""

    def __init__(self, engine: Engine, run: Runner) -> None:
        self.engine = engine.label
        self.layers = engine.layers
        self.printed = ""
        self._run = run

    def run(self, code: str, *, function: str = "extract", arguments: Sequence[str]) -> list[SandboxResult]:
        """Return the outcome of `function` of `code` for each of `arguments`, in order.

        Calls share the loaded module until one breaks it. The next call then starts with a new one. A run takes at most
        the limits' `batch_s` and a little more. Calls that were not started have a failure. This call blocks. Use a
        thread in asynchronous code.

        Raises:
            ValueError: `function` is not a valid name.
            Unavailable: the locks that were active when the sandbox was opened no longer work.
        """
        if not (function.isascii() and function.isidentifier()) or keyword.iskeyword(function):
            raise ValueError(f"{function!r} is not a valid function name")
        ran = self._run(SandboxJob(code=code, function=function, arguments=arguments))
        self.printed = ran.printed
        return ran.outcomes


def engines() -> list[Engine]:
    """Return every engine with its version and layers, or the reason why it cannot be used on this machine."""
    return [find() for find in _ENGINES.values()]


@contextmanager
def open_sandbox(*, engine: str = "auto", limits: Limits | None = None) -> Generator[Box]:
    """Open a sandbox for model-written code.

    `engine` is "monty", "cpython", one of these with the required version ("monty==1.4.0", as in `Box.engine`), or
    "auto": Monty, or the locked CPython if Monty is not installed. An installed engine that does not work is never
    replaced by another one.

    Raises:
        Unavailable: the engine does not work here.
        ValueError: `engine` is not a known name.
    """
    chosen = _choose(engine)
    if chosen.open is None:
        raise Unavailable(f"the sandbox engine {chosen.name!r} cannot be used here: {chosen.reason}", hint=chosen.hint)
    with chosen.open(limits or Limits()) as run:
        yield Box(chosen, run)


def _choose(engine: str) -> Engine:
    name, _, version = engine.partition("==")
    if name == "auto":
        found = monty_engine()
        return found if found.version else cpython_engine()
    if name not in _ENGINES:
        raise ValueError(f"no sandbox engine {name!r}; known engines: auto, {', '.join(_ENGINES)}")
    found = _ENGINES[name]()
    if version and found.usable and found.version != version:
        raise Unavailable(
            f"the code was checked with {engine}, but {found.label} is installed",
            hint=f"install that version, or check the code again with {found.label}",
        )
    return found

"""Traces and logs of a command, by the variables RETOUCH_TRACE, RETOUCH_TRACE_CONTENTS and RETOUCH_LOG."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from retouch.errors import BadInput
from retouch.telemetry import contents_wanted, provider_of, traced

if TYPE_CHECKING:
    from collections.abc import Generator

    from retouch.engine.options import Watch

_LEVELS = ("debug", "info", "warning")


@contextmanager
def tracing(watch: Watch) -> Generator[Watch]:
    """Yield `watch` with the spans of the running command. They are sent when the context ends.

    If a program such as opentelemetry-instrument has configured OpenTelemetry, its configuration is used. Else spans go
    to the collector that the OTEL_EXPORTER_OTLP_ variables name, or with RETOUCH_TRACE=console to standard error.

    Raises:
        BadInput: the variable has another value.
        MissingTool: the extra `otel` is not installed.
    """
    context = click.get_current_context(silent=True)
    name = context.command_path if context is not None else "retouch"
    provider = provider_of(os.environ["RETOUCH_TRACE"].lower())
    try:
        with traced(name, watch=watch, contents=contents_wanted(), tracer_provider=provider) as watching:
            yield watching
    finally:
        if provider is not None:
            provider.shutdown()


@contextmanager
def workers_traced() -> Generator[None]:
    """Make one span for a command that starts worker processes, below which theirs are, if RETOUCH_TRACE is set."""
    if not os.environ.get("RETOUCH_TRACE"):
        yield
        return
    with tracing(lambda _event: None):
        yield


def log_to_stderr(level: str) -> None:
    """Print the records of our loggers from `level` on, on standard error.

    Raises:
        BadInput: there is no such level.
    """
    if level.lower() not in _LEVELS:
        raise BadInput(f"RETOUCH_LOG is {level!r}", hint=f"Set it to {', '.join(_LEVELS)}, or unset it.")
    printer = logging.StreamHandler(sys.stderr)
    printer.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    ours = logging.getLogger("retouch")
    ours.handlers[:] = [printer]
    ours.setLevel(level.upper())

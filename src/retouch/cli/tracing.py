"""Traces and logs of a command, by the variables RETOUCH_TRACE, RETOUCH_TRACE_CONTENTS and RETOUCH_LOG."""

from __future__ import annotations

import logging
import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from retouch.errors import BadInput, MissingTool
from retouch.telemetry import traced

if TYPE_CHECKING:
    from collections.abc import Generator

    from retouch.engine.options import Watch

_ON = frozenset({"1", "true", "yes", "otlp"})
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
    contents = any(
        os.environ.get(variable, "").lower() in _ON
        for variable in ("RETOUCH_TRACE_CONTENTS", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
    )
    provider = _provider(os.environ["RETOUCH_TRACE"].lower())
    try:
        with traced(name, watch=watch, contents=contents, tracer_provider=provider) as watching:
            yield watching
    finally:
        if provider is not None:
            provider.shutdown()


def _provider(kind: str) -> Any:
    """Return a provider of this command's own, or None if OpenTelemetry is configured already."""
    if kind not in {*_ON, "console"}:
        raise BadInput(f"RETOUCH_TRACE is {kind!r}", hint="Set it to 1 (send by OTLP) or console, or unset it.")
    try:
        from opentelemetry import trace
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor
    except ModuleNotFoundError as error:
        raise MissingTool("the extra 'otel' is not installed", hint='pip install "retouch[otel]"') from error
    if kind != "console" and isinstance(trace.get_tracer_provider(), TracerProvider):
        return None
    own = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "retouch"}
    provider = TracerProvider(resource=Resource.create(own))
    if kind == "console":
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=sys.stderr)))
    else:
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


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

"""Traces of OpenTelemetry: a span for each run, unit, attempt and check. Nothing is traced unless you ask for it.

    with traced("orders") as watch:
        retouch.generate(recipe, source, directory, model, options=RunOptions(watch=watch))

The spans are made from the progress events of a run, so the engine knows nothing of them. Names and attributes are
those of the GenAI semantic conventions where they exist, else they start with `retouch.`. Prompts and answers are left
out unless `contents` is set. Needs the extra `otel`.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from retouch._lib.redaction import without_keys
from retouch.engine.options import DEFAULT_WATCH
from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer, TracerProvider

    from retouch.engine.options import Progress, Watch
    from retouch.engine.types import Reply, Request

SCOPE = "retouch"
PROVIDERS: Mapping[str, str] = {
    "google": "gcp.gemini",
    "vertex": "gcp.vertex_ai",
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "mistral": "mistral_ai",
}
"""Names of providers in the conventions, where they differ from the scheme of a model's name."""
TRACE_ON = frozenset({"1", "true", "yes", "otlp"})
_FINISH = {"end": "stop", "length": "length", "refused": "content_filter", "filtered": "content_filter"}


@dataclass(frozen=True, kw_only=True)
class _Tracing:
    """How the runs of this process are traced."""

    provider: TracerProvider | None
    contents: bool


_TRACING: ContextVar[_Tracing | None] = ContextVar("tracing", default=None)


@contextmanager
def traced(
    name: str,
    *,
    watch: Watch | None = None,
    contents: bool = False,
    tracer_provider: TracerProvider | None = None,
) -> Generator[Watch]:
    """Yield a watcher for `RunOptions.watch` that makes the spans of the runs it watches, under one span for all.

    `name` is the name of the workflow, for example of the recipe. Events are passed on to `watch`. With `contents`,
    attempts have their prompts and answers as attributes. `tracer_provider` is by default the global one. The
    parent is the current span, else the one of the variable TRACEPARENT. Worker processes that are started meanwhile
    make spans too, below this one.

    Raises:
        MissingTool: the package opentelemetry-api is not installed.
    """
    tracer = _tracer_of(tracer_provider)
    from opentelemetry.trace import StatusCode, set_span_in_context

    attributes = {"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": name}
    above = _parent_from_environment()
    with tracer.start_as_current_span(f"invoke_workflow {name}", context=above, attributes=attributes) as root:
        token = _TRACING.set(_Tracing(provider=tracer_provider, contents=contents))
        spans = _Spans(tracer, set_span_in_context(root), contents=contents)

        def watching(event: Progress) -> None:
            spans.take(event)
            if watch is not None:
                watch(event)

        try:
            yield watching
        except BaseException as error:
            root.set_status(StatusCode.ERROR, type(error).__name__)
            root.set_attribute("error.type", type(error).__name__)
            raise
        finally:
            _TRACING.reset(token)
            root.set_attributes(spans.closed())


def _tracer_of(provider: TracerProvider | None) -> Tracer:
    try:
        from opentelemetry import trace
    except ModuleNotFoundError as error:
        raise MissingTool("OpenTelemetry is not installed", hint='pip install "retouch[otel]"') from error
    return trace.get_tracer(SCOPE, tracer_provider=provider)


def _parent_from_environment() -> Context | None:
    """Return the context of the variable TRACEPARENT, None without it or if a span is current already."""
    from opentelemetry import trace
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    if trace.get_current_span().get_span_context().is_valid:
        return None
    names = {name: os.environ.get(name.upper(), "") for name in ("traceparent", "tracestate")}
    return TraceContextTextMapPropagator().extract(names)


def traceparent() -> str:
    """Return the current span as a value of TRACEPARENT, "" if nothing is traced in this process."""
    if _TRACING.get() is None:
        return ""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent", "")


@contextmanager
def shard_traced(name: str, *, watch: Watch | None = None) -> Generator[Watch | None]:
    """Trace the runs of a shard, if this process is traced, and yield their watcher, which passes events on to `watch`.

    Runs whose options have no watcher get it too.
    """
    active = _TRACING.get()
    if active is None:
        yield watch
        return
    with traced(name, watch=watch, contents=active.contents, tracer_provider=active.provider) as watching:
        before = DEFAULT_WATCH.set(watching)
        try:
            yield watching
        finally:
            DEFAULT_WATCH.reset(before)


@contextmanager
def worker_traced(parent: str) -> Generator[None]:
    """Trace a worker process below the span `parent`, if its command is traced. Its spans are sent at the end."""
    active = _TRACING.get()  # of the command, if this process is a fork of it
    own: Any = None
    if active is None:
        if not (parent and os.environ.get("RETOUCH_TRACE")):
            yield
            return
        own = provider_of(os.environ["RETOUCH_TRACE"].lower())
        active = _Tracing(provider=own, contents=contents_wanted())
    before = os.environ.get("TRACEPARENT", "")
    os.environ["TRACEPARENT"] = parent or before
    token = _TRACING.set(active)
    try:
        yield
    finally:
        _TRACING.reset(token)
        os.environ.pop("TRACEPARENT", None)  # a worker of a cluster goes on with other commands
        os.environ.update({"TRACEPARENT": before} if before else {})
        _flush(active.provider)
        if own is not None:
            own.shutdown()


def _flush(provider: Any) -> None:
    """Send the spans that wait in a provider, by default the global one."""
    from opentelemetry import trace

    flush = getattr(provider or trace.get_tracer_provider(), "force_flush", None)  # the API's own has none
    if flush is not None:
        flush()


def contents_wanted() -> bool:
    """Return whether the environment wants prompts and answers in spans."""
    names = ("RETOUCH_TRACE_CONTENTS", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
    return any(os.environ.get(name, "").lower() in TRACE_ON for name in names)


def provider_of(kind: str) -> Any:
    """Return a provider for the value of RETOUCH_TRACE, or None if OpenTelemetry is configured already.

    Raises:
        BadInput: it is another value.
        MissingTool: the extra `otel` is not installed.
    """
    if kind not in {*TRACE_ON, "console"}:
        raise BadInput(f"RETOUCH_TRACE is {kind!r}", hint="Set it to 1 (send by OTLP) or console, or unset it.")
    import sys

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


@dataclass
class _Started:
    """A request on its way."""

    at: int  # nanoseconds since 1970, as all times here
    why: str
    model: str
    request: Request | None


@dataclass
class _Spans:
    """The open spans of the units of a run. An attempt and a check get their span when they are over."""

    tracer: Tracer
    parent: Context
    contents: bool
    units: dict[str, Span] = field(default_factory=dict[str, "Span"])
    states: dict[str, str] = field(default_factory=dict[str, str])
    ended: dict[str, int] = field(default_factory=dict[str, int])
    calls: dict[tuple[str, int], _Started] = field(default_factory=dict[tuple[str, int], _Started])
    check_began: int | None = None
    totals: dict[str, int] = field(default_factory=lambda: {"calls": 0, "input": 0, "output": 0})
    cost: float | None = 0.0

    def take(self, event: Progress) -> None:
        """Open or end the spans that an event is about."""
        now = time.time_ns()
        if event.kind in ("asked", "repairing"):
            self._unit(event.unit, now)
            started = _Started(at=now, why=event.text, model=event.model, request=event.request)
            self.calls[event.unit, event.page] = started
        elif event.kind in ("answered", "failed"):
            self._end_call(event, now)
        elif event.kind == "waiting" and event.unit in self.units:
            attributes: dict[str, Any] = {"retouch.page": event.page}
            if self.contents:  # the provider's message may quote the prompt
                attributes["retouch.reason"] = without_keys(event.text)
            self.units[event.unit].add_event("retouch.retry", attributes, timestamp=now)
        elif event.kind in ("settled", "mended"):
            self.states[event.unit], self.ended[event.unit] = event.text, now
        elif event.kind == "checking":
            self.check_began = now
        elif event.kind == "checked":
            self._end_check(event, now)

    def closed(self) -> dict[str, Any]:
        """End the spans that are open, and return the attributes of the whole: calls, tokens and cost."""
        now = time.time_ns()
        for (unit, page), started in self.calls.items():
            self._attempt(unit, page, started, {"error.type": "cancelled"}, now, failed="no reply")
        self.calls.clear()
        for name, span in self.units.items():
            span.set_attribute("retouch.unit.state", self.states.get(name, "unanswered"))
            span.end(max(self.ended.get(name, now), 0))
        self.units.clear()
        known = {"retouch.cost": self.cost} if self.cost is not None else {}
        return {
            "retouch.units": len(self.states),
            "retouch.calls": self.totals["calls"],
            "gen_ai.usage.input_tokens": self.totals["input"],
            "gen_ai.usage.output_tokens": self.totals["output"],
            **known,
        }

    def _unit(self, name: str, now: int) -> Span:
        if name not in self.units:
            attributes = {"retouch.unit": name}
            self.units[name] = self.tracer.start_span(
                f"unit {name}", context=self.parent, attributes=attributes, start_time=now
            )
        return self.units[name]

    def _end_call(self, event: Progress, now: int) -> None:
        started = self.calls.pop((event.unit, event.page), None)
        if started is None:
            return
        if event.kind == "failed":
            reason = event.text.partition(":")[0] or "error"
            self._attempt(event.unit, event.page, started, {"error.type": reason}, now, failed=event.text)
        elif event.reply is not None:  # else an earlier process had the reply already
            self._count(event.reply)
            self._attempt(event.unit, event.page, started, self._of_reply(event.reply), now)

    def _attempt(
        self, unit: str, page: int, started: _Started, more: Mapping[str, Any], now: int, *, failed: str = ""
    ) -> None:
        from opentelemetry.trace import SpanKind, StatusCode, set_span_in_context

        scheme, _, model = started.model.partition(":")
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": PROVIDERS.get(scheme, scheme or "unknown"),
            "gen_ai.request.model": model or scheme,
            "retouch.unit": unit,
            "retouch.page": page,
            "retouch.why": started.why,
            **self._of_request(started.request),
            **more,
        }
        span = self.tracer.start_span(
            f"chat {model or scheme}",
            context=set_span_in_context(self._unit(unit, started.at), self.parent),
            kind=SpanKind.CLIENT,
            attributes=attributes,
            start_time=started.at,
        )
        if failed:
            span.set_status(StatusCode.ERROR, without_keys(failed) if self.contents else attributes["error.type"])
        span.end(now)

    def _of_request(self, request: Request | None) -> dict[str, Any]:
        if request is None:
            return {}
        found: dict[str, Any] = {"gen_ai.request.max_tokens": request.max_output_tokens}
        if request.temperature is not None:
            found["gen_ai.request.temperature"] = request.temperature
        if request.answer_schema is not None:
            found["gen_ai.output.type"] = "json"
        if len(request.parts) > 1:
            found["retouch.pages_in_request"] = len(request.parts)
        if self.contents:
            messages = [_message(one.role, one.text) for one in request.messages]
            found["gen_ai.system_instructions"] = json.dumps(
                [{"type": "text", "content": without_keys(request.system)}]
            )
            found["gen_ai.input.messages"] = json.dumps(messages)
        return found

    def _of_reply(self, reply: Reply) -> dict[str, Any]:
        finish = reply.finish_raw or _FINISH.get(reply.finish, reply.finish)
        found: dict[str, Any] = {
            "gen_ai.response.model": reply.model,
            "gen_ai.response.finish_reasons": [finish],
            "gen_ai.usage.input_tokens": reply.input_tokens,
            "gen_ai.usage.output_tokens": reply.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": reply.cached_tokens,
            "gen_ai.usage.cache_creation.input_tokens": reply.written_tokens,
        }
        if reply.request_id:
            found["gen_ai.response.id"] = reply.request_id
        if reply.reasoning_tokens:
            found["gen_ai.usage.reasoning.output_tokens"] = reply.reasoning_tokens
        if reply.cost is not None:
            found["retouch.cost"] = reply.cost
        if self.contents:
            found["gen_ai.output.messages"] = json.dumps(
                [{**_message("assistant", reply.text), "finish_reason": finish}]
            )
        return found

    def _end_check(self, event: Progress, now: int) -> None:
        attributes = {
            "gen_ai.evaluation.name": "retouch.semantic",
            "gen_ai.evaluation.score.label": {"passed": "pass", "not run": "not run"}.get(event.text, "fail"),
            "retouch.tier": 3,
            "retouch.result": event.text,
        }
        began = self.check_began if self.check_began is not None else now
        span = self.tracer.start_span("check semantic", context=self.parent, attributes=attributes, start_time=began)
        span.end(now)
        self.check_began = None

    def _count(self, reply: Reply) -> None:
        self.totals["calls"] += 1
        self.totals["input"] += reply.input_tokens
        self.totals["output"] += reply.output_tokens
        self.cost = None if self.cost is None or reply.cost is None else self.cost + reply.cost


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": without_keys(text)}]}

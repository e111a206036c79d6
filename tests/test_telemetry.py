"""Traces and logs: spans for run, unit, attempt and check, and nothing unless it was asked for."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes
from opentelemetry.trace import SpanKind, StatusCode

import retouch
from retouch.engine.options import Progress, RunOptions
from retouch.engine.types import Issue, Prompt, Reply, Tier
from retouch.errors import TransportError
from retouch.models.wrappers import retrying
from retouch.telemetry import traced

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.sdk.trace import ReadableSpan

    from retouch.engine.types import Request

KEY = "sk-ant-" + "api03-" + "Ab3" * 31
SECRET_PROMPT, SECRET_ANSWER = "the prompt of the user", "the answer of the model"


def plan(_source: dict[str, Any]) -> list[Prompt]:
    return [Prompt(unit=name, system="", user=SECRET_PROMPT) for name in ("a", "b")]


def read(_source: dict[str, Any], unit: str, pages: Sequence[str]) -> retouch.Read[str]:
    if "wrong" in pages[0]:
        return retouch.Read(None, (Issue(code="WRONG", message="wrong", tier=Tier.SYNTAX, unit=unit),))
    return retouch.Read(pages[0])


def check(_source: dict[str, Any], _values: Mapping[str, str], _options: RunOptions) -> list[Issue]:
    return []


def assemble(_source: dict[str, Any], values: Mapping[str, Any]) -> dict[str, str]:
    return {"out.txt": "".join(map(str, values.values()))}


RECIPE = retouch.Recipe[dict[str, Any], str](
    name="traced", source=dict[str, Any], plan=plan, read=read, check=check, assemble=assemble
)


class Scripted:
    """Answers `a` wrongly once, then well."""

    name = "anthropic:claude-test"

    def __init__(self) -> None:
        self.calls = 0

    async def __call__(self, request: Request, *, on_event: Any = None) -> Reply:
        del on_event
        self.calls += 1
        text = "wrong" if request.prompt.unit == "a" and self.calls == 1 else SECRET_ANSWER
        numbers: dict[str, Any] = {"input_tokens": 10, "output_tokens": 5, "cached_tokens": 4, "cost": 0.25}
        return Reply(text=text, model="claude-test-1", request_id=f"r{self.calls}", **numbers)


def run_traced(folder: Path, model: Any, **more: Any) -> list[ReadableSpan]:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    with traced("traced", tracer_provider=provider, **more) as watch:
        retouch.generate(RECIPE, {}, folder, model, RunOptions(watch=watch, concurrency=1))
    return list(spans.get_finished_spans())


def named(spans: Sequence[ReadableSpan], start: str) -> list[ReadableSpan]:
    return [span for span in spans if span.name.startswith(start)]


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_a_run_has_spans_for_its_units_attempts_and_checks(tmp_path: Path) -> None:
    spans = run_traced(tmp_path / "run", Scripted())
    (root,) = named(spans, "invoke_workflow traced")
    units, chats, checks = named(spans, "unit "), named(spans, "chat "), named(spans, "check ")
    assert ["unit a", "unit b"] == sorted(span.name for span in units)
    assert ["chat claude-test"] * 3 == [span.name for span in chats]
    assert {SpanKind.CLIENT} == {span.kind for span in chats}
    assert ["pass"] == list({attributes(span)["gen_ai.evaluation.score.label"] for span in checks})
    of_unit = {span.name.removeprefix("unit "): span.context.span_id for span in units if span.context}
    assert all(
        span.parent is not None and span.parent.span_id == of_unit[attributes(span)["retouch.unit"]] for span in chats
    )
    assert all(
        span.parent is not None and root.context and span.parent.span_id == root.context.span_id
        for span in [*units, *checks]
    )
    assert ["answer", "correction"] == sorted({attributes(span)["retouch.why"] for span in chats})
    assert {"calls": 3, "input": 30, "output": 15, "cost": 0.75} == {
        "calls": attributes(root)["retouch.calls"],
        "input": attributes(root)["gen_ai.usage.input_tokens"],
        "output": attributes(root)["gen_ai.usage.output_tokens"],
        "cost": attributes(root)["retouch.cost"],
    }
    for span in spans:
        assert span.start_time is not None
        assert span.end_time is not None
        assert root.start_time is not None
        assert root.start_time <= span.start_time <= span.end_time


def test_an_attempt_has_the_attributes_of_the_conventions(tmp_path: Path) -> None:
    spans = run_traced(tmp_path / "run", Scripted())
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    used = {key for span in spans for key in attributes(span)}
    assert set() == {key for key in used if not key.startswith("retouch.") and key != "error.type"} - known
    found = attributes(named(spans, "chat ")[0])
    wanted = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-test",
        "gen_ai.response.model": "claude-test-1",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.cache_read.input_tokens": 4,
        "gen_ai.response.id": "r1",
    }
    assert wanted == {key: found[key] for key in wanted}


def test_contents_are_in_spans_only_if_they_were_asked_for(tmp_path: Path) -> None:
    without, with_them = (
        json.dumps(
            [attributes(span) for span in run_traced(tmp_path / name, Scripted(), contents=name == "with")], default=str
        )
        for name in ("without", "with")
    )
    assert [False, False] == [text in without for text in (SECRET_PROMPT, SECRET_ANSWER)]
    assert [True, True] == [text in with_them for text in (SECRET_PROMPT, SECRET_ANSWER)]


class Failing(Scripted):
    """Reports a failure whose message has the prompt in it."""

    async def __call__(self, request: Request, *, on_event: Any = None) -> Reply:
        del request, on_event
        raise TransportError(f"the server refused: {SECRET_PROMPT}", again=False)


def test_a_failed_call_is_an_error_without_its_message(tmp_path: Path) -> None:
    spans = run_traced(tmp_path / "run", Failing())
    failed = named(spans, "chat ")
    assert {StatusCode.ERROR} == {span.status.status_code for span in failed}
    assert all("error.type" in attributes(span) for span in failed)
    assert SECRET_PROMPT not in json.dumps([[attributes(span), span.status.description] for span in spans], default=str)


def waited(*, contents: bool) -> list[dict[str, Any]]:
    """Return the attributes of the event of a retry whose reason quotes the prompt and a key."""
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    with traced("traced", tracer_provider=provider, contents=contents) as watch:
        watch(Progress(kind="asked", unit="a", page=1, model="anthropic:claude-test"))
        watch(Progress(kind="waiting", unit="a", page=1, text=f"refused: {SECRET_PROMPT} {KEY}"))
    return [dict(event.attributes or {}) for span in spans.get_finished_spans() for event in span.events]


def test_a_retry_is_in_the_trace_without_the_message_of_the_provider() -> None:
    assert [{"retouch.page": 1}] == waited(contents=False)
    reason = str(waited(contents=True)[0]["retouch.reason"])
    assert SECRET_PROMPT in reason
    assert KEY not in reason


def interrupted(provider: TracerProvider) -> None:
    with traced("odd", tracer_provider=provider) as watch:
        watch(Progress(kind="asked", unit="a", page=1, text="answer", model="offline"))
        raise KeyError


def test_an_error_of_the_command_is_on_the_span_of_the_run() -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    with pytest.raises(KeyError):
        interrupted(provider)
    chat, unit, root = spans.get_finished_spans()
    assert ("chat offline", "unit a", "invoke_workflow odd") == (chat.name, unit.name, root.name)
    assert (StatusCode.ERROR, StatusCode.ERROR) == (chat.status.status_code, root.status.status_code)


def test_events_reach_the_watcher_behind(tmp_path: Path) -> None:
    seen: list[str] = []

    def watch(event: Progress) -> None:
        seen.append(event.kind)

    run_traced(tmp_path / "run", Scripted(), watch=watch)
    assert {"asked", "repairing", "answered", "settled", "checking", "checked", "done"} <= set(seen)


def test_loggers_have_the_names_of_their_modules_and_no_contents(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, logger="retouch"):
        retouch.generate(RECIPE, {}, tmp_path / "run", Scripted())
    names = {record.name for record in caplog.records}
    assert {"retouch.engine.calls", "retouch.engine.record", "retouch.engine.round"} == names
    assert [] == [record for record in caplog.records if record.levelno > logging.DEBUG]
    assert [] == [one for one in caplog.messages if SECRET_PROMPT in one or SECRET_ANSWER in one]


class Busy(Scripted):
    """Fails once with a message that has a secret, then answers."""

    async def __call__(self, request: Request, *, on_event: Any = None) -> Reply:
        if not self.calls:
            self.calls += 1
            raise TransportError(f"the server refused: {SECRET_PROMPT}")
        return await super().__call__(request, on_event=on_event)


def test_a_retry_is_in_the_log_without_the_message_of_the_provider(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = retrying(Busy(), first_wait_s=0.0)
    with caplog.at_level(logging.DEBUG, logger="retouch"):
        retouch.generate(RECIPE, {}, tmp_path / "run", model, RunOptions(concurrency=1))
    (retry,) = [one.getMessage() for one in caplog.records if one.name == "retouch.models.wrappers"]
    assert "a page 1: try 1 failed, TransportError; next in 0.0 s" == retry
    assert SECRET_PROMPT not in caplog.text


def test_a_file_that_was_changed_is_in_the_log_of_the_record(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    run = tmp_path / "run"
    retouch.generate(RECIPE, {}, run, Scripted())
    (run / "pages.json").write_text((run / "pages.json").read_text() + " ")
    with caplog.at_level(logging.INFO, logger="retouch"):
        retouch.generate(RECIPE, {}, run, Scripted())
    found = [(one.name, one.levelname, one.getMessage()) for one in caplog.records]
    assert [("retouch.engine.record", "INFO", "pages.json was changed since it was written")] == found


def plan_secret(_source: dict[str, Any]) -> list[Prompt]:
    return [Prompt(unit="tulip-7-orchard", system="", user=SECRET_PROMPT)]


def test_a_log_has_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "tulip-7-orchard")
    with caplog.at_level(logging.DEBUG, logger="retouch"):
        retouch.generate(replace(RECIPE, plan=plan_secret), {}, tmp_path / "run", Scripted())
        logging.getLogger("retouch.engine.record").debug("a key: %s", KEY)
    assert "[redacted:SHOP_API_KEY]" in caplog.text
    assert [] == [one for one in caplog.messages if "tulip-7-orchard" in one or KEY in one]


LOGGING = (
    "_lib.process.running engine.batches engine.calls engine.record engine.round fleet.engines "
    "fleet.isolating fleet.shards fleet.store mcp.server models.batch.work models.limits models.spending "
    "models.wrappers recipes.csharp.compilers.check recipes.csharp.compilers.process recipes.policy.guard.core "
    "view.server"
)


def test_each_logger_has_the_name_of_its_module_and_removes_secrets(project: Path) -> None:
    source = project / "src"
    texts = {
        ".".join(path.relative_to(source / "retouch").with_suffix("").parts): path.read_text(encoding="utf-8")
        for path in source.rglob("*.py")
    }
    lines = "_LOG = logging.getLogger(__name__)\n_LOG.addFilter(redact_record)\n"
    assert LOGGING.split() == sorted(name for name, text in texts.items() if lines in text)
    assert LOGGING.split() == sorted(name for name, text in texts.items() if re.search(r"\b_LOG\.(debug|info)", text))
    page = (project / "docs" / "how-to" / "tracing.md").read_text(encoding="utf-8")
    assert [] == [name for name in LOGGING.split() if f"`retouch.{name}`" not in page]
    assert [] == [name for name, text in texts.items() if re.search(r"_LOG\.(warning|error|exception|log)\b", text)]


def test_a_log_is_printed_only_if_somebody_wants_it(tmp_path: Path) -> None:
    code = "import logging, sys; from retouch._lib.logs import redact_record; "
    code += "log = logging.getLogger('retouch.engine.calls'); log.error('seen'); "
    code += "logging.basicConfig(stream=sys.stdout); log.error('printed')"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ("ERROR:retouch.engine.calls:printed", "") == (done.stdout.strip(), done.stderr)


def test_nothing_of_opentelemetry_is_imported_unless_it_is_used() -> None:
    code = "import sys, retouch, retouch.telemetry, retouch.cli.root; retouch.generate; "
    code += "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == done.stdout.strip()


def test_a_command_prints_its_spans_and_logs_if_variables_say_so(tmp_path: Path) -> None:
    pets = Path(__file__).parent / "cli" / "fixtures" / "pets.yaml"
    words = [
        sys.executable,
        "-m",
        "retouch",
        "generate",
        "csharp",
        str(pets),
        "GET /pets",
        "--compiler",
        "none",
        "-q",
    ]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "RETOUCH_TRACE": "console", "RETOUCH_LOG": "debug"}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stderr
    assert '"name": "invoke_workflow retouch generate csharp"' in done.stderr
    assert '"service.name": "retouch"' in done.stderr
    assert "DEBUG retouch.engine.calls: " in done.stderr
    wrong = subprocess.run(
        words, cwd=tmp_path, env={**environment, "RETOUCH_TRACE": "loud"}, capture_output=True, text=True, check=False
    )
    assert (2, True) == (wrong.returncode, "RETOUCH_TRACE is 'loud'" in wrong.stderr)

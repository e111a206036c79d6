"""Answer schemas on the wire: each provider's form, what is sent if it is rejected, and what is remembered."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch import Targets, open_model
from retouch.engine.directory import open_run
from retouch.engine.options import Batching
from retouch.engine.usage import schema_report
from retouch.errors import ModelError, TransportError
from retouch.models.offline import offline
from retouch.models.providers import open_batches
from retouch.testing import FAULTS, Fault, model_server, scripted
from tests.engine.glossary import RECIPE, Glossary, answer, plan
from tests.models.hosted.conftest import CLAUDE, GEMINI, GPT, asking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from retouch import Request
    from retouch.engine.types import Prompt, Reply
    from retouch.testing import ModelServer
    from retouch.testing.answer_schemas import SchemaSupport
    from tests.models.hosted.conftest import Ask

LOCAL = "openai:some-model@URL"
NOTE = {"type": ["string", "null"], "maxLength": 20}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 9}, "note": NOTE},
    "required": ["name"],
    "additionalProperties": False,
}
OPEN_SCHEMA = {"type": "object", "properties": {"more": {"type": "object"}}, "required": ["more"]}
TEXT = {"type": "string"}


def with_schema(schema: dict[str, Any] = SCHEMA, system: str = "Answer in JSON.", **more: Any) -> Request:
    return replace(asking(system=system, **more), answer_schema=schema)


def form_in(body: Any) -> Any:
    """Return the part of a body that describes the form of the answer."""
    config = body.get("generationConfig", {})
    found = {name: one for name, one in config.items() if name.startswith("response") and name != "responseModalities"}
    return body.get("response_format") or body.get("output_config") or found or None


def answering_json() -> ModelServer:
    return model_server(scripted(lambda _: '{"name": "x"}'))


CLOSED = {"type": "object", "required": ["name"], "additionalProperties": False}
PLAIN = {**CLOSED, "properties": {"name": TEXT, "note": TEXT}}
NULLABLE = {"anyOf": [TEXT, {"type": "null"}]}
ALL = {**CLOSED, "properties": {"name": TEXT, "note": NULLABLE}, "required": ["name", "note"]}


def as_openai(schema: dict[str, Any], *, strict: bool = True) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": strict}}


@pytest.mark.slow
@pytest.mark.parametrize("cap", [100, 8_000])
@pytest.mark.parametrize(
    ("spec", "mode", "form"),
    [
        (GPT, "strict", as_openai(ALL)),
        ("mistral:some", "strict", as_openai(ALL)),
        ("groq:some", "strict", as_openai(ALL)),
        (LOCAL, "strict", as_openai(SCHEMA)),
        ("ollama:some", "strict", as_openai(SCHEMA)),
        ("deepseek:some", "json", {"type": "json_object"}),
        (CLAUDE, "strict", {"format": {"type": "json_schema", "schema": PLAIN}}),
        (GEMINI, "strict", {"responseMimeType": "application/json", "responseJsonSchema": PLAIN}),
    ],
)
def test_each_provider_gets_the_schema_in_its_own_form(ask: Ask, spec: str, mode: str, form: Any, cap: int):
    with answering_json() as server:
        reply = ask(server, spec, with_schema(cap=cap))
    assert (form, mode, 1) == (form_in(server.calls[0].body), reply.schema_mode, len(server.calls))


@pytest.mark.parametrize("spec", [GPT, LOCAL, CLAUDE, GEMINI])
def test_a_request_without_a_schema_says_nothing_of_one(ask: Ask, spec: str):
    with answering_json() as server:
        reply = ask(server, spec)
    assert (None, "") == (form_in(server.calls[0].body), reply.schema_mode)


def test_effort_and_schema_share_one_object_at_anthropic(ask: Ask):
    with answering_json() as server:
        ask(server, "anthropic:claude-opus-4-6?effort=low", with_schema())
        ask(server, "anthropic:claude-opus-4-6?effort=low")
    both, alone = (call.body["output_config"] for call in server.calls)
    assert ({"effort": "low"}, "low", "json_schema") == (alone, both["effort"], both["format"]["type"])


@pytest.mark.parametrize(
    ("spec", "schema", "first"),
    [
        (GPT, OPEN_SCHEMA, "relaxed"),
        (CLAUDE, OPEN_SCHEMA, "prompt"),
        (GEMINI, OPEN_SCHEMA, "strict"),
        (GEMINI, {"type": "array"}, "json"),
        ("deepseek:some", {"type": "array", "items": TEXT}, "prompt"),
    ],
)
def test_a_form_that_cannot_express_the_schema_is_left_out(ask: Ask, spec: str, schema: dict[str, Any], first: str):
    with answering_json() as server:
        assert first == ask(server, spec, with_schema(schema)).schema_mode


@pytest.mark.slow
@pytest.mark.parametrize(
    ("support", "spec", "modes"),
    [
        ("documented", GPT, ["strict"]),
        ("documented", LOCAL, ["strict", "relaxed"]),
        ("json", GPT, ["strict", "relaxed", "json"]),
        ("json", LOCAL, ["strict", "relaxed", "json"]),
        ("none", GPT, ["strict", "relaxed", "json", "prompt"]),
        ("json", CLAUDE, ["strict", "prompt"]),
        ("json", GEMINI, ["strict", "json"]),
        ("none", GEMINI, ["strict", "json", "prompt"]),
    ],
)
def test_a_rejected_form_is_followed_by_the_next_one_and_remembered(
    point: Callable[[ModelServer], None], support: SchemaSupport, spec: str, modes: list[str]
):
    async def twice(model: retouch.Model) -> list[Reply]:
        return [await model(with_schema(user=f"Page {n}.")) for n in range(2)]

    with answering_json() as server:
        server.accept_schemas(support)
        point(server)
        replies = asyncio.run(twice(open_model(spec.replace("@URL", f"@{server.openai_url}"))))
    assert ([modes[-1]] * 2, len(modes) + 1) == ([reply.schema_mode for reply in replies], len(server.calls))


def test_the_request_for_json_is_left_out_if_no_text_speaks_of_it(ask: Ask):
    with answering_json() as server:
        server.accept_schemas("json")
        reply = ask(server, GPT, with_schema(system="Be brief."))
    assert ("prompt", 3) == (reply.schema_mode, len(server.calls))


def test_forms_that_fail_for_three_schemas_are_no_longer_tried(point: Callable[[ModelServer], None]):
    async def each(model: retouch.Model) -> list[Reply]:
        schemas = [{**SCHEMA, "description": str(number)} for number in range(9)]
        return [await model(with_schema(schema)) for schema in schemas]

    with answering_json() as server:
        server.accept_schemas("none")
        point(server)
        replies = asyncio.run(each(open_model(CLAUDE)))
    assert ({"prompt"}, 9 + 3) == ({reply.schema_mode for reply in replies}, len(server.calls))


GRAMMAR = Fault(kind="status", status=500, message="Failed to parse grammar")


def test_a_server_that_fails_at_its_own_grammar_gets_a_simpler_schema(ask: Ask):
    with model_server(scripted(lambda _: "{}"), faults=[GRAMMAR]) as server:
        reply = ask(server, LOCAL + "?tries=1", with_schema())
    assert ("relaxed", 2) == (reply.schema_mode, len(server.calls))


@pytest.mark.parametrize("fault", ["400", "401", "429", "500"])
def test_other_errors_are_not_taken_for_a_rejected_schema(ask: Ask, fault: str):
    script = [replace(FAULTS["500"], status=int(fault), message="Something else."), *[None] * 9]
    with model_server(scripted(lambda _: "{}"), faults=script) as server:
        kind = TransportError if fault in {"429", "500"} else ModelError
        with pytest.raises(kind, match="Something else"):
            ask(server, GPT + "?tries=1", with_schema())
    assert 1 == len(server.calls)


def test_a_400_that_names_json_everywhere_ends_with_the_servers_own_words(ask: Ask):
    wrong = Fault(kind="status", status=400, message="the JSON schema of your life is wrong")
    server = model_server(scripted(lambda _: "{}"), faults=[wrong] * 9)
    with server, pytest.raises(ModelError, match="the JSON schema of your life is wrong"):
        ask(server, GPT, with_schema())
    assert 4 == len(server.calls)


WORDS = Glossary(units={f"unit {n}": (f"w{n}",) for n in range(4)})


def planned(source: Glossary) -> Iterable[Prompt]:
    return [replace(one, system=one.system + " JSON", answer_schema=SCHEMA) for one in plan(source)]


def serving() -> ModelServer:
    return model_server(offline(answer), prompts=list(planned(WORDS)))


WITH_SCHEMA = replace(RECIPE, plan=planned)


def test_a_run_remembers_what_its_server_accepts(point: Callable[[ModelServer], None], tmp_path: Path):
    with serving() as server:
        server.accept_schemas("json")
        point(server)
        options = retouch.RunOptions(concurrency=1)
        first = retouch.generate(WITH_SCHEMA, WORDS, tmp_path / "run", open_model(GPT), options=options)
        before, targets = len(server.calls), Targets(units=("unit 1",))
        again = retouch.regenerate(WITH_SCHEMA, tmp_path / "run", open_model(GPT + "?seed=3"), targets, options=options)
    assert ("verified", "verified") == (first.status, again.status)
    assert (len(WORDS.units) + 2, 1) == (before, len(server.calls) - before)
    history = open_run(tmp_path / "run").history
    assert {"json"} == {one.reply.schema_mode for one in history.attempts.values() if one.reply is not None}
    assert [one.error for one in history.attempts.values()] == [None] * 5
    report = schema_report(history.attempts.values(), history.notes)
    assert {GPT: {"json": 4}, f"{GPT}?seed=3": {"json": 1}} == report.modes
    assert ["strict", "relaxed"] == [one["mode"] for one in report.rejected]


@pytest.mark.parametrize("spec", [CLAUDE, GPT])
@pytest.mark.parametrize(("support", "online"), [("documented", 0), ("none", len(WORDS.units))])
def test_batches_carry_the_schema_and_a_rejected_one_is_requested_online(
    point: Callable[[ModelServer], None], tmp_path: Path, spec: str, support: SchemaSupport, online: int
):
    spec += "?first_poll_s=0.01&max_poll_s=0.02&first_wait_s=0.01&max_wait_s=1"
    with serving() as server:
        server.accept_schemas(support)
        point(server)
        options = retouch.RunOptions(batching=Batching(model=open_batches(spec)))
        result = retouch.generate(WITH_SCHEMA, WORDS, tmp_path / "run", open_model(spec), options=options)
        in_batches = [call for call in server.calls if not call.body.get("stream")]
    assert ("verified", len(WORDS.units)) == (result.status, len(in_batches))
    assert all(form_in(call.body) is not None for call in in_batches)
    modes = [one.reply.schema_mode for one in open_run(tmp_path / "run").history.attempts.values() if one.reply]
    assert ["prompt" if online else "strict"] * len(WORDS.units) == modes

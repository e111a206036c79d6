"""What one correction sends and receives, by the number of wrong fields: other libraries on one loopback server.

    python benchmarks/extract_peers.py retouch|instructor|pydantic-ai|trustcall|guardrails

It needs nothing but the library that it measures, so that each can be installed in an environment of its own. The
server speaks the chat API. Its first answer about a record has so many wrong fields; later answers are right, and have
the parts that are requested. It counts the characters of the requests and of the answers.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from typing import Any, cast

FIELDS = 24
TEXT = "The record is long, as records of real work are. " * 160
RIGHT = {f"field_{number:02}": number for number in range(FIELDS)}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "integer", "minimum": 0} for name in RIGHT},
    "required": list(RIGHT),
    "additionalProperties": False,
}
PROMPT = f"Give the fields of this record as JSON: {', '.join(RIGHT)}.\n\n{TEXT}"


class CountingServer(ThreadingHTTPServer):
    """The server, and what it has counted since `begin`."""

    wrong = 0
    calls: list[tuple[int, int]]

    def begin(self, wrong: int) -> None:
        """Count from here. The next first answer has so many wrong fields."""
        self.wrong, self.calls = wrong, []


class ChatApi(BaseHTTPRequestHandler):
    """Answers POST requests of the chat API."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Print nothing."""

    def do_POST(self) -> None:
        """Answer a request, and count it."""
        data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        sent = sum(
            len(json.dumps(one["content"])) + len(json.dumps(one.get("tool_calls") or "")) - 2
            for one in data["messages"]
        )
        tools: list[dict[str, Any]] = data.get("tools") or []
        text = self._text(data, tools)
        self._counter.calls.append((sent, len(text)))
        message: dict[str, Any] = {"role": "assistant", "content": text}
        if tools:
            function = {"name": tools[0]["function"]["name"], "arguments": text}
            call = {"id": f"call_{len(self._counter.calls)}", "type": "function", "function": function}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        reason = "tool_calls" if tools else "stop"
        choice: dict[str, Any] = {"index": 0, "finish_reason": reason, "message": message}
        usage = {"prompt_tokens": sent // 4, "completion_tokens": len(text) // 4, "total_tokens": 1}
        base: dict[str, Any] = {"id": "x", "created": 1, "model": "m", "usage": usage}
        if data.get("stream"):
            delta: dict[str, Any] = {"index": 0, "finish_reason": None, "delta": choice["message"]}
            end: dict[str, Any] = {"index": 0, "finish_reason": "stop", "delta": {}}
            chunks: list[dict[str, Any]] = [
                {**base, "object": "chat.completion.chunk", "choices": [one]} for one in (delta, end)
            ]
            body = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            body, kind = json.dumps({**base, "object": "chat.completion", "choices": [choice]}), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def _text(self, data: dict[str, Any], tools: list[dict[str, Any]]) -> str:
        """Return the text of an answer, or the arguments of its tool call."""
        return json.dumps(self._value(data)) if not tools else self._arguments(tools, data["messages"])

    def _arguments(self, tools: list[dict[str, Any]], messages: list[dict[str, Any]]) -> str:
        """Return the arguments of a tool call: the record, or JSON Patch operations for its wrong fields."""
        if "patches" not in tools[0]["function"]["parameters"]["properties"]:
            return json.dumps(self._value({}))
        found = next(one["tool_calls"] for one in reversed(messages) if one.get("tool_calls"))
        names = list(RIGHT)[: self._counter.wrong]
        patches = [{"op": "replace", "path": f"/{name}", "value": RIGHT[name]} for name in names]
        return json.dumps({"json_doc_id": found[0]["id"], "planned_edits": "", "patches": patches})

    @property
    def _counter(self) -> CountingServer:
        return cast("CountingServer", self.server)

    def _value(self, data: dict[str, Any]) -> dict[str, Any]:
        if not self._counter.calls:
            wrong = list(RIGHT)[: self._counter.wrong]
            return {name: -1 if name in wrong else value for name, value in RIGHT.items()}
        form: dict[str, Any] = data.get("response_format") or {}
        schema: dict[str, Any] = form.get("json_schema", {}).get("schema", {})
        names: list[str] = list(schema.get("properties", RIGHT))
        return {name: RIGHT[name.removeprefix("/")] for name in names}


def with_retouch(address: str) -> None:
    """Extract the record with this project."""
    retouch: Any = import_module("retouch")
    with tempfile.TemporaryDirectory() as directory:
        model = f"openai:m@{address}/v1"
        result = retouch.extract(
            [{"id": 1}], schema=SCHEMA, prompt=PROMPT, model=model, key="id", output=f"{directory}/out"
        )
    assert result.status == "verified", result.status


def fields_model() -> Any:
    """Return the pydantic model of the schema."""
    pydantic: Any = import_module("pydantic")
    return pydantic.create_model("Record", **{name: (int, pydantic.Field(ge=0)) for name in RIGHT})


def with_instructor(address: str) -> None:
    """Extract the record with instructor, in its JSON mode."""
    instructor, openai = import_module("instructor"), import_module("openai")
    client: Any = instructor.from_openai(
        openai.OpenAI(base_url=f"{address}/v1", api_key="none"), mode=instructor.Mode.JSON
    )
    messages = [{"role": "user", "content": PROMPT}]
    client.chat.completions.create(model="m", response_model=fields_model(), max_retries=3, messages=messages)


def with_pydantic_ai(address: str) -> None:
    """Extract the record with pydantic-ai, with the schema as the output format."""
    ai, chat, provider = (import_module(f"pydantic_ai{name}") for name in ("", ".models.openai", ".providers.openai"))
    model: Any = chat.OpenAIChatModel(
        "gpt-4o", provider=provider.OpenAIProvider(base_url=f"{address}/v1", api_key="none")
    )
    agent: Any = ai.Agent(model, output_type=ai.NativeOutput(fields_model()), retries=3)
    asyncio.run(agent.run(PROMPT))


def with_trustcall(address: str) -> None:
    """Extract the record with trustcall, which asks for JSON Patch operations by a tool call. They are all counted."""
    trustcall, chat = import_module("trustcall"), import_module("langchain_openai")
    model: Any = chat.ChatOpenAI(model="m", base_url=f"{address}/v1", api_key="none")
    extractor: Any = trustcall.create_extractor(model, tools=[fields_model()], tool_choice="Record")
    found = extractor.invoke({"messages": [{"role": "user", "content": PROMPT}]})
    assert found["responses"], "no valid record"


def with_guardrails(address: str) -> None:
    """Extract the record with guardrails, which asks again for what its validation refuses."""
    guardrails, openai = import_module("guardrails"), import_module("openai")
    client: Any = openai.OpenAI(base_url=f"{address}/v1", api_key="none")

    def answer(*_: Any, messages: Any, **__: Any) -> str:
        return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

    guard: Any = guardrails.Guard.for_pydantic(fields_model())
    found = guard(answer, messages=[{"role": "user", "content": PROMPT}], num_reasks=3)
    assert found.validation_passed, "no valid record"


WAYS = {
    "retouch": with_retouch,
    "instructor": with_instructor,
    "pydantic-ai": with_pydantic_ai,
    "trustcall": with_trustcall,
    "guardrails": with_guardrails,
}


def main() -> None:
    """Print a row for each number of wrong fields."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    server = CountingServer(("127.0.0.1", 0), ChatApi)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    name = sys.argv[1]
    for wrong in (1, 4, 12, 24):
        server.begin(wrong)
        WAYS[name](address)
        (first, _), *again = server.calls
        sent, received = sum(one for one, _ in again), sum(one for _, one in again)
        print(f"| {name} | {wrong} | {len(again)} | {sent / first:.2f} | {received} |", flush=True)


if __name__ == "__main__":
    main()

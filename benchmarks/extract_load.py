"""Many records against a server that answers after one second, 256 at once: retouch and other libraries.

    python benchmarks/extract_load.py LIBRARY [--records 1024]

LIBRARY is `retouch`, `retouch-1024` (with an output cap of 1,024 tokens), or another library by its name.
It needs nothing but the library that it measures, so that each can be installed in an environment of its own. The
server is a process of its own and speaks the chat and the responses API. It waits a second and answers right. Ideal is
the number of records, divided by 256, in seconds. The CPU time is that of the library's process without its imports.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import tempfile
import time
from functools import partial
from importlib import import_module
from typing import Any

AT_ONCE, SECONDS = 256, 1.0
VALUE = {"name": "Ada", "urgent": True, "age": 36}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "urgent": {"type": "boolean"}, "age": {"type": "integer"}},
    "required": ["name", "urgent", "age"],
    "additionalProperties": False,
}
PROMPT = "Is this ticket of {name} urgent? " + "It cannot be printed, and nobody knows why. " * 20
USAGE = {"prompt_tokens": 200, "completion_tokens": 10, "total_tokens": 210}


def body_for(path: str, data: dict[str, Any]) -> tuple[str, str]:
    """Return the content type and the body of an answer."""
    text = json.dumps(VALUE)
    base: dict[str, Any] = {"id": "x", "created": 1, "model": data.get("model", "m")}
    if path.endswith("/responses"):
        if "assistant_messages" in json.dumps(data):  # several inputs in one request
            found = json.loads(data["input"] if isinstance(data["input"], str) else data["input"][-1]["content"])
            rows = [{"id": one["id"], "body": VALUE} for one in found["user_messages"]]
            text = json.dumps({"assistant_messages": rows})
        content: Any = [{"type": "output_text", "text": text, "annotations": []}]
        reply: Any = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
        usage = {"input_tokens": 200, "output_tokens": 10, "total_tokens": 210}
        details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        more: dict[str, Any] = {"object": "response", "created_at": 1, "status": "completed", "output": [reply]}
        more |= {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "usage": {**usage, **details}}
        return "application/json", json.dumps({**base, **more})
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if data.get("stream"):
        parts: list[dict[str, Any]] = [
            {"delta": message, "finish_reason": None},
            {"delta": {}, "finish_reason": "stop"},
        ]
        chunks = [
            {**base, "object": "chat.completion.chunk", "usage": USAGE, "choices": [{"index": 0, **one}]}
            for one in parts
        ]
        return "text/event-stream", "".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n"
    if data.get("tools"):
        function = {"name": data["tools"][0]["function"]["name"], "arguments": text}
        message = {**message, "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    choice = {"index": 0, "finish_reason": "tool_calls" if data.get("tools") else "stop", "message": message}
    return "application/json", json.dumps({**base, "object": "chat.completion", "choices": [choice], "usage": USAGE})


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer the requests of one connection, each after a second."""
    try:
        while line := await reader.readline():
            path, length = line.split()[1].decode(), 0
            while (head := await reader.readline()).strip():
                name, _, value = head.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            data: dict[str, Any] = json.loads(await reader.readexactly(length) or b"{}")
            await asyncio.sleep(SECONDS)
            kind, body = body_for(path, data)
            limits = "x-ratelimit-limit-requests: 1000000\r\nx-ratelimit-limit-tokens: 1000000000\r\n"
            answer = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n{limits}Content-Length: {len(body)}\r\n\r\n{body}"
            writer.write(answer.encode())
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()


def run_server(port: Any) -> None:
    """Serve until the process is ended."""

    async def work() -> None:
        server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
        port.value = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    asyncio.run(work())


def record_model() -> Any:
    """Return the pydantic model of a value."""
    pydantic: Any = import_module("pydantic")
    return pydantic.create_model("Record", name=(str, ...), urgent=(bool, ...), age=(int, ...))


async def gathered(one: Any, records: int) -> int:
    """Await `one` for each record, at most 256 at once, and return how many values came."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def limited(number: int) -> Any:
        async with slots:
            return await one(PROMPT.format(name=number))

    found = await asyncio.gather(*map(limited, range(records)))
    return sum(one is not None for one in found)


def with_retouch(address: str, records: int, **more: Any) -> int:
    """Extract the records with this project."""
    retouch: Any = import_module("retouch")
    with tempfile.TemporaryDirectory() as directory:
        rows = ({"id": number} for number in range(records))
        options: dict[str, Any] = {"model": f"openai:m@{address}/v1?concurrency={AT_ONCE}", "key": "id", **more}
        options["concurrency"] = AT_ONCE
        prompt = PROMPT.format(name="{{ id }}")
        result = retouch.extract(rows, schema=SCHEMA, prompt=prompt, output=f"{directory}/out", **options)
        return result.counts["verified"]


def with_instructor(address: str, records: int) -> int:
    """Extract the records with instructor, in its JSON mode."""
    instructor, openai = import_module("instructor"), import_module("openai")
    inner: Any = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", timeout=120)
    client: Any = instructor.from_openai(inner, mode=instructor.Mode.JSON)
    model = record_model()

    async def one(prompt: str) -> Any:
        messages = [{"role": "user", "content": prompt}]
        return await client.chat.completions.create(model="m", response_model=model, messages=messages)

    return asyncio.run(gathered(one, records))


def with_pydantic_ai(address: str, records: int) -> int:
    """Extract the records with pydantic-ai, with the schema as the output format."""
    ai, chat, provider = (import_module(f"pydantic_ai{name}") for name in ("", ".models.openai", ".providers.openai"))
    given: Any = provider.OpenAIProvider(base_url=f"{address}/v1", api_key="none")
    agent: Any = ai.Agent(chat.OpenAIChatModel("gpt-4o", provider=given), output_type=ai.NativeOutput(record_model()))

    async def one(prompt: str) -> Any:
        return (await agent.run(prompt)).output

    return asyncio.run(gathered(one, records))


def with_async_batch_llm(address: str, records: int) -> int:
    """Request the records with async-batch-llm, which has the values as text here."""
    library: Any = import_module("async_batch_llm")
    openai: Any = import_module("openai")
    client: Any = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", timeout=120)
    model = record_model()

    async def invoke(prompt: str, **_: Any) -> Any:
        found = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": prompt}])
        text = found.choices[0].message.content
        usage = {"input_tokens": 200, "output_tokens": 10, "total_tokens": 210}
        return library.CallOutcome(model.model_validate_json(text), token_usage=usage)

    strategy: Any = library.CallableStrategy(invoke)
    prompts = [PROMPT.format(name=number) for number in range(records)]
    found: Any = asyncio.run(library.process_prompts(strategy, prompts, concurrency=AT_ONCE))
    return found.succeeded


def with_trustcall(address: str, records: int) -> int:
    """Extract the records with trustcall, by a tool call."""
    trustcall, chat = import_module("trustcall"), import_module("langchain_openai")
    inner: Any = import_module("httpx").AsyncClient(timeout=120)
    model: Any = chat.ChatOpenAI(model="m", base_url=f"{address}/v1", api_key="none", http_async_client=inner)
    extractor: Any = trustcall.create_extractor(model, tools=[record_model()], tool_choice="Record")

    async def one(prompt: str) -> Any:
        found = await extractor.ainvoke({"messages": [{"role": "user", "content": prompt}]})
        return found["responses"][0]

    return asyncio.run(gathered(one, records))


def with_guardrails(address: str, records: int) -> int:
    """Extract the records with guardrails, with the client of OpenAI."""
    guardrails, openai = import_module("guardrails"), import_module("openai")
    client: Any = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", timeout=120)
    guard: Any = guardrails.AsyncGuard.for_pydantic(record_model())

    async def answer(*_: Any, messages: Any, **__: Any) -> str:
        found = await client.chat.completions.create(model="m", messages=messages)
        return found.choices[0].message.content

    async def one(prompt: str) -> Any:
        found = await guard(answer, messages=[{"role": "user", "content": prompt}])
        return found.validated_output if found.validation_passed else None

    return asyncio.run(gathered(one, records))


def use_byte_tokens() -> None:
    """Let tiktoken count bytes: it would fetch its files from a network, which there is none of."""
    tiktoken: Any = import_module("tiktoken")
    ranks = {bytes([number]): number for number in range(256)}
    plain: Any = tiktoken.Encoding("plain", pat_str=".", mergeable_ranks=ranks, special_tokens={})

    def plain_for(_name: str) -> Any:
        return plain

    tiktoken.get_encoding = tiktoken.encoding_for_model = plain_for


def with_openaivec(address: str, records: int) -> int:
    """Extract the records with openaivec, one in each request of the responses API."""
    use_byte_tokens()
    library, openai = import_module("openaivec"), import_module("openai")
    client: Any = openai.AsyncOpenAI(base_url=f"{address}/v1", api_key="none", timeout=120)
    given: dict[str, Any] = {"batch_size": 1, "max_concurrency": AT_ONCE, "response_format": record_model()}
    batch: Any = library.AsyncBatchResponses.of(client, "m", "Answer with JSON.", **given)
    found: Any = asyncio.run(batch.parse([PROMPT.format(name=number) for number in range(records)]))
    return sum(one is not None for one in found)


def with_curator(address: str, records: int) -> int:
    """Extract the records with curator, on a cache directory of its own."""
    use_byte_tokens()
    curator: Any = import_module("bespokelabs.curator")

    class Extractor(curator.LLM):
        response_format = record_model()

        def prompt(self, input: dict[str, Any]) -> str:  # noqa: A002 - the name of the base class
            return PROMPT.format(name=input["id"])

        def parse(self, input: dict[str, Any], response: Any) -> dict[str, Any]:  # noqa: A002 - the same
            return {"id": input["id"], **response.model_dump()}

    limits = {"max_requests_per_minute": 1_000_000, "max_tokens_per_minute": 1_000_000_000}
    params = {"base_url": f"{address}/v1", "max_concurrent_requests": AT_ONCE, **limits}
    extractor: Any = Extractor(model_name="gpt-4o-mini", backend="openai", backend_params=params)
    with tempfile.TemporaryDirectory() as directory:
        found: Any = extractor([{"id": number} for number in range(records)], working_dir=directory)
        return len(getattr(found, "dataset", found))


WAYS = {
    "retouch": with_retouch,
    "retouch-1024": partial(with_retouch, max_output_tokens=1024),
    "instructor": with_instructor,
    "pydantic-ai": with_pydantic_ai,
    "async-batch-llm": with_async_batch_llm,
    "openaivec": with_openaivec,
    "trustcall": with_trustcall,
    "guardrails": with_guardrails,
    "curator": with_curator,
}


def main() -> None:
    """Print a row."""
    parser = argparse.ArgumentParser()
    parser.add_argument("library", choices=[*WAYS])
    parser.add_argument("--records", type=int, default=1024)
    given = parser.parse_args()
    os.environ.update(OPENAI_API_KEY="none", CURATOR_DISABLE_RICH_DISPLAY="1", TELEMETRY_ENABLED="0")
    os.environ.update(OTEL_SDK_DISABLED="true")  # guardrails sends traces to its makers
    context: Any = multiprocessing.get_context("spawn")
    port: Any = context.Value("i", 0)
    server: Any = context.Process(target=run_server, args=(port,), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.05)
    address = f"http://127.0.0.1:{port.value}"
    WAYS[given.library](address, 2)  # its imports
    began, cpu = time.monotonic(), time.process_time()
    came = WAYS[given.library](address, given.records)
    wall, cpu = time.monotonic() - began, time.process_time() - cpu
    ideal = SECONDS * given.records / AT_ONCE
    cells = [given.library, f"{came} of {given.records}", f"{wall:.1f}", f"{ideal / wall:.0%}"]
    print("|", " | ".join([*cells, f"{1000 * cpu / given.records:.2f}"]), "|", flush=True)
    server.terminate()


if __name__ == "__main__":
    main()

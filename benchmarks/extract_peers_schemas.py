"""Real schemas, with libraries that repair answers: what ends as a success, whether it is valid, and at what cost.

    python benchmarks/extract_peers_schemas.py retouch maskbench/data --out retouch.jsonl
    python benchmarks/extract_peers_schemas.py judge maskbench/data retouch.jsonl instructor.jsonl ...

The first form needs nothing but the library that it measures, and jsonschema, so that each can be installed in an
environment of its own. The data are those of JSONSchemaBench (github.com/guidance-ai/jsonschemabench, directory
maskbench/data). The server speaks the chat API. Its first answer about a record is a valid instance, broken in one way;
later answers are right, and have the parts that are requested. The libraries that take pydantic models get one that
validates by the schema (with the package jsonschema, as their users do it), so all see the same schema.

The second form validates every value that was reported as a success by the package jsonschema, and prints the table.
Cost is characters, output five times, over the floor: each record once, and each wrong part once more after the first
request, whatever that request was. Growth is the size of the second request over that of the first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import threading
from importlib import import_module
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

from extract_peers import ChatApi, CountingServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUTPUT = 5
WAYS = ("missing", "1 wrong", "4 wrong", "16 wrong", "cut", "prose", "comma", "none")
PROMPT = "Give this record as JSON.\n\n"
TRIES = 3


class RecordServer(CountingServer):
    """The server, with the record that it answers about."""

    value: Any = None
    first: str = ""
    parts: dict[str, Any]

    def take(self, value: Any, first: str, parts: dict[str, Any]) -> None:
        """Answer about this record from here: at first with the text `first`, in which `parts` are wrong."""
        self.value, self.first, self.parts, self.calls = value, first, parts, []


class RecordApi(ChatApi):
    """Answers with the record of the server."""

    def _text(self, data: dict[str, Any], tools: list[dict[str, Any]]) -> str:
        server = cast("RecordServer", self.server)
        if tools and "patches" in tools[0]["function"]["parameters"].get("properties", {}):
            calls = next(one["tool_calls"] for one in reversed(data["messages"]) if one.get("tool_calls"))
            patches = [{"op": "add", "path": one, "value": part} for one, part in server.parts.items()]
            return json.dumps({"json_doc_id": calls[0]["id"], "planned_edits": "", "patches": patches})
        if not server.calls:
            return server.first
        form: dict[str, Any] = data.get("response_format") or {}
        names: list[str] = list(form.get("json_schema", {}).get("schema", {}).get("properties", ()))
        if names and all(name in server.parts for name in names):  # JSON Pointers of the parts that are requested
            return json.dumps({name: server.parts[name] for name in names})
        return json.dumps(server.value)


def cases(data: Path, count: int) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Yield names, schemas and valid instances, in an order that a fixed seed decides."""
    files = sorted(data.glob("*.json"))
    Random(7).shuffle(files)
    for path in files:
        found = json.loads(path.read_bytes())
        valid = [one["data"] for one in found.get("tests", ()) if one.get("valid")]
        schema: Any = found.get("schema")
        is_object: bool = isinstance(schema, dict) and cast("dict[str, Any]", schema).get("type") == "object"
        if is_object and valid and isinstance(valid[0], dict) and valid[0]:
            yield path.stem, schema, valid[0]
            count -= 1
        if not count:
            return


def leaves(value: Any, pointer: str = "") -> Iterator[str]:
    """Yield the JSON Pointers of the scalars of a value."""
    children: list[tuple[Any, Any]] | None = None
    if isinstance(value, dict):
        children = list(cast("dict[str, Any]", value).items())
    elif isinstance(value, list):
        children = list(enumerate(cast("list[Any]", value)))
    if children is None:
        yield pointer
        return
    for name, one in children:
        yield from leaves(one, f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}")


def broken(value: Any, way: str, random: Random) -> tuple[str, dict[str, Any]]:
    """Return a broken answer, and its wrong parts by JSON Pointer; "" is the whole."""
    text = json.dumps(value)
    if way in {"none", "cut", "prose", "comma"}:
        forms = {"none": text, "cut": text[: -max(1, len(text) // 3)], "prose": f"Sure!\n\n{text}\n\nDone."}
        return forms.get(way, f"{text[:-1]},}}"), {"": value} if way == "cut" else {}
    if way == "missing":
        name = random.choice(sorted(value))
        rest = {one: part for one, part in value.items() if one != name}
        return json.dumps(rest), {"/" + name.replace("~", "~0").replace("/", "~1"): value[name]}
    places = list(leaves(value))
    random.shuffle(places)
    wrong: dict[str, Any] = {}
    other = json.loads(text)
    for pointer in places[: int(way.partition(" ")[0])]:
        keys = [one.replace("~1", "/").replace("~0", "~") for one in pointer.split("/")[1:]]
        if not keys:
            continue
        parent = other
        for key in keys[:-1]:
            parent = parent[int(key) if isinstance(parent, list) else key]
        last: Any = int(keys[-1]) if isinstance(parent, list) else keys[-1]
        wrong[pointer], parent[last] = parent[last], {"not": "this"}
    return json.dumps(other), wrong


def model_of(schema: dict[str, Any]) -> Any:
    """Return a pydantic model that has the schema, and validates by it."""
    pydantic, jsonschema = import_module("pydantic"), import_module("jsonschema")
    judge: Any = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)(schema)

    def validated(_cls: Any, data: Any) -> Any:
        wrong = [f"/{'/'.join(map(str, one.absolute_path))}: {one.message}" for one in judge.iter_errors(data)]
        if wrong:
            raise ValueError("; ".join(wrong))
        return data

    def json_schema(_cls: Any, *_: Any, **__: Any) -> dict[str, Any]:
        return {"title": "Record", **schema}

    parts: dict[str, Any] = {
        "__module__": __name__,
        "model_config": pydantic.ConfigDict(extra="allow"),
        "validated": pydantic.model_validator(mode="before")(classmethod(validated)),
        "model_json_schema": classmethod(json_schema),
        "__get_pydantic_json_schema__": classmethod(json_schema),
    }
    return type("Record", (pydantic.BaseModel,), parts)


def with_retouch(address: str, schema: dict[str, Any], prompt: str) -> Any:
    """Extract the record with this project."""
    retouch: Any = import_module("retouch")
    with tempfile.TemporaryDirectory() as directory:
        options: dict[str, Any] = {"key": "id", "output": f"{directory}/out", "max_output_tokens": 4096}
        model = f"openai:m@{address}/v1"
        found = retouch.extract([{"id": 1, "text": prompt}], schema=schema, prompt="{{ text }}", model=model, **options)
        assert found.status == "verified", found.status
        return next(found.records).value


def with_instructor(address: str, schema: dict[str, Any], prompt: str) -> Any:
    """Extract the record with instructor, in its JSON mode."""
    instructor, openai = import_module("instructor"), import_module("openai")
    client: Any = instructor.from_openai(
        openai.OpenAI(base_url=f"{address}/v1", api_key="none"), mode=instructor.Mode.JSON
    )
    messages = [{"role": "user", "content": prompt}]
    found = client.chat.completions.create(
        model="m", response_model=model_of(schema), max_retries=TRIES, messages=messages
    )
    return found.model_dump(mode="json")


def with_pydantic_ai(address: str, schema: dict[str, Any], prompt: str) -> Any:
    """Extract the record with pydantic-ai: the schema as the output format, and a validator of the output."""
    ai, chat, provider = (import_module(f"pydantic_ai{name}") for name in ("", ".models.openai", ".providers.openai"))
    jsonschema = import_module("jsonschema")
    judge: Any = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)(schema)
    model: Any = chat.OpenAIChatModel(
        "gpt-4o", provider=provider.OpenAIProvider(base_url=f"{address}/v1", api_key="none")
    )
    output = ai.NativeOutput(ai.StructuredDict(schema, name="Record"))
    agent: Any = ai.Agent(model, output_type=output, retries=TRIES)

    def validated(data: Any) -> Any:
        wrong = [f"/{'/'.join(map(str, one.absolute_path))}: {one.message}" for one in judge.iter_errors(data)]
        if wrong:
            raise ai.ModelRetry("; ".join(wrong))
        return data

    agent.output_validator(validated)
    return asyncio.run(agent.run(prompt)).output


def with_trustcall(address: str, schema: dict[str, Any], prompt: str) -> Any:
    """Extract the record with trustcall, which asks for JSON Patch operations by a tool call."""
    trustcall, chat = import_module("trustcall"), import_module("langchain_openai")
    model: Any = chat.ChatOpenAI(model="m", base_url=f"{address}/v1", api_key="none")
    extractor: Any = trustcall.create_extractor(model, tools=[model_of(schema)], tool_choice="Record")
    found = extractor.invoke({"messages": [{"role": "user", "content": prompt}]})
    return found["responses"][0].model_dump(mode="json")


def with_guardrails(address: str, schema: dict[str, Any], prompt: str) -> Any:
    """Extract the record with guardrails, which asks again for what its validation refuses."""
    guardrails, openai = import_module("guardrails"), import_module("openai")
    client: Any = openai.OpenAI(base_url=f"{address}/v1", api_key="none")

    def answer(*_: Any, messages: Any, **__: Any) -> str:
        return client.chat.completions.create(model="m", messages=messages).choices[0].message.content

    messages = [{"role": "user", "content": prompt}]
    found = guardrails.Guard.for_pydantic(model_of(schema))(answer, messages=messages, num_reasks=TRIES)
    assert found.validation_passed, "no valid record"
    return found.validated_output


LIBRARIES: dict[str, Callable[[str, dict[str, Any], str], Any]] = {
    "retouch": with_retouch,
    "instructor": with_instructor,
    "pydantic-ai": with_pydantic_ai,
    "trustcall": with_trustcall,
    "guardrails": with_guardrails,
}


def measure(library: str, data: Path, count: int, out: Path) -> None:
    """Write a line for each record: what the library returned, and the sizes of its calls."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    server = RecordServer(("127.0.0.1", 0), RecordApi)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    with out.open("w", encoding="utf-8") as file:
        for number, (name, schema, value) in enumerate(cases(data, count)):
            way = WAYS[number % len(WAYS)]
            first, parts = broken(value, way, Random(number))
            server.take(value, first, parts)
            line: dict[str, Any] = {"name": name, "way": way, "parts": parts, "right": value}
            try:
                line["value"] = LIBRARIES[library](address, schema, PROMPT + json.dumps(value))
            except Exception as error:  # noqa: BLE001 - whatever the library raises means that it gave up
                line["error"] = f"{type(error).__name__}: {str(error)[:200]}"
            file.write(json.dumps({**line, "calls": server.calls}) + "\n")


def judge(data: Path, count: int, places: list[Path]) -> None:
    """Print the table, and the growth of the second request."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for

    from tables import announce, table

    announce("extract: real schemas, beside other libraries")
    schemas = {name: schema for name, schema, _ in cases(data, count)}
    rows: list[list[object]] = []
    growth: list[list[object]] = []
    for place in places:
        lines = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
        done = [one for one in lines if "value" in one]
        valid = [
            one
            for one in done
            if validator_for(schemas[one["name"]], default=Draft202012Validator)(schemas[one["name"]]).is_valid(
                one["value"]
            )
        ]
        like = sum(one["value"] == one["right"] for one in done)
        called = [one for one in done if one["calls"]]
        costs = [cost_over_floor(one) for one in called]
        calls = sum(len(one["calls"]) for one in called) / max(1, len(called))
        mean = f"{sum(costs) / max(1, len(costs)):.2f}"
        rows.append([place.stem, len(lines), len(done), len(valid), like, f"{calls:.2f}", mean])
        growth.append([place.stem, *(grown(called, way) for way in ("1 wrong", "4 wrong", "16 wrong"))])
    heads = ["library", "records", "successes", "of them valid", "equal to the instance", "calls", "cost / floor"]
    print(table(heads, rows))
    print()
    print(table(["second request / first", "1 wrong", "4 wrong", "16 wrong"], growth))


def cost_over_floor(line: dict[str, Any]) -> float:
    """Return the cost of a record over the floor."""
    sent, right = line["calls"][0][0], len(json.dumps(line["right"]))
    again = sent + OUTPUT * len(json.dumps(line["parts"])) if line["parts"] else 0
    return sum(given + OUTPUT * taken for given, taken in line["calls"]) / (sent + OUTPUT * right + again)


def grown(lines: list[dict[str, Any]], way: str) -> str:
    """Return how much larger the second request is than the first, on average."""
    found = [one["calls"][1][0] / one["calls"][0][0] for one in lines if one["way"] == way and len(one["calls"]) > 1]
    return f"{sum(found) / len(found):.2f}" if found else "-"


def main() -> None:
    """Measure a library, or judge what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("library", choices=[*LIBRARIES, "judge"])
    parser.add_argument("data", type=Path)
    parser.add_argument("results", type=Path, nargs="*")
    parser.add_argument("--schemas", type=int, default=160)
    parser.add_argument("--out", type=Path, default=Path("results.jsonl"))
    given = parser.parse_args()
    if given.library == "judge":
        judge(given.data, given.schemas, given.results)
    else:
        measure(given.library, given.data, given.schemas, given.out)


if __name__ == "__main__":
    main()

"""How many real schemas each provider gets, in which form, and whether any rejection reaches the caller.

    python benchmarks/answer_schemas.py DIR [sent]

DIR holds JSON Schemas, for example the directory `data` of JSONSchemaBench (github.com/guidance-ai/jsonschemabench).
Every schema is rewritten for each provider. What is sent is compared with the provider's documented subset, as the test
server of `retouch.testing` enforces it. For a sample of `sent` schemas (default 300), the real client libraries send
them to that server: the calls must all be answered.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch import Message, Request, open_model
from retouch.engine.types import Prompt
from retouch.errors import ModelError
from retouch.models.endpoints import endpoint_of
from retouch.models.schemas import forms_of
from retouch.testing import model_server, scripted
from retouch.testing.answer_schemas import expect_supported
from retouch.testing.wire import WireRefusal
from tables import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.testing import ModelServer

SPECS = {
    "OpenAI": "openai:gpt-5-mini",
    "Anthropic": "anthropic:claude-sonnet-4-6",
    "Google": "google:gemini-2.5-flash",
    "DeepSeek": "deepseek:deepseek-chat",
    "llama.cpp, vLLM": "openai:some@URL",
}
MODES = ("strict", "relaxed", "json", "prompt")


def schemas_in(directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the schemas of a directory, without files that are no JSON object."""
    for path in sorted(directory.rglob("*.json")):
        try:
            found = json.loads(path.read_text("utf-8"))
        except ValueError:
            continue
        if isinstance(found, dict):
            yield found


def is_documented(dialect: str, parameter: object) -> bool:
    """Return whether a provider accepts a parameter by its documentation."""
    try:
        expect_supported(dialect, parameter, "documented")
    except WireRefusal:
        return False
    return True


def rewritten_row(name: str, schemas: Sequence[dict[str, Any]]) -> list[str]:
    """Return one provider's row: the first forms, and how many of them the documentation forbids."""
    scheme, _, rest = SPECS[name].replace("@URL", "@http://127.0.0.1:9/v1").partition(":")
    endpoint = endpoint_of(scheme, rest)
    first: Counter[str] = Counter()
    forbidden = 0
    for schema in schemas:
        form = forms_of(endpoint, schema)[0]
        first[form.mode] += 1
        if "127.0.0.1" not in (endpoint.url or ""):
            forbidden += not is_documented(endpoint.provider.dialect, form.parameter)
    shares = [f"{first[mode] / len(schemas):.0%}" for mode in MODES]
    return [name, *shares, str(forbidden) if not endpoint.url else "-"]


async def sent(server: ModelServer, spec: str, schemas: Sequence[dict[str, Any]]) -> tuple[int, int]:
    """Return how many requests were sent for one call each, and how many calls failed."""
    model, failed = open_model(spec), 0
    before = len(server.calls)
    for number, schema in enumerate(schemas):
        prompt = Prompt(unit=f"unit{number}", system="Answer in JSON.", user=f"Page {number}.", answer_schema=schema)
        messages = (Message(role="user", text=prompt.user),)
        request = Request(
            prompt=prompt, system=prompt.system, messages=messages, max_output_tokens=500, answer_schema=schema
        )
        try:
            await model(request)
        except ModelError:
            failed += 1
    return len(server.calls) - before, failed


def sent_rows(schemas: Sequence[dict[str, Any]]) -> Iterator[list[str]]:
    """Yield a row for each provider and kind of server."""
    for support in ("documented", "json", "none"):
        for name, spec in SPECS.items():
            with model_server(scripted(lambda _: "{}")) as server:
                server.accept_schemas(support)
                os.environ.update(server.environment)
                requests, failed = asyncio.run(sent(server, spec.replace("@URL", f"@{server.openai_url}"), schemas))
            yield [support, name, str(len(schemas)), str(requests), str(failed)]


def main(directory: Path, sample: int) -> None:
    """Measure and print."""
    schemas = list(schemas_in(directory))
    print(f"{len(schemas):,} schemas\n")
    rows = [rewritten_row(name, schemas) for name in SPECS]
    print(table(["provider", *MODES, "first forms that its documentation forbids"], rows), "\n")
    chosen = schemas[:: max(len(schemas) // sample, 1)][:sample]
    print(table(["server accepts", "provider", "calls", "requests", "failed"], list(sent_rows(chosen))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 300)

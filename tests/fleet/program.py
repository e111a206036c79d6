"""A program that runs a fleet whose model is a server of the test: its port, a directory and settings as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.engine.types import Reply
from retouch.errors import RetouchError
from retouch.fleet.api import run
from retouch.models.named import NamedModel

if TYPE_CHECKING:
    from retouch.engine.types import OnEvent, Request

MODEL = "openai:gpt-5-mini?price_in=1000&price_out=1000"  # only its name and price are used
SHARED: dict[str, Any] = {
    "schema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    "prompt": "{{ name }}",
}
INPUT, OUTPUT = 90, 20


def rows(number: int) -> list[dict[str, str]]:
    """Return the records."""
    return [{"id": str(one), "name": f"n{one}"} for one in range(number)]


def model_at(port: int) -> NamedModel:
    """Return a model that sends each prompt to the server, and waits for its answer."""

    async def answer(request: Request, _on_event: OnEvent | None) -> Reply:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request.prompt.user.encode() + b"\n")
        text = (await reader.readline()).decode()
        writer.close()
        return Reply(text=text, model=MODEL, input_tokens=INPUT, output_tokens=OUTPUT)

    return NamedModel(name=MODEL, answer=answer)


def main(port: int, directory: Path, settings: dict[str, Any]) -> None:
    """Run the fleet and print its status as JSON."""
    records = rows(settings.pop("records"))
    try:
        result = run("extract", records, directory, model=model_at(port), shared=SHARED, **settings)
    except RetouchError as error:
        print(json.dumps({"error": error.message}))
        return
    print(json.dumps({**result.status.as_json(), "stopped": result.stopped}))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]))

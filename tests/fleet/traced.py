"""A program that runs a traced fleet. The provider writes each span as one line of a file, from every process."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from retouch.fleet.api import run
from retouch.telemetry import traced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opentelemetry.sdk.trace import ReadableSpan

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class FileExporter(SpanExporter):
    """Appends spans to a file."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Append the spans."""
        with self._place.open("a", encoding="utf-8") as file:
            for span in spans:
                context, parent = span.get_span_context(), span.parent
                data = {"name": span.name, "pid": os.getpid(), "parent": parent.span_id if parent else None}
                ids = {"trace": context.trace_id, "id": context.span_id} if context else {}
                file.write(json.dumps({**data, **ids}) + "\n")
                file.flush()
        return SpanExportResult.SUCCESS


def main(directory: Path) -> None:
    """Run the fleet with two workers."""
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(FileExporter(directory / "spans.jsonl")))
    records = [{"id": str(one), "name": f"n{one}"} for one in range(4)]
    shared: dict[str, Any] = {"schema": SCHEMA, "prompt": "{{ name }}"}
    with traced("many", tracer_provider=provider):
        run("extract", records, directory / "fleet", model="offline", shared=shared, workers=2, shard_size=1)
    provider.shutdown()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Extract validated records: rows or documents and a schema in, records that satisfy the schema out.

Each record is one unit of a run. Its answer is parsed (tier 1), validated against the JSON Schema (tier 2), and checked
by your own functions, quotations and sums (tier 3). Only failing records are retried.

    import retouch

    result = retouch.extract(
        [{"id": 1, "text": "Printer is broken, urgent!"}],
        schema={"type": "object", "properties": {"urgent": {"type": "boolean"}}, "required": ["urgent"]},
        prompt="Is this ticket urgent? {{ text }}",
        model="anthropic:claude-haiku-4-5",
        key="id",
    )
    result.records  # {"1": {"urgent": True}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.extract.definition import recipe
    from retouch.recipes.extract.job import JobRunning, resume_job, run_job
    from retouch.recipes.extract.library import ExtractOptions, extract, extract_async, extract_stream
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.results import RecordResult
    from retouch.recipes.extract.source import ExtractShard, InputRecord, SliceRule
    from retouch.recipes.extract.stored import ExtractJob

__all__ = [
    "ExtractJob",
    "ExtractOptions",
    "ExtractResult",
    "ExtractShard",
    "InputRecord",
    "JobRunning",
    "RecordResult",
    "SliceRule",
    "extract",
    "extract_async",
    "extract_stream",
    "recipe",
    "resume_job",
    "run_job",
]

__getattr__ = lazy_attributes(
    __name__,
    {
        "ExtractJob": ".stored",
        "ExtractOptions": ".library",
        "RecordResult": ".results",
        "SliceRule": ".source",
        "extract_async": ".library",
        "ExtractResult": ".merging",
        "ExtractShard": ".source",
        "InputRecord": ".source",
        "extract": ".library",
        "extract_stream": ".library",
        "recipe": ".definition",
        "JobRunning": ".job",
        "resume_job": ".job",
        "run_job": ".job",
    },
)

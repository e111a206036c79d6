"""A program that runs a job with two workers, with a server of the test as the model: port, directory, limit, lease."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from retouch.engine.options import RunOptions
from retouch.errors import RetouchError
from retouch.fleet.running import spent_under
from retouch.models.limits import CALL_LIMITS
from retouch.recipes.extract import ExtractJob, ExtractShard, JobRunning, run_job
from retouch.recipes.extract.inputs import input_records
from retouch.recipes.extract.layout import SHARDS
from retouch.recipes.extract.processes import WorkerModels
from tests.fleet.program import MODEL, SHARED, model_at, rows

RECORDS, SHARD_SIZE, WORKERS, AT_ONCE = 40, 5, 2, 4


async def run(port: int, directory: Path, limit_usd: float | None, lease_s: float) -> dict[str, Any]:
    """Run the job as the command does, and return its result as plain data."""

    def opened(_spec: str) -> Any:
        model, shared = model_at(port), CALL_LIMITS.get()
        return model if shared is None else shared(model)

    spent_usd = sum(map(spent_under, (directory / SHARDS).glob("*"))) if limit_usd is not None else 0.0
    models = WorkerModels(
        open_model=opened, model=MODEL, limit_usd=limit_usd, spent_usd=spent_usd, at_once=2, lease_s=lease_s
    )
    job = ExtractJob(shared=ExtractShard(records=(), **SHARED), shard_size=SHARD_SIZE)
    running = JobRunning(workers=WORKERS, worker_models=models)
    records = input_records(rows(RECORDS), "id")
    options = RunOptions(concurrency=AT_ONCE, max_output_tokens=20, max_output_limit=20, wait=True)
    result = await run_job(job, records, directory, model_at(port), options, running=running)
    return result.as_json()


def main(port: int, directory: Path, limit_usd: float | None, lease_s: float) -> None:
    """Print the result, or the error."""
    try:
        print(json.dumps(asyncio.run(run(port, directory, limit_usd, lease_s))))
    except RetouchError as error:
        print(json.dumps({"error": error.message}))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3]), float(sys.argv[4]))

"""`retouch.extract`: the recipe as a function."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass, fields, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from retouch._lib.run_sync import run_sync
from retouch.engine.options import RunOptions
from retouch.engine.recipe import TierPlan, open_model
from retouch.errors import BadInput
from retouch.recipes.extract.checks import checked, model_check, stored_functions
from retouch.recipes.extract.definition import recipe as extract_recipe
from retouch.recipes.extract.definition import tiers as plain_tiers
from retouch.recipes.extract.inputs import input_records, plain
from retouch.recipes.extract.job import SHARDS_AT_ONCE, JobRunning, is_local, run_job
from retouch.recipes.extract.processes import WorkerModels
from retouch.recipes.extract.schemas import name_of_model, schema_of
from retouch.recipes.extract.source import ExtractShard, SliceRule, SumRule, WorkedExample
from retouch.recipes.extract.stored import SHARD_SIZE, ExtractJob
from retouch.recipes.extract.whole_job import JobChecks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Issue, Model
    from retouch.recipes.extract.answers import Extracted
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.results import RecordResult

Check: TypeAlias = "str | Path | Callable[[Mapping[str, Any], Any], object]"
OUTPUT = Path("output/extract")


@dataclass(frozen=True, kw_only=True)
class ExtractOptions:
    """The further options of `extract`.

    `output` is the job's directory. `system` is text that all records share. `examples` are pairs of a record and its
    value. With `quotes`, every string and number must come with a quotation from the record that supports it. `sums`
    are pairs of JSON Pointers, for example `("/total", "/items/*/amount")`. `slices` is how the rows of long documents
    are requested and counted. `unique` are fields whose value may occur once in all records. `sql` are queries over the
    table `records` that return the invalid ones. Up to `max_dead` records may stay without a usable value; with
    `retry_dead`, those of an earlier call are requested again. `parquet` also writes `records.parquet`. `shard_size` is
    the number of records of one run. With `workers` above 1, so many processes run shards; the model must then be given
    by its name. `on_result` receives each result when its shard is done.
    """

    output: Path | str = OUTPUT
    system: str = ""
    examples: Sequence[tuple[Mapping[str, Any], Any]] = ()
    quotes: bool = False
    sums: Sequence[tuple[str, str]] = ()
    slices: SliceRule | None = None
    unique: Sequence[str] = ()
    sql: Sequence[str] = ()
    max_dead: int = 0
    retry_dead: bool = False
    parquet: bool = False
    shard_size: int = SHARD_SIZE
    workers: int = 1
    on_result: Callable[[RecordResult], None] | None = None


_OWN = frozenset(one.name for one in fields(ExtractOptions))
_OF_RUNS = frozenset(one.name for one in fields(RunOptions))


def extract(
    records: Iterable[Mapping[str, Any]],
    *,
    schema: Any,
    prompt: str,
    model: Model | str,
    key: str = "",
    checks: Sequence[Check] = (),
    **options: Any,
) -> ExtractResult:
    """Extract one value from each record, check it, and return the result.

    `schema` is a JSON Schema or a pydantic model. `prompt` is a Jinja template over the fields of a record. `key` names
    the field that identifies a record, or several, separated by commas. Each of `checks` is a function
    `check(record, value)` that returns or yields errors, or the path of a Python file with one. Further options
    are fields of `ExtractOptions` and of `retouch.RunOptions`.

    The same call continues an interrupted job. Only records whose prompts have no answer yet are requested.

    Raises:
        BadInput: a record has no key or a duplicate key, or the schema, the prompt or a check is unusable.
    """
    return run_sync(
        extract_async(records, schema=schema, prompt=prompt, model=model, key=key, checks=checks, **options)
    )


async def extract_async(
    records: Iterable[Mapping[str, Any]],
    *,
    schema: Any,
    prompt: str,
    model: Model | str,
    key: str = "",
    checks: Sequence[Check] = (),
    **options: Any,
) -> ExtractResult:
    """Extract one value from each record, check it, and return the result; `extract` is the same as a plain function.

    `options` are fields of `ExtractOptions` and of `retouch.RunOptions`, for example `output="out", concurrency=64`.

    Raises:
        TypeError: an option is unknown.
        BadInput: as for `extract`.
    """
    own, run = _split(options)
    functions = [one for one in checks if callable(one)]
    paths = [Path(one) for one in checks if isinstance(one, (str, Path))]
    job = _job_of(own, schema_of(schema), prompt, paths)
    name = "" if isinstance(schema, dict) else name_of_model(schema)
    if not isinstance(schema, dict) and not name:
        functions.append(model_check(schema))
    names = tuple(getattr(one, "__name__", repr(one)) for one in functions)
    job = replace(job, shared=replace(job.shared, model=name, functions=names))
    recipe = with_functions(functions) if functions else extract_recipe
    opened = open_model(model, recipe=recipe) if isinstance(model, str) else model
    if isinstance(records, (str, bytes, Path)):
        hint = "Open the file first, for example map(json.loads, open('tickets.jsonl')), or use 'retouch extract FILE'."
        raise BadInput(f"the records are {records!r}, not an iterable of mappings", hint=hint)
    found = input_records((_plain(one) for one in records), key)
    at_once = 1 if isinstance(model, str) and is_local(model) else SHARDS_AT_ONCE
    running = JobRunning(retry_dead=own.retry_dead, at_once=at_once, workers=own.workers, on_result=own.on_result)
    if own.workers > 1:
        running = replace(running, worker_models=_worker_models(model, run))
    return await run_job(job, found, Path(own.output), opened, run, recipe=recipe, running=running)


def _worker_models(model: Model | str, run: RunOptions) -> WorkerModels:
    """Return how the model is opened in a worker process.

    Raises:
        BadInput: a model is given as an object, which holds connections of this process.
    """
    if not isinstance(model, str) or run.fallbacks:
        hint = "Name it, for example model='anthropic:claude-haiku-4-5', without a fallback; or use workers=1."
        raise BadInput("a model that is an object cannot be used in several processes", hint=hint)
    return WorkerModels(open_model=_opened_alone, model=model)


def _opened_alone(spec: str) -> Model:
    return open_model(spec, recipe=extract_recipe)


def _split(options: Mapping[str, Any]) -> tuple[ExtractOptions, RunOptions]:
    unknown = sorted(set(options) - _OWN - _OF_RUNS)
    if unknown:
        raise TypeError(f"extract() got unknown options {unknown}; known are {sorted(_OWN | _OF_RUNS)}")
    own = ExtractOptions(**{name: one for name, one in options.items() if name in _OWN})
    return own, RunOptions(**{name: one for name, one in options.items() if name in _OF_RUNS})


def _job_of(own: ExtractOptions, schema: Mapping[str, Any], prompt: str, checks: Sequence[Path]) -> ExtractJob:
    shared = ExtractShard(
        records=(),
        schema=schema,
        prompt=prompt,
        system=own.system,
        examples=tuple(WorkedExample(fields=_plain(record), value=plain(value)) for record, value in own.examples),
        checks=tuple(str(path.resolve()) for path in checks),
        quotes=own.quotes,
        sums=tuple(SumRule(total=pointer_to(total), parts=pointer_to(parts)) for total, parts in own.sums),
        slices=own.slices,
    )
    whole = JobChecks(unique=tuple(map(pointer_to, own.unique)), queries=tuple(own.sql))
    return ExtractJob(shared=shared, whole=whole, max_dead=own.max_dead, shard_size=own.shard_size, parquet=own.parquet)


def extract_stream(records: Iterable[Mapping[str, Any]], **options: Any) -> Iterator[RecordResult]:
    """Yield the result of each record as soon as its shard is done. The arguments are those of `extract`.

    Results come shard by shard; within a shard in the order of the input. If you close the iterator, the job is
    interrupted, and the answers so far are stored.
    """
    results: SimpleQueue[RecordResult | BaseException | None] = SimpleQueue()
    stopped = threading.Event()

    def hand_over(result: RecordResult) -> None:
        if stopped.is_set():
            raise asyncio.CancelledError
        results.put(result)

    def work() -> None:
        try:
            asyncio.run(extract_async(records, on_result=hand_over, **options))
            results.put(None)
        except BaseException as error:  # noqa: BLE001 - raised again where the results are read
            results.put(error)

    thread = threading.Thread(target=work, name="retouch-extract")
    thread.start()
    try:
        while (one := results.get()) is not None:
            if isinstance(one, BaseException):
                raise one
            yield one
    finally:
        stopped.set()
        thread.join()


def with_functions(functions: Sequence[Callable[..., object]]) -> Recipe[ExtractShard, Extracted]:
    """Return the recipe with check functions of the caller in tier 3."""

    def check(shard: ExtractShard, values: Mapping[str, Extracted], _options: RunOptions) -> list[Issue]:
        return checked(shard, values, [*stored_functions(shard), *functions])

    def tiers(shard: ExtractShard) -> Sequence[TierPlan]:
        plans = plain_tiers(replace(shard, functions=()))
        return plans if any(plan.name == "checks" for plan in plans) else (*plans, TierPlan(tier=3, name="checks"))

    return replace(extract_recipe, check=check, tiers=tiers)


def pointer_to(name: str) -> str:
    """Return the JSON Pointer of a property's name; a pointer stays as it is."""
    return name if name.startswith("/") else f"/{name}"


def _plain(record: Mapping[str, Any]) -> Mapping[str, JSON]:
    return cast("Mapping[str, JSON]", plain(record))

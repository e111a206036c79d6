"""`retouch extract`, which is `retouch generate extract`."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    ModelOptions,
    Setting,
    Verb,
    missing,
    model_options,
    planned,
    run_folder_option,
)
from retouch.errors import BadInput
from retouch.recipes.extract.commands.running import workers_option

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Model
    from retouch.recipes.extract.job import JobRunning
    from retouch.recipes.extract.merging import ExtractResult
    from retouch.recipes.extract.source import InputRecord, SliceRule, WorkedExample
    from retouch.recipes.extract.stored import ExtractJob

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, kw_only=True)
class ExtractArguments(ModelOptions):
    """The command's arguments and options; see its help."""

    source: Path
    schema: str
    prompt: Path | None
    system: Path | None
    examples: Path | None
    key: str
    checks: tuple[Path, ...]
    quotes: bool
    sums: tuple[str, ...]
    unique: tuple[str, ...]
    references: tuple[str, ...]
    queries: tuple[str, ...]
    rows: str
    slices: str
    expect_rows: str
    select: str
    where: str
    limit: int | None
    max_dead: int
    retry_dead: bool
    file_format: str
    shard_size: int
    workers: int | None = 1
    output: Path | None

    @property
    def folder(self) -> Path:
        """The job's directory."""
        name = "stdin" if self.source == Path("-") else self.source.stem
        return self.output or Path("output") / f"extract-{name}"

    def job(self) -> ExtractJob:
        """Return the job, with all its files read.

        Raises:
            BadInput: an option is malformed, or a file is unusable.
        """
        from retouch.recipes.extract.library import pointer_to
        from retouch.recipes.extract.pages import RECORD
        from retouch.recipes.extract.schemas import load_schema, names_model
        from retouch.recipes.extract.source import ExtractShard, SumRule
        from retouch.recipes.extract.stored import ExtractJob
        from retouch.recipes.extract.whole_job import JobChecks

        sums = [_pair(one, "=", "--sum /total=/items/*/amount") for one in self.sums]
        shared = ExtractShard(
            records=(),
            schema=load_schema(self.schema),
            prompt=_text(self.prompt) or RECORD,
            system=_text(self.system),
            examples=tuple(_examples(self.examples)) if self.examples is not None else (),
            checks=tuple(str(path.resolve()) for path in self.checks),
            quotes=self.quotes,
            sums=tuple(SumRule(total=pointer_to(total), parts=pointer_to(parts)) for total, parts in sums),
            slices=self.slice_rule(),
            model=self.schema if names_model(self.schema) else "",
        )
        whole = JobChecks(
            unique=tuple(map(pointer_to, self.unique)),
            references=tuple(self._reference(one) for one in self.references),
            queries=self.queries,
        )
        return ExtractJob(
            shared=shared,
            whole=whole,
            max_dead=self.max_dead,
            shard_size=self.shard_size,
            parquet=self.file_format == "parquet",
        )

    def slice_rule(self) -> SliceRule | None:
        """Return how long arrays are requested and counted, None if they are not.

        Raises:
            BadInput: one of the options needs another one.
        """
        from retouch.recipes.extract.library import pointer_to
        from retouch.recipes.extract.source import SliceRule

        if not self.rows:
            if self.slices or self.expect_rows:
                raise BadInput("--slice and --expect-rows need --rows", hint="Name the array: --rows /items.")
            return None
        field, lines = _pair(self.slices, ":", "--slice text:50") if self.slices else ("", "0")
        if not lines.isdecimal():
            raise BadInput(f"--slice {self.slices!r} has no number of lines", hint="For example --slice text:50.")
        number = int(self.expect_rows) if self.expect_rows.isdecimal() else None
        by_field = "" if number is not None else self.expect_rows
        return SliceRule(
            rows=pointer_to(self.rows), field=field, lines=int(lines), expected=number, expected_field=by_field
        )

    def records(self) -> Iterator[InputRecord]:
        """Yield the input records.

        Raises:
            BadInput: the input cannot be read.
        """
        from retouch.recipes.extract.inputs import STDIN, WITH_ROWS, InputFilter, input_records, read_rows

        only = InputFilter(where=self.where, select=self.select, limit=self.limit)
        has_rows = self.source == STDIN or (self.source.suffix.lower() in WITH_ROWS and not self.source.is_dir())
        key = self.key or ("" if has_rows else "path")
        return input_records(read_rows(self.source, only), key)

    def _reference(self, text: str) -> tuple[str, str, str]:
        from retouch.recipes.extract.library import pointer_to

        name, target = _pair(text, "=", "--ref customer=customers.csv:id")
        file, _, column = target.rpartition(":")
        if not file or not column:
            raise BadInput(f"--ref {text!r} names no column", hint="For example --ref customer=customers.csv:id.")
        return pointer_to(name), file, column


@click.command(cls=Verb)
@click.argument("source", type=click.Path(path_type=Path, allow_dash=True))
@click.option(
    "--schema", required=True, metavar="FILE|MODULE:MODEL", help="The JSON Schema or pydantic model of a value."
)
@click.option("--prompt", type=_FILE, metavar="FILE", help="A Jinja template over the fields of a record.")
@click.option("--system", type=_FILE, metavar="FILE", help="Text that the prompts of all records share.")
@click.option(
    "--examples", type=_FILE, metavar="FILE", help='JSON lines with examples: {"record": {...}, "value": ...}.'
)
@click.option(
    "--key",
    default="",
    metavar="FIELD",
    help="The field that identifies a record; several with commas. Default: a hash.",
)
@click.option(
    "--check",
    "checks",
    multiple=True,
    type=_FILE,
    metavar="FILE",
    help="A Python file with check(record, value), which returns what is wrong. It is run as it is. Can be repeated.",
)
@click.option("--quotes", is_flag=True, help="Require for each text and number the words that it was taken from.")
@click.option(
    "--sum", "sums", multiple=True, metavar="TOTAL=PARTS", help="A sum that must add up: /total=/items/*/amount."
)
@click.option("--unique", multiple=True, metavar="FIELD", help="A field whose value may occur once in all records.")
@click.option("--ref", "references", multiple=True, metavar="FIELD=FILE:COLUMN", help="Values must be in that column.")
@click.option(
    "--sql", "queries", multiple=True, metavar="QUERY", help="SQL over 'records' that returns the wrong ones."
)
@click.option("--rows", default="", metavar="POINTER", help="The array with the rows of a long document.")
@click.option("--slice", "slices", default="", metavar="FIELD:LINES", help="Request rows of so many lines at a time.")
@click.option("--expect-rows", default="", metavar="N|FIELD", help="The number of rows, or the field that holds it.")
@click.option("--select", default="", metavar="SQL", help="Columns of the input, for example 'id, body AS text'.")
@click.option("--where", default="", metavar="SQL", help="Rows of the input, for example \"lang = 'en'\".")
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Use the first N records only.")
@click.option(
    "--max-dead",
    cls=Setting,
    type=click.IntRange(0),
    default=0,
    help="Number of records that may stay without a value.",
)
@click.option("--retry-dead", is_flag=True, help="Request records again that ended dead in an earlier command.")
@click.option(
    "--format",
    "file_format",
    cls=Setting,
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    help="With parquet, write records.parquet too.",
)
@click.option(
    "--shard-size", cls=Setting, type=click.IntRange(1, 10_000), default=1_000, help="Number of records of one run."
)
@workers_option
@run_folder_option("output/extract-<source>")
@model_options("offline", workers=False)
def command(**given: Any) -> int:
    """Extract validated records: rows and a schema in, records that satisfy the schema out.

    \b
      retouch extract tickets.jsonl --schema ticket.json --prompt prompt.md --key id -o out
      retouch extract mails/ --schema shop:Order --check checks.py --max-cost 5

    SOURCE is a file of JSON lines, CSV or Parquet, a JSON array, a text or PDF, a directory of these two, or - for JSON
    lines on standard input. The same command continues an interrupted job; only records without an answer are
    requested.

    The directory gets records.jsonl (one line per record), dead.jsonl (records without a usable value) and report.html.
    It is a job: 'retouch show', 'resume', 'validate' and 'report' take it.

    The offline model only copies the fields that have the names of the schema's properties.

    With --json: {"run", "status", "records", "tiers", "usage", "files", "notes"}.
    """
    arguments = ExtractArguments(**given)
    job = arguments.job()
    if arguments.is_collecting:
        return _collect(arguments, job)
    if arguments.dry_run:
        return _show_plan(arguments, job)
    return _run(arguments, job)


def _collect(arguments: ExtractArguments, job: ExtractJob) -> int:
    """Pass all records to `ModelOptions.generate` as one source, which makes no run now."""
    from retouch.recipes.extract import recipe
    from retouch.recipes.extract.whole_job import JobChecks

    if job.whole != JobChecks():
        click.echo("note: checks over all records are not run for parts of a job", err=True)
    return arguments.generate(recipe, replace(job.shared, records=tuple(arguments.records())), arguments.folder)


def _run(arguments: ExtractArguments, job: ExtractJob) -> int:
    from retouch.recipes.extract import recipe
    from retouch.recipes.extract.commands.running import JobCommandOptions, ModelSpecs, run_shards
    from retouch.recipes.extract.job import run_job

    folder = arguments.folder
    specs = ModelSpecs(model=arguments.model_spec(), fallbacks=arguments.fallback)
    given = JobCommandOptions(
        workers=arguments.workers or 1,
        hang_s=arguments.hang,
        retry_dead=arguments.retry_dead,
        silent=arguments.silent,
        as_json=arguments.as_json,
    )

    def work(model: Model, options: RunOptions, running: JobRunning) -> Coroutine[Any, Any, ExtractResult]:
        return run_job(job, arguments.records(), folder, model, options, running=running)

    return run_shards(folder, specs, arguments.run_options(recipe), work, arguments.cost_limit, given)


def _show_plan(arguments: ExtractArguments, job: ExtractJob) -> int:
    from retouch.recipes.extract import recipe
    from retouch.recipes.extract.layout import by_shard

    left = [
        prompt
        for place, records in by_shard(arguments.records(), arguments.folder)
        for prompt in missing(place, list(recipe.plan(replace(job.shared, records=records))))
    ]
    plan = planned(arguments.folder, left, recipe, arguments.model_spec(), pack=arguments.pack)
    plan.show(as_json=arguments.as_json)
    return 0


def _examples(path: Path) -> Iterator[WorkedExample]:
    from retouch.recipes.extract.source import WorkedExample

    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            data: Any = json.loads(line)
            yield WorkedExample(fields=dict(data["record"]), value=data["value"])
        except (ValueError, KeyError, TypeError) as error:
            hint = 'Each line is {"record": {...}, "value": ...}.'
            raise BadInput(f"line {number} of {str(path)!r} is no example: {error}", hint=hint) from error


def _pair(text: str, between: str, example: str) -> tuple[str, str]:
    first, found, second = text.partition(between)
    if not found or not first.strip() or not second.strip():
        raise BadInput(f"{text!r} is not of the form {example!r}", hint=f"For example {example}.")
    return first.strip(), second.strip()


def _text(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(path)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error

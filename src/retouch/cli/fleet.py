"""`retouch fleet`: many records as shards, on several processes, with one cost limit."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli import options
from retouch.cli.settings import Setting
from retouch.cli.verb import LazyGroup, Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from retouch.fleet.api import FleetResult
    from retouch.fleet.statuses import FleetStatus

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_ABOUT = "Run a recipe on many records: shards, worker processes, one cost limit, one status."
command = LazyGroup(
    name="fleet",
    help=_ABOUT,
    table={
        "run": ("retouch.cli.fleet:run", "Run RECIPE on the records of a file (JSON lines, CSV or Parquet)."),
        "work": ("retouch.cli.fleet:work", "Run a fleet, or one shard of it, with the settings of its last command."),
        "export": ("retouch.cli.fleet:export", "Write the committed records of a fleet into one file."),
    },
)
_WORK_DIRECTORY = click.option(
    "--work-dir",
    "work_directory",
    type=click.Path(path_type=Path),
    help="Directory on a disk of this machine for runs. Default: DIR/runs, or a cache directory for an object store.",
)


@dataclass(frozen=True, kw_only=True)
class FleetArguments:
    """The options of `retouch fleet run`; see its help."""

    recipe: str
    records: Path
    output: str
    key: str
    shared: Path | None
    shard_size: int
    workers: int
    at_once: int
    model: str
    fallback: tuple[str, ...]
    max_cost: float | None
    rpm: float
    tpm: float
    concurrency: int
    max_output_tokens: int
    lease: float
    hang: float
    work_directory: Path | None
    retry_dead: bool
    cluster: str
    quiet: bool
    as_json: bool

    def settings(self) -> dict[str, Any]:
        """Return the options as settings of `retouch.fleet.run`."""
        from retouch.engine.options import RunOptions

        return {
            "workers": self.workers,
            "at_once": self.at_once,
            "fallbacks": self.fallback,
            "max_cost_usd": self.max_cost,
            "requests_per_minute": self.rpm,
            "tokens_per_minute": self.tpm,
            "lease_s": self.lease,
            "hang_s": self.hang,
            "work_directory": self.work_directory,
            "retry_dead": self.retry_dead,
            "cluster": self.cluster,
            "concurrency": self.concurrency,
            "max_output_tokens": self.max_output_tokens,
            "max_output_limit": max(RunOptions().max_output_limit, self.max_output_tokens),
        }

    def shared_settings(self) -> Mapping[str, Any]:
        """Return the content of the file `--shared`.

        Raises:
            BadInput: it is not an object.
        """
        if self.shared is None:
            return {}
        try:
            found: object = json.loads(self.shared.read_bytes())
        except ValueError as error:
            raise BadInput(f"{str(self.shared)!r} is not JSON: {error}", hint="Correct it.") from error
        if not isinstance(found, dict):
            raise BadInput(f"{str(self.shared)!r} is not an object", hint='For example {"schema": {...}}.')
        return found  # pyright: ignore[reportUnknownVariableType]


@click.command("run", cls=Verb)
@click.argument("recipe")
@click.argument("records", type=_FILE)
@click.option("-o", "--output", required=True, metavar="DIR", help="The fleet's directory, or s3://BUCKET/NAME.")
@click.option("--key", default="id", help="Field that identifies a record.", show_default=True)
@click.option(
    "--shared", type=_FILE, help="JSON file with what all records share, for example the schema and prompt of extract."
)
@click.option("--shard-size", type=click.IntRange(1, 100_000), default=1_000, metavar="N", help="Records of one shard.")
@click.option(
    "--workers", cls=Setting, type=click.IntRange(1, 64), default=1, metavar="N", help="Number of worker processes."
)
@click.option(
    "--at-once", cls=Setting, type=click.IntRange(1, 32), default=1, metavar="N", help="Shards of one worker at a time."
)
@options.model_option("offline")
@options.fallback_option
@click.option(
    "--max-cost",
    cls=Setting,
    type=options.Amount(min=0),
    metavar="USD",
    help="Limit of everything that the fleet ever costs, over all workers and commands.",
)
@click.option("--rpm", type=options.Amount(min=0), default=0.0, metavar="N", help="Calls per minute of all workers.")
@click.option("--tpm", type=options.Amount(min=0), default=0.0, metavar="N", help="Tokens per minute of all workers.")
@options.concurrency_option
@options.max_output_option
@click.option(
    "--lease",
    type=options.Amount(min=1),
    default=60.0,
    metavar="S",
    help="Seconds after which others take over the shard of a worker that does not answer.",
)
@options.hang_option
@_WORK_DIRECTORY
@click.option(
    "--cluster",
    default="",
    metavar="ADDRESS",
    help="Run the shards on the workers of a Dask scheduler, for example tls://host:8786. Without TLS, only on this "
    "machine.",
)
@click.option("--retry-dead", is_flag=True, help="First try records again that worker processes have died with.")
@options.quiet_option
@options.strict_option
@options.as_json_option
def run(**given: Any) -> int:
    """Run RECIPE on the records of a file (JSON lines, CSV or Parquet). The same command again continues.

    \b
      retouch fleet run extract tickets.jsonl -o tickets-fleet --shared extract.json --workers 4 --max-cost 20
      retouch fleet run extract tickets.jsonl -o tickets-fleet --shared extract.json

    With --json: {"fleet", "status", "shards": {"done", "running", "left", "set_aside"}, "records": {"verified",
    "unverified", "issues", "missing", "exhausted"}, "usage": {...}}; with --max-cost, "usage" has "limit":
    {"max_cost", "used"}.
    """
    from retouch.cli.outcome import keeping
    from retouch.cli.tracing import workers_traced
    from retouch.engine.recipe import find_recipe
    from retouch.fleet.api import nothing
    from retouch.fleet.api import run as run_fleet

    arguments = FleetArguments(**given)
    silent = arguments.quiet or arguments.as_json
    found = find_recipe(arguments.recipe)
    shared, settings = arguments.shared_settings(), arguments.settings()
    hint = "Give the same command again. Only what is missing is requested."
    with keeping(arguments.output, hint=hint), workers_traced():
        result = run_fleet(
            found,
            arguments.records,
            arguments.output,
            model=arguments.model,
            key=arguments.key,
            shared=shared,
            shard_size=arguments.shard_size,
            on_poll=nothing if silent else print_shards_done(arguments.output, arguments.work_directory),
            **settings,
        )
    return show_fleet_result(result, as_json=arguments.as_json)


def print_shards_done(address: str, work_directory: Path | None = None) -> Callable[[], None]:
    """Return a function that prints the number of finished shards when it changes, at most once a second."""
    import time

    from retouch.fleet.job import fleet_place
    from retouch.fleet.shards import COMMITS, numbers_in

    place = fleet_place(address, work_directory)
    last = [0.0, -1.0]

    def report() -> None:
        if time.monotonic() - last[0] < 1.0:
            return
        done = float(len(numbers_in(place.store, COMMITS)))
        if done != last[1]:
            click.echo(f"shards done: {int(done)}", err=True)
        last[:] = [time.monotonic(), done]

    return report


@click.command("work", cls=Verb)
@click.argument("directory", metavar="DIR")
@click.option("--shard", type=click.IntRange(0), metavar="N", help="Only this shard. The first has the number 0.")
@click.option(
    "--max-cost",
    type=options.Amount(min=0),
    metavar="USD",
    help="Another limit of everything that the fleet ever costs. Not with --shard.",
)
@_WORK_DIRECTORY
@options.strict_option
@options.as_json_option
def work(
    directory: str, *, shard: int | None, max_cost: float | None, work_directory: Path | None, as_json: bool
) -> int:
    """Run a fleet, or one shard of it, with the settings of its last command. The limits of the whole fleet hold.

    \b
      retouch fleet work tickets-fleet --shard 0
      retouch fleet work tickets-fleet --work-dir local

    DIR may be the address of an object store. Without --shard, everything that is left is done. With --shard, also a
    shard that was set aside; if another worker has the shard, nothing is done.

    With --json: the keys of 'retouch fleet run --json'.
    """
    from retouch.cli.outcome import keeping
    from retouch.cli.tracing import workers_traced
    from retouch.fleet.api import resume
    from retouch.fleet.api import work as work_on

    if shard is not None and max_cost is not None:
        raise BadInput("--max-cost is for the whole fleet", hint="Leave out --shard.")
    with keeping(directory), workers_traced():
        if shard is None:
            known: dict[str, Any] = {} if max_cost is None else {"max_cost_usd": max_cost}
            result = resume(directory, work_directory=work_directory, **known)
        else:
            result = work_on(directory, shard, work_directory=work_directory)
    return show_fleet_result(result, as_json=as_json)


@click.command("export", cls=Verb)
@click.argument("directory", metavar="DIR")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The file: .jsonl, .csv or .parquet.",
)
@click.option("--verified", is_flag=True, help="Only verified records.")
@_WORK_DIRECTORY
@options.strict_option
@options.as_json_option
def export(directory: str, *, output: Path, verified: bool, work_directory: Path | None, as_json: bool) -> int:
    """Write the committed records of a fleet into one file, in the order of the input: key, status, value, issues.

    \b
      retouch fleet export tickets-fleet -o tickets.csv
      retouch fleet export tickets-fleet -o tickets.parquet --verified

    Every file of answers is compared with its commit first. The exit status is that of the fleet.

    With --json: {"fleet", "status", "output", "records": N}.
    """
    from retouch.cli.failure import printable
    from retouch.cli.outcome import is_strict
    from retouch.cli.output import counted, print_json
    from retouch.fleet.exporting import export_records
    from retouch.fleet.job import fleet_place
    from retouch.fleet.statuses import fleet_status

    place = fleet_place(directory, work_directory)
    found = fleet_status(place)
    written = export_records(place, output, only_verified=verified)
    if as_json:
        print_json({"fleet": directory, "status": found.status, "output": str(output), "records": written})
    else:
        _print_head(found)
        click.echo(f"{counted(written, 'record')}: {printable(str(output))}")
    return 1 if found.status == "unverified" and is_strict() else found.exit_status


def show_fleet_result(result: FleetResult, *, as_json: bool) -> int:
    """Print the status of a fleet after a command, and return the exit status."""
    stopped = _STOPPED.get(result.stopped, result.stopped)
    if result.detail:
        stopped = f"{result.detail}. {stopped[:1].upper()}{stopped[1:]}"
    return show_fleet(result.status, as_json=as_json, stopped=stopped)


def show_fleet(found: FleetStatus, *, as_json: bool, stopped: str = "", details: bool = False) -> int:
    """Print the status of a fleet, and return the exit status. `details` adds keys to the JSON."""
    from retouch._lib.redaction import view_of
    from retouch.cli.failure import printable
    from retouch.cli.outcome import is_strict, print_cost_and_next
    from retouch.cli.output import counted, print_json, print_table

    status = 1 if found.status == "unverified" and is_strict() else found.exit_status
    if as_json:
        print_json(view_of(found.with_details() if details else found.as_json()))
        return status
    _print_head(found)
    rows = [("shards", *(f"{number} {name.replace('_', ' ')}" for name, number in found.shards.items()), "")]
    rows += [("records", *(f"{number} {name}" for name, number in found.records.items()))]
    print_table(("", "", "", "", "", ""), rows)
    usage = found.usage
    click.echo(f"{counted(usage.calls, 'call')}, {counted(usage.tokens, 'token')}, {usage.spent}")
    if found.limit_usd is not None:
        click.echo(f"limit: {found.used_usd or 0.0:.4f} of {found.limit_usd:.4f} dollars are used")
    for note in found.notes:
        click.echo(f"note: {printable(note)}")
    if stopped:
        click.echo(f"stopped: {printable(stopped)}")
    print_cost_and_next(usage.price, _next_of_fleet(found))
    return status


def _next_of_fleet(found: FleetStatus) -> str:
    """Return the one command to run next. FILE, USD and TEXT in it are for the user to replace."""
    from shlex import quote

    from retouch.fleet.store import is_remote

    address = quote(found.address)
    is_elsewhere = is_remote(found.address)  # 'show', 'resume' and others work on directories
    if found.workers and not is_elsewhere:
        return f"retouch show {address} --watch"
    if found.shards["left"] + found.shards["running"]:
        is_used_up = found.limit_usd is not None and found.status == "exhausted"
        verb = "fleet work" if is_elsewhere else "resume"
        return f"retouch {verb} {address}{' --max-cost USD' if is_used_up else ''}"
    if found.aside:
        return f"retouch fleet work {address} --shard {found.aside[0]}"
    if found.changed and not is_elsewhere:
        return f"retouch validate {address}"
    if found.status in ("issues", "exhausted") and not is_elsewhere:
        return (
            f"retouch regenerate {address} --from-errors{' --correction TEXT' if found.status == 'exhausted' else ''}"
        )
    return f"retouch fleet export {address} -o FILE"


_STOPPED = {
    "limit": "the cost limit is reached. Continue with a higher --max-cost.",
    "busy": "another worker has this shard.",
    "lost": "another worker took over; its result counts.",
    "incomplete": "records are left without an answer. Continue with the same command.",
}


def _print_head(found: FleetStatus) -> None:
    from retouch.cli.outcome import print_status

    print_status(found.status, found.reason, found.address)

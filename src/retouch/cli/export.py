"""`retouch export`."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch._lib.counting import counted
from retouch.cli.completion import complete_runs
from retouch.cli.failure import printable
from retouch.cli.options import GivenPath, as_json_option
from retouch.cli.output import print_json
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@click.command(cls=Verb)
@click.argument(
    "folders", metavar="DIR...", nargs=-1, required=True, type=GivenPath(path_type=Path), shell_complete=complete_runs
)
@click.option("--to", "form", type=click.Choice(["jsonl"]), default="jsonl", show_default=True, help="The format.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="The file to write. Default: stdout.",
)
@as_json_option
def command(folders: Sequence[Path], *, form: str, output: Path | None, as_json: bool) -> None:  # noqa: ARG001 - jsonl
    """Write the attempts of runs as JSON lines for other tools.

    They have the prompts, the answers and the verdicts.

    \b
      retouch export output/GET_pets -o attempts.jsonl
      retouch export output/eval-csharp | jq -c 'select(.verdict.passed)'

    DIR is a run directory, or a directory with runs anywhere below it. Each line is one attempt: {"run", "recipe",
    "seq", "unit", "page", "total_pages", "why", "model", "at", "messages": [{"role", "content"}], "max_output_tokens",
    "temperature", "answer_schema", "reply": {"text", "reasoning", "finish", "model", "input_tokens", "output_tokens",
    "cached_tokens", "written_tokens", "reasoning_tokens", "cost"}, "error", "seconds", "verdict": {"passed",
    "readable", "taken", "issues"}}. "reply" is null if the call failed, and "verdict" if the answer was not checked.
    "passed" is the last verdict on this attempt: whether no check that ran found an error. It is not a promise that
    every check ran. "pack" is the number of the request if several pages shared it: "messages" are then those of this
    page alone.

    Secrets of your environment, and text that looks like a key, are replaced.

    With --json and --output: {"export", "runs", "attempts"}.
    """
    from retouch._lib.disk import write_output
    from retouch.evaluation import runs_below

    if as_json and output is None:
        raise BadInput("--json needs --output, because the lines themselves go to stdout", hint="Name a file with -o.")
    runs = runs_below(folders)
    if output is None:
        for line in _lines(runs, []):
            click.echo(line, nl=False)
        return
    counts: list[int] = []
    write_output(output, partial(_lines, runs, counts))
    if as_json:
        print_json({"export": str(output), "runs": len(runs), "attempts": sum(counts)})
        return
    click.echo(f"{printable(str(output))}  {counted(sum(counts), 'attempt')} of {counted(len(runs), 'run')}")


def _lines(runs: Sequence[Path], counts: list[int]) -> Iterator[str]:
    """Yield one line for each attempt of all runs. `counts` receives the number of attempts of each run."""
    from retouch.engine.record import lost_ledger_of
    from retouch.evaluation.attempts import exported_attempts

    counts.clear()
    for run in runs:
        counts.append(0)
        if lost := lost_ledger_of(run):
            click.echo(f"note: {printable(lost)}", err=True)
        for one in exported_attempts(run, _recipe_of(run)):
            counts[-1] += 1
            yield json.dumps(one) + "\n"


def _recipe_of(run: Path) -> str:
    """Return the name of a run's recipe, which need not be installed."""
    from retouch._lib.json_stream import expect_version, stored_object
    from retouch.engine.directory import VERSION
    from retouch.engine.stored_files import IR

    content = stored_object(run / IR, {"version": int, "recipe": str})
    expect_version(run / IR, content["version"], VERSION)
    return content["recipe"]

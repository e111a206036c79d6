"""`retouch generate chisel`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    Amount,
    Setting,
    Verb,
    check_options,
    model_options,
    put_back_originals,
    run_folder_option,
    take_back_killed,
    wants_writing,
    write_originals,
)
from retouch.errors import BadInput
from retouch.recipes.chisel.commands.arguments import TRIALS, ChiselArguments

if TYPE_CHECKING:
    from retouch.commands import CommandRunner
    from retouch.engine.overview import RunResult

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(cls=Verb)
@click.option("--diff", required=True, type=_FILE, help="The Verilog diff: what is there (-), what should be (+).")
@click.option("--source", cls=Setting, required=True, type=_FOLDER, help="The folder of the Chisel sources.")
@click.option("--rtl", cls=Setting, type=_FOLDER, help="The Verilog that the diff speaks of, for its source locators.")
@click.option("--compile", cls=Setting, required=True, metavar='"CMD"', help="Your compile command.")
@click.option("--lec", cls=Setting, default="", metavar='"CMD"', help="Your equivalence command, run after it.")
@click.option(
    "--workspace",
    cls=Setting,
    type=_FOLDER,
    show_default=False,
    help="The project's folder, which the commands run in a copy of; by default the source folder.",
)
@click.option(
    "--candidates", cls=Setting, type=click.IntRange(1, 100), default=5, help="How many modules may be tried."
)
@click.option("--together", cls=Setting, type=click.IntRange(1, 20), default=1, help="How many one prompt shows.")
@click.option("--asks-each", cls=Setting, type=click.IntRange(1, 100), default=3, help="Questions per module at most.")
@click.option(
    "--prompt-tokens", cls=Setting, type=click.IntRange(200), default=6_000, help="About how large a prompt may be."
)
@click.option(
    "--check-timeout",
    cls=Setting,
    type=Amount(min=0, min_open=True),
    default=900.0,
    metavar="S",
    help="Seconds for each command.",
)
@click.option(
    "--trials",
    cls=Setting,
    type=click.Path(dir_okay=False, path_type=Path),
    show_default=False,
    help="The ledger of trials, by default trials.jsonl beside the run folder.",
)
@click.option("--apply", is_flag=True, help="Write the fix into the workspace when everything holds.")
@run_folder_option("output/chisel-<diff>")
@check_options
@model_options("offline")
def command(**given: Any) -> int:
    """Repair the Chisel that a Verilog diff comes from, until it compiles and is equivalent.

    \b
    retouch generate chisel --diff fix.diff --source src/main/scala --workspace . --model anthropic:claude-sonnet-4-5 \\
        --compile "mill cpu.run" --lec "scripts/lec.sh"

    The likeliest modules are shown to the model one after the other; its edits are applied in a copy of the workspace,
    compiled and compared there. The commands find the diff in the file that RETOUCH_DIFF names. The workspace is
    written with --apply alone, and only when everything holds; fix.patch in the run folder holds the fix otherwise.
    Answering needs a real model: no rule can repair hardware, so that offline answers nothing here.

    With --json the keys are those of 'retouch generate csharp', "applied", the paths that were written, and
    "candidates", the modules that may be tried, in order.
    """
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel import recipe
    from retouch.recipes.chisel.trials import events_below

    arguments = ChiselArguments(**given)
    if not arguments.dry_run:
        take_back_killed(arguments.root)
    ledger = TrialLedger(arguments.trials_path)
    ledger.consider(events_below(arguments.folder.resolve().parent))
    if not arguments.dry_run and arguments.model in {None, "offline"}:
        hint = "Name a model that can: --model anthropic:..., openai:..., ollama:... or replay:FILE."
        raise BadInput("no rule can repair hardware: 'offline' answers nothing in this job", hint=hint)
    return arguments.generate(recipe, arguments.job(ledger), arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run the loop, note the trials whatever ends it, and write the fix if the user wants it."""
    put_back_originals(runner)
    try:
        result = runner.generated()
    finally:
        _note_trials(runner)
    wanted, notes = wants_writing(runner, result)
    applied = _applied(runner, result) if wanted else []
    candidates = [suspect.module_id for suspect in runner.source.suspects]
    return runner.show(replace(result, notes=(*result.notes, *notes)), applied=applied, candidates=candidates)


def _note_trials(runner: CommandRunner) -> None:
    """Write the trials of all runs in this directory into the ledger that the run names, by default in it too."""
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.trials import events_below

    beside = runner.folder.resolve().parent
    TrialLedger(Path(str(runner.ending.get("trials") or beside / TRIALS))).append(events_below(beside))


def _applied(runner: CommandRunner, result: RunResult) -> list[str]:
    """Write the fix into the workspace; return the paths that were written."""
    from retouch._lib.run_sync import run_sync
    from retouch.engine.verbs import read_values
    from retouch.recipes.chisel import recipe
    from retouch.recipes.chisel.answers import Fix

    job, values = run_sync(read_values(recipe, result.run))
    (fix,) = values.values()
    assert isinstance(fix, Fix)  # noqa: S101 - a clean run can be read
    texts = {job.in_workspace(path): text for path, text in fix.texts.items()}
    before = {job.in_workspace(file.path): file.text for file in job.files}
    return write_originals(Path(runner.way.workspace), texts, before=before)

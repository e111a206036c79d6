"""`retouch generate chisel`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    UndoPlan,
    Verb,
    check_options,
    model_options,
    put_back_originals,
    run_folder_option,
    take_back_killed,
    wants_writing,
    write_originals,
)
from retouch.recipes.chisel.commands.arguments import TRIALS, ChiselArguments, refuse_offline
from retouch.recipes.chisel.commands.search_options import search_options

if TYPE_CHECKING:
    from retouch.commands import CommandRunner
    from retouch.engine.directory import RunView
    from retouch.engine.overview import RunResult

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
UNPROVED = "nothing was written into the workspace: the fix compiles, but is not proved; add --lec, or --unproved"


@click.command(cls=Verb)
@click.option(
    "--diff", required=True, type=_FILE, help="The Verilog diff: from the current hardware (-) to the wanted one (+)."
)
@search_options
@click.option("--apply", is_flag=True, help="Write the fix into the workspace if all checks pass.")
@click.option(
    "--unproved", is_flag=True, help="With --apply: also write a fix that only compiles and is not proved by --lec."
)
@run_folder_option("output/chisel-<diff>")
@check_options
@model_options("offline")
def command(**given: Any) -> int:
    """Repair the Chisel module that a Verilog diff comes from.

    \b
      retouch generate chisel --diff fix.diff --source src/main/scala \\
        --workspace . --compile "mill cpu.run" --lec "scripts/lec.sh" \\
        --model anthropic:claude-sonnet-4-5
      retouch generate chisel --diff fix.diff --source src --compile make --together 3 --model openai:gpt-5-mini

    The most likely modules are shown to the model, one after the other, until a fix compiles and is equivalent. Edits
    are applied, compiled and checked in a copy of the workspace. The variable RETOUCH_DIFF has the path of the diff
    for your commands. The workspace is only changed with --apply, and only if all checks pass. fix.patch in the run
    directory has the fix in any case.

    This command needs a real model. 'offline' cannot repair hardware.

    With --json the keys are those of 'retouch generate csharp', and "applied" (the paths that were written),
    "candidates" (the modules that may be tried, in order) and "proof" (what was shown for the fix: compiled, simulated,
    bounded or proved; empty if it failed).
    """
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel import recipe
    from retouch.recipes.chisel.trials import events_below

    arguments = ChiselArguments(**given)
    if not arguments.dry_run:
        take_back_killed(arguments.root)
    ledger = TrialLedger(arguments.trials_path)
    ledger.consider(events_below(arguments.folder.resolve().parent))
    refuse_offline(arguments)
    return arguments.generate(recipe, arguments.job(ledger), arguments.folder)


def finish(runner: CommandRunner) -> int:
    """Run the loop, record the trials in any case, and write the fix if the user wants it."""
    put_back_originals(runner)
    try:
        result = runner.generated()
    finally:
        record_trials(runner)
    wanted, notes = wants_writing(runner, result)
    if wanted and result.status != "verified" and not runner.ending.get("unproved"):
        wanted, notes = False, [*notes, UNPROVED]
    applied, changed = _apply_fix(runner, result) if wanted else ([], [])
    notes = [*notes, *changed]
    candidates = [suspect.module_id for suspect in runner.source.suspects]
    return runner.show(
        replace(result, notes=(*result.notes, *notes)),
        applied=applied,
        candidates=candidates,
        proof=proof_shown(runner),
    )


def proof_shown(runner: CommandRunner) -> list[str]:
    """Return what was shown for the current fix, as a list of at most one word."""
    from retouch.recipes.chisel.commands.solved import stored_fix

    found = stored_fix(runner.folder)
    return [found.proof] if found is not None and found.proof is not None else []


def record_trials(runner: CommandRunner) -> None:
    """Append the trials of all runs next to this one to the ledger. By default it is in the same directory."""
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.trials import events_below

    runs_directory = runner.folder.resolve().parent
    TrialLedger(Path(str(runner.ending.get("trials") or runs_directory / TRIALS))).append(events_below(runs_directory))


def undo_plan(view: RunView) -> UndoPlan:
    """Return the content that the files of the fix had before, and the content that `--apply` writes."""
    from retouch.engine.record import last_options
    from retouch.recipes.chisel.commands.solved import stored_fix

    found = stored_fix(view.directory)
    new, old = (found.new, found.old) if found is not None else ({}, {})
    return UndoPlan(root=last_options(view.history).options.workspace, old=old, new=new)


def _apply_fix(runner: CommandRunner, result: RunResult) -> tuple[list[str], list[str]]:
    """Write the fix into the workspace. Return the paths that were written, and a note if it was not written.

    The commands run again first, unless nothing in the workspace, the commands and their programs has changed since.
    """
    from functools import partial

    from retouch._lib.run_sync import run_sync
    from retouch.engine.directory import open_run
    from retouch.engine.record import cached_result
    from retouch.recipes.chisel.checking import check
    from retouch.recipes.chisel.commands.solved import stored_fix

    found = stored_fix(result.run)
    assert found is not None  # noqa: S101 - a clean run can be read
    known = replace(runner.options, recall=partial(cached_result, open_run(result.run).history))
    if errors := [issue for issue in run_sync(check(found.job, {"fix": found.fix}, known)) if issue.is_error]:
        first = errors[0].message
        return [], [
            f"nothing was written into the workspace: it has changed since the fix was checked, and now {first}"
        ]
    return write_originals(Path(runner.options.workspace), found.new, before=found.old), []

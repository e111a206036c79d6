"""`retouch generate chisel`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.chisel_arguments import TRIALS, ChiselArguments
from retouch.cli.options import run_folder_option
from retouch.cli.originals import put_back_originals, wants_writing, write_originals
from retouch.cli.running import running_options
from retouch.cli.settings import Setting
from retouch.cli.taking_back import take_back_killed
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.cli.errand import Errand
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
@click.option("--check-timeout", cls=Setting, type=float, default=900.0, metavar="S", help="Seconds for each command.")
@click.option(
    "--trials",
    cls=Setting,
    type=click.Path(dir_okay=False, path_type=Path),
    show_default=False,
    help="The ledger of trials, by default trials.jsonl beside the run folder.",
)
@click.option("--apply", is_flag=True, help="Write the fix into the workspace when everything holds.")
@run_folder_option("output/chisel-<diff>")
@running_options("offline")
def command(**given: Any) -> int:
    """Mend the Chisel that a Verilog diff comes from, until it compiles and is equivalent.

    \b
    retouch generate chisel --diff fix.diff --source src/main/scala --workspace . --model anthropic:claude-sonnet-4-5 \\
        --compile "mill cpu.run" --lec "scripts/lec.sh"

    The likeliest modules are shown to the model one after the other; its edits are applied in a copy of the workspace,
    compiled and compared there. The commands find the diff in the file that RETOUCH_DIFF names. The workspace is
    written with --apply alone, and only when everything holds; fix.patch in the run folder holds the fix otherwise.
    Answering needs a real model: no rule can mend hardware, so that offline answers nothing here.

    With --json the keys are those of 'retouch generate csharp', "applied", the paths that were written, and
    "candidates", the modules that may be tried, in order.
    """
    from retouch.cli.locating import locating
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel import recipe
    from retouch.recipes.chisel.trials import events_below

    arguments = ChiselArguments(**given)
    if arguments.apply and not arguments.dry_run:
        take_back_killed(arguments.root)
    with locating():
        ledger = TrialLedger(arguments.trials_path)
    ledger.consider(events_below(arguments.folder.resolve().parent))
    if not arguments.dry_run and arguments.model in {None, "offline"}:
        hint = "Name a model that can: --model anthropic:..., openai:..., ollama:... or replay:FILE."
        raise BadInput("no rule can mend hardware: 'offline' answers nothing in this job", hint=hint)
    return arguments.generate(recipe, arguments.job(ledger), arguments.folder)


def carry_out(errand: Errand) -> int:
    """Go through the loop, note the trials whatever ends it, and write the fix where that was asked for."""
    put_back_originals(errand)
    try:
        result = errand.generated()
    finally:
        _note_trials(errand)
    wanted, notes = wants_writing(errand, result)
    applied = _applied(errand, result) if wanted else []
    candidates = [suspect.module_id for suspect in errand.source.suspects]
    return errand.show(replace(result, notes=(*result.notes, *notes)), applied=applied, candidates=candidates)


def _note_trials(errand: Errand) -> None:
    """Write what the runs beside tell of trials into the ledger that the run names, by default beside them too."""
    from retouch.cli.locating import locating
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.trials import events_below

    beside = errand.folder.resolve().parent
    with locating():
        TrialLedger(Path(str(errand.ending.get("trials") or beside / TRIALS))).append(events_below(beside))


def _applied(errand: Errand, result: RunResult) -> list[str]:
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
    return write_originals(Path(errand.way.options.workspace), texts, before=before)

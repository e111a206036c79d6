"""`retouch chisel trials`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Verb, as_json_option, print_json, print_table, printable
from retouch.errors import BadInput
from retouch.recipes.chisel.commands.arguments import TRIALS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.locate.trial_events import TrialRecord
    from retouch.locate.trials import TrialLedger

HEADS = ("case", "module", "outcome", "attempts", "score", "last tried", "notes")


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, path_type=Path))
@click.option("--case", metavar="ID", help="Only cases whose id starts with this.")
@as_json_option
def command(folder: Path, *, case: str | None, as_json: bool) -> None:
    """Show which modules were tried for which diff, and the outcomes.

    \b
      retouch chisel trials output
      retouch chisel trials output --json

    DIR is a directory with the ledger (trials.jsonl) or with run directories of 'retouch generate chisel', a run
    directory, or the ledger itself. Trials of these runs are shown even if the ledger was lost. Nothing is written.

    With --json: {"cases": {ID: [{"module_id", "score", "sources", "tried", "attempts", "iteration_last",
    "outcome_last", "commit_hash", "timestamps", "notes"}]}, "warnings": [...]}.
    """
    ledger = _ledger(folder)
    known = dict.fromkeys(key[0] for key in ledger.records)
    cases = [one for one in known if _short(one).startswith(_short(case or ""))]
    if as_json:
        shown: dict[str, Any] = {one: list(ledger.export_records(case_id=one).values()) for one in cases}
        print_json({"cases": shown, "warnings": ledger.warnings})
        return
    for warning in ledger.warnings:
        click.echo(printable(f"warning: {warning}"), err=True)
    print_table(HEADS, [_row(record) for one in cases for record in ledger.of_case(one)])


def _ledger(place: Path) -> TrialLedger:
    """Return the ledger of a directory, with the trials of its runs.

    Raises:
        BadInput: there is neither a ledger nor a run.
    """
    from retouch.engine.directory import IR
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.trials import events_below, events_of_run

    if place.is_file():
        ledger = TrialLedger(place)
        if not ledger.records and ledger.warnings:
            hint = "Name trials.jsonl, or the directory that contains it."
            raise BadInput(f"{str(place)!r} is not a ledger of trials: none of its lines can be read", hint=hint)
        return ledger
    is_run = (place / IR).exists()
    home = place.resolve().parent if is_run else place
    ledger = TrialLedger(home / TRIALS)
    ledger.consider(events_of_run(place) if is_run else events_below(place))
    if not ledger.records and not (home / TRIALS).exists():
        hint = "Pass the directory of the runs, for example output, or the file of --trials."
        raise BadInput(f"{str(place)!r} contains neither a ledger of trials nor a run with trials", hint=hint)
    return ledger


def _row(record: TrialRecord) -> Sequence[object]:
    last = record.timestamps[-1][:19].replace("T", " ") if record.timestamps else ""
    case = _short(record.case_id)[:12]
    score = f"{record.score:.2f}"
    return [
        case,
        record.key[1],
        record.outcome_last,
        record.attempts,
        score,
        last,
        record.notes.partition("\n")[0][:60],
    ]


def _short(case: str) -> str:
    return case.removeprefix("sha256:")

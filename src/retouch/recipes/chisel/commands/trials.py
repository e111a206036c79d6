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
@click.option("--case", metavar="ID", help="Only the case whose id begins so.")
@as_json_option
def command(folder: Path, *, case: str | None, as_json: bool) -> None:
    """Show which modules were tried for which diff, and the outcomes.

    \b
    retouch chisel trials output

    DIR holds the ledger, trials.jsonl, or run folders of 'retouch generate chisel', or is one of them, or the ledger
    itself. What its runs tell is shown even where the ledger was lost; nothing is written.

    With --json: {"cases": {ID: [{"module_id", "score", "sources", "tried", "attempts", "iteration_last",
    "outcome_last", "commit_hash", "timestamps", "notes"}]}, "warnings": [...]}.
    """
    ledger = _ledger(folder)
    known = dict.fromkeys(key[0] for key in ledger.records)
    cases = [one for one in known if _short(one).startswith(_short(case or ""))]
    if as_json:
        shown: dict[str, Any] = {one: list(ledger.export_seed_json(case_id=one).values()) for one in cases}
        print_json({"cases": shown, "warnings": ledger.warnings})
        return
    for warning in ledger.warnings:
        click.echo(printable(f"warning: {warning}"), err=True)
    print_table(HEADS, [_row(record) for one in cases for record in ledger.of_case(one)])


def _ledger(place: Path) -> TrialLedger:
    """Return the ledger of a folder with what the runs there tell.

    Raises:
        BadInput: there is neither a ledger nor a run.
    """
    from retouch.engine.directory import IR
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel.trials import events_below, events_of_run

    if place.is_file():
        ledger = TrialLedger(place)
        if not ledger.records and ledger.warnings:
            hint = "Name trials.jsonl, or the directory that holds it."
            raise BadInput(f"{str(place)!r} is no ledger of trials: none of its lines can be read", hint=hint)
        return ledger
    is_run = (place / IR).exists()
    home = place.resolve().parent if is_run else place
    ledger = TrialLedger(home / TRIALS)
    ledger.consider(events_of_run(place) if is_run else events_below(place))
    if not ledger.records and not (home / TRIALS).exists():
        hint = "Name the folder that holds the runs, such as output, or the file that --trials named."
        raise BadInput(f"{str(place)!r} holds no ledger of trials and no run that tells of any", hint=hint)
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

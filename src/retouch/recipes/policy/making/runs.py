"""What a run directory says of its clauses, and the waivers that its user records."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from retouch._lib.disk import write_files
from retouch._lib.json_text import json_text
from retouch.engine.directory import open_run
from retouch.engine.record import last_options
from retouch.engine.verbs import generate, read_values
from retouch.errors import BadInput
from retouch.recipes.policy.english.clauses import bare
from retouch.recipes.policy.language.strict_json import read_json
from retouch.recipes.policy.making.asking.source import waivers_in
from retouch.recipes.policy.making.assembly import clauses_in, outcomes
from retouch.recipes.policy.making.job import recipe

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Reply, Request
    from retouch.recipes.policy.making.judging.ledger import ClauseEntry

WAIVERS = "waivers.json"


def stored_waivers(folder: Path) -> list[dict[str, str]]:
    """Return the waivers that a run directory holds, none if there is no file of them.

    Raises:
        BadInput: the file cannot be used.
    """
    file = folder / WAIVERS
    return waivers_in(read_json(file), name=str(file)) if file.exists() else []


def clauses_of_run(folder: Path) -> tuple[ClauseEntry, ...]:
    """Return what became of each clause of a run, in the order of the text.

    Raises:
        BadInput: the directory is no run of a policy. BrokenFile: one of its files is damaged.
    """
    job, values = asyncio.run(read_values(recipe, folder))
    return clauses_in(job, outcomes(job, values))


def waive(folder: Path, clause: str, *, reason: str, who: str = "", today: date | None = None) -> RunResult:
    """Record that a clause may pass unenforced, check the run again, and return how it is then; no model is called.

    `clause` is the sentence, or the number of its line.

    Raises:
        BadInput: no clause is meant, or it needs no waiver.
    """
    if not reason.strip():
        raise BadInput("a waiver needs a reason", hint="Say with --reason why the clause may pass unenforced.")
    entries = clauses_of_run(folder)
    entry = next((one for one in entries if bare(one.clause.text) == bare(clause)), None)
    entry = entry or next((one for one in entries if str(one.clause.line) == clause and not one.is_settled), None)
    if entry is None:
        waiting = "; ".join(f"line {one.clause.line}: {one.clause.text}" for one in entries if not one.is_settled)
        raise BadInput(f"there is no clause {clause!r}", hint=f"These can be waived: {waiting or 'none'}.")
    if entry.status in {"enforced", "not_a_rule"}:
        raise BadInput(f"{entry.clause.text!r} needs no waiver", hint="See 'retouch policy clauses'.")
    kept = [one for one in stored_waivers(folder) if bare(one["clause"]) != bare(entry.clause.text)]
    when = (today or date.today()).isoformat()
    waivers = [*kept, {"clause": entry.clause.text, "reason": reason, "who": who, "when": when}]
    write_files(folder, {WAIVERS: json_text({"waivers": json.loads(json.dumps(waivers))})})
    return recheck(folder)


def recheck(folder: Path) -> RunResult:
    """Check a run with the waivers that its directory holds, write its files again, and return how it is."""

    async def checked() -> RunResult:
        job, _ = await read_values(recipe, folder)
        last = last_options(open_run(folder).history)
        job = replace(job, waivers=stored_waivers(folder))
        return await generate(recipe, job, folder, _NoModel(last.model), last.options)

    return asyncio.run(checked())


class _NoModel:
    """Answers nothing; it has the name of the run's own model, so that the run can be resumed with that."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def __call__(self, request: Request, **_: object) -> Reply:
        """Refuse the request.

        Raises:
            BadInput: always.
        """
        hint = "Give the 'retouch generate policy' command again: it asks for what is missing."
        raise BadInput(f"{request.prompt.unit!r} has no answer yet", hint=hint)

"""Reads the clauses of a run directory, and records the user's waivers."""

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


def stored_waivers(directory: Path) -> list[dict[str, str]]:
    """Return the waivers in a run directory. Empty if there is no file of waivers.

    Raises:
        BadInput: the file cannot be used.
    """
    file = directory / WAIVERS
    return waivers_in(read_json(file), name=str(file)) if file.exists() else []


def clauses_of_run(directory: Path) -> tuple[ClauseEntry, ...]:
    """Return the status of each clause of a run, in the order of the text.

    Raises:
        BadInput: the directory is not a run of the policy recipe.
        BrokenFile: one of its files is damaged.
    """
    job, values = asyncio.run(read_values(recipe, directory))
    return clauses_in(job, outcomes(job, values))


def waive(directory: Path, clause: str, *, reason: str, who: str = "", today: date | None = None) -> RunResult:
    """Record that a clause may pass without a rule, check the run again, and return the result. No model is called.

    `clause` is the sentence, or its line number.

    Raises:
        BadInput: there is no such clause, or it needs no waiver.
    """
    if not reason.strip():
        raise BadInput(
            "a waiver needs a reason", hint="Use --reason to explain why the clause may pass without a rule."
        )
    entry = unsettled_clause(directory, clause)
    if entry.status in {"enforced", "not_a_rule"}:
        raise BadInput(f"{entry.clause.text!r} needs no waiver", hint="See 'retouch policy clauses'.")
    kept = [one for one in stored_waivers(directory) if bare(one["clause"]) != bare(entry.clause.text)]
    when = (today or date.today()).isoformat()
    waivers = [*kept, {"clause": entry.clause.text, "reason": reason, "who": who, "when": when}]
    write_files(directory, {WAIVERS: json_text({"waivers": json.loads(json.dumps(waivers))})})
    return recheck(directory)


def unsettled_clause(directory: Path, clause: str) -> ClauseEntry:
    """Return a clause of a run by its text, or one that is not settled by its line number.

    Raises:
        BadInput: there is no such clause.
    """
    entries = clauses_of_run(directory)
    entry = next((one for one in entries if bare(one.clause.text) == bare(clause)), None)
    entry = entry or next((one for one in entries if str(one.clause.line) == clause and not one.is_settled), None)
    if entry is None:
        waiting = "; ".join(f"line {one.clause.line}: {one.clause.text}" for one in entries if not one.is_settled)
        raise BadInput(f"there is no clause {clause!r}", hint=f"Clauses that are not enforced: {waiting or 'none'}.")
    return entry


def recheck(directory: Path) -> RunResult:
    """Check a run with the waivers in its directory, write its files again, and return the result."""

    async def checked() -> RunResult:
        job, _ = await read_values(recipe, directory)
        last = last_options(open_run(directory).history)
        job = replace(job, waivers=stored_waivers(directory))
        return await generate(recipe, job, directory, _NoModel(last.model), last.options)

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
        hint = "Run the 'retouch generate policy' command again to generate the missing answers."
        raise BadInput(f"{request.prompt.unit!r} has no answer yet", hint=hint)

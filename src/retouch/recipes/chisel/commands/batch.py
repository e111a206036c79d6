"""`retouch chisel batch`: repairs a list of bugs of one project, one after the other."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch._lib.locks import locked
from retouch.commands import (
    COLOURS,
    CommandRunner,
    Verb,
    check_options,
    counted,
    failure_of,
    is_strict,
    keeping,
    missing,
    model_options,
    planned,
    print_json,
    print_table,
    printable,
    put_back_originals,
    run_folder_option,
    take_back_killed,
)
from retouch.engine.tiers import STATUSES
from retouch.engine.types import Usage
from retouch.errors import BadInput, FolderBusy, RetouchError
from retouch.recipes.chisel.commands.arguments import TRIALS, ChiselArguments, refuse_offline
from retouch.recipes.chisel.commands.generate import proof_shown, record_trials
from retouch.recipes.chisel.commands.search_options import search_options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Model
    from retouch.recipes.chisel.bugs import Bug
    from retouch.recipes.chisel.source import FixJob

OUTCOMES = "outcomes.json"
FAILED, NOT_STARTED = "failed", "not started"
HEADS = ("bug", "status", "proof", "first candidate", "calls", "cost", "what")
_WORST_LAST = (*STATUSES[:-1], NOT_STARTED, FAILED, STATUSES[-1])


@click.command(cls=Verb)
@click.argument("bugs", metavar="BUGS", type=click.Path(exists=True, path_type=Path))
@search_options
@run_folder_option("output/chisel-<name of BUGS>")
@check_options
@model_options(None)
def command(bugs: Path, **given: Any) -> int:
    """Repair a list of bugs of one project, and print a table of the outcomes.

    \b
      retouch chisel batch bugs.jsonl --source src/main/scala --workspace . \\
        --compile "mill cpu.run" --lec "scripts/lec.sh" \\
        --model anthropic:claude-sonnet-4-5 --max-cost 20
      retouch chisel batch diffs --source src --compile make -o output --dry-run

    BUGS is a directory with *.diff or *.patch files, or a list in JSON lines, JSON or YAML. Each entry has "diff" (a
    path) or "unified_diff" (the text), and may have "id", "file" (the Verilog file), "rtl", "compile" and "lec".

    Every bug gets its own run directory in DIR, as 'retouch generate chisel' makes it. The bugs are repaired one after
    the other, each on the unchanged workspace; nothing is written into it. DIR/outcomes.json has the table after each
    bug. The same command goes on where it stopped: finished runs are not made again. --max-cost is the limit of all
    bugs together. If it is reached, the remaining bugs are not started. Only one batch works in a directory at a time.

    Calls, tokens and cost are those of the whole runs, earlier commands included.

    With --json: {"bugs": [{"bug", "proof", "candidates", ...the keys of 'retouch generate chisel --json'}], "status",
    "calls", "tokens", "cost"}.
    """
    from retouch.recipes.chisel.bugs import read_bugs

    given["output"] = given["output"] or Path("output") / f"chisel-{bugs.resolve().stem}"
    arguments = BatchArguments(diff=bugs, **given)
    found = read_bugs(bugs)
    _refuse_names_of_files(found)
    refuse_offline(arguments)
    if arguments.dry_run:
        return _show_plans(arguments, found)
    take_back_killed(arguments.root)
    table = OutcomeTable(arguments.parent, found)
    hint = "Run the same command again. Bugs that are done are not repaired again."
    arguments.parent.mkdir(parents=True, exist_ok=True)
    with keeping(arguments.parent, hint=hint), _only_writer(arguments.parent, wait=arguments.wait):
        _repair_all(arguments, found, table)
    return table.show(as_json=arguments.as_json)


def _only_writer(directory: Path, *, wait: bool) -> AbstractContextManager[None]:
    """Lock the directory of the runs, so that two batches cannot spend the same cost limit."""
    from retouch.engine.ledger import LOCK

    hint = "Wait for it to end, add --wait, or choose another directory with -o."
    busy = FolderBusy(f"another batch works in {str(directory)!r}", hint=hint)
    return locked(directory / LOCK, busy, wait_s=-1 if wait else 0)


def _refuse_names_of_files(bugs: Sequence[Bug]) -> None:
    """Check that no bug's directory has the name of a file of the batch.

    Raises:
        BadInput: a bug is called like the table or the ledger of trials.
    """
    for bug in bugs:
        if bug.name.casefold() in {OUTCOMES, TRIALS}:
            raise BadInput(f"{bug.name!r} is the name of a file of the batch", hint='Give this bug another "id".')


@dataclass(frozen=True, kw_only=True)
class BatchArguments(ChiselArguments):
    """The arguments of the command. `output` is the directory of all runs."""

    @property
    def parent(self) -> Path:
        """The directory of the runs."""
        return self.output or Path("output")

    def for_bug(self, bug: Bug) -> ChiselArguments:
        """Return the arguments of the run of one bug."""
        given: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(ChiselArguments)}
        own = {"rtl": bug.rtl, "compile": bug.compile, "lec": bug.lec}
        given |= {key: value for key, value in own.items() if value is not None}
        folder = self.parent / bug.name
        trials = self.trials or self.parent / TRIALS
        given |= {"given_text": bug.text, "output": folder, "trials": trials}
        return ChiselArguments(**given)


@dataclass(frozen=True, kw_only=True)
class BugOutcome:
    """The outcome of one bug: the result of its run, or the error that prevented it."""

    bug: str
    result: RunResult | None = None
    proof: str = ""
    candidates: tuple[str, ...] = ()
    status: str = FAILED
    error: str = ""
    hint: str = ""
    error_status: int = 0

    @property
    def exit_status(self) -> int:
        """The exit status of this bug's own run."""
        return self.result.exit_status if self.result is not None else self.error_status

    @property
    def what(self) -> str:
        """The first error of the run, or why it is not verified, in one line."""
        if self.result is None:
            return self.error.partition("\n")[0]
        errors = [issue for issue in self.result.issues if issue.is_error]
        return f"[{errors[0].code}] {errors[0].message}".partition("\n")[0] if errors else self.result.reason

    def as_json(self) -> dict[str, Any]:
        """Return the keys of the run's result, and those of the bug."""
        own: dict[str, Any] = {"bug": self.bug, "proof": self.proof, "candidates": list(self.candidates)}
        if self.result is not None:
            return {**own, **self.result.as_json()}
        error = {"message": self.error, "hint": self.hint}
        zero: dict[str, Any] = {"run": None, **dict.fromkeys(("tiers", "issues", "files", "notes"), ())}
        zero |= dict.fromkeys(("calls", "tokens", "input_tokens", "output_tokens", "cached_tokens"), 0)
        return {**own, **zero, "status": self.status, "cost": 0.0, "error": error}


class OutcomeTable:
    """The outcomes of a list of bugs, which are saved to a file after each of them."""

    def __init__(self, folder: Path, bugs: Sequence[Bug]) -> None:
        self._folder = folder
        self._found = {bug.name: BugOutcome(bug=bug.name, status=NOT_STARTED) for bug in bugs}

    def add(self, outcome: BugOutcome) -> None:
        """Note one outcome."""
        from retouch._lib.disk import write_files
        from retouch._lib.json_text import json_text

        self._found[outcome.bug] = outcome
        write_files(self._folder, {OUTCOMES: json_text(self.as_json())})

    @property
    def status(self) -> str:
        """The worst status of all bugs."""
        states = [one.result.status if one.result is not None else one.status for one in self._found.values()]
        return max(states, key=_WORST_LAST.index)

    def as_json(self) -> dict[str, Any]:
        """Return the table as plain data."""
        bugs = [one.as_json() for one in self._found.values()]
        usage = self._usage
        return {"bugs": bugs, "status": self.status, "calls": usage.calls, "tokens": usage.tokens, "cost": usage.cost}

    @property
    def _usage(self) -> Usage:
        return sum((one.result.usage for one in self._found.values() if one.result is not None), Usage())

    def show(self, *, as_json: bool) -> int:
        """Print the table, and return the highest exit status of the bugs."""
        outcomes = list(self._found.values())
        unverified = is_strict() and self.status == "unverified"
        status = max((one.exit_status for one in outcomes), default=0) or int(unverified)
        if as_json:
            print_json(self.as_json())
            return status
        counts = Counter(one.result.status if one.result is not None else one.status for one in outcomes)
        click.secho(self.status, fg=COLOURS.get(self.status, "red"), bold=True, nl=False)
        parts = ", ".join(f"{counts[one]} {one}" for one in _WORST_LAST if counts[one])
        usage = self._usage
        click.echo(f"  {counted(len(outcomes), 'bug')}: {parts}; {counted(usage.calls, 'call')}, {usage.spent}")
        print_table(HEADS, [_row(one) for one in outcomes])
        click.echo(printable(f"  each in its own directory in {self._folder}; the table is in {OUTCOMES} there"))
        return status


def _row(outcome: BugOutcome) -> Sequence[object]:
    result = outcome.result
    first = outcome.candidates[0].rpartition("::")[2] if outcome.candidates else ""
    if result is None:
        return [outcome.bug, outcome.status, "", first, 0, "", outcome.what]
    return [outcome.bug, result.status, outcome.proof, first, result.calls, result.usage.price, outcome.what]


class _Budget:
    """Notices that a request was refused because of the limit of cost."""

    def __init__(self) -> None:
        self.is_used_up = False

    def noticing(self, model: Model) -> Model:
        """Return `model`, watched."""
        from retouch.models.named import noticing_limit

        return noticing_limit(model, self._note)

    def _note(self) -> None:
        self.is_used_up = True


def _repair_all(arguments: BatchArguments, bugs: Sequence[Bug], table: OutcomeTable) -> None:
    """Repair the bugs in turn. Stop if the limit of cost is reached, or the unchanged project does not compile."""
    from retouch.recipes.chisel import recipe

    arguments.count_earlier(arguments.parent / bug.name for bug in bugs)
    budget, broken = _Budget(), dict[str, BugOutcome]()
    opened, fallback = arguments.models(recipe)
    model, fallback = budget.noticing(opened), tuple(map(budget.noticing, fallback))
    for number, bug in enumerate(bugs, 1):
        if not arguments.silent:
            click.echo(printable(f"{number} of {len(bugs)}: {bug.name}"), err=True)
        own = arguments.for_bug(bug)
        if budget.is_used_up:
            why = "the limit of cost is reached"
            outcome = BugOutcome(bug=bug.name, status=NOT_STARTED, error=why, hint="Raise --max-cost.", error_status=3)
        elif own.compile in broken:  # the project is the same for all bugs
            outcome = replace(broken[own.compile], bug=bug.name)
        else:
            outcome = _outcome(own, bug, model, fallback)
        if outcome.error.startswith("the compile command cannot judge"):
            broken[own.compile] = outcome
        table.add(outcome)


def _outcome(own: ChiselArguments, bug: Bug, model: Model, fallback: tuple[Model, ...]) -> BugOutcome:
    from retouch.engine.directory import open_run
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel import recipe

    candidates: tuple[str, ...] = ()
    try:
        job = own.job(TrialLedger(own.trials_path))
        candidates = tuple(suspect.module_id for suspect in job.suspects)
        runner = CommandRunner(
            recipe=recipe,
            source=job,
            folder=own.folder,
            model=model,
            options=own.run_options(recipe, fallback=fallback),
            silent=own.silent,
            as_json=own.as_json,
        )
        put_back_originals(runner)
        try:
            result = runner.generated()
        finally:
            record_trials(runner)
        attempts = open_run(own.folder).history.attempts.values()
        result = replace(result, usage=Usage.of_attempts(attempts))  # of the whole run, not of this command
        return BugOutcome(bug=bug.name, result=result, proof="".join(proof_shown(runner)), candidates=candidates)
    except RetouchError as error:
        found = failure_of(error)
        status = "exhausted" if found.status == 3 else FAILED
        return BugOutcome(
            bug=bug.name,
            status=status,
            error=found.message,
            hint=found.hint,
            candidates=candidates,
            error_status=found.status,
        )


def _show_plans(arguments: BatchArguments, bugs: Sequence[Bug]) -> int:
    """Print the first prompt of each bug, and return the exit status. Nothing is sent or written."""
    from retouch.locate.trials import TrialLedger
    from retouch.recipes.chisel import recipe

    rows: list[dict[str, Any]] = []
    status = 0
    for bug in bugs:
        own = arguments.for_bug(bug)
        try:
            job: FixJob = own.job(TrialLedger(own.trials_path))
            left = missing(own.folder, list(recipe.plan(job)))
            plan = planned(own.folder, left, recipe, arguments.model_spec(), source=job)
        except RetouchError as error:
            status = max(status, error.exit_status)
            rows.append({"bug": bug.name, "calls": 0, "input_tokens": 0, "candidates": [], "error": error.message})
            continue
        names = [suspect.module_id for suspect in job.suspects]
        rows.append({"bug": bug.name, "calls": plan.calls, "input_tokens": plan.tokens, "candidates": names})
    if arguments.as_json:
        print_json({"bugs": rows})
        return status
    shown = [
        [row["bug"], row["calls"], row["input_tokens"], (row["candidates"] or [""])[0], row.get("error", "")]
        for row in rows
    ]
    print_table(["bug", "first calls", "input tokens, about", "first candidate", "what"], shown)
    return status

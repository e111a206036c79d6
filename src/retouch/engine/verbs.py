"""The verbs: generate, regenerate, compare, repaginate, validate, adopt, assemble. One loop serves all.

Each opens the run directory, builds a `Round` over its units, decides which calls to make, and publishes the result.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.batches import WORKERS, request_batch, with_left_replies
from retouch.engine.compare import compare_answers
from retouch.engine.directory import (
    IR,
    PROMPTS,
    USER,
    clean_source,
    expect_pages_version,
    expect_prompts,
    import_answers,
    load_ir,
    load_pages,
    load_prompts,
    open_run,
    save_plan,
    stored_prompts,
    with_shared_texts,
)
from retouch.engine.events import WHOLE_UNIT, RoundStarted, StoredAnswer
from retouch.engine.files import (
    assembled_files,
    changed_files,
    current_values,
    disk_issues,
    find_manual_edits,
    has_other_files,
    outdated_issues,
    publish,
    record_imported_files,
    refuse_foreign_files,
    refuse_manual_edits,
    refuse_unusable_files,
    write_json_files,
)
from retouch.engine.options import DEFAULT_OPTIONS, RunOptions
from retouch.engine.overview import DiskCheck, outcomes_on_disk, rejected_notes, run_result
from retouch.engine.planned_calls import with_unchecked_reply
from retouch.engine.recipe import grouped, guarded
from retouch.engine.record import record_options, recording, scratch_record
from retouch.engine.round import Round
from retouch.engine.stored_files import PAGES, damage_issues, refuse_changed
from retouch.engine.targets import (
    Targets,
    answered_units,
    changed_units,
    issues_to_correct,
    missing_calls,
    older_notes,
    refuse_stale,
    regeneration_calls,
    reopened_units,
    target_pages,
)
from retouch.engine.tiers import TIERS
from retouch.errors import BadInput, DamagedRun

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.compare import Comparison
    from retouch.engine.directory import Ir
    from retouch.engine.files import ManualEdits
    from retouch.engine.overview import RunResult
    from retouch.engine.planned_calls import PlannedCall
    from retouch.engine.recipe import Recipe, Unread
    from retouch.engine.record import Record
    from retouch.engine.types import Issue, Model, Prompt

S = TypeVar("S")
V = TypeVar("V")

EVERYTHING = Targets()


async def generate(
    recipe: Recipe[S, V], source: S, directory: Path, model: Model, options: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Call every page without an answer to its current prompt, repair if necessary, and return the run.

    If you run it again, for example after a crash or a change of the source, it only calls missing pages.

    Raises:
        ModelError: the model cannot answer at all. Earlier replies are kept.
        EditedByHand: a block that would be replaced has a manual edit; FolderBusy: another process writes; BrokenFile.
    """
    recipe = guarded(recipe)
    source = clean_source(recipe, source)
    async with recording(directory, wait=options.wait) as record:
        prompts, changed = _plan(recipe, source, directory, record, keep_answered=options.ignore_stale)
        if (directory / WORKERS).is_dir():  # processes have requested replies for this run
            model, options = with_left_replies(model, options, record.history, directory, prompts)
        imported = import_answers(record, directory, prompts)
        if record.history.budget is None or changed:
            units = reopened_units(recipe, source, changed, (one.unit for one in prompts)) if changed else ()
            _start_round(record, recipe, options, verb="generate", units=units)
        work = Round(recipe, source, prompts, record, options)
        if imported:
            record_imported_files(work, directory)
        async with _prepared_calls(work, directory, missing_calls(work, model), model) as calls:
            if calls is not None:
                await work.settle(calls, model, partial(write_json_files, work, directory))
        return await _publish_result(work, directory, calls)


async def regenerate(
    recipe: Recipe[S, V],
    directory: Path,
    model: Model,
    targets: Targets = EVERYTHING,
    *,
    hint: str = "",
    options: RunOptions = DEFAULT_OPTIONS,
) -> RunResult:
    """Call the target pages again from their stored prompts, and return the run. `prompts.json` is unchanged.

    An answer replaces the current one only if it is no worse. `hint` goes into the corrections of this round.

    Raises:
        StaleRun: the prompts belong to an older source than `ir.json` holds.
        UnknownName: a unit or page does not exist.
        EditedByHand: a target has a manual edit on disk.
    """
    async with _open_round(recipe, directory, options, calling=targets) as (work, ir):
        keys = target_pages(targets, work.prompts, ir.validation)
        names = sorted({name for name, _ in keys})
        _start_round(work.record, work.recipe, options, verb="regenerate", units=names, hint=hint)
        work.reopen(names)
        issues = issues_to_correct(targets, ir.validation, names)
        async with _prepared_calls(work, directory, regeneration_calls(work, keys, issues, model), model) as calls:
            if calls is not None:
                await work.settle(calls, model, partial(write_json_files, work, directory))
        result = await _publish_result(work, directory, calls)
        named = (*targets.units, *targets.pages)
        older = older_notes(changed_units(recipe.plan(ir.source), work.prompts) if named else ())
        return replace(result, notes=(*result.notes, *older, *rejected_notes(work, names)))


async def compare(
    recipe: Recipe[S, V],
    directory: Path,
    model: Model,
    targets: Targets = EVERYTHING,
    *,
    adopt_better: bool = False,
    options: RunOptions = DEFAULT_OPTIONS,
) -> tuple[RunResult, list[Comparison]]:
    """Return the run, and per unit a comparison of its current answer with `model`'s answer to the same prompts.

    The answers are stored in the ledger and reused by the next comparison with the same model. The current answers only
    change if `adopt_better` is set: then the better of each pair becomes current.

    Raises:
        StaleRun: the prompts belong to an older source than `ir.json` holds.
        UnknownName: a unit or page does not exist.
        EditedByHand: a block that would be replaced has a manual edit on disk.
        ModelError: the model cannot answer at all. Earlier replies are kept.
    """
    async with _open_round(recipe, directory, options, calling=targets) as (work, ir):
        if adopt_better and not options.force:
            refuse_unusable_files(work, directory)
            refuse_manual_edits(find_manual_edits(directory, work.recipe, work.history), work.units, directory)
        keys = target_pages(targets, work.prompts, ir.validation)
        comparisons = await compare_answers(work, keys, model, adopt_better=adopt_better)
        if adopt_better:
            await work.check()
            return await _result(work, directory, *publish(work, directory, force=options.force)), comparisons
        _judge_edits(work, directory)
        await work.check()
        disk = DiskCheck(issues=_issues_on_disk(work, directory))
        return run_result(work, directory, disk=disk), comparisons


async def repaginate(
    recipe: Recipe[S, V], directory: Path, unit: str, model: Model, *, options: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Plan one unit in smaller pages, call them, and return the run. The only verb that changes a unit's prompts.

    Raises:
        BadInput: the recipe cannot make this unit's pages smaller.
    """
    recipe = guarded(recipe)
    refuse_changed(directory, open_run(directory).changed)
    ir = load_ir(directory, recipe)
    target_pages(Targets(units=(unit,)), load_prompts(directory), {})
    smaller = recipe.smaller(ir.source, unit) if recipe.smaller is not None else ir.source
    if smaller == ir.source:
        raise BadInput(f"the pages of {unit!r} cannot be made smaller", hint="Regenerate it with another model.")
    return await generate(recipe, smaller, directory, model, options)


async def validate(
    recipe: Recipe[S, V], directory: Path, *, write: bool = True, options: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Check the run as it is on disk, including manual edits, without calls, and return the issues.

    With `write`, the summary in `ir.json` is updated. Without it, or if the ledger is damaged, nothing is changed.

    Raises:
        DamagedRun: the source or the prompts differ from the run's version.
    """
    try:
        return await _validated(recipe, directory, options, write=write)
    except DamagedRun:
        if not write:
            raise
        return await _validated(recipe, directory, options, write=False)


async def _validated(recipe: Recipe[S, V], directory: Path, options: RunOptions, *, write: bool) -> RunResult:
    async with _open_round(recipe, directory, options, write=write) as (work, _):
        found = _judge_edits(work, directory)
        await work.check()
        if write:
            write_json_files(work, directory)
        notes = [f"{name!r} has a manual edit, which was checked as it is on disk" for name in found]
        changed = work.record.changed
        if write and PAGES in changed:
            notes.append(f"{PAGES} was changed, and was rebuilt from the ledger")
        damage = damage_issues(directory, work.history.damage, () if write else changed)
        disk = _record_tiers(work, directory)
        disk = replace(disk, issues=[*damage, *disk.issues])
        return run_result(work, directory, notes=notes, disk=disk)


async def adopt(
    recipe: Recipe[S, V], directory: Path, *, units: Sequence[str] = (), options: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Make the user's manual edits the answers of their units (all if no names), and return the run.

    Raises:
        BadInput: there is no manual edit, or a named unit has none.
    """
    async with _open_round(recipe, directory, options) as (work, _):
        edits = find_manual_edits(directory, work.recipe, work.history)
        found = _adopted_texts(work, edits)
        adopted = _expect_edits(found, units, directory, edits.files)
        for name in adopted:
            unit = work.units[name]
            unit.adopt(work.judge.read(name, (found[name],)))
            answer = StoredAnswer(text=found[name], attempt=None, prompt_hash="", by=USER)
            work.record.append(unit.settled(answers={WHOLE_UNIT: answer}))
        await work.check()
        return await _result(work, directory, *publish(work, directory, overwrite=adopted))


async def assemble(recipe: Recipe[S, V], directory: Path, *, options: RunOptions = DEFAULT_OPTIONS) -> RunResult:
    """Rebuild the run's files from the current answers, check them again, and return the run.

    `options.force` overwrites manual edits.

    Raises:
        EditedByHand: a manual edit would be lost.
    """
    async with _open_round(recipe, directory, options) as (work, _):
        if not options.force:
            refuse_manual_edits(find_manual_edits(directory, work.recipe, work.history), work.units, directory)
        await work.check()
        return await _result(work, directory, *publish(work, directory, force=options.force, restore=True))


async def read_values(recipe: Recipe[S, V], directory: Path) -> tuple[S, Mapping[str, V | Unread]]:
    """Return a run's source and the values of each unit's current answers, without locks or changes."""
    async with _open_round(recipe, directory, DEFAULT_OPTIONS, write=False) as (work, ir):
        return ir.source, current_values(work)


def _plan(
    recipe: Recipe[S, V], source: S, directory: Path, record: Record, *, keep_answered: bool
) -> tuple[list[Prompt], list[str]]:
    """Write the plan to disk. Return its prompts, and the units that it changes.

    With `keep_answered`, a unit keeps its stored prompts if every page has an answer to them.
    """
    expect_pages_version(directory)
    ir = load_ir(directory, recipe) if (directory / IR).exists() else None
    planned, texts = [*recipe.plan(source)], record.history.texts
    if texts:
        planned = [with_shared_texts(prompt, texts) for prompt in planned]
    kept: dict[str, list[Prompt]] = {}
    changed: list[str] = []
    stored: tuple[Prompt, ...] = ()
    if (directory / PROMPTS).exists():
        stored = stored_prompts(directory, planned, record.history)
        if keep_answered:
            kept = answered_units(stored, record.history)
        changed = [name for name in changed_units(planned, stored) if name not in kept]
    prompts: list[Prompt] = []
    for prompt in planned:
        if prompt.unit not in kept:
            prompts.append(prompt)
        elif prompt.page == 1:
            prompts += kept[prompt.unit]
    grouped(prompts)  # refuse an invalid plan before it is on disk
    save_plan(record, directory, recipe, source, prompts, before=(ir, stored))
    return prompts, changed


@asynccontextmanager
async def _open_round(
    recipe: Recipe[S, V], directory: Path, options: RunOptions, *, write: bool = True, calling: Targets | None = None
) -> AsyncGenerator[tuple[Round[S, V], Ir[S]]]:
    """Yield the round of a stored run. The prompts of the units that `calling` selects must not be stale."""
    recipe = guarded(recipe)
    expect_pages_version(directory)
    load_ir(directory, recipe)  # locking must not turn another directory into a run directory
    async with AsyncExitStack() as stack:
        recorded = recording(directory, wait=options.wait)
        record = await stack.enter_async_context(recorded) if write else scratch_record(directory)
        ir, prompts = load_ir(directory, recipe), load_prompts(directory, record.history.texts)
        refuse_changed(directory, record.changed)  # the checks would trust them, and the next write would hide it
        if calling is not None and not options.ignore_stale:
            made_from = (load_pages(directory, whole=False) or {}).get("ir_hash")
            named = {*calling.units, *calling.pages}
            refuse_stale(recipe, ir.source, prompts, hashes=(ir.hash, made_from), units=named)
        expect_prompts(directory, prompts, record.history)
        imported = import_answers(record, directory, prompts)
        work = Round(recipe, ir.source, prompts, record, options)
        if imported:
            record_imported_files(work, directory)
        yield work, ir


def _start_round(
    record: Record, recipe: Recipe[Any, Any], options: RunOptions, *, verb: str, units: Sequence[str], hint: str = ""
) -> None:
    budget = options.budget or recipe.budget
    grows = options.budget is None
    record.append(RoundStarted(verb=verb, units=tuple(units), hint=hint, budget=budget, grows=grows))


@asynccontextmanager
async def _prepared_calls(
    work: Round[S, V], directory: Path, calls: Sequence[PlannedCall], model: Model
) -> AsyncGenerator[Sequence[PlannedCall] | None]:
    """Yield the calls for the loop, with the replies of their batch, or None while it is pending.

    On an error, JSON files are still written.
    """
    options, batching = work.options, work.options.batching
    record_options(work.record, options, model)
    if not options.force:
        if work.history.written or work.history.writing:
            edits = find_manual_edits(directory, work.recipe, work.history)
            refuse_manual_edits(edits, {call.prompt.unit for call in calls}, directory)
            if calls:
                refuse_unusable_files(work, directory)
        if not work.history.written and has_other_files(directory):
            refuse_foreign_files(directory, dict.fromkeys(assembled_files(work), ""), work.history)
    if calls and work.recipe.preflight is not None:
        await work.recipe.preflight(work.source, options)
    try:
        with work.queue.as_current_run():
            if batching is None:
                yield calls
            elif await request_batch(work.record, options, calls, batching, partial(work.tell, "batch", "", 0)):
                yield None
            else:
                yield [with_unchecked_reply(call, work.history) for call in calls]
    except BaseException:
        write_json_files(work, directory)
        raise


async def _publish_result(work: Round[S, V], directory: Path, calls: Sequence[PlannedCall] | None) -> RunResult:
    """Return the result after the loop has ended, or while a batch is pending (`calls` is None)."""
    if calls is None:
        write_json_files(work, directory)
        return run_result(work, directory)
    force = work.options.force
    overwrite = {call.prompt.unit for call in calls} if force else ()
    files, notes = publish(work, directory, force=force, overwrite=overwrite)
    work.tell("done")
    return await _result(work, directory, files, notes)


async def _result(work: Round[S, V], directory: Path, files: Sequence[str], notes: Sequence[str]) -> RunResult:
    """Return the result with the files as they are on disk: manual edits that were kept are checked too."""
    if _judge_edits(work, directory):
        await work.check()
        write_json_files(work, directory)
    disk = _record_tiers(work, directory)
    return run_result(work, directory, files=files, notes=notes, disk=disk)


def _judge_edits(work: Round[S, V], directory: Path) -> list[str]:
    """Read the manual edits on disk in place of their units' answers, for the next check. Return the units."""
    found = _adopted_texts(work, find_manual_edits(directory, work.recipe, work.history))
    for name, text in found.items():
        work.units[name].judge_as(work.judge.read(name, (text,)))
    return list(found)


def _record_tiers(work: Round[S, V], directory: Path) -> DiskCheck:
    """Record the outcomes of all tiers if they changed. Return them, and the files that differ from their record."""
    disk = _issues_on_disk(work, directory)
    found = outcomes_on_disk(work, directory, disk)
    outcomes: dict[str, JSON] = {
        unit: {name: one.to_json() for name, one in of_unit.items()} for unit, of_unit in found.items()
    }
    edited: dict[str, JSON] = {**changed_files(directory, work.history)}
    if (work.history.outcomes, work.history.edited) != (outcomes, edited):
        work.record.note(TIERS, {"units": outcomes, "edited": edited} if edited else {"units": outcomes})
    return DiskCheck(issues=disk, outcomes=found)


def _issues_on_disk(work: Round[S, V], directory: Path) -> list[Issue]:
    changed = disk_issues(directory, work.recipe, work.history)
    return [*changed, *outdated_issues(work.recipe, work.source, directory)]


def _adopted_texts(work: Round[S, V], edits: ManualEdits) -> dict[str, str]:
    """Return the answers from manual edits on disk, by unit."""
    known = {name: text for name, text in edits.units.items() if name in work.units}
    return {name: work.recipe.adopted(work.source, name, text) for name, text in known.items()}


def _expect_edits(found: Mapping[str, str], units: Sequence[str], directory: Path, files: Sequence[str]) -> list[str]:
    """Return the units to adopt."""
    strange = [unit for unit in units if unit not in found]
    if strange or not found:
        what = f"{', '.join(map(repr, strange))} was not edited" if strange else "no block was edited by hand"
        outside = f"; {', '.join(files)} was, outside the blocks of its units" if files else ""
        known = f"; edited are: {', '.join(found)}" if found else outside
        raise BadInput(f"{what} in {str(directory)!r}{known}", hint="Edit a block between its markers, then adopt it.")
    return list(units or found)

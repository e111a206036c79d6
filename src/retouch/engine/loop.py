"""The verbs: generate, regenerate, validate, adopt, assemble. One loop serves all; only its targets differ."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.batches import first_answers
from retouch.engine.calls import taken_up
from retouch.engine.compare import alternatives
from retouch.engine.directory import (
    check_folder,
    clean_source,
    import_answers,
    load_ir,
    load_pages,
    load_prompts,
    remember_files,
    save_plan,
    sharing,
    stored_prompts,
)
from retouch.engine.events import note_settled
from retouch.engine.files import (
    assembled,
    find_manual_edits,
    publish,
    publish_views,
    refuse_foreign_files,
    refuse_manual_edits,
    standing_values,
)
from retouch.engine.history import WHOLE_UNIT, Answer
from retouch.engine.options import DEFAULT_OPTIONS, RunOptions
from retouch.engine.overview import rejected_answers, run_result
from retouch.engine.recipe import grouped
from retouch.engine.record import note_options, recording, scratch
from retouch.engine.round import Round
from retouch.engine.targets import Targets, again, changed_units, chosen, complaints, missing, refuse_stale, reopened
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.calls import PlannedCall
    from retouch.engine.compare import Comparison
    from retouch.engine.directory import Ir
    from retouch.engine.files import ManualEdits
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe, Unread
    from retouch.engine.record import Record
    from retouch.engine.types import Model

S = TypeVar("S")
V = TypeVar("V")


EVERYTHING = Targets()


async def generate(
    recipe: Recipe[S, V], source: S, folder: Path, model: Model, way: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Return the run after every page without an answer to its present prompt was asked, and repaired if need be.

    Called again it asks only for what is missing: after a crash, or for the prompts that a changed source changed.

    Raises:
        ModelError: the model cannot answer at all; what arrived is kept.
        EditedByHand: a block that would be asked was find_manual_edits; FolderBusy: somebody else writes; BrokenFile.
    """
    source = clean_source(recipe, source)
    async with recording(folder, wait=way.wait) as record:
        check_folder(folder, recipe)
        texts = record.history.texts
        stored = stored_prompts(folder, texts)
        changed = changed_units(recipe, source, stored) if stored is not None else []
        del stored  # a long run would hold all of it twice
        prompts = [sharing(prompt, texts) for prompt in recipe.plan(source)]
        grouped(prompts)  # a plan that is wrong is refused before it is on disk
        save_plan(folder, recipe, source, prompts)
        taken = import_answers(record, folder, prompts)
        if record.history.budget is None or changed:
            units = reopened(recipe, source, changed, (prompt.type_name for prompt in prompts))
            _begin_round(record, recipe, way, verb="generate", units=units)
        work = Round(recipe, source, prompts, record, options=way.options, watch=way.watch)
        if taken:
            remember_files(work, folder)
        return await _settle(work, folder, missing(work, model), model, way)


async def regenerate(
    recipe: Recipe[S, V],
    folder: Path,
    model: Model,
    targets: Targets = EVERYTHING,
    *,
    hint: str = "",
    way: RunOptions = DEFAULT_OPTIONS,
) -> RunResult:
    """Return the run after the target pages were asked again from their stored prompts; `prompts.json` stays as it is.

    An answer replaces the one before it only when it is no worse. `hint` goes into the corrections of this round.

    Raises:
        StaleRun: the prompts belong to an older source than `ir.json` holds.
        UnknownName: a unit or page is not there.
        EditedByHand: a target was find_manual_edits on disk.
    """
    async with _opened(recipe, folder, way) as (work, ir):
        _refuse_stale(work, folder, ir, way)
        keys = chosen(targets, work.prompts, ir.validation)
        names = sorted({name for name, _ in keys})
        _begin_round(work.record, recipe, way, verb="regenerate", units=names, hint=hint)
        work.reopen(names)
        told = complaints(targets, ir.validation, names)
        asks = again(work, keys, told, model, way.fallback)
        result = await _settle(work, folder, asks, model, way)
        return replace(result, notes=(*result.notes, *rejected_answers(work, names)))


async def compare(
    recipe: Recipe[S, V],
    folder: Path,
    model: Model,
    targets: Targets = EVERYTHING,
    *,
    adopt_better: bool = False,
    way: RunOptions = DEFAULT_OPTIONS,
) -> tuple[RunResult, list[Comparison]]:
    """Return the run, and per unit what stands beside what `model` answers to the same stored prompts.

    The answers are kept in the ledger, and used again by the next comparison with the same model; what stands stays,
    unless `adopt_better` lets the better of each stand.

    Raises:
        StaleRun: the prompts belong to an older source than `ir.json` holds.
        UnknownName: a unit or page is not there.
        EditedByHand: a block that would be replaced was find_manual_edits on disk.
        ModelError: the model cannot answer at all; what arrived is kept.
    """
    async with _opened(recipe, folder, way) as (work, ir):
        _refuse_stale(work, folder, ir, way)
        if adopt_better and not way.force:
            refuse_manual_edits(find_manual_edits(folder, recipe, work.record.history), work.units, folder)
        keys = chosen(targets, work.prompts, ir.validation)
        comparisons = await alternatives(work, keys, model, adopt_better=adopt_better)
        await work.check()
        if not adopt_better:
            return run_result(work, folder), comparisons
        files, notes = publish(work, folder, force=way.force)
        return run_result(work, folder, files=files, notes=notes), comparisons


async def repaginate(
    recipe: Recipe[S, V], folder: Path, unit: str, model: Model, *, way: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Return the run after one unit was planned in smaller pages and asked for; the only verb that changes its prompts.

    Raises:
        BadInput: the recipe cannot make this unit's pages smaller.
    """
    ir = load_ir(folder, recipe)
    chosen(Targets(units=(unit,)), load_prompts(folder), {})
    smaller = recipe.smaller(ir.source, unit) if recipe.smaller is not None else ir.source
    if smaller == ir.source:
        raise BadInput(f"the pages of {unit!r} cannot be made smaller", hint="Regenerate it with another model.")
    return await generate(recipe, smaller, folder, model, way)


async def validate(
    recipe: Recipe[S, V], folder: Path, *, write: bool = True, way: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Return what is wrong with what is on disk now: a block find_manual_edits by hand is judged as it is. No call is made.

    With `write` the summary in `ir.json` is brought up to date; without, nothing is locked or changed.
    """
    async with _opened(recipe, folder, way, write=write) as (work, _):
        found = _by_hand(work, find_manual_edits(folder, recipe, work.record.history))
        for name in found.keys() & work.units.keys():
            work.units[name].reading = work.units[name].verdict = work.judge.read(name, (found[name],))
        await work.check()
        if write:
            publish_views(work, folder)
        notes = [f"{name!r} was find_manual_edits by hand and judged as it is on disk" for name in found]
        return run_result(work, folder, notes=notes)


async def adopt(
    recipe: Recipe[S, V], folder: Path, *, units: Sequence[str] = (), way: RunOptions = DEFAULT_OPTIONS
) -> RunResult:
    """Return the run after the blocks that a person find_manual_edits became the answers of their units; none named means all.

    Raises:
        BadInput: nothing was find_manual_edits, or a named unit was not.
    """
    async with _opened(recipe, folder, way) as (work, _):
        on_disk = find_manual_edits(folder, recipe, work.record.history)
        found = _by_hand(work, on_disk)
        adopted: list[str] = []
        for name in _to_adopt(found, units, folder, on_disk.files):
            unit = work.units[name]
            adopted.append(name)
            unit.state, unit.reading = "", work.judge.read(name, (found[name],))
            unit.verdict = unit.reading
            answer = Answer(text=found[name], attempt=None, prompt_hash="", by="person", at="")
            note_settled(work.record, unit, standing={WHOLE_UNIT: answer})
        await work.check()
        files, notes = publish(work, folder, overwrite=adopted)
        return run_result(work, folder, files=files, notes=notes)


async def read_values(recipe: Recipe[S, V], folder: Path) -> tuple[S, Mapping[str, V | Unread]]:
    """Return a run's source, and what each unit's standing answers are read as; nothing is locked or changed."""
    async with _opened(recipe, folder, DEFAULT_OPTIONS, write=False) as (work, ir):
        return ir.source, standing_values(work)


def _by_hand(work: Round[S, V], on_disk: ManualEdits) -> dict[str, str]:
    """Return the answers that a person's edits on disk amount to, by unit."""
    known = {name: text for name, text in on_disk.units.items() if name in work.units}
    return {name: work.recipe.adopted(work.source, name, text) for name, text in known.items()}


def _to_adopt(found: Mapping[str, str], units: Sequence[str], folder: Path, files: Sequence[str]) -> list[str]:
    strange = [unit for unit in units if unit not in found]
    if strange or not found:
        what = (
            f"{', '.join(map(repr, strange))} was not edited" if strange else "no block was find_manual_edits by hand"
        )
        outside = f"; {', '.join(files)} was, outside the blocks of its units" if files else ""
        known = f"; find_manual_edits are: {', '.join(found)}" if found else outside
        raise BadInput(f"{what} in {str(folder)!r}{known}", hint="Edit a block between its markers, then adopt it.")
    return list(units or found)


async def assemble(recipe: Recipe[S, V], folder: Path, *, way: RunOptions = DEFAULT_OPTIONS) -> RunResult:
    """Return the run after its files were made again from the answers that stand; `way.force` overwrites edits.

    Raises:
        EditedByHand: a block was find_manual_edits; it would be lost.
    """
    async with _opened(recipe, folder, way) as (work, _):
        if not way.force:
            refuse_manual_edits(find_manual_edits(folder, recipe, work.record.history), work.units, folder)
        for name, unit in work.units.items():
            settled = work.record.history.settled.get(name)
            if settled is not None and unit.verdict is not None:
                unit.verdict = replace(unit.verdict, issues=settled.issues)
        files, notes = publish(work, folder, force=way.force)
        return run_result(work, folder, files=files, notes=notes)


@asynccontextmanager
async def _opened(
    recipe: Recipe[S, V], folder: Path, way: RunOptions, *, write: bool = True
) -> AsyncGenerator[tuple[Round[S, V], Ir[S]]]:
    load_ir(folder, recipe)  # what is no run folder is not made one by its lock
    async with AsyncExitStack() as stack:
        record = await stack.enter_async_context(recording(folder, wait=way.wait)) if write else scratch(folder)
        ir, prompts = load_ir(folder, recipe), load_prompts(folder, record.history.texts)
        taken = import_answers(record, folder, prompts)
        work = Round(recipe, ir.source, prompts, record, options=way.options, watch=way.watch)
        if taken:
            remember_files(work, folder)
        yield work, ir


def _begin_round(
    record: Record, recipe: Recipe[Any, Any], way: RunOptions, *, verb: str, units: Sequence[str], hint: str = ""
) -> None:
    budget: dict[str, JSON] = dict(asdict(way.budget or recipe.budget))
    record.append("round", {"verb": verb, "units": list(units), "hint": hint, "budget": budget})


def _refuse_stale(work: Round[S, Any], folder: Path, ir: Ir[S], way: RunOptions) -> None:
    if not way.ignore_stale:
        made_from = (load_pages(folder, whole=False) or {}).get("ir_hash")
        refuse_stale(work.recipe, ir.source, work.prompts, hashes=(ir.hash, made_from))


async def _settle(
    work: Round[S, V], folder: Path, asks: Sequence[PlannedCall], model: Model, way: RunOptions
) -> RunResult:
    """Run the loop over `asks`; whatever ends it, what arrived is in the views."""
    note_options(work.record, way, model)
    history = work.record.history
    asked = {ask.prompt.type_name for ask in asks}
    if not way.force:
        refuse_manual_edits(find_manual_edits(folder, work.recipe, history), asked, folder)
        strange = dict.fromkeys(assembled(work), "") if not history.written else {}
        refuse_foreign_files(folder, strange, history)
    try:
        with work.calls.at_work():
            views = partial(publish_views, work, folder)
            if way.batching is not None:
                told = partial(work.tell, "batch", "", 0)
                if await first_answers(work.record, way.options, asks, way.batching, told):
                    views()
                    return run_result(work, folder)
                asks = [taken_up(ask, history) for ask in asks]
            await work.settle(asks, model=model, fallback=way.fallback, checkpoint=views)
    except BaseException:
        publish_views(work, folder)
        raise
    files, notes = publish(work, folder, force=way.force, overwrite=asked if way.force else ())
    work.tell("done")
    return run_result(work, folder, files=files, notes=notes)

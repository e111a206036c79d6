"""`retouch regenerate`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli import options
from retouch.cli.completion import complete_units
from retouch.cli.contributions import commands_of
from retouch.cli.outcome import keeping, show_result
from retouch.cli.output import print_json, print_table
from retouch.cli.overwriting import asking_to_overwrite
from retouch.cli.progress import watching
from retouch.cli.runner import ModelOptions, model_options
from retouch.cli.verb import Verb
from retouch.errors import BadInput, StaleRun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.compare import ComparedAnswer, Comparison
    from retouch.engine.directory import RunView
    from retouch.engine.options import RunOptions, Watch
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Recipe
    from retouch.engine.targets import Targets
    from retouch.engine.types import Model


@dataclass(frozen=True, kw_only=True)
class RegenerateArguments(ModelOptions):
    """The given arguments and options. See the help of the command."""

    folder: Path
    types: tuple[str, ...]
    pages: tuple[int, ...]
    from_errors: bool
    compare: bool
    adopt_better: bool
    with_diff: bool
    correction: str
    repaginate: str | None
    ignore_stale: bool
    own: Mapping[str, Any]

    def targets(self, units: Mapping[str, int]) -> Targets:
        """Return the targets in a run that has `units`, each with its number of pages.

        Raises:
            BadInput: the choices contradict each other.
        """
        from retouch.cli.targets import chosen_pages, unit_called
        from retouch.engine.targets import Targets

        if self.with_diff and not (self.compare or self.adopt_better):
            hint = "Add --compare, which sends the prompts to another model (--model) and changes nothing."
            raise BadInput("--diff needs a comparison", hint=hint)
        if self.correction and (self.compare or self.adopt_better):
            hint = "Compare first; then regenerate with the correction."
            raise BadInput(
                "a comparison sends the stored prompts as they are, so --correction cannot be used with it", hint=hint
            )
        if self.repaginate is not None:
            self._expect_alone()
            return Targets(units=(unit_called(self.repaginate, units),))
        meant = chosen_pages(self.types, self.pages, units)
        pages = {unit: numbers for unit, numbers in meant.items() if numbers}
        return Targets(units=tuple(meant), pages=pages, from_errors=self.from_errors)

    def _expect_alone(self) -> None:
        others = (self.types, self.pages, self.from_errors, self.correction, self.dry_run)
        if any((*others, self.compare, self.adopt_better)):
            hint = "Run --repaginate first, then regenerate the other parts."
            raise BadInput("--repaginate cannot be combined with other selections", hint=hint)

    def own_options(self) -> dict[str, Any]:
        """Return the run options that this command adds to the shared ones."""
        return dict(self.own)

    def options_for(self, view: RunView, *, watch: Watch | None, fallback: Sequence[Model] = ()) -> RunOptions:
        """Return the run options for an existing run, with the check settings of its last verb."""
        from retouch.cli.runs import checking_as_before, recipe_of

        options = self.run_options(recipe_of(view), watch=watch, fallback=fallback)
        return replace(checking_as_before(view, options), ignore_stale=self.ignore_stale, batching=None)


def _text_or_file(_ctx: click.Context, _parameter: click.Parameter, given: str | None) -> str:
    if given is None or not given.startswith("@"):
        return given or ""
    if given == "@-":
        return sys.stdin.read()
    try:
        return Path(given[1:]).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8."
        raise BadInput(f"the correction in {given[1:]!r} is not text: byte {error.start}", hint=hint) from error


@click.command(cls=Verb)
@options.run_argument
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="NAME[:PAGES]",
    shell_complete=complete_units,
    help="A unit, or pages of it, for example Name:2,3 or Name:2-4. Can be repeated.",
)
@click.option(
    "--page", "pages", multiple=True, type=click.IntRange(1), help="A page of the unit of --type. Can be repeated."
)
@click.option("--from-errors", is_flag=True, help="Only the pages with errors.")
@click.option(
    "--compare", is_flag=True, help="Compare the new answers with the current ones, unit by unit. Nothing is changed."
)
@click.option("--adopt-better", is_flag=True, help="Compare, and keep the better answer of each unit.")
@click.option(
    "--diff", "with_diff", is_flag=True, help="With --compare or --adopt-better: print a diff of the answers."
)
@click.option(
    "--correction",
    metavar="TEXT|@FILE",
    callback=_text_or_file,
    help="A hint for the model, added to each prompt of this command; @- reads it from stdin.",
)
@click.option(
    "--repaginate",
    metavar="TYPE",
    shell_complete=complete_units,
    help="First split this unit into smaller pages. This changes prompts.json.",
)
@click.option("--ignore-stale", is_flag=True, help="Use the stored prompts even if the source has changed since.")
@options.recipe_options
@model_options(None)
def command(**given: Any) -> int:
    """Request parts of a run again, from its stored prompts. If you select nothing, the whole run is requested.

    \b
      retouch regenerate output/GET_pets --type Pet
      retouch regenerate output/GET_pets --type Pet:2,3 --model replay:old.jsonl
      retouch regenerate output/GET_pets --from-errors --correction "Use decimal."
      retouch regenerate output/GET_pets --model openai:gpt-5-mini --compare

    DIR may also be a fleet or a directory of runs, with --from-errors alone.

    A new answer replaces the old one only if it is no worse. If the prompts are older than the source, you are asked
    in a terminal; without a terminal --ignore-stale is needed.

    With --json: the keys of 'retouch generate csharp --json'. A comparison adds "compare": [{"unit", "standing",
    "other", "better", "adopted"}], where standing and other are {"issues", "calls", "tokens", "cost", "seconds"}.
    """
    from retouch.cli.jobs import holds_runs, resolved_verb
    from retouch.cli.runs import expect_run, page_counts, recipe_of

    names = {one.name for one in fields(RegenerateArguments)} & given.keys()
    own = {name: given.pop(name) for name in given.keys() - names}
    arguments = RegenerateArguments(**given, own=own)
    if holds_runs(arguments.folder):
        return resolved_verb("regenerate")(arguments)
    view = expect_run(arguments.folder)
    recipe = recipe_of(view)
    targets = arguments.targets(page_counts(view))
    if arguments.dry_run:
        return _show_plan(arguments, view, targets)
    arguments.count_earlier([arguments.folder])
    ask = _regenerate_pages
    if arguments.compare or arguments.adopt_better:
        ask = _compare_models
    try:
        return ask(arguments, view, recipe, targets)
    except StaleRun as stale:
        _confirm(stale)
        return ask(replace(arguments, ignore_stale=True), view, recipe, targets)


def _regenerate_pages(arguments: RegenerateArguments, view: RunView, recipe: Recipe[Any, Any], targets: Targets) -> int:
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import model_of
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import regenerate, repaginate

    folder = arguments.folder
    own = commands_of(view.recipe)
    own.expect_tools(RunOptions(**arguments.own))
    model, fallback = arguments.models(recipe, otherwise=arguments.model or model_of(view))

    def work(options: RunOptions) -> RunResult:
        with keeping(folder), watching(silent=arguments.silent) as watch:
            run = replace(options, watch=watch)
            if arguments.repaginate is None:
                verb = regenerate(recipe, folder, model, targets, hint=arguments.correction, options=run)
            else:
                verb = repaginate(recipe, folder, targets.units[0], model, options=run)
            return run_sync(verb)

    result = asking_to_overwrite(work, arguments.options_for(view, watch=None, fallback=fallback))
    notes = own.notes_on(view, result)
    return show_result(replace(result, notes=(*result.notes, *notes)), as_json=arguments.as_json)


def _confirm(stale: StaleRun) -> None:
    """Ask whether to continue with stale prompts.

    Raises:
        StaleRun: there is no terminal.
        Abort: the user declined.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise stale
    click.secho("warning: ", fg="yellow", nl=False, err=True)
    click.echo(stale.message, err=True)
    click.confirm("Continue with the stored prompts?", abort=True, err=True)


def _show_plan(arguments: RegenerateArguments, view: RunView, targets: Targets) -> int:
    from retouch.cli.plan import planned
    from retouch.cli.runs import model_of, recipe_of
    from retouch.engine.directory import load_ir
    from retouch.engine.targets import target_pages

    keys = set(target_pages(targets, view.prompts, view.validation))
    prompts = tuple(prompt for prompt in view.prompts if prompt.key in keys)
    spec, recipe = arguments.model_spec(arguments.model or model_of(view)), recipe_of(view)
    source = load_ir(view.directory, recipe).source
    planned(view.directory, prompts, recipe, spec, source=source).show(as_json=arguments.as_json)
    return 0


def _compare_models(arguments: RegenerateArguments, view: RunView, recipe: Recipe[Any, Any], targets: Targets) -> int:
    """Send the stored prompts to another model, print both sides, and return the exit status of the current answers."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import model_of
    from retouch.engine.verbs import compare

    model, _ = arguments.models(recipe, otherwise=arguments.model or model_of(view))
    folder, adopt = arguments.folder, arguments.adopt_better

    def work(options: RunOptions) -> tuple[RunResult, list[Comparison]]:
        with keeping(folder), watching(silent=arguments.silent) as watch:
            run = replace(options, watch=watch)
            return run_sync(compare(recipe, folder, model, targets, adopt_better=adopt, options=run))

    result, found = asking_to_overwrite(work, arguments.options_for(view, watch=None))
    if arguments.as_json:
        print_json({**result.as_json(), "compare": [one.as_json() for one in found]})
        return result.exit_status
    _print_comparison(found, with_diff=arguments.with_diff)
    return show_result(result, as_json=False)


def _print_comparison(found: Sequence[Comparison], *, with_diff: bool) -> None:
    heads = [
        "unit",
        "current: errors",
        "tokens",
        "cost",
        "s",
        "other: errors",
        "tokens",
        "cost",
        "s",
        "lines",
        "better",
    ]
    rows = [
        [one.unit, *_side_cells(one.current), *_side_cells(one.other), _changed_lines(one), _verdict_in_words(one)]
        for one in found
    ]
    print_table(heads, rows)
    for one in found:
        for line in _diff_lines(one) if with_diff else ():
            click.secho(line, fg={"+": "green", "-": "red"}.get(line[:1]))


def _side_cells(side: ComparedAnswer) -> list[object]:
    return [side.errors, side.usage.tokens, side.usage.price, f"{side.seconds:.1f}"]


def _verdict_in_words(one: Comparison) -> str:
    return "adopted" if one.adopted else "other" if one.better else "current"


def _changed_lines(one: Comparison) -> str:
    lines = _diff_lines(one)[2:]
    return f"+{sum(line[0] == '+' for line in lines)} -{sum(line[0] == '-' for line in lines)}"


def _diff_lines(one: Comparison) -> list[str]:
    from retouch.edits import unified_diff

    return list(unified_diff(one.unit, one.current.text + "\n", one.other.text + "\n"))

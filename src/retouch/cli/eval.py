"""`retouch eval`: compares models on a recipe's sources, or checks stored runs again."""

from __future__ import annotations

import copy
import sys
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from retouch._lib.counting import counted
from retouch.cli import options
from retouch.cli.completion import complete_models
from retouch.cli.contributions import commands_of
from retouch.cli.failure import printable
from retouch.cli.output import print_json
from retouch.cli.runner import REQUESTED_RUNS
from retouch.cli.settings import Setting
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from retouch.cli.progress import ManyRuns
    from retouch.cli.runner import ModelOptions, RequestedRun
    from retouch.engine.options import Batching
    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model
    from retouch.evaluation import EvaluationPlan, EvaluationResult, EvaluationSource, ReplayedRun


@dataclass(frozen=True, kw_only=True)
class EvalArguments:
    """The command's own arguments and options; see its help. `words` are passed to `generate RECIPE`."""

    words: tuple[str, ...]
    models: tuple[str, ...]
    trials: int
    sample: int | None
    seed: int
    output: Path | None
    as_json: bool

    @property
    def recipe(self) -> str:
        """The name of the recipe."""
        return self.words[0]

    @property
    def directory(self) -> Path:
        """The directory of the evaluation."""
        return self.output or Path("output") / f"eval-{self.recipe}"


@click.command(cls=Verb, context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, required=True, type=click.UNPROCESSED, metavar="RECIPE SOURCE...")
@click.option(
    "--models",
    cls=Setting,
    multiple=True,
    metavar="A,B,C",
    shell_complete=complete_models,
    help="The models to compare. Can be repeated.",
)
@click.option(
    "--trials",
    type=click.IntRange(1, 1_000),
    default=1,
    show_default=True,
    metavar="N",
    help="Runs per model and source.",
)
@click.option(
    "--sample", type=click.IntRange(1), metavar="N", help="Request only about N units, the same for every model."
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="The random seed of the sample and intervals."
)
@options.run_folder_option("output/eval-RECIPE; it contains the run directories")
@click.option("--replay", is_flag=True, help="Check the runs in these directories again instead. No model is called.")
@options.as_json_option
def command(*, replay: bool, words: tuple[str, ...], **given: Any) -> int:
    """Compare models on a recipe's sources, or check stored runs again.

    \b
      retouch eval csharp api.yaml --all --models anthropic:NAME,openai:NAME --trials 3 --sample 40
      retouch eval --replay output/eval-csharp

    RECIPE SOURCE... are the arguments of 'retouch generate', and all its options can follow, for example --max-cost
    (for the whole evaluation), --batch or --compiler. The recipe's checks are the grader, so you need no labels.

    Each model answers each source in each trial in a run directory of its own. Your own files are never changed. The
    same command continues an interrupted evaluation. With more models or trials, it extends it.

    A model is only called better if the confidence interval of the difference excludes zero. The tables, result.json
    and result.svg are written into the directory of the evaluation.

    --replay checks stored runs again, for example after a change of the recipe. The exit status is 1 if one of them
    became worse. Nothing is sent and nothing is changed.

    With --json: {"evaluation", "recipe", "status", "trials", "sources", "sample", "models": [...], "comparisons":
    [...], "notes"}; with --replay: {"runs": [{"run", "before", "after", "reason", "regression", "new_codes",
    "unchecked", "replanned"}], "regressions"}. The exit status is 0 if every run has a result, else 1, or 3 if the cost
    limit was reached.
    """
    if replay:
        return _replay(words, as_json=given["as_json"])
    from retouch.engine.recipe import MODELS
    from retouch.evaluation import models_in

    models = models_in(given.pop("models"), [point.name for point in entry_points(group=MODELS)])
    return _evaluate(EvalArguments(**given, models=models, words=words))


def _evaluate(arguments: EvalArguments) -> int:
    from retouch._lib.redaction import redactor
    from retouch.cli.eval_output import show_evaluation
    from retouch.cli.outcome import is_strict
    from retouch.evaluation import EvaluationPlan, known_directories, sample

    requested, is_dry = _requested_runs(arguments)
    sources = _sources(requested)
    plan = EvaluationPlan(
        directory=arguments.directory,
        recipe=arguments.recipe,
        models=arguments.models,
        trials=arguments.trials,
        seed=arguments.seed,
        sample=arguments.sample,
        planned=sum(one.planned for one in sources),
        sources=tuple(sample(sources, arguments.sample, seed=arguments.seed)),
        known=known_directories(arguments.directory),
        command=tuple(redactor().value([*click.get_current_context().find_root().obj])),
    )
    given = requested[0].arguments
    if is_dry:
        return _show_estimate(plan, as_json=arguments.as_json)
    result = _run_all(plan, given)
    result.save()
    if arguments.as_json:
        print_json(result.to_json())
    else:
        show_evaluation(result)
    is_unchecked = any(one.statuses["unverified"] for one in result.figures)
    return 1 if result.exit_status == 0 and is_unchecked and is_strict() else result.exit_status


def _sources(requested: Sequence[RequestedRun]) -> list[EvaluationSource]:
    """Return the sources with their run options. All share the fallbacks and the cost limit of the first.

    The recipe's own rules never answer for a model: it would seem to be able to do what it cannot.
    """
    from retouch.evaluation import evaluation_source, with_unique_labels

    given, recipe = requested[0].arguments, requested[0].recipe
    fallback = tuple(_opened_model(spec, given, recipe) for spec in given.fallback)
    found: list[EvaluationSource] = []
    for one in requested:
        plain = replace(one.arguments, max_cost=None, max_cost_more=None, batch=False, batch_wait=None)
        run_options = replace(plain.run_options(one.recipe, fallback=fallback), offline_last=False)
        found.append(evaluation_source(one.folder.name, one.recipe, one.source, run_options))
    return with_unique_labels(found)


def _requested_runs(arguments: EvalArguments) -> tuple[list[RequestedRun], bool]:
    """Return the runs that `retouch generate` would make with these words, and whether `--dry-run` is among them.

    Raises:
        BadInput: there are none, or an option does not fit an evaluation.
    """
    found: list[RequestedRun] = []
    with _generate_context(arguments) as (command_, ctx, sources):
        if ctx.get_parameter_source("model") == ParameterSource.COMMANDLINE:
            raise BadInput("--model names one model", hint="Name all models with --models.")
        is_dry = bool(ctx.params.get("dry_run"))
        fixed = {"model": arguments.models[0], "output": None, "dry_run": True, "apply": False}
        fixed["as_json"] = arguments.as_json
        params = {name: fixed.get(name, value) for name, value in ctx.params.items()}
        token = REQUESTED_RUNS.set(found)
        try:
            with redirect_stdout(sys.stderr):  # such as the plan of a command that makes its runs in another way
                for source in sources:
                    ctx.invoke(cast("Any", command_.callback), **{**params, **source})
        finally:
            REQUESTED_RUNS.reset(token)
    if not found:
        hint = "Its command must make runs by ModelOptions.generate, and select at least one source."
        raise BadInput(f"'retouch generate {arguments.recipe}' makes no run of these arguments", hint=hint)
    return found, is_dry


@contextmanager
def _generate_context(
    arguments: EvalArguments,
) -> Generator[tuple[click.Command, click.Context, list[dict[str, Any]]]]:
    """Yield the command `generate RECIPE`, its context, and its positional argument for each source.

    If the command takes one positional argument, several sources can be named: each is one run.
    """
    from retouch.cli.generate import command as generate

    root = click.get_current_context().find_root()
    above = click.Context(generate, info_name="generate", parent=root)
    _, found, words = generate.resolve_command(above, list(arguments.words))
    assert found is not None  # noqa: S101 - click raises otherwise
    single = [one for one in found.params if isinstance(one, click.Argument)]
    parsed = found
    if len(single) == 1 and single[0].nargs == 1:
        many = copy.copy(single[0])
        many.nargs = -1
        parsed = copy.copy(found)
        parsed.params = [many if one is single[0] else one for one in found.params]
    ctx = parsed.make_context(arguments.recipe, words, parent=above)
    with ctx:
        name = str(single[0].name) if parsed is not found else ""
        yield found, ctx, [{name: one} for one in ctx.params[name]] if name else [{}]


def _run_all(plan: EvaluationPlan, given: ModelOptions) -> EvaluationResult:
    """Make the missing runs and return the result. Ctrl-C becomes a message.

    Raises:
        BadInput: a model cannot be opened, for example because its key is missing. Nothing was sent.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.outcome import keeping
    from retouch.cli.progress import ManyRuns
    from retouch.engine.ledger import LEDGER
    from retouch.evaluation import Observer, Workplace, evaluation_result, is_finished

    recipe, runs = plan.sources[0].recipe, list(plan.runs())
    for model in plan.models:
        _opened_model(model, given, recipe)
        _batching(model, given)
    commands_of(recipe.name).expect_tools(plan.sources[0].options)
    plan.save()
    given.count_earlier([one.directory for one in runs if (one.directory / LEDGER).exists()])
    todo = [one for one in runs if not is_finished(one)]
    at_once = len(runs) if given.batch else given.concurrency
    progress = ManyRuns(len(todo), silent=given.silent, at_once=None if given.batch else at_once * len(plan.models))
    place = Workplace(
        open_model=lambda model, used: _limited(_opened_model(model, given, used), given, progress),
        batching=lambda model: _batching(model, given),
        observer=Observer(watch=progress.watch, ended=progress.ended, is_stopping=lambda: progress.is_stopping),
        at_once=at_once,
    )
    with keeping(plan.directory), progress.shown():
        run_sync(place.make(todo))
    return evaluation_result(plan, failures=place.failures, is_limit_reached=place.is_limit_reached)


def _opened_model(spec: str, given: ModelOptions, recipe: Recipe[Any, Any]) -> Model:
    from retouch.cli.runs import opened_models

    return opened_models(spec, (), recipe, given.cost_limit)[0]


def _limited(model: Model, given: ModelOptions, progress: ManyRuns) -> Model:
    from retouch.models.wrappers import limited

    return limited(model, given.concurrency, is_closed=lambda: progress.is_stopping)


def _batching(spec: str, given: ModelOptions) -> Batching | None:
    """Return the batch options of one model, under the common cost limit.

    Raises:
        BadInput: `--batch` was given, and the model has no batch API.
    """
    from retouch.cli.runs import batching

    if given.batch_wait is not None and not given.batch:
        raise BadInput("--batch-wait needs --batch", hint="Add --batch.")
    return batching(spec, given.cost_limit, submit=given.batch, wait_s=given.batch_wait)


def _show_estimate(plan: EvaluationPlan, *, as_json: bool) -> int:
    """Print what each model would be sent in all trials, without the answers that are there already."""
    from retouch.cli.plan import estimate

    prompts = [prompt for one in plan.sources for prompt in one.sampled_recipe().plan(one.source)]
    recipe, calls = plan.sources[0].recipe, len(prompts) * plan.trials
    found = {model: estimate(prompts * plan.trials, recipe, model) for model in plan.models}
    if as_json:
        models = {model: vars(one) for model, one in found.items()}
        print_json({"evaluation": str(plan.directory), "units": plan.units, "calls": calls, "models": models})
        return 0
    click.echo(f"{counted(calls, 'call')} would be made for each model, for {counted(plan.units, 'unit')}")
    for model, one in found.items():
        click.echo(printable(f"  {model}: {one.words(model)}"))
    return 0


def _replay(words: Sequence[str], *, as_json: bool) -> int:
    """Check the runs in the directories among `words` again. The recipes' own options can be among them."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.contributions import contributed_options
    from retouch.cli.eval_output import show_replay
    from retouch.cli.runs import checking_as_before, expect_run, recipe_of
    from retouch.engine.options import RunOptions
    from retouch.evaluation import replay, runs_below

    folders = click.Argument(["folders"], nargs=-1, required=True, type=options.GivenPath(path_type=Path))
    parser = click.Command("eval", params=[folders, *contributed_options()])
    own = parser.make_context("eval", list(words), parent=click.get_current_context().parent).params
    found: list[ReplayedRun] = []
    for directory in runs_below(own.pop("folders")):
        view = expect_run(directory)
        checking = checking_as_before(view, RunOptions(**own))
        found.append(run_sync(replay(recipe_of(view), directory, checking)))
    show_replay(found, as_json=as_json)
    return 1 if any(one.is_regression for one in found) else 0

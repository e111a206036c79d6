"""The options that several commands share, and their values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from retouch.cli.completion import complete_models, complete_runs
from retouch.cli.contributions import contributed_options
from retouch.cli.settings import Setting

if TYPE_CHECKING:
    from retouch.engine.types import RetryBudget

F = TypeVar("F", bound=Callable[..., Any])
Decorator = Callable[[F], F]


class GivenPath(click.Path):
    """A path that is not empty: "" comes from a shell variable without a value, and would mean this directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        if value == "":
            self.fail("the path is empty; name a directory, '.' for this one.", param, ctx)
        return super().convert(value, param, ctx)


class RunPath(GivenPath):
    """The path of a run, or of a directory with runs."""

    takes_addresses = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path, or the address."""
        if not isinstance(value, str) or "://" not in value:
            return super().convert(value, param, ctx)
        if not self.takes_addresses:
            known = "'retouch show', 'retouch fleet work' and 'retouch fleet export' take addresses"
            self.fail(f"{value!r} is an address, and not a directory; {known}.", param, ctx)
        return value


class RunPathOrAddress(RunPath):
    """The path of a run, or of a directory with runs. The address of a fleet in an object store stays a text."""

    takes_addresses = True


class Amount(click.FloatRange):
    """A number within limits. "nan" is refused."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        found = super().convert(value, param, ctx)
        if isinstance(found, float) and isnan(found):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return found


run_argument = click.argument("folder", metavar="DIR", type=RunPath(path_type=Path), shell_complete=complete_runs)
run_or_address_argument = click.argument(
    "folder", metavar="DIR", type=RunPathOrAddress(path_type=Path), shell_complete=complete_runs
)


class GivenModel(click.types.StringParamType):
    """A model as SCHEME:NAME, which is not empty."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the spec."""
        if value == "" or str(value).isspace():
            self.fail("it is empty; write SCHEME:NAME, see 'retouch models'.", param, ctx)
        return super().convert(value, param, ctx)


def _remember_strict(context: click.Context, _parameter: click.Parameter, given: bool) -> None:
    if given:
        context.meta[STRICT] = True


STRICT = "retouch.strict"
strict_option = click.option(
    "--strict",
    cls=Setting,
    is_flag=True,
    expose_value=False,
    callback=_remember_strict,
    help="Exit 1 if something was not checked (status 'unverified').",
)
as_json_option = click.option("--json", "as_json", is_flag=True, is_eager=True, help="Print JSON instead of text.")


def _chosen_format(context: click.Context, _parameter: click.Parameter, given: str | None) -> str:
    as_json = bool(context.params.pop("as_json", False))  # one value for both options
    if as_json and given not in (None, "json"):
        raise click.UsageError(f"--json and --format {given} exclude each other.", ctx=context)
    return "json" if as_json else given or "text"


format_option = click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "json", "github", "sarif", "junit"]),
    callback=_chosen_format,
    help="How the result is printed: for a reader, for programs, as workflow commands of GitHub, as SARIF 2.1.0 for "
    "code scanning, or as JUnit XML. Default: text.",
)
quiet_option = click.option(
    "--quiet", "-q", cls=Setting, is_flag=True, show_default=False, help="Show no progress, only the result."
)
wait_option = click.option(
    "--wait",
    cls=Setting,
    is_flag=True,
    show_default=False,
    help="If another process writes to the run, wait until it is done.",
)
dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Show the calls and their cost. No model is called, and nothing is written."
)
force_option = click.option("--force", is_flag=True, help="Overwrite your manual edits.")
concurrency_option = click.option(
    "--concurrency",
    cls=Setting,
    type=click.IntRange(1, 1_000),
    default=8,
    metavar="N",
    help="Maximum number of parallel calls.",
)
max_output_option = click.option(
    "--max-output-tokens",
    cls=Setting,
    type=click.IntRange(1),
    default=8_192,
    metavar="N",
    help="Output cap of the first call. A page that is cut off is requested again with twice the cap.",
)
no_loop_guard_option = click.option(
    "--no-loop-guard",
    cls=Setting,
    is_flag=True,
    show_default=False,
    help="Do not stop answers that repeat the same text without end.",
)


knob_options = (
    click.option(
        "--temperature",
        cls=Setting,
        type=Amount(min=0, max=2),
        metavar="T",
        help="Sampling temperature. Default: the provider's.",
    ),
    click.option(
        "--top-p",
        cls=Setting,
        type=Amount(min=0, max=1, min_open=True),
        metavar="P",
        help="Sample from the most likely tokens with this share of the probability.",
    ),
    click.option(
        "--seed",
        cls=Setting,
        type=click.IntRange(min=0),
        metavar="N",
        help="Random seed, for providers that take one.",
    ),
    click.option(
        "--effort",
        cls=Setting,
        metavar="WORD",
        help="How much the model may reason first, in the provider's terms, for example low or high.",
    ),
    click.option(
        "--thinking",
        cls=Setting,
        type=click.IntRange(min=1),
        metavar="N",
        help="How many tokens the model may reason (Anthropic, Google). They count against the output cap.",
    ),
)
fallback_option = click.option(
    "--fallback",
    cls=Setting,
    multiple=True,
    metavar="SPEC",
    show_default=False,
    shell_complete=complete_models,
    type=GivenModel(),
    help="Model to use for pages that the first one could not repair. Can be repeated: they are used in this order.",
)
no_offline_option = click.option(
    "--no-offline",
    cls=Setting,
    is_flag=True,
    show_default=False,
    help="Do not let the recipe's own rules answer pages that no model could repair.",
)
max_cost_option = click.option(
    "--max-cost",
    cls=Setting,
    type=Amount(min=0),
    metavar="USD",
    help="Stop before the whole run might cost more, earlier commands included. Every answer is kept.",
)
max_cost_more_option = click.option(
    "--max-cost-more",
    cls=Setting,
    type=Amount(min=0),
    metavar="USD",
    help="Stop before this command alone might cost more. Replaces --max-cost.",
)
batch_option = click.option(
    "--batch",
    cls=Setting,
    is_flag=True,
    show_default=False,
    help="Request the first answers through the provider's batch API, which is cheaper and slower.",
)
batch_wait_option = click.option(
    "--batch-wait",
    cls=Setting,
    type=Amount(min=0),
    metavar="S",
    help="Seconds to wait for a batch. 'retouch resume' collects the rest later.",
)


pack_option = click.option(
    "--pack",
    cls=Setting,
    type=click.IntRange(1, 40),
    metavar="N",
    help="Maximum number of pages per request, for recipes that can put several into one. Default: the recipe's.",
)


workers_option = click.option(
    "--workers",
    cls=Setting,
    type=click.IntRange(1, 64),
    metavar="N",
    help="Number of processes that request first answers. --concurrency and --max-cost are for all of them together.",
)


hang_option = click.option(
    "--hang",
    cls=Setting,
    type=Amount(min=1),
    default=3_600.0,
    metavar="S",
    help="With --workers: seconds without progress after which a process whose code hangs is ended and replaced.",
)


def run_folder_option(by_default: str) -> Decorator[Any]:
    """Return the option -o of a command that makes a run. `by_default` describes the default directory."""
    return click.option(
        "-o",
        "--output",
        cls=Setting,
        type=GivenPath(path_type=Path),
        show_default=False,
        help=f"The run directory, by default {by_default}.",
    )


def model_option(default: str | None) -> Decorator[Any]:
    """Return the option `--model`. Without a default, it means the run's own model."""
    return click.option(
        "--model",
        cls=Setting,
        default=default,
        metavar="SPEC",
        shell_complete=complete_models,
        type=GivenModel(),
        help="The model, for example anthropic:claude-haiku-4-5. See 'retouch models'."
        + ("" if default else " Default: the model of the run."),
    )


def with_options(*options: click.Option | Decorator[Any]) -> Decorator[Any]:
    """Return one decorator for several options (objects or decorators), which help lists in this order."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            if isinstance(option, click.Option):
                command.__dict__.setdefault("__click_params__", []).append(option)
            else:
                command = option(command)
        return command

    return decorate


def recipe_options(command: F) -> F:
    """Add the recipes' options to a command over a run. Their names are fields of `RunOptions`."""
    known = {one.name for one in getattr(command, "__click_params__", ())}
    return with_options(*(one for one in contributed_options() if one.name not in known))(command)


@dataclass(frozen=True, kw_only=True)
class RetryLimits:
    """The user's retry limits of a unit: per tier and in total. None means the recipe's number."""

    tier1: int | None = None
    tier2: int | None = None
    tier3: int | None = None
    total: int | None = None

    def over(self, own: RetryBudget) -> RetryBudget:
        """Return the recipe's `own` budget, overridden by these limits."""
        names = {"tier1": "tier1_remaining", "tier2": "tier2_remaining", "tier3": "tier3_remaining"}
        names["total"] = "total_remaining"
        given = {field: number for name, field in names.items() if (number := getattr(self, name)) is not None}
        return replace(own, **given)


_RETRIES = re.compile(r"(?P<tiers>\d{1,4},\d{1,4},\d{1,4})(?:/(?P<total>\d{1,4}))?|(?P<alone>\d{1,4})")


def retry_limits(value: object) -> RetryLimits:
    """Parse the limits T1,T2,T3/TOTAL. Without /TOTAL the total is the sum. A single N is a total.

    Raises:
        BadParameter: the value has another form.
    """
    if isinstance(value, RetryLimits):
        return value
    found = _RETRIES.fullmatch(str(value).replace(" ", ""))
    if found is None:
        raise click.BadParameter(f"{value!r} is not T1,T2,T3/TOTAL, for example 2,2,1/3.")
    if found["alone"]:
        alone = int(found["alone"])
        return RetryLimits(tier1=alone, tier2=alone, tier3=alone, total=alone)
    tier1, tier2, tier3 = map(int, found["tiers"].split(","))
    total = int(found["total"]) if found["total"] else tier1 + tier2 + tier3
    return RetryLimits(tier1=tier1, tier2=tier2, tier3=tier3, total=total)


_STRONGEST_FIRST = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)
_SINGLE = {  # older options, each for one number
    "tier1_retries": "tier1",
    "tier2_retries": "tier2",
    "tier3_retries": "tier3",
    "total_retries": "total",
}


def retry_options(command: F) -> F:
    """Add the option `--retries` and its older forms to `command`, which receives `retries` or None."""

    @wraps(command)
    def with_retries(*args: Any, retries: RetryLimits | None, **given: Any) -> Any:
        singles = dict(zip(_SINGLE, map(given.pop, _SINGLE), strict=True))
        if set(singles.values()) != {None}:
            retries = _with_singles(retries, singles)
        return command(*args, retries=retries, **given)

    whole = click.option(
        "--retries",
        cls=Setting,
        type=retry_limits,
        metavar="T1,T2,T3/TOTAL",
        help="How often a unit may be retried: after syntax, schema and semantic errors, and in total. For example: "
        "2,2,1/3. Default: the recipe's own numbers.",
    )
    single = [
        click.option(
            f"--{name.replace('_', '-')}",
            cls=Setting,
            type=click.IntRange(0, 1_000),
            metavar="N",
            hidden=True,
            help="One number of --retries.",
        )
        for name in _SINGLE
    ]
    return with_options(whole, *single)(with_retries)


def _with_singles(whole: RetryLimits | None, singles: dict[str, int | None]) -> RetryLimits | None:
    """Return the limits. A single-number option counts unless `--retries` has a source of higher precedence."""
    ctx = click.get_current_context()

    def weakness(name: str) -> int:
        source = ctx.get_parameter_source(name)
        return _STRONGEST_FIRST.index(source) if source in _STRONGEST_FIRST else len(_STRONGEST_FIRST)

    given = {
        _SINGLE[name]: number
        for name, number in singles.items()
        if number is not None and (whole is None or weakness(name) <= weakness("retries"))
    }
    found = replace(whole or RetryLimits(), **given)
    return found if found != RetryLimits() else None

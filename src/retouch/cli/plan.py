"""The requests of a run: `--dry-run`, its cost estimate, and `--show-sent`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from retouch.cli.failure import printable
from retouch.cli.output import counted, print_json, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch.engine.recipe import Recipe
    from retouch.engine.types import Model, OnEvent, Prompt, Reply, Request

ANSWER_TOKENS = 600  # for a page without an offline answer to measure
REPAIR_RATE = 0.1  # the assumed share of pages that are retried once
KNOWN_ERROR = "within 15 % for nineteen prompts of twenty"


@dataclass(frozen=True, kw_only=True)
class PlanPreview:
    """The prompts that would be sent for the run directory `run`, which may not exist yet, and their estimated usage.

    `calls` is the number of requests, which is smaller than that of the prompts if several share one. `lost_ledger` is
    a message if the run's ledger is or was missing, else "".
    """

    run: Path
    prompts: tuple[Prompt, ...]
    spec: str
    estimate: Estimate
    calls: int
    lost_ledger: str = ""

    @property
    def tokens(self) -> int:
        """The estimated number of input tokens."""
        return self.estimate.input_tokens

    def as_json(self) -> dict[str, Any]:
        """Return the plan as plain data."""
        pages = [
            {
                "unit": prompt.unit,
                "page": prompt.page,
                "total_pages": prompt.total_pages,
                "input_tokens": prompt_tokens(prompt),
            }
            for prompt in self.prompts
        ]
        head = {"run": str(self.run), "calls": self.calls, "input_tokens": self.tokens}
        notes = [self.lost_ledger] if self.lost_ledger else []
        return {**head, "model": self.spec, "estimate": vars(self.estimate), "pages": pages, "notes": notes}

    def show(self, *, as_json: bool) -> None:
        """Print the plan."""
        if as_json:
            print_json(self.as_json())
            return
        rows = [[one.unit, f"{one.page}/{one.total_pages}", prompt_tokens(one)] for one in self.prompts]
        print_table(["unit", "page", "input tokens, about"], rows)
        click.echo(
            f"{counted(self.calls, 'call')} with about {self.tokens:,} input tokens would be made for {self.run}"
        )
        click.echo(self.estimate.words(self.spec))
        if self.lost_ledger:
            click.echo(f"note: {printable(self.lost_ledger)}")


def planned(
    run: Path,
    prompts: Sequence[Prompt],
    recipe: Recipe[Any, Any],
    spec: str,
    *,
    source: object = None,
    pack: int | None = None,
) -> PlanPreview:
    """Return the plan of sending `prompts` to the model that `spec` names, up to `pack` pages in one request."""
    from retouch.engine.options import RunOptions
    from retouch.engine.planned_calls import planned_requests
    from retouch.engine.recipe import pack_size
    from retouch.engine.record import lost_ledger_of

    options = RunOptions(pack=pack)
    requests = planned_requests(prompts, pack_size(recipe, source, options), options)
    taken = None if requests == list(prompts) else _output(prompts, recipe)
    return PlanPreview(
        run=run,
        prompts=tuple(prompts),
        spec=spec,
        estimate=estimate(requests, recipe, spec, output_tokens=taken),
        calls=len(requests),
        lost_ledger=lost_ledger_of(run),
    )


def missing(folder: Path, prompts: Sequence[Prompt]) -> tuple[Prompt, ...]:
    """Return the `prompts` without an answer in the run directory. If there is no such run, return all."""
    from retouch.engine.directory import PROMPTS, open_run

    if not (folder / PROMPTS).exists():
        return tuple(prompts)
    history = open_run(folder).history
    return tuple(
        prompt for prompt in prompts if history.answer_to(prompt) is None and history.adopted(prompt.unit) is None
    )


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Tokens of the first answers of all pages, and their cost in US dollars (None if a price is unknown).

    `cached` is the cost with the plan's cache reads, `batch` the cost through the batch API, and `repairs` the
    additional cost of repairs over `cached`. `plan` explains the positions of cache markers.
    """

    input_tokens: int
    output_tokens: int
    plain: float | None = None
    cached: float | None = None
    batch: float | None = None
    repairs: float | None = None
    plan: tuple[str, ...] = ()

    def words(self, spec: str) -> str:
        """Return the estimate as a sentence."""
        if not self.input_tokens:
            return "every page has an answer: $0.0000"
        if self.plain is None:
            return f"the price of {spec!r} is unknown{_why_no_price()}"
        if self.cached is None or self.batch is None or self.repairs is None:
            return f"about ${self.plain:,.4f} ({KNOWN_ERROR})"
        parts = f"${self.cached:,.4f} with caching, ${self.plain:,.4f} without, ${self.batch:,.4f} through a batch API"
        told = "".join(f"\ncache: {sentence}" for sentence in self.plan)
        return f"about {parts}; repairs add about ${self.repairs:,.4f} ({KNOWN_ERROR}){told}"


def _why_no_price() -> str:
    listed = find_spec("genai_prices") is not None
    return "" if listed else ': the price list is not installed (pip install "retouch[llm]")'


def estimate(
    prompts: Sequence[Prompt], recipe: Recipe[Any, Any], spec: str, *, output_tokens: int | None = None
) -> Estimate:
    """Return the estimate for sending `prompts` to the model that `spec` names.

    If `output_tokens` is unknown, assume that answers are as long as the recipe's offline answers.
    """
    from retouch.models.batch.facts import batch_facts
    from retouch.models.cache_load import load_of
    from retouch.models.endpoints import PROVIDERS, endpoint_of, name_and_address
    from retouch.models.pricing import Tokens, price, priced
    from retouch.models.providers import plan_of

    given = sum(prompt_tokens(prompt) for prompt in prompts)
    taken = output_tokens if output_tokens is not None else _output(prompts, recipe)
    scheme, _, rest = _bare(spec).partition(":")
    name, _ = name_and_address(rest.partition("?")[0])
    tuning = endpoint_of(scheme, rest).tuning if scheme in PROVIDERS else None
    tokens = Tokens(input_tokens=given, output_tokens=taken)
    if tuning is not None and (known := priced(tuning, tokens)) is not None:
        return Estimate(input_tokens=given, output_tokens=taken, plain=known)
    plain = 0.0 if scheme in ("offline", "replay") else price(scheme, name, tokens)
    if plain is None and prompts:
        return Estimate(input_tokens=given, output_tokens=taken)
    if plain is None or not prompts or scheme in ("offline", "replay"):
        return Estimate(input_tokens=given, output_tokens=taken, plain=0.0, cached=0.0, batch=0.0, repairs=0.0)
    load = load_of(prompts, session=recipe.session)
    plan = plan_of(endpoint_of(scheme, rest), load) if scheme in PROVIDERS else None
    answers = price(scheme, name, Tokens(input_tokens=0, output_tokens=taken)) or 0.0
    share = plan.expected_share if plan is not None and plan.expected_share is not None else 1.0
    cached = (plain - answers) * share + answers
    return Estimate(
        input_tokens=given,
        output_tokens=taken,
        plain=plain,
        cached=cached,
        batch=plain * batch_facts(scheme, name).price,
        repairs=cached * REPAIR_RATE,
        plan=plan.why if plan is not None else (),
    )


def _bare(spec: str) -> str:
    while spec.startswith("faulty:"):
        spec = spec.removeprefix("faulty:").rpartition("?")[0] or spec.removeprefix("faulty:")
    return spec


_known: dict[str, int] = {}


def prompt_tokens(prompt: Prompt) -> int:
    """Return the estimated input tokens of a prompt, within about 10 % for English and code."""
    return _tokens(prompt.system) + _tokens(prompt.user)


def _tokens(text: str) -> int:
    from retouch.models.tokens import estimate_tokens

    if text not in _known:
        _known[text] = estimate_tokens(text)
    return _known[text]


def _output(prompts: Sequence[Prompt], recipe: Recipe[Any, Any]) -> int:
    return sum(_answer_tokens(prompt, recipe) for prompt in prompts)


def _answer_tokens(prompt: Prompt, recipe: Recipe[Any, Any]) -> int:
    """Return the length of the offline answer in tokens, or a default if there is none."""
    from retouch.errors import ModelError

    if recipe.offline is None:
        return ANSWER_TOKENS
    try:
        return _tokens(recipe.offline(prompt))
    except ModelError:
        return ANSWER_TOKENS


def showing_requests(model: Model) -> Model:
    """Return `model` with each request printed to stderr before it is sent."""
    from retouch.models.named import wrapping

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        _echo_message("system", request.system)
        for message in request.messages:
            _echo_message(message.role, message.text)
        return await model(request, on_event=on_event)

    return wrapping(model, answer)


def show_prompt(prompt: Prompt) -> None:
    """Print a prompt as it would be sent."""
    _echo_message("system", prompt.system)
    _echo_message("user", prompt.user)


def _echo_message(role: str, text: str) -> None:
    click.secho(f"--- {role}", fg="cyan", err=True)
    click.echo(printable(text), err=True)

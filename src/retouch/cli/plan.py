"""What a run would send: `--dry-run`, its estimate of the cost, and `--show-sent`."""

from __future__ import annotations

from dataclasses import dataclass, replace
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

ANSWER_TOKENS = 600  # a page whose recipe has no offline answer to measure
REPAIR_RATE = 0.1  # the share of pages that are asked once more, when nothing is known of them
KNOWN_ERROR = "within 15 % for nineteen prompts of twenty"


@dataclass(frozen=True, kw_only=True)
class PlanPreview:
    """The prompts that would be sent for the run directory `run`, which may not exist yet, and what they would take.

    `lost_ledger` says that the run's ledger is missing or was; else "".
    """

    run: Path
    prompts: tuple[Prompt, ...]
    spec: str
    estimate: Estimate
    lost_ledger: str = ""

    @property
    def tokens(self) -> int:
        """About how many tokens would go in."""
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
        head = {"run": str(self.run), "calls": len(pages), "input_tokens": self.tokens}
        notes = [self.lost_ledger] if self.lost_ledger else []
        return {**head, "model": self.spec, "estimate": vars(self.estimate), "pages": pages, "notes": notes}

    def show(self, *, as_json: bool) -> None:
        """Print the plan."""
        if as_json:
            print_json(self.as_json())
            return
        rows = [[one.unit, f"{one.page}/{one.total_pages}", prompt_tokens(one)] for one in self.prompts]
        print_table(["unit", "page", "input tokens, about"], rows)
        click.echo(f"{counted(len(rows), 'call')} with about {self.tokens:,} input tokens would be made for {self.run}")
        click.echo(self.estimate.words(self.spec))
        if self.lost_ledger:
            click.echo(f"note: {printable(self.lost_ledger)}")


def planned(run: Path, prompts: Sequence[Prompt], recipe: Recipe[Any, Any], spec: str) -> PlanPreview:
    """Return what `prompts` would take, asked of the model that `spec` names."""
    from retouch.engine.record import lost_ledger_of

    plan = PlanPreview(run=run, prompts=tuple(prompts), spec=spec, estimate=estimate(prompts, recipe, spec))
    return replace(plan, lost_ledger=lost_ledger_of(run))


def missing(folder: Path, prompts: Sequence[Prompt]) -> tuple[Prompt, ...]:
    """Return those of `prompts` that have no answer in the run directory yet; all when there is no such run."""
    from retouch.engine.directory import PROMPTS, open_run

    if not (folder / PROMPTS).exists():
        return tuple(prompts)
    history = open_run(folder).history
    return tuple(
        prompt for prompt in prompts if history.answer_to(prompt) is None and history.adopted(prompt.unit) is None
    )


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """Tokens of the first answers of all pages, and what they cost in US dollars; None where a price is unknown.

    `cached` reads the shared text from the provider's cache as the plan would, `batch` goes through its batch API,
    `repairs` is what repairs add to `cached`; `plan` says where cache markers go and why.
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
    """Return what asking `prompts` of the model that `spec` names would take.

    Unless `output_tokens` is known already, answers are taken to be as long as the recipe's own offline ones.
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
    """Return about how many tokens a prompt puts into a model, within some ten per cent for English and code."""
    return _tokens(prompt.system) + _tokens(prompt.user)


def _tokens(text: str) -> int:
    from retouch.models.tokens import estimate_tokens

    if text not in _known:
        _known[text] = estimate_tokens(text)
    return _known[text]


def _output(prompts: Sequence[Prompt], recipe: Recipe[Any, Any]) -> int:
    return sum(_answer_tokens(prompt, recipe) for prompt in prompts)


def _answer_tokens(prompt: Prompt, recipe: Recipe[Any, Any]) -> int:
    """Return how long the offline answer is; what no rule answers is taken to be of the usual length."""
    from retouch.errors import ModelError

    if recipe.offline is None:
        return ANSWER_TOKENS
    try:
        return _tokens(recipe.offline(prompt))
    except ModelError:
        return ANSWER_TOKENS


def showing_requests(model: Model) -> Model:
    """Return `model`, every request to which is printed on stderr before it goes."""
    from retouch.engine.calls import model_name
    from retouch.models.named import NamedModel

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        _echo_message("system", request.system)
        for message in request.messages:
            _echo_message(message.role, message.text)
        return await model(request, on_event=on_event)

    return NamedModel(name=model_name(model), answer=answer)


def show_prompt(prompt: Prompt) -> None:
    """Print a prompt as it would be sent."""
    _echo_message("system", prompt.system)
    _echo_message("user", prompt.user)


def _echo_message(role: str, text: str) -> None:
    click.secho(f"--- {role}", fg="cyan", err=True)
    click.echo(printable(text), err=True)

"""`retouch resume`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli import options
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.engine.directory import RunView
    from retouch.engine.recipe import Recipe
    from retouch.engine.record import LastOptions


@dataclass(frozen=True, kw_only=True)
class Resuming:
    """The options of the command."""

    online: bool
    batch_wait: float | None
    max_cost: float | None
    force: bool
    wait: bool
    quiet: bool
    as_json: bool

    def expect_consistent(self) -> None:
        """Make sure that a batch is either waited for or given up.

        Raises:
            BadInput: both were asked for.
        """
        if self.online and self.batch_wait is not None:
            raise BadInput("--online gives a batch up, and --batch-wait waits for it", hint="Give one of the two.")


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--online", is_flag=True, help="Give up a batch: take what it has answered, ask for the rest online.")
@options.batch_wait_option
@options.max_cost_option
@options.force_option
@options.wait_option
@options.quiet_option
@options.as_json_option
def command(folder: Path, **given: Any) -> int:
    """Go on with a run from what its folder holds: its job, prompts, model and options.

    \b
    retouch resume output/GET_pets

    What is on its way in a batch is collected; what is missing or was to be repaired is asked of the model that was
    asked last. Then all is done that the command would have done that began the run, such as writing the originals of
    an edit or a rule's draft. With --json: as that command with --json.
    """
    from retouch.cli.runs import expect_run, recipe_of

    resuming = Resuming(**given)
    resuming.expect_consistent()
    view = expect_run(folder)
    return _go_on(resuming, view, recipe_of(view))


def _go_on(resuming: Resuming, view: RunView, recipe: Recipe[Any, Any]) -> int:
    from retouch.cli.errand import Errand, carry_out
    from retouch.cli.runs import batching, opened_models
    from retouch.engine.directory import load_ir
    from retouch.engine.options import RunOptions
    from retouch.models.spending import Purse

    last = _last(view)
    purse = Purse(limit_usd=resuming.max_cost) if resuming.max_cost is not None else None
    model, fallback = opened_models(last.model, last.fallback or None, recipe, purse)
    together = batching(last.model, purse, submit=False, wait_s=resuming.batch_wait, give_up=resuming.online)
    way = RunOptions(
        options=last.options,
        fallback=fallback,
        wait=resuming.wait,
        force=resuming.force,
        batching=together,
        ending=last.ending,
    )
    return carry_out(
        Errand(
            recipe=recipe,
            source=load_ir(view.folder, recipe).source,
            folder=view.folder,
            model=model,
            way=way,
            silent=resuming.quiet or resuming.as_json,
            as_json=resuming.as_json,
        )
    )


def _last(view: RunView) -> LastOptions:
    """Return how the last verb went about its work.

    Raises:
        BadInput: no model was asked yet.
    """
    from retouch.engine.record import last_options

    last = last_options(view.history)
    if not last.model:
        hint = "Give the command again that made it, or name a model: retouch regenerate DIR --model SPEC."
        raise BadInput(f"{str(view.folder)!r} does not say which model it used", hint=hint)
    return last

"""The values that shell completion offers: units of a run, models, run directories, endpoints of a document.

A recipe's command gives such a function to click as `shell_complete`. Completion never fails: if something cannot be
read, nothing is offered.
"""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import click
    from click.shell_completion import CompletionItem

Complete: TypeAlias = "Callable[[click.Context, click.Parameter, str], list[CompletionItem]]"
MOST = 500  # longer lists are not useful
IR = "ir.json"  # the file that marks a run directory


def completing(values: Callable[[click.Context, str], Iterable[str]]) -> Complete:
    """Return a click completion function that offers the matching values of `values(context, incomplete)`."""

    @wraps(values)
    def complete(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        try:
            found = [value for value in values(ctx, incomplete) if value.startswith(incomplete)]
        except Exception:  # noqa: BLE001 - a shell that completes shows no errors
            return []
        return [CompletionItem(value) for value in found[:MOST]]

    return complete


@completing
def complete_models(ctx: click.Context, incomplete: str) -> Iterable[str]:
    """Offer the schemes of models, the models of the typed scheme, and the models of the command's run."""
    from importlib.metadata import entry_points

    from retouch.engine.recipe import MODELS

    yield from _models_of_run(ctx)
    for scheme in sorted({point.name for point in entry_points(group=MODELS)}):
        yield scheme if scheme == "offline" else f"{scheme}:"
    yield from _listed_models(incomplete.partition(":")[0] if ":" in incomplete else "")


def _models_of_run(ctx: click.Context) -> Iterable[str]:
    folder = _run_of(ctx)
    if folder is None:
        return ()
    from retouch.engine.directory import open_run

    return dict.fromkeys(attempt.model for attempt in open_run(folder).history.attempts.values())


def _run_of(ctx: click.Context) -> Path | None:
    """Return the run that the command names. Click skips arguments if the last option lacks its value."""
    words = [ctx.params.get("folder"), *ctx.args]
    return next((Path(word) for word in words if word and (Path(word) / IR).exists()), None)


def _listed_models(scheme: str) -> Iterable[str]:
    """Return the provider's models in the price list, or none if the list is not installed."""
    from retouch.models.pricing import listed_models

    return (f"{scheme}:{name}" for name in listed_models(scheme))


@completing
def complete_units(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Offer the units of the run that the command names."""
    from retouch.engine.directory import open_run

    folder = _run_of(ctx)
    return dict.fromkeys(prompt.unit for prompt in open_run(folder).prompts) if folder is not None else ()


def complete_runs(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the run directories at and below the typed path, two levels deep. If there are none, offer directories."""
    from click.shell_completion import CompletionItem

    path = Path(incomplete)
    at, start = (path, "") if incomplete.endswith("/") or not incomplete else (path.parent, path.name)
    try:
        places = [place for pattern in (f"{start}*/{IR}", f"{start}*/*/{IR}") for place in at.glob(pattern)]
        found = sorted(place.parent.as_posix() for place in places)
    except (OSError, ValueError):
        found = []
    return [CompletionItem(name) for name in found[:MOST]] or [CompletionItem(incomplete, type="dir")]

"""`retouch regenerate --compare`: another model's answers beside what stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from retouch.cli.outcome import keeping, show_result
from retouch.cli.output import print_json, print_table
from retouch.cli.progress import watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.cli.regenerate import Arguments
    from retouch.engine.compare import Comparison, Side
    from retouch.engine.directory import RunView
    from retouch.engine.recipe import Recipe
    from retouch.engine.targets import Targets


def compare_models(arguments: Arguments, view: RunView, recipe: Recipe[Any, Any], targets: Targets) -> int:
    """Ask the stored prompts of another model, print both sides, and return the exit status of what stands."""
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import model_of
    from retouch.engine.verbs import compare

    model, _ = arguments.models(recipe, otherwise=arguments.model or model_of(view))
    folder, adopt = arguments.folder, arguments.adopt_better
    with keeping(folder), watching(silent=arguments.silent) as watch:
        way = arguments.way_of(view, watch=watch)
        result, found = run_sync(compare(recipe, folder, model, targets, adopt_better=adopt, way=way))
    if arguments.as_json:
        print_json({**result.as_json(), "compare": [one.as_json() for one in found]})
        return result.exit_status
    _print(found, with_diff=arguments.with_diff)
    return show_result(result, as_json=False)


def _print(found: Sequence[Comparison], *, with_diff: bool) -> None:
    heads = ["unit", "stands: errors", "tokens", "cost", "s", "other: errors", "tokens", "cost", "s", "lines", "better"]
    rows = [[one.unit, *_cells(one.standing), *_cells(one.other), _changed(one), _verdict(one)] for one in found]
    print_table(heads, rows)
    for one in found:
        for line in _diff(one) if with_diff else ():
            click.secho(line, fg={"+": "green", "-": "red"}.get(line[:1]))


def _cells(side: Side) -> list[object]:
    cost = "unknown" if side.cost is None else f"${side.cost:,.4f}"
    return [side.errors, side.tokens, cost, f"{side.seconds:.1f}"]


def _verdict(one: Comparison) -> str:
    return "adopted" if one.adopted else "other" if one.better else "stands"


def _changed(one: Comparison) -> str:
    lines = _diff(one)[2:]
    return f"+{sum(line[0] == '+' for line in lines)} -{sum(line[0] == '-' for line in lines)}"


def _diff(one: Comparison) -> list[str]:
    from retouch.edits import unified_diff

    return list(unified_diff(one.unit, one.standing.text + "\n", one.other.text + "\n"))

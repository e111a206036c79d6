"""`retouch assemble`."""

from __future__ import annotations

from pathlib import Path

import click

from retouch.cli import options
from retouch.cli.outcome import keeping, show_result
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@options.force_option
@options.wait_option
@options.as_json_option
def command(folder: Path, *, force: bool, wait: bool, as_json: bool) -> int:
    """Write a run's files again from its answers. What was edited by hand is not overwritten.

    With --json: as 'retouch validate --json'.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import expect_run, recipe_of
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import assemble

    recipe = recipe_of(expect_run(folder))
    with keeping(folder):
        result = run_sync(assemble(recipe, folder, way=RunOptions(force=force, wait=wait)))
    return show_result(result, as_json=as_json)

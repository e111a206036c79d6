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
    from retouch.cli.runs import expect_run, recipe_of
    from retouch.engine.door import wait_for
    from retouch.engine.loop import Way, assemble

    recipe = recipe_of(expect_run(folder))
    with keeping(folder):
        result = wait_for(assemble(recipe, folder, way=Way(force=force, wait=wait)))
    return show_result(result, as_json=as_json)

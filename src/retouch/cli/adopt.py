"""`retouch adopt`."""

from __future__ import annotations

from pathlib import Path

import click

from retouch.cli import options
from retouch.cli.outcome import keeping, show_result
from retouch.cli.progress import watching
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--type", "types", multiple=True, metavar="NAME", help="Only this type; may be repeated.")
@options.compiler_option
@options.wait_option
@options.quiet_option
@options.as_json_option
def command(folder: Path, *, types: tuple[str, ...], compiler: str, wait: bool, quiet: bool, as_json: bool) -> int:
    """Take what was edited by hand as the answer, and check it. The whole run is checked with it.

    With --json: as 'retouch validate --json'.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import expect_run, page_counts, recipe_of
    from retouch.cli.targets import unit_called
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import adopt

    view = expect_run(folder)
    recipe, counts = recipe_of(view), page_counts(view)
    units = tuple(unit_called(name, counts) for name in types)
    with keeping(folder), watching(silent=quiet or as_json) as watch:
        way = RunOptions(options=RunOptions(compiler=compiler), watch=watch, wait=wait)
        result = run_sync(adopt(recipe, folder, units=units, way=way))
    return show_result(result, as_json=as_json)

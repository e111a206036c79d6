"""`retouch validate`."""

from __future__ import annotations

from pathlib import Path

import click

from retouch.cli import options
from retouch.cli.outcome import keeping, show_result
from retouch.cli.progress import watching
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--by-type", is_flag=True, help="Group the issues by type instead of listing them flat.")
@click.option("--no-write", is_flag=True, help="Leave the summary in ir.json as it is; nothing is locked or changed.")
@options.compiler_option
@options.wait_option
@options.quiet_option
@options.as_json_option
def command(
    folder: Path, *, by_type: bool, no_write: bool, compiler: str, wait: bool, quiet: bool, as_json: bool
) -> int:
    """Check a run again; no model is called. Files are judged as they are on disk now; ir.json gets the new summary.

    With --json: {"run", "status", "issues": [{"code", "tier", "unit", "page", "line", "message", "fix", "severity"}],
    "files", "calls", "tokens", "input_tokens", "output_tokens", "cached_tokens", "notes"}.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import checking_as_before, expect_run, recipe_of
    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import validate

    view = expect_run(folder)
    recipe, options = recipe_of(view), checking_as_before(view, RunOptions(compiler=compiler))
    with keeping(folder), watching(silent=quiet or as_json) as watch:
        way = RunOptions(options=options, watch=watch, wait=wait)
        result = run_sync(validate(recipe, folder, write=not no_write, way=way))
    return show_result(result, as_json=as_json, by_unit=by_type)

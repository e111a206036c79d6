"""`retouch report`."""

from __future__ import annotations

from pathlib import Path

import click

from retouch.cli.options import as_json_option
from retouch.cli.verb import Verb


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="The file to write; '-' for stdout."
)
@as_json_option
def command(folder: Path, *, output: Path | None, as_json: bool) -> None:
    """Write a run as one HTML page: what was asked, answered, wrong and paid. Also while it is being written.

    The page stands by itself: it loads nothing and runs no script. Without -o it is DIR/report.html.

    With --json: {"report": the file's path}.
    """
    from retouch._lib.disk import write_files
    from retouch._lib.run_sync import run_sync
    from retouch.cli.output import print_json
    from retouch.cli.runs import expect_run
    from retouch.report import report

    text = run_sync(report(expect_run(folder)))
    if output == Path("-"):
        click.echo(text, nl=False)
        return
    target = output or folder / "report.html"
    write_files(target.parent, {target.name: text})
    if as_json:
        print_json({"report": str(target)})
    else:
        click.echo(str(target))

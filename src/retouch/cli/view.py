"""`retouch view`: runs in a browser on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.options import GivenPath, run_argument
from retouch.cli.verb import Verb
from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from collections.abc import Callable


@click.command(cls=Verb)
@run_argument
@click.option(
    "--compare", "other", type=GivenPath(path_type=Path), metavar="DIR", help="Another run, to compare this one with."
)
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="The port. Default: any that is free.")
@click.option("--open/--no-open", "opens", default=True, help="Open the browser, or only print the address.")
def command(folder: Path, *, other: Path | None, port: int, opens: bool) -> None:
    """Show runs in the browser, and follow them while they work.

    \b
      retouch view output/GET_pets
      retouch view output --no-open --port 8400
      retouch view first --compare second

    DIR is a run, a fleet, a job, an evaluation, or any directory with runs below it. You see the status, what was
    checked, the cost, every unit with its attempts as differences, and the commands that repair it.

    Only this machine can reach the pages, and the printed address can be opened once. Nothing is loaded from elsewhere,
    and nothing is changed. Ctrl-C stops it. 'retouch report' writes the same pages as files.
    """
    view_runs(folder, other=other, port=port, opens=opens)


def view_runs(folder: Path, *, other: Path | None = None, port: int = 0, opens: bool = True) -> None:
    """Serve the runs of a directory until the user stops it.

    Raises:
        MissingTool: the extra `view` is not installed.
        BadInput: the directory has no runs, or the port is in use.
    """
    from retouch.cli.jobs import status_of_job
    from retouch.cli.runs import expect_run_directory

    try:
        from retouch.view.runs import RunStore
        from retouch.view.server import serve
    except ModuleNotFoundError as error:
        raise MissingTool(f"the viewer needs {error.name!r}", hint="pip install 'retouch[view]'") from error
    store = RunStore(folder, other=other, overall=status_of_job)
    if other is not None and store.is_tree:
        raise BadInput("--compare is for one run", hint=f"Choose two runs of {str(folder)!r} in the browser.")
    for run in () if store.is_tree else (folder, *([other] if other is not None else [])):
        expect_run_directory(run)
        if run not in store.directories().values():
            hint = "Run 'retouch generate' to make one, or name a directory with runs below it."
            raise BadInput(f"{str(run)!r} has no runs", hint=hint)
        store.run("" if run is folder else str(run))
    serve(store, port=port, on_start=_announce(opens=opens))


def _announce(*, opens: bool) -> Callable[[str], None]:
    def announce(address: str) -> None:
        click.echo(f"The pages are at {address}")
        click.echo("Open the address once, in a browser on this machine. Ctrl-C stops the viewer.")
        if opens:
            click.launch(address)

    return announce

"""`retouch undo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option, run_argument
from retouch.cli.output import print_json
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from retouch.cli.contributions import UndoPlan


@click.command(cls=Verb)
@run_argument
@as_json_option
def command(folder: Path, *, as_json: bool) -> None:
    """Give the files that a run has written into your project their old texts again.

    \b
      retouch undo output/edit-app.py
      retouch undo output/edit-app.py --json

    All files are restored, or none: if you have changed one since, nothing is done. A file that the run created is
    deleted. The run itself is unchanged: 'retouch resume' writes its files again.

    With --json: {"run", "undone"}.
    """
    from retouch.cli.contributions import commands_of
    from retouch.cli.runs import expect_run

    view = expect_run(folder)
    plan = commands_of(view.recipe).undo_plan(view)
    names = undone(plan)
    if as_json:
        print_json({"run": str(folder), "undone": names})
    elif names:
        click.echo(f"restored {printable(', '.join(names))}")
    else:
        click.echo("nothing to undo: the files are as they were before the run")


def undone(plan: UndoPlan) -> list[str]:
    """Restore the files that have the run's text, and return their names.

    Raises:
        BadInput: the project is unknown, or a file has neither the run's nor its old text.
    """
    from retouch.cli.workspace import holds_text, put_back_texts

    if not plan.root:
        raise BadInput("this run knows no project", hint="It was made without a workspace, so it has written no files.")
    root = Path(plan.root)
    left = [name for name, text in plan.old.items() if not holds_text(root, name, text)]
    return put_back_texts(root, {name: plan.old[name] for name in left}, before=plan.new) if left else []

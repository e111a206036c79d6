"""`retouch mcp`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.verb import Verb
from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@click.command(cls=Verb)
@click.option(
    "--root",
    "roots",
    multiple=True,
    required=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A directory that the tools may read and change. Can be repeated.",
)
@click.option(
    "--allow-executable",
    multiple=True,
    metavar="PATTERN",
    help="Let edits change files that run commands without being started, for example '.github/**'. Can be repeated.",
)
@click.option(
    "--allow-checks",
    is_flag=True,
    help="Let validate_run run the commands and check functions that a run names. They are run as you would run them.",
)
def command(*, roots: tuple[Path, ...], allow_executable: tuple[str, ...], allow_checks: bool) -> None:
    """Serve edits, search and runs as tools for agents, by the Model Context Protocol.

    \b
      retouch mcp --root .
      retouch mcp --root src --root output

    An agent starts this command itself and talks to it on standard input and output. The tools are apply_edits,
    check_edits, undo, locate, runs, show_run, explain_unit and validate_run. They see nothing outside of the roots,
    follow no symbolic links, and change neither '.git' nor the record of a run. Needs: pip install "retouch[mcp]".
    """
    from retouch.mcp.places import AllowedRoots
    from retouch.mcp.tools import AgentTools

    try:
        from retouch.mcp.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise
        raise MissingTool("the extra 'mcp' is not installed", hint='pip install "retouch[mcp]"') from error
    serve(
        AgentTools(
            roots=AllowedRoots.of(roots),
            allow_executable=allow_executable,
            allow_checks=allow_checks,
            undo_run=undo_run,
        )
    )


def undo_run(directory: Path, expect_allowed: Callable[[Path], Path]) -> Sequence[str]:
    """Take back what a run has written into a project that the tools may change. Return the paths.

    Raises:
        BadInput: the run knows no project, or it is not allowed.
    """
    from retouch.cli.contributions import commands_of
    from retouch.cli.runs import expect_run
    from retouch.cli.undo import undone

    plan = commands_of(expect_run(directory).recipe).undo_plan(expect_run(directory))
    if not plan.root:
        raise BadInput("this run knows no project", hint="It was made without a workspace, so it has written no files.")
    expect_allowed(Path(plan.root))
    return undone(plan)

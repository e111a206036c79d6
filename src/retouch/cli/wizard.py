"""`retouch wizard`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.cli import options
from retouch.cli.rule_job import job_options
from retouch.cli.settings import Setting
from retouch.cli.verb import Verb
from retouch.cli.wizard_arguments import WizardArguments

if TYPE_CHECKING:
    from retouch.recipes.rule.wizard.desk import Setup
    from retouch.recipes.rule.wizard.session import Session

_DIR = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(cls=Verb)
@click.argument("paths", nargs=-1, metavar="PATHS...|DIR|@FILE|-")
@job_options
@options.model_option("offline")
@options.fallback_option
@click.option("--rules", type=_DIR, metavar="DIR", help="The rules at hand; without it those where the new one goes.")
@click.option(
    "-o",
    "--output",
    cls=Setting,
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("rules"),
    help="The folder that approval writes into.",
)
@click.option(
    "--run",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The run folder; else one by the paths.",
)
@click.option("--show-sent", is_flag=True, help="Show every word before anything is sent.")
@click.option("--no-tui", is_flag=True, help="Print what the wizard would show, without a screen.")
@click.option("--yes", is_flag=True, help="Without a screen: approve what passes, under its own name.")
@click.option("--serve", is_flag=True, help="Show the wizard in a browser, on this machine only.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8_000, metavar="N", help="Where --serve listens.")
@options.max_cost_option
@options.budget_options
@options.as_json_option
def command(**given: Any) -> int:
    r"""Find an extraction rule on a screen: look, hint, edit, approve.

    \b
    retouch wizard data/2024/ --model anthropic:claude-sonnet-4-5 -o rules/
    find /srv -name '*.csv' | retouch wizard - --no-tui

    A word is a path, whether or not it exists; a folder means the files below it, @FILE the lines of a file, - those of
    standard input. Only paths are sent, never contents. A rule that passes every check is a draft at once, and is
    offered again when the wizard was left.

    Without a terminal, or with --no-tui, it prints what it would show. The exit status is 0 when a rule passed, 1 when
    something is left to look at, 3 when the retry budget is exhausted. With --json, which needs no screen either, the
    keys are those of 'retouch generate rule', and "approved", the file, and "conflicts": [{"winner", "loser",
    "decided_by", "common", "example"}].
    """
    arguments = WizardArguments(**given)
    if arguments.serve:
        from retouch.cli.wizard_serving import serve

        return serve(arguments)
    setup = arguments.setup()
    if arguments.is_plain or not (_is_terminal() or _is_in_browser()):
        from retouch.cli.wizard_plain import run_plain

        return run_plain(setup, preview=arguments.show_sent, approves=arguments.yes, as_json=arguments.as_json)
    return _on_a_screen(setup, preview=arguments.show_sent)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()


def _is_in_browser() -> bool:
    """Whether a server draws this process's screen in a browser."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _on_a_screen(setup: Setup, *, preview: bool) -> int:
    expect_textual()
    from retouch.recipes.rule.wizard.editor import find_editor
    from retouch.tui.app import WizardApp

    app = WizardApp(setup, words=() if _is_in_browser() else find_editor(), preview=preview)
    app.run()
    return 0 if _is_in_browser() else _farewell(app.session)


def expect_textual() -> None:
    """Make sure that a screen can be drawn.

    Raises:
        MissingTool: the extra is not installed; the hint installs it.
    """
    from importlib.util import find_spec

    from retouch.errors import MissingTool

    if find_spec("textual") is None:
        hint = "Install it with: pip install 'retouch[tui]'; or print the same with --no-tui."
        raise MissingTool("the wizard's screen needs the package 'textual'", hint=hint)


def _farewell(session: Session) -> int:
    """Say what came of a session, and return the exit status."""
    from retouch.cli.wizard_plain import exit_status, say_end

    if session.error is not None:
        raise session.error
    say_end(session)
    return exit_status(session)

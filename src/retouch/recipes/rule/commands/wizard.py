"""`retouch rule wizard`: in the terminal, in a browser, or printed (`wizard_plain`)."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import (
    Setting,
    as_json_option,
    cost_limit,
    fallback_option,
    is_live_terminal,
    max_cost_more_option,
    max_cost_option,
    model_option,
    opened_models,
    retry_options,
)
from retouch.errors import BadInput, MissingTool
from retouch.recipes.rule.commands.job import ExampleVerb, JobArguments, job_options
from retouch.recipes.rule.commands.paths import read_rule_file
from retouch.recipes.rule.commands.wizard_plain import exit_status, print_end, run_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.commands import RetryLimits
    from retouch.recipes.rule import ExtractionRule
    from retouch.recipes.rule.wizard.session import WizardSession
    from retouch.recipes.rule.wizard.session_state import Setup

_DIR = click.Path(file_okay=False, path_type=Path)
RULES_DIR = Path("rules")
RULES = frozenset({".yaml", ".yml"})
_OWN = frozenset({"--serve"})
_WITH_VALUE = frozenset({"--port"})


@dataclass(frozen=True, kw_only=True)
class WizardArguments(JobArguments):
    """The command's arguments and options; see its help."""

    model: str
    fallback: tuple[str, ...]
    rules: Path | None
    output: Path | None
    run: Path | None
    show_sent: bool
    no_tui: bool
    yes: bool
    serve: bool
    port: int
    max_cost: float | None
    max_cost_more: float | None
    retries: RetryLimits | None
    as_json: bool

    @property
    def is_plain(self) -> bool:
        """Whether the output is printed instead of drawn on a screen."""
        return self.no_tui or self.yes or self.as_json

    def setup(self) -> Setup:
        """Return the wizard's input and settings.

        Raises:
            BadInput: a path, the hint, a model or one of your rules cannot be used.
        """
        from retouch.engine.options import RunOptions
        from retouch.recipes.rule import recipe
        from retouch.recipes.rule.wizard.session_state import Setup

        job = self.job_in(self.form)
        folder = self.run or Path("output") / "wizard" / _name_of(job.paths)
        limit = cost_limit(self.max_cost, self.max_cost_more, [folder])
        model, fallback = opened_models(self.model, self.fallback, recipe, limit)
        budget = self.retries.over(recipe.budget) if self.retries is not None else None
        return Setup(
            job=job,
            folder=folder,
            model=model,
            output=self.output or self.rules or RULES_DIR,
            options=RunOptions(budget=budget, fallback=fallback),
            rules=_rules_in(self.rules or self.output or RULES_DIR),
        )


def _name_of(paths: Sequence[str]) -> str:
    """Return a name for the run directory that depends only on the paths."""
    return hashlib.sha256("\0".join(sorted(paths)).encode()).hexdigest()[:8]


def _rules_in(directory: Path) -> tuple[ExtractionRule, ...]:
    if not directory.exists():
        return ()
    if not directory.is_dir():
        raise BadInput(f"{str(directory)!r} is a file", hint="Name a directory.")
    files = sorted(file for file in directory.iterdir() if file.suffix in RULES and file.is_file())
    return tuple(rule for file in files for rule in read_rule_file(file))


@click.command(cls=ExampleVerb)
@click.argument("paths", nargs=-1, metavar="PATHS...|DIR|@FILE|-")
@job_options
@model_option("offline")
@fallback_option
@click.option(
    "--rules",
    cls=Setting,
    type=_DIR,
    metavar="DIR",
    show_default=False,
    help="The directory of your rules: approved rules are written to it and checked against it. Default: rules.",
)
@click.option(
    "-o", "--output", cls=Setting, type=_DIR, hidden=True, help="The directory that approved rules are written to."
)
@click.option(
    "--run",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The run directory. Default: a name computed from the paths.",
)
@click.option("--show-sent", is_flag=True, help="Show every request before it is sent.")
@click.option("--no-tui", is_flag=True, help="Print the wizard's output, without a screen.")
@click.option("--yes", is_flag=True, help="Without a screen: approve a verified rule, under its own name.")
@click.option("--serve", is_flag=True, help="Show the wizard in a browser, on this machine only.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8_000, metavar="N", help="The port of --serve.")
@max_cost_option
@max_cost_more_option
@retry_options
@as_json_option
def command(**given: Any) -> int:
    """Find an extraction rule interactively: review, hint, edit, approve.

    \b
      retouch rule wizard data/2024/ --model anthropic:claude-sonnet-4-5 --rules rules/
      find /srv -name '*.csv' | retouch rule wizard - --no-tui
      retouch rule wizard data/
      retouch rule wizard @paths.txt --model anthropic:claude-sonnet-4-5

    An argument is a path, even if the file does not exist. A directory means the files below it, @FILE the lines of a
    file, and - the lines of standard input. Only paths are sent, never contents. A rule that passes every check is
    saved as a draft at once. If you leave the wizard, it offers the draft again next time.

    Without a terminal, or with --no-tui, it prints its output. The exit status is 0 if a rule passed, 1 if something
    needs your attention, 3 if the retry budget is exhausted. With --json, which needs no screen either, the keys are
    those of 'retouch generate rule', and "approved", the file, and "conflicts": [{"winner", "loser", "decided_by",
    "common", "example"}].
    """
    arguments = WizardArguments(**given)
    if arguments.serve:
        return serve(arguments)
    setup = arguments.setup()
    if arguments.is_plain or not (_is_terminal() or _is_in_browser()):
        return run_plain(setup, preview=arguments.show_sent, approves=arguments.yes, as_json=arguments.as_json)
    return _run_on_screen(setup, preview=arguments.show_sent)


def _is_terminal() -> bool:
    """Whether a screen can be drawn here: a terminal with TERM=dumb has none."""
    return sys.stdin.isatty() and all(map(is_live_terminal, (sys.stdout, sys.stderr)))


def _is_in_browser() -> bool:
    """Return whether a server draws this process's screen in a browser."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def _run_on_screen(setup: Setup, *, preview: bool) -> int:
    expect_textual()
    from retouch.recipes.rule.wizard.editor import find_editor
    from retouch.tui.app import WizardApp

    app = WizardApp(setup, editor_command=() if _is_in_browser() else find_editor(), preview=preview)
    app.run()
    return 0 if _is_in_browser() else _print_end(app.session)


def expect_textual() -> None:
    """Check that the package that draws the screen is installed.

    Raises:
        MissingTool: the extra is not installed. The hint explains how to install it.
    """
    from importlib.util import find_spec

    if find_spec("textual") is None:
        hint = "Install it with: pip install 'retouch[tui]'; or print the same with --no-tui."
        raise MissingTool("the wizard's screen needs the package 'textual'", hint=hint)


def _print_end(session: WizardSession) -> int:
    """Print the result of a session, and return the exit status."""
    if session.error is not None:
        raise session.error
    print_end(session)
    return exit_status(session)


def serve(arguments: WizardArguments) -> int:
    """Serve the wizard until it is stopped, and return the exit status.

    Raises:
        BadInput: the paths come from standard input, no screen is wanted, or the arguments cannot be used.
        MissingTool: the extra is not installed. The hint explains how to install it.
    """
    from importlib.util import find_spec

    if arguments.is_plain:
        hint = "Leave out --serve, or --no-tui, --yes and --json."
        raise BadInput("--serve needs a screen, which --no-tui, --yes and --json turn off", hint=hint)
    if "-" in arguments.paths:
        hint = "Write them into a file and name it as @FILE."
        raise BadInput("the wizard in a browser cannot read paths from standard input", hint=hint)
    if find_spec("textual_serve") is None or find_spec("textual") is None:
        hint = "Install it with: pip install 'retouch[tui]'."
        raise MissingTool("a wizard in a browser needs the package 'textual-serve'", hint=hint)
    arguments.setup()  # report errors here, not in the browser
    from retouch.tui.serving import serve_on_loopback

    words = click.get_current_context().find_root().obj
    serve_on_loopback(command_line(words), port=arguments.port, say=click.echo)
    return 0


def command_line(words: list[str]) -> str:
    """Return the command that runs the wizard of one visitor: the same arguments, without those of the server."""
    kept: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word in _WITH_VALUE:
            left = left[1:]
        elif word not in _OWN and word.partition("=")[0] not in _WITH_VALUE:
            kept.append(word)
    return shlex.join([str(Path(sys.executable)), "-m", "retouch", *kept])

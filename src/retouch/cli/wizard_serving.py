"""The wizard in a browser, on this machine only."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from retouch.cli.wizard_arguments import WizardArguments

_OWN = frozenset({"--serve"})
_WITH_VALUE = frozenset({"--port"})


def serve(arguments: WizardArguments) -> int:
    """Serve the wizard until it is stopped, and return the exit status.

    Raises:
        BadInput: the paths come from standard input, no screen is wanted, or the arguments cannot be used.
        MissingTool: the extra is not installed; the hint installs it.
    """
    from importlib.util import find_spec

    if arguments.is_plain:
        hint = "Leave out --serve, or --no-tui, --yes and --json."
        raise BadInput("a browser's wizard is a screen, and none is wanted", hint=hint)
    if "-" in arguments.paths:
        hint = "Write them into a file and name it as @FILE."
        raise BadInput("a browser's wizard cannot read paths from standard input", hint=hint)
    if find_spec("textual_serve") is None or find_spec("textual") is None:
        hint = "Install it with: pip install 'retouch[tui]'."
        raise MissingTool("a wizard in a browser needs the package 'textual-serve'", hint=hint)
    arguments.setup()  # what is wrong is said here, and not in a browser
    from retouch.tui.serving import serve_on_loopback

    words = click.get_current_context().find_root().obj
    serve_on_loopback(command_line(words), port=arguments.port, say=click.echo)
    return 0


def command_line(words: list[str]) -> str:
    """Return the command that draws one visitor's wizard: the same words, on a screen."""
    kept: list[str] = []
    left = list(words)
    while left:
        word = left.pop(0)
        if word in _WITH_VALUE:
            left = left[1:]
        elif word not in _OWN and word.partition("=")[0] not in _WITH_VALUE:
            kept.append(word)
    return shlex.join([str(Path(sys.executable)), "-m", "retouch.cli", *kept])

"""What an earlier command left half written in a person's folder is put back before files are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.errors import BadInput

if TYPE_CHECKING:
    from pathlib import Path


def take_back_killed(root: Path) -> None:
    """Put back what a killed command had begun to write under `root`, and say so.

    Raises:
        BadInput: a file cannot be put back.
    """
    from retouch.edits import FolderError, take_back

    try:
        names = take_back(root)
    except FolderError as error:
        raise BadInput(error.message, hint=error.hint) from error
    if names:
        click.echo(
            f"note: an earlier command was killed while it wrote; put back {printable(', '.join(names))}", err=True
        )

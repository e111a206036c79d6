"""Finds the user's editor, builds its command line, and writes the file to edit."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TIMEOUT_S: Final = 3600.0
DIRECTORY: Final = "edits"
_WAIT: Final = {
    **dict.fromkeys(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"), "--wait"),
    **dict.fromkeys(("subl", "sublime_text", "zed", "zeditor", "atom", "gedit", "xed", "pluma"), "--wait"),
    **dict.fromkeys(("mate", "bbedit"), "--wait"),
    **dict.fromkeys(("gvim", "mvim"), "--nofork"),
    "kate": "--block",
}
_KNOWN_BY: Final = {"--wait": {"--wait", "-w"}, "--nofork": {"--nofork", "-f"}, "--block": {"--block", "-b"}}
_GOTO: Final = frozenset({"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})
_COLON: Final = frozenset({"subl", "sublime_text", "zed", "zeditor", "atom", "hx", "helix"})
_PLUS: Final = frozenset(
    {"vi", "vim", "nvim", "gvim", "mvim", "nano", "pico", "emacs", "emacsclient", "micro", "joe", "ne", "kak", "gedit"}
)


class Editor(Protocol):
    """Opens a file for the user to edit."""

    async def __call__(self, file: Path, line: int | None) -> str:
        """Return "" if the editor ended normally, else the error."""
        ...


def find_editor(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Return the command of the user's editor: $VISUAL, else $EDITOR, else the platform's. Return () if none is
    installed.
    """
    given = os.environ if environment is None else environment
    usual = ("notepad",) if sys.platform == "win32" else ("nano", "vim", "vi")
    for wanted in (given.get("VISUAL", ""), given.get("EDITOR", ""), *usual):
        arguments = tuple(_split_command(wanted))
        if arguments and shutil.which(arguments[0], path=given.get("PATH")):
            return arguments
    return ()


def _split_command(wanted: str) -> list[str]:
    try:
        return shlex.split(wanted, posix=sys.platform != "win32")
    except ValueError:  # a quote that is not closed
        return wanted.split()


def command_of(editor: Sequence[str], file: Path, line: int | None = None) -> list[str]:
    """Return the command that opens `file` at `line` and ends when the user closes it.

    An editor with its own window would return at once, so it gets its option to wait. It is recognised by the full name
    of its program.
    """
    name = Path(editor[0]).name.lower().removesuffix(".exe").removesuffix(".cmd")
    wait = _WAIT.get(name, "")
    waits = [wait] if wait and not _KNOWN_BY[wait] & set(editor) else []
    return [*editor, *waits, *_file_arguments(name, file, line)]


def _file_arguments(name: str, file: Path, line: int | None) -> list[str]:
    if line is None:
        return [str(file)]
    if name in _GOTO:
        return ["--goto", f"{file}:{line}"]
    if name in _COLON:
        return [f"{file}:{line}"]
    return [f"+{line}", str(file)] if name in _PLUS else [str(file)]


def write_for_editing(folder: Path, text: str, ending: str) -> Path:
    """Write `text` to a new file in the run directory that only its owner can read. Return the file."""
    edits = folder / DIRECTORY
    edits.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        file = edits / f"edit-{number}{ending}"
        try:
            opened = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            number += 1
            continue
        with os.fdopen(opened, "w", encoding="utf-8", newline="\n") as written:
            written.write(text)
        return file

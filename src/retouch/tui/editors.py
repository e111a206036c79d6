"""Runs the user's editor, or an editor on the screen if there is no terminal for it."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import SuspendNotSupported
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static, TextArea

from retouch.recipes.rule.wizard.editor import TIMEOUT_S, command_of
from retouch.tui.colours import TONES, keyed

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from textual.app import App, ComposeResult


class OwnEditor:
    """The user's editor, which has the terminal until it ends."""

    def __init__(self, app: App[Any], command: tuple[str, ...]) -> None:
        self._app = app
        self._command = command

    async def __call__(self, file: Path, line: int | None) -> str:
        """Return "" if the editor ended normally, else the error."""
        try:
            with self._app.suspend():
                return self._run(command_of(self._command, file, line))
        except SuspendNotSupported:
            return await ScreenEditor(self._app)(file, line)

    def _run(self, command: list[str]) -> str:
        name = self._command[0]
        try:
            with _without_ctrl_c():
                status = subprocess.run(command, check=False, timeout=TIMEOUT_S).returncode
        except subprocess.TimeoutExpired:
            return f"The editor {name!r} was stopped after an hour."
        except OSError as error:
            return f"The editor {name!r} cannot be started: {error.strerror}."
        ended = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"The editor {name!r} {ended}." if status else ""


@contextmanager
def _without_ctrl_c() -> Generator[None]:
    """Leave Ctrl-C to the program that has the terminal."""
    before = signal.signal(signal.SIGINT, _ignore_signal)  # a function, unlike SIG_IGN, is not inherited
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _ignore_signal(_number: int, _frame: object) -> None:
    return None


class ScreenEditor:
    """An editor on the screen, for a browser or if no editor is set."""

    def __init__(self, app: App[Any]) -> None:
        self._app = app

    async def __call__(self, file: Path, line: int | None) -> str:
        """Return "" if the text was saved, else that it was not."""
        screen = EditScreen(file, line)
        left: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        screen.left = left
        await self._app.push_screen(screen)
        try:
            return await left
        finally:
            screen.keep()
            if screen.is_current:
                await self._app.pop_screen()


class EditScreen(Screen[None]):
    """A text to edit. Every change is written to its file."""

    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[Any]] = [
        Binding("ctrl+s", "save", "save", priority=True),
        Binding("escape", "leave", "leave", priority=True),
    ]

    def __init__(self, file: Path, line: int | None) -> None:
        super().__init__()
        self._file, self._line = file, line
        self.left: asyncio.Future[str] | None = None

    def compose(self) -> ComposeResult:
        """Yield the text."""
        yield Static(Text(f"Editing {self._file.name}", style=TONES["title"]), markup=False)
        text = self._file.read_text(encoding="utf-8", errors="surrogateescape")
        yield TextArea(text, id="editor", show_line_numbers=True, soft_wrap=False, tab_behavior="indent")
        yield Static(keyed(("ctrl+s", "check it"), ("esc", "back, your text is kept")))

    def on_mount(self) -> None:
        """Go to the line of the first error."""
        area = self.query_one(TextArea)
        if self._line is not None:
            area.move_cursor((min(self._line, area.document.line_count) - 1, 0))
        area.focus()

    def on_text_area_changed(self) -> None:
        """Save every change."""
        self.keep()

    def keep(self) -> None:
        """Write the text to its file."""
        if self.is_mounted:
            self._file.write_text(self.query_one(TextArea).text, encoding="utf-8", errors="surrogateescape")

    def action_save(self) -> None:
        """Check the text."""
        self._leave("")

    def action_leave(self) -> None:
        """Return without a check."""
        self._leave("The edit was cancelled.")

    def _leave(self, why: str) -> None:
        self.keep()
        if self.left is not None and not self.left.done():
            self.left.set_result(why)

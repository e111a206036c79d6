"""The main part of the screen: text, a spinner, or an artifact."""

from __future__ import annotations

from itertools import groupby
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.containers import Vertical, VerticalScroll
from textual.widgets import DataTable, Static

from retouch.recipes.rule.wizard.lines import choices, columns, failures, state_lines, waiting
from retouch.tui.colours import GREY, TONES, coloured

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from retouch.recipes.rule.wizard.session import WizardSession

FRAMES = "◐◓◑◒"
FRAME_S = 0.15
MOST_COLUMNS = 30


class StatePane(Vertical):
    """The lines of a state, with the active keys always visible."""

    def __init__(self, session: WizardSession) -> None:
        super().__init__(classes="pane")
        self._session = session

    def compose(self) -> ComposeResult:
        """Yield the lines (code is not wrapped) and the keys."""
        with VerticalScroll(id="words"):
            for is_code, lines in groupby(state_lines(self._session), lambda line: line.tone == "code"):
                yield Static(coloured(lines), classes="code" if is_code else "", markup=False)
        yield Static(coloured(choices(self._session.wizard)), id="choices", markup=False)

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#words").focus()

    def renew(self) -> None:
        """Do nothing, because nothing changes while the user decides."""


class Waiting(Vertical):
    """The spinner: the retry, the previous error, and the columns that the detector found."""

    def __init__(self, session: WizardSession) -> None:
        super().__init__(classes="pane")
        self._session = session
        self._begun = monotonic()
        self._frame = 0

    def compose(self) -> ComposeResult:
        """Yield the spinner and the columns."""
        yield Static(id="spinner", markup=False)
        yield Static(id="found", markup=False)

    def on_mount(self) -> None:
        """Start the spinner."""
        self._show_columns()
        self.renew()
        self.set_interval(FRAME_S, self._turn)

    def renew(self) -> None:
        """Show the current progress."""
        self._draw()

    def _turn(self) -> None:
        self._frame += 1
        self._draw()

    def _draw(self) -> None:
        lines = waiting(self._session.wizard, self._session.data)
        text = Text()
        text.append(f"{FRAMES[self._frame % len(FRAMES)]} ", style=TONES["good"])
        text.append_text(coloured(lines))
        chars = self._session.data.received_chars
        received = f", {chars:,} characters received" if chars else ""
        text.append(f"\n  {monotonic() - self._begun:.0f} s{received}", style=GREY)
        self.query_one("#spinner", Static).update(text)

    def _show_columns(self) -> None:
        data = self._session.data
        text = Text()
        text.append(f"Found in {len(data.job.samples):,} paths without a model:\n\n", style=GREY)
        for name, kind, examples in columns(data)[:MOST_COLUMNS]:
            text.append(f"  {name:<16.16} ", style="bold")
            text.append(f"{kind:<8} ", style=TONES["good"])
            text.append(f"{examples}\n", style=GREY)
        for line in failures(data):
            text.append(f"{line.text}\n", style=TONES[line.tone])
        self.query_one("#found", Static).update(text)


class Grid(DataTable[Text], inherit_bindings=False):
    """A table that leaves Enter to the wizard."""

    BINDINGS: ClassVar[list[Any]] = [
        ("up", "cursor_up", "up"),
        ("down", "cursor_down", "down"),
        ("left", "cursor_left", "left"),
        ("right", "cursor_right", "right"),
        ("pageup", "page_up", "page up"),
        ("pagedown", "page_down", "page down"),
        ("ctrl+home", "scroll_top", "top"),
        ("ctrl+end", "scroll_bottom", "bottom"),
        ("home", "scroll_home", "home"),
        ("end", "scroll_end", "end"),
    ]

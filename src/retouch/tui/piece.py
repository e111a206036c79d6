"""The selection of a piece of a path: its characters are marked with the keys or the mouse, and get a name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static, TextArea
from textual.widgets.text_area import Selection

from retouch.recipes.rule.wizard.lines import change_prompt
from retouch.tui.colours import GREY, TONES, keyed
from retouch.tui.fields import InputField

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from retouch.recipes.rule.wizard.session import WizardSession

_PIECES = re.compile(r"[0-9]+|[^\W\d_]+")


class PathArea(TextArea):
    """The path, which cannot be changed. Tab marks the next word or number of it."""

    BINDINGS: ClassVar[list[Any]] = [
        Binding("tab", "screen.step(1)", "next", priority=True),
        Binding("shift+tab", "screen.step(-1)", "previous", priority=True),
        Binding("enter", "screen.accept", "enter", priority=True),
    ]


class PieceField(InputField):
    """The window in which a piece of the path under the cursor is marked and named."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "leave", "back", priority=True)]

    def __init__(self, session: WizardSession) -> None:
        super().__init__(session)
        self.path = session.data.at_path

    def compose(self) -> ComposeResult:
        """Yield the path, what is marked of it, and the field for the name."""
        title, _ = change_prompt("piece")
        with Vertical(classes="window"):
            yield Static(title, classes="window-title", markup=False)
            yield PathArea(self.path, id="path", soft_wrap=True, show_line_numbers=False, read_only=True)
            yield Static(id="piece", markup=False)
            yield Input(placeholder="name of the field", id="change", select_on_focus=False)
            yield Static(id="field-message", markup=False)
            yield Static(keyed(("tab", "next piece"), ("shift+←→", "one character"), ("⏎", "name it"), ("esc", "back")))

    def on_mount(self) -> None:
        """Mark the first piece of the file name, or the value of the field under the cursor."""
        begin = self.path.rfind("/") + 1
        found = _PIECES.search(self.path, begin)
        self._mark(*(found.span() if found else (begin, len(self.path))))
        self.query_one(PathArea).focus()
        self.renew()

    def action_step(self, by: int) -> None:
        """Mark the next or the previous word or number of the path, around its ends."""
        start, end = self.span
        spans = [found.span() for found in _PIECES.finditer(self.path)]
        after = [one for one in spans if one[0] >= max(end, start + 1)] or spans
        before = [one for one in spans if one[1] <= start] or spans
        if spans:
            self._mark(*(after[0] if by > 0 else before[-1]))

    def action_accept(self) -> None:
        """Go on to the name."""
        self.query_one(Input).focus()

    def on_text_area_selection_changed(self) -> None:
        """Show what is marked."""
        start, end = self.span
        text = Text(f"  piece: {self.path[start:end]!r}" if start < end else "  nothing is marked", style=GREY)
        self.query_one("#piece", Static).update(text)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Make a field of the piece."""
        start, end = self.span
        name = event.value.strip()
        if not name or start == end or "/" in self.path[start:end]:
            why = "Enter a name." if not name else "Mark characters of one segment of the path."
            self.query_one("#field-message", Static).update(Text(why, style=TONES["doubt"]))
            return
        self._session.change(f"{name}={self.path[start:end]}", start=start)

    def action_leave(self) -> None:
        """Go back from the name to the path, and from the path to the rule."""
        if self.query_one(Input).has_focus:
            self.query_one(PathArea).focus()
        else:
            self._session.press("escape")

    @property
    def span(self) -> tuple[int, int]:
        """The first marked character, and the one after the last."""
        selection = self.query_one(PathArea).selection
        start, end = sorted((selection.start[1], selection.end[1]))
        return start, end

    def _mark(self, start: int, end: int) -> None:
        self.query_one(PathArea).selection = Selection((0, start), (0, end))

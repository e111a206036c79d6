"""The last lines of the screen: every key with its effect. Inactive keys are grey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Static

from retouch.recipes.rule.wizard.machine import keys
from retouch.recipes.rule.wizard.states import ASKING, RESULTS
from retouch.tui.colours import DIM, YELLOW

if TYPE_CHECKING:
    from textual.events import Click

    from retouch.recipes.rule.wizard.events import KeyName
    from retouch.recipes.rule.wizard.states import State, Wizard

_ALWAYS: dict[KeyName, str] = {"enter": "approve", "h": "hint", "e": "edit", "r": "regenerate"}
_GREYED = RESULTS | ASKING | {"ANALYSIS_ERROR", "VALIDATION_ERROR", "VALIDATING"}
_TYPING: frozenset[State] = frozenset({"HINT_INPUT", "CHANGE_INPUT", "NAME_INPUT", "EDITING"})
_NAMES: dict[str, str] = {"enter": "⏎", "escape": "esc"}


def offered(wizard: Wizard) -> list[tuple[str, str, bool]]:
    """Return each shown key, its label, and whether it is active. Esc is the last."""
    now = keys(wizard)
    usual = _ALWAYS if wizard.state in _GREYED else {}
    shown = [(key, now.get(key, label), key in now) for key, label in usual.items()]
    shown += [(key, label, True) for key, label in now.items() if key not in usual and key != "escape"]
    leave = [("escape", now["escape"], True)] if "escape" in now else []
    sent = [] if wizard.state in _TYPING else [("s", "sent", True)]
    return [*shown, *sent, *leave]


class KeyBar(Static):
    """Shows the keys of the wizard, on a second line if one is too short. A click on a key presses it."""

    _places: tuple[tuple[int, int, int, str], ...] = ()
    _wizard: Wizard | None = None

    def show_keys(self, wizard: Wizard) -> None:
        """Show the current keys."""
        self._wizard = wizard
        text, places = Text(no_wrap=True, overflow="ellipsis"), list[tuple[int, int, int, str]]()
        row = begins = 0
        for key, label, works in offered(wizard):
            key_text, label_text = f" {_NAMES.get(key, key)}", f" {label} "
            wide = cell_len(key_text) + cell_len(label_text)
            if begins and begins + wide > self.size.width > 0:
                text.append("\n")
                row, begins = row + 1, 0
            text.append(key_text, style=f"bold {YELLOW}" if works else DIM)
            text.append(label_text, style="" if works else DIM)
            places.append((row, begins, begins + wide, key))
            begins += wide
        self._places = tuple(places)
        self.update(text)

    def on_resize(self) -> None:
        """Lay the keys out again for the new width."""
        if self._wizard is not None:
            self.show_keys(self._wizard)

    async def on_click(self, event: Click) -> None:
        """Press the key under the pointer."""
        for row, begins, ends, key in self._places:
            if row == event.y and begins <= event.x < ends:
                await self.run_action("app.sent" if key == "s" else f"app.press('{key}')")

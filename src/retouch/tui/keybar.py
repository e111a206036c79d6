"""The last line of the screen: every key with its effect. Inactive keys are grey."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    """Shows the keys of the wizard. A click on a key presses it."""

    _places: tuple[tuple[int, int, str], ...] = ()

    def show_keys(self, wizard: Wizard) -> None:
        """Show the current keys."""
        text, places = Text(no_wrap=True, overflow="ellipsis"), list[tuple[int, int, str]]()
        for key, label, works in offered(wizard):
            begins = text.cell_len
            text.append(f" {_NAMES.get(key, key)}", style=f"bold {YELLOW}" if works else DIM)
            text.append(f" {label} ", style="" if works else DIM)
            places.append((begins, text.cell_len, key))
        self._places = tuple(places)
        self.update(text)

    async def on_click(self, event: Click) -> None:
        """Press the key under the pointer."""
        for begins, ends, key in self._places:
            if begins <= event.x < ends:
                await self.run_action("app.sent" if key == "s" else f"app.press('{key}')")

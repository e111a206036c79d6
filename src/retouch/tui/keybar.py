"""The last line of the screen: every key with what it does now, those that do nothing in grey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from retouch.recipes.rule.wizard.machine import keys
from retouch.recipes.rule.wizard.states import ASKING, RESULTS

if TYPE_CHECKING:
    from retouch.recipes.rule.wizard.events import KeyName
    from retouch.recipes.rule.wizard.states import Wizard

_ALWAYS: dict[KeyName, str] = {"enter": "approve", "h": "hint", "e": "edit", "r": "regenerate"}
_GREYED = RESULTS | ASKING | {"ANALYSIS_ERROR", "VALIDATION_ERROR", "VALIDATING"}
_NAMES: dict[str, str] = {"enter": "⏎", "escape": "esc"}


def offered(wizard: Wizard) -> list[tuple[str, str, bool]]:
    """Return each key that is shown, its words, and whether it does anything now; Esc is the last."""
    now = keys(wizard)
    usual = _ALWAYS if wizard.state in _GREYED else {}
    shown = [(key, now.get(key, words), key in now) for key, words in usual.items()]
    shown += [(key, words, True) for key, words in now.items() if key not in usual and key != "escape"]
    leave = [("escape", now["escape"], True)] if "escape" in now else []
    return [*shown, ("s", "sent", True), *leave]


class KeyBar(Static):
    """Shows the keys of the wizard; a click does what the key does."""

    def tell(self, wizard: Wizard) -> None:
        """Show the keys as they are now."""
        parts: list[Content] = []
        for key, words, works in offered(wizard):
            # Only words of our own are read as markup here.
            click = f"app.press('{key}')" if key != "s" else "app.sent"
            look = f"[@click={click}][b $accent] {_NAMES.get(key, key)}[/b $accent] {words} [/]"
            parts.append(Content.from_markup(look if works else f"[$secondary 60%] {_NAMES.get(key, key)} {words} [/]"))
        self.update(Content("").join(parts))

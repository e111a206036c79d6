"""The rule wizard on a screen: it shows the state of the session and forwards pressed keys."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from rich.text import Text
from textual.app import App
from textual.binding import Binding
from textual.containers import Container
from textual.widgets import Static

from retouch.recipes.rule.wizard.lines import LINE_STATES, spent
from retouch.recipes.rule.wizard.machine import keys
from retouch.recipes.rule.wizard.session import WizardSession
from retouch.recipes.rule.wizard.shown import shown
from retouch.tui.colours import GREY, THEME, TONES
from retouch.tui.editors import OwnEditor, ScreenEditor
from retouch.tui.fields import ChangeField, HintField, InputField, NameField, Sent
from retouch.tui.keybar import KeyBar
from retouch.tui.panes import StatePane, Waiting
from retouch.tui.piece import PieceField
from retouch.tui.result import Result

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from retouch.recipes.rule.wizard.editor import Editor
    from retouch.recipes.rule.wizard.events import KeyName
    from retouch.recipes.rule.wizard.session_state import Setup
    from retouch.recipes.rule.wizard.states import State

Pane: TypeAlias = StatePane | Waiting | Result
KEYS: tuple[KeyName, ...] = (
    *("enter", "h", "e", "r", "y", "n", "d", "m", "t"),
    *("c", "u", "p", "x", "g", "j", "k", "o", "w", "escape"),
)
FIELDS: dict[State, type[InputField]] = {
    "HINT_INPUT": HintField,
    "CHANGE_INPUT": ChangeField,
    "NAME_INPUT": NameField,
    "APPROVING": NameField,
}
LEAVE_S = 0.3
TABS = ("preview", "text", "unmatched", "conflicts", "notes")


class WizardApp(App[None]):
    """Runs one session. Its final state is in `session`."""

    CSS_PATH = "wizard.tcss"
    TITLE = "Rule wizard"
    AUTO_FOCUS = None
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[Any]] = [
        *(Binding(key, f"press('{key}')", show=False) for key in KEYS),
        *(Binding(str(number), f"turn('{tab}')", show=False) for number, tab in enumerate(TABS, 1)),
        Binding("s", "sent", show=False),
        Binding("ctrl+c,ctrl+q", "leave", show=False, priority=True),
    ]

    def __init__(
        self, setup: Setup, *, editor_command: tuple[str, ...] = (), editor: Editor | None = None, preview: bool = False
    ) -> None:
        super().__init__()
        own = OwnEditor(self, editor_command) if editor_command else ScreenEditor(self)
        self.session = WizardSession(setup, editor=editor or own, on_change=self._changed)
        self._preview = preview
        self._hint = ""
        self._of: tuple[State, int] | None = None
        self._leaving: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        """Yield the frame."""
        yield Static(id="top", markup=False)
        yield Container(id="body")
        yield Static(id="message", markup=False)
        yield KeyBar(id="keys", markup=False)

    def on_mount(self) -> None:
        """Start the session."""
        self.register_theme(THEME)
        self.theme = THEME.name
        self.session.begin(preview=self._preview)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Return None for an inactive key, which is shown in grey."""
        if action != "press":
            return True
        return True if parameters and parameters[0] in keys(self.session.wizard) else None

    def action_press(self, key: KeyName) -> None:
        """Forward the key to the session."""
        self.session.press(key)

    def action_turn(self, tab: str) -> None:
        """Show another tab of an artifact."""
        for pane in self.screen.query(Result):
            pane.turn_to(tab)

    def action_sent(self) -> None:
        """Show the request that is sent."""
        self.push_screen(Sent(self.session))

    async def action_leave(self) -> None:
        """Stop. Responses are in the ledger, an artifact that passed is a draft, and edits are in their file."""
        await self._close()
        self.exit()

    def _changed(self) -> None:
        if self.is_running:
            self.call_later(self._show)

    async def _show(self) -> None:
        """Show the state of the session."""
        session = self.session
        if session.is_over:
            await self._end()
            return
        await self._show_field()
        await self._show_pane()
        self._show_frame()

    async def _end(self) -> None:
        if self.session.error is None:
            await self._close()
        self.exit()

    async def _close(self) -> None:
        """Stop the work. Work that cannot be stopped, such as a call in a thread, is not waited for."""
        self._leaving = asyncio.create_task(self.session.close())
        await asyncio.wait({self._leaving}, timeout=LEAVE_S)

    async def _show_field(self) -> None:
        wizard = self.session.wizard
        wanted = FIELDS.get(wizard.state)
        if wanted is ChangeField and wizard.operation == "piece":
            wanted = PieceField
        there = self.screen if isinstance(self.screen, InputField) else None
        if there is not None and not (wanted is not None and isinstance(there, wanted)):
            self._hint = there.text if isinstance(there, HintField) else self._hint
            await self.pop_screen()
            there = None
        if there is not None:
            there.renew()
        elif wanted is HintField:
            await self.push_screen(HintField(self.session, self._hint))
        elif wanted is not None:
            await self.push_screen(wanted(self.session))

    async def _show_pane(self) -> None:
        wizard = self.session.wizard
        base = self.screen_stack[0]
        there = base.query(".pane")
        stays = wizard.state in {"HINT_INPUT", "CHANGE_INPUT", "NAME_INPUT", "APPROVING", "EDITING"}
        if there and (stays or self._of == (wizard.state, wizard.round)):
            for pane in there:
                if isinstance(pane, StatePane | Waiting | Result):
                    pane.renew()
            return
        self._of = (wizard.state, wizard.round)
        await there.remove()
        await base.query_one("#body").mount(self._pane())

    def _pane(self) -> Pane:
        session = self.session
        if session.wizard.state in LINE_STATES:
            return StatePane(session)
        found = None if session.is_working else shown(session.data)
        return Waiting(session) if found is None else Result(session, found)

    def _show_frame(self) -> None:
        base, session = self.screen_stack[0], self.session
        base.query_one("#top", Static).update(self._top())
        message = base.query_one("#message", Static)
        text = session.wizard.message
        message.update(Text(f"! {text}", style=TONES["doubt"]))
        message.set_class(bool(text) and not isinstance(self.screen, InputField), "said")
        base.query_one(KeyBar).show_keys(session.wizard)

    def _top(self) -> Text:
        data = self.session.data
        text = Text(no_wrap=True, overflow="ellipsis")
        text.append("Rule wizard", style=TONES["title"])
        count = len(data.job.samples)
        text.append(f"   {count:,} path{'s' if count != 1 else ''}")
        text.append(f"   model {getattr(data.setup.model, 'name', 'unknown')}")
        text.append(f"   {spent(data.spent)}", style=GREY)
        return text

"""Where something is typed: a hint, a name; and what was sent, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from retouch.recipes.rule.asking.source import MAX_HINT_CHARS
from retouch.recipes.rule.wizard.telling import sent
from retouch.tui.colours import GREY, TONES, coloured, keyed

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from retouch.recipes.rule.wizard.session import WizardSession


class InputField(ModalScreen[None]):
    """A window over the screen in which something is typed for the wizard."""

    AUTO_FOCUS = None

    def __init__(self, session: WizardSession) -> None:
        super().__init__()
        self._session = session

    def renew(self) -> None:
        """Show what the wizard says of what was typed."""
        self.query_one("#field-message", Static).update(Text(self._session.wizard.message, style=TONES["doubt"]))


class HintArea(TextArea):
    """A field of several lines in which Enter is the end."""

    BINDINGS: ClassVar[list[Any]] = [Binding("enter", "screen.enter", "enter", priority=True)]


class HintField(InputField):
    """Where a hint is typed; a hint that was left is there again."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "leave", "back", priority=True)]

    def __init__(self, session: WizardSession, text: str) -> None:
        super().__init__(session)
        self.text = text

    def compose(self) -> ComposeResult:
        """Yield the field and its counter."""
        with Vertical(classes="window"):
            yield Static("What do the parts of the paths mean?", classes="window-title", markup=False)
            yield HintArea(self.text, id="hint", soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
            yield Static(id="counter", markup=False)
            yield Static(id="field-message", markup=False)
            yield Static(keyed(("⏎", "ask again"), ("esc", "back, your words are kept")))

    def on_mount(self) -> None:
        """Let the person type at the end of what is there."""
        area = self.query_one(HintArea)
        area.move_cursor(area.document.end)
        area.focus()
        self._count()

    def on_text_area_changed(self) -> None:
        """Count what is typed."""
        self._count()

    def action_enter(self) -> None:
        """Give the hint."""
        self._session.hint(self.text)

    def action_leave(self) -> None:
        """Go back; what was typed is kept."""
        self._session.press("escape")

    def _count(self) -> None:
        self.text = self.query_one(HintArea).text
        count = len(self.text.strip())
        over = count > MAX_HINT_CHARS
        words = f"{'✗ ' if over else ''}{count} / {MAX_HINT_CHARS}{', too long' if over else ''}"
        self.query_one("#counter", Static).update(Text(words, style=TONES["bad"] if over else GREY))


class NameField(InputField):
    """Where the name of what is approved is typed."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "leave", "back", priority=True)]

    def compose(self) -> ComposeResult:
        """Yield the field, and where the file goes."""
        with Vertical(classes="window"):
            yield Static("Under which name?", classes="window-title", markup=False)
            yield Input(self._session.wizard.name, id="name", max_length=100, select_on_focus=False)
            yield Static(id="where", markup=False)
            yield Static(id="field-message", markup=False)
            yield Static(keyed(("⏎", "write it"), ("esc", "back")))

    def on_mount(self) -> None:
        """Let the person type."""
        self.query_one(Input).focus()
        self.renew()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say whether the name can be used."""
        self._session.name(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Approve under this name."""
        self._session.name(event.value)
        self._session.press("enter")

    def action_leave(self) -> None:
        """Go back to what is to be approved."""
        self._session.press("escape")

    def renew(self) -> None:
        """Say where the file goes, or why not."""
        super().renew()
        wizard, desk = self._session.wizard, self._session.desk
        ending = ".py" if desk.outcome and desk.outcome.artifact and desk.outcome.artifact.kind == "python" else ".yaml"
        if not wizard.name_is_valid:
            text = Text("✗ a-z, 0-9 and _, a letter first", style=TONES["bad"])
        elif wizard.name_is_taken:
            text = Text("✗ there is a rule of this name", style=TONES["bad"])
        else:
            text = Text(f"✓ goes into {desk.setup.output / (wizard.name + ending)}", style=TONES["good"])
        self.query_one("#where", Static).update(text)


class Sent(ModalScreen[None]):
    """Every word that left the machine, or would."""

    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[Any]] = [("escape", "dismiss", "back"), ("s", "dismiss", "back")]

    def __init__(self, session: WizardSession) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        """Yield the words."""
        with Vertical(classes="window tall"):
            yield Static("What leaves this machine: only this, never contents of files", classes="window-title")
            with VerticalScroll(id="sent"):
                yield Static(coloured(sent(self._session.desk)), markup=False)
            yield Static(keyed(("esc", "back")))

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#sent").focus()

"""Input fields for hints and names, and the view of the sent request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static, TextArea

from retouch.recipes.rule.asking.source import MAX_HINT_CHARS
from retouch.recipes.rule.wizard.lines import change_prompt, change_start, sent
from retouch.tui.colours import GREY, TONES, coloured, keyed

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from retouch.recipes.rule.wizard.session import WizardSession


class InputField(ModalScreen[None]):
    """A window with an input field for the wizard."""

    AUTO_FOCUS = None

    def __init__(self, session: WizardSession) -> None:
        super().__init__()
        self._session = session

    def renew(self) -> None:
        """Show the wizard's message about the input."""
        self.query_one("#field-message", Static).update(Text(self._session.wizard.message, style=TONES["doubt"]))


class HintArea(TextArea):
    """A field of several lines in which Enter ends the input."""

    BINDINGS: ClassVar[list[Any]] = [Binding("enter", "screen.enter", "enter", priority=True)]


class HintField(InputField):
    """The input field for a hint. It keeps an unfinished hint."""

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
            yield Static(keyed(("⏎", "ask again"), ("esc", "back, your hint is kept")))

    def on_mount(self) -> None:
        """Put the cursor at the end of the text."""
        area = self.query_one(HintArea)
        area.move_cursor(area.document.end)
        area.focus()
        self._count()

    def on_text_area_changed(self) -> None:
        """Update the counter."""
        self._count()

    def action_enter(self) -> None:
        """Send the hint."""
        self._session.hint(self.text)

    def action_leave(self) -> None:
        """Go back. The text is kept."""
        self._session.press("escape")

    def _count(self) -> None:
        self.text = self.query_one(HintArea).text
        count = len(self.text.strip())
        over = count > MAX_HINT_CHARS
        words = f"{'✗ ' if over else ''}{count} / {MAX_HINT_CHARS}{', too long' if over else ''}"
        self.query_one("#counter", Static).update(Text(words, style=TONES["bad"] if over else GREY))


class NameField(InputField):
    """The input field for the name of an approved artifact."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "leave", "back", priority=True)]

    def compose(self) -> ComposeResult:
        """Yield the field and the path of the file."""
        with Vertical(classes="window"):
            yield Static("Name of the rule", classes="window-title", markup=False)
            yield Input(self._session.wizard.name, id="name", max_length=100, select_on_focus=False)
            yield Static(id="where", markup=False)
            yield Static(id="field-message", markup=False)
            yield Static(keyed(("⏎", "write it"), ("esc", "back")))

    def on_mount(self) -> None:
        """Focus the field."""
        self.query_one(Input).focus()
        self.renew()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Check whether the name can be used."""
        self._session.name(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Approve under this name."""
        self._session.name(event.value)
        self._session.press("enter")

    def action_leave(self) -> None:
        """Go back to the artifact."""
        self._session.press("escape")

    def renew(self) -> None:
        """Show the path of the file, or why the name cannot be used."""
        super().renew()
        wizard, data = self._session.wizard, self._session.data
        ending = ".py" if data.outcome and data.outcome.artifact and data.outcome.artifact.kind == "python" else ".yaml"
        if not wizard.name_is_valid:
            text = Text("✗ a-z, 0-9 and _, a letter first", style=TONES["bad"])
        elif wizard.name_is_taken:
            text = Text("✗ a rule with this name already exists", style=TONES["bad"])
        else:
            text = Text(f"✓ writes {data.setup.output / (wizard.name + ending)}", style=TONES["good"])
        self.query_one("#where", Static).update(text)


class ChangeField(InputField):
    """The input field for a change of the fields. It starts with the field or path under the cursor."""

    BINDINGS: ClassVar[list[Any]] = [Binding("escape", "leave", "back", priority=True)]

    def compose(self) -> ComposeResult:
        """Yield the field and the form of its text."""
        title, form = change_prompt(self._session.wizard.operation)
        with Vertical(classes="window"):
            yield Static(title, classes="window-title", markup=False)
            yield Static(Text(form, style=GREY), markup=False)
            yield Input(change_start(self._session), id="change", select_on_focus=False)
            yield Static(id="field-message", markup=False)
            yield Static(keyed(("⏎", "change and check it"), ("esc", "back")))

    def on_mount(self) -> None:
        """Focus the field, with the cursor at the end of its text."""
        self.query_one(Input).focus()
        self.query_one(Input).action_end()
        self.renew()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Make the change."""
        self._session.change(event.value)

    def action_leave(self) -> None:
        """Go back to the rule."""
        self._session.press("escape")


class Sent(ModalScreen[None]):
    """The last request of the run, or the first one that would be sent."""

    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[Any]] = [("escape", "dismiss", "back"), ("s", "dismiss", "back")]

    def __init__(self, session: WizardSession) -> None:
        super().__init__()
        self._session = session

    def compose(self) -> ComposeResult:
        """Yield the text of the request."""
        with Vertical(classes="window tall"):
            yield Static("This is everything that is sent, never contents of files", classes="window-title")
            with VerticalScroll(id="sent"):
                yield Static(coloured(sent(self._session.data)), markup=False)
            yield Static(keyed(("esc", "back")))

    def on_mount(self) -> None:
        """Let the arrow keys scroll."""
        self.query_one("#sent").focus()

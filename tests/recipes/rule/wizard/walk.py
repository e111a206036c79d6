"""A session with a scripted model and a user who presses keys."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.wizard.lines import state_lines
from retouch.recipes.rule.wizard.session import WizardSession
from retouch.recipes.rule.wizard.session_state import Setup
from retouch.testing import scripted
from tests.recipes.rule.rounds_scene import job

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.rule import ExtractionRule, RuleJob
    from retouch.recipes.rule.wizard.events import KeyName
    from retouch.recipes.rule.wizard.states import Wizard


class Typist:
    """An editor without a screen: a function maps the old text to the new one. None is an editor that fails."""

    def __init__(self, *hands: Callable[[str], str | None]) -> None:
        self._hands = list(hands)
        self.opened: list[tuple[str, int | None]] = []

    async def __call__(self, file: Path, line: int | None) -> str:
        """Change the file with the next function."""
        await asyncio.sleep(0)
        return self._typed(file, line)

    def _typed(self, file: Path, line: int | None) -> str:
        text = file.read_text(encoding="utf-8")
        self.opened.append((text, line))
        written = self._hands.pop(0)(text)
        if written is None:
            return "The editor failed."
        file.write_text(written, encoding="utf-8")
        return ""


class Walk:
    """One user's session of the wizard."""

    def __init__(
        self,
        folder: Path,
        *answers: Any,
        of: RuleJob | None = None,
        editor: Typist | None = None,
        rules: tuple[ExtractionRule, ...] = (),
    ) -> None:
        script: Any = answers[0] if len(answers) == 1 and callable(answers[0]) else list(answers)
        self.model = scripted(script)
        self.folder = folder
        self.seen: list[str] = []
        setup = Setup(job=of or job(), folder=folder / "run", model=self.model, output=folder / "rules", rules=rules)
        self.session = WizardSession(setup, editor=editor, on_change=self._note)

    def _note(self) -> None:
        state = self.session.wizard.state
        if not self.seen or self.seen[-1] != state:
            self.seen.append(state)

    async def begin(self, **how: bool) -> Wizard:
        """Start, and wait until the user must decide."""
        self.session.begin(**how)
        return await self.session.settled()

    async def press(self, *names: KeyName) -> Wizard:
        """Press keys, each when no work is in progress."""
        for name in names:
            self.session.press(name)
            await self.session.settled()
        return self.session.wizard

    async def hint(self, text: str) -> Wizard:
        """Give a hint."""
        self.session.press("h")
        self.session.hint(text)
        return await self.session.settled()


def read(path: Path | str) -> str:
    """Return the text of a file."""
    return Path(path).read_text(encoding="utf-8")


def walked(work: Any) -> Any:
    """Return the result of a session."""
    return asyncio.run(work)


def words(walk: Walk) -> str:
    """Return the lines of the current state."""
    return "\n".join(line.text for line in state_lines(walk.session))

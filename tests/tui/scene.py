"""The wizard on a hidden screen of 80 by 24, and its content."""

from __future__ import annotations

import asyncio
import html
import re
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.wizard.session_state import Setup
from retouch.testing import scripted
from retouch.tui.app import WizardApp
from tests.recipes.rule.rounds_scene import job
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Coroutine
    from pathlib import Path

    from textual.pilot import Pilot

    from retouch.recipes.rule import ExtractionRule, RuleJob

_LINE = re.compile(r'<text[^>]*?x="([0-9.]+)"[^>]*?y="([0-9.]+)"[^>]*?>(.*?)</text>')


class Shown:
    """An app that a test controls."""

    def __init__(self, app: WizardApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def state(self) -> str:
        """The state of the wizard."""
        return self.app.session.wizard.state

    @property
    def text(self) -> str:
        """The text on the screen."""
        pieces: dict[float, list[tuple[float, str]]] = {}
        for x, y, words in _LINE.findall(self.app.export_screenshot()):
            pieces.setdefault(float(y), []).append((float(x), html.unescape(words).replace("\xa0", " ")))
        return "\n".join("".join(text for _, text in sorted(line)) for _, line in sorted(pieces.items()))

    async def press(self, *keys: str, until: str = "") -> None:
        """Press keys, and wait until the wizard has the expected state."""
        await self.pilot.press(*keys)
        await self.settle(until)

    async def settle(self, until: str = "") -> None:
        """Wait until no work is in progress, or the state is the expected one, and everything is drawn."""
        await self._until(lambda: self.state == until or (not until and not self.app.session.is_working), until)
        await self.pilot.pause()
        await self.pilot.pause()

    async def sees(self, *texts: str) -> None:
        """Wait until the screen shows all these texts."""
        await self._until(lambda: not [one for one in texts if one not in self.text], *texts)

    async def until(self, holds: Callable[[str], bool]) -> None:
        """Wait until something holds of the text on the screen."""
        await self._until(lambda: holds(self.text))

    async def _until(self, holds: Callable[[], bool], *expected: str) -> None:
        end = time.monotonic() + MOST_S
        await self.pilot.pause()
        while not holds():
            assert time.monotonic() < end, (expected, self.state, self.text)
            await asyncio.sleep(0.01)
            await self.pilot.pause()


@asynccontextmanager
async def on_screen(
    folder: Path,
    *answers: Any,
    of: RuleJob | None = None,
    rules: tuple[ExtractionRule, ...] = (),
    preview: bool = False,
    editor: Any = None,
    size: tuple[int, int] = (80, 24),
    settled: bool = True,
) -> AsyncGenerator[Shown]:
    """Yield the app for a run directory, with a scripted model."""
    script: Any = answers[0] if len(answers) == 1 and callable(answers[0]) else list(answers)
    setup = Setup(job=of or job(), folder=folder / "run", model=scripted(script), output=folder / "rules", rules=rules)
    app = WizardApp(setup, preview=preview, editor=editor)
    async with app.run_test(size=size) as pilot:
        shown = Shown(app, pilot)
        if settled:
            await shown.settle()
        yield shown


def played(work: Coroutine[Any, Any, None]) -> None:
    """Run a scene."""
    asyncio.run(work)

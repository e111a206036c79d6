"""The wizard on a screen of 80 by 24 that nobody sees, and what stands on it."""

from __future__ import annotations

import asyncio
import html
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.wizard.desk import Setup
from retouch.testing import scripted
from retouch.tui.app import WizardApp
from tests.recipes.rule.rounds_scene import job

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Coroutine
    from pathlib import Path

    from textual.pilot import Pilot

    from retouch.recipes.rule import ExtractionRule, RuleJob

_LINE = re.compile(r'<text[^>]*?x="([0-9.]+)"[^>]*?y="([0-9.]+)"[^>]*?>(.*?)</text>')
MOST_WAITS = 400


class Shown:
    """An app under a test's hand."""

    def __init__(self, app: WizardApp, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def state(self) -> str:
        """Where the wizard stands."""
        return self.app.session.wizard.state

    @property
    def text(self) -> str:
        """What stands on the screen."""
        pieces: dict[float, list[tuple[float, str]]] = {}
        for x, y, words in _LINE.findall(self.app.export_screenshot()):
            pieces.setdefault(float(y), []).append((float(x), html.unescape(words).replace("\xa0", " ")))
        return "\n".join("".join(text for _, text in sorted(line)) for _, line in sorted(pieces.items()))

    async def press(self, *keys: str, until: str = "") -> None:
        """Press keys, and wait until the wizard stands where it should."""
        await self.pilot.press(*keys)
        await self.settle(until)

    async def settle(self, until: str = "") -> None:
        """Wait until nothing is under way and all of it is drawn."""
        for _ in range(MOST_WAITS):
            await self.pilot.pause()
            if self.state == until or (not until and not self.app.session.is_working):
                break
            await asyncio.sleep(0.01)
        assert not until or until == self.state, (self.state, self.app.session.wizard)
        await self.pilot.pause()
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
    """Give the app over a run directory, its model following a script."""
    script: Any = answers[0] if len(answers) == 1 and callable(answers[0]) else list(answers)
    setup = Setup(job=of or job(), folder=folder / "run", model=scripted(script), output=folder / "rules", rules=rules)
    app = WizardApp(setup, preview=preview, editor=editor)
    async with app.run_test(size=size) as pilot:
        shown = Shown(app, pilot)
        if settled:
            await shown.settle()
        yield shown


def played(work: Coroutine[Any, Any, None]) -> None:
    """Play a scene."""
    asyncio.run(work)

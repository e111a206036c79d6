"""A process that works on a run directory until somebody stops it; the tests start it and end it by its id.

Run as `python working.py FOLDER SIDE CONCURRENCY SECONDS REPLIES`: each unit is noted in SIDE when the engine looks at
its replies for the first time, which it does only after they were committed. After so many replies the model answers
only once SIDE.go is there; SIDE.held is made when the first call waits for it, so that a test finds calls in flight,
however late it comes. SIDE.stopping is made when the process has begun to stop.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.options import Progress
    from retouch.engine.types import OnEvent, Request

UNITS = 40
GRACE_S = 600.0  # longer than any test waits: only replies, or a second interrupt, end the process


def source() -> Any:
    """Many units of one page or two."""
    from tests.engine.glossary import Glossary

    return Glossary(units={f"u{n}": tuple(f"w{n}x{i}" for i in range(1 + n % 3)) for n in range(UNITS)})


class Slow:
    """A model that answers rightly after a moment; every seventh page is wrong at first."""

    name = "slow"

    def __init__(self, wait_s: float, replies: int, side: Path) -> None:
        self._wait_s, self._left = wait_s, replies
        self._go, self._held = side.with_suffix(".go"), side.with_suffix(".held")

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Any:
        """Return the right answer, or nonsense for some pages that are asked for the first time."""
        from retouch.engine.types import Event, Reply
        from tests.engine.glossary import answer

        if on_event is not None:
            on_event(Event(kind="first_byte"))
        number = int(request.prompt.unit[1:])
        await asyncio.sleep(self._wait_s * (1 + number % 5))
        self._left -= 1
        if self._left < 0:
            self._held.touch()
        while self._left < 0 and not self._go.exists():  # noqa: ASYNC110 - a file of another process
            await asyncio.sleep(0.01)
        wrong = number % 7 == 0 and "CORRECTION" not in request.messages[0].text
        return Reply(text="nonsense" if wrong else answer(request.prompt), model="slow", output_tokens=number)


async def work(folder: Path, side: Path, concurrency: int, wait_s: float, replies: int) -> None:
    """Generate with the slow model, noting each reply that was handed on."""
    from dataclasses import replace

    from retouch.engine.options import RunOptions
    from retouch.engine.verbs import generate
    from tests.engine import glossary

    handle = os.open(side, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def read(source: Any, unit: str, pages: Sequence[str]) -> Any:
        os.write(handle, f"{unit}\n".encode())
        return glossary.read(source, unit, pages)

    def watch(progress: Progress) -> None:
        if progress.kind == "stopping":  # told in the middle of a step, which no second interrupt is to break off
            asyncio.get_running_loop().call_soon(side.with_suffix(".stopping").touch)

    options = RunOptions(concurrency=concurrency, warm_up_s=0.001, grace_s=GRACE_S, watch=watch)
    model = Slow(wait_s, replies, side)
    await generate(replace(glossary.RECIPE, read=read), source(), folder, model, options)


if __name__ == "__main__":
    try:
        asyncio.run(work(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])))
    except KeyboardInterrupt:
        sys.exit(130)

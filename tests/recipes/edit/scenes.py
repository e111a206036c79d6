"""A small project to edit, and models with the test's answers."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.engine.options import RunOptions
from retouch.engine.types import Reply
from retouch.engine.verbs import generate
from retouch.recipes.edit import edit_job, recipe
from retouch.testing import scripted
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Request

SMALL = "def load(path):\n    return open(path).read()\n"
LARGE = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(200))


class Project:
    """A directory with files, and a run of the edit recipe for some of them."""

    def __init__(self, root: Path) -> None:
        self.root = root / "project"
        self.run = root / "run"
        self.root.mkdir()
        (self.root / "small.py").write_text(SMALL, encoding="utf-8")
        (self.root / "large.py").write_text(LARGE, encoding="utf-8")

    def edit(
        self,
        *paths: str,
        answers: Any,
        request: str = "change it",
        check: str = "",
        limit_s: float = MOST_S,
        fallback_whole_file: bool = False,
        may_touch: tuple[str, ...] = (),
        **way: Any,
    ) -> RunResult:
        """Run the recipe on `paths` with a scripted model; `answers` is a list or a function of the request."""
        files = [Path(path) for path in paths]
        fallback = fallback_whole_file
        job = edit_job(self.root, files, request, check=check, fallback_whole_file=fallback, may_touch=may_touch)
        self.model = scripted(answers)
        options = RunOptions(workspace=str(self.root), check_timeout_s=limit_s, **way)
        return asyncio.run(generate(recipe, job, self.run, self.model, options))

    def new(self, path: str) -> str:
        """Return the new text of a file in the run directory."""
        return (self.run / "files" / path).read_text(encoding="utf-8")

    def asked(self, call: int) -> str:
        """Return the last turn of a request."""
        return self.model.requests[call].messages[-1].text


def change(find: str, replace: str, number: int = 1) -> str:
    """Return one block as a model writes it."""
    return f"CHANGE {number}: as asked\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{replace}\n```\n"


def whole(text: str) -> str:
    """Return a whole file as a model writes it."""
    return f"Here it is:\n```python\n{text}```\n"


def cut(text: str) -> Callable[[Request], Reply]:
    """Return an answer that was cut off at the request's cap."""
    return lambda request: Reply(text=text, finish="length", model="m", output_tokens=request.max_output_tokens)

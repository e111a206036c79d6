"""A folder with the example's Chisel unit, and a model that says what a test wrote."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any, TypeAlias

from tests.recipes.chisel.scenes import COMPILER, EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

Retouch: TypeAlias = "Callable[..., Result]"
TOLD_MODEL = '''
import json
import os
import pathlib
from retouch.engine.types import Reply

def open_told(spec):
    """Answers with the items of a JSON list, one per call; the number of calls so far lies in a file beside it."""
    path = pathlib.Path(spec.rest)
    calls = path.with_suffix(".calls")

    async def told(request, *, on_event=None):
        done = len(calls.read_text()) if calls.exists() else 0
        calls.write_text("x" * (done + 1))
        answer = json.loads(path.read_text())[done]
        if answer == "KILL":
            os.kill(os.getpid(), 9)
        if isinstance(answer, dict):  # somebody changes a file meanwhile
            with pathlib.Path(answer["append_to"]).open("a") as file:
                file.write(answer["text"])
            answer = answer["answer"]
        return Reply(text=answer, model="told", input_tokens=10, output_tokens=5)

    return told
'''


class Desk:
    """A folder with the example's unit, and a model that says what a test wrote."""

    def __init__(self, folder: Path, retouch: Retouch) -> None:
        self.folder, self.retouch = folder, retouch
        self.package = folder / "package"
        info = self.package / "told_model-1.0.dist-info"
        info.mkdir(parents=True)
        (self.package / "told_model.py").write_text(TOLD_MODEL)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: told-model\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[retouch.models]\ntold = told_model:open_told\n")
        shutil.copytree(EXAMPLE / "alu", folder / "alu")
        self.answers: list[str] = []

    def words(self, *more: str, answers: list[Any] | None = None, compiler: str = COMPILER) -> list[str]:
        """The words of the command."""
        if answers is not None:
            (self.folder / "told.calls").unlink(missing_ok=True)
            (self.folder / "told.json").write_text(json.dumps(answers))
        paths = ["--diff", "alu/wanted.diff", "--source", "alu/src", "--workspace", "alu", "-o", "out/run"]
        return ["generate", "chisel", *paths, "--compile", compiler, "--model", "told:told.json", *more]

    def mend(self, *more: str, answers: list[Any] | None = None, compiler: str = COMPILER) -> Result:
        return self.retouch(*self.words(*more, answers=answers, compiler=compiler))

    def calls(self) -> int:
        path = self.folder / "told.calls"
        return len(path.read_text()) if path.exists() else 0

    def tree(self) -> dict[str, bytes]:
        files = sorted(path for path in (self.folder / "alu").rglob("*") if path.is_file())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}

    def trials(self, *words: str) -> Any:
        return json.loads(self.retouch("trials", *(words or ("out",)), "--json").stdout)

    def outcomes(self) -> dict[str, str]:
        (case,) = self.trials()["cases"].values()
        return {record["module_id"]["name"]: record["outcome_last"] for record in case}

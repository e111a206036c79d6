"""Workspaces, questions about them, and machines that allow less than this one."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.process.judging import CheckOptions, CheckRequest, CheckStep, judge, preflight

if TYPE_CHECKING:
    from retouch._lib.process.judging import CommandVerdict

PYTHON = shlex.quote(sys.executable)


class Bench:
    """A workspace with files, and commands that judge it; copies and results lie beside it."""

    def __init__(self, root: Path, **files: str) -> None:
        self.root = root
        self.workspace = root / "project"
        self.workspace.mkdir()
        self.write(files or {"a.txt": "old\n"})

    def write(self, files: dict[str, str]) -> None:
        """Write files into the workspace."""
        for name, text in files.items():
            place = self.workspace / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")

    def question(self, *steps: str | CheckStep, limit_s: float = 120.0, **options: Any) -> CheckRequest:
        """Return a question with one step per command."""
        given = tuple(one if isinstance(one, CheckStep) else CheckStep(name="check", command=one) for one in steps)
        extra = {name: options.pop(name) for name in ("given", "in_place_by") if name in options}
        return CheckRequest(
            steps=given,
            workspace=self.workspace,
            limit_s=limit_s,
            options=CheckOptions(**options),
            given=extra.get("given", {}),
            in_place=extra.get("in_place_by"),
            cache=self.root / "cache",
        )

    def judge(self, *steps: str | CheckStep, texts: dict[str, str] | None = None, **options: Any) -> CommandVerdict:
        """Return the last verdict on the workspace with `texts`, by default with a new a.txt."""
        return self.verdicts(*steps, texts=texts, **options)[-1]

    def verdicts(
        self, *steps: str | CheckStep, texts: dict[str, str] | None = None, **options: Any
    ) -> list[CommandVerdict]:
        changes = {"a.txt": "new\n"} if texts is None else texts
        return asyncio.run(judge(self.question(*steps, **options), changes))

    def preflight(self, *steps: str | CheckStep, **options: Any) -> CommandVerdict | None:
        return asyncio.run(preflight(self.question(*steps, **options)))

    def tree(self) -> dict[str, str]:
        """Every file of the workspace with its text."""
        files = (path for path in self.workspace.rglob("*") if path.is_file())
        return {path.relative_to(self.workspace).as_posix(): path.read_text(errors="replace") for path in files}


def living(word: str) -> list[int]:
    """Return the processes whose command line contains `word`."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                found += [int(entry.name)] if word.encode() in (entry / "cmdline").read_bytes() else []
            except OSError:
                continue
    return found

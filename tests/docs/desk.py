"""A place where the steps of a page are taken."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from typing import TYPE_CHECKING

from tests.docs.page_steps import shows

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tests.docs.page_steps import Step

PROGRAMS = {
    "pip": 'pip "$@" --no-build-isolation --no-deps --no-index --disable-pip-version-check',
    "pytest": 'pytest -p no:cacheprovider "$@"',
    "retouch": 'retouch.cli "$@"',
}


class Desk:
    """An empty folder, and an environment of its own that knows all that is installed.

    `refused` gives the exit status of commands, by how they begin; the others end with 0.
    """

    def __init__(self, folder: Path, refused: Mapping[str, int]) -> None:
        self._refused = refused
        self.folder = folder / "desk"
        self.folder.mkdir()
        place = folder / "environment"
        venv.create(place, with_pip=False)
        (site,) = place.glob("lib/python*/site-packages")
        (site / "all.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
        for name, words in PROGRAMS.items():
            (place / "bin" / name).write_text(f'#!/bin/sh\nexec "{place}/bin/python" -m {words}\n')
            (place / "bin" / name).chmod(0o755)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("RETOUCH", "PY"))}
        places = f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}"
        self.environment = {**inherited, "PATH": places, "COLUMNS": "80"}

    def took(self, step: Step) -> str:
        """Take one step; return what is not as the page says, "" when all of it is."""
        if step.kind == "file":
            path = self.folder / step.name
            path.parent.mkdir(exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
            return ""
        if step.kind == "dialogue":
            (self.folder / "dialogue").write_text(step.text, encoding="utf-8")
            return self._ran("python -m doctest dialogue", shown="", status=0)
        status = next((code for start, code in self._refused.items() if step.name.startswith(start)), 0)
        return self._ran(step.name, shown=step.text, status=status)

    def _ran(self, words: str, *, shown: str, status: int) -> str:
        done = subprocess.run(
            ["sh", "-c", words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
            check=False,
        )
        right = done.returncode == status and shows(shown, done.stdout)
        return "" if right else f"$ {words}\n{done.stdout}exit status {done.returncode}, wanted {status}"

"""A place where the steps of a page are executed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from tests.docs.page_steps import shows
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.docs.page_steps import Step

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROGRAMS = {
    "pip": 'pip "$@" --no-build-isolation --no-deps --no-index --disable-pip-version-check',
    "pytest": 'pytest -p no:cacheprovider "$@"',
    "retouch": 'retouch "$@"',
}


class Desk:
    """A directory with copies of `given` examples, and an environment of its own that knows all that is installed.

    No C# compiler is found, and caches and drafts are kept below `directory`. `refused` has the exit status of commands
    by how they begin; the others exit with 0.
    """

    def __init__(self, directory: Path, refused: Mapping[str, int], given: Sequence[str] = ()) -> None:
        self._refused = refused
        self.directory = directory / "desk"
        self.directory.mkdir()
        for name in given:
            if (EXAMPLES / name).is_dir():
                shutil.copytree(EXAMPLES / name, self.directory, dirs_exist_ok=True)
            else:
                shutil.copy(EXAMPLES / name, self.directory)
        place = directory / "environment"
        venv.create(place, with_pip=False)
        (site,) = place.glob("lib/python*/site-packages")
        (site / "all.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
        for name, words in PROGRAMS.items():
            (place / "bin" / name).write_text(f'#!/bin/sh\nexec "{place}/bin/python" -m {words}\n')
            (place / "bin" / name).chmod(0o755)
        (place / "bin" / "dotnet").write_text("#!/bin/sh\nexit 1\n")
        (place / "bin" / "dotnet").chmod(0o755)
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("RETOUCH", "PY"))}
        own = {f"XDG_{kind}_HOME": str(directory / kind.lower()) for kind in ("DATA", "CACHE")}
        path = os.pathsep.join([str(place / "bin"), sysconfig.get_path("scripts"), os.environ["PATH"]])
        self.environment = {**inherited, **own, "PATH": path, "COLUMNS": "80"}

    def executed(self, step: Step) -> str:
        """Execute one step; return what differs from the page, "" if nothing does."""
        if step.kind == "file":
            path = self.directory / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
            return ""
        if step.kind == "dialogue":
            (self.directory / "dialogue").write_text(step.text, encoding="utf-8")
            return self._ran("python -m doctest dialogue", shown="", status=0)
        if step.kind == "program":
            (self.directory / "program").write_text(step.text, encoding="utf-8")
            return self._ran("python -W error program", shown="...\n", status=0)
        status = next((code for start, code in self._refused.items() if step.name.startswith(start)), 0)
        return self._ran(step.name, shown=step.text, status=status)

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a shell command here; standard output holds standard error too."""
        return subprocess.run(
            ["sh", "-c", command],
            cwd=self.directory,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=MOST_S,
            check=False,
        )

    def _ran(self, command: str, *, shown: str, status: int) -> str:
        done = self.run(command)
        right = done.returncode == status and shows(shown, done.stdout)
        return "" if right else f"$ {command}\n{done.stdout}exit status {done.returncode}, wanted {status}"

"""The tutorial says what happens: every block is run in order, and what it shows is compared."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import venv
from typing import TYPE_CHECKING

import pytest

from tests.docs.page_steps import Step, shows, steps

if TYPE_CHECKING:
    from pathlib import Path

PROGRAMS = {
    "pip": 'pip "$@" --no-build-isolation --no-deps --no-index --disable-pip-version-check',
    "pytest": 'pytest -p no:cacheprovider "$@"',
    "retouch": 'retouch.cli "$@"',
}
REFUSED = {'echo \'{"version"': 2, "diff": 1, "retouch generate relnotes v2.json -o hopeless": 3}


class Desk:
    """An empty folder, and an environment of its own that knows all that is installed."""

    def __init__(self, folder: Path) -> None:
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
        status = next((code for start, code in REFUSED.items() if step.name.startswith(start)), 0)
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


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("one\ntwo\n", "one\ntwo\n", True),
        ("one\n", "one\ntwo\n", False),
        ("one\n...\n", "one\ntwo\nthree\n", True),
        ("one\n...\n", "one\n", True),
        ("...\ntwo\n", "one\nthree\n", False),
        ("took ... s\n", "took 0.2 s\n", True),
        ("took ... s\n", "took 0.2 min\n", False),
        ("", "", True),
        ("", "error\n", False),
        ("[1/2] settled a\n[2/2] settled b\nclean\n", "[1/2] settled b\n[2/2] settled a\nclean\n", True),
        ("[1/2] settled a\n[2/2] settled b\nclean\n", "[1/2] settled b\nclean\n", False),
    ],
)
def test_what_a_page_shows_is_compared_with_what_was_printed(shown: str, printed: str, fits: bool):
    assert fits == shows(shown, printed)


def test_the_tutorial_says_what_happens(project: Path, tmp_path: Path):
    pytest.importorskip("pydantic_ai", reason="the tutorial's own tests talk to a provider's client: extra llm")
    page = steps((project / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    kinds = [step.kind for step in page]
    assert (16, 2, 18) == (kinds.count("file"), kinds.count("dialogue"), kinds.count("command"))
    desk = Desk(tmp_path)
    wrong = [what for step in page if (what := desk.took(step))]
    assert not wrong, "\n\n".join(wrong)

"""The programs and commands that stand on a page, taken out and run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path


def blocks(page: str, language: str) -> list[str]:
    """Return the texts of the blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in `folder` with this installation's programs, and no compiler."""
    places = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": places, "RETOUCH_COMPILER": "none"}
    return subprocess.run(command, cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=120)


def run_program(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a Python program of a page in `folder`; a warning is an error."""
    return run([sys.executable, "-W", "error", "-c", program], folder)

"""Commands that run with this installation's programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run(command: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in `directory` with this installation's programs first on PATH, and no C# compiler."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {**os.environ, "PATH": path, "RETOUCH_COMPILER": "none"}
    return subprocess.run(
        command, cwd=directory, env=settings, capture_output=True, text=True, check=False, timeout=120
    )

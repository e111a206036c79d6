"""The process that writes into a run directory, as recorded next to the lock."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

HOLDER = ".holder.json"


def writing_process(directory: Path) -> str:
    """Return the process that writes into a run directory, "" if there is none. The lock is not touched."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        holder = json.loads((directory / HOLDER).read_text(encoding="utf-8"))
        if _alive(holder):
            return f"process {holder['pid']} since {holder['started']} ({holder['command']})"
    return ""


def _alive(holder: dict[str, Any]) -> bool:
    """Return whether the recorded process may still be running. A killed process leaves its record behind."""
    if holder["boot"] != boot_id():
        return False
    if sys.platform == "win32":
        return True  # the signal would end the process there
    try:
        os.kill(int(holder["pid"]), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def boot_id() -> str:
    """Return an identifier of the machine's current boot, "" if it is unknown."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""

"""Prints the results of a benchmark as a Markdown table, with the command that printed it."""

from __future__ import annotations

import platform
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table. Floats have three significant digits."""
    lines = [list(head), ["---"] * len(head), *([_cell(value) for value in row] for row in rows)]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def announce(title: str) -> None:
    """Print the title, the date, the machine and the command."""
    command = shlex.join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    print(f"## {title}\n\n{datetime.now(UTC):%Y-%m-%d}, {machine}: `{command}`\n", flush=True)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3g}" if value < 100 else f"{value:,.0f}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value).replace("|", "\\|")

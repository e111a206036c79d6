"""A person's own command, run in a copy of their project with new texts in place. The project itself is only read."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import shutil
import signal
import tempfile
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retouch._lib.redaction import without_keys
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

NOT_COPIED = frozenset({".git", ".hg", ".svn", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox"})
LINKED = frozenset({".venv", "venv", "node_modules"})  # what a check needs and does not change
MOST_LINES = 60
MOST_CHARS = 6_000
_TELLING = re.compile(r"error|fail|assert|exception|traceback|^E\s|expected", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a command ended: its exit status, None when it took too long, and what it printed."""

    status: int | None
    output: str


def words_of(command: str, *, called: str) -> list[str]:
    """Return the words of a command; `called` is what messages call it, such as "check".

    Raises:
        BadInput: its quotes are not balanced, or it names no program that is here.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(
            f"the {called} command {command!r} cannot be read: {error}", hint="Balance its quotes."
        ) from error
    if not words or (shutil.which(words[0]) is None and not words[0].startswith(".")):
        raise BadInput(
            f"the {called} command {command!r} names no program that is here", hint="Install it, or mend it."
        )
    return words


@asynccontextmanager
async def project_copy(project: Path, texts: Mapping[str, str]) -> AsyncGenerator[Path]:
    """Yield a copy of the folder `project` in which the files of `texts` have their new texts; it goes at the end."""
    with tempfile.TemporaryDirectory(prefix="retouch-check-") as place:
        copy = Path(place) / "project"
        await asyncio.to_thread(copy_project, project, copy)
        for name, text in texts.items():
            await asyncio.to_thread(_write, copy / name, text)
        yield copy


def copy_project(source: Path, target: Path) -> None:
    """Copy a project's folder; caches and version control stay behind, installed packages are linked."""

    def skip(folder: str, names: list[str]) -> list[str]:
        for name in LINKED.intersection(names):
            link = target / Path(folder).relative_to(source) / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(Path(folder, name).resolve(), target_is_directory=True)
        return [name for name in names if name in NOT_COPIED or name in LINKED]

    shutil.copytree(source, target, symlinks=True, ignore=skip, dirs_exist_ok=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():  # the copy's link may lead out of the copy
        path.unlink()
    with path.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        file.write(text)


async def run(
    words: list[str], folder: Path, *, limit_s: float, environment: Mapping[str, str] | None = None
) -> Outcome:
    """Run a program in `folder`, in a process group of its own that is ended when it takes too long.

    `environment` are variables that it gets beside those of this process.
    """
    process = await asyncio.create_subprocess_exec(
        *words,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        printed, _ = await asyncio.wait_for(process.communicate(), limit_s)
    except TimeoutError:
        return Outcome(status=None, output="")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    return Outcome(status=process.returncode, output=without_keys(printed.decode("utf-8", "replace")))


def trimmed(output: str) -> str:
    """Return what matters of a command's output: the lines that tell of errors, with those around them, and the end."""
    lines = [line.rstrip() for line in output.splitlines()]
    if len(lines) > MOST_LINES:
        telling = [number for number, line in enumerate(lines) if _TELLING.search(line)]
        around = {near for number in telling[:20] for near in range(number - 1, number + 3)}
        wanted = sorted((around & set(range(len(lines)))) | set(range(len(lines) - 10, len(lines))))
        kept = wanted if len(wanted) <= MOST_LINES else [*wanted[: MOST_LINES - 10], *wanted[-10:]]
        lines = [lines[number] for number in kept]
    text = "\n".join(lines)
    return text if len(text) <= MOST_CHARS else text[: MOST_CHARS // 2] + "\n[...]\n" + text[-MOST_CHARS // 2 :]

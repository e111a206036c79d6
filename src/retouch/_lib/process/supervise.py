"""The supervisor process of one command: it starts and watches the command, and ends all its processes.

It runs as its own program (`python -c "... main()"`) and imports only the standard library. Its arguments are the file
of a `MachineView`, a file descriptor for its report (one JSON object), and one that is closed to end the command.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from retouch._lib.process.views import MachineView, build, enter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.process import linux

_SHELL = "/bin/sh"
_END_LIMIT_S = 5.0
_LINUX = sys.platform == "linux"


def main(place: str, report: int, alive: int) -> NoReturn:
    """Supervise the command of the view in the file `place`. Report how it ended, or why it did not start."""
    for handle in (report, alive):
        os.set_inheritable(handle, False)
    view = MachineView.from_json(Path(place).read_text("utf-8"))
    if _LINUX:
        from retouch._lib.process import linux

        linux.become_subreaper()
    if not view.namespace:
        _answer(report, _attend(view, alive))
        os._exit(0)
    try:
        enter(view)
    except OSError as error:
        _answer(report, {"refused": str(error)})
        os._exit(0)
    first = os.fork()
    if first == 0:
        _be_first(view, report, alive)
    os.waitpid(first, 0)
    os._exit(0)


def _be_first(view: MachineView, report: int, alive: int) -> NoReturn:
    """Run as the first process of the namespaces. When it ends, the kernel ends all other processes."""
    from retouch._lib.process import linux

    try:
        linux.die_with_parent()
        build(view)
        if view.confined:
            linux.drop_privileges()
    except OSError as error:
        _answer(report, {"refused": str(error)})
        os._exit(0)
    _answer(report, _attend(view, alive))
    os._exit(0)


def _answer(report: int, told: Mapping[str, object]) -> None:
    with contextlib.suppress(OSError):  # the reader has closed the pipe
        os.write(report, json.dumps(told).encode())


def _attend(view: MachineView, alive: int) -> dict[str, object]:
    """Run the command until it ends, times out, or `alive` is closed. Then end all its processes."""
    audit = _audit(view)
    wake, signalled = os.pipe()
    for handle in (wake, signalled):
        os.set_blocking(handle, False)
    signal.set_wakeup_fd(signalled)
    signal.signal(signal.SIGCHLD, _wake_up)
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        _become(view)
    ended, status, stopped = "", 0, False
    while not ended:
        status_found = _reaped(child)
        if status_found is not None:
            ended, status = "exit", status_found
        elif time.monotonic() - began >= view.limit_s:
            ended = "limit"
        elif stopped:
            ended = "stopped"
        else:
            ready, _, _ = select.select([wake, alive], [], [], max(0.0, view.limit_s - (time.monotonic() - began)))
            stopped = alive in ready
            with contextlib.suppress(BlockingIOError):
                os.read(wake, 512)
    _end_all(child)
    told: dict[str, object] = {"ended": ended, "status": status, "seconds": round(time.monotonic() - began, 3)}
    return told | ({"opened": audit.opened(), "audited": audit.works} if audit is not None else {})


def _wake_up(_number: int, _frame: object) -> None:
    """Do nothing. The byte in the wake-up pipe ends the wait."""


def _audit(view: MachineView) -> linux.OpenAudit | None:
    if not _LINUX or not view.watched:
        return None
    from retouch._lib.process import linux

    return linux.OpenAudit(list(view.watched))


def _become(view: MachineView) -> NoReturn:
    """Replace this process with the command."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        os.chdir(view.where)
        words = [*view.wrapper, _SHELL, "-c", view.command]
        os.execvp(words[0], words)  # noqa: S606 - the user's command needs the shell
    except OSError as error:
        os.write(2, f"{error}\n".encode(errors="surrogateescape"))
    finally:
        os._exit(127)


def _reaped(child: int) -> int | None:
    """Reap ended processes. Return the exit status of `child` (negative for a signal), or None while it runs."""
    found: int | None = None
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return found
            if pid == child:
                found = os.waitstatus_to_exitcode(status)
    return found


def _end_all(child: int) -> None:
    """End the command's process group and all descendants, including those that left the group."""
    until = time.monotonic() + _END_LIMIT_S
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    while _LINUX and time.monotonic() < until:
        left = _descendants(os.getpid())
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        _reaped(child)
        time.sleep(0.002)


def _descendants(root: int) -> list[int]:
    """Return the living descendants of `root`. Orphans are included, since `root` is their subreaper."""
    parents: dict[int, int] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - this module starts fast
        if entry.isdigit():
            with contextlib.suppress(OSError, ValueError):
                _, _, rest = Path(f"/proc/{entry}/stat").read_text("utf-8", "replace").rpartition(")")
                state, parent = rest.split()[:2]
                parents[int(entry)] = int(parent) if state != "Z" or int(parent) == root else 0
    found: list[int] = []
    while fresh := [pid for pid, parent in parents.items() if (parent == root or parent in found) and pid not in found]:
        found += fresh
    return found

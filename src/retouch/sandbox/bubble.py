"""A second wall around an engine's process: bubblewrap's namespaces, with nothing of the file system but programs."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from pathlib import Path


@cache
def bubble_program() -> str | None:
    """Return where bubblewrap is, None where it is not; whether it works is seen by starting something in it."""
    return shutil.which("bwrap") if sys.platform == "linux" else None


def bubble(*, shown: tuple[str, ...], becomes_nobody: bool = False) -> list[str]:
    """Return the start of a command whose rest runs without network, other processes and files.

    Only `shown`, the system's libraries and an empty /proc of its own can be seen, all of it read-only. A program of
    root that gives up its user by itself (`becomes_nobody`) keeps the two capabilities that this takes.
    """
    program = bubble_program()
    if program is None:
        raise FileNotFoundError("bwrap")
    command = [program, "--die-with-parent", "--clearenv", "--cap-drop", "ALL"]
    if becomes_nobody and os.geteuid() == 0:
        command += ["--unshare-ipc", "--unshare-net", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
        command += ["--cap-add", "cap_setuid", "--cap-add", "cap_setgid"]
    else:
        command += ["--unshare-all", "--uid", "65534", "--gid", "65534"]
    command += ["--proc", "/proc", "--chdir", "/"]
    for path in ("/usr/lib", "/usr/lib64", "/etc/ld.so.cache", *shown):
        command += ["--ro-bind-try", path, path]
    for path in ("/lib", "/lib64"):
        linked = Path(path).is_symlink()
        command += ["--symlink", str(Path(path).readlink()), path] if linked else ["--ro-bind-try", path, path]
    return [*command, "--setenv", "LC_ALL", "C.UTF-8", "--setenv", "TZ", "UTC", "--"]

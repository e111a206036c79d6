"""A second layer around an engine's process: bubblewrap's namespaces, with only programs visible in the file system."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from pathlib import Path


@cache
def bubble_program() -> str | None:
    """Return the path of bubblewrap, or None. Whether it works is only known after starting a program in it."""
    return shutil.which("bwrap") if sys.platform == "linux" else None


def bubble(*, shown: tuple[str, ...], becomes_nobody: bool = False) -> list[str]:
    """Return a command prefix that runs the rest without network, other processes and files.

    Only `shown`, the system's libraries and a separate empty /proc are visible, all read-only. If the user is root, a
    program that drops its own privileges (`becomes_nobody`) keeps the two capabilities that it needs for this.
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

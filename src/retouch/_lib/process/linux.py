"""System calls of Linux that Python 3.11 does not offer: namespaces, mounts, capabilities, opened files."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct
from contextlib import suppress
from pathlib import Path

NEW_MOUNTS, NEW_USER, NEW_PIDS, NEW_NETWORK, NEW_IPC = 0x00020000, 0x10000000, 0x20000000, 0x40000000, 0x08000000
READ_ONLY, NO_SUID, NO_DEVICES, BIND, DETACH, RECURSIVE, PRIVATE = 1, 2, 4, 4096, 2, 16384, 1 << 18
_SET_DEATH_SIGNAL, _DROP_FROM_BOUNDING_SET, _SET_SUBREAPER, _NO_NEW_PRIVILEGES = 1, 24, 36, 38
_MOUNT_SETATTR, _AT_RECURSIVE, _AT_CWD = 442, 0x8000, -100
_LAST_CAPABILITY = 63
# The default capabilities of a root process in a container, except mknod: chown, dac_override, fowner, fsetid,
# kill, setgid, setuid, setpcap, net_bind_service, net_raw, sys_chroot, audit_write, setfcap.
_KEPT_CAPABILITIES = frozenset({0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31})
_OPENED, _OVERFLOW = 0x20, 0x4000
_EVENT = struct.Struct("iIII")
_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def enter_namespaces(flags: int) -> None:
    """Move this process into new namespaces. An ordinary user also gets a new user namespace.

    Raises:
        OSError: the machine does not allow it.
    """
    if os.geteuid() == 0 and _libc.unshare(flags) == 0:
        return
    uid, gid = os.geteuid(), os.getegid()
    _checked(_libc.unshare(flags | NEW_USER), "unshare")
    own = Path("/proc/self")
    with suppress(FileNotFoundError):
        (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{uid} {uid} 1")
    (own / "gid_map").write_text(f"{gid} {gid} 1")


def in_user_namespace() -> bool:
    """Return whether this process is in a user namespace other than the initial one."""
    return Path("/proc/self/uid_map").read_text().split() != ["0", "0", "4294967295"]


def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
    """Mount `source` at `target`.

    Raises:
        OSError: the kernel refuses.
    """
    words = [os.fsencode(word) or None for word in (source, target, kind)]
    result = _libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(data) or None)
    _checked(result, f"mount {kind or 'bind'} at {target!r}")


def unmount(target: str) -> None:
    """Detach a mount. Processes that use it keep it until they release it."""
    _checked(_libc.umount2(os.fsencode(target), DETACH), f"umount {target!r}")


def set_read_only(target: str, *, read_only: bool, recursive: bool = False) -> None:
    """Make a mount read-only or writable. With `recursive`, also all mounts below it.

    Raises:
        OSError: the kernel is older than 5.12, or refuses.
    """
    what = struct.pack("QQQQ", READ_ONLY if read_only else 0, 0 if read_only else READ_ONLY, 0, 0)
    flags = _AT_RECURSIVE if recursive else 0
    result = _libc.syscall(_MOUNT_SETATTR, _AT_CWD, os.fsencode(target), flags, what, ctypes.c_size_t(len(what)))
    _checked(result, f"mount_setattr {target!r}")


def become_subreaper() -> None:
    """Inherit the orphans of all descendants of this process."""
    _checked(_libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0), "prctl")


def die_with_parent() -> None:
    """End this process when its parent ends."""
    _checked(_libc.prctl(_SET_DEATH_SIGNAL, 9, 0, 0, 0), "prctl")


def drop_privileges() -> None:
    """Drop privileges that a container lacks too: mounts, devices, tracing, and privilege gain through setuid."""
    for capability in range(_LAST_CAPABILITY + 1):
        if capability not in _KEPT_CAPABILITIES:
            _libc.prctl(_DROP_FROM_BOUNDING_SET, capability, 0, 0, 0)  # fails after the last known one
    _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")


def bring_up_loopback() -> None:
    """Switch on the loopback interface of this network namespace."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = bytearray(struct.pack("16sh22x", b"lo", 0))
        fcntl.ioctl(any_socket, 0x8913, request)
        (flags,) = struct.unpack_from("h", request, 16)
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh22x", b"lo", flags | 1))


class OpenAudit:
    """Records which of the watched files any process opens. Needs Linux, but no privileges."""

    def __init__(self, paths: list[str]) -> None:
        self._names: dict[int, str] = {}
        self._opened: set[str] = set()
        self._handle = _libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        self.works = self._handle >= 0
        for path in paths:
            watch = _libc.inotify_add_watch(self._handle, os.fsencode(path), _OPENED) if self.works else -1
            if watch >= 0:
                self._names[watch] = path
            elif ctypes.get_errno() not in {errno.ENOENT, errno.ENOTDIR}:
                self.works = False

    def opened(self) -> list[str]:
        """Return the paths that were opened since the start, sorted."""
        while self.works:
            try:
                events = os.read(self._handle, 65_536)
            except BlockingIOError:
                break
            at = 0
            while at < len(events):
                watch, mask, _, length = _EVENT.unpack_from(events, at)
                if mask & _OVERFLOW:  # events were lost
                    self.works = False
                if mask & _OPENED and watch in self._names:  # the kernel also reports removed files
                    self._opened.add(self._names[watch])
                at += _EVENT.size + length
        return sorted(self._opened)

"""The machine view of a command: the new code at the project's own path, and only the files that it needs.

A `MachineView` is passed as JSON from the launching process to the supervisor.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from retouch._lib.process import linux

_TEMPORARY = ("/tmp", "/var/tmp")  # noqa: S108 - these are hidden, not used
_PROTECTED = ("/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/sysrq-trigger")


@dataclass(frozen=True, kw_only=True)
class MachineView:
    """One command and its view of the machine.

    `where` is its working directory. With `namespace`, it gets its own mounts: `upper` and `work` form an overlay over
    `workspace`, or `copy` is bound over it (the directories `inside` stay unchanged). With neither, the workspace stays
    as it is. `confined` makes everything else read-only, replaces temporary directories (`temporary` is "empty" or
    "overlay"), mounts a temporary overlay over `home`, hides `hidden`, and leaves only a loopback unless `network` is
    set. `shown` stay visible. `stage` is an empty directory for mounting. The opening of `watched` files is recorded.
    `wrapper` are arguments before the shell.
    """

    command: str
    where: str
    limit_s: float
    namespace: bool = False
    workspace: str = ""
    upper: str = ""
    work: str = ""
    copy: str = ""
    inside: tuple[str, ...] = ()
    confined: bool = False
    network: bool = False
    home: str = ""
    temporary: str = "empty"
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    stage: str = ""
    watched: tuple[str, ...] = ()
    wrapper: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Return the view as one JSON object."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> MachineView:
        """Return the view that `to_json` wrote."""
        data: dict[str, Any] = json.loads(text)
        lists = (one.name for one in fields(cls) if one.type == "tuple[str, ...]")
        data |= {name: tuple(data[name]) for name in lists}
        return cls(**data)


def enter(view: MachineView) -> None:
    """Move this process into the namespaces of `view`. A PID namespace applies to its children.

    Raises:
        OSError: the machine does not allow it.
    """
    flags = linux.NEW_MOUNTS | linux.NEW_PIDS
    if view.confined:
        flags |= linux.NEW_IPC | (0 if view.network else linux.NEW_NETWORK)
    linux.enter_namespaces(flags)
    if flags & linux.NEW_NETWORK:
        linux.bring_up_loopback()
    linux.mount("", "/", "", linux.RECURSIVE | linux.PRIVATE)


def build(view: MachineView) -> None:
    """Make the mounts of `view`. Called by the first process of the new namespaces.

    Raises:
        OSError: a mount is refused.
    """
    _Builder(view).build()


class _Builder:
    """Makes the mounts in order. Later ones may be inside earlier ones, so all sources are opened first."""

    def __init__(self, view: MachineView) -> None:
        self.view = view
        self.writable: list[str] = []
        names = (view.workspace, view.upper, view.work, view.copy, view.home, *view.shown, *_TEMPORARY)
        self.handles = {name: os.open(name, os.O_PATH) for name in dict.fromkeys(names) if name and Path(name).exists()}
        self.inner = [*_mounts_below(view.workspace), *view.inside] if view.upper or view.copy else []
        self.handles |= {name: os.open(name, os.O_PATH) for name in self.inner}

    def build(self) -> None:
        view = self.view
        linux.mount("tmpfs", view.stage, "tmpfs", linux.NO_SUID | linux.NO_DEVICES, "mode=0755")
        self.handles["stage"] = os.open(view.stage, os.O_PATH)  # its path may be hidden from here on
        if view.confined:
            self._temporary()
            self._home()
            for name in view.shown:
                self._bind(name, name)
        self._workspace()
        if view.confined:
            self._hide()
            linux.set_read_only("/", read_only=True, recursive=True)
            for name in dict.fromkeys(self.writable):
                linux.set_read_only(name, read_only=False)
        linux.unmount(self._source("stage"))
        with suppress(OSError):  # not allowed in a container with a masked /proc
            linux.mount("proc", "/proc", "proc", linux.NO_SUID | linux.NO_DEVICES)
        if view.confined:
            self._protect_proc()
        for handle in self.handles.values():
            os.close(handle)

    def _source(self, name: str) -> str:
        return f"/proc/self/fd/{self.handles[name]}"

    def _staged(self, name: str, mode: int = 0o755) -> str:
        place = Path(self._source("stage")) / name
        place.mkdir()
        place.chmod(mode)
        return str(place)

    def _bind(self, source: str, target: str) -> None:
        if source in self.handles:
            Path(target).mkdir(parents=True, exist_ok=True)
            linux.mount(self._source(source), target, "", linux.BIND | linux.RECURSIVE)

    def _overlay(self, lower: str, upper: str, work: str, target: str) -> None:
        data = f"lowerdir={self._source(lower)},upperdir={upper},workdir={work}"
        data += ",userxattr" if linux.in_user_namespace() else ",index=off,metacopy=off,redirect_dir=off,xino=off"
        linux.mount("overlay", target, "overlay", linux.NO_SUID | linux.NO_DEVICES, data)
        self.writable.append(target)

    def _temporary(self) -> None:
        for number, name in enumerate(_TEMPORARY):
            if name not in self.handles or Path(name).is_symlink():
                continue
            if self.view.temporary == "overlay":
                self._overlay(name, self._staged(f"t{number}", 0o1777), self._staged(f"w{number}"), name)
            else:
                linux.mount(self._staged(f"t{number}", 0o1777), name, "", linux.BIND)
                self.writable.append(name)
        if Path("/dev/shm").is_dir():  # noqa: S108 - it is hidden, not used
            linux.mount(self._staged("shm", 0o1777), "/dev/shm", "", linux.BIND)  # noqa: S108
            self.writable.append("/dev/shm")  # noqa: S108

    def _home(self) -> None:
        if self.view.home in self.handles:
            with suppress(OSError):  # no overlay on this file system: the home directory stays read-only
                self._overlay(self.view.home, self._staged("hu", 0o700), self._staged("hw"), self.view.home)

    def _workspace(self) -> None:
        view = self.view
        if view.upper:
            Path(view.workspace).mkdir(parents=True, exist_ok=True)
            self._overlay(view.workspace, self._source(view.upper), self._source(view.work), view.workspace)
        elif view.copy:
            self._bind(view.copy, view.workspace)
        elif view.confined:
            self._bind(view.workspace, view.workspace)
        self.writable.append(view.workspace)
        for name in self.inner:
            self._bind(name, name)

    def _hide(self) -> None:
        empty = self._staged("nothing", 0o755)
        for name in self.view.hidden:
            place = Path(name)
            if place.is_symlink() or not place.exists():
                place = place.resolve()
            if place.is_dir():
                linux.mount(empty, str(place), "", linux.BIND)
            elif place.exists():
                linux.mount("/dev/null", str(place), "", linux.BIND)

    def _protect_proc(self) -> None:
        for name in _PROTECTED:
            if Path(name).exists():
                with suppress(OSError):
                    linux.mount(name, name, "", linux.BIND | linux.RECURSIVE)
                    linux.set_read_only(name, read_only=True, recursive=True)


def _mounts_below(root: str) -> list[str]:
    """Return the mount points inside `root`, outer ones first."""
    lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    places = [line.split(" ")[4].encode().decode("unicode_escape") for line in lines]
    return sorted({place for place in places if place.startswith(f"{root.rstrip('/')}/")})

"""Which files a command wrote, and which of them it writes only with a change.

New code may run inside a command, for example during the elaboration of hardware. If it writes a file that a later
command reads, it could decide its own verdict. The commands on the untouched workspace show which files they write.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

Mark: TypeAlias = Literal["+", "@", "-", "/"]
_WRITTEN, _LINKED, _REMOVED, _FOLDER = "+", "@", "-", "/"
_OPAQUE = ("trusted.overlay.opaque", "user.overlay.opaque")
# Products of compilers for the JVM. Which of them are written again depends on the change.
_COMPILED = frozenset({".class", ".tasty", ".semanticdb"})
# Products of hardware compilers that a change may add. Another kind of file could be code, such as a Makefile.
_HARDWARE = frozenset({".v", ".sv", ".vh", ".svh", ".fir", ".mlir", ".hex", ".mem", ".conf", ".json", ".f"})


@dataclass(frozen=True, kw_only=True)
class Written:
    """The files that one command wrote, each as a mark and a path.

    "+a" is a file that was made or changed, "@a" a link, "/a" a directory that was made, and "-a" a file or directory
    that was removed. Paths are relative to the workspace, or absolute.
    """

    entries: frozenset[str] = frozenset()

    @property
    def folders(self) -> set[str]:
        """The directories of the files and links that were written."""
        return {_folder(entry[1:]) for entry in self.entries if entry[0] in {_WRITTEN, _LINKED}}


@dataclass(frozen=True)
class Snapshot:
    """The files of a copy, each with its type, inode, size, times, and its directories, each with its mode.

    `opaque` are directories that hide those below.
    """

    files: dict[str, tuple[int, ...]] = field(default_factory=dict[str, "tuple[int, ...]"])
    folders: dict[str, int] = field(default_factory=dict[str, int])
    opaque: set[str] = field(default_factory=set[str])

    def visit(self, root: Path, folder: str = "") -> None:
        """Add everything below a directory."""
        with suppress(OSError), os.scandir(root / folder) as entries:
            for entry in entries:
                name = f"{folder}{entry.name}"
                if not entry.is_dir(follow_symlinks=False):
                    self.add(name, Path(entry.path))
                    continue
                with suppress(OSError):
                    self.folders[name] = stat.S_IMODE(entry.stat(follow_symlinks=False).st_mode)
                if any(_attribute(entry.path, one) == b"y" for one in _OPAQUE):
                    self.opaque.add(name)
                self.visit(root, f"{name}/")

    def add(self, name: str, place: Path) -> None:
        """Add one file, if it exists."""
        with suppress(OSError):
            status = place.lstat()
            times = (status.st_mtime_ns, status.st_ctime_ns)
            self.files[name] = (stat.S_IFMT(status.st_mode), status.st_rdev, status.st_ino, status.st_size, *times)

    def written_since(self, before: Snapshot, workspace: Path) -> Written:
        """Return what was written between `before` and this snapshot.

        A directory with another mode counts as removed. If `before` does not have it, its mode is that in `workspace`.
        """
        changed = (name for name, state in self.files.items() if before.files.get(name) != state)
        entries = {f"{self._mark(name)}{name}" for name in changed}
        entries |= {f"{_REMOVED}{name}" for name in before.files if name not in self.files}
        entries |= {f"{_REMOVED}{name}" for name in self.opaque - before.opaque}
        for name, mode in self.folders.items():
            old = before.folders.get(name, _mode(workspace / name))
            if mode != old:
                entries.add(f"{_FOLDER if old is None else _REMOVED}{name}")
        return Written(entries=frozenset(entries))

    def _mark(self, name: str) -> Mark:
        kind, device, *_ = self.files[name]
        if stat.S_ISCHR(kind) and device == 0:  # how an overlay marks a removed file
            return _REMOVED
        return _WRITTEN if stat.S_ISREG(kind) else _LINKED


def snapshot(root: Path, others: Iterable[Path] = ()) -> Snapshot:
    """Return the files below `root`, and the files `others` under their absolute paths. Links are not followed."""
    found = Snapshot()
    found.visit(root)
    for place in others:
        found.add(str(place), place)
    return found


@dataclass(frozen=True, kw_only=True)
class WritePlace:
    """Where commands write: the directory with what they wrote, and the workspace below it.

    `here` is the path of the workspace for the commands. `others` are files outside of it that they can write.
    `tracked` are the files of the workspace that are not ignored. If `in_place`, the commands write into the workspace.
    """

    folder: Path
    here: str
    workspace: Path
    others: tuple[Path, ...] = ()
    tracked: frozenset[str] = frozenset()
    in_place: bool = False


class WriteGuard:
    """Finds files that one command writes only with the change, and that a later one uses.

    `usual` has what each command writes on the untouched workspace. None is for the untouched workspace itself.
    """

    def __init__(self, place: WritePlace, usual: Sequence[Written] | None) -> None:
        self._place, self._usual = place, usual
        self._before = Snapshot()
        self._foreign: list[str] = []
        self._new: set[str] = set()

    def begin(self) -> list[str]:
        """Note the files before a command. Return the paths that this command should not open."""
        self._before = snapshot(self._place.folder, self._place.others)
        return [self._path(entry) for entry in self._foreign if entry[0] != _REMOVED]

    def end(self, number: int, opened: Collection[str] | None) -> tuple[Written, list[str]]:
        """Return what command `number` wrote, and the entries of earlier commands that it used.

        `opened` are the watched files that it opened, None if that is unknown. A new or removed file always counts as
        used, since it is enough to ask whether it is there.
        """
        written = snapshot(self._place.folder, self._place.others).written_since(self._before, self._place.workspace)
        if self._usual is None:
            return written, []
        always = [one for one in self._foreign if one[0] == _REMOVED or one in self._new or opened is None]
        used = always + [one for one in self._foreign if one not in always and self._path(one) in (opened or ())]
        if number + 1 < len(self._usual):
            foreign = self._not_usual(written, self._usual[number], united(self._usual[number + 1 :]))
            self._foreign += foreign
            self._new |= {one for one in foreign if not self._exists(one[1:])}
        else:
            usual = united(self._usual)
            late = self._not_usual(written, usual, Written())
            used += [one for one in late if one[1:] in self._place.tracked and _folder(one[1:]) not in usual.folders]
        return written, used

    def _path(self, entry: str) -> str:
        return os.path.join(self._place.here, entry[1:])  # noqa: PTH118 - the path may be absolute

    def _not_usual(self, written: Written, usual: Written, later: Written) -> list[str]:
        """Return the entries of `written` that what the command usually writes does not explain.

        A change may explain new files of the usual kinds in the directories of usual ones, and in new directories below
        them. It does not explain a file of the workspace, or one that a later command usually writes. A directory of
        usual files is usual: it was there before if the copy is not fresh.
        """
        own, folders = later.entries - usual.entries, usual.folders
        kinds = _HARDWARE | {Path(entry).suffix for entry in usual.entries if entry[0] == _WRITTEN}

        def is_usual(entry: str) -> bool:
            path = entry[1:]
            if entry in usual.entries or (
                entry[0] == _FOLDER and any(f"{one}/".startswith(f"{path}/") for one in folders)
            ):
                return True
            if Path(path).suffix in _COMPILED:
                return entry[0] == _REMOVED or _folder(path) in folders
            if entry[0] == _LINKED or f"{_WRITTEN}{path}" in own or self._exists(path):
                return False
            if entry[0] == _WRITTEN and Path(path).suffix not in kinds:
                return False
            return entry[0] == _REMOVED or self._known_folder(path, folders | later.folders) in folders

        return sorted(entry for entry in written.entries if not is_usual(entry))

    def _exists(self, path: str) -> bool:
        """Return whether a path was there before any change."""
        if self._place.in_place:
            return path in self._before.files or path in self._before.folders
        return os.path.lexists(self._place.workspace / path)

    def _known_folder(self, path: str, known: Collection[str]) -> str:
        """Return the innermost directory above a path that is not new: it is `known`, or existed before."""
        folder = _folder(path)
        while folder and folder not in known and not self._exists(folder):
            folder = _folder(folder)
        return folder


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _mode(place: Path) -> int | None:
    """Return the mode of a directory, or None if it does not exist."""
    try:
        return stat.S_IMODE(place.lstat().st_mode)
    except OSError:
        return None


def _attribute(path: str, name: str) -> bytes:
    try:
        return os.getxattr(path, name, follow_symlinks=False)
    except (OSError, AttributeError):  # AttributeError: not Linux
        return b""


def united(several: Sequence[Written]) -> Written:
    """Return everything that one of several commands wrote."""
    return Written(entries=frozenset(entry for one in several for entry in one.entries))

"""The persistent copy of a workspace in which its commands run: the upper directory of an overlay, or all files.

Build products stay for the next command, so that incremental builds are fast. This is safe only if no stale product
looks newer than its source. Therefore each file whose content changes gets a new mtime, later than all earlier ones.
The copy is rebuilt from scratch if a command changed a file that .gitignore does not ignore, if a file is missing, or
if a file was replaced by an older one.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.process.pruning import locked, prune, remove_tree
from retouch._lib.process.sweeps import Sweep
from retouch._lib.process.trees import EMPTY, INSTALLED, Tree, TreeEntry, named
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

_SECOND = 1_000_000_000
_LONGEST_WAIT_S = 1.1
_SMALL_BYTES = 1 << 20


class Clock:
    """The wall clock, and sleeping."""

    def now_ns(self) -> int:
        """Return the nanoseconds since 1970."""
        return time.time_ns()

    def wait(self, seconds: float) -> None:
        """Sleep for that many seconds."""
        time.sleep(seconds)


SYSTEM_CLOCK = Clock()


class UnsafePathError(BadInput):
    """The path of a changed file is outside the workspace."""


@dataclass
class _State:
    """The state of a copy: the files that were put there, as (size, mtime, hash), and the workspace's tree then."""

    kind: str = ""
    put: dict[str, list[Any]] = field(default_factory=dict[str, "list[Any]"])
    files: dict[str, list[Any]] = field(default_factory=dict[str, "list[Any]"])
    seen_ns: int = 0
    ran_ns: int = 0
    last_s: int = 0


class WorkspaceCopy:
    """The private directory of one workspace. Only the process that holds its lock uses it."""

    def __init__(self, root: Path, workspace: Path, clock: Clock = SYSTEM_CLOCK) -> None:
        self.root, self.workspace, self._clock = root, workspace, clock
        self.upper, self.work, self.copy = root / "upper", root / "work", root / "copy"
        self.stage, self.given, self.results = root / "stage", root / "given", root / "results"
        for folder in (self.upper, self.work, self.copy, self.stage, self.given, self.results):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = root / "state.json"
        self._state = self._load()

    @property
    def known(self) -> Tree:
        """The workspace's tree at the last scan."""
        files = {path: TreeEntry(*entry) for path, entry in self._state.files.items()}
        return Tree(files=files, others="", seen_ns=self._state.seen_ns) if files else EMPTY

    def prepare(self, kind: str, tree: Tree, changes: Mapping[str, bytes]) -> Path:
        """Update this copy to `tree` with `changes`, and return its directory.

        `kind` is "overlay" (it contains only the differences to the workspace) or "copy".

        Raises:
            UnsafePathError: a changed path leads out of the workspace.
        """
        target = self.upper if kind == "overlay" else self.copy
        names = {_inside(self.workspace, path): data for path, data in changes.items()}
        if not (self._is_warm(kind, tree, names) and self._sweep(target, tree)):
            self.start_anew()
            self._state.kind = kind
        fresh = cache(lambda: self._fresh_time(names))  # computed only if something is written
        for path, data in names.items():
            self._put(target, path, data, _sha(self.workspace / path, data), fresh)
        for path, entry in tree.files.items():
            if path not in names and (kind == "copy" or path in self._state.put):
                as_it_is = path not in self._state.put and not self._state.ran_ns
                self._put(target, path, None, entry.sha, (lambda: None) if as_it_is else fresh)
        if kind == "copy":
            self._take_ignored(tree)
        self._state.files = {path: [entry.size, entry.mtime_ns, entry.sha] for path, entry in tree.files.items()}
        self._state.seen_ns, self._state.ran_ns = tree.seen_ns, self._clock.now_ns()
        self._save()
        return target

    def remember(self, tree: Tree) -> None:
        """Store the hashes of `tree`, so that the next scan is cheap. Only if the copy is not in use."""
        if not self._state.kind:
            self._state.files = {path: [entry.size, entry.mtime_ns, entry.sha] for path, entry in tree.files.items()}
            self._state.seen_ns = tree.seen_ns
            self._save()

    def start_anew(self) -> None:
        """Remove the copy's content. The next command starts from the current workspace."""
        for folder in (self.upper, self.work, self.copy):
            remove_tree(folder)
            folder.mkdir(mode=0o700)
        self._state = _State(files=self._state.files, seen_ns=self._state.seen_ns, last_s=self._state.last_s)
        self._save()

    def give(self, name: str, text: str) -> Path:
        """Write a file for the command to read, and return its path."""
        place = self.given / name
        place.write_text(text, encoding="utf-8", errors="surrogateescape")
        return place

    def _is_warm(self, kind: str, tree: Tree, changes: Mapping[str, bytes]) -> bool:
        state = self._state
        if state.kind != kind or any(
            path not in tree.files and path not in changes for path in {*state.files, *state.put}
        ):
            return False
        changed = (entry for path, entry in tree.files.items() if path in state.files and path not in state.put
                   and state.files[path][2] != entry.sha)  # fmt: skip
        return all(entry.mtime_ns > state.ran_ns for entry in changed)

    def _sweep(self, target: Path, tree: Tree) -> bool:
        """Remove leftovers that are not build products. Return whether all files put there are unchanged."""
        return Sweep(target, self.workspace, self._state.put, tree).is_clean()

    def _fresh_time(self, changes: Mapping[str, bytes]) -> int:
        """Return an mtime for new content: in a later second than all earlier ones, and not in the future.

        Python compares the mtimes of compiled files by the second, and make warns about mtimes in the future.
        """
        last_s = self._state.last_s
        for path in {*changes, *self._state.put}:
            with suppress(OSError):
                last_s = max(last_s, int((self.workspace / path).lstat().st_mtime))
        ahead_s = last_s + 1 - self._clock.now_ns() / _SECOND
        if 0 < ahead_s <= _LONGEST_WAIT_S:
            self._clock.wait(ahead_s)
        fresh_ns = max(self._clock.now_ns(), (last_s + 1) * _SECOND)
        self._state.last_s = fresh_ns // _SECOND
        return fresh_ns

    def _put(self, target: Path, path: str, data: bytes | None, sha: str, fresh: Callable[[], int | None]) -> None:
        """Put a file there unless it is up to date. If `data` is None, copy the workspace's file with its mtime."""
        before = self._state.put.get(path)
        if before is not None and before[2] == sha:
            return
        place, source = target / path, self.workspace / path
        _make_folders(target, self.workspace, Path(path).parent)
        place.unlink(missing_ok=True)
        with suppress(FileNotFoundError, PermissionError, shutil.SpecialFileError):  # unreadable for the command too
            if data is None:
                shutil.copy2(source, place, follow_symlinks=False)
            else:
                place.write_bytes(data)
                if source.is_file():
                    place.chmod(stat.S_IMODE(source.stat().st_mode))
            if not place.is_symlink() and (time_ns := fresh()) is not None:
                os.utime(place, ns=(time_ns, time_ns))
            status = place.lstat()
            self._state.put[path] = [status.st_size, status.st_mtime_ns, sha]

    def _take_ignored(self, tree: Tree) -> None:
        """Link installed packages, and copy small ignored files, such as a generated version.py."""
        for path in tree.ignored:
            source, place = self.workspace / path, self.copy / path
            if place.exists() or place.is_symlink() or not place.parent.is_dir():
                continue
            if source.is_dir() and source.name in INSTALLED:
                place.symlink_to(source, target_is_directory=True)
            elif source.is_file() and source.stat().st_size <= _SMALL_BYTES:
                shutil.copy2(source, place)

    def _load(self) -> _State:
        try:
            return _State(**json.loads(self._file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return _State()

    def _save(self) -> None:
        temporary = self._file.with_suffix(".new")
        temporary.write_text(json.dumps(asdict(self._state)), encoding="utf-8")
        temporary.replace(self._file)


@contextmanager
def held_place(workspace: Path, parent: Path | None = None, *, clock: Clock = SYSTEM_CLOCK) -> Generator[WorkspaceCopy]:
    """Yield the copy of a workspace. If another process holds it, yield a temporary one."""
    above = parent or _parent_for(workspace)
    above.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = f"{workspace.name[:40] or 'root'}-{sha256(os.fsencode(workspace)).hexdigest()[:12]}"
    prune(above, clock.now_ns() / _SECOND)
    lock = above / f"{name}.lock"
    with locked(lock, os.O_CREAT | os.O_RDWR) as is_mine:
        if is_mine:
            os.utime(lock)  # the time of the last use, for pruning
            yield WorkspaceCopy(above / name, workspace, clock)
            return
        root = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=above))
        with locked(root):
            try:
                yield WorkspaceCopy(root, workspace, clock)
            finally:
                remove_tree(root)


def _parent_for(workspace: Path) -> Path:
    """Return the directory of all copies: the cache directory, or another one if the workspace contains it."""
    from platformdirs import user_cache_path

    usual = user_cache_path("retouch") / "checks"
    if not usual.resolve().is_relative_to(workspace):
        return usual.resolve()
    other = Path(f"/var/tmp/retouch-{os.geteuid()}")  # noqa: S108 - it is checked below that it is ours
    other.mkdir(mode=0o700, exist_ok=True)
    if other.is_symlink() or other.stat().st_uid != os.geteuid():
        raise UnsafePathError(f"{str(other)!r} belongs to somebody else")
    return other


def _inside(workspace: Path, path: str) -> str:
    parent = (workspace / path).parent.resolve()
    if not parent.is_relative_to(workspace):
        raise UnsafePathError(f"{path!r} leads out of {str(workspace)!r}")
    return (parent.relative_to(workspace) / Path(path).name).as_posix()


def _sha(source: Path, data: bytes) -> str:
    return named(sha256(data).hexdigest(), source.stat().st_mode if source.is_file() else 0)


def _make_folders(target: Path, workspace: Path, folder: Path) -> None:
    """Make the parent directories of a file, each with its mode in the workspace."""
    for part in [*reversed(folder.parents), folder]:
        place, source = target / part, workspace / part
        if not place.is_dir():
            place.unlink(missing_ok=True)
            place.mkdir(parents=True)
            if source.is_dir():
                place.chmod(stat.S_IMODE(source.stat().st_mode))

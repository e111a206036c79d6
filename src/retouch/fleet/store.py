"""Where a fleet keeps its files: four operations, on a local disk or in an object store.

`put_new` writes a file only if its name is free, and is the one operation that decides between workers. There is no
rename, no lock and no removal, because object stores have none of them.
"""

from __future__ import annotations

import errno
import importlib
import logging
import os
import secrets
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from retouch._lib.disk import sync_directory, temporary_beside
from retouch._lib.logs import redact_record
from retouch.errors import BadInput, MissingTool, RetouchError

if TYPE_CHECKING:
    from collections.abc import Callable

_LOG = logging.getLogger(__name__)
_LOG.addFilter(redact_record)

EXCLUSIVE = ("s3", "s3a", "gs", "gcs", "memory", "file", "local")
"""The fsspec protocols whose exclusive create is decided by the store itself."""
NETWORK_DISKS = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "lustre", "gpfs", "beegfs", "ceph", "glusterfs", "afs")
_PROBE = "probes"


class StoreBusy(Exception):
    """The store did not do what was requested, or its answer was lost. The request can be sent again."""


class StoreFailed(RetouchError):
    """The store of a fleet cannot be used: it is full, access is denied, or it does not answer."""


class Store(Protocol):
    """The four operations. Names are relative, with slashes."""

    def put_new(self, name: str, data: bytes) -> bool:
        """Write a file if the name is free. Return whether it was."""
        ...

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it. A reader sees the old content or the new one."""
        ...

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, None if there is none."""
        ...

    def list(self, prefix: str) -> list[str]:
        """Return the names of all files in the directory `prefix` and below it, sorted."""
        ...


@dataclass(frozen=True, kw_only=True)
class LocalStore:
    """A directory on a disk of this machine."""

    directory: Path

    def put_new(self, name: str, data: bytes) -> bool:
        """Write a file if the name is free. Return whether it was. The name appears with the whole content."""
        place = self.directory / name
        temporary = self._written(place, data)
        try:
            os.link(temporary, place)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}:
                raise
            return self._created(place, data)
        finally:
            temporary.unlink(missing_ok=True)
        sync_directory(place.parent)
        return True

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it, atomically."""
        place = self.directory / name
        self._written(place, data).replace(place)
        sync_directory(place.parent)

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, None if there is none."""
        try:
            return (self.directory / name).read_bytes()
        except FileNotFoundError:
            return None

    def list(self, prefix: str) -> list[str]:
        """Return the names of all files in the directory `prefix` and below it, sorted."""
        found: list[str] = []
        waiting = [prefix]
        while waiting:
            under = waiting.pop()
            try:
                with os.scandir(self.directory / under) as entries:
                    for one in entries:
                        if one.is_dir(follow_symlinks=False):
                            waiting.append(f"{under}/{one.name}")
                        elif not one.name.startswith("."):
                            found.append(f"{under}/{one.name}")
            except FileNotFoundError:
                continue
        return sorted(found)

    def _written(self, place: Path, data: bytes) -> Path:
        place.parent.mkdir(parents=True, exist_ok=True)
        temporary = temporary_beside(place)
        try:
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        return temporary

    @staticmethod
    def _created(place: Path, data: bytes) -> bool:
        """Create the file exclusively: for file systems without hard links."""
        try:
            with place.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            return False
        return True


@dataclass(frozen=True, kw_only=True)
class FsspecStore:
    """A directory of an fsspec file system, for example a prefix of an S3 bucket. `pid` is the process of `system`."""

    system: Any
    root: str
    pid: int = field(default_factory=os.getpid)

    def put_new(self, name: str, data: bytes) -> bool:
        """Write a file if the name is free. Return whether it was.

        Raises:
            StoreBusy: the store did not answer as expected. The file may be there.
        """
        place = self._place(name)

        def create() -> bool:
            if self._has_directories:
                self._system.makedirs(place.rpartition("/")[0], exist_ok=True)
            try:
                self._system.pipe_file(place, data, mode="create")
            except FileExistsError:
                return False
            return True

        return _translated(create, f"{name!r} cannot be created")

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it."""
        place = self._place(name)

        def write() -> None:
            if self._has_directories:
                self._system.makedirs(place.rpartition("/")[0], exist_ok=True)
            self._system.pipe_file(place, data)

        _translated(write, f"{name!r} cannot be written")

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, None if there is none."""

        def read() -> bytes | None:
            try:
                found: bytes = self._system.cat_file(self._place(name))
            except FileNotFoundError:
                return None
            return found

        return _translated(read, f"{name!r} cannot be read")

    def list(self, prefix: str) -> list[str]:
        """Return the names of all files in the directory `prefix` and below it, sorted. Nothing is cached."""

        def find() -> list[str]:
            place = self._place(prefix)
            self._system.invalidate_cache()
            try:
                found: list[str] = self._system.find(place)
            except FileNotFoundError:
                return []
            head = len(self._place("").rstrip("/")) + 1
            names = (one[head:] for one in found)
            return sorted(one for one in names if one.startswith(f"{prefix}/"))  # s3fs may name `prefix` itself

        return _translated(find, f"{prefix!r} cannot be listed")

    @property
    def _system(self) -> Any:
        """The file system of this process: connections and their threads do not survive a fork."""
        if os.getpid() == self.pid:
            return self.system
        return type(self.system)(*self.system.storage_args, **self.system.storage_options)  # fsspec keeps one

    @property
    def _has_directories(self) -> bool:
        protocol = self.system.protocol
        names = (protocol,) if isinstance(protocol, str) else tuple(protocol)
        return bool({"file", "local", "memory"} & set(names))

    def _place(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}"


_FINAL = (PermissionError, IsADirectoryError, NotADirectoryError)
_CLIENTS = {"botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "urllib3"}
_NO_ACCESS = {
    "NoCredentialsError",
    "PartialCredentialsError",
    "ProfileNotFound",
    "ParamValidationError",
    "DefaultCredentialsError",
    "RefreshError",
}
"""Errors of the packages of stores that another try does not change, by name: the packages may be missing."""


def _translated(work: Callable[[], Any], what: str) -> Any:
    """Return the result of `work`. Transient errors become `StoreBusy`, all other errors `StoreFailed`."""
    try:
        return work()
    except _FINAL as error:
        raise _failed(what, error) from error
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}:
            raise _failed(what, error) from error
        raise StoreBusy(f"{what}: {error}") from error
    except Exception as error:
        if type(error).__name__ in _NO_ACCESS:
            raise _failed(what, error) from error
        if type(error).__module__.partition(".")[0] in _CLIENTS:
            raise StoreBusy(f"{what}: {type(error).__name__}: {error}") from error
        raise


def _failed(what: str, error: Exception) -> StoreFailed:
    hint = "Free some space or correct the access, and run the same command again. What was stored is kept."
    return StoreFailed(f"the store of the fleet failed: {what}: {error}", hint=hint)


@dataclass(frozen=True, kw_only=True)
class SteadyStore:
    """A store that sends requests again if the answer was lost or the store was busy.

    If the answer to `put_new` was lost, the content tells whether this call created the file: no two calls of a fleet
    create the same content, because each content names its author.
    """

    store: Store
    tries: int = 6
    first_wait_s: float = 0.1
    sleep: Callable[[float], None] = time.sleep

    def put_new(self, name: str, data: bytes) -> bool:
        """Write a file if the name is free. Return whether it was."""
        lost = False
        for number in range(1, self.tries + 1):
            try:
                if self.store.put_new(name, data):
                    return True
                return lost and self.get(name) == data
            except StoreBusy as error:
                lost = True
                self._wait(number, error)
        raise AssertionError

    def put(self, name: str, data: bytes) -> None:
        """Write a file, or replace it."""
        self._again(lambda: self.store.put(name, data))

    def get(self, name: str) -> bytes | None:
        """Return the content of a file, None if there is none."""
        return self._again(lambda: self.store.get(name))

    def list(self, prefix: str) -> list[str]:
        """Return the names of all files in the directory `prefix` and below it, sorted."""
        return self._again(lambda: self.store.list(prefix))

    def _again(self, work: Callable[[], Any]) -> Any:
        for number in range(1, self.tries + 1):
            try:
                return work()
            except StoreBusy as error:
                self._wait(number, error)
        raise AssertionError

    def _wait(self, number: int, error: StoreBusy) -> None:
        if number >= self.tries:
            raise _failed(f"{self.tries} tries", error) from error
        _LOG.debug("the store is busy, try %d of %d: %s", number, self.tries, error)
        self.sleep(self.first_wait_s * 2 ** (number - 1))


def is_remote(address: str) -> bool:
    """Return whether an address names an object store, for example `s3://bucket/fleet`."""
    return "://" in address


def open_store(address: str) -> Store:
    """Return the store at a directory, or at an fsspec address such as `s3://bucket/fleet`.

    Raises:
        MissingTool: the address needs a package that is not installed.
        BadInput: the store cannot decide which of two workers is first.
    """
    if not is_remote(address):
        return LocalStore(directory=Path(address))
    protocol = address.partition("://")[0]
    if protocol not in EXCLUSIVE:
        message = f"the store {address!r} cannot hold a fleet: {protocol!r} has no exclusive create"
        raise BadInput(message, hint=f"Use a local directory, or one of: {', '.join(EXCLUSIVE[:4])}.")
    try:
        fsspec: Any = importlib.import_module("fsspec")
        system, root = fsspec.core.url_to_fs(address)
    except ImportError as error:
        hint = "pip install 'retouch[fleet]', and for S3 also s3fs."
        raise MissingTool(f"the store {address!r} needs a package: {error}", hint=hint) from error
    store = SteadyStore(store=FsspecStore(system=system, root=str(root)))
    _expect_exclusive(store, address)
    return store


def _expect_exclusive(store: Store, address: str) -> None:
    """Check that the second of two creations of the same name is refused."""
    name = f"{_PROBE}/{secrets.token_hex(8)}"
    first, second = store.put_new(name, b"first"), store.put_new(name, b"second")
    if not first or second or store.get(name) != b"first":
        message = f"the store {address!r} cannot hold a fleet: it creates the same file twice"
        raise BadInput(message, hint="Update the package of its file system, or use a local directory.")


def expect_local_disk(directory: Path) -> None:
    """Check that ledgers can be written in `directory`: SQLite needs a disk of this machine.

    Raises:
        BadInput: the directory is on a network disk. The message names its kind.
    """
    kind = disk_kind(directory)
    if any(kind == one or kind.startswith(one) for one in NETWORK_DISKS):
        message = (
            f"{str(directory)!r} is on a network disk ({kind}): SQLite's write-ahead log does not work there, and "
            f"other machines do not see its locks"
        )
        hint = "Use a directory on a disk of this machine, or an object store such as -o s3://BUCKET/NAME."
        raise BadInput(message, hint=hint)


def disk_kind(directory: Path, mounts: str | None = None) -> str:
    """Return the kind of the file system that holds `directory`, for example "ext4", or "" if unknown.

    `mounts` is the content of /proc/self/mounts, which only Linux has.
    """
    if mounts is None:
        if sys.platform != "linux":
            return ""
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    wanted, best, kind = directory.resolve(), -1, ""
    for line in mounts.splitlines():
        columns = line.split()
        if len(columns) > 2:
            mount = Path(columns[1].replace("\\040", " "))
            if (wanted == mount or wanted.is_relative_to(mount)) and len(mount.parts) >= best:
                best, kind = len(mount.parts), columns[2]
    return kind

"""The sources of files: a local directory, or a directory inside a container. No other module opens source files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from retouch.locate.identity import FileRef
from retouch.locate.sources.local import LocalFiles

if TYPE_CHECKING:
    from retouch.locate.values import FileSource

__all__ = ["LocalFiles", "open_source"]


def open_source(where: FileSource | str | Path) -> FileSource:
    """Return the files below a directory, given by a path or by `docker:<container>:<absolute path>`.

    Raises:
        LocateError: the reference is malformed, or there is no such directory on this machine.
    """
    if not isinstance(where, (str, Path)):
        return where
    ref = FileRef.parse(str(where))
    if ref.container is None:
        return LocalFiles(ref.path)
    from retouch.locate.sources.docker import DockerFiles

    return DockerFiles(ref.container, ref.path)

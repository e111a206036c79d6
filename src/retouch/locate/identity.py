"""How files and definitions are named: `docker:<container>:<path>`, `file::Outer.Inner`, `file::Outer.Inner#kind`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from retouch.locate.errors import LocateError

_DOCKER = "docker:"
_CONTAINER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")  # docker's own rule for names; ids are of this form too


@dataclass(frozen=True, kw_only=True)
class FileRef:
    """A file or folder: `path` on this machine, or inside `container`, where it is absolute."""

    path: str
    container: str | None = None

    @classmethod
    def parse(cls, text: str) -> FileRef:
        """Return the reference that `text` spells; only the first two colons of `docker:...` separate.

        Raises:
            LocateError: `text` is empty, or begins with `docker:` and lacks a container or an absolute path.
        """
        if not text.startswith(_DOCKER):
            if not text:
                raise LocateError("A file reference is empty.", hint=_FORMS)
            return cls(path=text)
        container, _, path = text.removeprefix(_DOCKER).partition(":")
        if not _CONTAINER.fullmatch(container):
            raise LocateError(f"{text!r} names no container, but {container!r}.", hint=_FORMS)
        if not path.startswith("/"):
            raise LocateError(f"{text!r} has no absolute path in the container, but {path!r}.", hint=_FORMS)
        return cls(path=path, container=container)

    def __str__(self) -> str:
        return self.path if self.container is None else f"{_DOCKER}{self.container}:{self.path}"


_FORMS = "Write a path, or docker:<container>:<absolute path>; a local name that begins so is written ./docker:..."


class ModuleId(NamedTuple):
    """The parts of `file::qualified`."""

    file: str
    qualified: str


def split_module_id(module_id: str) -> ModuleId:
    """Return the parts of `file::qualified`; a path may contain `::`, so the last one separates.

    Raises:
        LocateError: there is no `::` with something on both sides.
    """
    file, _, qualified = module_id.rpartition("::")
    if not file or not qualified:
        raise LocateError(f"{module_id!r} is no module id.", hint="A module id is file::Outer.Inner.")
    return ModuleId(file, qualified)

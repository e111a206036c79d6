"""References to files and definitions: `docker:<container>:<path>`, `file::Outer.Inner`, `file::Outer.Inner#kind`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from retouch.locate.errors import LocateError

_DOCKER = "docker:"
_CONTAINER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")  # docker's own rule for names; ids have this form, too


@dataclass(frozen=True, kw_only=True)
class FileRef:
    """A file or directory: `path` on this machine, or an absolute `path` inside `container`."""

    path: str
    container: str | None = None

    @classmethod
    def parse(cls, text: str) -> FileRef:
        """Return the parsed reference. Only the first two colons of `docker:...` are separators.

        Raises:
            LocateError: `text` is empty, or starts with `docker:` and has no container or no absolute path.
        """
        if not text.startswith(_DOCKER):
            if not text:
                raise LocateError("The file reference is empty.", hint=_FORMS)
            return cls(path=text)
        container, _, path = text.removeprefix(_DOCKER).partition(":")
        if not _CONTAINER.fullmatch(container):
            raise LocateError(f"{text!r} has no container name, but {container!r}.", hint=_FORMS)
        if not path.startswith("/"):
            raise LocateError(f"{text!r} has no absolute path in the container, but {path!r}.", hint=_FORMS)
        return cls(path=path, container=container)

    def __str__(self) -> str:
        return self.path if self.container is None else f"{_DOCKER}{self.container}:{self.path}"


_FORMS = (
    "Use a path, or docker:<container>:<absolute path>. Write a local name that starts with docker: as ./docker:..."
)


class ModuleId(NamedTuple):
    """The parts of `file::qualified`."""

    file: str
    qualified: str


def split_module_id(module_id: str) -> ModuleId:
    """Return the parts of `file::qualified`. The last `::` is the separator, because a path may contain `::`.

    Raises:
        LocateError: there is no `::` with text on both sides.
    """
    file, _, qualified = module_id.rpartition("::")
    if not file or not qualified:
        raise LocateError(f"{module_id!r} is not a module id.", hint="A module id is file::Outer.Inner.")
    return ModuleId(file, qualified)

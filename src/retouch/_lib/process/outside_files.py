"""The files outside of a workspace that its commands use, as far as the commands, their scripts and links name them."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from retouch._lib.process.environment import named_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_PATH = re.compile(r"[\w./~${}+@%-]*[/$][\w./~${}+@%-]*|[\w+-]+\.\w+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_UNKNOWN = re.compile(r"^\$(?:\w+|\{\w+\})/")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev", "/run", "/opt")
_SCRIPTS = frozenset({"", ".sh", ".bash", ".zsh", ".py", ".pl", ".tcl", ".ys", ".sby", ".eqy", ".mk", ".js", ".rb"})
_MOST_SCRIPT_BYTES, _MOST_FILES, _MOST_SCRIPTS = 256_000, 5_000, 50


def outside_key(
    commands: Sequence[str], variables: Mapping[str, str], workspace: Path, links: Iterable[str] = ()
) -> str:
    """Return a hash of the path, size and mtime of each file outside of the workspace that the commands name.

    These are programs, files and directories in the commands, in the scripts that they name, and behind the
    symbolic links `links` of the workspace. For a script outside, the files of the same kind next to it are included,
    because it may import them. At most 5,000 files of a directory count. Directories of the system are left out.
    """
    found = {place for command in commands for place in named_files(command, variables, workspace)}
    found |= set(_mentioned(commands, variables, workspace))
    found |= {place for link in links if (place := _resolved(workspace / link)) is not None}
    outside = [one for one in found if not one.is_relative_to(workspace)]
    states = sorted({state for place in outside for state in _states(place, workspace)})
    return sha256(repr(states).encode("utf-8", "surrogateescape")).hexdigest()


def mentioned_text(command: str, workspace: Path) -> str:
    """Return a command with the text of the scripts that it names, of those that they name, and of those nearby."""
    places = dict.fromkeys(_mentioned([command], os.environ, workspace.resolve()))
    return "\n".join([command, *(text for place in places if (text := _script_text(place)) is not None)])


def named_text(command: str, workspace: Path, code_of: Callable[[str], str]) -> str:
    """Return a command with the code of the scripts that it names, and of those that this code names.

    `code_of` returns the code of a script, for example without comments.
    """
    places = _named([command], os.environ, workspace.resolve(), code_of)
    texts = (text for place in places if (text := _script_text(place)) is not None)
    return "\n".join([code_of(command), *map(code_of, texts)])


def _mentioned(commands: Sequence[str], variables: Mapping[str, str], workspace: Path) -> Iterator[Path]:
    """Yield the files and directories that the commands and their scripts mention, and scripts next to one outside."""
    seen: set[Path] = set()
    for place in _named(commands, variables, workspace, str):
        seen.add(place)
        yield place
        if not place.is_relative_to(workspace) and _script_text(place) is not None:
            yield from (one for one in _beside(place) if one not in seen)


def _named(
    commands: Sequence[str], variables: Mapping[str, str], workspace: Path, code_of: Callable[[str], str]
) -> Iterator[Path]:
    """Yield the files and directories that the commands and the code of their scripts name, each once."""
    seen: set[Path] = set()
    left = [(code_of(command), workspace) for command in commands]
    while left and len(seen) < _MOST_SCRIPTS:
        text, folder = left.pop()
        for place in _paths_in(text, folder, variables, workspace):
            if place in seen or _is_system(place):
                continue
            seen.add(place)
            yield place
            if (script := _script_text(place)) is not None:
                left.append((code_of(script), place.parent))


def _paths_in(text: str, folder: Path, variables: Mapping[str, str], workspace: Path) -> Iterator[Path]:
    for word in dict.fromkeys(_PATH.findall(text)):
        name = _VARIABLE.sub(lambda found: variables.get(found[1] or found[2], found[0]), word)
        name = _UNKNOWN.sub("", name)  # often the directory of the script
        name = os.path.expanduser(name)  # noqa: PTH111 - a word that is no path must not raise
        options = [folder / name.lstrip("/")] if name.startswith("/..") else [workspace / name, folder / name]
        yield from (place for one in dict.fromkeys(options) if (place := _resolved(one)) is not None)


def _resolved(place: Path) -> Path | None:
    with suppress(OSError, ValueError, RuntimeError):
        return place.resolve(strict=True)
    return None


def _is_system(place: Path) -> bool:
    return str(place) == "/" or any(place.is_relative_to(one) for one in _SYSTEM)


def _script_text(place: Path) -> str | None:
    """Return the text of a small script, or None."""
    with suppress(OSError, UnicodeDecodeError):
        if place.suffix in _SCRIPTS and place.is_file() and place.stat().st_size <= _MOST_SCRIPT_BYTES:
            return place.read_text(encoding="utf-8")
    return None


def _beside(place: Path) -> list[Path]:
    with suppress(OSError):
        return sorted(place.parent.glob(f"*{place.suffix}"))[:_MOST_FILES] if place.suffix else []
    return []


def _states(place: Path, workspace: Path) -> Iterator[tuple[str, int, int]]:
    """Yield the state of a file, or of the files of a directory that does not contain the workspace."""
    with suppress(OSError):
        if not place.is_dir():
            status = place.stat()
            yield str(place), status.st_size, status.st_mtime_ns
        elif not _is_system(place) and not workspace.is_relative_to(place):
            for number, one in enumerate(_files_below(place)):
                if number == _MOST_FILES:
                    return
                yield from _states(one, workspace)


def _files_below(folder: Path) -> Iterator[Path]:
    for name, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(name, one) for one in sorted(files))

"""What is on a disk whose power was cut: only what was synced, told from a trace with everything that was written.

The strictest disk that the standards allow: the bytes of a file are there as of its last fsync, its name as of the last
fsync of its folder. Real file systems keep more.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CALLS = "openat,write,pwrite64,ftruncate,lseek,fsync,fdatasync,rename,unlink,link,mkdir,rmdir"
_LINE = re.compile(r"(\d+) +(\w+)\((.*)\) += (-?\d+)(.*)")
_RESUMED = re.compile(r"(\d+) +<\.\.\. \w+ resumed>(.*)")
_UNFINISHED = " <unfinished ...>"
_BYTE = re.compile(rb"\\x([0-9a-f]{2})")


@dataclass(kw_only=True)
class File:
    """The bytes of one file as a process sees them, and as they are on the disk."""

    data: bytearray = field(default_factory=bytearray)
    synced: bytes = b""

    def write(self, data: bytes, at: int) -> None:
        """Put bytes at an offset."""
        self.data.extend(bytes(max(0, at - len(self.data))))
        self.data[at : at + len(data)] = data


class Disk:
    """The files below a folder, followed through a trace."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._names: dict[str, File] = {}
        self._kept: dict[str, File] = {}
        self._places: dict[str, int] = {}
        for path in folder.rglob("*"):
            if path.is_file():
                data = path.read_bytes()
                self._names[str(path)] = self._kept[str(path)] = File(data=bytearray(data), synced=data)

    def seen(self) -> dict[str, bytes]:
        """Return the files as processes see them."""
        return {os.path.relpath(name, self._folder): bytes(file.data) for name, file in self._names.items()}

    def cuts(self, trace: str) -> Iterator[tuple[dict[str, bytes], bytes]]:
        """Yield, after each sync, the files that a cut would leave, and what had been noted of requests by then."""
        for call, rest, result in _calls(trace):
            texts = [_bytes(each) for each in re.findall(r'"([^"]*)"', rest)]
            self._follow(call, rest, result, texts)
            if call in {"fsync", "fdatasync"}:
                kept = {os.path.relpath(name, self._folder): file.synced for name, file in self._kept.items()}
                noted = self._names.get(f"{self._folder}/noted", File())
                yield {name: data for name, data in kept.items() if name != "noted"}, bytes(noted.data)

    def _follow(self, call: str, rest: str, result: int, texts: list[bytes]) -> None:
        place = _bytes((re.match(r"\d+<([^>]*)>", rest) or ["", ""])[1]).decode("utf-8", "surrogateescape")
        names = [os.path.normpath(Path(self._folder, text.decode("utf-8", "surrogateescape"))) for text in texts]
        if call in {"write", "pwrite64", "ftruncate", "lseek"}:
            if place in self._names:
                self._written(call, place, rest, result, texts)
        elif call in {"fsync", "fdatasync"}:
            self._sync(place)
        elif call == "openat" and names[0].startswith(self._folder):
            self._opened(names[0], rest)
        elif call == "rename" and names[0] in self._names:
            self._names[names[1]] = self._names.pop(names[0])
        elif call == "link" and names[0] in self._names:
            self._names[names[1]] = self._names[names[0]]
        elif call == "unlink":
            self._names.pop(names[0], None)

    def _opened(self, name: str, rest: str) -> None:
        if "O_CREAT" in rest and name not in self._names:
            self._names[name] = File()
        if name in self._names:
            if "O_TRUNC" in rest:
                self._names[name].data.clear()
            self._places[name] = len(self._names[name].data) if "O_APPEND" in rest else 0

    def _written(self, call: str, name: str, rest: str, result: int, texts: list[bytes]) -> None:
        file, numbers = self._names[name], [int(each) for each in re.findall(r", (\d+)", rest)]
        if call == "pwrite64":
            file.write(texts[0][:result], numbers[-1])
        elif call == "write":
            file.write(texts[0][:result], self._places.get(name, 0))
            self._places[name] = self._places.get(name, 0) + result
        elif call == "lseek":
            self._places[name] = result
        else:
            del file.data[numbers[0] :]
            file.write(b"", numbers[0])

    def _sync(self, place: str) -> None:
        if place in self._names:
            self._names[place].synced = bytes(self._names[place].data)
            return
        inside = {name: file for name, file in self._names.items() if str(Path(name).parent) == place}
        self._kept = {name: file for name, file in self._kept.items() if str(Path(name).parent) != place} | inside


def _calls(trace: str) -> Iterator[tuple[str, str, int]]:
    begun: dict[str, str] = {}
    for line in trace.splitlines():
        whole = line
        if line.endswith(_UNFINISHED):
            begun[line.split()[0]] = line.removesuffix(_UNFINISHED)
            continue
        if resumed := _RESUMED.fullmatch(line):
            whole = begun.pop(resumed[1], "") + resumed[2]
        if (found := _LINE.fullmatch(whole)) and int(found[4]) >= 0:
            yield found[2], found[3], int(found[4])


def _bytes(text: str) -> bytes:
    return _BYTE.sub(lambda found: bytes([int(found[1], 16)]), text.encode())

"""The stored data of one file in an index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from retouch.locate.values import Span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# the resolution of a file system's clock can be this coarse (FAT), so changes of newer files may be missed
_RACY_NS = 2_000_000_000


@dataclass(frozen=True, kw_only=True)
class FileRecord:
    """One file as it was read. Its spans are the documents from number `first` on."""

    size: int
    mtime_ns: int
    sha256: str
    read_ns: int
    first: int
    errors: int
    spans: Sequence[Span]

    def is_fresh(self, seen: tuple[int, int]) -> bool:
        """Return whether a file with this size and time must be unchanged."""
        return seen == (self.size, self.mtime_ns) and self.mtime_ns + _RACY_NS < self.read_ns

    @property
    def documents(self) -> range:
        """The document numbers of its spans."""
        return range(self.first, self.first + len(self.spans))

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON value for `from_json`."""
        numbers = [self.size, self.mtime_ns, self.read_ns, self.first, self.errors]
        return {"sha256": self.sha256, "numbers": numbers, "spans": [_row(span) for span in self.spans]}

    @classmethod
    def from_json(cls, file: str, stored: Mapping[str, Any]) -> FileRecord:
        """Return the record of `file` from a value of `to_json`."""
        size, mtime_ns, read_ns, first, errors = stored["numbers"]
        return cls(
            size=size,
            mtime_ns=mtime_ns,
            sha256=stored["sha256"],
            read_ns=read_ns,
            first=first,
            errors=errors,
            spans=tuple(_span(file, row) for row in stored["spans"]),
        )


def _row(span: Span) -> list[Any]:
    names = (" ".join(names) for names in (span.parents, span.defines, span.makes, span.refers))
    return [span.name, span.qualified, span.kind, span.start_line, span.end_line, span.name_line, *names]


def _span(file: str, row: Sequence[Any]) -> Span:
    name, qualified, kind, start_line, end_line, name_line, parents, defines, makes, refers = row
    return Span(
        file=file,
        name=name,
        qualified=qualified,
        kind=kind,
        start_line=start_line,
        end_line=end_line,
        name_line=name_line,
        parents=tuple(parents.split()),
        defines=tuple(defines.split()),
        makes=tuple(makes.split()),
        refers=tuple(refers.split()),
    )

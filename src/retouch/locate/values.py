"""The values of this package: spans of source code, evidence about them, candidates with a fused score."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

JSON: TypeAlias = "bool | int | float | str | list[JSON] | dict[str, JSON] | None"
SpanKind: TypeAlias = Literal["class", "object", "trait", "enum", "package_object", "function"]
BASES = {"h": 16, "d": 10, "o": 8, "b": 2}  # the letters of number literals, in Verilog and in Chisel


@dataclass(frozen=True, kw_only=True)
class Span:
    """One definition in a source file, and the names in it.

    `file` is relative to the source directory (POSIX). Lines are 1-based and inclusive. `qualified` consists of the
    names of the enclosing definitions and its own, with dots and without the package. `parents` are the types it
    extends, `defines` the names it defines, `makes` the types it instantiates, `refers` the capitalised names it
    mentions.
    """

    file: str
    name: str
    qualified: str
    kind: SpanKind
    start_line: int
    end_line: int
    name_line: int
    parents: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()

    @property
    def module_id(self) -> str:
        """The key of candidates: `file::qualified`. Companions share it."""
        return f"{self.file}::{self.qualified}"

    @property
    def span_id(self) -> str:
        """The unique id in a tree: `file::qualified#kind`."""
        return f"{self.module_id}#{self.kind}"

    @property
    def span_type(self) -> str:
        """The specification's name of `kind`."""
        return self.kind


@dataclass(frozen=True, kw_only=True)
class Hint:
    """The hint of one strategy for one module: `confidence` from 0 to 1, and the evidence as JSON."""

    module_id: str
    span: Span
    confidence: float
    source: str
    evidence: Mapping[str, JSON] = field(default_factory=dict[str, JSON])


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One module with the evidence of all strategies.

    `scores` has one number from 0 to 1 per strategy (mf, sl, fg, nb). `fused_score` is from 0 to 1. `probability` is
    the calibrated probability that this is the place, None without a calibration. `members` are the spans that share
    the id (companions), `span` is the one that the evidence refers to.
    """

    module_id: str
    span: Span
    scores: Mapping[str, float]
    fused_score: float
    sources_hit: int
    all_evidence: Sequence[Hint] = ()
    members: Sequence[Span] = ()
    probability: float | None = None


ModuleSpan = Span
ModuleHint = Hint
ModuleCandidate = Candidate


class FileSource(Protocol):
    """A source of files: a local directory, or one inside a container. Paths are relative (POSIX).

    Your own class that derives from this one needs the first five members. The other two read one file at a time.
    """

    @property
    def root(self) -> str:
        """The directory as a file reference: an absolute path, or `docker:<container>:<absolute path>`."""
        ...

    def list(self, pattern: str, skip: Collection[str] = ()) -> Sequence[str]:
        """Return the files that match `pattern`, sorted, without those in directories of `skip`.

        A pattern without a slash is compared with the name of each file at any depth, otherwise with its path. `*` also
        matches slashes. A directory is skipped if its path equals, or ends with, one of `skip`.
        """
        ...

    def read(self, ref: str) -> bytes:
        """Return the bytes of one file."""
        ...

    def stat(self, ref: str) -> tuple[int, int] | None:
        """Return size in bytes and modification time in ns. None if the file does not exist."""
        ...

    def commit(self) -> str | None:
        """Return the commit that is checked out. None if there is none."""
        ...

    def read_all(self, refs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield each file of `refs` with its bytes, in order. Missing files are skipped."""
        return ((ref, self.read(ref)) for ref in refs if self.stat(ref) is not None)

    def stat_all(self, refs: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """Return the result of `stat` for each existing file of `refs`."""
        found = ((ref, self.stat(ref)) for ref in refs)
        return {ref: seen for ref, seen in found if seen is not None}

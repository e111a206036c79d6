"""A language as a value: its files, and the parser of one file. The index is independent of languages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from retouch.locate.values import SpanKind

Role: TypeAlias = Literal["parents", "defines", "makes"]


class Definition(NamedTuple):
    """A definition from byte `start` (its first modifier or annotation) to before byte `end`, with its name at
    `name_at`.
    """

    start: int
    end: int
    kind: SpanKind
    name: str
    name_at: int


class Mark(NamedTuple):
    """A name at a byte of a file: a type that is extended or instantiated, or a name that is defined.

    It belongs to the innermost definition around it. A parent is inside the definition that extends it.
    """

    at: int
    role: Role
    name: str


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """The result of parsing one file, in any order. `errors` is the number of places that could not be parsed.

    `comments` are non-overlapping byte ranges.
    """

    definitions: Sequence[Definition]
    marks: Sequence[Mark] = ()
    comments: Sequence[tuple[int, int]] = ()
    errors: int = 0


@dataclass(frozen=True, kw_only=True)
class Front:
    """A language. `parse` parses the bytes of one file and never raises.

    `refers` matches names in code without comments that may be definitions elsewhere (its first group, or the whole
    match). `version` changes if the same bytes may be parsed differently, so that caches of other versions are not
    used. `skip` are directories without sources, `tests` directories with tests, both as in `FileSource.list`. `note`
    is a message for the user about this parser.
    """

    name: str
    version: str
    patterns: Sequence[str]
    parse: Callable[[bytes], Parsed]
    refers: re.Pattern[bytes]
    skip: Sequence[str] = (".git",)
    tests: Sequence[str] = ()
    note: str = ""

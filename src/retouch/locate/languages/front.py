"""A language as a value: which files it has, and what is read in one of them. The index knows no language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from retouch.locate.values import SpanKind

Role: TypeAlias = Literal["parents", "defines", "makes"]


class Definition(NamedTuple):
    """A definition from byte `start`, its first modifier or annotation, to before byte `end`; its name at `name_at`."""

    start: int
    end: int
    kind: SpanKind
    name: str
    name_at: int


class Mark(NamedTuple):
    """A name at a byte of a file: a type that is extended or made, or something that is given a name there.

    It belongs to the innermost definition around it; a parent therefore stands inside the definition that extends it.
    """

    at: int
    role: Role
    name: str


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """What a front reads in one file, in any order; `errors` counts places that it could not read.

    `comments` are byte ranges apart from each other.
    """

    definitions: Sequence[Definition]
    marks: Sequence[Mark] = ()
    comments: Sequence[tuple[int, int]] = ()
    errors: int = 0


@dataclass(frozen=True, kw_only=True)
class Front:
    """A language: `parse` reads the bytes of one file and raises nothing, whatever they are.

    `refers` finds, in code without comments, the names that may be definitions elsewhere (its first group, or all of
    it). `version` changes whenever the same bytes may be read otherwise: caches of another version are not used.
    `skip` names folders that hold no sources, `tests` those that hold tests; both as in `FileSource.list`. `note` tells
    a person what to know about this front.
    """

    name: str
    version: str
    patterns: Sequence[str]
    parse: Callable[[bytes], Parsed]
    refers: re.Pattern[bytes]
    skip: Sequence[str] = (".git",)
    tests: Sequence[str] = ()
    note: str = ""

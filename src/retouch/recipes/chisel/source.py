"""What the chisel job works from: the intent, the candidates in the order they are tried, and their files' texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from posixpath import join

UNIT = "fix"


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """One source file as it was read: its path below the source folder, with `/`, and its text."""

    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """One candidate, as a prompt tells of it and as the ledger of trials knows it.

    `regions` are the first and last lines of its definition and of its companions, 1-based and inclusive; `evidence`
    are lines that the diff speaks of, `why` the reasons in words, `makes` the declarations of what it instantiates,
    as FILE:LINE: TEXT. `score` is the fused score, `sources` what each
    strategy gave; `probability` is None without a calibration.
    """

    module_id: str
    file: str
    name: str
    kind: str
    regions: tuple[tuple[int, int], ...]
    evidence: tuple[int, ...] = ()
    why: tuple[str, ...] = ()
    makes: tuple[str, ...] = ()
    tier: str = ""
    score: float = 0.0
    probability: float | None = None
    sources: dict[str, float] = field(default_factory=dict[str, float])
    span_sha256: str = ""

    @property
    def weight(self) -> float:
        """How likely this is the place: the probability where it is known, else the score."""
        return self.score if self.probability is None else self.probability

    @property
    def lines(self) -> set[int]:
        """The numbers of all its lines."""
        return {line for first, last in self.regions for line in range(first, last + 1)}


@dataclass(frozen=True, kw_only=True)
class FixJob:
    """The source of the chisel recipe.

    `diff` is the diff as it was given, `intent` the same without comments and noise: this one is shown. `compile` and
    `lec` are the person's commands, `lec` "" for none. `inside` is where the source folder lies in the workspace.
    `together` candidates are shown in one prompt of about `prompt_tokens`, and asked `asks_each` times at most; `most`
    were to be tried.
    """

    case_id: str
    module: str
    diff: str
    intent: str
    suspects: tuple[Suspect, ...]
    files: tuple[SourceText, ...]
    compile: str
    lec: str = ""
    inside: str = ""
    commit: str = ""
    together: int = 1
    prompt_tokens: int = 6_000
    asks_each: int = 3
    most: int = 5

    @property
    def groups(self) -> list[tuple[Suspect, ...]]:
        """The candidates as they are shown: `together` in one prompt."""
        return [self.suspects[at : at + self.together] for at in range(0, len(self.suspects), self.together)]

    def file(self, path: str) -> SourceText:
        """Return the file at `path`."""
        return next(file for file in self.files if file.path == path)

    def in_workspace(self, path: str) -> str:
        """Return where a source file lies in the workspace."""
        return join(self.inside, path)

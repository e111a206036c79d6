"""The source of the chisel recipe: the intent, the candidates in order, and the content of their files."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from posixpath import join
from typing import TYPE_CHECKING

from retouch.recipes.chisel.proofs import Proof  # noqa: TC001 - the fields of a stored source are resolved

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT = "fix"


@dataclass(frozen=True, kw_only=True)
class SourceText:
    """One source file: its path relative to the source directory, with `/`, and its text."""

    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their endings."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """One candidate, as in the prompts and in the ledger of trials.

    `regions` are the first and last lines of its definition and of its companions, 1-based and inclusive. `evidence`
    are lines that the diff refers to, `why` the reasons as text, `makes` the declarations of modules that it
    instantiates, as FILE:LINE: TEXT. `score` is the fused score, `sources` maps each strategy to its score.
    `probability` is None without a calibration.
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
        """How likely this is the place of the change: the probability if it is known, otherwise the score."""
        return self.score if self.probability is None else self.probability

    @property
    def lines(self) -> set[int]:
        """The numbers of all its lines."""
        return {line for first, last in self.regions for line in range(first, last + 1)}


@dataclass(frozen=True, kw_only=True)
class FixJob:
    """The source of the chisel recipe.

    `diff` is the diff as given, `intent` the same without comments and noise, which is shown to the model. `compile`
    and `lec` are the user's commands; `lec` is "" for none. `lec_shows` is what its success shows, as the user declares
    it: "simulated", "bounded" or "proved". `inside` is the path of the source directory in the workspace. One prompt of
    about `prompt_tokens` tokens shows `together` candidates, which get at most `asks_each` calls. `most` limits the
    number of candidates. If `choose` is not 0, the first prompt shows the signatures of that many candidates, and the
    model chooses the order. `related` are definitions that the candidates use, or that use them: a model may ask to see
    and change them, too. Definitions in the files `outdated`, which have changed since, are not shown.
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
    most: int = 10
    lec_shows: Proof = "proved"
    choose: int = 0
    related: tuple[Suspect, ...] = ()
    outdated: tuple[str, ...] = ()

    @property
    def groups(self) -> list[tuple[Suspect, ...]]:
        """The candidates in groups of `together`, one group per prompt."""
        return [self.suspects[at : at + self.together] for at in range(0, len(self.suspects), self.together)]

    def file(self, path: str) -> SourceText:
        """Return the file at `path`."""
        return next(file for file in self.files if file.path == path)

    def called(self, names: Sequence[str]) -> list[Suspect]:
        """Return the candidates and related definitions with these names or ids, in the order of the names."""
        known = (*self.suspects, *self.related)
        found = (
            one for name in names for one in known if name in {one.module_id, one.name, one.name.rpartition(".")[2]}
        )
        return list({one.module_id: one for one in found}.values())

    def in_workspace(self, path: str) -> str:
        """Return the path of a source file in the workspace."""
        return join(self.inside, path)

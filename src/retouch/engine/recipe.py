"""A job as a value: a frozen dataclass of plain functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Generic, TypeAlias, TypeVar

from retouch._lib.json_text import JSON
from retouch.engine.options import RunOptions
from retouch.engine.repair import PageByPage, Repair, correction
from retouch.engine.types import Attempt, Issue, Prompt, RetryBudget, no_session

S = TypeVar("S")  # the source: what the recipe works from; survives a trip through JSON (ir.json)
V = TypeVar("V")  # the value: what one unit's pages become once they are read

Issues: TypeAlias = Iterable[Issue] | Awaitable[Iterable[Issue]]
RepairAmong: TypeAlias = Callable[
    [S, str, Sequence[Issue], Sequence[Attempt], Mapping[str, V]], Repair | PageByPage | None
]


@dataclass(frozen=True)
class Read(Generic[V]):
    """What reading one unit gave: its value, or None when it cannot be read, and the issues of tiers 1 and 2."""

    value: V | None
    issues: Sequence[Issue] = ()


@dataclass(frozen=True)
class Unread:
    """Stands for a unit that cannot be read when files are assembled; `text` is what was answered, "" for nothing."""

    text: str


@dataclass(frozen=True)
class Block:
    """Where one unit's own text stands in an assembled file: characters `start` to `end`."""

    unit: str
    start: int
    end: int


@dataclass(frozen=True, kw_only=True)
class Section:
    """A part of a run's report that the recipe writes: plain words, a quotation, and a table of plain cells."""

    title: str
    text: str = ""
    quote: str = ""
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def nothing_to_mend(_source: object, _unit: str, _pages: Sequence[str], _issues: Sequence[Issue]) -> None:
    """Mend nothing: every repair needs a call."""


def nothing(_source: object, _values: Mapping[str, object]) -> Iterable[Prompt]:
    """Ask nothing more: the planned prompts are all there is."""
    return ()


def one_group(_source: object, _unit: str) -> str:
    """Put all units into one group, judged together in tier 3."""
    return ""


def no_blocks(_file: str, _text: str) -> Sequence[Block]:
    """Mark no unit's text: a file is kept or replaced as a whole."""
    return ()


def as_it_is(_source: object, _unit: str, text: str) -> str:
    """Take a person's text for a unit as its answer, unchanged."""
    return text


def no_heading(_source: object) -> Mapping[str, JSON]:
    """Say nothing about the source in the head of `pages.json`."""
    return {}


def no_sections(_source: object, _values: Mapping[str, object]) -> Iterable[Section]:
    """Say nothing of the artifact in a report: its files speak for themselves."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Recipe(Generic[S, V]):
    """A job. Spell it `Recipe[Source, Value](...)`, so that a wrong function is an error at its argument.

    plan      the prompts of a source, in order; pure: the same source gives the same bytes
    read      one unit's pages -> Read(value, issues of tier 1 or 2); raising `Invalid` is short for one issue.
              An adopted unit arrives as one page, whatever its number of prompts
    check     all values of one group together -> issues of tier 3; may be async; never runs while a unit cannot be read
    assemble  all values -> file name -> text; deterministic; `Unread(text)` stands for a unit that cannot be read
    mend      repairs one unit's pages by rule, without a call; None when no rule applies
    faults    what the `faulty` model may do to an answer of this recipe, by name
    then      prompts that need values first (a judge, a second stage)
    repair    how to ask again, per unit and issues, None to give up; the engine's ladder stands around it
    repair_among  takes the place of `repair` where that depends on the values of other units too
    judged_first  whether the prompts of `then` are asked before tier 3 looks: a judge's verdict is a part of the check
    offline   answers a prompt by rule from its text alone: the embedded default model
    session   whether a prompt opens a session: most answers to it are followed by a further turn (`FollowUp`, `Patch`),
              so that each turn is kept in the provider's cache for the next
    group     the group of units that a unit is judged with in tier 3
    adopted   what a person's text for a unit becomes as its answer, when answers look different from files
    blocks    where each unit's text stands in an assembled file, so that one can be replaced or adopted alone
    smaller   the same source with one unit planned in smaller pages; None when pages cannot shrink
    heading   what the head of `pages.json` says of the source, such as its endpoint
    report    what a run's report says of the artifact before it shows units and files
    """

    name: str
    source: type[S]
    plan: Callable[[S], Iterable[Prompt]]
    read: Callable[[S, str, Sequence[str]], Read[V]]
    check: Callable[[S, Mapping[str, V], RunOptions], Issues]
    assemble: Callable[[S, Mapping[str, V | Unread]], Mapping[str, str]]
    mend: Callable[[S, str, Sequence[str], Sequence[Issue]], Sequence[str] | None] = nothing_to_mend
    faults: Mapping[str, Callable[[str, Random], str]] = field(default_factory=dict[str, Callable[[str, Random], str]])
    then: Callable[[S, Mapping[str, V]], Iterable[Prompt]] = nothing
    repair: Callable[[S, str, Sequence[Issue], Sequence[Attempt]], Repair | None] = correction
    repair_among: RepairAmong[S, V] | None = None
    judged_first: bool = False
    offline: Callable[[Prompt], str] | None = None
    budget: RetryBudget = RetryBudget()
    session: Callable[[Prompt], bool] = no_session
    group: Callable[[S, str], str] = one_group
    adopted: Callable[[S, str, str], str] = as_it_is
    blocks: Callable[[str, str], Sequence[Block]] = no_blocks
    smaller: Callable[[S, str], S] | None = None
    heading: Callable[[S], Mapping[str, JSON]] = no_heading
    report: Callable[[S, Mapping[str, V | Unread]], Iterable[Section]] = no_sections

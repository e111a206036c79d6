"""The source of the rule recipe: sample paths, and the user's hints about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from retouch.errors import BadInput
from retouch.recipes.rule.detecting.noise import COMPANION, noise_among
from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.globs.parsing import MAX_CHARS, escaped
from retouch.recipes.rule.language.dates import date_reader

if TYPE_CHECKING:
    from collections.abc import Iterable

Form: TypeAlias = Literal["columns", "yaml", "python", "either"]
Mode: TypeAlias = Literal["strict", "standard", "permissive"]
FORMS: tuple[Form, ...] = get_args(Form)
MODES: tuple[Mode, ...] = get_args(Mode)
Label: TypeAlias = str | int | None
Example: TypeAlias = tuple[str, tuple[tuple[str, Label], ...]]  # a path, and its fields
UNIT = "rule"
MAX_HINT_CHARS = 500
MAX_PATHS = 100_000
FEW = 3
DAY_FIRST, MONTH_FIRST = "day-first", "month-first"


@dataclass(frozen=True, kw_only=True)
class RuleJob:
    """The source of the rule recipe.

    - `unwanted`: paths that the rule must not match.
    - `noise`: samples that the rule need not match.
    - `others`: further paths of the same tree, about which nothing is known.
    - `form`: the requested answer: "columns" (names and types for the detector's columns), "yaml" (a rule), "python" (a
      function), or "either" (Python, with YAML allowed).
    - `dates`: how ambiguous dates are read: "day-first", "month-first", or formats such as "%d-%m-%Y".
    - `hide`: the user's own regular expressions of private text.
    - `examples`: values that the user expects, by path and field.
    - `accepted`: keys of assumptions that the user accepts; "all" accepts all.
    """

    paths: tuple[str, ...]
    unwanted: tuple[str, ...] = ()
    noise: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    hint: str = ""
    form: Form = "columns"
    dates: tuple[str, ...] = ()
    min_coverage: float = 0.8
    root: str = "/"
    mode: Mode = "standard"
    hide: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    accepted: tuple[str, ...] = ()

    @property
    def samples(self) -> tuple[str, ...]:
        """The paths that the rule must match: neither named as noise, nor noise by their names."""
        noise = {*self.noise, *self.named_noise}
        return tuple(path for path in self.paths if path not in noise)

    @property
    def named_noise(self) -> tuple[str, ...]:
        """The paths that are no data by their names, for example `_SUCCESS` and checksums."""
        return _noise_of(self.paths, tuple(path for path, _ in self.examples))

    @property
    def wanted_coverage(self) -> float:
        """The smallest share of the samples that the rule must match. It is 1.0 if there are three samples or fewer."""
        return 1.0 if len(self.samples) <= FEW else self.min_coverage


@lru_cache(maxsize=16)
def _noise_of(paths: tuple[str, ...], examples: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path, kind in noise_among(paths, but=examples).items() if kind != COMPANION)


def checked(given: RuleJob) -> RuleJob:
    """Return the source with each path once, and with bytes that are not UTF-8 replaced.

    Raises:
        BadInput: there is no path, there are too many, the hint is too long, or a pattern or date format is invalid.
    """
    job = replace(
        given,
        paths=_each_once(given.paths),
        unwanted=_each_once(given.unwanted),
        noise=_each_once(given.noise),
        others=_each_once(given.others),
        hint=expect_hint(given.hint),
    )
    job = replace(job, paths=_each_once((*job.paths, *(path for path, _ in job.examples))))
    if not job.samples:
        raise BadInput("there is no sample path", hint="Give at least one path, a directory, or @FILE with a list.")
    for path in job.paths:
        if len(escaped(path)) > MAX_CHARS:
            message = f"the sample path {path[:60]!r}... has {len(path):,} characters; no glob can be that long"
            raise BadInput(message, hint="Give one path per line, and check that the list contains paths.")
    if len(job.paths) > MAX_PATHS:
        message = f"there are {len(job.paths):,} sample paths; the limit is {MAX_PATHS:,}"
        raise BadInput(message, hint="Give a few hundred that differ in shape. More do not improve the rule.")
    for answer in job.dates:
        _expect_dates(answer)
    for pattern in job.hide:
        _expect_pattern(pattern)
    return job


def expect_hint(hint: str) -> str:
    """Return `hint` without surrounding whitespace.

    Raises:
        BadInput: it has more than 500 characters.
    """
    if len(hint.strip()) > MAX_HINT_CHARS:
        message = f"the hint has {len(hint.strip()):,} characters. The limit is {MAX_HINT_CHARS}"
        raise BadInput(message, hint="Describe the parts of the paths in a sentence or two.")
    return hint.strip()


def _each_once(paths: Iterable[str]) -> tuple[str, ...]:
    readable = (path.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for path in paths)
    return tuple(dict.fromkeys(path for path in readable if path.strip("/\\. ")))


def _expect_dates(answer: str) -> None:
    if answer in {DAY_FIRST, MONTH_FIRST}:
        return
    try:
        date_reader(answer)
    except PartError as error:
        hint = f"Write {DAY_FIRST!r}, {MONTH_FIRST!r}, or a format such as '%d-%m-%Y'."
        raise BadInput(f"the date format {answer!r} cannot be used: {error.message}", hint=hint) from error


def _expect_pattern(pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        message = f"the pattern {pattern!r} for private text is not a valid regular expression: {error}"
        raise BadInput(
            message, hint="Correct it, or put a backslash before each character that is meant literally."
        ) from error

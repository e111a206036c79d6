"""The job of finding a rule: sample paths, and what a person said about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from retouch.errors import BadInput
from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.globs.parsing import MAX_CHARS, escaped
from retouch.recipes.rule.language.dates import date_reader

if TYPE_CHECKING:
    from collections.abc import Iterable

Form: TypeAlias = Literal["columns", "yaml", "python", "either"]
Mode: TypeAlias = Literal["strict", "standard", "permissive"]
FORMS: tuple[Form, ...] = get_args(Form)
MODES: tuple[Mode, ...] = get_args(Mode)
UNIT = "rule"
MAX_HINT_CHARS = 500
MAX_PATHS = 100_000
FEW = 3
DAY_FIRST, MONTH_FIRST = "day-first", "month-first"


@dataclass(frozen=True, kw_only=True)
class RuleJob:
    """The source of the rule recipe.

    `unwanted` are paths that the rule must not take, `noise` samples that it need not take, `others` paths of the same
    tree that nobody spoke of. `form` is what a model is asked for: what it makes of the detector's columns, a rule in
    YAML, a function in Python, or Python where YAML is welcome too. `dates` answers what only a person knows of dates:
    "day-first", "month-first", or formats. `hide` are a person's own patterns of what must not leave the machine.
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

    @property
    def samples(self) -> tuple[str, ...]:
        """The paths that the rule is to take."""
        noise = set(self.noise)
        return tuple(path for path in self.paths if path not in noise)

    @property
    def wanted_coverage(self) -> float:
        """The least share of the samples that the rule must fit: all of them when there are three or fewer."""
        return 1.0 if len(self.samples) <= FEW else self.min_coverage


def checked(given: RuleJob) -> RuleJob:
    """Return the job with each path once, and bytes that are not UTF-8 replaced.

    Raises:
        BadInput: there is no path, too many, a hint that is too long, or a pattern or date format that is none.
    """
    job = replace(
        given,
        paths=_each_once(given.paths),
        unwanted=_each_once(given.unwanted),
        noise=_each_once(given.noise),
        others=_each_once(given.others),
        hint=expect_hint(given.hint),
    )
    if not job.samples:
        raise BadInput("there is no sample path", hint="Give one path or more, a folder, or @FILE with a list.")
    for path in job.paths:
        if len(escaped(path)) > MAX_CHARS:
            said = f"the sample path {path[:60]!r}... has {len(path):,} characters; no glob can be that long"
            raise BadInput(said, hint="Give one path a line; check that the list is a list of paths.")
    if len(job.paths) > MAX_PATHS:
        said = f"there are {len(job.paths):,} sample paths; at most {MAX_PATHS:,} are looked at"
        raise BadInput(said, hint="A few hundred that differ in shape tell as much.")
    for answer in job.dates:
        _expect_dates(answer)
    for pattern in job.hide:
        _expect_pattern(pattern)
    return job


def expect_hint(hint: str) -> str:
    """Return a hint without blanks around it.

    Raises:
        BadInput: it has more than 500 characters.
    """
    if len(hint.strip()) > MAX_HINT_CHARS:
        said = f"the hint has {len(hint.strip()):,} characters; {MAX_HINT_CHARS} are allowed"
        raise BadInput(said, hint="Say in a sentence or two what the parts of the paths mean.")
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
        said = f"the pattern {pattern!r} of what is to be hidden is no regular expression: {error}"
        raise BadInput(said, hint="Correct it, or write a backslash before what is meant as it stands.") from error

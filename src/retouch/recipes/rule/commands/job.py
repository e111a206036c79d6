"""The paths that a rule is to be found for, and what the user says about them: shared by `generate` and the wizard."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Amount, Setting
from retouch.errors import BadInput
from retouch.recipes.rule.commands.paths import given_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.asking.source import Form, Mode

MOST_OTHERS = 2_000
_FORMS = click.Choice(["columns", "yaml", "python", "either"])
_MODES = click.Choice(["strict", "standard", "permissive"])
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DIR = click.Path(exists=True, file_okay=False, path_type=Path)

_OPTIONS = (
    click.option("--hint", default="", metavar="TEXT", help="What the parts of the paths mean, in a sentence or two."),
    click.option(
        "--form",
        cls=Setting,
        type=_FORMS,
        default="columns",
        help="What a model is asked for: what the columns mean, a rule in YAML, Python, or either of the two.",
    ),
    click.option("--unwanted", multiple=True, metavar="PATH|@FILE", help="A path that the rule must not take."),
    click.option("--noise", multiple=True, metavar="PATH|@FILE", help="A sample that the rule need not take."),
    click.option(
        "--tree", type=_DIR, metavar="DIR", help="A folder whose other files the rule should mostly leave alone."
    ),
    click.option(
        "--date-format",
        multiple=True,
        metavar="day-first|month-first|FORMAT",
        help="How dates are read that could be read in two ways.",
    ),
    click.option(
        "--min-coverage",
        cls=Setting,
        type=Amount(0, 1),
        default=0.8,
        metavar="SHARE",
        help="The share of the samples that the rule must take; of three or fewer it must take all.",
    ),
    click.option("--root", metavar="DIR", help="What relative globs and paths are relative to."),
    click.option("--privacy", cls=Setting, type=_MODES, default="standard", help="How much is hidden from the model."),
    click.option(
        "--hide", cls=Setting, type=_FILE, metavar="FILE", help="Patterns of what else is hidden, one a line."
    ),
)


def job_options(command: Any) -> Any:
    """Give `command` the options of a job; its paths are an argument of its own."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class JobArguments:
    """The job as it was given; a command's own arguments are a subclass of it."""

    paths: tuple[str, ...]
    hint: str
    form: Form
    unwanted: tuple[str, ...]
    noise: tuple[str, ...]
    tree: Path | None
    date_format: tuple[str, ...]
    min_coverage: float
    root: str | None
    privacy: Mode
    hide: Path | None

    def job_in(self, form: Form) -> RuleJob:
        """Return the job, in which a model is asked for `form`.

        Raises:
            BadInput: a path, pattern, format or the hint cannot be used.
        """
        from retouch.recipes.rule import RuleJob
        from retouch.recipes.rule.asking.source import checked

        samples = _listed(self.paths)
        job = RuleJob(
            paths=tuple(samples),
            unwanted=tuple(_listed(self.unwanted)),
            noise=tuple(_among(samples, _listed(self.noise))),
            others=tuple(_listed([str(self.tree)])[:MOST_OTHERS]) if self.tree else (),
            hint=self.hint,
            form=form,
            dates=self.date_format,
            min_coverage=self.min_coverage,
            root=self.root or "/",
            mode=self.privacy,
            hide=_patterns(self.hide) if self.hide else (),
        )
        return checked(job)


def _listed(words: Iterable[str]) -> list[str]:
    return [given.path for given in given_paths(words, root=None)]


def _among(samples: Sequence[str], noise: Iterable[str]) -> list[str]:
    """Return the samples that are meant as noise.

    Raises:
        BadInput: one is no sample.
    """
    found: list[str] = []
    for word in noise:
        meant = [path for path in samples if path == word or path.endswith(f"/{word.lstrip('/')}")]
        if not meant:
            raise BadInput(f"{word!r} is given as noise and is no sample", hint="Name one of the sample paths.")
        found += meant
    return found


def _patterns(file: Path) -> tuple[str, ...]:
    """Return the patterns of a file, one in each line; lines that begin with # are left out."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(file)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    return tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))

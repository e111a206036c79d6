"""What `retouch generate rule` was asked for."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.rule_files import given_paths
from retouch.cli.running import Running
from retouch.engine.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.asking.source import Form, Mode

MOST_OTHERS = 2_000


@dataclass(frozen=True, kw_only=True)
class RuleArguments(Running):
    """The arguments and options as they were given; see the help of the command."""

    paths: tuple[str, ...]
    hint: str
    python: bool
    form: Form
    unwanted: tuple[str, ...]
    noise: tuple[str, ...]
    tree: Path | None
    date_format: tuple[str, ...]
    min_coverage: float
    root: str | None
    privacy: Mode
    hide: Path | None
    show_sent: bool
    output: Path | None

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.output or Path("output") / "rule"

    def job(self) -> RuleJob:
        """Return the job; a hint that sounds like a computation is asked about where somebody can answer.

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
            form=self._form(),
            dates=self.date_format,
            min_coverage=self.min_coverage,
            root=self.root or "/",
            mode=self.privacy,
            hide=patterns(self.hide) if self.hide else (),
        )
        return checked(job)

    def _form(self) -> Form:
        from retouch.recipes.rule.asking.proposals import looks_like_computation

        if self.python or self.form != "columns":
            return "python" if self.python else self.form
        word = looks_like_computation(self.hint)
        if not word or self.silent:
            return self.form
        said = f"{word!r} in the hint sounds like a computation, which only a function in Python can do"
        if sys.stdin.isatty():
            return "either" if click.confirm(f"{said}: use one?", default=False, err=True) else self.form
        click.echo(f"note: {said}: ask for one with --python", err=True)
        return self.form


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


def patterns(file: Path) -> tuple[str, ...]:
    """Return the patterns of a file, one in each line; lines that begin with # are left out."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(file)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    return tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))

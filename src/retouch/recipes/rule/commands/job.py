"""Options that describe the samples and the wanted rule, shared by `generate` and the wizard."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Amount, Setting, Verb
from retouch.errors import BadInput
from retouch.recipes.rule.commands.paths import given_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.recipes.rule import RuleJob
    from retouch.recipes.rule.asking.source import Example, Form, Label, Mode

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
        help="The requested answer: names for the columns, a rule in YAML, Python, or either of the two.",
    ),
    click.option("--unwanted", multiple=True, metavar="PATH|@FILE", help="A path that the rule must not match."),
    click.option("--noise", multiple=True, metavar="PATH|@FILE", help="A sample that the rule need not match."),
    click.option(
        "--tree", type=_DIR, metavar="DIR", help="A directory whose other files the rule should mostly not match."
    ),
    click.option(
        "--date-format",
        multiple=True,
        metavar="day-first|month-first|FORMAT",
        help="How to read ambiguous dates.",
    ),
    click.option(
        "--min-coverage",
        cls=Setting,
        type=Amount(0, 1),
        default=0.8,
        metavar="SHARE",
        help="The share of the samples that the rule must match. It must match all if there are three or fewer.",
    ),
    click.option(
        "--example",
        multiple=True,
        metavar="PATH FIELD=VALUE...",
        help="A path with the values that the rule must extract from it.",
    ),
    click.option(
        "--accept",
        multiple=True,
        metavar="KEY|all",
        help="An open assumption that holds, by its key in the questions.",
    ),
    click.option("--root", metavar="DIR", help="The directory that relative globs and paths start from."),
    click.option("--privacy", cls=Setting, type=_MODES, default="standard", help="How much is hidden from the model."),
    click.option(
        "--hide",
        cls=Setting,
        type=_FILE,
        metavar="FILE",
        help="A file of patterns of further private text, one per line.",
    ),
)


def job_options(command: Any) -> Any:
    """Add the options of a source to `command`. Its paths are a separate argument."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, kw_only=True)
class JobArguments:
    """The options of a source. A command's own arguments are a subclass."""

    paths: tuple[str, ...]
    hint: str
    form: Form
    unwanted: tuple[str, ...]
    noise: tuple[str, ...]
    tree: Path | None
    date_format: tuple[str, ...]
    min_coverage: float
    root: str | None
    example: tuple[str, ...]
    accept: tuple[str, ...]
    privacy: Mode
    hide: Path | None

    def job_in(self, form: Form) -> RuleJob:
        """Return the source, which requests an answer in the form `form`.

        Raises:
            BadInput: a path, pattern, format or the hint cannot be used.
        """
        from retouch.recipes.rule import RuleJob
        from retouch.recipes.rule.asking.source import checked

        samples = _paths_of(self.paths)
        job = RuleJob(
            paths=tuple(samples),
            unwanted=tuple(_paths_of(self.unwanted)),
            noise=tuple(_noise_samples(samples, _paths_of(self.noise))),
            others=tuple(_paths_of([str(self.tree)])[:MOST_OTHERS]) if self.tree else (),
            hint=self.hint,
            form=form,
            dates=self.date_format,
            min_coverage=self.min_coverage,
            root=self.root or "/",
            mode=self.privacy,
            hide=_patterns(self.hide) if self.hide else (),
            examples=tuple(map(example_of, self.example)),
            accepted=self.accept,
        )
        return checked(job)


_FIELD = re.compile(r"([a-z][a-z0-9_]*)=(.*)", re.DOTALL)
_APART = "\0"


class ExampleVerb(Verb):
    """A command whose option `--example` takes a path and the `field=value` arguments that follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Join each path with its fields before click reads the arguments."""
        joined: list[str] = []
        reading = False
        for word in args:
            if joined and joined[-1] == "--example":
                joined.append(word)
                reading = True
            elif reading and _FIELD.fullmatch(word):
                joined[-1] += f"{_APART}{word}"
            else:
                reading = False
                joined.append(word)
        return super().parse_args(ctx, joined)


def example_of(text: str) -> Example:
    """Return the path and the fields of one `--example`. A value is read as JSON if it is a whole number, null, or in
    double quotes.

    A number with leading zeros is text, so `id=042` wants the text 042, `id=42` the number, and `id="42"` the text 42.

    Raises:
        BadInput: it has no field, or one that is no field=value.
    """
    path, *words = text.split(_APART) if _APART in text else text.split()
    found = [_FIELD.fullmatch(word) for word in words]
    if not words or not all(found):
        message = f"the example {path!r} has no 'field=value' behind it"
        raise BadInput(message, hint="Write --example data/site_7/a.csv site=7, with names in lower case.")
    return path, tuple((one[1], _value_of(one[2])) for one in found if one is not None)


def _value_of(text: str) -> Label:
    if text == "null":
        return None
    if len(text) > 1 and text[0] == text[-1] == '"':
        with suppress(ValueError):
            return str(json.loads(text))
    return int(text) if re.fullmatch("0|-?[1-9][0-9]{0,17}", text) else text


def _paths_of(words: Iterable[str]) -> list[str]:
    return [given.path for given in given_paths(words, root=None)]


def _noise_samples(samples: Sequence[str], noise: Iterable[str]) -> list[str]:
    """Return the samples that `noise` names.

    Raises:
        BadInput: an entry names no sample.
    """
    found: list[str] = []
    for word in noise:
        matching = [path for path in samples if path == word or path.endswith(f"/{word.lstrip('/')}")]
        if not matching:
            raise BadInput(f"{word!r} is given as noise, but is not a sample", hint="Name one of the sample paths.")
        found += matching
    return found


def _patterns(file: Path) -> tuple[str, ...]:
    """Return the patterns of a file, one per line. Lines that begin with # are skipped."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise BadInput(f"{str(file)!r} is not UTF-8 text: byte {error.start}", hint="Give a text file.") from error
    return tuple(line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#"))

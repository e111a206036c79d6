"""What the commands about rules are given: files of rules, and paths."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import printable
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.rule import Extraction, ExtractionRule

MAX_RULE_BYTES = 1 << 20

root_option = click.option(
    "--root",
    metavar="DIR",
    help="What relative globs and paths are relative to; without it, a folder that is named, and else '/'.",
)


def read_rule_file(file: Path) -> tuple[ExtractionRule, ...]:
    """Return the rules of a file, and say on stderr what is doubted about them.

    Raises:
        BadInput: with every error, its place and the next step.
    """
    from retouch.recipes.rule import InvalidRule, load_rules
    from retouch.recipes.rule.language.load import decoded

    with file.open("rb") as opened:
        data = opened.read(MAX_RULE_BYTES)
    try:
        rules = load_rules(decoded(data))
    except InvalidRule as error:
        errors = [one for one in error.problems if one.severity == "error"]
        said = "\n".join(f"{one}\n{one.snippet}".rstrip() for one in errors)
        raise BadInput(f"{str(file)!r} holds no rule that can be used:\n{said}", hint=error.hint) from None
    for one in rules[0].repaired:
        click.echo(f"{printable(str(file))}: repaired: {one}", err=True)
    for warning in rules[0].warnings:
        if warning.severity == "warning":
            click.secho("warning", fg="yellow", nl=False, err=True)
            click.echo(printable(f" {file}: {warning}"), err=True)
            click.echo(printable(f"    next: {warning.suggestion}"), err=True)
    return rules


@dataclass(frozen=True, kw_only=True)
class Given:
    """A path as it is shown, as rules see it, and what it is relative to."""

    shown: str
    path: str
    root: str

    def taken_by(self, rules: Sequence[ExtractionRule]) -> tuple[ExtractionRule, Extraction]:
        """Return the first of `rules` that fits, with what it takes; none fits: the first, with UNMATCHED."""
        from retouch.recipes.rule import apply_rule

        for rule in rules:
            taken = apply_rule(rule, self.path, root=self.root)
            if taken.status != "UNMATCHED":
                return rule, replace(taken, path=self.shown)
        return rules[0], replace(apply_rule(rules[0], self.path, root=self.root), path=self.shown)


def given_paths(words: Iterable[str], *, root: str | None) -> Iterator[Given]:
    """Yield the paths that words of a command line mean.

    A folder means the files below it, `-` the lines of standard input, `@FILE` the lines of a file; any other word is a
    path, whether or not there is such a file.
    """
    top = os.path.abspath(root) if root is not None else None  # noqa: PTH100 - a Path would resolve links
    for word in words:
        if word == "-":
            yield from _listed(sys.stdin.buffer.read(), top)
        elif word.startswith("@"):
            yield from _listed(Path(word[1:]).read_bytes(), top)
        elif os.path.isdir(word):  # noqa: PTH112 - a text that can be no path is no folder
            yield from _walked(word, top)
        else:
            yield Given(shown=word, path=word, root=top or "/")


def _listed(data: bytes, top: str | None) -> Iterator[Given]:
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        path = line.removesuffix("\r")
        if path:
            yield Given(shown=path, path=path, root=top or "/")


def _walked(folder: str, top: str | None) -> Iterator[Given]:
    absolute = os.path.abspath(folder)  # noqa: PTH100 - a Path would resolve links
    for at, folders, files in os.walk(absolute, onerror=_say_unreadable):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(at, name)  # noqa: PTH118 - as text: a Path would take time for each of many
            shown = os.path.join(folder, path[len(absolute) :].lstrip("/\\"))  # noqa: PTH118 - the same
            yield Given(shown=shown, path=path, root=top or absolute)


def _say_unreadable(error: OSError) -> None:
    click.echo(printable(f"skipped {error.filename!r}: {error.strerror}"), err=True)

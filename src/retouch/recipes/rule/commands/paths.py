"""Reads the input of the commands about rules: rule files, and paths."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.commands import printable
from retouch.errors import BadInput
from retouch.recipes.rule.commands.listings import read_listing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from retouch.recipes.rule import Extraction, ExtractionRule

MAX_RULE_BYTES = 1 << 20

root_option = click.option(
    "--root",
    metavar="DIR",
    help="The directory that relative globs and paths start from. Default: a directory given as PATH, else '/'.",
)


def read_rule_file(file: Path) -> tuple[ExtractionRule, ...]:
    """Return the rules of a file, and print warnings about them to stderr.

    Raises:
        BadInput: the file is not valid; it lists every error with its place and the next step.
    """
    from retouch.recipes.rule import InvalidRule, load_rules
    from retouch.recipes.rule.language.load import decoded

    with file.open("rb") as opened:
        data = opened.read(MAX_RULE_BYTES)
    try:
        rules = load_rules(decoded(data))
    except InvalidRule as error:
        errors = [one for one in error.problems if one.severity == "error"]
        listed = "\n".join(f"{one}\n{one.snippet}".rstrip() for one in errors)
        raise BadInput(f"{str(file)!r} has no usable rule:\n{listed}", hint=error.hint) from None
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
    """A path in three forms: as displayed, as rules read it, and the root that it is relative to."""

    shown: str
    path: str
    root: str

    def extracted_by(self, rules: Sequence[ExtractionRule]) -> tuple[ExtractionRule, Extraction]:
        """Return the first of `rules` that matches, and its extraction. If none does, return the first rule with
        UNMATCHED.
        """
        from retouch.recipes.rule import apply_rule

        for rule in rules:
            extraction = apply_rule(rule, self.path, root=self.root)
            if extraction.status != "UNMATCHED":
                return rule, replace(extraction, path=self.shown)
        return rules[0], replace(apply_rule(rules[0], self.path, root=self.root), path=self.shown)


def given_paths(words: Iterable[str], *, root: str | None) -> Iterator[Given]:
    """Yield the paths that the arguments of a command line mean.

    A directory means the files below it, `-` the lines of standard input, `@FILE` the lines of a file. Any other
    argument is a path, even if the file does not exist. A list can be the output of `aws s3 ls`, `ls -l` and the like.
    """
    top = os.path.abspath(root) if root is not None else None  # noqa: PTH100 - a Path would resolve links
    for word in words:
        if word == "-":
            yield from _path_lines(sys.stdin.buffer.read(), top)
        elif word.startswith("@"):
            yield from _path_lines(Path(word[1:]).read_bytes(), top)
        elif os.path.isdir(word):  # noqa: PTH112 - it also accepts text that cannot be a path
            yield from _files_below(word, top)
        else:
            yield Given(shown=word, path=word, root=top or "/")


def _path_lines(data: bytes, top: str | None) -> Iterator[Given]:
    listing = read_listing(data.decode("utf-8", "surrogateescape"))
    if listing.form:
        click.echo(f"read as {listing.form}: {len(listing.paths):,} paths", err=True)
    for path in listing.paths:
        yield Given(shown=path, path=path, root=top or "/")


def _files_below(directory: str, top: str | None) -> Iterator[Given]:
    absolute = os.path.abspath(directory)  # noqa: PTH100 - a Path would resolve links
    for at, directories, files in os.walk(absolute, onerror=_print_unreadable):
        directories.sort()
        for name in sorted(files):
            path = os.path.join(at, name)  # noqa: PTH118 - as text: a Path would take time for each of many
            shown = os.path.join(directory, path[len(absolute) :].lstrip("/\\"))  # noqa: PTH118 - the same
            yield Given(shown=shown, path=path, root=top or absolute)


def _print_unreadable(error: OSError) -> None:
    click.echo(printable(f"skipped {error.filename!r}: {error.strerror}"), err=True)

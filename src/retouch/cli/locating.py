"""Shared code of the `retouch locate` commands: the index, and its progress."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.colour import is_live_terminal
from retouch.cli.failure import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from retouch.locate.hint_config import HintConfig
    from retouch.locate.index import Refreshed, SpanIndex
    from retouch.locate.languages.front import Front

LANGUAGES = ("scala", "python")

cache_option = click.option(
    "--cache",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file of the index. Default: one in your cache directory.",
)
hint_config_option = click.option(
    "--hint-config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Parameters of the search: a TOML or JSON file. Variables RETOUCH_HINT_... are used without it.",
)
weight_option = click.option(
    "--weight",
    "weights",
    multiple=True,
    metavar="NAME=NUMBER",
    help="The weight of a score (mf, sl, fg or nb) in the order, for example nb=3. Can be repeated.",
)
tests_option = click.option("--tests", is_flag=True, help="Index test directories too. Their definitions come last.")


def indexed(
    source: str, *, cache: Path | None, tests: bool, language: str = "scala", silent: bool = False
) -> tuple[SpanIndex, Refreshed, Path]:
    """Return the index of a source directory, the work that was done, and the index file. Notes go to stderr.

    A bar counts the files in a terminal, unless `silent`.
    """
    from retouch.locate.opening import refresh_index

    with _counting(silent=silent) as on_file:
        index, done, kept = refresh_index(
            source, front=_parser_for(language), cache=cache, tests=tests, on_file=on_file
        )
    for note in index.notes:
        click.echo(printable(f"note: {note}"), err=True)
    return index, done, kept


def hint_config(path: Path | None, weights: Sequence[str] = ()) -> HintConfig:
    """Return the configuration of a file, or of variables of the environment, with further weights.

    Raises:
        LocateError: a key or value is invalid.
    """
    from retouch.locate.hint_config import HintConfig

    found = HintConfig.from_file(path) if path is not None else HintConfig.from_environment(os.environ)
    return found.with_weights(weights)


def _parser_for(language: str) -> Front:
    if language == "python":
        from retouch.locate.languages.python import python

        return python()
    from retouch.locate.languages.scala import scala

    return scala()


@contextmanager
def _counting(*, silent: bool) -> Generator[Callable[[int, int, str], object] | None]:
    if silent or not is_live_terminal(sys.stderr):
        yield None
        return
    from retouch.cli.progress import live_bar

    with live_bar("files") as bar:
        yield lambda done, total, file: bar.show(done, total, printable(file)) if done % 16 == 0 else None

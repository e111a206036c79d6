"""`retouch locate index`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from retouch.cli.locating import LANGUAGES, cache_option, indexed, tests_option
from retouch.cli.options import as_json_option, quiet_option
from retouch.cli.output import counted, print_json
from retouch.cli.verb import Verb

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.locate.index import Refreshed, SpanIndex


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR")
@cache_option
@click.option("--language", type=click.Choice(LANGUAGES), default="scala", show_default=True, help="What to look for.")
@tests_option
@quiet_option
@as_json_option
def command(*, folder: str, cache: Path | None, language: str, tests: bool, quiet: bool, as_json: bool) -> None:
    """Build or refresh the index of the definitions below DIR.

    DIR is a folder, or docker:<container>:<absolute path> for one in a running container. Only files that changed are
    read again. The index lies in the user's cache folder, one for each DIR and language; it may be deleted.

    With --json: {"files", "spans", "parsed", "deleted", "seconds", "commit", "cache", "errors", "notes"}; `parsed` and
    `deleted` are the files that are new or changed and those that are gone, `errors` counts by file what could not be
    read.
    """
    index, done, kept = indexed(folder, cache=cache, tests=tests, language=language, silent=quiet or as_json)
    if as_json:
        print_json(_facts(index, done, kept))
        return
    files, spans = counted(done.files, "file"), counted(done.spans, "definition")
    click.echo(f"{files}, {spans}; {_changes(done)} in {done.seconds:.2f} s")
    for file, errors in index.parse_errors.items():
        click.echo(f"  {file}: {counted(errors, 'place')} could not be read", err=True)
    if not done.files:
        click.echo(f"  next: is {folder!r} the folder that holds the {language} sources?", err=True)
    click.echo(f"index: {kept}")


def _changes(done: Refreshed) -> str:
    gone = f", {len(done.deleted):,} gone" if done.deleted else ""
    return f"{len(done.parsed):,} new or changed{gone}"


def _facts(index: SpanIndex, done: Refreshed, kept: Path) -> dict[str, object]:
    return {
        "files": done.files,
        "spans": done.spans,
        "parsed": list(done.parsed),
        "deleted": list(done.deleted),
        "seconds": round(done.seconds, 3),
        "commit": index.commit_hash,
        "cache": str(kept),
        "errors": index.parse_errors,
        "notes": list(index.notes),
    }

"""`retouch scrub`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable
from retouch.cli.options import as_json_option
from retouch.cli.output import counted, print_json
from retouch.cli.verb import Verb
from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.scrub import ScrubResult


@click.command(cls=Verb)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--text", "texts", multiple=True, metavar="TEXT|@FILE|-", help="The text to remove; - reads it from standard input."
)
@click.option(
    "--pattern", "patterns", multiple=True, metavar="REGEX", help="A regular expression for the text to remove."
)
@click.option("--dry-run", is_flag=True, help="Change nothing. Show where the text is.")
@as_json_option
def command(folder: Path, *, texts: tuple[str, ...], patterns: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Remove a text, such as a key, from a run's record and files.

    \b
      retouch scrub output/edit-app.py --text @leaked-key.txt
      retouch scrub output/edit-app.py --pattern 'sk-[A-Za-z0-9-]+'

    The text becomes [scrubbed] in the ledger, prompts.json, pages.json, ir.json, and the files that the run wrote. The
    run can be opened, validated and resumed as before. A file that you changed yourself is listed and not touched; the
    exit status is then 1.

    A text on the command line stays in the history of your shell, so use @FILE or standard input.

    With --json: {"run", "rows", "files", "kept", "dry_run", "notes"}.
    """
    from retouch._lib.run_sync import run_sync
    from retouch.cli.runs import expect_run, recipe_of
    from retouch.engine.record import lost_ledger_of
    from retouch.engine.scrub import scrub, scrubber

    if not texts and not patterns:
        raise click.UsageError("Say what to remove: --text or --pattern.")
    change = scrubber(_texts_to_remove(texts), patterns)
    recipe = recipe_of(expect_run(folder))
    lost = lost_ledger_of(folder)
    result = run_sync(scrub(folder, recipe, change, write=not dry_run))
    _show(result, folder, as_json=as_json, dry_run=dry_run, lost=lost)
    if result.kept:
        click.get_current_context().exit(1)


def _show(result: ScrubResult, folder: Path, *, as_json: bool, dry_run: bool, lost: str) -> None:
    """Print the result. `lost` is a message if the run's ledger is or was missing, else ""."""
    if as_json:
        lists = {"files": list(result.files), "kept": list(result.kept)}
        notes = [lost] if lost else []
        print_json({"run": str(folder), "rows": result.rows, **lists, "dry_run": dry_run, "notes": notes})
        return
    if not result.found:
        click.echo("not found: nothing was changed")
    else:
        verb = "would change" if dry_run else "changed"
        click.echo(f"{verb} {counted(result.rows, 'row')} of the ledger and {counted(len(result.files), 'file')}")
        for name in result.files:
            click.echo(f"  {printable(name)}")
        for name in result.kept:
            click.echo(f"still there: {printable(name)}, which this run did not write as it is: change it yourself")
    if lost:
        click.echo(f"note: {printable(lost)}")


def _texts_to_remove(texts: Sequence[str]) -> list[str]:
    found: list[str] = []
    for text in texts:
        if text == "-":
            text = sys.stdin.read()  # noqa: PLW2901 - the text that is meant
        elif text.startswith("@"):
            try:
                text = Path(text[1:]).read_text(encoding="utf-8")  # noqa: PLW2901 - the text that is meant
            except (OSError, UnicodeDecodeError) as error:
                raise BadInput(f"{text[1:]!r} cannot be read: {error}", hint="Name a text file.") from error
        found.append(text.removesuffix("\n").removesuffix("\r"))
    return found

"""`retouch endpoints`."""

from __future__ import annotations

from pathlib import Path

import click

from retouch.cli.options import as_json_option
from retouch.cli.output import counted, print_json, print_table
from retouch.cli.settings import Setting
from retouch.cli.verb import Verb

KEYS = ("method", "path", "status", "media_type", "json", "root", "types")


@click.command(cls=Verb)
@click.argument("spec", type=click.Path(path_type=Path))
@click.option("--match", multiple=True, metavar='"GET /repos/*"', help="Only endpoints that fit; may be repeated.")
@click.option(
    "--allow-remote", cls=Setting, is_flag=True, show_default=False, help="Follow $refs to http(s) addresses."
)
@as_json_option
def command(spec: Path, *, match: tuple[str, ...], allow_remote: bool, as_json: bool) -> None:
    """List the endpoints of an OpenAPI document. For each: what it answers with, and how many types that takes.

    With --json: {"endpoints": [{"method", "path", "status", "media_type", "json", "root", "types"}]}, where json says
    whether the lowest 2xx response has a JSON body, and types is the number of types that the root needs.
    """
    from retouch.cli.choice import matching
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.reading.catalogue import list_endpoints

    found = list_endpoints(load_document(spec, allow_remote=allow_remote))
    if match:
        found = matching(found, match)
    rows = [{key: getattr(one, key) for key in KEYS} for one in found]
    if as_json:
        print_json({"endpoints": rows})
        return
    print_table(KEYS, [[row[key] for key in KEYS] for row in rows])
    with_json = sum(1 for row in rows if row["json"])
    click.echo(f"{counted(len(rows), 'endpoint')}, {with_json:,} with a JSON answer", err=True)

"""`retouch generate csharp`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from retouch.cli import options
from retouch.cli.csharp_arguments import Arguments
from retouch.cli.running import running_options
from retouch.cli.settings import Setting
from retouch.cli.verb import Verb

_PAGE_SIZE = click.IntRange(1, 1_000)


@click.command(cls=Verb)
@click.argument("spec", type=click.Path(path_type=Path))
@click.argument("endpoint", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All endpoints that answer with JSON, each in a folder of its own.")
@click.option("--match", multiple=True, metavar='"GET /repos/*"', help="All JSON endpoints that fit; may be repeated.")
@options.run_folder_option("output/<EndpointLabel>; with --all and --match the folder above the runs")
@click.option("--status", metavar="CODE", help="The response to read, instead of the lowest 2xx with JSON.")
@click.option(
    "--media-type", cls=Setting, metavar="TYPE", help="The media type to read, instead of the first JSON one."
)
@click.option("--request", is_flag=True, help="Read the request body instead of a response.")
@click.option("--schema", metavar="NAME", help="Read this schema of the document instead of an endpoint.")
@click.option("--unwrap", metavar="FIELD", help="Take the items out of a page envelope, such as data.")
@click.option("--key", multiple=True, metavar="FIELD", help="A property of the primary key; repeat it for several.")
@click.option("--namespace", cls=Setting, metavar="NAME", help="C# namespace; Connector.App.v1.<Object> without it.")
@click.option("--fields-per-page", cls=Setting, type=_PAGE_SIZE, default=8, metavar="N", help="Page size of classes.")
@click.option("--values-per-page", cls=Setting, type=_PAGE_SIZE, default=30, metavar="N", help="Page size of enums.")
@click.option(
    "--allow-remote", cls=Setting, is_flag=True, show_default=False, help="Follow $refs to http(s) addresses."
)
@options.compiler_option
@running_options("offline")
def command(**given: Any) -> int:
    """Make C# data objects from endpoints of an OpenAPI document.

    \b
    retouch generate csharp api.yaml "GET /pets/{id}"
    retouch generate csharp api.yaml --match "GET /repos/*" -o out

    With --json: {"run", "status", "issues": [{"code", "tier", "unit", "page", "line", "message", "fix", "severity"}],
    "files", "calls", "tokens", "input_tokens", "output_tokens", "cached_tokens", "notes"}; with --all and --match
    {"runs": [...], "status", "calls", "tokens"}, where a run also has its "endpoint", and its "error" if it failed.
    """
    arguments = Arguments(**given)
    arguments.expect_consistent()
    if arguments.many:
        from retouch.cli.many import generate_many

        return generate_many(arguments)
    from retouch.cli.single import generate_one

    return generate_one(arguments)

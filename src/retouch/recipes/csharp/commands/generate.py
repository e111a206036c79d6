"""`retouch generate csharp`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import Option, Setting, Verb, completing, model_options, run_folder_option, with_options
from retouch.recipes.csharp.commands.arguments import (
    OUTPUT,
    CsharpArguments,
    compiler_option,
    reading_notes,
    runtime_option,
)
from retouch.recipes.csharp.commands.rewriting import decision_notes, rewrite, show_with_changes, stored_source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from retouch.commands import CommandRunner

_PAGE_SIZE = click.IntRange(1, 1_000)


@completing
def complete_endpoints(ctx: click.Context, _incomplete: str) -> Iterable[str]:
    """Return completions: the endpoints of the document, such as `GET /pets`, or the paths of a given method."""
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.reading.catalogue import list_endpoints

    typed = ctx.params.get("endpoint") or ()
    found = list_endpoints(load_document(Path(ctx.params["spec"])))
    if typed:
        return [one.path for one in found if one.method == typed[0].upper()] if len(typed) == 1 else []
    return [f"{one.method} {one.path}" for one in found if one.json]


@click.command(cls=Verb)
@click.argument("spec", type=click.Path(path_type=Path))
@click.argument("endpoint", nargs=-1, shell_complete=complete_endpoints)
@click.option("--all", "every", is_flag=True, help="All endpoints with a JSON response, as one project.")
@click.option(
    "--match", multiple=True, metavar='"GET /repos/*"', help="All JSON endpoints that match. Can be repeated."
)
@run_folder_option("output/<EndpointLabel>; with several endpoints output/<Project>")
@click.option(
    "--style",
    cls=Setting,
    type=click.Choice(["plain", "connector"]),
    show_default=False,
    help="plain needs System.Text.Json alone; connector has the attributes of the connector SDK, and writes each "
    "endpoint into its own directory. Default: plain; an existing run keeps its own.",
)
@click.option(
    "--ask",
    cls=Setting,
    type=click.Choice(["meaning", "transcript"]),
    show_default=False,
    help="meaning: code writes the C#, and the model proposes names, documentation and types that code checks; "
    "transcript: the model writes the C# of each page. Default: meaning, with the offline model transcript; an "
    "existing run keeps its own.",
)
@click.option(
    "--merge-identical", is_flag=True, help="In a project, write one type for those that are equal but for their names."
)
@click.option("--fail-on-breaking", is_flag=True, help="Exit with 1 if this rewrite breaks users of the older C#.")
@click.option("--status", metavar="CODE", help="The response to read, instead of the lowest 2xx with JSON.")
@click.option(
    "--media-type", cls=Setting, metavar="TYPE", help="The media type to read, instead of the first JSON one."
)
@click.option(
    "--request-body", cls=Option, old=["--request"], is_flag=True, help="Read the request body instead of a response."
)
@click.option(
    "--include",
    type=click.Choice(["request", "responses", "parameters", "headers"]),
    multiple=True,
    help="Also read the request body, the responses of every status, the parameters, or the headers, as types of a "
    "project. Can be repeated.",
)
@click.option(
    "--extra",
    type=click.Choice(["records", "defaults", "context"]),
    multiple=True,
    help="In the plain style also: records instead of classes, defaults as [DefaultValue], or a JsonSerializerContext "
    "for source generation. Can be repeated; an existing run keeps its own.",
)
@click.option("--schema", metavar="NAME", help="Read this schema of the document instead of an endpoint.")
@click.option(
    "--unwrap", metavar="FIELD", help="Read the items of a page envelope from this property, for example data."
)
@click.option("--key", multiple=True, metavar="FIELD", help="A property of the primary key. Can be repeated.")
@click.option("--namespace", cls=Setting, metavar="NAME", help="C# namespace. Default: <Title>.Models.")
@click.option("--fields-per-page", cls=Setting, type=_PAGE_SIZE, default=8, metavar="N", help="Page size of classes.")
@click.option("--values-per-page", cls=Setting, type=_PAGE_SIZE, default=30, metavar="N", help="Page size of enums.")
@click.option(
    "--allow-remote", cls=Setting, is_flag=True, show_default=False, help="Follow $refs to http(s) addresses."
)
@with_options(compiler_option, runtime_option)
@model_options("offline")
def command(**given: Any) -> int:
    """Generate C# data objects from endpoints of an OpenAPI document.

    \b
      retouch generate csharp api.yaml "GET /pets/{id}"
      retouch generate csharp api.yaml "GET /pets" "POST /pets" -o out
      retouch generate csharp api.yaml --match "GET /repos/*" -o out
      retouch generate csharp api.yaml --all --fail-on-breaking

    With --json: {"run", "status", "tiers": [{"tier", "name", "passed", "failed", "not_run", "why", "next"}], "issues":
    [{"code", "tier", "unit", "page", "line", "message", "fix", "severity"}], "files", "calls", "tokens",
    "input_tokens", "output_tokens", "cached_tokens", "cost", "notes", "breaking": [...]}, where "breaking" lists the
    breaking changes of the last rewrite. With several endpoints: {"runs": [...], "status", "calls", "tokens",
    "project", "breaking"}, where a run also has its "endpoint", and its "error" if it failed. "project" is {"run",
    "namespace", "files", "types", "endpoints": [{"endpoint", "type", "part", "status", "media_type"}]}, or null with
    --style connector.
    """
    arguments = CsharpArguments(**given)
    arguments.expect_consistent()
    names = arguments.names
    if arguments.every or arguments.match or len(names) > 1 or arguments.include:
        from retouch.recipes.csharp.commands import many, project

        return (many.generate_many if arguments.style == "connector" else project.generate_project)(arguments)
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    document = load_document(arguments.spec, allow_remote=arguments.allow_remote)
    name = names[0] if names else ""
    endpoint = read_endpoint(document, name, arguments.reading())
    directory = arguments.output or OUTPUT / endpoint.label
    if not (directory / "ir.json").is_file() and endpoint.ask == "transcript":
        return arguments.generate(recipe, endpoint, directory)
    before = stored_source(directory)
    if before is not None and before.kept != endpoint.kept:
        endpoint = read_endpoint(document, name, arguments.reading_like(before))
    return rewrite(arguments, before, endpoint, directory)


def finish(runner: CommandRunner) -> int:
    """Run the loop, and add the notes about reading the document and the breaking changes to the result."""
    result = runner.generated()
    result = replace(result, notes=(*reading_notes(runner.source), *decision_notes(runner), *result.notes))
    if runner.source.served:
        from retouch.recipes.csharp.commands.project import show_project

        return show_project(runner, result)
    return show_with_changes(runner, result)

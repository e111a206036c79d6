"""One project for many endpoints of one command: several names, `--all` or `--match`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from retouch.commands import counted, is_strict, missing, planned, print_json, printable
from retouch.recipes.csharp.commands.arguments import OUTPUT
from retouch.recipes.csharp.commands.endpoint_runs import name_of
from retouch.recipes.csharp.commands.many import chosen, generate_many
from retouch.recipes.csharp.commands.rewriting import rewrite, show_with_changes, stored_source
from retouch.recipes.csharp.commands.tally import RefusedEndpoint, show_plans
from retouch.recipes.csharp.writing.project import part_of

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.commands import CommandRunner
    from retouch.engine.overview import RunResult
    from retouch.recipes.csharp.commands.arguments import CsharpArguments
    from retouch.recipes.csharp.ir import Endpoint

REFUSED = 2  # the exit status if an endpoint of the project could not be read


def generate_project(arguments: CsharpArguments) -> int:
    """Start or resume the project of the selected endpoints, print the result and return the exit status.

    A directory that version 1 filled, with one run per endpoint, is continued as it is.
    """
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.reading.project import read_project

    if arguments.is_collecting:  # a comparison needs many sources that do not depend on each other
        return generate_many(arguments)
    if arguments.style is None and _has_connector_runs(arguments):
        return generate_many(replace(arguments, style="connector", ask=arguments.ask or "transcript"))
    document = load_document(arguments.spec, allow_remote=arguments.allow_remote)
    names = [name_of(info) for info in chosen(document, arguments)]
    project = read_project(document, names, arguments.reading(), merge=arguments.merge_identical)
    directory = arguments.output or OUTPUT / project.label
    before = stored_source(directory)
    if before is not None and before.kept != project.kept:
        project = read_project(document, names, arguments.reading_like(before), merge=arguments.merge_identical)
    if arguments.dry_run:
        return _show_plan(arguments, project, directory)
    status = rewrite(arguments, before, project, directory)
    return max(status, REFUSED) if any(one.error for one in project.served) else status


def _has_connector_runs(arguments: CsharpArguments) -> bool:
    """Return whether the directory has runs of single endpoints in the connector style."""
    parent = arguments.output or OUTPUT
    if not parent.is_dir() or (parent / "ir.json").is_file():
        return False
    sources = (stored_source(path) for path in sorted(parent.iterdir()) if path.is_dir())
    return any(source is not None and source.style == "connector" for source in sources)


def _show_plan(arguments: CsharpArguments, project: Endpoint, directory: Path) -> int:
    """Print the requests that the project would send, and the endpoints that cannot be read."""
    from retouch.recipes.csharp.job import recipe

    spec = arguments.model_spec()
    prompts = missing(directory, list(recipe.plan(project)))
    plan = planned(directory, prompts, recipe, spec, source=project, pack=arguments.pack)
    refused = {
        one.endpoint: RefusedEndpoint(message=one.error, hint="", exit_status=REFUSED)
        for one in project.served
        if one.error
    }
    return show_plans({project.namespace: plan, **refused}, recipe, spec, as_json=arguments.as_json)


def show_project(runner: CommandRunner, result: RunResult) -> int:
    """Print the result of a project, and the endpoints that could not be read; return the exit status."""
    project: Endpoint = runner.source
    refused = [one for one in project.served if one.error]
    if not runner.as_json:
        status = show_with_changes(runner, result)
        for one in refused:
            click.echo(printable(f"not read: {one.endpoint}: {one.error}"))
        read = counted(len(project.served) - len(refused), "endpoint")
        click.echo(f"  {read}, {counted(len(project.types), 'type')}, each written once")
        return status
    print_json(project_json(project, result))
    return 1 if result.status == "unverified" and is_strict() else result.exit_status


def project_json(project: Endpoint, result: RunResult) -> dict[str, Any]:
    """Return the result of a project: its run, the endpoints that could not be read, the index and the changes."""
    whole = result.as_json()
    refused = [
        {"endpoint": one.endpoint, "run": None, "status": "failed", "error": {"message": one.error, "hint": ""}}
        for one in project.served
        if one.error
    ]
    index = [
        {
            "endpoint": one.endpoint,
            "type": one.type,
            "part": part_of(one),
            "status": one.status,
            "media_type": one.media_type,
        }
        for one in project.served
        if not one.error
    ]
    return {
        "runs": [{"endpoint": project.namespace, **whole}, *refused],
        "status": "failed" if refused else whole["status"],
        "calls": whole["calls"],
        "tokens": whole["tokens"],
        "project": {
            "run": whole["run"],
            "namespace": project.namespace,
            "files": whole["files"],
            "types": len(project.types),
            "endpoints": index,
        },
        "breaking": [*project.changes],
    }

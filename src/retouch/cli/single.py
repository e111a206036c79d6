"""One run of the csharp recipe from the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.cli.csharp_arguments import OUTPUT
from retouch.cli.outcome import keeping, show_result
from retouch.cli.progress import watching

if TYPE_CHECKING:
    from retouch.cli.csharp_arguments import Arguments
    from retouch.recipes.csharp.ir import Endpoint


def generate_one(arguments: Arguments) -> int:
    """Make, or go on with, the run of one endpoint; print what it came to and return the exit status."""
    from retouch.cli.plan import missing, planned
    from retouch.cli.runs import expect_compiler
    from retouch.engine.door import wait_for
    from retouch.engine.loop import generate
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    document = load_document(arguments.spec, allow_remote=arguments.allow_remote)
    endpoint = read_endpoint(document, arguments.name, arguments.reading())
    folder = arguments.output or OUTPUT / endpoint.label
    if arguments.dry_run:
        left = missing(folder, list(recipe.plan(endpoint)))
        planned(folder, left, recipe, arguments.model or "offline").show(as_json=arguments.as_json)
        return 0
    expect_compiler(recipe.name, arguments.compiler)
    model, fallback = arguments.models(recipe)
    hint = "Give the same command again: only what is missing is asked."
    with keeping(folder, hint=hint), watching(silent=arguments.silent) as watch:
        way = arguments.way(recipe, watch=watch, fallback=fallback)
        result = wait_for(generate(recipe, endpoint, folder, model, way))
    return show_result(replace(result, notes=(*reading_notes(endpoint), *result.notes)), as_json=arguments.as_json)


def reading_notes(endpoint: Endpoint) -> list[str]:
    """Return what a person should know of how the document was read: choices made, and references that lead nowhere."""
    unresolved = [
        f"{one.name}.{field.name}: {note}"
        for one in endpoint.types
        for field in one.fields
        for note in field.notes
        if note.startswith("unresolved")
    ]
    return [*dict.fromkeys(endpoint.notes), *unresolved]

"""One run of the csharp recipe from the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.cli.csharp_arguments import OUTPUT

if TYPE_CHECKING:
    from retouch.cli.csharp_arguments import Arguments
    from retouch.cli.errand import Errand
    from retouch.recipes.csharp.ir import Endpoint


def generate_one(arguments: Arguments) -> int:
    """Make, or go on with, the run of one endpoint; print what it came to and return the exit status."""
    from retouch.recipes.csharp.document.document import load_document
    from retouch.recipes.csharp.job import recipe
    from retouch.recipes.csharp.reading.endpoint import read_endpoint

    document = load_document(arguments.spec, allow_remote=arguments.allow_remote)
    endpoint = read_endpoint(document, arguments.name, arguments.reading())
    return arguments.generate(recipe, endpoint, arguments.output or OUTPUT / endpoint.label)


def carry_out(errand: Errand) -> int:
    """Go through the loop, and tell how the document was read."""
    result = errand.generated()
    return errand.show(replace(result, notes=(*reading_notes(errand.source), *result.notes)))


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

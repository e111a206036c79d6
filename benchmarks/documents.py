"""The public documents of the benchmarks, and the answers of a perfect model for their endpoints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from retouch.engine.recipe import find_recipe
from retouch.errors import RetouchError
from retouch.recipes.csharp.document.bodies import request_content
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.document.operations import operations_of
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.engine.types import Issue
    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.ir import Endpoint
    from retouch.recipes.csharp.writing.code import CsCode

PROJECT = Path(__file__).resolve().parent.parent
FOLDER = PROJECT.parent / "shared" / "data" / "openapi"
DEPOT = PROJECT / "examples" / "csharp" / "depot.yaml"


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document, whether its request bodies are used, and its known number of JSON bodies (0: unknown)."""

    path: Path
    request: bool = False
    known: int = 0

    @property
    def name(self) -> str:
        return self.path.name + (" (requests)" if self.request else "")


SOURCES: Sequence[Source] = (
    Source(path=FOLDER / "github.json", known=926),
    Source(path=FOLDER / "digitalocean.bundle.yaml", known=546),
    Source(path=FOLDER / "openai.yaml", known=277),
    Source(path=FOLDER / "xero_accounting.yaml", known=204),
    Source(path=FOLDER / "museum.yaml", known=6),
    Source(path=FOLDER / "feature_zoo.yaml", known=1),
    Source(path=FOLDER / "oas_discriminators.json", request=True),
    Source(path=FOLDER / "oas_schema_circular.json", request=True),
    Source(path=DEPOT),
)


def chosen(names: Sequence[str]) -> list[Source]:
    """Return the sources with the given file names, or all of them."""
    return [source for source in SOURCES if not names or source.path.name in names]


def json_names(document: Document, *, request: bool) -> list[str]:
    """Return the names of the operations that have a JSON body."""
    if not request:
        return [f"{each.method} {each.path}" for each in list_endpoints(document) if each.json]
    bodies = ((operation.name, request_content(document, operation)) for operation in operations_of(document).values())
    return [name for name, body in bodies if body.schema is not None]


def endpoints(
    source: Source, document: Document, names: Sequence[str]
) -> Iterator[tuple[str, Endpoint | RetouchError]]:
    """Yield each endpoint by its name, or the error of reading it."""
    options = ReadingOptions(request=source.request, style="connector")
    for name in names:
        try:
            yield name, read_endpoint(document, name, options)
        except RetouchError as error:
            yield name, error


def load(source: Source) -> Document:
    """Return the document of a source."""
    return load_document(source.path)


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The offline model's answers for one endpoint, and the issues of tiers 1 and 2."""

    values: dict[str, CsCode]
    issues: Sequence[Issue]
    pages: int


def answered(endpoint: Endpoint) -> Answered:
    """Return every page of the endpoint, answered by the recipe's offline model, and read."""
    recipe = find_recipe("csharp")
    assert recipe.offline is not None
    texts: dict[str, list[str]] = {}
    pages = 0
    for prompt in recipe.plan(endpoint):
        texts.setdefault(prompt.unit, []).append(recipe.offline(prompt))
        pages += 1
    read = {unit: recipe.read(endpoint, unit, answers) for unit, answers in texts.items()}
    issues = [issue for each in read.values() for issue in each.issues]
    return Answered(values={u: r.value for u, r in read.items() if r.value is not None}, issues=issues, pages=pages)

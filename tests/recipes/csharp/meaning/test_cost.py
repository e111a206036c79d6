"""What the meaning pass sends: at most one call per ten types, and at most three times the text of the document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retouch.engine.options import RunOptions
from retouch.engine.planned_calls import planned_requests
from retouch.engine.recipe import pack_size
from retouch.models.tokens import estimate_tokens
from retouch.recipes.csharp import list_endpoints, load_document
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.reading.project import read_project
from tests.recipes.csharp.meaning.shop import MEANING

if TYPE_CHECKING:
    from pathlib import Path


def test_a_project_needs_few_calls_and_little_text(project: Path) -> None:
    document = load_document(project / "examples" / "csharp" / "depot.yaml")
    names = [f"{one.method} {one.path}" for one in list_endpoints(document) if one.json]
    source = read_project(document, names, MEANING)
    prompts = [*recipe.plan(source)]
    assert len(source.types) == len({one.unit for one in prompts})
    requests = planned_requests(prompts, pack_size(recipe, source, RunOptions()), RunOptions())
    assert 10 * len(requests) <= len(source.types)
    sent = sum(estimate_tokens(one.system) + estimate_tokens(one.user) for one in requests)
    named = {one.origin.split("/properties/")[0].removesuffix("/items").removeprefix("#") for one in source.types}
    schemas = [document.target(document.root, f"#{place}").value for place in sorted(named)]
    distinct = sum(estimate_tokens(json.dumps(one, separators=(",", ":"))) for one in schemas)
    assert sent <= 3 * distinct


def test_each_page_of_a_type_stays_a_prompt_of_its_own(project: Path) -> None:
    document = load_document(project / "examples" / "csharp" / "depot.yaml")
    names = [f"{one.method} {one.path}" for one in list_endpoints(document) if one.json]
    source = read_project(document, names, MEANING)
    assert len({one.key for one in recipe.plan(source)}) == len([*recipe.plan(source)])
    assert 1 == len({one.system for one in recipe.plan(source)})

"""The csharp recipe: its functions, a whole run, repairs, and every operation of real documents."""

from __future__ import annotations

import asyncio
import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch.engine.options import RunOptions
from retouch.engine.recipe import find_recipe
from retouch.engine.repair import Correction, RepairContext
from retouch.engine.types import Issue, Tier
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.reading.catalogue import list_endpoints
from retouch.recipes.csharp.reading.endpoint import ReadingOptions, read_endpoint

from .answers_zoo import ENDPOINT, good_pages, prompts

if TYPE_CHECKING:
    from pathlib import Path

NO_COMPILER = retouch.RunOptions(compiler="none")


def test_the_recipe_is_found_by_name_whatever_was_imported_before():
    importlib.import_module("retouch.recipes.csharp.job")
    assert recipe is find_recipe("csharp")
    assert "csharp" == recipe.name


def test_the_public_names_are_there():
    public = importlib.import_module("retouch.recipes.csharp")
    for name in public.__all__:
        assert getattr(public, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = public.nonsense


def test_a_plan_needs_neither_the_parser_nor_the_compiler():
    code = (
        "import sys; from retouch.recipes.csharp import recipe;"
        "print([m for m in ('tree_sitter', 'pydantic', 'yaml', 'jinja2') if m in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]" == ended.stdout.strip()


def test_the_heading_names_the_endpoint():
    assert {"endpoint": {"method": "GET", "path": "/pets/{id}"}} == recipe.heading(ENDPOINT)


@pytest.mark.parametrize(("unit", "section"), [("PetsDataObject", "FIELDS"), ("Mood", "VALUES")])
def test_a_correction_reminds_of_the_sections_that_the_page_has(unit: str, section: str):
    issue = Issue(code="WRONG_TYPE", message="no", tier=Tier.SCHEMA, unit=unit, fix="Mend it.")
    repair = recipe.repair(ENDPOINT, unit, [issue], [])
    assert isinstance(repair, Correction)
    prompt = next(prompt for prompt in prompts() if prompt.unit == unit)
    _, (message,) = repair.conversation(RepairContext(prompt=prompt, answer="", issues=[issue]))
    assert message.text.startswith("CORRECTION REQUIRED:\nThe previous attempt for this type")
    assert message.text.endswith(prompt.user)
    assert f"{section} section." in message.text
    assert f"\n{section}:\n" in prompt.user


def test_a_faultless_model_makes_a_clean_run(tmp_path: Path):
    model = retouch.open_model("offline", recipe=recipe)
    result = retouch.generate(recipe, ENDPOINT, tmp_path / "run", model, options=NO_COMPILER)
    assert "unverified" == result.status
    assert len(prompts()) == result.calls
    assert "// [SCHMITH:BEGIN Owner]" in (tmp_path / "run" / "PetsDataObject.cs").read_text("utf-8")
    assert "Owner" in (tmp_path / "run" / "schema.md").read_text("utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(recipe.faults))
def test_a_fault_of_each_kind_is_healed_or_fixed(kind: str, tmp_path: Path):
    model = retouch.open_model(f"faulty:offline?rate=1&seed=3&heal=1&kinds={kind}", recipe=recipe)
    result = retouch.generate(recipe, ENDPOINT, tmp_path / "run", model, options=NO_COMPILER)
    assert "unverified" == result.status, [issue.message for issue in result.issues]


def test_without_a_compiler_tier_three_is_only_reported_as_not_run():
    values = {unit: read(ENDPOINT, unit, pages).value for unit, pages in good_pages().items()}
    known = {unit: value for unit, value in values.items() if value is not None}

    async def found() -> list[Issue]:
        issues = recipe.check(ENDPOINT, known, RunOptions(compiler="none"))
        return list(await issues if asyncio.iscoroutine(issues) else [])

    assert [] == [issue for issue in asyncio.run(found()) if issue.severity == "error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "operations"),
    [("museum.yaml", 6), ("feature_zoo.yaml", 1), ("xero_accounting.yaml", 204), ("openai.yaml", 277)],
)
def test_every_answer_to_a_real_document_passes_every_check(name: str, operations: int, shared_data: Path):
    assert (operations, []) == judged_document(shared_data / "openapi" / name)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "operations"), [("digitalocean.bundle.yaml", 546), ("github.json", 926)])
def test_every_answer_to_a_large_document_passes_every_check(name: str, operations: int, shared_data: Path):
    """Of a document of so many operations, one in three is asked for; `make documents` asks for all."""
    asked, found = judged_document(shared_data / "openapi" / name, every=int(os.environ.get("EVERY", "3")))
    assert [] == found
    assert operations == asked


def judged_document(path: Path, *, every: int = 1) -> tuple[int, list[str]]:
    """Return the number of operations, and the issues of the answers to one in `every` of them."""
    document = load_document(path)
    found: list[str] = []
    endpoints = [info for info in list_endpoints(document) if info.json]
    for info in endpoints[::every]:
        endpoint = read_endpoint(document, f"{info.method} {info.path}", ReadingOptions())
        pages: dict[str, list[str]] = {}
        for prompt in plan(endpoint):
            pages.setdefault(prompt.unit, []).append(answer(prompt))
        for unit, texts in pages.items():
            found += [f"{info.path} {unit}: {issue.message}" for issue in read(endpoint, unit, texts).issues]
    return len(endpoints), found

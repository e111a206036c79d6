"""The functions of the specification, with its parameters, over the engine."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.types import RetryBudget
from retouch.engine.verbs import generate
from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp import check_staleness, partial_regenerate, recipe, validate_by_type
from retouch.recipes.csharp.writing.blocks import extract_type_block, replace_type_block, wrap_type_block
from retouch.testing import scripted

from .answers_zoo import ENDPOINT, good_pages

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request
    from retouch.testing import Scripted

PETS = "PetsDataObject"


def right(request: Request) -> str:
    assert recipe.offline is not None
    return recipe.offline(request.prompt)


def wordy(request: Request) -> str:
    """The correct answer, with a comment that distinguishes it from an earlier one."""
    return right(request).replace("public required long Id", "// again\n    public required long Id")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run without issues for the sample endpoint."""
    way = RunOptions(compiler="none")
    result = asyncio.run(generate(recipe, ENDPOINT, tmp_path / "run", scripted(right), way))
    assert "unverified" == result.status
    return tmp_path / "run"


def asked(model: Scripted) -> list[tuple[str, int]]:
    return [request.prompt.key for request in model.requests]


@pytest.mark.slow
def test_one_type_is_made_again_and_nothing_else_is_touched(run: Path) -> None:
    before, prompts = (run / f"{PETS}.cs").read_text(), (run / "prompts.json").read_bytes()
    model = scripted(wordy)
    result = partial_regenerate(run, [PETS], llm_config={"model": model})
    assert [(PETS, 1), (PETS, 2), (PETS, 3)] == sorted(result.regenerated)
    assert ("scripted", run / "pages.json", run / f"{PETS}.cs") == (
        result.model_used,
        result.pages_json_path,
        result.cs_path,
    )
    assert "// again" in result.cs_code
    assert extract_type_block(before, "Owner") == extract_type_block(result.cs_code, "Owner")
    assert (False, prompts) == (result.validation.has_errors, (run / "prompts.json").read_bytes())


def test_pages_can_be_chosen_and_the_suffix_left_out(run: Path) -> None:
    model = scripted(right)
    result = partial_regenerate(run, ["Pets"], {"Pets": [2]}, {"model": model})
    assert [(PETS, 2)] == result.regenerated == asked(model)


def test_no_names_mean_all_types(run: Path) -> None:
    model = scripted(right)
    partial_regenerate(run, llm_config={"model": model})
    assert 7 == len(asked(model))


def test_corrections_reach_the_type_and_are_never_stored(run: Path) -> None:
    model = scripted(right)
    context = {"Owner": ["[UNDECLARED_TYPE] Property references type 'FlagEnum'", "plain words"]}
    partial_regenerate(run, ["Owner"], llm_config={"model": model}, correction_context=context)
    text = model.requests[0].messages[0].text
    assert text.startswith("CORRECTION REQUIRED:\n")
    assert "[UNDECLARED_TYPE] Property references type 'FlagEnum'" in text
    assert "[CORRECTION] plain words" in text
    assert "CORRECTION" not in (run / "prompts.json").read_text()


def test_one_attempt_is_the_default_and_more_can_be_requested(tmp_path: Path) -> None:
    def broken(request: Request) -> str:
        return "no code" if request.prompt.unit == "Owner" else right(request)

    way = RunOptions(compiler="none", budget=RetryBudget(0, 0, 0, 0), offline_last=False)
    result = asyncio.run(generate(recipe, ENDPOINT, tmp_path / "run", scripted(broken), way))
    assert "exhausted" == result.status
    once, more = scripted(lambda _request: "still no code"), scripted(["no", "neither", "nor this"])
    partial_regenerate(tmp_path / "run", ["Owner"], llm_config={"model": once})
    partial_regenerate(tmp_path / "run", ["Owner"], llm_config={"model": more}, max_retries=3)
    assert (1, 3) == (len(once.requests), len(more.requests))


def test_a_worse_answer_never_replaces_the_current_one(run: Path) -> None:
    before = (run / f"{PETS}.cs").read_text()
    result = partial_regenerate(run, ["Owner"], llm_config={"model": scripted(lambda _request: "no code")})
    assert (before, False) == (result.cs_code, result.validation.has_errors)


def test_without_a_configuration_the_last_model_answers(run: Path) -> None:
    with pytest.raises(UnknownName, match="'scripted'"):
        partial_regenerate(run, ["Owner"])
    result = partial_regenerate(run, ["Owner"], llm_config={"model": "offline"})
    assert "offline" == result.model_used
    assert "offline" == partial_regenerate(run, ["Owner"]).model_used


@pytest.mark.parametrize(("names", "retries", "error"), [(["Ownr"], 1, UnknownName), (["Owner"], 0, BadInput)])
def test_misuse_is_named(run: Path, names: list[str], retries: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        partial_regenerate(run, names, llm_config={"model": "offline"}, max_retries=retries)


def test_a_folder_of_the_seeds_files_alone_is_enough(run: Path) -> None:
    (run / "ledger.db").unlink()
    result = partial_regenerate(run, ["Owner"], llm_config={"model": scripted(right)})
    assert [("Owner", 1)] == result.regenerated
    assert not result.validation.has_errors


def assembled() -> str:
    values: dict[str, Any] = {unit: recipe.read(ENDPOINT, unit, pages).value for unit, pages in good_pages().items()}
    return recipe.assemble(ENDPOINT, values)[f"{PETS}.cs"]


def test_validation_by_type_blames_the_block_that_is_wrong() -> None:
    owner = extract_type_block(assembled(), "Owner") or ""
    broken = replace_type_block(assembled(), "Owner", owner.replace("{ get; init; }", "{ get; }", 1))
    results = validate_by_type(broken, ENDPOINT)
    assert {PETS: False, "Owner": True, "Mood": False, "Size": False} == {n: r.has_errors for n, r in results.items()}
    assert "ACCESSOR" == results["Owner"].error_type


def test_validation_without_markers_takes_the_declarations() -> None:
    plain = "\n".join(line for line in assembled().splitlines() if "[SCHMITH:" not in line)
    assert [False] * 4 == [result.has_errors for result in validate_by_type(plain, ENDPOINT).values()]


def test_a_missing_and_an_unknown_block_are_reported() -> None:
    code = assembled().replace("[SCHMITH:BEGIN Owner]", "[SCHMITH:BEGIN Stranger]")
    code = code.replace("[SCHMITH:END Owner]", "[SCHMITH:END Stranger]")
    results = validate_by_type(code, ENDPOINT)
    assert ("MISSING_CLASS", "EXTRA_CLASS") == (results["Owner"].error_type, results["Stranger"].error_type)


def test_types_that_the_file_adds_come_last_in_its_order_and_know_those_that_were_asked_for() -> None:
    strangers = [f"Stranger{number}" for number in (3, 1, 2)]
    added = "".join(f"\n{wrap_type_block(name, f'public class {name} {{ }}')}\n" for name in strangers)
    results = validate_by_type(added + assembled(), ENDPOINT)
    assert [*(type_.name for type_ in ENDPOINT.types), *strangers] == list(results)
    assert {f"The types are: {PETS}, Owner, Mood, Size."} == {results[name].issues[0].fix for name in strangers}


def test_staleness_looks_at_the_source_alone(run: Path) -> None:
    pages, ir = json.loads((run / "pages.json").read_text()), json.loads((run / "ir.json").read_text())
    assert not check_staleness(pages, ir)
    ir["validation"] = {"anything": 1}
    assert not check_staleness(pages, ir)
    ir["source"]["path"] = "/cats"
    assert check_staleness(pages, ir)

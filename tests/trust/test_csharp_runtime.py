"""Tier 4 of csharp: what was asked to be executed and was not, or lost something, never ends as verified."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch._lib.run_sync import run_sync
from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate, validate
from retouch.recipes.csharp.reading.endpoint import ReadingOptions
from retouch.recipes.csharp.runtime.check import check_run_time
from retouch.recipes.csharp.runtime.comparing import is_excused
from tests.recipes.csharp.read_documents import read, record, spec
from tests.recipes.csharp.runtime.stand_in import stand_in

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.recipes.csharp.ir import Ask, Endpoint

ECHO = 'results.append({"json": payload["json"]})'
LOSE = 'results.append({"json": json.dumps({k: v for k, v in json.loads(payload["json"]).items() if k != "note"})})'
TEXT = {"type": "string"}
THING = record("id", id={"type": "integer"}, note=TEXT, part={"$ref": "#/components/schemas/Part"})
PART = record("name", name=TEXT, at={"type": "string", "format": "date-time", "example": "2024-01-01T10:00:00+05:30"})
RECIPE = retouch.find_recipe("csharp")


def source(folder: Path, example: Any, *, ask: Ask = "transcript", runtime: bool = True) -> Endpoint:
    document = spec({"$ref": "#/components/schemas/Thing"}, {"Thing": THING, "Part": PART})
    media = document["paths"]["/things/{id}"]["get"]["responses"]["200"]["content"]["application/json"]
    media["example"] = example
    return read(folder, document, ReadingOptions(ask=ask, runtime=runtime))


def made(folder: Path, endpoint: Endpoint, commands: dict[str, str], **more: Any) -> RunResult:
    options = RunOptions(compiler="none", commands=commands, **more)
    return run_sync(generate(RECIPE, endpoint, folder / "run", retouch.open_model("offline", recipe=RECIPE), options))


def run_time(result: RunResult) -> tuple[int, int, int]:
    tier = next(one for one in result.tiers if one.name == "run time")
    return tier.passed, tier.failed, tier.not_run


@pytest.mark.parametrize("ask", ["transcript", "meaning"])
def test_a_type_that_loses_something_is_an_issue_of_tier_four(tmp_path: Path, ask: Ask) -> None:
    endpoint = source(tmp_path, {"id": 1, "note": "x"}, ask=ask)
    assert {"Thing", "Part"} == {one.type for one in endpoint.examples}
    assert (0, 0) == run_time(made(tmp_path, endpoint, stand_in(tmp_path, ECHO)))[1:]
    result = made(tmp_path, endpoint, stand_in(tmp_path, LOSE), force=True)
    assert ("issues", 1, 1) == (result.status, result.exit_status, run_time(result)[1])
    lost = next(issue for issue in result.issues if issue.code == "RUN_TIME")
    assert (4, 0, "$.note: it was lost" in lost.message) == (lost.tier, result.calls, True)  # no model is called again


def test_the_example_of_the_document_itself_is_executed(tmp_path: Path) -> None:
    """Nothing but the example has a note of this kind."""
    refuse = 'results.append({"error": "X: no"} if "a note of the document" in payload["json"] else payload)'
    endpoint = source(tmp_path, {"id": 1, "note": "a note of the document"})
    result = made(tmp_path, endpoint, stand_in(tmp_path, refuse))
    [issue] = [issue for issue in result.issues if issue.code == "RUN_TIME"]
    assert "content/application~1json/example: X: no" in issue.message


def test_an_example_that_contradicts_its_own_schema_does_not_count_and_is_named(tmp_path: Path) -> None:
    endpoint = source(tmp_path, {"id": "seven", "note": "x"})
    assert [("/id",)] == [one.contradicts for one in endpoint.examples if one.type == "Thing"]
    refuse = 'results.append({"error": "J: Path: $.id | LineNumber: 0"} if "seven" in payload["json"] else payload)'
    result = made(tmp_path, endpoint, stand_in(tmp_path, refuse))
    assert (2, 0, 0) == run_time(result)
    [issue] = [issue for issue in result.issues if issue.code == "RUN_TIME_EXAMPLE"]
    assert "warning" == issue.severity
    assert "Thing: 1 example is not valid by the document's own schema" in issue.message
    assert "application~1json/example: it is wrong at /id; 1 not kept, which is no failure of the type" in issue.message


def test_an_example_that_is_not_valid_is_named_although_the_types_keep_it(tmp_path: Path) -> None:
    endpoint = source(tmp_path, {"id": "seven", "note": "x"})
    result = made(tmp_path, endpoint, stand_in(tmp_path, ECHO))
    [issue] = [issue for issue in result.issues if issue.code == "RUN_TIME_EXAMPLE"]
    assert ("warning", True) == (issue.severity, issue.message.endswith("example: it is wrong at /id"))
    report: Any = check_run_time(endpoint, "", commands=stand_in(tmp_path, ECHO)).to_json()
    [one] = report["invalid"]
    assert ("Thing", "it is wrong at /id") == (one["unit"], one["problem"])
    assert [] == report["excused"]


def test_a_contradiction_excuses_no_failure_at_another_place_of_the_same_name(tmp_path: Path) -> None:
    """The example lacks `id`, which the schema requires. The program refuses a part that lacks its own `id`."""
    missing = "JSON deserialization for type 'N.Part' was missing required properties including: 'id'."
    endpoint = source(tmp_path, {"note": "an example", "part": {"name": "x"}})
    assert [("/id",)] == [one.contradicts for one in endpoint.examples if one.type == "Thing"]
    for place, failed in (("$.part", 1), ("$", 0)):
        error = {"error": f"{missing} (at {place})"}
        refuse = f'results.append({error} if "an example" in payload["json"] else payload)'
        result = made(tmp_path, endpoint, stand_in(tmp_path, refuse), force=True)
        assert (place, failed) == (place, run_time(result)[1])
        assert ("issues" == result.status) == bool(failed)


def test_an_excused_difference_does_not_hide_a_later_one(tmp_path: Path) -> None:
    """`id` is text against its schema, and is changed; the note is allowed, and is changed too."""
    endpoint = source(tmp_path, {"id": "seven", "note": "x"})
    lose = 'results.append({"json": \'{"id": 7, "note": "y"}\'} if "seven" in payload["json"] else payload)'
    result = made(tmp_path, endpoint, stand_in(tmp_path, lose))
    [issue] = [issue for issue in result.issues if issue.code == "RUN_TIME"]
    assert ("issues", True) == (result.status, "$.note: 'x' became 'y'" in issue.message)


def test_the_loss_of_a_property_called_discriminator_is_not_excused_by_what_is_wrong_inside_of_it() -> None:
    example: Any = {"discriminator": {"a": 1}}
    assert not is_excused("$.discriminator: it was lost", ("/discriminator/a",), example)


@pytest.mark.parametrize("ask", ["transcript", "meaning"])
def test_without_a_runtime_a_run_that_asked_for_it_is_unverified_and_fails(tmp_path: Path, ask: Ask) -> None:
    endpoint = source(tmp_path, {"id": 1}, ask=ask)
    result = made(tmp_path, endpoint, {"dotnet": "no-dotnet", "mono": "no-mono"})
    assert ("unverified", 1, 0) == (result.status, result.exit_status, run_time(result)[0])
    tier = next(one for one in result.tiers if one.name == "run time")
    assert "no program 'no-mono' either" in tier.why


def test_validate_can_ask_for_it_later_and_a_run_that_declared_it_keeps_it(tmp_path: Path) -> None:
    endpoint = source(tmp_path, {"id": 1}, runtime=False)
    lost, echo = stand_in(tmp_path / "lost", LOSE), stand_in(tmp_path / "echo", ECHO)
    assert [1, 2, 3] == [one.tier for one in made(tmp_path, endpoint, echo).tiers]
    asked = RunOptions(compiler="none", commands=lost, runtime=True)
    result = run_sync(validate(RECIPE, tmp_path / "run", options=asked))
    assert ("issues", 1) == (result.status, run_time(result)[1])
    passed = run_sync(validate(RECIPE, tmp_path / "run", options=replace(asked, commands=echo)))
    assert "the document's examples are not in this run" in passed.issues[-1].message
    declared = made(tmp_path, replace(endpoint, runtime=True), echo)
    assert ([1, 2, 3, 4], (2, 0, 0)) == ([one.tier for one in declared.tiers], run_time(declared))
    again = run_sync(validate(RECIPE, tmp_path / "run", options=replace(asked, runtime=False)))
    assert "issues" == again.status


def test_a_unit_that_the_runtime_cannot_run_is_counted_apart(tmp_path: Path) -> None:
    """A type that requires itself has no value: it is not run, and the others are."""
    endless = record("next", next={"$ref": "#/components/schemas/Part"})
    document = spec(
        {"$ref": "#/components/schemas/Thing"},
        {"Thing": record(id=TEXT, part=PART, end={"$ref": "#/components/schemas/Part"}), "Part": endless},
    )
    endpoint = read(tmp_path, document, ReadingOptions(runtime=True))
    result = made(tmp_path, endpoint, stand_in(tmp_path, ECHO))
    assert (2, 0, 1) == run_time(result)
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert ["Part"] == [issue.unit for issue in result.issues if issue.code == "NOT_EXECUTED"]


def test_a_tier_that_was_not_asked_for_is_not_declared_and_is_stored_nowhere(tmp_path: Path) -> None:
    endpoint = source(tmp_path, {"id": 1}, runtime=False)
    made(tmp_path, endpoint, {})
    stored = json.loads((tmp_path / "run" / "ir.json").read_text())
    assert not {"runtime", "examples"} & stored["source"].keys()

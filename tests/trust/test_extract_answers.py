"""Answers of a model from which `extract` could take a value that is not the one that the model gave."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.testing import scripted
from tests.recipes.extract.scenes import Desk, right_answer

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request

pytest.importorskip("jsonschema_rs", reason="the extra 'extract' is not installed")
RECORD = {"id": "a", "text": "x"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A place for a job."""
    return Desk(tmp_path / "out")


def shape(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that has all of these properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def once(desk: Desk, answer: str, schema: dict[str, Any], record: dict[str, Any] = RECORD, **more: Any) -> str:
    """Return the status of a job of one record whose every answer is `answer`."""
    return desk.extract(scripted(lambda _: answer), [record], schema=schema, prompt="{{ text }}", **more).status


@pytest.mark.parametrize(
    "answer",
    [
        'First thought: {"urgent": true}. On reflection the final answer is {"urgent": "No"}',
        '{"urgent": true}\n\nCorrection: {"urgent": "maybe"}',
        '{"urgent": true}\n\nCorrection: {"urgent": fal',
        '```json\n{"urgent": true}\n```\nNo:\n```json\n{"urgent": fal',
        '{"urgent": true}\n\nCorrection: {"urgent": 1}',
        '{"urgent": true}\n\nCorrection: {"Urgent": "no"}',
        '{"urgent": true}\n\nCorrection: {"urgent": false, "urgent": false}',
        '<think>A draft: {"urgent": true}',
        '<thinking>\n```json\n{"urgent": true}\n```\n',
    ],
)
def test_a_draft_is_not_taken_for_the_answer(desk: Desk, answer: str) -> None:
    assert "exhausted" == once(desk, answer, shape(urgent={"type": "boolean"}))


def test_a_list_before_one_that_is_cut_off_is_not_taken_for_the_answer(desk: Desk) -> None:
    schema = {"type": "array", "items": {"type": "string"}}
    assert "exhausted" == once(desk, 'A draft: ["a"]. All of them: ["a", "b', schema)


@pytest.mark.parametrize(
    "answer",
    [
        'The record {"text": "x"} says so: {"urgent": true}',
        'As {this} and [1] show: {"urgent": true}',
        '<think>{"urgent": false}</think>{"urgent": true}',
        '```json\n{"urgent": true}\n```\nI mean {"urgent": true}.',
    ],
)
def test_what_cannot_be_the_answer_is_no_doubt(desk: Desk, answer: str) -> None:
    assert "verified" == once(desk, answer, shape(urgent={"type": "boolean"}))
    assert [{"urgent": True}] == [line["value"] for line in desk.lines("records.jsonl")]


def test_a_correction_of_a_part_with_two_values_for_it_is_requested_again(desk: Desk) -> None:
    schema = shape(total={"type": "integer", "minimum": 0}, name={"type": "string"})
    drafts = iter(['{"total": -5, "name": "Ann"}', 'A draft: {"/total": 5}. No: {"/total": 7}'])
    model = scripted(lambda request: next(drafts, "") or right_answer(request, {"total": 7, "name": "Ann"}))
    result = desk.extract(model, [RECORD], schema=schema, prompt="{{ text }}")
    assert [("verified", {"total": 7, "name": "Ann"})] == [(one.status, one.value) for one in result.records]


@pytest.mark.parametrize("answer", ['{"n": %s}', '{"n": "%s"}', 'Here it is: {"n": %s}, done.'])
def test_an_integer_without_end_is_requested_again_and_the_job_goes_on(desk: Desk, answer: str) -> None:
    endless = answer % ("9" * 5000)
    first = iter([endless])
    model = scripted(
        lambda request: (request.prompt.unit == "b" and next(first, "")) or right_answer(request, {"n": 7})
    )
    records = [{"id": key, "text": key} for key in "abc"]
    result = desk.extract(model, records, schema=shape(n={"type": "integer"}), prompt="{{ text }}")
    assert ("verified", 4) == (result.status, result.usage.calls)
    assert [{"n": 7}] * 3 == [one.value for one in result.records]


@pytest.mark.parametrize("pack", [1, 3])
def test_a_record_with_endless_integers_only_is_dead_and_the_others_are_verified(desk: Desk, pack: int) -> None:
    def answer(request: Request) -> str:
        return json.dumps({"n": 7}).replace("7", "9" * 5000 if "the endless one" in request.messages[0].text else "7")

    records = [{"id": "a", "text": "one"}, {"id": "b", "text": "the endless one"}, {"id": "c", "text": "one"}]
    result = desk.extract(
        scripted(answer), records, schema=shape(n={"type": "integer"}), prompt="{{ text }}", pack=pack
    )
    assert ["verified", "dead", "verified"] == [one.status for one in result.records]


@pytest.mark.parametrize(
    ("part", "answer"),
    [
        ({"type": "array", "items": {"type": "integer"}}, [1, None, 3]),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, ["a", None]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"Ann": None, "Bob": 3}),
        ({"enum": ["A", "A+", "A-", "O-"]}, "O"),
        ({"enum": ["1", "2"]}, "-1"),
        ({"enum": ["1 2", "3"]}, "12"),
        ({"enum": ["below 5", "above 5"]}, "below -5"),
        ({"enum": ["resigned", "hired"]}, "re-signed"),
        ({"enum": ["-", "+"]}, ""),
        ({"type": "number"}, "12345678901234567890.123456"),
        ({"type": "number"}, "1e999"),
    ],
)
def test_a_fix_that_would_change_the_value_is_not_made(desk: Desk, part: dict[str, Any], answer: Any) -> None:
    assert "exhausted" == once(desk, json.dumps({"v": answer}), shape(v=part))


@pytest.mark.parametrize("number", ["3.10", "12345678901234567890.12", "1E2", "1e2"])
def test_a_number_whose_spelling_is_lost_does_not_become_a_text(desk: Desk, number: str) -> None:
    assert "exhausted" == once(desk, f'{{"v": {number}}}', shape(v={"type": "string"}))


def test_a_property_that_the_schema_knows_is_not_renamed(desk: Desk) -> None:
    whole = {"type": "integer"}
    for name in ("_id", "ID"):
        schema = {**shape(id=whole), "properties": {"id": whole, name: whole}}
        assert "exhausted" == once(desk, json.dumps({name: 7}), schema)


def test_a_misspelt_property_is_not_removed(desk: Desk) -> None:
    schema = {**shape(), "properties": {"amount": {"type": "number"}}, "additionalProperties": False}
    assert "exhausted" == once(desk, '{"amuont": 7}', schema)
    assert "exhausted" == once(desk, '{"_amount": 7}', schema)


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("A", "o"),
        ("Ann", "o"),
        (",", "5"),
        ("Ann", "."),
        ("Ann", "1 00"),
        ("Ann", "10"),
        ("Ann", "50"),
        ("nn owe", "5"),
    ],
)
def test_a_piece_of_a_word_or_a_sign_is_no_quotation(desk: Desk, name: str, total: str) -> None:
    record = {"id": "a", "text": "Ann owes 5, or 10.50.", "more": "1", "last": "00 dollars"}
    answer = json.dumps({"value": {"name": "Bob", "total": 999}, "quotes": {"/name": name, "/total": total}})
    schema = shape(name={"type": "string"}, total={"type": "number"})
    assert "exhausted" == once(desk, answer, schema, record, quotes=True)
    assert "QUOTE_NOT_IN_RECORD" in {one["code"] for one in desk.lines("dead.jsonl")[0]["issues"]}


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ("Ann Lee", "ann  lee"),
        (5, "5"),
        (10.5, "€10.50"),
        (7, "7"),
        ("東京", "東京"),
        ("?", "?"),
        ("née", "Née"),
        (9, "9"),
    ],
)
def test_whole_words_of_one_field_are_a_quotation(desk: Desk, value: Any, quote: str) -> None:
    record = {"id": "a", "text": "Ann\nLee (née Os) owes 5kg (€10.50)?", "city": "私は東京に住む", "n": 7.0, "m": 9}
    answer = json.dumps({"value": {"v": value}, "quotes": {"/v": quote}})
    assert "verified" == once(desk, answer, shape(v={"type": ["string", "number"]}), record, quotes=True)


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ({"total": 5, "items": [{"amount": 5}, {"amuont": 7}]}, "/items/*/amount"),
        ({"total": 5, "items": [{"rows": [{"amount": 5}]}, {}]}, "/items/*/rows/*/amount"),
        ({"total": 0}, "/items"),
    ],
)
def test_a_sum_of_rows_that_lack_their_amount_has_not_been_checked(desk: Desk, value: Any, parts: str) -> None:
    schema = {**shape(total={"type": "number"}), "additionalProperties": True}
    assert "unverified" == once(desk, json.dumps(value), schema, sums=[("/total", parts)])
    assert ["SUM_NOT_CHECKED"] == [one["code"] for one in desk.lines("records.jsonl")[0]["issues"]]


def test_a_check_that_ends_the_process_has_not_judged(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("def check(record, value):\n    raise SystemExit(3)\n")
    assert "unverified" == once(desk, '{"n": 7}', shape(n={"type": "integer"}), checks=[tmp_path / "checks.py"])
    (tmp_path / "checks.py").write_text("raise SystemExit(0)\n")
    with pytest.raises(BadInput, match="cannot be loaded"):
        once(desk, '{"n": 7}', shape(n={"type": "integer"}), checks=[tmp_path / "checks.py"])


TEXT: dict[str, Any] = {"type": "string"}
OLD = "http://json-schema.org/draft-07/schema#"


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"properties": {"v": {**TEXT, "format": "iban"}}}, "/properties/v: the format 'iban' is unknown"),
        ({"properties": {"v": {**TEXT, "format": "datetime"}}}, "'datetime' is unknown"),
        ({"properties": {"v": {**TEXT, "maxLenght": 1}}}, "'maxLength' may be meant"),
        ({"requried": ["w"]}, "the schema: the keyword 'requried' is unknown: 'required' may be meant"),
        ({"$defs": {"w": {"anyOf": [{"Pattern": "x"}]}}}, "/$defs/w/anyOf/0: the keyword 'Pattern' is unknown"),
        ({"additionalItems": False}, "draft 2020 has no keyword 'additionalItems'"),
        ({"$schema": OLD, "dependentRequired": {"v": ["w"]}}, "draft 7 has no keyword 'dependentRequired'"),
        ({"$schema": OLD, "properties": {"v": {"$ref": "#/definitions/v", "maxLength": 1}}}, "beside '$ref'"),
        ({"$schema": OLD, "properties": {"v": {**TEXT, "format": "uuid"}}}, "draft 7 has no format 'uuid'"),
    ],
)
def test_a_part_of_a_schema_that_nobody_checks_is_named(desk: Desk, more: dict[str, Any], named: str) -> None:
    schema = {"type": "object", "properties": {"v": TEXT}, "definitions": {"v": TEXT}, **more}
    result = desk.extract(scripted(lambda _: '{"v": "banana"}'), [RECORD], schema=schema, prompt="{{ text }}")
    assert ("unverified", 0) == (result.status, result.exit_status)
    assert named in result.reason


def test_annotations_of_a_schema_are_no_doubt(desk: Desk) -> None:
    part = {
        **TEXT, "title": "A text", "example": "x", "nullable": True, "xml": {"name": "v"}, "x-requried": 1,
        "format": "password", "contentMediaType": "text/plain", "propertyOrder": 3, "errorMessage": "no", "unit": "kg",
        "note": "none", "discriminator": {"propertyName": "kind", "mapping": {"a": "#/b"}},
    }  # fmt: skip
    properties = {"v": part, "requried": TEXT, "maxLenght": {"enum": [{"requried": 1}], "default": {"patern": 1}}}
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": properties}
    assert "verified" == once(desk, '{"v": "banana"}', schema)

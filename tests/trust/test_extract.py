"""Ways in which an extraction could be called verified although it is wrong or unchecked."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest
from click.testing import CliRunner
from pydantic import BaseModel, create_model, model_validator

from retouch.cli.root import command
from retouch.engine.options import RunOptions
from retouch.engine.verbs import regenerate
from retouch.errors import BadInput
from retouch.recipes.extract import recipe
from retouch.recipes.extract.schemas import may_have
from retouch.recipes.extract.source import SliceRule
from retouch.recipes.extract.stored import read_job_file
from retouch.recipes.extract.stored_jobs import job_view, validate_job
from retouch.testing import scripted
from tests.recipes.extract.scenes import ORDERS, VALUES, Desk, answering, failing, returning

if TYPE_CHECKING:
    from retouch.engine.types import Request

pytest.importorskip("jsonschema_rs", reason="the extra 'extract' is not installed")
RIGHT = json.dumps(VALUES["a"])


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A place for a job."""
    return Desk(tmp_path / "out")


def once(desk: Desk, answer: str, **more: Any) -> str:
    """Return the status of a job of one record whose every answer is `answer`."""
    return desk.extract(answering({"a": [answer] * 20}), ORDERS[:1], **more).status


@pytest.mark.parametrize(
    "answer",
    [
        '{"customer": "Ada", "total": 4.5, "state": "open", "state": "closed"}',
        '```json\n{"customer": "Ada", "customer": "Eve", "total": 4.5, "state": "open"}\n```',
        '{"customer": "Ada", "total": 1e999, "state": "open"}',
        '{"customer": "Ada", "total": NaN, "state": "open"}',
        f"{RIGHT}\nOr rather:\n" + RIGHT.replace("open", "closed"),
        f"```json\n{RIGHT}\n```\n```json\n" + RIGHT.replace("4.5", "5") + "\n```",
        RIGHT[:-1],
        "[" + RIGHT + "]",
        RIGHT.replace("Ada", "Ada\\ud800"),
        json.dumps(RIGHT),
        "",
    ],
)
def test_an_answer_that_can_be_read_in_two_ways_or_not_at_all_is_not_verified(desk: Desk, answer: str) -> None:
    assert "exhausted" == once(desk, answer)
    assert {"a": "dead"} == desk.statuses()


def test_the_same_value_twice_in_an_answer_is_no_doubt(desk: Desk) -> None:
    assert "verified" == once(desk, f"{RIGHT}\nThat is: {RIGHT}")


def test_a_check_that_raises_has_not_judged(desk: Desk) -> None:
    def check(_record: Any, value: Any) -> None:
        raise KeyError(value["customer"])

    model = answering()
    result = desk.extract(model, checks=[check])
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert {"unverified"} == set(desk.statuses().values())
    assert 3 == len(model.requests)  # a model cannot repair a check


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"checks": [failing("no")]}, "exhausted"),
        ({"sums": [("/total", "/items/*/amount")]}, "exhausted"),
        ({"slices": SliceRule(rows="/items", expected=7)}, "exhausted"),
        ({"unique": ["total"]}, "issues"),
    ],
)
def test_checks_that_were_added_later_judge_the_answers_that_are_there(
    desk: Desk, more: dict[str, Any], expected: str
) -> None:
    values = {key: [{**VALUES[key], "total": 4.5}] * 9 for key in "abc"}
    assert "verified" == desk.extract(answering(values)).status
    assert expected == desk.extract(answering(values), **more).status


def test_a_stricter_schema_is_not_satisfied_by_old_answers(desk: Desk) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"customer": {"type": "string"}}}
    assert "verified" == desk.extract(answering(), schema=schema).status
    strict = {**schema, "properties": {"customer": {"type": "string", "maxLength": 3}}}
    assert "exhausted" == desk.extract(answering(), schema=strict).status


@pytest.mark.parametrize("name", ["results/00000.jsonl", "records.jsonl"])
def test_a_result_that_was_edited_by_hand_is_not_repeated(desk: Desk, name: str) -> None:
    desk.extract(answering())
    place = desk.directory / name
    place.write_text(place.read_text().replace("Ada Lovelace", "Eve"))
    assert "verified" == desk.extract(answering()).status
    assert VALUES["a"] == desk.lines("records.jsonl")[0]["value"]


def test_a_file_of_a_shard_that_was_edited_by_hand_is_not_taken_for_an_answer(desk: Desk) -> None:
    desk.extract(answering())
    place = desk.directory / "shards" / "00000" / "values.jsonl"
    place.write_text(place.read_text().replace("Ada Lovelace", "Eve"))
    result = desk.extract(answering())
    assert VALUES["a"] == desk.lines("records.jsonl")[0]["value"]
    assert "verified" != result.status


def test_a_lost_ledger_is_told(desk: Desk) -> None:
    desk.extract(answering())
    for place in (desk.directory / "shards" / "00000").glob("ledger.db*"):
        place.unlink()
    model = answering()
    result = desk.extract(model)
    assert [] == model.requests  # the answers are in pages.json, and are checked again
    assert any("ledger" in note for note in result.notes)


def test_a_number_of_rows_that_the_record_does_not_know_is_not_verified(desk: Desk) -> None:
    rule = SliceRule(rows="/items", expected_field="rows")
    assert "exhausted" == once(desk, RIGHT, slices=rule)


def test_no_file_of_a_job_holds_a_secret_of_the_environment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = "sk-quite-secret-0123456789abcdef"
    monkeypatch.setenv("SHOP_API_KEY", secret)
    model = answering()
    desk.extract(model, [{**ORDERS[0], "text": f"{ORDERS[0]['text']} with {secret}"}])
    assert secret not in model.requests[0].messages[0].text
    assert [] == [path for path in desk.directory.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]


def test_an_empty_quotation_is_no_source(desk: Desk) -> None:
    answer = json.dumps({"value": VALUES["a"], "quotes": {"/customer": " ", "/total": "", "/state": "open"}})
    assert "exhausted" == once(desk, answer, quotes=True)


def test_duplicates_in_different_shards_are_found(desk: Desk) -> None:
    many = [{"id": str(number), "text": "x"} for number in range(40)]
    same = {str(number): [VALUES["a"]] for number in range(40)}
    result = desk.extract(answering(same), many, unique=["customer"], shard_size=4)
    assert ("issues", {"issues": 40}) == (result.status, dict(result.counts))


class Order(BaseModel):
    """An order whose state must fit its total, which no JSON Schema can describe."""

    customer: str
    total: float
    state: str
    items: list[dict[str, Any]] = []

    @model_validator(mode="after")
    def open_orders_are_small(self) -> Self:
        if self.state == "open" and self.total > 4:
            raise ValueError("an open order has at most 4")
        return self


@pytest.mark.parametrize("in_program", [False, True])
def test_the_validators_of_a_pydantic_model_judge_as_well(desk: Desk, *, in_program: bool) -> None:
    model: Any = create_model("Local", __base__=Order) if in_program else Order
    result = desk.extract(answering({"a": [RIGHT] * 9}), ORDERS[:1], schema=model)
    assert ("exhausted", "CHECK_FAILED") == (result.status, result.dead[0].issues[0]["code"])
    assert "an open order has at most 4" in result.dead[0].issues[0]["message"]


@pytest.mark.parametrize(
    "query",
    ["SELECT key FROM records WHERE CAST(customer AS INTEGER) > 1", "SELECT key FROM records WHERE state::INT > total"],
)
def test_sql_that_fails_on_the_values_has_not_judged(desk: Desk, query: str) -> None:
    pytest.importorskip("duckdb")
    model = answering()
    result = desk.extract(model, sql=[query])
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert {"unverified"} == set(desk.statuses().values())
    assert "could not run" in result.reason
    assert 3 == len(model.requests)


@pytest.mark.parametrize("name", ["records.jsonl", "dead.jsonl", "report.html"])
@pytest.mark.parametrize("change", ["changed", "missing"])
def test_a_file_with_results_that_was_changed_is_not_called_verified(desk: Desk, name: str, change: str) -> None:
    desk.extract(answering())
    place = desk.directory / name
    text = place.read_text()
    place.unlink() if change == "missing" else place.write_text(f"{text} ")
    assert "issues" == job_view(desk.directory).status
    result, issues = asyncio.run(validate_job(desk.directory, RunOptions()))
    assert ("issues", [f"FILE_{change.upper()}"]) == (result.status, [one.code for one in issues])
    assert change == "missing" or f"{text} " == place.read_text()  # the change of somebody else is not overwritten
    assert "verified" == desk.extract(answering()).status
    assert "verified" == job_view(desk.directory).status


def test_a_shard_that_was_changed_since_is_not_called_verified(desk: Desk) -> None:
    desk.extract(answering(), shard_size=1)
    run = min((desk.directory / "shards").iterdir())
    again = answering({key: [VALUES[key]] * 2 for key in VALUES})
    asyncio.run(regenerate(recipe, run, again))
    view = job_view(desk.directory)
    assert ("unverified", True) == (view.status, run.name in view.reason)
    assert "verified" == desk.extract(answering(), shard_size=1).status
    assert "verified" == job_view(desk.directory).status


def test_validate_does_not_know_the_functions_of_a_program(desk: Desk) -> None:
    desk.extract(answering(), checks=[failing("no")])
    result, _ = asyncio.run(validate_job(desk.directory, RunOptions()))
    assert "verified" != result.status
    desk.directory = desk.directory.with_name("good")
    assert "verified" == desk.extract(answering(), checks=[returning(None)]).status
    result, _ = asyncio.run(validate_job(desk.directory, RunOptions()))
    assert ("unverified", {"unverified": 3}) == (result.status, dict(result.counts))
    assert "only the program" in result.reason


def test_a_check_file_that_became_stricter_is_seen_by_validate(desk: Desk, tmp_path: Path) -> None:
    check = tmp_path / "check.py"
    check.write_text("def check(record, value):\n    return ''\n ")
    assert "verified" == desk.extract(answering(), checks=[check]).status
    check.write_text("def check(record, value):\n    return '!'\n")  # as long as before, and in the same second
    result, _ = asyncio.run(validate_job(desk.directory, RunOptions()))
    assert "verified" != result.status


def test_an_interrupted_job_is_incomplete_whatever_its_last_result_was(desk: Desk) -> None:
    assert "verified" == desk.extract(answering()).status
    file = read_job_file(desk.directory)
    assert file is not None
    replace(file, result=None).write(desk.directory)
    assert "incomplete" == job_view(desk.directory).status


def interrupted(_: Request) -> str:
    raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["records", "prompt"])
def test_answers_to_an_earlier_input_are_not_answers_to_the_present_one(desk: Desk, what: str) -> None:
    """A command with other records, or another prompt, is stopped before it has begun all shards."""
    assert "verified" == desk.extract(answering(), shard_size=1).status
    changed = [{**one, "text": f"{one['text']}, paid"} for one in ORDERS] if what == "records" else ORDERS
    more: dict[str, Any] = {} if what == "records" else {"prompt": "Who paid? {{ text }}"}
    with pytest.raises(KeyboardInterrupt):
        desk.extract(scripted(interrupted), changed, shard_size=1, **more)
    for write in (False, True):
        result, _ = asyncio.run(validate_job(desk.directory, RunOptions(), write=write))
        assert ("incomplete", 0) == (result.status, result.counts.get("verified", 0))
    model = answering()
    assert "verified" == desk.extract(model, changed, shard_size=1, **more).status
    assert 3 == len(model.requests)


def test_a_row_of_an_sql_check_that_names_no_record_is_a_violation_all_the_same(desk: Desk) -> None:
    pytest.importorskip("duckdb")
    result = desk.extract(answering(), sql=["SELECT 'everything' AS key FROM records HAVING count(*) > 1"])
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert "'everything'" in result.reason


def test_a_number_that_is_written_in_two_ways_is_no_unique_value(desk: Desk) -> None:
    answers = {"a": ['{"customer": "Ada", "total": 9.0, "state": "open"}']}
    result = desk.extract(answering(answers), ORDERS, unique=["/total"])
    assert ("issues", {"a": "issues", "b": "verified", "c": "issues"}) == (result.status, desk.statuses())


def test_resume_requests_records_that_were_changed_by_a_command_that_was_stopped(desk: Desk) -> None:
    """The offline model copies the fields of a record."""
    records = [{"id": key, "customer": key, "total": 1, "state": "open"} for key in "abcdef"]
    assert "verified" == desk.extract("offline", records, shard_size=2, prompt="{{ record | tojson }}").status
    changed = [{**one, "total": 2} for one in records]
    with pytest.raises(KeyboardInterrupt):
        desk.extract(scripted(interrupted), changed, shard_size=2, prompt="{{ record | tojson }}")
    file = read_job_file(desk.directory)
    assert file is not None
    replace(file, model="offline").write(desk.directory)
    done = CliRunner().invoke(command, ["resume", str(desk.directory), "-q"])
    assert 0 == done.exit_code, done.output
    assert [2] * 6 == [line["value"]["total"] for line in desk.lines("records.jsonl")]


@pytest.mark.parametrize("was_there", [True, False])
def test_a_command_that_is_killed_while_it_stores_its_input_never_mixes_two_inputs(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, *, was_there: bool
) -> None:
    """`job.json` is of the new command already, and `input.jsonl` is still that of the earlier one, or missing."""
    records = [{"id": key, "customer": key, "total": 1, "state": "open"} for key in "abc"]
    own: dict[str, Any] = {"prompt": "{{ record | tojson }}", "unique": ["customer"]}
    if was_there:
        assert "verified" == desk.extract("offline", records, **own).status
    changed = [{**one, "total": 2} for one in records]
    real = Path.replace

    def replaced(self: Path, target: Any) -> Path:
        if Path(target).name == "input.jsonl":
            raise KeyboardInterrupt
        return real(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", replaced)
        with pytest.raises(KeyboardInterrupt):
            desk.extract("offline", changed, **own)
    assert "incomplete" == job_view(desk.directory).status
    done = CliRunner().invoke(command, ["resume", str(desk.directory), "-q"])
    assert 0 == done.exit_code, done.output
    assert [2] * 3 == [line["value"]["total"] for line in desk.lines("records.jsonl")]


@pytest.mark.parametrize("words", [["resume"], ["validate"], ["validate", "--no-write"]])
def test_an_input_that_the_job_was_not_given_is_refused(desk: Desk, words: list[str]) -> None:
    records = [{"id": "a", "customer": "a", "total": 1, "state": "open"}]
    assert "verified" == desk.extract("offline", records, prompt="{{ record | tojson }}").status
    place = desk.directory / "input.jsonl"
    place.write_text(place.read_text().replace('"total": 1', '"total": 2'))
    done = CliRunner().invoke(command, [words[0], str(desk.directory), "-q", *words[1:]])
    assert (2, True) == (done.exit_code, "is not the input" in done.output)


def test_a_property_called_key_is_not_taken_for_the_key_of_its_record(desk: Desk) -> None:
    pytest.importorskip("duckdb")
    schema: dict[str, Any] = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
    values: dict[str, Any] = {"a": [{"key": ""}], "b": [{"key": "x"}], "c": [{"key": "y"}]}
    model = answering(values)
    with pytest.raises(BadInput, match="SQL check") as caught:
        desk.extract(model, schema=schema, sql=["SELECT key FROM records WHERE key = ''"])
    assert ([], True) == (model.requests, "record.key" in caught.value.hint)
    query = """SELECT "record.key" FROM records WHERE "value.key" = ''"""
    result = desk.extract(answering(values), schema=schema, sql=[query])
    assert ("issues", {"a": "issues", "b": "verified", "c": "verified"}) == (result.status, desk.statuses())


HUGE = 2**53 + 1


def numbers(first: Any, second: Any) -> dict[str, Any]:
    """Return the options and the answers of a job of two numbers."""
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}
    return {"model": answering({"a": [{"n": first}], "b": [{"n": second}]}), "records": ORDERS[:2], "schema": schema}


def test_sql_compares_large_integers_of_a_number_property_exactly(desk: Desk) -> None:
    pytest.importorskip("duckdb")
    query = f"SELECT key FROM records WHERE n <> {HUGE - 1}"
    assert "issues" == desk.extract(**numbers(HUGE, HUGE - 1), sql=[query]).status
    assert {"a": "issues", "b": "verified"} == desk.statuses()
    desk.directory = desk.directory.with_name("mixed")
    result = desk.extract(**numbers(HUGE, 0.5), sql=[query])
    assert ("unverified", True) == (result.status, "53 bits" in result.reason)


@pytest.mark.parametrize("second", [1.5, 2**200, 7])
def test_parquet_loses_no_digit_of_a_large_integer(desk: Desk, second: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    desk.extract(**numbers(HUGE, second), parquet=True)
    found = duckdb.execute("SELECT n::VARCHAR FROM read_parquet(?)", [str(desk.directory / "records.parquet")])
    assert [(str(HUGE),), (str(second),)] == found.fetchall()


def test_a_field_called_key_is_in_the_prompt_and_not_the_key_of_the_record(desk: Desk) -> None:
    model = answering()
    desk.extract(model, [{"id": "a", "key": "the key of a piano"}], prompt="{{ key }} of {{ record.id }}")
    assert "the key of a piano of a" == model.requests[0].messages[0].text


NODE: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "size": {"type": "number"}, "parent": {"$ref": "#"}},
}


@pytest.mark.parametrize(
    "answer",
    [
        '{"name": "leaf", "parent": {"name": "root"}, "size": 4',
        '{"name": "leaf", "parent": {"name": "root"}, "size": about 4}',
        'Here it is: {"name": "leaf" "parent": {"name": "root"}}',
        '```json\n{"name": "leaf",\n "parent": {"name": "root"},\n "size": NaN}\n```',
        '[{"name": "leaf"}, {"name": "root" "size": 4}]',
        '{"name": "leaf", "name": "twig", "parent": {"name": "root"}, }',
    ],
)
def test_a_part_of_a_broken_answer_is_not_taken_for_the_answer(desk: Desk, answer: str) -> None:
    assert "exhausted" == once(desk, answer, schema=NODE)


def test_a_whole_answer_after_a_broken_one_is_read(desk: Desk) -> None:
    answer = 'Not {"name": leaf, "parent": {"name": "no"}}, but {"name": "leaf", "parent": {"name": "root"}}.'
    assert "verified" == once(desk, answer, schema=NODE)
    assert {"name": "leaf", "parent": {"name": "root"}} == desk.lines("records.jsonl")[0]["value"]


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ({"Due": "2024-05-06"}, "2024-05-06"),
        ({"Due": "2024-05-06", "due": "2024-05-06"}, "2024-05-06"),
        ({"Due": "tomorrow"}, None),
        ({"Due": "2024-05-06", "due": "2024-06-05"}, None),
    ],
)
def test_a_value_under_another_spelling_of_an_optional_property_is_not_lost(
    desk: Desk, extra: dict[str, str], expected: str | None
) -> None:
    status = once(desk, json.dumps({**VALUES["a"], **extra}))
    assert ("exhausted" if expected is None else "verified") == status
    value: dict[str, Any] | None = desk.lines("records.jsonl")[0]["value"]
    assert expected == (value["due"] if value is not None else None)


@pytest.mark.parametrize(
    ("exact", "shown"),
    [
        ("4.50", "4.5"),
        ("12345678901234567890.123456789", '"12345678901234567890.123456789"'),
        ("12345678901234567890", "12345678901234567890"),
    ],
)
def test_a_decimal_of_the_input_reaches_the_model_with_all_its_digits(desk: Desk, exact: str, shown: str) -> None:
    model = answering()
    desk.extract(model, [{"id": "a", "amount": Decimal(exact)}], prompt="{{ record | tojson }}")
    assert f'"amount": {shown}}}' in model.requests[0].messages[0].text


@pytest.mark.parametrize(
    "more",
    [
        {"sums": [("/totl", "/items/*/amount")]},
        {"sums": [("/total", "/items/*/amonut")]},
        {"unique": ["custmer"]},
    ],
)
def test_a_check_of_a_part_that_no_value_can_have_is_refused_before_a_call(desk: Desk, more: dict[str, Any]) -> None:
    model = answering()
    with pytest.raises(BadInput, match="the schema has no such property"):
        desk.extract(model, **more)
    assert [] == model.requests


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("/parent/parent/size", True),
        ("/parent/sise", False),
        ("/more/anything", True),
        ("/rows/*/0", True),
        ("", True),
    ],
)
def test_a_part_that_the_schema_allows_may_be_checked(pattern: str, *, expected: bool) -> None:
    more: dict[str, Any] = {"more": {"type": "object"}, "rows": {"type": "array", "items": {"type": "array"}}}
    assert expected is may_have({**NODE, "properties": {**NODE["properties"], **more}}, pattern)


def test_half_of_a_surrogate_pair_in_a_repaired_field_is_refused_and_not_a_crash(desk: Desk) -> None:
    model = scripted(
        lambda request: (
            '{"customer": "", "total": 4.5, "state": "open"}'
            if request.answer_schema == request.prompt.answer_schema
            else '{"/customer": "A\\ud800"}'
        )
    )
    assert "exhausted" == desk.extract(model, ORDERS[:1]).status

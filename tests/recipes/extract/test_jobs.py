"""Whole jobs: files, statuses, repairs, resuming."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from retouch.cli.jobs import status_of_job
from retouch.errors import BadInput, BrokenFile, ModelError
from retouch.recipes.extract import extract, extract_stream
from retouch.recipes.extract.source import SliceRule
from retouch.testing import scripted
from tests.recipes.extract.scenes import ORDERS, PROMPT, SCHEMA, VALUES, Desk, answering, failing, returning

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request


def test_every_record_gets_a_line_in_the_order_of_the_input(desk: Desk) -> None:
    result = desk.extract(answering(), shard_size=1)
    assert ("verified", 0, {"verified": 3}) == (result.status, result.exit_status, dict(result.counts))
    expected = [{"key": order["id"], "value": VALUES[order["id"]], "status": "verified"} for order in ORDERS]
    assert expected == desk.lines("records.jsonl")
    assert [] == desk.lines("dead.jsonl")
    assert [one["value"] for one in expected] == [one.value for one in result.records]
    assert (3, 0) == (result.usage.calls, len(result.dead))


def test_a_wrong_answer_is_corrected_and_others_are_left_alone(desk: Desk) -> None:
    model = answering({"b": ["no idea", {"customer": "Bob Bell"}]})
    result = desk.extract(model)
    expected = {"customer": "Bob Bell", "total": 3.5, "state": "closed"}
    assert ("verified", expected) == (result.status, [*result.records][1].value)
    assert {"a": 1, "b": 3, "c": 1} == {key: [one.prompt.unit for one in model.requests].count(key) for key in "abc"}
    last = model.requests[-1]
    assert last.answer_schema is not None
    assert {"/total", "/state"} == set(last.answer_schema["properties"])  # the customer is not requested again


def test_a_spelling_is_fixed_without_a_call(desk: Desk) -> None:
    model = answering({"a": [{"customer": "Ada Lovelace", "total": "4.50", "state": "OPEN"}]})
    result = desk.extract(model)
    assert ("verified", 3, VALUES["a"]) == (result.status, len(model.requests), next(result.records).value)


def test_a_record_without_a_usable_value_is_dead_and_keeps_its_best_answer(desk: Desk) -> None:
    wrong = [{"customer": "", "total": number, "state": "lost"} for number in range(9)]
    result = desk.extract(answering({"b": wrong}))
    assert ("exhausted", 3, {"verified": 2, "dead": 1}) == (result.status, result.exit_status, dict(result.counts))
    assert {"key": "b", "value": None, "status": "dead"} == desk.lines("records.jsonl")[1]
    (dead,) = desk.lines("dead.jsonl")
    assert ("b", "") == (dead["key"], dead["best"]["customer"])
    assert {("SCHEMA_VIOLATION", 2, "/customer"), ("SCHEMA_VIOLATION", 2, "/state")} == {
        (one["code"], one["tier"], one["pointer"]) for one in dead["issues"]
    }
    assert "/state" in (desk.directory / "report.html").read_text(encoding="utf-8")


def test_as_many_dead_records_as_were_allowed_are_named_and_no_failure(desk: Desk) -> None:
    result = desk.extract(answering({"b": ["?"] * 9}), max_dead=1)
    assert ("verified", 0, "1 dead allowed") == (result.status, result.exit_status, result.reason)
    assert "exhausted" == desk.extract(answering({"b": ["?"] * 9})).status


def test_the_same_job_again_asks_for_nothing(desk: Desk) -> None:
    desk.extract(answering(), shard_size=2)
    before = (desk.directory / "records.jsonl").read_bytes()
    model = answering()
    again = desk.extract(model, shard_size=2)
    assert ("verified", [], before) == (again.status, model.requests, (desk.directory / "records.jsonl").read_bytes())


def test_only_changed_and_new_records_are_requested(desk: Desk) -> None:
    desk.extract(answering(), shard_size=1)
    changed = [{"id": "new", "text": "?"}, ORDERS[2], {**ORDERS[0], "text": "Ada"}]
    model = answering({"new": [VALUES["a"]]})
    result = desk.extract(model, changed)
    assert {"new", "a"} == {one.prompt.unit for one in model.requests}
    assert ["new", "c", "a"] == [one.key for one in result.records]


def test_an_interrupted_job_goes_on_from_there(desk: Desk) -> None:
    def interrupted(request: Request) -> str:
        if request.prompt.unit == "c":
            raise KeyboardInterrupt
        return json.dumps(VALUES[request.prompt.unit])

    with pytest.raises(KeyboardInterrupt):
        desk.extract(scripted(interrupted), concurrency=1)
    assert {"a": "missing", "b": "missing", "c": "missing"} == desk.statuses()  # their shard is not finished
    seen = status_of_job(desk.directory)
    assert seen is not None
    assert "incomplete" == seen.status
    model = answering()
    assert "verified" == desk.extract(model).status
    assert ["c"] == [one.prompt.unit for one in model.requests]
    assert {"verified"} == set(desk.statuses().values())


def test_a_record_that_got_no_reply_is_missing(desk: Desk) -> None:
    with pytest.raises(ModelError, match="unavailable"):
        desk.extract(answering({"a": [ModelError("unavailable")] * 9}), concurrency=1)
    assert "missing" == desk.statuses()["a"]


def test_a_check_function_sends_a_record_back(desk: Desk) -> None:
    def check(record: Any, value: Any) -> Any:
        if value["customer"] not in record["text"]:
            yield "/customer", "the record does not name this customer"

    model = answering({"a": [{**VALUES["a"], "customer": "Eve"}]})
    result = desk.extract(model, checks=[check])
    assert ("verified", 4) == (result.status, len(model.requests))
    assert "does not name this customer" in model.requests[-1].messages[-1].text


def test_a_check_file_may_return_texts_pairs_and_mappings(desk: Desk, tmp_path: Path) -> None:
    place = tmp_path / "checks.py"
    place.write_text(
        "def check(record, value):\n"
        "    if record['id'] == 'a':\n        return 'one text'\n"
        "    if record['id'] == 'b':\n        return [('total', 'a pair')]\n"
        "    return [{'pointer': '/state', 'message': 'a mapping'}]\n"
    )
    result = desk.extract(answering(), checks=[place])
    found = {dead.key: (dead.issues[0]["pointer"], dead.issues[0]["message"]) for dead in result.dead}
    assert {"a": ("", "one text"), "b": ("/total", "/total: a pair"), "c": ("/state", "/state: a mapping")} == found


RESULTS: list[tuple[Any, list[tuple[str, str]]]] = [
    ("one text", [("", "one text")]),
    (("/total", "a pair"), [("/total", "/total: a pair")]),
    ({"pointer": "total", "message": "a mapping"}, [("/total", "/total: a mapping")]),
    (["one", "two"], [("", "one"), ("", "two")]),
    ([("/total", "one"), {"message": "two"}], [("/total", "/total: one"), ("", "two")]),
    ((("/total", "one"), ("/state", "two")), [("/total", "/total: one"), ("/state", "/state: two")]),
]


@pytest.mark.parametrize(("returned", "expected"), RESULTS)
def test_a_check_may_return_one_result_or_several(desk: Desk, returned: Any, expected: list[tuple[str, str]]) -> None:
    result = desk.extract(answering(), ORDERS[:1], checks=[returning(returned)])
    assert expected == [(one["pointer"], one["message"]) for one in result.dead[0].issues]


@pytest.mark.parametrize("returned", [None, "", [], (), {}])
def test_a_check_that_returns_nothing_has_passed(desk: Desk, returned: Any) -> None:
    if returned == {}:
        returned = iter(())
    assert "verified" == desk.extract(answering(), checks=[returning(returned)]).status


@pytest.mark.parametrize("returned", [True, False, 0, 1.5])
def test_a_check_that_returns_no_result_has_not_judged(desk: Desk, returned: Any) -> None:
    result = desk.extract(answering(), ORDERS[:1], checks=[returning(returned)])
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert f"returned {returned!r}" in next(result.records).issues[0]["message"]


@pytest.mark.parametrize("text", ["", "def check(:", "check = 1", "raise ValueError('no')"])
def test_a_check_file_that_cannot_be_used_is_refused(desk: Desk, tmp_path: Path, text: str) -> None:
    place = tmp_path / f"checks_{len(text)}.py"
    place.write_text(text)
    with pytest.raises(BadInput, match=place.name):
        desk.extract(answering(), checks=[place])


def test_a_check_cannot_change_the_value(desk: Desk) -> None:
    def check(_record: Any, value: Any) -> None:
        value.clear()

    assert VALUES["a"] == next(desk.extract(answering(), checks=[check]).records).value


def test_quotations_must_be_in_the_record(desk: Desk) -> None:
    true = {"value": VALUES["a"], "quotes": {"/customer": "Ada  lovelace", "/total": "4.50", "/state": "open"}}
    false = {"value": VALUES["a"], "quotes": {"/customer": "Eve", "/total": "4.50", "/state": "open"}}
    missing = {"value": VALUES["a"], "quotes": {"/customer": "Ada"}}
    model = answering({"a": [VALUES["a"], false, missing, true]})
    result = desk.extract(model, ORDERS[:1], quotes=True)
    turns = [one.messages[-1].text for one in model.requests]
    assert ("verified", true["quotes"]) == (result.status, desk.lines("records.jsonl")[0]["quotes"])
    assert "NO_QUOTES" in turns[1]
    assert "does not contain the quotation 'Eve'" in turns[2]
    assert 4 == len(turns)


def test_sums_must_add_up_exactly(desk: Desk) -> None:
    model = answering({"b": [{**VALUES["b"], "total": 3.4}]})
    result = desk.extract(model, sums=[("/total", "/items/*/amount")])
    again = [one.messages[-1].text for one in model.requests if one.prompt.unit == "b"]
    assert "it is 3.4, but the sum of /items/*/amount is 3.5" in again[1]
    assert ["a", "c"] == [one.key for one in result.dead]  # a total without any part cannot add up


def test_values_that_must_be_unique_are_compared_over_all_shards(desk: Desk) -> None:
    twice = {**VALUES["a"], "customer": "Bob Bell"}
    result = desk.extract(answering({"a": [twice]}), unique=["customer"], shard_size=1)
    assert ("issues", 1) == (result.status, result.exit_status)
    assert {"a": "issues", "b": "issues", "c": "verified"} == desk.statuses()


def test_sql_over_all_records_names_the_wrong_ones(desk: Desk) -> None:
    pytest.importorskip("duckdb")
    result = desk.extract(
        answering(), sql=["SELECT key, total FROM records WHERE total > (SELECT avg(total) FROM records)"]
    )
    assert ("issues", {"a": "verified", "b": "verified", "c": "issues"}) == (result.status, desk.statuses())
    assert "total = 9.0" in (desk.directory / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("query", ["SELECT nonsense", "SELECT customer FROM records", "SELECT key FROM record"])
def test_sql_that_cannot_work_is_refused_before_any_call(desk: Desk, query: str) -> None:
    pytest.importorskip("duckdb")
    model = answering()
    with pytest.raises(BadInput, match="SQL check"):
        desk.extract(model, sql=[query])
    assert [] == model.requests


def rows_of(request: Request) -> str:
    lines = [line for line in request.messages[0].text.splitlines() if line.startswith("row ")]
    rows = [{"name": line, "amount": 1} for line in lines]
    return json.dumps({"customer": "Ada", "total": 1, "state": "open", "items": rows})


LONG = {"id": "long", "rows": 130, "text": "".join(f"row {number}\n" for number in range(130))}


def test_a_long_array_is_requested_slice_by_slice_and_counted(desk: Desk) -> None:
    rule = SliceRule(rows="/items", field="text", lines=50, expected_field="rows")
    model = scripted(rows_of)
    result = desk.extract(model, [LONG], slices=rule)
    assert ("verified", 3) == (result.status, len(model.requests))
    assert [f"row {number}" for number in range(130)] == [one["name"] for one in next(result.records).value["items"]]


def test_a_lost_row_is_never_a_success(desk: Desk) -> None:
    def lossy(request: Request) -> str:
        return rows_of(request).replace('{"name": "row 77", "amount": 1}, ', "")

    rule = SliceRule(rows="/items", field="text", lines=50, expected=130)
    result = desk.extract(scripted(lossy), [LONG], slices=rule)
    assert ("exhausted", "ROWS_MISSING") == (result.status, result.dead[0].issues[0]["code"])


MANY = {"id": "long", "rows": 1200, "text": "".join(f"row {number}\n" for number in range(1200))}
ROWS: dict[str, Any] = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object", "required": ["name", "amount"]}}},
    "required": ["items"],
}


@pytest.mark.parametrize("lost", [0, 1, 17])
def test_only_the_slices_of_1200_rows_that_lost_some_are_requested_again(desk: Desk, lost: int) -> None:
    def lossy(request: Request) -> str:
        value = json.loads(rows_of(request))
        if len(model.requests) <= 24 and request.prompt.page in {5, 24}:
            del value["items"][:lost]
        return json.dumps(value)

    model = scripted(lossy)
    rule = SliceRule(rows="/items", field="text", lines=50, expected_field="rows")
    result = desk.extract(model, [MANY], slices=rule, schema=ROWS, concurrency=1)
    assert ("verified", 24 + (2 if lost else 0)) == (result.status, len(model.requests))
    assert [f"row {number}" for number in range(1200)] == [one["name"] for one in next(result.records).value["items"]]


@pytest.mark.parametrize("kept", [0, 239, 1199, 1201])
def test_1200_rows_in_one_request_are_complete_or_not_a_success(desk: Desk, kept: int) -> None:
    def lazy(request: Request) -> str:
        return json.dumps({"items": (json.loads(rows_of(request))["items"] * 2)[:kept]})

    result = desk.extract(scripted(lazy), [MANY], slices=SliceRule(rows="/items", expected=1200), schema=ROWS)
    assert ("exhausted", "ROWS_MISSING") == (result.status, result.dead[0].issues[0]["code"])


def test_rows_that_nobody_could_count_are_unverified(desk: Desk) -> None:
    result = desk.extract(scripted(rows_of), [LONG], slices=SliceRule(rows="/items", field="text", lines=50))
    assert ("unverified", {"unverified": 1}) == (result.status, dict(result.counts))
    assert "rows" in result.reason


BIG = 10**60


def test_sql_takes_integers_of_any_size(desk: Desk) -> None:
    pytest.importorskip("duckdb")
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}, "t": {"type": "string"}}}
    values = {"a": [{"n": BIG, "t": "x"}], "b": [{"n": -BIG, "t": "y"}], "c": [{"n": 3, "t": "z"}]}
    result = desk.extract(answering(values), schema=schema, sql=["SELECT key FROM records WHERE n > 5"])
    assert ("issues", {"a": "issues", "b": "verified", "c": "verified"}) == (result.status, desk.statuses())


def test_an_enum_is_text_in_sql(desk: Desk) -> None:
    pytest.importorskip("duckdb")
    result = desk.extract(answering(), sql=["SELECT key FROM records WHERE state = 'closed'"])
    assert ("issues", {"a": "verified", "b": "issues", "c": "verified"}) == (result.status, desk.statuses())


def test_parquet_has_every_value_in_the_order_of_the_input(desk: Desk) -> None:
    duckdb = pytest.importorskip("duckdb")
    wrong: list[Any] = [{**VALUES["b"], "state": "?"}] * 9
    result = desk.extract(answering({"b": wrong}), parquet=True, max_dead=1, shard_size=1)
    assert "records.parquet" in result.files
    place = str(desk.directory / "records.parquet")
    rows = duckdb.execute("SELECT key, status, value::VARCHAR, total, state FROM read_parquet(?)", [place]).fetchall()
    assert [("a", "verified", 4.5, "open"), ("b", "dead", None, None), ("c", "verified", 9.0, "in transit")] == [
        (key, status, total, state) for key, status, _, total, state in rows
    ]
    assert [VALUES["a"], None, VALUES["c"]] == [value and json.loads(value) for _, _, value, _, _ in rows]
    assert "records.parquet" not in desk.extract(answering({"b": wrong}), max_dead=1).files


def test_parquet_keeps_quotations_and_what_no_column_holds_exactly(desk: Desk) -> None:
    duckdb = pytest.importorskip("duckdb")
    schema: dict[str, Any] = {"type": "object", "properties": {"n": {"type": "integer"}, "Key": {"type": "string"}}}
    answer = {"value": {"n": BIG, "Key": "\u00e9 'x'"}, "quotes": {"/n": str(BIG), "/Key": "x"}}
    rows = [{"id": "a", "text": f"{BIG} \u00e9 'x'"}]
    assert "verified" == desk.extract(answering({"a": [answer]}), rows, schema=schema, quotes=True, parquet=True).status
    found = duckdb.execute(
        """SELECT n::VARCHAR, "value.Key", quotes['/n'] FROM read_parquet(?)""",
        [str(desk.directory / "records.parquet")],
    ).fetchall()
    assert [(str(BIG), "\u00e9 'x'", str(BIG))] == found


class Ticket(BaseModel):
    subject: str
    urgent: bool = False


def test_a_pydantic_model_is_a_schema(desk: Desk) -> None:
    answers = iter(['{"subject": "Tea", "urgent": "very"}', '{"/urgent": true}'])
    model = scripted(lambda _request: next(answers))
    result = desk.extract(model, [{"id": 1}], schema=Ticket, prompt="{{ id }}")
    assert ("verified", {"subject": "Tea", "urgent": True}) == (result.status, next(result.records).value)


def test_examples_and_the_schema_are_part_of_the_shared_text(desk: Desk) -> None:
    model = answering()
    desk.extract(model, examples=[({"text": "Eve, 1, open"}, VALUES["a"])], system="Amounts are in euros.")
    (system,) = {one.system for one in model.requests}
    assert "Amounts are in euros." in system
    assert "EXAMPLE 1\nORDER example 1\nEve, 1, open\nANSWER 1\n" + json.dumps(VALUES["a"]) in system
    assert json.dumps(SCHEMA) in system


@pytest.mark.parametrize(
    ("prompt", "part"),
    [("{{ nothing }}", "record 'a'"), ("{% if %}", "not a Jinja template"), ("{{ 1 / 0 }}", "ZeroDivisionError")],
)
def test_a_prompt_that_cannot_be_made_is_refused_before_any_call(desk: Desk, prompt: str, part: str) -> None:
    model = answering()
    with pytest.raises(BadInput, match=part):
        desk.extract(model, prompt=prompt)
    assert [] == model.requests


@pytest.mark.parametrize(
    "schema", [{"type": "nonsense"}, {"$ref": "https://example.org/x.json"}, {"$ref": "#/$defs/none"}, 7]
)
def test_a_schema_that_cannot_be_used_is_refused(desk: Desk, schema: Any) -> None:
    with pytest.raises(BadInput):
        desk.extract(answering(), schema=schema)


def test_a_directory_with_something_else_is_not_touched(desk: Desk) -> None:
    desk.directory.mkdir()
    (desk.directory / "thesis.txt").write_text("years of work")
    with pytest.raises(BadInput, match="not empty and not a job"):
        desk.extract(answering())
    assert ["thesis.txt"] == [one.name for one in desk.directory.iterdir()]


@pytest.mark.parametrize("text", ["{", '{"version": 99, "shards": 1}', '{"version": 1, "shards": 0}', "[]"])
def test_a_damaged_or_newer_job_is_refused(desk: Desk, text: str) -> None:
    desk.extract(answering())
    (desk.directory / "job.json").write_text(text)
    with pytest.raises(BrokenFile, match=r"job\.json"):
        desk.extract(answering())


def test_a_job_without_records_is_refused(desk: Desk) -> None:
    with pytest.raises(BadInput, match="no records"):
        desk.extract(answering(), [])


def test_results_arrive_as_a_stream(desk: Desk) -> None:
    options: dict[str, Any] = {"schema": SCHEMA, "prompt": PROMPT, "key": "id", "output": desk.directory}
    stream = extract_stream(ORDERS, model=answering(), shard_size=1, **options)
    assert {one["id"] for one in ORDERS} == {one.key for one in stream}
    closed: Any = extract_stream(ORDERS, model=answering(), shard_size=1, **options)
    assert "verified" == next(closed).status
    closed.close()
    with pytest.raises(BadInput, match="no field"):
        list(extract_stream([{}], model=answering(), **options))


def test_the_name_of_a_file_is_refused_as_records(desk: Desk) -> None:
    rows: Any = "tickets.jsonl"
    with pytest.raises(BadInput, match=rows):
        extract(rows, schema=SCHEMA, prompt=PROMPT, model=answering(), output=desk.directory)


def test_an_unknown_option_is_refused(desk: Desk) -> None:
    with pytest.raises(TypeError, match="nonsense"):
        desk.extract(answering(), nonsense=1)


def test_a_failing_check_is_told_at_most_once_per_record(desk: Desk) -> None:
    result = desk.extract(answering(), checks=[failing("no")])
    assert [1, 1, 1] == [len(one.issues) for one in result.dead]


ANSWERS = st.lists(
    st.sampled_from(
        ["", "[]", "{", '{"total": 1}', json.dumps(VALUES["a"]), '{"customer": "x", "total": "3", "state": "Open"}']
    ),
    max_size=5,
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(answers=st.fixed_dictionaries(dict.fromkeys("abc", ANSWERS)))
def test_whatever_a_model_answers_every_record_has_one_line_and_verified_ones_are_valid(
    tmp_path_factory: pytest.TempPathFactory, answers: dict[str, list[str]]
) -> None:
    desk = Desk(tmp_path_factory.mktemp("any") / "out")
    result = desk.extract(answering(answers), shard_size=2)
    lines = desk.lines("records.jsonl")
    assert [order["id"] for order in ORDERS] == [line["key"] for line in lines]
    judge: Any = jsonschema.Draft202012Validator(SCHEMA)
    for line in lines:
        assert (line["status"] == "verified") == (line["value"] is not None and judge.is_valid(line["value"]))
    assert (result.status == "verified") == all(line["status"] == "verified" for line in lines)

"""Only the wrong parts of a JSON answer are requested again, and only valid values are folded in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence  # noqa: TC003 - pydantic reads the annotations of the source
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch._lib.json_pointer import keys_of, pointer_of, schema_at, schema_validator, value_at, with_value_at
from retouch.engine.recipe import Read, Recipe
from retouch.engine.repair import FIELDS_AT_ONCE, RepairByField, RepairContext, repair_by_field
from retouch.engine.types import Issue, Prompt, Tier
from retouch.engine.verbs import generate
from retouch.errors import Invalid
from retouch.testing import scripted
from retouch.text import json_in
from tests.engine.conftest import run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from retouch.engine.options import RunOptions
    from retouch.engine.types import Request

ROW = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "size": {"$ref": "#/$defs/size"}},
    "required": ["name", "size"],
}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"rows": {"type": "array", "items": ROW, "maxItems": 50}, "note": {"type": "string"}},
    "required": ["rows"],
    "$defs": {"size": {"type": "integer", "minimum": 0}},
}
PROMPT = Prompt(unit="u", system="s", user="List the rows.", answer_schema=SCHEMA)
ANSWER = json.dumps({"rows": [{"name": "a", "size": 1}, {"name": "b", "size": -2}], "note": "n"})


def an_error(*pointers: str, message: str = "wrong") -> Issue:
    return Issue(code="BAD", message=message, tier=Tier.SCHEMA, unit="u", page=1, pointers=pointers)


def context_of(*issues: Issue, answer: str | None = ANSWER, prompt: Prompt = PROMPT) -> RepairContext:
    return RepairContext(prompt=prompt, answer=answer, issues=issues)


def planned(*issues: Issue, answer: str | None = ANSWER, prompt: Prompt = PROMPT) -> RepairByField:
    repair = repair_by_field(context_of(*issues, answer=answer, prompt=prompt))
    assert repair is not None
    return repair


def test_only_the_named_parts_are_requested_with_their_schemas() -> None:
    repair = planned(an_error("/rows/1/size", message="-2 is below 0"))
    _, (message,) = repair.conversation(context_of())
    assert message.text.startswith(PROMPT.user)
    assert "/rows/1/size\n  now: -2\n  schema: " in message.text
    assert "error: [BAD] -2 is below 0" in message.text
    assert '"b"' not in message.text
    assert {"/rows/1/size": SCHEMA["$defs"]["size"]} == repair.answer_schema["properties"]
    assert ["/rows/1/size"] == repair.answer_schema["required"]


def test_valid_values_are_folded_in_and_invalid_ones_are_left_out() -> None:
    repair = planned(an_error("/rows/1/size"), an_error("/rows/0/name"))
    folded = json.loads(repair.fold(ANSWER, '{"/rows/1/size": 2, "/rows/0/name": 7, "/note": "changed"}'))
    assert {"rows": [{"name": "a", "size": 1}, {"name": "b", "size": 2}], "note": "n"} == folded


@pytest.mark.parametrize("reply", ["[]", "{}", '{"/rows/1/size": "two"}', '{"/note": "x"}', "-2"])
def test_a_reply_without_a_valid_value_is_refused(reply: str) -> None:
    with pytest.raises(Invalid, match="no value is valid"):
        planned(an_error("/rows/1/size")).fold(ANSWER, reply)


def test_a_missing_property_can_be_added() -> None:
    answer = '{"rows": [{"name": "a"}]}'
    repair = planned(an_error("/rows/0/size"), answer=answer)
    assert {"rows": [{"name": "a", "size": 3}]} == json.loads(repair.fold(answer, '{"/rows/0/size": 3}'))


@pytest.mark.parametrize(
    "context",
    [
        context_of(),
        context_of(an_error()),
        context_of(an_error("/rows/0/size"), an_error()),
        context_of(an_error("/rows/9/size")),
        context_of(an_error("/unknown")),
        context_of(an_error("/rows/0/size"), answer=None),
        context_of(an_error("/rows/0/size"), answer="no JSON"),
        context_of(an_error("/rows/0/size"), answer=ANSWER.replace("-2", "1e999")),
        context_of(an_error("/rows/0/size"), prompt=replace(PROMPT, answer_schema=None)),
        context_of(an_error("/rows/0/size"), prompt=replace(PROMPT, answer_schema={"anyOf": [SCHEMA]})),
    ],
)
def test_what_cannot_be_repaired_by_field_is_left_to_the_next_strategy(context: RepairContext) -> None:
    assert None is repair_by_field(context)


@pytest.mark.slow
def test_the_input_does_not_grow_with_the_number_of_errors() -> None:
    rows = [{"name": "x" * 15, "size": -number} for number in range(5_000)]
    answer = json.dumps({"rows": rows})
    sizes: list[int] = []
    for count in (FIELDS_AT_ONCE, 50, 500, 5_000):
        issues = [an_error(f"/rows/{n}/size", message="m" * 5_000) for n in range(count) for _ in range(5)]
        _, (message,) = planned(*issues, answer=answer).conversation(context_of())
        sizes.append(len(message.text))
    assert max(sizes) <= min(sizes) * 1.05


@dataclass(frozen=True, kw_only=True)
class Records:
    """The source of a recipe whose answers are records."""

    units: tuple[str, ...]


def _plan(source: Records) -> Iterable[Prompt]:
    return (replace(PROMPT, unit=unit) for unit in source.units)


def _read(_source: Records, unit: str, pages: Sequence[str]) -> Read[Any]:
    value: Any = json_in(pages[0])
    issues = [
        replace(an_error(f"/rows/{number}/size", message=f"{row['size']} is below 0"), unit=unit)
        for number, row in enumerate(value["rows"])
        if row["size"] < 0
    ]
    return Read(value, issues)


def _check(_source: Records, _values: Mapping[str, Any], _options: RunOptions) -> list[Issue]:
    return []


def _assemble(_source: Records, values: Mapping[str, Any]) -> Mapping[str, str]:
    return {"rows.json": json.dumps([*values.values()])}


RECORDS = Recipe[Records, Any](name="records", source=Records, plan=_plan, read=_read, check=_check, assemble=_assemble)


def test_a_run_repairs_by_field_first_and_then_by_another_strategy(tmp_path: Path) -> None:
    sent: list[Request] = []
    replies = iter([ANSWER, '{"/rows/1/size": "no"}', ANSWER.replace("-2", "2")])

    def script(request: Request) -> str:
        sent.append(request)
        return next(replies)

    result = run(generate(RECORDS, Records(units=("u",)), tmp_path, scripted(script)))
    assert "verified" == result.status
    assert [SCHEMA, {"/rows/1/size"}, SCHEMA] == [
        one.answer_schema if one.answer_schema == SCHEMA else set((one.answer_schema or {})["properties"])
        for one in sent
    ]


def test_a_field_that_was_repaired_passes_without_the_rest_being_written_again(tmp_path: Path) -> None:
    model = scripted([ANSWER, '{"/rows/1/size": 2}'])
    assert "verified" == run(generate(RECORDS, Records(units=("u",)), tmp_path, model)).status
    rows = [{"name": "a", "size": 1}, {"name": "b", "size": 2}]
    assert [{"rows": rows, "note": "n"}] == json.loads((tmp_path / "rows.json").read_text())


def test_an_issue_stores_its_pointers_only_if_it_has_some() -> None:
    assert "pointers" not in an_error().to_json()
    issue = an_error("/a", "/b/0")
    assert issue == Issue.from_json(json.loads(json.dumps(issue.to_json())))


LEAVES = st.one_of(
    st.tuples(st.just({"type": "string", "maxLength": 8}), st.text(max_size=8)),
    st.tuples(st.just({"type": "integer", "minimum": 0}), st.integers(0, 10**30)),
    st.tuples(st.just({"enum": ["a", "b", None]}), st.sampled_from(["a", "b", None])),
    st.tuples(st.just({"type": "number"}), st.floats(allow_nan=False, allow_infinity=False)),
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keys = st.text("ab~/0 é", min_size=1, max_size=3)
    objects = st.dictionaries(keys, inner, min_size=1, max_size=4).map(
        lambda parts: (
            {"type": "object", "properties": {key: one[0] for key, one in parts.items()}, "required": [*parts]},
            {key: one[1] for key, one in parts.items()},
        )
    )
    arrays = st.tuples(inner, st.integers(1, 4)).map(
        lambda part: ({"type": "array", "items": part[0][0]}, [deepcopy(part[0][1]) for _ in range(part[1])])
    )
    return st.one_of(objects, arrays)


DOCUMENTS = _nested(st.recursive(LEAVES, _nested, max_leaves=8))


def leaves_of(value: Any, keys: list[str | int]) -> list[list[str | int]]:
    """Return the places of all values that are neither objects nor arrays."""
    parts: Any = None
    if isinstance(value, (dict, list)):
        parts = (
            cast("dict[str, Any]", value).items() if isinstance(value, dict) else enumerate(cast("list[Any]", value))
        )
    return [keys] if parts is None else [one for key, part in parts for one in leaves_of(part, [*keys, key])]


@given(document=DOCUMENTS, data=st.data())
def test_a_repair_folds_in_valid_values_only_and_changes_nothing_else(document: Any, data: st.DataObject) -> None:
    schema, value = document
    places = leaves_of(value, [])
    chosen = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=6, unique_by=str))
    broken, expected = deepcopy(value), deepcopy(value)
    for place in chosen:
        _set(broken, place, {"wrong": 1})
        _set(expected, place, {"wrong": 1})
    pointers = [pointer_of(place) for place in chosen]
    reply: dict[str, Any] = {"/not/requested": 1}
    for place, pointer in zip(chosen, pointers, strict=True):
        kind = data.draw(st.sampled_from(["valid", "invalid", "missing"]))
        if kind == "valid":
            reply[pointer] = _get(value, place)
            _set(expected, place, _get(value, place))
        elif kind == "invalid":
            reply[pointer] = {"still": "wrong"}
    prompt = replace(PROMPT, answer_schema=schema)
    answer = json.dumps(broken)
    repair = planned(*(an_error(pointer) for pointer in pointers), answer=answer, prompt=prompt)
    assert set(pointers) == set(repair.answer_schema["required"])
    if expected == broken:
        with pytest.raises(Invalid):
            repair.fold(answer, json.dumps(reply))
    else:
        assert expected == json.loads(repair.fold(answer, json.dumps(reply)))


@given(document=DOCUMENTS, keys=st.lists(st.text("ab~/0 é", max_size=3), max_size=4))
def test_pointers_find_values_and_their_schemas(document: Any, keys: list[str]) -> None:
    schema, value = document
    is_valid = schema_validator()
    assert is_valid is not None
    assert keys == keys_of(pointer_of([*keys]))
    for place in leaves_of(value, []):
        pointer = pointer_of(place)
        assert (_get(value, place),) == value_at(value, pointer)
        found = schema_at(schema, pointer)
        assert found is not None
        assert is_valid(found, _get(value, place))
        assert value == with_value_at(value, pointer, _get(value, place))


def _get(document: Any, place: list[Any]) -> Any:
    for key in place:
        document = document[key]
    return document


def _set(document: Any, place: list[Any], value: Any) -> None:
    for key in place[:-1]:
        document = document[key]
    document[place[-1]] = value

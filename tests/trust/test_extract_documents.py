"""Ways in which a long document, or a sum, could be called verified although a part of it is wrong or unchecked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.extract.source import SliceRule
from retouch.testing import scripted
from tests.recipes.extract.scenes import ORDERS, Desk

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import Request

pytest.importorskip("jsonschema_rs", reason="the extra 'extract' is not installed")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A place for a job."""
    return Desk(tmp_path / "out")


INVOICE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "buyer": {"type": ["string", "null"]},
        "total": {"type": ["number", "null"]},
        "terms": {"type": "object"},
        "items": {"type": "array", "items": {"type": "object", "required": ["name", "amount"]}},
    },
    "required": ["items"],
}
PAGES = {"id": "long", "text": "".join(f"row {number}\n" for number in range(4))}
IN_PAIRS = SliceRule(rows="/items", field="text", lines=2, expected=4)


def on_pages(*first: dict[str, Any], later: dict[str, Any] | None = None) -> Any:
    """Return a model that adds fields to the rows of each page: at first the given ones, `later` in corrections."""

    def answer(request: Request) -> str:
        page = request.prompt.page
        more = first[page - 1] if page not in seen or later is None else later
        seen.add(page)
        names = [line for line in request.prompt.user.splitlines() if line.startswith("row ")]
        rows = [{"name": name, "amount": 1} for name in names]
        return json.dumps({"items": rows, **more})

    seen = set[int]()
    return scripted(answer)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"total": 4}, {"total": 2}),
        ({"buyer": "Ada"}, {"buyer": "Bob"}),
        ({"terms": {"days": 30}}, {"terms": {"days": 14}}),
        ({"total": 0}, {"total": 4}),
    ],
)
def test_parts_of_a_document_that_differ_about_it_are_not_decided_upon(
    desk: Desk, first: dict[str, Any], second: dict[str, Any]
) -> None:
    result = desk.extract(on_pages(first, second), [PAGES], schema=INVOICE, slices=IN_PAIRS)
    assert ("exhausted", {"PARTS_DIFFER"}) == (result.status, {one["code"] for one in result.dead[0].issues})


def test_a_part_that_takes_back_what_it_did_not_know_is_believed(desk: Desk) -> None:
    model = on_pages({"total": 4}, {"total": 2}, later={"total": None})
    result = desk.extract(model, [PAGES], schema=INVOICE, slices=IN_PAIRS)
    assert 4 == len(model.requests)
    assert ("verified", None) == (result.status, next(result.records).value["total"])


def test_what_only_a_later_part_of_a_document_states_is_taken_and_checked(desk: Desk) -> None:
    first, last = {"buyer": "Ada", "total": None, "terms": {"days": 30}}, {"total": 5, "terms": {"place": "Rome"}}
    sums = [("/total", "/items/*/amount")]
    wrong = desk.extract(on_pages(first, last), [PAGES], schema=INVOICE, slices=IN_PAIRS, sums=sums)
    assert ("exhausted", "SUM_DIFFERS") == (wrong.status, wrong.dead[0].issues[0]["code"])
    stated = Desk(desk.directory / "stated")
    right = stated.extract(on_pages(first, {**last, "total": 4}), [PAGES], schema=INVOICE, slices=IN_PAIRS, sums=sums)
    value = next(right.records).value
    assert ("verified", 4) == (right.status, value["total"])
    assert ("Ada", {"days": 30, "place": "Rome"}) == (value["buyer"], value["terms"])
    strange = Desk(desk.directory / "strange")
    forbidden = {**INVOICE, "additionalProperties": False}
    assert "exhausted" == strange.extract(on_pages({}, {"x": 1}), [PAGES], schema=forbidden, slices=IN_PAIRS).status


def test_a_row_of_each_part_needs_its_own_quotation(desk: Desk) -> None:
    def answer(request: Request) -> str:
        names = [line for line in request.prompt.user.splitlines() if line.startswith("row ")]
        quotes = {f"/items/{number}/name": name for number, name in enumerate(names)}
        quotes = {pointer: one for pointer, one in quotes.items() if one != lost}
        return json.dumps({"value": {"items": [{"name": name} for name in names]}, "quotes": quotes})

    rows: dict[str, Any] = {"type": "object", "properties": {"items": {"type": "array"}}, "required": ["items"]}
    lost = ""
    result = desk.extract(scripted(answer), [PAGES], schema=rows, slices=IN_PAIRS, quotes=True)
    assert "verified" == result.status
    assert "row 3" == desk.lines("records.jsonl")[0]["quotes"]["/items/3/name"]
    lost, other = "row 3", Desk(desk.directory / "other")
    assert "exhausted" == other.extract(scripted(answer), [PAGES], schema=rows, slices=IN_PAIRS, quotes=True).status


@pytest.mark.parametrize("more", [{}, {"total": None}])
def test_a_sum_without_its_total_has_not_been_checked(desk: Desk, more: dict[str, Any]) -> None:
    answer = json.dumps({"items": [{"name": "tea", "amount": 1}], **more})
    model = scripted(lambda _request: answer)
    result = desk.extract(model, ORDERS[:1], schema=INVOICE, sums=[("/total", "/items/*/amount")])
    assert ("unverified", {"unverified": 1}, 1) == (result.status, dict(result.counts), result.exit_status)
    assert "SUM_NOT_CHECKED" == next(result.records).issues[0]["code"]
    assert 1 == len(model.requests)  # a model is not told to invent a total

"""Records that fail again and again: the order of repairs, fallback models, and another try for dead records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from retouch.testing import scripted
from tests.recipes.extract.scenes import ORDERS, VALUES, answering

if TYPE_CHECKING:
    from retouch.engine.types import Request
    from retouch.testing import Scripted
    from tests.recipes.extract.scenes import Desk

RECORD = ORDERS[:1]


def kind_of(request: Request) -> str:
    """Return whether a request is the first of a record, or for parts of a value, or for the whole value again."""
    if request.answer_schema != request.prompt.answer_schema:
        return "parts"
    return "again" if "CORRECTION" in request.messages[-1].text else "first"


def hopeless() -> Scripted:
    """Return a model whose state is always wrong, and whose total is always a number in quotes."""
    calls: list[None] = []

    def answer(request: Request) -> str:
        calls.append(None)
        wrong = f"state {len(calls)}"
        if kind_of(request) == "parts":
            assert request.answer_schema is not None
            return json.dumps(dict.fromkeys(request.answer_schema["properties"], wrong))
        return json.dumps({**VALUES["a"], "total": "4.50", "state": wrong})

    return scripted(answer)


def test_parts_come_before_the_whole_record_and_the_whole_record_before_the_fallback(desk: Desk) -> None:
    model, fallback = hopeless(), answering()
    result = desk.extract(model, RECORD, fallback=fallback)
    assert ("verified", VALUES["a"]) == (result.status, next(result.records).value)
    assert ["first", "parts", "again"] == [kind_of(one) for one in model.requests]
    assert ["parts"] == [kind_of(one) for one in fallback.requests]  # the total was fixed without a call
    first = model.requests[1].answer_schema
    assert first is not None
    assert ["/state"] == list(first["properties"])


def test_a_record_that_no_fallback_repairs_is_dead_with_its_best_value(desk: Desk) -> None:
    result = desk.extract(hopeless(), RECORD, fallback=hopeless())
    (dead,) = result.dead
    assert ("exhausted", 4.5, "/state") == (result.status, dead.best["total"], dead.issues[0]["pointer"])


def test_a_dead_record_is_not_requested_again_unless_that_is_wanted(desk: Desk) -> None:
    desk.extract(answering({"b": [{**VALUES["b"], "state": "?"}] * 9}))
    silent = answering()
    assert "exhausted" == desk.extract(silent).status
    assert [] == silent.requests
    model = answering()
    result = desk.extract(model, retry_dead=True)
    assert ("verified", ["b"]) == (result.status, [one.prompt.unit for one in model.requests])
    assert "parts" == kind_of(model.requests[0])  # what is right of its best value is kept
    assert {"a": "verified", "b": "verified", "c": "verified"} == desk.statuses()
    assert [] == desk.lines("dead.jsonl")


def test_a_dead_record_without_a_value_begins_anew(desk: Desk) -> None:
    desk.extract(answering({"b": ["I cannot read this."] * 9}))
    model = answering()
    assert "verified" == desk.extract(model, retry_dead=True).status
    assert ["first"] == [kind_of(one) for one in model.requests]


def test_a_record_that_dies_now_is_not_retried_by_the_same_command(desk: Desk) -> None:
    wrong: Any = {"b": [{**VALUES["b"], "state": "?"}] * 99}
    first, both = answering(wrong), answering(wrong)
    desk.extract(first)
    desk.directory = desk.directory.with_name("other")
    assert "exhausted" == desk.extract(both, retry_dead=True).status
    assert len(first.requests) == len(both.requests)

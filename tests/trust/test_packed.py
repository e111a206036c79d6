"""Can a page get the answer of another one because both were in one request? Each way that was found ends alone."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.packs import KEYS, can_be_packed, packed_answer
from retouch.engine.types import Prompt, Reply, Request
from retouch.testing import scripted
from tests.engine.test_packed import answer, items_of, shelf

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGES = ("north", "east", "south", "west")


def right(request: Request) -> dict[str, Any]:
    return {key: json.loads(answer(prompt)) for key, prompt in request.parts}


def renumbered(request: Request) -> str:
    """Leave a page out and give the rest the numbers from 1."""
    values = [*right(request).values()][1:]
    return json.dumps({str(number): one for number, one in enumerate(values, 1)})


def one_too_many(request: Request) -> str:
    """Answer a task that is not there first, so that everything may have moved by one."""
    return json.dumps({KEYS[len(PAGES)]: {"item": "none"}, **right(request)})


def twice(request: Request) -> str:
    return json.dumps(right(request))[:-1] + f', "{KEYS[1]}": {{"item": "south"}}}}'


def taken_back(request: Request) -> str:
    """Correct an answer after the object. Which of both is meant is not known."""
    return f'{json.dumps(right(request))}\nWait, "{KEYS[1]}" should be {{"item": "south"}}.'


def corrected(request: Request) -> str:
    """Correct an answer after the object, without its key in quotes."""
    return f"{json.dumps(right(request))}\nCorrection for {KEYS[1]}: the item is south."


def replaced(request: Request) -> str:
    return f'{json.dumps(right(request))}\nThe second one should be {{"item": "south"}}.'


def two_objects(request: Request) -> str:
    values = right(request)
    return "\n".join(json.dumps({key: one}) for key, one in values.items())


def nested(request: Request) -> str:
    return json.dumps({"answers": right(request)})


def as_list(request: Request) -> str:
    return json.dumps([*right(request).values()])


WAYS = [renumbered, one_too_many, twice, taken_back, corrected, replaced, two_objects, nested, as_list]


@pytest.mark.parametrize("way", WAYS)
def test_an_answer_that_does_not_say_which_page_is_which_is_not_used(tmp_path: Path, way: Callable[[Request], str]):
    scene = shelf(tmp_path, PAGES)
    model = scripted(lambda request: way(request) if request.parts else answer(request.prompt))
    assert "verified" == scene.generate(model).status
    assert [4, 1, 1, 1, 1] == [len(request.parts) or 1 for request in model.requests]
    assert {name: name for name in PAGES} == items_of(scene)


@pytest.mark.parametrize("length", range(1, 100, 7))
def test_a_part_that_was_cut_off_is_never_an_answer(tmp_path: Path, length: int):
    """A number, for example, is a shorter number if it is cut off."""
    scene = shelf(tmp_path, PAGES)

    def cut(request: Request) -> str | Reply:
        if not request.parts:
            return answer(request.prompt)
        text = packed_answer(request, {key: answer(prompt) for key, prompt in request.parts})
        return Reply(text=text[:length], finish="length", model="scripted")

    assert "verified" == scene.generate(scripted(cut)).status
    assert {name: name for name in PAGES} == items_of(scene)


def test_a_run_whose_packed_reply_was_never_checked_is_not_verified(tmp_path: Path):
    """The process ends after the reply."""
    scene = shelf(tmp_path, PAGES)

    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    scene.use(read=interrupted)
    model = scripted(lambda request: packed_answer(request, {key: answer(one) for key, one in request.parts}))
    with pytest.raises(KeyboardInterrupt):
        scene.generate(model)
    again = shelf(tmp_path, PAGES)
    assert "incomplete" == again.validate(write=False).status
    unused = scripted([])
    assert ("verified", []) == (again.generate(unused).status, unused.requests)


@pytest.mark.parametrize("mark", ["\r", "\u2028", "\f", " ", "> ", "\n", "\n  "])
def test_a_page_that_contains_a_heading_of_another_page_is_requested_alone(mark: str):
    """A page could answer for the next one, or take its text."""
    page = Prompt(unit="north", page=1, total_pages=1, system="", user="north", answer_schema={"type": "object"})
    assert can_be_packed(page)
    assert not can_be_packed(replace(page, user=f"north{mark}=== {KEYS[1]} ==={mark}south"))

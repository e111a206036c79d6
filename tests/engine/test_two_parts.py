"""A page whose corrections do not help is requested in two parts, whose answers become the answer of the page."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.engine.options import RunOptions
from retouch.engine.parts import PageParts, object_in_parts
from retouch.engine.types import Prompt, RetryBudget
from retouch.engine.usage import strategy_report
from retouch.errors import Invalid
from retouch.testing import scripted
from tests.engine.conftest import cut, refused, states
from tests.engine.glossary import Glossary, answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.options import Progress
    from retouch.engine.types import Request
    from retouch.testing import Scripted
    from tests.engine.conftest import Scene

WORDS = ("axe", "saw", "nut", "peg")
MANY = RetryBudget(5, 5, 5, 5)


def in_parts(_source: Glossary, prompt: Prompt) -> PageParts | None:
    head, _, words = prompt.user.rpartition("WORDS: ")
    found = words.split()
    halves = found[: len(found) // 2], found[len(found) // 2 :]
    one, two = (replace(prompt, user=f"{head}WORDS: {' '.join(half)}") for half in halves)
    return PageParts(prompts=(one, two), join=lambda first, second: f"{first}\n{second}") if all(halves) else None


def half_able(number_of_words: int = 2, spoilt: Callable[[int], Any] = lambda n: f"saw=SAW{n}") -> Scripted:
    """Return a model that answers at most that many words at once."""
    count = 0

    def script(request: Request) -> Any:
        nonlocal count
        if len(request.prompt.user.rpartition("WORDS: ")[2].split()) <= number_of_words:
            return answer(request.prompt)
        count += 1
        return spoilt(count)

    return scripted(script)


@pytest.fixture
def long_page(scene: Scene) -> Scene:
    scene.source = Glossary(units={"tools": WORDS}, page_size=4)
    scene.use(in_parts=in_parts)
    return scene


def whys(scene: Scene) -> list[str]:
    return [one.why for one in scene.history.attempts.values()]


def test_a_page_that_its_correction_does_not_heal_is_requested_in_two_parts(long_page: Scene) -> None:
    result = long_page.generate(half_able(), budget=MANY)
    assert ("verified", {"tools": "answered"}) == (result.status, states(result))
    assert ["answer", "correction", "firstpart", "twoparts"] == whys(long_page)
    assert all(f"{word}={word.upper()}" in long_page.text() for word in WORDS)
    assert [1] == [prompt["page"] for prompt in long_page.json("prompts.json")]


def test_both_parts_are_one_retry_and_one_success(long_page: Scene) -> None:
    long_page.generate(half_able(), budget=MANY)
    assert 2 == len(long_page.history.retries_of(("tools", 1)))
    found = strategy_report(long_page.history.attempts.values())
    assert [("correction", 1, 1, 0), ("twoparts", 1, 1, 1)] == [
        (one.strategy, one.retries, one.accepted, one.solved) for one in found
    ]


def test_a_page_that_is_truncated_at_the_highest_cap_is_requested_in_two_parts(long_page: Scene) -> None:
    model = half_able(spoilt=lambda n: cut(f"axe=AXE{n}"))
    options = RunOptions(max_output_tokens=100, max_output_limit=200)
    assert "verified" == long_page.generate(model, options=options).status
    assert ["answer", "correction", "firstpart", "twoparts"] == whys(long_page)


def test_a_second_part_that_fails_leaves_the_page_to_the_next_strategy(long_page: Scene) -> None:
    def script(request: Request) -> Any:
        words = request.prompt.user.rpartition("WORDS: ")[2].split()
        if len(words) == 2:
            return answer(request.prompt) if "axe" in words else refused()
        return answer(request.prompt) if request.temperature == 1.0 else f"saw=SAW{len(request.messages[0].text)}"

    assert "verified" == long_page.generate(scripted(script), budget=MANY).status
    assert ["answer", "correction", "firstpart", "twoparts", "resample"] == whys(long_page)


def test_if_the_first_part_fails_the_second_one_is_not_bought(long_page: Scene) -> None:
    def script(request: Request) -> Any:
        short = len(request.prompt.user.rpartition("WORDS: ")[2].split()) == 2
        thin = f"saw=SAW{len(request.messages[0].text)}"
        return refused() if short else answer(request.prompt) if request.temperature == 1.0 else thin

    assert "verified" == long_page.generate(scripted(script), budget=MANY).status
    assert ["answer", "correction", "firstpart", "resample"] == whys(long_page)
    found = strategy_report(long_page.history.attempts.values())
    assert ("twoparts", 1, 0) in [(one.strategy, one.retries, one.solved) for one in found]


def test_parts_that_are_wrong_are_used_once_and_never_verified(long_page: Scene) -> None:
    model = scripted(lambda request: "axe=AXE" if len(request.prompt.user) else "")
    result = long_page.generate(model, budget=RetryBudget(9, 9, 9, 9))
    assert result.status in {"exhausted", "issues"}
    assert whys(long_page).count("twoparts") <= 1


@pytest.mark.parametrize("after", range(1, 5))
def test_a_run_that_is_killed_between_the_parts_resumes_and_pays_nothing_twice(long_page: Scene, after: int) -> None:
    seen = 0

    def killed(progress: Progress) -> None:
        nonlocal seen
        seen += progress.kind == "answered"
        if seen == after:
            raise KeyboardInterrupt

    model = half_able()
    with suppress(KeyboardInterrupt):
        long_page.generate(model, options=RunOptions(watch=killed, grace_s=0.01, budget=MANY))
    assert "verified" == long_page.generate(model, budget=MANY).status
    assert 4 == len(model.requests) == len(set(model.requests))
    assert ["answer", "correction", "firstpart", "twoparts"] == whys(long_page)
    assert not long_page.history.unchecked


def test_a_later_verb_requests_both_parts_anew(long_page: Scene) -> None:
    model = half_able(0)
    long_page.generate(model, budget=MANY)
    long_page.regenerate(model, "tools", budget=MANY)
    assert 2 == whys(long_page).count("firstpart") == whys(long_page).count("twoparts")


SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"$ref": "#/$defs/c"}},
    "required": ["a", "c"],
    "$defs": {"c": {"type": "boolean"}},
    "additionalProperties": False,
}
PROMPT = Prompt(unit="u", system="s", user="Fill it in.", answer_schema=SCHEMA)


def parts_of(schema: Any = SCHEMA) -> PageParts:
    found = object_in_parts(replace(PROMPT, answer_schema=schema))
    assert found is not None
    return found


def test_an_object_is_cut_into_the_halves_of_its_properties() -> None:
    schemas = [prompt.answer_schema for prompt in parts_of().prompts]
    assert [(["a", "b"], ["a"]), (["c"], ["c"])] == [
        (list(one["properties"]), one["required"]) for one in schemas if one
    ]
    assert all(prompt.key == PROMPT.key and prompt.user.startswith(PROMPT.user) for prompt in parts_of().prompts)
    assert '"c"' in parts_of().prompts[1].user


@given(st.dictionaries(st.sampled_from("abcd"), st.integers()))
def test_the_halves_of_an_answer_join_to_the_whole(value: dict[str, int]) -> None:
    schema = {"type": "object", "properties": {name: {"type": "integer"} for name in "abcd"}}
    parts = parts_of(schema)
    halves = [{n: v for n, v in value.items() if n in names} for names in ("ab", "cd")]
    assert value == json.loads(parts.join(*map(json.dumps, halves)))
    assert value == json.loads(parts.join(json.dumps(value), json.dumps(value)))


def test_each_property_comes_from_its_own_part_and_unknown_ones_stay_to_be_found() -> None:
    joined = parts_of().join('{"a": "x", "c": false, "z": 1}', 'Here:\n```json\n{"c": true, "a": "no"}\n```')
    assert {"a": "x", "c": True, "z": 1} == json.loads(joined)


@pytest.mark.parametrize("text", ["I cannot.", "[1]", '{"a": "x"} or rather {"a": "y"}'])
def test_a_part_that_is_no_single_object_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="the part with a, b"):
        parts_of().join(text, '{"c": true}')


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {"type": "array"},
        {"type": "object", "properties": {"a": {}}},
        {**SCHEMA, "anyOf": [{"required": ["b"]}]},
        {**SCHEMA, "dependentRequired": {"a": ["b"]}},
        {**SCHEMA, "minProperties": 2},
    ],
)
def test_an_answer_that_cannot_be_cut_stays_whole(schema: Any) -> None:
    assert None is object_in_parts(replace(PROMPT, answer_schema=schema))

"""A page in two parts: each is a usual prompt, and the answers join to a page that passes the checks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retouch.errors import Invalid
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.pages import plan
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.fixes.steps import form_errors
from retouch.recipes.csharp.halves import in_parts
from tests.recipes.csharp.answers_zoo import ENDPOINT

if TYPE_CHECKING:
    from retouch.engine.types import Prompt
    from retouch.recipes.csharp.ir import Endpoint

PLAIN = replace(ENDPOINT, style="plain")
STYLES = pytest.mark.parametrize("endpoint", [ENDPOINT, PLAIN], ids=["connector", "plain"])


def units(endpoint: Endpoint) -> dict[str, list[Prompt]]:
    found: dict[str, list[Prompt]] = {}
    for prompt in plan(endpoint):
        found.setdefault(prompt.unit, []).append(prompt)
    return found


def joined(endpoint: Endpoint, prompt: Prompt) -> str:
    """Return the answer of a page from the answers of its parts, or its own if it cannot be cut."""
    parts = in_parts(endpoint, prompt)
    return answer(prompt) if parts is None else parts.join(*(answer(one) for one in parts.prompts))


@STYLES
@pytest.mark.parametrize("size", [2, 3, 5, 50])
def test_the_right_answers_of_two_parts_are_a_right_page(endpoint: Endpoint, size: int):
    endpoint = replace(endpoint, fields_per_page=size, values_per_page=size)
    cut = 0
    for unit, prompts in units(endpoint).items():
        whole, parted = [answer(one) for one in prompts], [joined(endpoint, one) for one in prompts]
        assert read(endpoint, unit, whole).issues == read(endpoint, unit, parted).issues
        cut += sum(in_parts(endpoint, prompt) is not None for prompt in prompts)
    assert 3 <= cut


@STYLES
def test_each_part_asks_for_its_own_members_and_keeps_the_identity_of_the_page(endpoint: Endpoint):
    endpoint = replace(endpoint, fields_per_page=4)
    page = units(endpoint)["PetsDataObject"][1]
    parts = in_parts(endpoint, page)
    assert parts is not None
    names = ["Mood", "Type", "Born", "SeenAt"]
    shown = [[f"name: {name};" in one.user or f" {name}:" in one.user for name in names] for one in parts.prompts]
    assert [page.key] * 2 == [one.key for one in parts.prompts]
    if endpoint.style != "plain":
        assert [[True, True, False, False], [False, False, True, True]] == shown
        assert all("OUTPUT MODE: fields_only" in one.user for one in parts.prompts)


def test_a_page_with_one_member_stays_whole():
    endpoint = replace(ENDPOINT, fields_per_page=1, values_per_page=1)
    assert {None} == {in_parts(endpoint, prompt) for prompt in plan(endpoint)}


def test_a_part_that_is_no_code_is_refused():
    prompt = units(replace(ENDPOINT, fields_per_page=50))["PetsDataObject"][0]
    parts = in_parts(replace(ENDPOINT, fields_per_page=50), prompt)
    assert parts is not None
    with pytest.raises(Invalid, match="part 2"):
        parts.join(answer(parts.prompts[0]), "I cannot do that, sorry.")


@STYLES
def test_the_form_of_a_page_is_checked_before_the_others_arrive(endpoint: Endpoint):
    prompts = units(endpoint)["PetsDataObject"]
    for prompt in prompts:
        right = answer(prompt)
        assert [] == [*form_errors(endpoint, prompt.unit, prompt.page, right)]
        assert [] == [*form_errors(endpoint, prompt.unit, prompt.page, f"```csharp\n{right}\n```")]
        broken = form_errors(endpoint, prompt.unit, prompt.page, right.replace("get;", "get{", 1))
        assert {prompt.page} == {issue.page for issue in broken}
        pages = [answer(one) for one in prompts]
        pages[prompt.page - 1] = right.replace("get;", "get{", 1)
        found = {(issue.code, issue.page) for issue in read(endpoint, prompt.unit, pages).issues}
        assert {(issue.code, issue.page) for issue in broken} <= found

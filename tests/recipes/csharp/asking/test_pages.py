"""The prompts of an endpoint: one per page, self-sufficient, the same bytes every time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from retouch.engine.types import Prompt
from retouch.errors import RecipeBug
from retouch.recipes.csharp.answering.offline import answer
from retouch.recipes.csharp.asking.listing import underlying_type
from retouch.recipes.csharp.asking.paging import in_smaller_pages, page_count, type_named
from retouch.recipes.csharp.asking.templates import prompt_text
from retouch.recipes.csharp.ir import CsField, CsType, EnumValue
from tests.counted import calls_of
from tests.recipes.csharp.answers_zoo import ENDPOINT, ROOT, one_class, prompts

EXAMPLE_FIRST = replace(ENDPOINT, example_first=True)


def user(unit: str, page: int = 1) -> str:
    return next(prompt.user for prompt in prompts() if prompt.key == (unit, page))


def test_every_type_has_its_pages_in_order():
    found = [(prompt.unit, prompt.page, prompt.total_pages, prompt.is_root) for prompt in prompts()]
    root = [("PetsDataObject", page, 3, True) for page in (1, 2, 3)]
    assert [*root, ("Owner", 1, 1, False), ("Mood", 1, 2, False), ("Mood", 2, 2, False), ("Size", 1, 1, False)] == found


def test_the_system_text_is_one_and_the_same():
    assert {prompt_text("version_1_instructions")} == {prompt.system for prompt in prompts()}
    assert {prompt_text("instructions")} == {prompt.system for prompt in prompts(EXAMPLE_FIRST)}


def test_the_same_endpoint_gives_the_same_bytes():
    assert prompts() == prompts(replace(ENDPOINT))


def test_a_page_of_the_root_contains_everything_that_its_answer_needs():
    text = user("PetsDataObject")
    for line in (
        "ENDPOINT: GET /pets/{id}",
        "OUTPUT MODE: full_class",
        "CLASS: PetsDataObject",
        'CLASS DESCRIPTION: "A pet, as it stands in the register."',
        '[PrimaryKey("id", nameof(Id))]',
        "PAGE: 1 of 3",
        '- json: "id"; name: Id; type: long; required: yes; nullable: no',
        '- json: "@type"; name: Type; type: string?; required: yes; nullable: yes',
        "  attribute: [MinLength(1)]",
        '  description: "The number of the pet."',
        "- Owner (class)",
        "- Mood (enum)",
    ):
        assert line in text.split("\n")
    assert "born" not in text


def test_a_later_page_names_its_own_types_and_no_key():
    text = user("PetsDataObject", 2)
    assert "OUTPUT MODE: fields_only" in text
    assert "- PetsDataObject (class)" in text
    assert "- Owner (class)" not in text
    assert 'PrimaryKey("id"' not in text


@pytest.mark.parametrize(
    ("unit", "page", "mode"),
    [("Owner", 1, "class_only"), ("Mood", 1, "enum_only"), ("Mood", 2, "enum_values_only"), ("Size", 1, "enum_only")],
)
def test_each_page_has_its_output_mode_and_an_example_of_it(unit: str, page: int, mode: str):
    assert f"OUTPUT MODE: {mode}" in user(unit, page)
    assert "EXAMPLE of this output mode" in user(unit, page)


def test_the_example_has_a_request_and_an_answer_and_comes_before_the_task():
    for prompt, old in zip(prompts(EXAMPLE_FIRST), prompts(), strict=True):
        example, _, task = prompt.user.partition("\nYOUR TASK, in the same form:\n")
        request, _, code = example.partition("\nEXAMPLE ANSWER:\n")
        assert answer(prompt) == answer(old)
        assert code.rstrip("\n") == answer(Prompt(unit="X", system="", user=_as_task(request))).rstrip("\n")
        assert "EXAMPLE" not in task
        old_task = old.user.partition("\nEXAMPLE of this")[0].replace("CLASS ATTRIBUTES: (none)\n", "")
        assert old_task.rstrip("\n") == task.rstrip("\n")


def _as_task(request: str) -> str:
    """The request of an example as a page: its members are apart from its head."""
    head, noun, members = request.partition("VALUES:\n" if "VALUES:" in request else "FIELDS:\n")
    return f"{head.removeprefix('EXAMPLE REQUEST:')[1:]}\n{noun}{members}"


def test_nothing_that_the_task_lacks_is_said_to_be_none_above_an_example_that_has_it():
    owner = next(one.user for one in prompts(EXAMPLE_FIRST) if one.key == ("Owner", 1))
    assert "(none)" not in owner.partition("PAGE")[0]


def test_a_form_that_a_later_turn_demands_is_not_forbidden():
    for name in ("instructions", "plain_instructions"):
        assert "no markdown fence" not in prompt_text(name)
        assert "If a later message asks for another form" in prompt_text(name)


def test_enum_values_stand_one_per_line_in_quotes():
    first, second = user("Mood"), user("Mood", 2)
    assert ['- "" -> Empty', '- "+1" -> Plus1', '- "-1" -> Minus1'] == listed(first)
    assert ['- "so, \\"so\\"" -> SoSo', '- "*" -> Star'] == listed(second)
    assert ["- 1 -> Size1", "- 2 -> Size2", "- 40 -> Size40"] == listed(user("Size"))


def listed(text: str) -> list[str]:
    return text.partition("VALUES:\n")[2].partition("\n\n")[0].split("\n")


def test_a_type_without_members_has_one_page():
    (prompt,) = prompts(one_class())
    assert (1, 1) == (prompt.page, prompt.total_pages)
    assert "FIELDS:\n(none)" in prompt.user


@pytest.mark.parametrize(("count", "size", "pages"), [(8, 8, 1), (9, 8, 2), (1, 8, 1), (5, 1, 5), (5, 0, 5)])
def test_pages_hold_as_many_fields_as_they_should(count: int, size: int, pages: int):
    fields = (CsField(json_name=f"f{i}", name=f"F{i}", type="int") for i in range(count))
    assert pages == len(prompts(one_class(*fields, fields_per_page=size)))


@pytest.mark.parametrize(
    ("values", "wanted"),
    [((1, 2), "int"), ((2**31,), "long"), ((-(2**40), 1), "long"), ((2**63,), "ulong"), (("a",), "int"), ((), "int")],
)
def test_an_enum_of_integers_gets_the_smallest_type_that_holds_them(values: tuple[int | str, ...], wanted: str):
    members = tuple(EnumValue(value=value, name=f"V{index}") for index, value in enumerate(values))
    assert wanted == underlying_type(CsType(name="E", kind="enum", integer=True, values=members))


def test_an_unknown_type_is_reported_with_the_known_ones():
    with pytest.raises(RecipeBug, match="no type 'Flagg'; the endpoint has Mood, Owner, PetsDataObject, Size"):
        type_named(ENDPOINT, "Flagg")


def test_planning_costs_the_same_per_page_for_many_pages():
    def calls_per_page(types: int) -> float:
        closure = tuple(replace(ROOT, name=f"T{index}", is_root=index == 0) for index in range(types))
        endpoint = replace(ENDPOINT, types=closure)
        return calls_of(lambda: prompts(endpoint)) / len(prompts(endpoint))

    assert calls_per_page(800) < 1.5 * calls_per_page(40)


def test_a_type_in_smaller_pages_changes_no_other_types_prompts():
    smaller = in_smaller_pages(ENDPOINT, ROOT.name)
    before, after = prompts(), prompts(smaller)
    assert [p for p in before if p.unit != ROOT.name] == [p for p in after if p.unit != ROOT.name]
    assert page_count(ENDPOINT, ROOT) < page_count(smaller, smaller.root)


def test_a_type_of_one_member_a_page_cannot_shrink():
    smallest = ENDPOINT
    for _ in range(9):
        smallest = in_smaller_pages(smallest, ROOT.name)
    assert smallest == in_smaller_pages(smallest, ROOT.name)
    assert len(ROOT.fields) == page_count(smallest, smallest.root)

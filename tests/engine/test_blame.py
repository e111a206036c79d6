"""An issue names a unit, and a page when it is known; only what it names is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.recipe import Read
from retouch.engine.types import Issue, Tier
from retouch.errors import RecipeBug
from tests.engine.conftest import always, asked, wrong_first

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.options import RunOptions
    from tests.engine.conftest import Scene


def blames(unit: str, *pages: int | None, severity: Any = "error") -> Any:
    """A check that blames these pages of a unit, the first time only."""
    left = [
        Issue(code="ODD", message="odd", tier=Tier.SEMANTIC, unit=unit, page=page, severity=severity) for page in pages
    ]

    def check(_source: Any, _values: Mapping[str, Any], _options: RunOptions) -> list[Issue]:
        found, left[:] = list(left), []
        return found

    return check


@pytest.mark.parametrize(
    ("pages", "expected"), [((2,), [2]), ((1,), [1]), ((None,), [1, 2]), ((2, None), [1, 2]), ((1, 2), [1, 2])]
)
def test_an_issue_with_a_page_asks_that_page_and_one_without_asks_all_of_its_unit(
    scene: Scene, pages: tuple[int | None, ...], expected: list[int]
) -> None:
    scene.use(check=blames("animals", *pages))
    model = wrong_first(
        {("animals", 1): ["cat=CAT\ndog=DOG", "cat=CATS\ndog=DOG"], ("animals", 2): ["eel=EEL", "eel=E"]}
    )
    scene.generate(model)
    assert [("animals", page) for page in expected] == asked(model)[3:]


@pytest.mark.parametrize("severity", ["warning", "info"])
def test_what_is_no_error_asks_nothing(scene: Scene, severity: str) -> None:
    scene.use(check=blames("animals", 1, severity=severity))
    result = scene.generate()
    assert (3, "verified") == (result.calls, result.status)
    assert [severity] == [issue.severity for issue in result.issues]


def test_a_page_with_a_broken_line_is_the_only_one_asked_again(scene: Scene) -> None:
    model = wrong_first({("animals", 2): ["nonsense"]})
    scene.generate(model)
    assert [("animals", 2)] == asked(model)[3:]


def test_a_check_that_names_an_unknown_unit_is_a_bug_of_the_recipe(scene: Scene) -> None:
    scene.use(check=blames("animal", 1))
    with pytest.raises(RecipeBug, match=r"'animal'.*animals, tools"):
        scene.generate()


def test_a_read_that_names_another_unit_is_a_bug_of_the_recipe(scene: Scene) -> None:
    issue = Issue(code="ODD", message="odd", tier=Tier.SYNTAX, unit="animals")
    scene.use(read=always(Read[Any]({}, [issue])))
    with pytest.raises(RecipeBug, match=r"'animals'.*tools"):
        scene.generate()


def test_a_read_without_value_and_without_error_is_a_bug_of_the_recipe(scene: Scene) -> None:
    scene.use(read=always(Read[Any](None)))
    with pytest.raises(RecipeBug, match="neither a value nor an error"):
        scene.generate()


def test_what_was_paid_for_is_kept_when_the_recipe_has_a_bug(scene: Scene) -> None:
    working = scene.recipe
    scene.use(check=blames("animal", 1))
    with pytest.raises(RecipeBug):
        scene.generate()
    scene.recipe = working
    assert (0, "verified") == ((result := scene.generate()).calls, result.status)


def test_a_mend_that_loses_a_page_is_a_bug_of_the_recipe(scene: Scene) -> None:
    def mend(_source: Any, _unit: str, pages: Sequence[str], _issues: Sequence[Issue]) -> Sequence[str]:
        return pages[:-1]

    scene.use(mend=mend)
    with pytest.raises(RecipeBug, match="mended 1 pages of 'tools' into 0"):
        scene.generate(wrong_first({("tools", 1): ["nonsense"]}))


def test_a_repair_by_rule_costs_no_call_and_is_recorded(scene: Scene) -> None:
    def mend(_source: Any, _unit: str, pages: Sequence[str], _issues: Sequence[Issue]) -> Sequence[str]:
        return [page.replace(":", "=") for page in pages]

    scene.use(mend=mend)
    result = scene.generate(wrong_first({("tools", 1): ["axe:AXE\nsaw:SAW"]}))
    assert (3, "verified") == (result.calls, result.status)
    assert "mend" == scene.history.answers["tools", 1].by
    assert "axe=AXE\nsaw=SAW" == scene.json("pages.json")["pages"][2]["output"]


@pytest.mark.parametrize("pages", [[1, 1], [2], [1, 3], []])
def test_a_plan_with_wrong_page_numbers_is_refused_before_it_is_on_disk(scene: Scene, pages: list[int]) -> None:
    from retouch.engine.types import Prompt

    prompts = [Prompt(unit="a", page=page, total_pages=2, system="", user="") for page in pages]
    scene.use(plan=always(prompts))
    if pages:
        with pytest.raises(RecipeBug, match="'a' has pages"):
            scene.generate()
        assert not (scene.folder / "prompts.json").exists()
    else:
        assert "unverified" == scene.generate().status

"""The pages in a browser without a window: keys, search, widths, schemes, printing, and axe-core's rules."""

from __future__ import annotations

import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from retouch._lib.run_sync import run_sync
from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate
from retouch.report import report, report_files
from retouch.view.runs import RunStore
from tests.engine.glossary import RECIPE, SOURCE
from tests.report.test_report import HOSTILE, model, right
from tests.view.browser import AXE, WIDTHS, browser, new_page, served, too_wide, violations, why_no_browser
from tests.view.evaluations import planned_evaluation

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from retouch.engine.types import Request

pytestmark = [pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser()), pytest.mark.slow]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with a run that is right and one whose answers are hostile, and the report of the second one."""
    place = tmp_path_factory.mktemp("tree")

    def write(request: Request) -> str:
        return HOSTILE if request.prompt.unit == "animals" else right(request)

    run_sync(generate(RECIPE, SOURCE, place / "right", model(right), RunOptions()))
    run_sync(generate(RECIPE, SOURCE, place / "wrong", model(write), RunOptions()))
    view = open_run(place / "wrong")
    (place / "one.html").write_text(run_sync(report(view, recipe=RECIPE)), encoding="utf-8")
    for name, text in run_sync(report_files(view, recipe=RECIPE)).items():
        (place / "pages" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "pages" / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def chrome() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture
def page(chrome: Any) -> Iterator[Any]:
    """A page. The test fails if it logs anything, for example a violation of its policy."""
    found = new_page(chrome, viewport={"width": 1280, "height": 900})
    said: list[str] = []

    def note(event: Any) -> None:
        said.append(str(getattr(event, "text", event)))

    for kind in ("console", "pageerror", "dialog"):
        found.on(kind, note)
    yield found
    found.context.close()
    assert [] == said


@contextmanager
def served_to(page: Any, folder: Path) -> Generator[str]:
    """Serve runs to a page, which leaves before the server ends: it would report that nobody answers any more."""
    with served(RunStore(folder, recipe=RECIPE)) as found:
        yield found
        page.goto("about:blank")


@pytest.fixture
def address(page: Any, folder: Path) -> Iterator[str]:
    with served_to(page, folder) as found:
        yield found


@pytest.mark.slow
def test_a_user_finds_the_failed_unit_by_keys_and_sees_why(page: Any, address: str):
    page.goto(address)
    page.click("th a:has-text('wrong')")
    page.wait_for_url("**/run?*wrong*")  # the page before has a table too
    page.wait_for_selector("body.scripted #unit-table")
    page.keyboard.press("/")
    page.keyboard.type("onerror=alert")  # in its answers
    page.wait_for_selector("#found:has-text('1 unit found')")
    page.locator("#q").blur()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("body.scripted article.unit")
    assert "Because of:" in page.inner_text("article.unit")
    page.keyboard.press("u")
    page.wait_for_selector("body.scripted #unit-table")
    page.keyboard.press("?")
    assert page.is_visible("#keys")
    page.keyboard.press("Escape")
    assert not page.is_visible("#keys")


@pytest.mark.slow
def test_the_sections_of_the_recipe_are_loaded_into_the_overview(page: Any, address: str):
    page.goto(address)
    page.click("th a:has-text('right')")
    page.wait_for_selector("#sections:has-text('no sections of its own')")
    assert 0 == page.locator("#sections a").count()


def test_the_summary_of_a_tree_is_replaced_and_its_picture_is_not_repeated(page: Any, folder: Path):
    tree = folder.parent / "evaluated"
    planned_evaluation(tree, "right", trials=1)
    shutil.copytree(folder / "right", tree / "right" / "trial-1" / "glossary")
    (tree / "result.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    with served_to(page, tree) as found:
        page.clock.install()
        page.goto(found)
        (tree / "result.json").write_text('{"status": "complete"}', encoding="utf-8")
        page.clock.run_for(6_000)
        page.wait_for_selector(".verdict.verified")
        assert 1 == page.locator("img.picture").count()
        assert 1 == page.locator("section.summary").count()


def test_the_rows_of_a_tree_follow_its_runs_and_keep_order_filter_and_focus(page: Any, folder: Path):
    tree = folder.parent / "followed"
    shutil.copytree(folder / "right", tree / "b")
    shutil.copytree(folder / "wrong", tree / "a")
    with served_to(page, tree) as found:
        page.clock.install()
        page.goto(found)
        page.click("#unit-table thead th:first-child button")
        page.click("#unit-table thead th:first-child button")  # by name, from the end
        page.keyboard.press("j")
        page.clock.run_for(6_000)  # nothing has changed: nothing is replaced
        page.evaluate("document.querySelector('#rows tr').dataset.seen = 'yes'")
        page.clock.run_for(6_000)
        assert 1 == page.locator("#rows tr[data-seen]").count()
        shutil.copytree(folder / "right", tree / "c")
        page.clock.run_for(6_000)
        page.wait_for_selector("#rows tr:first-child[data-name=c]")  # the new row is there, and sorted
        assert ["c", "b", "a"] == page.locator("#rows th").all_inner_texts()
        assert "b" == page.evaluate("document.activeElement.closest('tr').dataset.name")
        assert 1 == page.locator("#a option[value=c]").count()
        page.fill("#q", "nothing has this name")
        page.wait_for_selector("#found:has-text('0 of 3')")
        shutil.rmtree(tree / "c")
        page.clock.run_for(6_000)
        page.wait_for_selector("#found:has-text('0 of 2')")
        assert 0 == page.locator("#rows tr:visible").count()


def test_a_long_reason_makes_no_tall_row_in_a_narrow_window(page: Any, folder: Path):
    tree = folder.parent / "narrow"
    planned_evaluation(tree, "wrong", trials=1)
    shutil.copytree(folder / "wrong", tree / "wrong" / "trial-1" / "a-rather-long-name-of-a-source-without-any-space")
    with served_to(page, tree) as found:
        page.goto(found)
        page.set_viewport_size({"width": WIDTHS[0], "height": 900})
        cell = "document.querySelector('#rows tr td:last-child')"
        page.evaluate(f"{cell}.textContent = 'one word after the other '.repeat(8)")
        page.evaluate(f"{cell}.className = 'long'")
        assert page.evaluate("document.querySelector('#rows tr').offsetHeight") < 250
        assert page.locator("#rows .state").bounding_box()["x"] < WIDTHS[0]


def test_hostile_answers_run_nothing_and_hide_nothing(page: Any, address: str, folder: Path):
    for place in (address, folder.joinpath("one.html").as_uri(), folder.joinpath("pages", "units", "1.html").as_uri()):
        page.goto(place)
        if place == address:
            page.goto(address.partition("?")[0] + "unit?run=wrong&unit=animals")
        assert page.title() != "hacked"
        assert page.is_visible("main")
        assert 0 == page.locator("main img, main iframe, main script, main style").count()


@pytest.mark.parametrize("name", ["one.html", "pages/index.html"])
def test_a_report_is_searched_filtered_and_sorted_without_a_server(page: Any, folder: Path, name: str):
    page.goto(folder.joinpath(name).as_uri())
    page.fill("#q", "onerror=alert")  # in an answer, not in the table
    page.wait_for_selector("#found:has-text('1 of')")
    page.fill("#q", "")
    page.select_option("#state", "problems")
    page.wait_for_selector("#found:has-text('1 of')")
    assert 1 == page.locator("#unit-table tbody tr:visible").count()
    page.click("#unit-table thead th:first-child button")
    assert "ascending" == page.get_attribute("#unit-table thead th:first-child", "aria-sort")


def test_a_report_can_be_read_without_its_script(chrome: Any, folder: Path):
    page = new_page(chrome, java_script_enabled=False)
    page.goto(folder.joinpath("one.html").as_uri())
    assert page.is_visible("text=Because of:")
    assert not page.is_visible("#q")
    page.context.close()


def test_axe_core_is_there():
    if not AXE.is_file():
        pytest.skip("no axe-core: make axe")
    assert "axe.run" in AXE.read_text(encoding="utf-8")


def test_a_page_that_is_too_wide_and_one_without_a_heading_are_found(chrome: Any):
    page = new_page(chrome)
    page.set_content("<main><h1>Wide</h1><p style='margin-right: -400px'>x</p></main>")
    assert [f"{WIDTHS[0]}: {WIDTHS[0] + 392}"] == too_wide(page, widths=WIDTHS[:1])
    page.set_content("<html lang=en><title>x</title><main><p style='color: #eee'>hard to see</p></main>")
    if AXE.is_file():
        assert {"page-has-heading-one", "color-contrast"} == {one[0] for one in violations(page)}


def test_a_printed_page_shows_its_folded_texts_and_no_buttons(page: Any, folder: Path):
    page.goto(folder.joinpath("one.html").as_uri())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert 0 == page.evaluate("document.querySelectorAll('details.fold:not([open])').length")
    assert not page.is_visible(".copy-button")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details.fold:not([open])').length")

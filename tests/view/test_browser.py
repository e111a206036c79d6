"""The pages in a browser without a window: keys, search, widths, schemes, printing, and axe-core's rules."""

from __future__ import annotations

import shutil
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
from tests.view.browser import AXE, browser, served, why_no_browser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from retouch.engine.types import Request

pytestmark = [pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser()), pytest.mark.slow]
_TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter(one => one.getBoundingClientRect().right > innerWidth && !one.closest(".scroll, .codebox, .visually-hidden"))
  .map(one => one.outerHTML.slice(0, 120))"""
WIDTHS = (390, 1280, 2560)


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
    context = chrome.new_context(viewport={"width": 1280, "height": 900})
    found = context.new_page()
    said: list[str] = []

    def note(event: Any) -> None:
        said.append(str(getattr(event, "text", event)))

    for kind in ("console", "pageerror", "dialog"):
        found.on(kind, note)
    yield found
    context.close()
    assert [] == said


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with served(RunStore(folder, recipe=RECIPE)) as found:
        yield found


def test_a_user_finds_the_failed_unit_by_keys_and_sees_why(page: Any, address: str):
    page.goto(address)
    page.click("th a:has-text('wrong')")
    page.wait_for_selector("body.scripted #unit-table")
    page.keyboard.press("/")
    page.keyboard.type("onerror=alert")  # in its answers
    page.wait_for_selector("#found:has-text('1 unit found')")
    page.locator("#q").blur()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("article.unit")
    assert "Because of:" in page.inner_text("article.unit")
    page.keyboard.press("u")
    page.wait_for_selector("body.scripted #unit-table")
    page.keyboard.press("?")
    assert page.is_visible("#keys")
    page.keyboard.press("Escape")
    assert not page.is_visible("#keys")


def test_the_sections_of_the_recipe_are_loaded_into_the_overview(page: Any, address: str):
    page.goto(address)
    page.click("th a:has-text('right')")
    page.wait_for_selector("#sections:has-text('no sections of its own')")
    assert 0 == page.locator("#sections a").count()


def test_the_summary_of_a_tree_is_replaced_and_its_picture_is_not_repeated(page: Any, folder: Path):
    tree = folder.parent / "evaluated"
    shutil.copytree(folder / "right", tree / "right")
    (tree / "evaluation.json").write_text("{}", encoding="utf-8")
    (tree / "result.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>', encoding="utf-8")
    with served(RunStore(tree, recipe=RECIPE)) as found:
        page.clock.install()
        page.goto(found)
        (tree / "result.json").write_text('{"status": "complete"}', encoding="utf-8")
        with page.expect_response(found.partition("?")[0]):
            page.clock.run_for(6_000)
        page.wait_for_selector(".verdict.verified")
        assert 1 == page.locator("img.picture").count()
        assert 1 == page.locator("section.summary").count()


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
    context = chrome.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(folder.joinpath("one.html").as_uri())
    assert page.is_visible("text=Because of:")
    assert not page.is_visible("#q")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_is_wider_than_its_window_and_axe_finds_nothing(
    chrome: Any, address: str, folder: Path, width: int, scheme: str
):
    context = chrome.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(address)
    base = address.partition("?")[0]
    live = [base, f"{base}run?run=wrong", f"{base}unit?run=wrong&unit=animals", f"{base}compare?a=right&b=wrong"]
    for place in [*live, folder.joinpath("one.html").as_uri()]:
        page.goto(place)
        wide = page.evaluate(_TOO_WIDE)
        assert [] == wide, place
        if AXE.is_file():
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found = page.evaluate("axe.run().then(found => found.violations.map(one => [one.id, one.nodes[0].html]))")
            assert [] == found, place
    context.close()


def test_axe_core_is_there():
    if not AXE.is_file():
        pytest.skip(f"no axe-core: npm install --prefix {AXE.parents[2]} axe-core")
    assert "axe.run" in AXE.read_text(encoding="utf-8")


def test_a_printed_page_shows_its_folded_texts_and_no_buttons(page: Any, folder: Path):
    page.goto(folder.joinpath("one.html").as_uri())
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert 0 == page.evaluate("document.querySelectorAll('details.fold:not([open])').length")
    assert not page.is_visible(".copy-button")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate("document.querySelectorAll('details.fold:not([open])').length")

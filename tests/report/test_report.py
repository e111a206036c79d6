"""The report of a run: one page that shows what was asked, answered, wrong and made, whatever the answers hold."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.recipe import Section
from retouch.engine.types import Reply, Request
from retouch.engine.verbs import generate
from retouch.report import report
from tests.engine.glossary import RECIPE, SOURCE, answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from retouch.engine.recipe import Recipe
    from retouch.engine.types import OnEvent

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """What a browser would see: elements that are balanced, their texts, what they refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        self.ids |= {values["id"] or ""} if "id" in values else set()
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())

    @property
    def words(self) -> str:
        """All text of the page."""
        return "\n".join(text for text in self.texts if text)


def model(write: Callable[[Request], str]) -> Any:
    """Return a model that answers with what `write` makes of a request."""

    async def answers(request: Request, *, on_event: OnEvent | None = None) -> Reply:
        del on_event
        return Reply(text=write(request), model="scribe", input_tokens=10, output_tokens=3, cost=0.0025)

    return answers


def drawn(folder: Path, write: Callable[[Request], str], recipe: Recipe[Any, Any] = RECIPE) -> Page:
    """Make a run and return its report."""
    asyncio.run(generate(recipe, SOURCE, folder, model(write), RunOptions()))
    return Page(asyncio.run(report(open_run(folder), recipe=recipe)))


def right(request: Request) -> str:
    return answer(request.prompt)


def test_a_clean_run_shows_its_units_its_files_and_its_cost(tmp_path: Path):
    page = drawn(tmp_path / "run", right)
    assert [] == page.open
    assert "verified" in page.words
    assert "animals" in page.words
    assert "cat=CAT" in page.words
    assert "glossary.txt" in page.words
    assert "$0.0075" in page.words  # three pages


def test_every_link_of_the_page_leads_into_the_page_itself(tmp_path: Path):
    page = drawn(tmp_path / "run", right)
    assert [] == [link for link in page.links if link[1:] not in page.ids or not link.startswith("#")]
    assert not {"script", "img", "link", "iframe", "form"} & set(page.tags)


def test_an_answer_that_holds_markup_is_shown_as_words(tmp_path: Path):
    hostile = "cat=<script>alert(1)</script></pre><h1>Clean</h1>\u202e\x1b[2J\x00"
    page = drawn(tmp_path / "run", lambda request: hostile if request.prompt.key == ("animals", 1) else right(request))
    assert 0 == page.tags.count("script")
    assert 1 == page.tags.count("h1")
    assert "</pre><h1>Clean</h1>\\u202e\\u001b[2J\\u0000" in page.words


def test_issues_stand_with_their_next_step_and_the_calls_that_tried(tmp_path: Path):
    page = drawn(tmp_path / "run", lambda request: "no equals sign" if "animals" in str(request) else right(request))
    assert "exhausted" in page.words
    assert "BROKEN_LINE" in page.words
    assert "Next: Write word=VALUE." in page.words
    assert "CORRECTION REQUIRED" in page.words
    assert re.search(r"Page 1 of 2: 4 calls \(answer, correction, resample, correction\)", page.words)
    assert re.search(r"last call \d{4}-\d\d-\d\d \d\d:\d\d UTC", page.words)


def test_a_recipe_tells_of_its_artifact_first(tmp_path: Path):
    def told(_source: object, values: Mapping[str, object]) -> Iterable[Section]:
        return [
            Section(title="Words & meanings", quote="as <said>", heads=("unit",), rows=[[name] for name in values]),
        ]

    page = drawn(tmp_path / "run", right, replace(RECIPE, report=told))
    assert page.words.index("Words & meanings") < page.words.index("Units")
    assert "as <said>" in page.words


def test_a_run_of_a_recipe_that_is_not_installed_is_shown_all_the_same(tmp_path: Path):
    drawn(tmp_path / "run", right)
    page = Page(asyncio.run(report(open_run(tmp_path / "run"))))
    assert "no recipe 'glossary'" in page.words
    assert "cat=CAT" in page.words


def test_a_run_that_has_no_answer_yet_can_be_shown(tmp_path: Path):
    def lost(_request: Request) -> str:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        drawn(tmp_path / "run", lost)
    page = Page(asyncio.run(report(open_run(tmp_path / "run"), recipe=RECIPE)))
    assert "incomplete" in page.words
    assert "No file was written yet." in page.words


def test_a_file_that_is_gone_or_no_text_is_said_in_its_place(tmp_path: Path):
    drawn(tmp_path / "run", right)
    (tmp_path / "run" / "glossary.txt").write_bytes(b"\xff\xfe\x00")
    page = Page(asyncio.run(report(open_run(tmp_path / "run"), recipe=RECIPE)))
    assert "(cannot be shown: UnicodeDecodeError)" in page.words

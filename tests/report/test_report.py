"""The report of a run: one page that shows what was asked, answered, wrong and made, whatever the answers hold."""

from __future__ import annotations

import asyncio
import base64
import re
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.recipe import CodeText, Section, marked
from retouch.engine.types import Reply, Request
from retouch.engine.verbs import generate
from retouch.report import report, report_files
from retouch.report.export import comparison
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
    links = [link for link in page.links if link != "data:,"]  # no icon
    assert [] == [link for link in links if link[1:] not in page.ids or not link.startswith("#")]
    assert not {"img", "iframe", "object", "embed"} & set(page.tags)
    assert 1 == page.tags.count("script")  # its own, which the policy names by its hash


def test_an_answer_that_holds_markup_is_shown_as_words(tmp_path: Path):
    hostile = "cat=<script>alert(1)</script></pre><h1>Clean</h1>\u202e\x1b[2J\x00"
    page = drawn(tmp_path / "run", lambda request: hostile if request.prompt.key == ("animals", 1) else right(request))
    assert 1 == page.tags.count("script")
    assert 1 == page.tags.count("h1")
    assert "</pre><h1>Clean</h1>\\u202e\\u001b[2J\\u0000" in page.words


def test_each_attempt_has_the_issue_that_caused_it_and_the_correction_that_was_sent(tmp_path: Path):
    page = drawn(tmp_path / "run", lambda request: "no equals sign" if "animals" in str(request) else right(request))
    assert "exhausted" in page.words
    assert "BROKEN_LINE" in page.words
    assert "Write word=VALUE." in page.words
    assert "CORRECTION REQUIRED" in page.words
    assert "Because of:" in page.words
    assert "The answer is the same as that of attempt 1." in page.words
    assert "Attempt 4: correction" in page.words
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", page.words)


def test_the_prompt_is_there_once_and_not_with_each_attempt(tmp_path: Path):
    wrong = iter(["no equals sign", "still none", "none"])
    page = drawn(
        tmp_path / "run",
        lambda request: next(wrong, right(request)) if request.prompt.key == ("animals", 1) else right(request),
    )
    prompts = {prompt.user for prompt in open_run(tmp_path / "run").prompts if prompt.key == ("animals", 1)}
    assert 1 == sum(page.words.count(prompt) for prompt in prompts)
    assert "(the prompt)" in page.words


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


HOSTILE = (
    "<script>document.title='hacked'</script><img src=x onerror=alert(1)>"
    "</pre></textarea><a href='javascript:alert(1)'>x</a>"
    "<svg/onload=alert(1)>{{ 7001 * 7001 }}{% raw %}"
    "<iframe srcdoc='<script>1</script>'>]]><!-- --><style>*{display:none}"
)


def test_hostile_answers_add_no_element_to_any_page_of_a_directory(tmp_path: Path):
    plain, hostile = (
        asyncio.run(_pages_of(tmp_path / name, text)) for name, text in (("plain", "no sign"), ("hostile", HOSTILE))
    )
    assert plain.keys() == hostile.keys()
    for name, text in hostile.items():
        if name.endswith(".html"):
            page = Page(text)
            assert set(page.tags) <= {*Page(plain[name]).tags, "code", "span"}, name
            assert not [link for link in page.links if "javascript:" in link], name
            assert "49014001" not in page.words, name


async def _pages_of(folder: Path, text: str) -> Mapping[str, str]:
    def write(request: Request) -> str:
        return text if request.prompt.unit == "animals" else right(request)

    await generate(RECIPE, SOURCE, folder, model(write), RunOptions())
    return await report_files(open_run(folder), recipe=RECIPE)


def test_a_directory_has_a_page_for_each_unit_and_every_link_leads_to_a_file(tmp_path: Path):
    pages = asyncio.run(_pages_of(tmp_path / "run", "no sign"))
    for name, text in pages.items():
        if name.endswith(".html"):
            for link in Page(text).links:
                target = (tmp_path / name).parent / link.partition("#")[0]
                inside = str(target.resolve().relative_to(tmp_path.resolve()))
                assert link == "data:," or link.startswith("#") or inside in pages, (name, link)


def test_the_policy_of_one_file_names_the_style_and_the_script_that_are_in_it(tmp_path: Path):
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model(right), RunOptions()))
    text = asyncio.run(report(open_run(tmp_path / "run"), recipe=RECIPE))
    for tag in ("style", "script"):
        content = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        assert base64.b64encode(sha256(content.encode()).digest()).decode() in text.replace("&#43;", "+")
    assert "unsafe-inline" not in text


def test_a_diff_and_yaml_of_a_section_keep_their_line_breaks(tmp_path: Path):
    code = "a:\n  - one\n  - two\n"

    def shown(_source: object, _values: Mapping[str, object]) -> Iterable[Section]:
        return [Section(title="A", code=[CodeText(title="file", text=code, language="yaml")], quote=code)]

    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model(right), RunOptions()))
    text = asyncio.run(report(open_run(tmp_path / "run"), recipe=replace(RECIPE, report=shown)))
    assert code in text.partition('<pre class="quote"')[2]
    assert "pre-line" not in text


def test_parts_of_a_cell_have_the_colour_of_their_label(tmp_path: Path):
    def shown(_source: object, _values: Mapping[str, object]) -> Iterable[Section]:
        return [Section(title="A", heads=["path"], rows=[[marked("x/2024/<b>", {"2024": "year", "<b>": "tag"})]])]

    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model(right), RunOptions()))
    text = asyncio.run(report(open_run(tmp_path / "run"), recipe=replace(RECIPE, report=shown)))
    assert 'title="year">2024</span>' in text
    assert 'title="tag">&lt;b&gt;</span>' in text


def test_the_commands_of_a_report_are_quoted_for_a_shell(tmp_path: Path):
    folder = tmp_path / "a; echo b"
    drawn(folder, right)
    files = asyncio.run(report_files(open_run(folder), recipe=RECIPE))
    assert f"${{EDITOR:-vi}} '{folder / 'glossary.txt'}'" in Page(files["files/1.html"]).words


def test_two_runs_are_compared_by_unit(tmp_path: Path):
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "a", model(right), RunOptions()))
    other = model(lambda request: right(request).lower() if request.prompt.unit == "animals" else right(request))
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "b", other, RunOptions()))
    page = Page(comparison(open_run(tmp_path / "a"), open_run(tmp_path / "b")))
    assert "different" in page.words
    assert "From A to B" in page.words


def test_a_unit_of_one_run_only_is_shown_with_its_answer(tmp_path: Path):
    fewer = replace(SOURCE, units={"tools": SOURCE.units["tools"]})
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "a", model(right), RunOptions()))
    asyncio.run(generate(RECIPE, fewer, tmp_path / "b", model(right), RunOptions()))
    page = Page(comparison(open_run(tmp_path / "a"), open_run(tmp_path / "b")))
    assert "animals: only in A" in page.words
    assert "From A to B" not in page.words
    assert "cat=CAT" in page.words

"""The pages say what happens: their blocks are run in order, and what they show is compared; links lead somewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from retouch.testing import FAULTS
from tests.docs.desk import Desk
from tests.docs.links import dead_links
from tests.docs.page_steps import shows, steps

TUTORIAL = {'echo \'{"version"': 2, "diff": 1, "retouch generate relnotes v2.json -o hopeless": 3}
EDIT = {
    "retouch generate edit prices.py --request 'replace": 1,
    "retouch apply --root . --target prices.py --response": 1,
}
CHECKS = {
    f"retouch generate edit prices.py --request {words}": 1
    for words in (
        '"rename RATE to VAT" --check "true &&',
        '"rename RATE to VAT" --check "no-such',
        '"rename DISCOUNT',
        '"rename RATE to VAT" --check "true" -o',
    )
}
SECRETS = {"MY_TOKEN=": 2, "retouch show run --json | grep": 1}
DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("shown", "printed", "fits"),
    [
        ("one\ntwo\n", "one\ntwo\n", True),
        ("one\n", "one\ntwo\n", False),
        ("one\n...\n", "one\ntwo\nthree\n", True),
        ("one\n...\n", "one\n", True),
        ("...\ntwo\n", "one\nthree\n", False),
        ("took ... s\n", "took 0.2 s\n", True),
        ("took ... s\n", "took 0.2 min\n", False),
        ("", "", True),
        ("", "error\n", False),
        ("[1/2] settled a\n[2/2] settled b\nclean\n", "[1/2] settled b\n[2/2] settled a\nclean\n", True),
        ("[1/2] settled a\n[2/2] settled b\nclean\n", "[1/2] settled b\nclean\n", False),
    ],
)
def test_what_a_page_shows_is_compared_with_what_was_printed(shown: str, printed: str, fits: bool):
    assert fits == shows(shown, printed)


def test_the_tutorial_says_what_happens(tmp_path: Path):
    pytest.importorskip("pydantic_ai", reason="the tutorial's own tests talk to a provider's client: extra llm")
    assert (23, 2, 25) == walked(DOCS / "tutorial.md", Desk(tmp_path, TUTORIAL))


def test_the_page_on_edits_says_what_happens(tmp_path: Path):
    assert (2, 1, 7) == walked(DOCS / "edit.md", Desk(tmp_path, EDIT))


def test_the_page_on_checks_says_what_happens(tmp_path: Path):
    assert (2, 0, 10) == walked(DOCS / "checks.md", Desk(tmp_path, CHECKS))


def test_the_page_on_secrets_says_what_happens(tmp_path: Path):
    assert (0, 0, 7) == walked(DOCS / "secrets.md", Desk(tmp_path, SECRETS))


def test_the_page_on_tests_says_what_happens(tmp_path: Path):
    pytest.importorskip("pydantic_ai", reason="the page's test talks to a provider's client: extra llm")
    page = DOCS / "testing.md"
    assert (2, 0, 1) == walked(page, Desk(tmp_path, {}))
    (test,) = (step for step in steps(page.read_text(encoding="utf-8")) if step.name == "test_greetings.py")
    assert 15 >= sum(bool(line.strip()) for line in test.text.splitlines())


def test_the_page_on_tests_tells_every_fault_by_name():
    page = (DOCS / "testing.md").read_text(encoding="utf-8")
    assert [] == [name for name in FAULTS if f"`{name}`" not in page]


def walked(path: Path, desk: Desk) -> tuple[int, int, int]:
    """Take the steps of a page; return how many files, dialogues and commands there were."""
    page = steps(path.read_text(encoding="utf-8"))
    wrong = [what for step in page if (what := desk.took(step))]
    assert not wrong, "\n\n".join(wrong)
    kinds = [step.kind for step in page]
    return kinds.count("file"), kinds.count("dialogue"), kinds.count("command")


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(page: Path):
    assert [] == dead_links(page)


def test_a_link_that_leads_nowhere_is_seen(tmp_path: Path):
    (tmp_path / "other.md").write_text("# One & two\n")
    (tmp_path / "page.md").write_text(
        "# Here\n[a](other.md#one--two) [b](#here) [c](no.md) [d](other.md#three) `[e](x)`\n"
    )
    assert ["no.md", "other.md#three"] == dead_links(tmp_path / "page.md")


def test_every_page_is_in_the_contents():
    contents = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [] == [
        page.name for page in DOCS.glob("*.md") if f"({page.name})" not in contents and "README.md" != page.name
    ]

"""The pages show what happens: their blocks are executed in order, and their output is compared; links have targets."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.testing import FAULTS
from tests.docs.desk import Desk
from tests.docs.links import dead_links
from tests.docs.page_steps import languages, shows, steps
from tests.sandbox.test_attacks import reason_against

if TYPE_CHECKING:
    from collections.abc import Mapping

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
FRONT = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "examples/edit/README.md",
    "examples/policy/README.md",
    "examples/rule/README.md",
)
PAGES = sorted([*DOCS.rglob("*.md"), *(PROJECT / name for name in FRONT)])
EXECUTED = [page for page in [*DOCS.rglob("*.md"), PROJECT / "README.md"] if steps(page.read_text(encoding="utf-8"))]
READABLE = {"console", "pycon", "python", "text", "toml", "json", "yaml", "csharp"}


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What a page needs: exit statuses other than 0 by how a command begins, examples to copy, a package, an engine."""

    refused: Mapping[str, int] = field(default_factory=dict[str, int])
    given: tuple[str, ...] = ()
    package: str = ""
    engine: str = ""


DEPOT = ("csharp/depot.yaml",)
RENAME = 'retouch generate edit prices.py --request "rename'
NEEDS = {
    "README.md": Needs(given=DEPOT, refused={"retouch extract": 3}, package="jsonschema_rs"),
    "docs/tutorial.md": Needs(
        refused={
            "retouch extract orders.jsonl --schema order.json --key id --quiet": 3,
            "retouch extract orders.jsonl --schema order.json --key id --check": 3,
        },
        package="jsonschema_rs",
    ),
    "docs/tutorial-csharp.md": Needs(given=DEPOT, package="genai_prices"),
    "docs/write-a-recipe.md": Needs(
        refused={'echo \'{"version"': 2, "diff": 1, "retouch generate relnotes v2.json -o hopeless": 3},
        package="pydantic_ai",
    ),
    "docs/how-to/csharp.md": Needs(given=DEPOT),
    "docs/how-to/compare-models.md": Needs(given=DEPOT),
    "docs/how-to/tracing.md": Needs(given=DEPOT, package="opentelemetry.sdk"),
    "docs/how-to/edit.md": Needs(
        refused={
            "retouch generate edit prices.py --request 'replace": 1,
            "retouch generate edit prices.py --request 'delete": 1,
            "retouch apply --root . --target prices.py --response": 1,
        }
    ),
    "docs/how-to/extract.md": Needs(
        refused={
            "retouch extract tickets.jsonl --schema ticket.json --key id -o out --quiet": 3,
            "retouch extract tickets.jsonl --schema ticket.json --key id --sql": 1,
        },
        package="jsonschema_rs",
    ),
    "docs/how-to/models.md": Needs(given=DEPOT, package="pydantic_ai"),
    "docs/how-to/policy.md": Needs(
        given=("policy",),
        refused={"retouch generate policy vague.md": 1, "retouch policy diff": 1},
        package="cedarpy",
    ),
    "docs/how-to/rule.md": Needs(refused={"retouch rule apply rules/mission.yaml /data/mission_1": 1}),
    "docs/how-to/chisel.md": Needs(given=("chisel",), package="rapidfuzz"),
    "docs/how-to/secrets.md": Needs(refused={"MY_TOKEN=": 2, "retouch show run --json | grep": 1}),
    "docs/how-to/test-a-recipe.md": Needs(package="pydantic_ai"),
    "docs/explanation/checks.md": Needs(
        refused={
            f"{RENAME} {words}": 1
            for words in (
                'RATE to VAT" --check "true &&',
                'RATE to VAT" --check "no-such',
                "DISCOUNT",
                'RATE to VAT" --check "true" -o',
            )
        }
    ),
    "docs/reference/locate.md": Needs(package="rapidfuzz"),
    "docs/reference/sandbox.md": Needs(engine="monty"),
}


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
def test_the_output_on_a_page_is_compared_with_the_printed_output(shown: str, printed: str, fits: bool):
    assert fits == shows(shown, printed)


@pytest.mark.slow
@pytest.mark.parametrize("page", EXECUTED, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_the_blocks_of_a_page_run_and_print_what_it_shows(page: Path, tmp_path: Path):
    needs = NEEDS.get(page.relative_to(PROJECT).as_posix(), Needs())
    if needs.package:
        pytest.importorskip(needs.package)
    if needs.engine and reason_against(needs.engine):
        pytest.skip(f"the sandbox cannot run here: {reason_against(needs.engine)}")
    desk = Desk(tmp_path, needs.refused, needs.given)
    wrong = [difference for step in steps(page.read_text(encoding="utf-8")) if (difference := desk.executed(step))]
    assert not wrong, "\n\n".join(wrong)


def test_every_page_with_needs_is_executed_and_enough_pages_are():
    names = {page.relative_to(PROJECT).as_posix() for page in EXECUTED}
    assert set() == NEEDS.keys() - names
    assert len(names) >= 15
    found = [step.kind for page in EXECUTED for step in steps(page.read_text(encoding="utf-8"))]
    assert found.count("command") >= 100
    assert found.count("program") >= 10


def test_a_step_that_fails_or_prints_something_else_is_reported(tmp_path: Path):
    page = "```console\n$ echo one\none\n$ echo two\nthree\n$ false\n```\n\n```python\nassert False\n```\n"
    desk = Desk(tmp_path, {})
    assert [False, True, True, True] == [bool(desk.executed(step)) for step in steps(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(PROJECT).as_posix())
def test_every_link_has_a_target_and_every_block_a_language(page: Path):
    assert [] == dead_links(page)
    assert set() == languages(page.read_text(encoding="utf-8")) - READABLE


def test_a_link_without_a_target_is_reported(tmp_path: Path):
    (tmp_path / "other.md").write_text("# One & two\n")
    (tmp_path / "page.md").write_text(
        "# Here\n[a](other.md#one--two) [b](#here) [c](no.md) [d](other.md#three) `[e](x)`\n"
    )
    assert ["no.md", "other.md#three"] == dead_links(tmp_path / "page.md")


def test_no_page_names_an_address_of_this_project():
    pages = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    assert [] == [name for name, text in pages.items() if "github.com/retouch" in text or "retouch.dev" in text]


def test_every_page_is_in_the_contents():
    contents = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    listed = [name for name in pages if not name.startswith("decisions/0") and name != "README.md"]
    assert [] == [name for name in listed if f"({name})" not in contents]


def test_the_page_on_tests_names_every_fault():
    page = (DOCS / "reference" / "testing.md").read_text(encoding="utf-8")
    assert [] == [name for name in FAULTS if f"`{name}`" not in page]

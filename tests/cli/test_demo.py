"""`retouch demo`: an example of every recipe that needs no key, and commands to try with one."""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from retouch.cli.contributions import commands_of
from retouch.cli.root import command
from retouch.view.runs import RunStore
from tests.cli.test_help_examples import understood
from tests.view.browser import AXE, browser, new_page, too_wide, violations, why_no_browser
from tests.view.every_page import files, live_pages, make_every_kind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.cli.conftest import Retouch

RECIPES = ("chisel", "csharp", "edit", "extract", "policy", "rule")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the runs of `retouch demo` in `demo`, and what it printed in `demo.json`."""
    found = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("RETOUCH_")]:
            patch.delenv(name)
        made = CliRunner().invoke(command, ["demo", "--to", str(found / "demo"), "--json"])
    assert 0 == made.exit_code, made.output
    (found / "demo.json").write_text(made.stdout, encoding="utf-8")
    return found


def test_every_recipe_has_a_run_with_a_mistake_that_was_found(retouch: Retouch, place: Path):
    runs = {one["recipe"]: one for one in json.loads((place / "demo.json").read_text(encoding="utf-8"))["runs"]}
    assert set(RECIPES) <= set(runs)
    assert [""] * len(RECIPES) == [runs[name]["problem"] for name in RECIPES]
    shown = json.loads(retouch("show", str(place / "demo"), "--json").output)
    assert "exhausted" == shown["status"]  # some records of extract stay wrong, to be seen
    for name in RECIPES:
        attempts = json.loads(retouch("show", str(place / "demo" / name), "--attempts", "--json").output)["attempts"]
        assert any(attempt["issues"] for attempt in attempts), name
    assert "unverified" == runs["chisel"]["status"]  # nothing is proved


def test_another_directory_and_a_smaller_demo_are_made_only_if_nothing_is_lost(retouch: Retouch, work_folder: Path):
    assert 0 == retouch("demo", "rule", "edit", "--json").exit_code
    assert 2 == retouch("demo", "--to", ".", "--json").exit_code  # it has other content
    assert 0 == retouch("demo", "rule", "--json").exit_code
    assert not (work_folder / "retouch-demo" / "edit").exists()


def test_the_sections_of_edit_have_diffs_of_several_lines_and_those_of_policy_have_calls(place: Path):
    store = RunStore(place / "demo")
    edited = {one.title: one for one in store.sections("edit")[0] if not one.unit}
    assert [("shop.py", "the whole file", "3", "3"), ("report.py", "the whole file", "3", "4")] == [
        *edited["The request"].rows
    ]
    diff = edited["Changes of shop.py"].code[0].text.split("\n")
    assert "+def gross_price(net: float, quantity: int) -> float:" in diff
    clauses = next(one for one in store.sections("policy")[0] if one.title == "Clauses")
    enforced = [part.text for part in clauses.rows[0][2] if not isinstance(part, str) and part.label == "scenario"]
    assert ['deny: delete_file {"path": "/outside/example"}'] == enforced


@pytest.mark.slow
@pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser())
def test_no_page_of_any_kind_is_wider_than_its_window_and_axe_finds_nothing(place: Path):
    make_every_kind(place)
    found: dict[str, Sequence[object]] = {}
    with live_pages(place) as live, browser() as chrome:
        page = new_page(chrome, bypass_csp=True)
        for name, address in (pair for group in (*live.values(), files(place)) for pair in group.items()):
            page.goto(address)
            page.wait_for_function(
                "!document.querySelector('[hx-trigger=load]')"
            )  # the sections of the recipe are there
            wrong = [*too_wide(page), *(violations(page) if AXE.is_file() else ())]
            if wrong:
                found[name] = wrong
    assert {} == found


def test_a_demo_with_paid_answers_or_edits_in_it_is_not_replaced(retouch: Retouch, work_folder: Path):
    assert 0 == retouch("demo", "rule", "--json").exit_code
    assert 0 == retouch("show", "retouch-demo").exit_code
    for name in ("mine", "inputs/rule/paths.txt", "rule/ledger.db"):
        place = work_folder / "retouch-demo" / name
        before = place.read_bytes() if place.exists() else b""
        place.write_bytes(before + b" ")
        refused = retouch("demo", "rule", "--json")
        assert 2 == refused.exit_code, name
        assert f"'{name}' was added or changed" in refused.output
        assert before + b" " == place.read_bytes()
        place.write_bytes(before) if before else place.unlink()
    assert 0 == retouch("demo", "rule", "--json").exit_code


def test_an_example_that_cannot_be_made_is_named_and_makes_the_exit_status_1(
    retouch: Retouch, work_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)  # as if its extra were not installed
    made = retouch("demo", "chisel", "rule", "--no-open")
    assert 1 == made.exit_code
    assert "note: 1 of 2 examples could not be made: chisel" in made.output
    assert "pip install 'retouch[chisel]'" in made.output
    assert (work_folder / "retouch-demo" / "rule" / "rule.yaml").is_file()
    alone = retouch("demo", "chisel", "--json")
    assert (1, "chisel") == (alone.exit_code, json.loads(alone.output)["runs"][0]["recipe"])


def test_without_the_viewer_the_pages_are_written_as_files_and_opened(
    retouch: Retouch, work_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    opened: list[str] = []
    monkeypatch.setattr(click, "launch", opened.append)  # no browser
    monkeypatch.delitem(sys.modules, "retouch.view.server", raising=False)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)  # as if its extra were not installed
    made = retouch("demo", "rule")
    assert 0 == made.exit_code, made.output
    assert "pip install 'retouch[view]'" in made.output
    assert [(work_folder / "retouch-demo" / "report.html").as_uri()] == opened
    assert 'href="rule/report.html"' in (work_folder / "retouch-demo" / "report.html").read_text(encoding="utf-8")
    assert 0 == retouch("demo", "rule", "--json").exit_code  # the reports do not count as changes of the user


def test_a_recipe_without_an_example_is_named(retouch: Retouch):
    made = retouch("demo", "nothing", "--no-open")
    assert 2 == made.exit_code
    assert "there is no example of 'nothing'" in made.output


@pytest.mark.parametrize("name", RECIPES)
def test_the_command_to_try_with_a_key_is_understood(name: str, tmp_path: Path):
    words = shlex.split(commands_of(name).example(tmp_path).try_it)
    assert "retouch" == words.pop(0)
    understood(words)


def test_the_command_to_try_gives_the_listing_and_not_its_file_as_a_sample(tmp_path: Path):
    words = shlex.split(commands_of("rule").example(tmp_path).try_it)
    assert f"@{tmp_path / 'paths.txt'}" in words

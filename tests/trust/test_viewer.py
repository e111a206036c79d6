"""What pages and tools show of a run: its status and its files as they are then, and nothing unchecked as good."""

from __future__ import annotations

import asyncio
import os
import re
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import retouch
from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.mcp.places import AllowedRoots
from retouch.mcp.tools import AgentTools
from retouch.recipes.csharp.job import recipe as csharp
from retouch.report import report, report_files, tree
from retouch.report.export import comparison, tree_report
from retouch.report.run_pages import RunPages
from retouch.telemetry import traced
from retouch.view.runs import RunStore
from tests.engine.conftest import Scene, one_at_a_time
from tests.engine.glossary import RECIPE
from tests.recipes.csharp.meaning.shop import model, order
from tests.trust.test_csharp_joined import decide, made

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.directory import RunView
    from retouch.engine.overview import Overview

FILE = "glossary.txt"


def shown(store: RunStore) -> str:
    return store.run("")[0].seen.status


def tiers_not_run(store: RunStore) -> str:
    return "; ".join(tier.why for tier in store.run("")[0].seen.tiers if tier.not_run)


def test_decisions_that_were_settled_after_a_run_was_shown_are_noticed(tmp_path: Path) -> None:
    made(tmp_path, model({}))
    store = RunStore(tmp_path / "run")
    assert "decisions.json" not in tiers_not_run(store)
    decide(tmp_path, {"type": "Order", "member": "status", "kind": "type", "value": "uri"})
    assert "decisions.json" in tiers_not_run(store)


def test_an_edit_of_the_same_length_with_the_old_time_is_noticed(scene: Scene) -> None:
    scene.generate()
    store, path = RunStore(scene.folder, recipe=RECIPE), scene.folder / FILE
    assert "verified" == shown(store)
    before = path.stat()
    path.write_text(scene.text().replace("EEL", "OWL"), encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (before.st_size, before.st_mtime_ns) == (path.stat().st_size, path.stat().st_mtime_ns)
    assert "issues" == shown(store)


@pytest.mark.parametrize("name", [FILE, "prompts.json"])
def test_a_file_that_changes_while_a_run_is_read_is_noticed_by_the_next_page(
    scene: Scene, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.generate()
    store, read = RunStore(scene.folder, recipe=RECIPE), RunPages.__init__

    def then_changed(pages: RunPages, *given: Any, **named: Any) -> None:
        read(pages, *given, **named)
        with (scene.folder / name).open("a", encoding="utf-8") as file:
            file.write("\n")

    with monkeypatch.context() as patched:
        patched.setattr(RunPages, "__init__", then_changed)
        assert "verified" == shown(store)  # it was, when it was read
    assert "issues" == shown(store)


@pytest.mark.parametrize("name", [FILE, "prompts.json"])
def test_a_file_that_changes_while_a_line_of_a_tree_is_read_is_noticed_by_the_next_page(
    scene: Scene, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.generate()
    store, read = RunStore(scene.folder.parent), tree.overview

    def then_changed(view: RunView) -> Overview:
        found = read(view)
        with (scene.folder / name).open("a", encoding="utf-8") as file:
            file.write("\n")
        return found

    with monkeypatch.context() as patched:
        patched.setattr(tree, "overview", then_changed)
        assert "verified" == store.tree().status
    assert "issues" == store.tree().status


def test_a_reply_that_was_never_checked_is_no_answer_in_the_table(scene: Scene) -> None:
    def killed(*_: object) -> Any:
        raise KeyboardInterrupt

    scene.use(read=killed)
    with pytest.raises(KeyboardInterrupt):
        scene.generate(options=one_at_a_time())
    pages = RunPages(open_run(scene.folder), recipe=RECIPE)
    unchecked = [unit.unit for unit in pages.seen.units if unit.unchecked]
    states = {row.name: (row.state, row.is_problem, row.passed) for row in pages.rows}
    assert unchecked
    assert {("unanswered", True, False)} == {states[name] for name in unchecked}
    assert all(unit.as_json()["state"] == "unanswered" for unit in pages.seen.units if unit.unchecked)


def test_an_answer_that_not_every_check_has_passed_is_not_shown_as_good(scene: Scene) -> None:
    scene.generate()
    good = {row.name: row.passed for row in RunPages(open_run(scene.folder), recipe=RECIPE).rows}
    scene.edit("eel=EEL", "eel=Eel")
    page = asyncio.run(report(open_run(scene.folder), recipe=RECIPE))
    edited = {row.name: row.passed for row in RunPages(open_run(scene.folder), recipe=RECIPE).rows}
    assert ({True}, {False}) == ({*good.values()}, {*edited.values()})
    assert '<span class="state answered">' not in page
    assert '<span class="state answered unproved">' in page


def test_a_lost_ledger_leaves_the_cost_unknown_in_a_table_of_runs_and_for_agents(scene: Scene) -> None:
    scene.generate()
    (scene.folder / "ledger.db").unlink()
    agent = AgentTools(roots=AllowedRoots.of([scene.folder.parent]))
    (line,), (seen,) = RunStore(scene.folder.parent).tree().lines, agent.runs()["runs"]
    assert (None, None, None) == (line.usage.cost, seen["cost"], agent.show_run(scene.folder.name)["cost"])


def test_agents_are_told_of_the_error_of_a_file_that_is_missing(scene: Scene) -> None:
    scene.generate()
    (scene.folder / FILE).unlink()
    (seen,) = AgentTools(roots=AllowedRoots.of([scene.folder.parent])).runs()["runs"]
    assert ("issues", 1) == (seen["status"], seen["errors"])


def test_pages_that_are_files_say_of_which_time_their_status_is(scene: Scene) -> None:
    scene.generate()
    view = open_run(scene.folder)
    pages = [
        asyncio.run(report(view, recipe=RECIPE)),
        comparison(view, view),
        tree_report(tree.tree_of(scene.folder.parent), {}),
        *(text for name, text in asyncio.run(report_files(view, recipe=RECIPE)).items() if name.endswith(".html")),
    ]
    assert all(re.search(r"Written \d{4}-\d\d-\d\d \d\d:\d\d UTC: later changes are not", one) for one in pages)


def test_a_check_that_could_not_run_is_not_passed_in_progress_and_in_traces(tmp_path: Path) -> None:
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    with traced("orders", tracer_provider=provider) as watch:
        options = RunOptions(compiler="none", watch=watch)
        result = retouch.generate(csharp, order(tmp_path / "doc"), tmp_path / "run", model({}), options=options)
    (check,) = [dict(span.attributes or {}) for span in spans.get_finished_spans() if span.name == "check semantic"]
    assert "unverified" == result.status
    assert ("not run", "not run") == (check["retouch.result"], check["gen_ai.evaluation.score.label"])

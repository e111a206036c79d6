"""The viewer's server: who may see its pages, and what they show."""

from __future__ import annotations

import asyncio
import re
import signal
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from retouch.cli.view import view_runs
from retouch.engine.options import RunOptions
from retouch.engine.types import Reply, Request
from retouch.engine.verbs import generate
from retouch.errors import BadInput
from retouch.report.tree import OverallStatus, tree_of
from retouch.view.runs import RunStore
from retouch.view.server import serve, viewer
from tests.engine.glossary import RECIPE, SOURCE, answer
from tests.report.test_report import HOSTILE, Page, model, right
from tests.view.evaluations import planned_evaluation

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.engine.types import OnEvent

PORT = 8471
BASE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model(right), RunOptions()))
    return tmp_path / "run"


def opened(folder: Path, *, other: Path | None = None, visited: bool = True) -> TestClient:
    """Return a client of a viewer that has opened the printed address."""
    app, address = viewer(RunStore(folder, other=other, recipe=RECIPE), port=PORT)
    client = TestClient(app, base_url=BASE)
    if visited:
        client.get(address.removeprefix(BASE))
    return client


def test_the_address_opens_once_and_then_the_cookie_is_needed(run: Path):
    app, address = viewer(RunStore(run, recipe=RECIPE), port=PORT)
    first, second = (TestClient(app, base_url=BASE) for _ in range(2))
    assert 403 == first.get("/").status_code
    assert 200 == first.get(address.removeprefix(BASE)).status_code
    assert 200 == first.get("/").status_code
    assert 403 == second.get(address.removeprefix(BASE)).status_code
    assert 403 == second.get("/assets/style.css").status_code


@pytest.mark.parametrize("host", ["evil.example:8471", "127.0.0.1:80", "127.0.0.1.evil.example:8471", "", "[::1]:8471"])
def test_another_host_name_sees_nothing_even_with_the_token(run: Path, host: str):
    app, address = viewer(RunStore(run, recipe=RECIPE), port=PORT)
    client = TestClient(app, base_url=BASE)
    assert 403 == client.get(address.removeprefix(BASE), headers={"host": host}).status_code
    assert 200 == client.get(address.removeprefix(BASE)).status_code  # the token was not used up


def test_nothing_can_be_posted(run: Path):
    assert {405} == {opened(run).request(method, "/").status_code for method in ("POST", "PUT", "DELETE")}


def test_every_answer_has_a_policy_that_loads_nothing_from_elsewhere(run: Path):
    client = opened(run)
    for path in ("/", "/units", "/unit?unit=animals", "/assets/view.js", "/nothing", "/unit?unit=nobody"):
        policy = client.get(path).headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy


def test_only_known_runs_and_written_files_are_read(run: Path):
    client = opened(run)
    for path in (
        "/run?run=../..",
        "/file?file=../../etc/passwd",
        "/file?file=ledger.db",
        "/compare?a=/etc&b=.",
        "/assets/x",
    ):
        assert 404 == client.get(path).status_code, path
    assert "cat=CAT" in client.get("/file?file=glossary.txt").text


def test_a_written_file_that_leads_out_of_the_run_is_not_shown(run: Path, tmp_path: Path):
    (tmp_path / "key.txt").write_text("a private text", encoding="utf-8")
    (run / "glossary.txt").unlink()
    (run / "glossary.txt").symlink_to(tmp_path / "key.txt")
    client = opened(run)
    for path in ("/file?file=glossary.txt", "/unit?unit=animals"):
        page = client.get(path).text
        assert "outside of the run directory" in page
        assert "a private text" not in page


def test_the_overview_has_status_checks_cost_and_units(run: Path):
    page = Page(opened(run).get("/").text)
    for words in ("verified", "Every declared check ran", "cost so far", "cost to come", "3 calls in", "animals"):
        assert words in page.words


def test_a_search_looks_into_answers_and_the_table_is_sorted(run: Path):
    client = opened(run)
    found = Page(client.get("/units?q=CAT").text)
    assert "animals" in found.words
    assert "1 unit found" in found.words
    names = re.findall(r'data-name="(\w+)"', client.get("/units?sort=name").text)
    assert sorted(names) == names
    assert names[::-1] == re.findall(r'data-name="(\w+)"', client.get("/units?sort=name&down=1").text)


@pytest.mark.parametrize(
    "query", ["page=0", "page=-1", "page=99999999999", "page=x", "sort=evil", "state=%00", "q=%ff"]
)
def test_a_strange_query_is_answered(run: Path, query: str):
    assert 200 == opened(run).get(f"/?{query}").status_code


def test_the_summary_is_sent_again_only_if_the_run_has_changed(run: Path):
    client = opened(run)
    stamp = re.findall(r"stamp=([^\"&]+)", client.get("/").text)[0]
    assert 204 == client.get(f"/live?stamp={stamp}").status_code
    (run / "glossary.txt").write_text("mine", encoding="utf-8")
    asyncio.run(generate(RECIPE, SOURCE, run, model(right), RunOptions(force=True)))
    answered = client.get(f"/live?stamp={stamp}")
    assert 200 == answered.status_code
    assert "changed-run" == answered.headers["hx-trigger"]


def test_a_file_that_is_changed_after_it_was_shown_is_no_longer_verified(run: Path, tmp_path: Path):
    one, tree = opened(run), opened(tmp_path)
    summary, table = Page(one.get("/").text), Page(tree.get("/").text)
    assert "verified" in summary.words
    assert "1 run: 1 verified." in table.words
    stamp = re.findall(r"stamp=([^\"&]+)", one.get("/").text)[0]
    (run / "glossary.txt").unlink()
    assert "[FILE_MISSING]" in one.get(f"/live?stamp={stamp}").text
    assert "[FILE_MISSING]" in one.get("/").text
    assert "1 run: 1 issues." in Page(tree.get("/").text).words
    (run / "prompts.json").unlink()
    assert "no prompts.json" in one.get("/").text


def test_a_run_is_shown_while_its_calls_are_made(tmp_path: Path):
    seen: list[str] = []

    async def answers(request: Request, *, on_event: OnEvent | None = None) -> Reply:
        del on_event
        if request.prompt.key == ("animals", 2):
            await asyncio.sleep(0)
            seen.append(opened(tmp_path / "run").get("/").text)
        return Reply(text=answer(request.prompt), model="scribe", cost=0.01)

    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", answers, RunOptions()))
    assert "incomplete" in Page(seen[0]).words
    assert "A command is working on this run" in Page(seen[0]).words


def test_hostile_answers_add_no_element_to_the_pages(tmp_path: Path):
    def write(request: Request) -> str:
        return HOSTILE if request.prompt.unit == "animals" else right(request)

    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "run", model(write), RunOptions()))
    client = opened(tmp_path / "run")
    for path in (
        "/",
        "/unit?unit=animals",
        "/units?q=script",
        "/run?q=<script>x</script>",
        "/unit?unit=<script>x</script>",
    ):
        text = client.get(path).text
        assert "<script>document" not in text
        assert "<script>x" not in text
        assert not [link for link in Page(text).links if link.startswith("javascript:")]


def test_a_tree_shows_all_runs_and_compares_two(tmp_path: Path):
    for name in ("one", "two"):
        asyncio.run(generate(RECIPE, SOURCE, tmp_path / name, model(right), RunOptions()))
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ir.json").write_text("{", encoding="utf-8")
    client = opened(tmp_path)
    page = Page(client.get("/").text)
    assert {"one", "two", "broken", "unreadable"} <= set(page.words.split("\n"))
    assert 200 == client.get("/run?run=one").status_code
    assert "0 units of" in " ".join(Page(client.get("/compare?a=one&b=two").text).words.split())


def test_the_status_of_a_job_is_not_better_than_what_it_says_of_itself(run: Path, tmp_path: Path):
    def overall(folder: Path) -> OverallStatus | None:
        assert tmp_path == folder
        return OverallStatus(status="incomplete", reason="one shard has no run", notes=("retouch resume",))

    app, address = viewer(RunStore(tmp_path, overall=overall), port=PORT)
    page = Page(TestClient(app, base_url=BASE).get(address.removeprefix(BASE)).text).words
    assert run.is_dir()
    assert "incomplete" in page.split("Compare")[0]
    assert "one shard has no run" in page
    assert "retouch resume" in page


@pytest.mark.parametrize(
    ("result", "status"),
    [
        ('{"status": "complete"}', "verified"),
        ('{"status": "exhausted"}', "exhausted"),
        ('{"status": "incomplete"}', "incomplete"),
        ("[]", "incomplete"),
        ("{", "incomplete"),
        ("", "incomplete"),
    ],
)
def test_an_evaluation_is_verified_only_if_all_its_runs_were_made(run: Path, result: str, status: str):
    tree = run.parent / "tree"
    planned_evaluation(tree, "scribe", trials=1)
    (tree / "scribe" / "trial-1").mkdir(parents=True)
    run.rename(tree / "scribe" / "trial-1" / "glossary")
    (tree / "result.json").write_text(result, encoding="utf-8")
    found = tree_of(tree)
    assert ("evaluation", status) == (found.kind, found.status)
    planned_evaluation(tree, "scribe", trials=2)  # the result is that of the smaller plan
    assert "verified" != tree_of(tree).status
    assert "1 of 2 planned runs have not begun" in " ".join(tree_of(tree).notes)


@pytest.mark.parametrize("plan", ["{", "{}", "[]", ""])
def test_an_evaluation_without_a_readable_plan_is_incomplete(run: Path, plan: str):
    (run.parent / "evaluation.json").write_text(plan, encoding="utf-8")
    (run.parent / "result.json").write_text('{"status": "complete"}', encoding="utf-8")
    assert "incomplete" == tree_of(run.parent).status


def test_a_tree_is_no_better_than_a_job_or_an_evaluation_in_it(run: Path, tmp_path: Path):
    tree, inner = tmp_path / "tree", tmp_path / "tree" / "inner"
    planned_evaluation(inner, "scribe", trials=2)
    (inner / "result.json").write_text('{"status": "complete"}', encoding="utf-8")
    (inner / "scribe").mkdir()
    run.rename(inner / "scribe" / "run")
    found = tree_of(tree)
    assert ("runs", "incomplete", "verified") == (found.kind, found.status, found.lines[0].status)
    assert any(note.startswith("inner: ") for note in found.notes)

    def overall(folder: Path) -> OverallStatus | None:
        return OverallStatus(status="exhausted", reason="one shard is left") if folder == inner else None

    assert "exhausted" == tree_of(tree, overall=overall).status


def test_the_address_is_told_when_ctrl_c_ends_the_server(run: Path):
    told: list[object] = []

    def on_start(address: str) -> None:
        told.extend(
            [address.startswith("http://127.0.0.1:"), signal.getsignal(signal.SIGINT) is signal.default_int_handler]
        )
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            serve(RunStore(run, recipe=RECIPE), port=0, on_start=on_start)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [True, False] == told


def test_with_another_run_the_first_page_compares_them(run: Path, tmp_path: Path):
    asyncio.run(generate(RECIPE, SOURCE, tmp_path / "other", model(right), RunOptions()))
    assert "Compare" in Page(opened(run, other=tmp_path / "other").get("/").text).words


def test_the_commands_of_a_unit_name_it_and_are_quoted(run: Path):
    text: Any = Page(opened(run).get("/unit?unit=animals").text).words
    assert f"retouch regenerate {run} --type animals" in text
    assert f"retouch adopt {run}" in text


def test_an_error_is_said_once_with_its_next_step(run: Path):
    (run / "prompts.json").unlink()
    page = Page(opened(run).get("/").text)
    assert 1 == page.words.count("Run 'retouch generate'")
    assert "it has no prompts.json. Run 'retouch generate'" in page.words


def test_a_directory_without_runs_is_refused_with_a_next_step(tmp_path: Path):
    with pytest.raises(BadInput, match="has no runs"):
        view_runs(tmp_path)

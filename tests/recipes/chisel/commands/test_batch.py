"""`retouch chisel batch`, as a user types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

from retouch.engine.ledger import LOCK
from retouch.errors import BadInput
from retouch.recipes.chisel.bugs import read_bugs
from tests.recipes.chisel.scenes import COMPILER, RIGHT, UNKNOWN, carry

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

    from tests.recipes.chisel.chisel_desk import Desk

COUNTER_DIFF = """\
--- a/StepCounter.v
+++ b/StepCounter.v
@@ -9,1 +9,1 @@
-    count <= count + io_step;
+    count <= count - io_step;
"""


def batch(desk: Desk, *more: str, answers: list[Any] | None = None, compiler: str = COMPILER) -> Result:
    """Run the command over `bugs.jsonl`, with these answers of the model."""
    if answers is not None:
        (desk.folder / "told.calls").unlink(missing_ok=True)
        (desk.folder / "told.json").write_text(json.dumps(answers))
    paths = ["bugs.jsonl", "--source", "alu/src", "--workspace", "alu", "-o", "out"]
    return desk.retouch("chisel", "batch", *paths, "--compile", compiler, "--model", "told:told.json", *more)


def two_bugs(desk: Desk) -> None:
    """Write a list of two bugs: the example's, as a path, and one of the counter, as a text."""
    bugs = [{"id": "carry", "diff": "alu/wanted.diff"}, {"id": "count", "unified_diff": COUNTER_DIFF}]
    (desk.folder / "bugs.jsonl").write_text("".join(f"{json.dumps(bug)}\n" for bug in bugs))


def found_in(result: Result) -> dict[str, Any]:
    return {bug["bug"]: bug for bug in json.loads(result.stdout)["bugs"]}


def test_each_bug_has_a_run_and_a_row_and_the_workspace_stays_as_it_is(desk: Desk) -> None:
    two_bugs(desk)
    before = desk.tree()
    give_up = ["--retries", "0", "--candidates", "1"]
    result = batch(desk, *give_up, "--json", answers=[carry(RIGHT), carry(UNKNOWN)])
    bugs = found_in(result)
    assert 3 == result.exit_code, result.output
    assert ("unverified", ["fix.patch"], "compiled") == (
        bugs["carry"]["status"],
        bugs["carry"]["files"],
        bugs["carry"]["proof"],
    )
    assert "exhausted" == bugs["count"]["status"]
    assert ["Counter.scala::StepCounter"] == bugs["count"]["candidates"][:1]
    assert ("exhausted", 2) == tuple(json.loads(result.stdout)[key] for key in ("status", "calls"))
    assert json.loads(result.stdout) == json.loads((desk.folder / "out/outcomes.json").read_text())
    assert f"+  {RIGHT}\n" in (desk.folder / "out/carry/fix.patch").read_text()
    assert before == desk.tree()
    assert 2 == len(desk.trials()["cases"])


def test_a_batch_that_is_stopped_goes_on_without_paying_again(desk: Desk) -> None:
    two_bugs(desk)
    first = batch(desk, "--retries", "0", answers=[carry(RIGHT)])  # there is no second answer
    assert 0 != first.exit_code
    assert (desk.folder / "out/carry/fix.patch").exists()
    again = batch(desk, "--retries", "0", "--json", answers=["NOT HERE: elsewhere"])
    bugs = found_in(again)
    assert ("unverified", "exhausted", 1) == (bugs["carry"]["status"], bugs["count"]["status"], desk.calls())
    assert (1, 2) == (bugs["carry"]["calls"], json.loads(again.stdout)["calls"])  # the earlier command's call counts


def test_a_project_that_does_not_compile_is_compiled_once_and_no_model_is_paid(desk: Desk) -> None:
    two_bugs(desk)
    compiler = "sh -c 'echo x >> ../compiled; echo src/Alu.scala:1: error: broken; exit 1'"
    result = batch(desk, "--json", "--check-unconfined", answers=[], compiler=compiler)
    bugs = found_in(result)
    assert (1, 0) == (result.exit_code, desk.calls())
    assert ["failed", "failed"] == [bug["status"] for bug in bugs.values()]
    assert all("the compile command cannot judge" in bug["error"]["message"] for bug in bugs.values())


def test_bugs_after_the_limit_of_cost_are_not_started(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none, and nothing is sent")
    two_bugs(desk)
    result = batch(desk, "--json", "--model", "anthropic:claude-sonnet-4-5", "--max-cost", "0.00001")
    bugs = found_in(result)
    assert (3, "not started") == (result.exit_code, bugs["count"]["status"])
    assert "the limit of cost is reached" == bugs["count"]["error"]["message"]
    assert "verified" != json.loads(result.stdout)["status"]


def test_two_batches_in_one_directory_share_a_limit_because_only_one_works(desk: Desk) -> None:
    two_bugs(desk)
    (desk.folder / "out").mkdir()
    with FileLock(desk.folder / "out" / LOCK):
        result = batch(desk, answers=[carry(RIGHT)])
    assert (2, 0) == (result.exit_code, desk.calls())
    assert "another batch works in" in result.output
    assert not (desk.folder / "out" / "carry").exists()


def test_a_dry_run_lists_the_first_candidates_and_writes_nothing(desk: Desk) -> None:
    two_bugs(desk)
    result = batch(desk, "--dry-run", "--json", "--model", "offline")
    bugs = found_in(result)
    assert (0, [1, 1]) == (result.exit_code, [bug["calls"] for bug in bugs.values()])
    assert "Alu.scala::Alu" == bugs["carry"]["candidates"][0]
    assert not (desk.folder / "out").exists()


def test_a_bug_that_no_module_is_similar_to_is_called_by_its_own_name(desk: Desk) -> None:
    bug = {"id": "odd", "unified_diff": "--- a/X.v\n+++ b/X.v\n@@ -1 +1 @@\n-  qq\n+  zz\n"}
    (desk.folder / "bugs.jsonl").write_text(json.dumps(bug))
    odd = found_in(batch(desk, "--dry-run", "--json", "--model", "offline"))["odd"]
    assert "is similar to the diff 'odd'" in str(odd)


def test_the_table_names_every_bug_with_its_outcome(desk: Desk) -> None:
    two_bugs(desk)
    result = batch(desk, "--retries", "0", answers=[carry(RIGHT), "NOT HERE: elsewhere"])
    lines = result.stdout.splitlines()
    assert lines[0].startswith("exhausted  2 bugs: 1 unverified, 1 exhausted; 2 calls")
    rows = {line.split()[0]: line for line in lines[2:4]}
    assert {"carry", "count"} == set(rows)
    assert "compiled, not proved" in rows["carry"]
    assert "NOT_HERE" in rows["count"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("bugs.json", '[{"unified_diff": "@@ -1 +1 @@\\n-a\\n+b\\n", "file": "Alu.sv"}]'),
        ("bugs.yaml", "bugs:\n  - file: Alu.sv\n    unified_diff: |\n      @@ -1 +1 @@\n      -a\n      +b\n"),
        ("bugs.jsonl", '\n{"unified_diff": "@@ -1 +1 @@\\n-a\\n+b\\n", "verilog_file": "Alu.sv"}\n\n'),
    ],
)
def test_a_list_may_be_json_yaml_or_json_lines(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    (bug,) = read_bugs(tmp_path / name)
    assert ("Alu-1", "--- a/Alu.sv\n+++ b/Alu.sv\n@@ -1 +1 @@\n-a\n+b\n") == (bug.name, bug.text)


def test_a_directory_of_diffs_is_a_list(tmp_path: Path) -> None:
    for name in ("b.patch", "a.diff", "notes.txt"):
        (tmp_path / name).write_text(COUNTER_DIFF)
    assert ["a", "b"] == [bug.name for bug in read_bugs(tmp_path)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no bugs"),
        ('{"id": "a"}', "has no diff"),
        ('{"diff": "missing.diff"}', "'missing.diff' of bug 1"),
        ('{"difff": "x"}', "unknown key 'difff'"),
        ("[1]", "is list, not an object"),
        ("{", "cannot be read: line 1"),
        ('{"diff": "a\\nb", "unified_diff": "c"}', "both 'diff' and 'unified_diff'"),
        ('{"id": "x", "unified_diff": "a"}\n{"id": "X", "unified_diff": "b"}', "bugs 1 and 2 are both called 'X'"),
        ('{"unified_diff": 1.5}', "is float, not a text"),
    ],
)
def test_a_list_that_cannot_be_used_is_refused_with_its_entry(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bugs.jsonl").write_text(text)
    with pytest.raises(BadInput) as error:
        read_bugs(tmp_path / "bugs.jsonl")
    assert message in error.value.message


def test_a_name_cannot_leave_the_directory_of_the_runs(tmp_path: Path) -> None:
    (tmp_path / "bugs.json").write_text(json.dumps([{"id": "../../etc/passwd", "unified_diff": COUNTER_DIFF}]))
    assert ["etc-passwd"] == [bug.name for bug in read_bugs(tmp_path / "bugs.json")]

"""The tools of `retouch mcp` as functions: what they do, and everything that an attacker would try."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.errors import BadInput
from retouch.fleet import run as run_fleet
from retouch.mcp import AgentTools
from retouch.mcp.places import AllowedRoots, refuse_records

PETS = Path(__file__).parents[1] / "cli" / "fixtures" / "pets.yaml"
RATE = "RATE = 0.19\n"


def change(path: str, find: str, replace: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{find}\n=======\n{replace}\n>>>>>>> REPLACE\n```\n"


def whole(path: str, text: str) -> str:
    return f"`{path}`\n```\n{text}\n```\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    top = tmp_path / "project"
    top.mkdir()
    (top / "prices.py").write_text(RATE)
    (tmp_path / "outside.py").write_text(RATE)
    return top


@pytest.fixture
def tools(root: Path) -> AgentTools:
    return AgentTools(roots=AllowedRoots.of([root]))


def tree(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in sorted(top.rglob("*")) if path.is_file()}


def test_edits_are_checked_applied_and_undone(tools: AgentTools, root: Path) -> None:
    reply = change("prices.py", "RATE = 0.19", "RATE = 0.20")
    before = tree(root)
    checked = tools.check_edits(reply)
    assert ("applied", False, before) == (checked["outcome"], checked["applied"], tree(root))
    applied = tools.apply_edits(reply)
    assert "RATE = 0.20\n" == (root / "prices.py").read_text()
    assert hashlib.sha256(b"RATE = 0.20\n").hexdigest() == applied["sha256"]["prices.py"]
    assert checked["diff"] == applied["diff"]
    assert {"undone": ["prices.py"]} == tools.undo(change=applied["change"])
    assert before == tree(root)
    with pytest.raises(BadInput, match="no change"):
        tools.undo(change=applied["change"])


def test_a_file_that_was_changed_since_is_not_undone(tools: AgentTools, root: Path) -> None:
    number = tools.apply_edits(change("prices.py", "RATE = 0.19", "RATE = 0.20"))["change"]
    (root / "prices.py").write_text("RATE = 0.25\n")
    with pytest.raises(BadInput, match="has changed"):
        tools.undo(change=number)
    assert "RATE = 0.25\n" == (root / "prices.py").read_text()


def test_a_created_file_is_deleted_by_undo(tools: AgentTools, root: Path) -> None:
    number = tools.apply_edits(whole("sub/new.txt", "hello"))["change"]
    assert (root / "sub" / "new.txt").exists()
    assert {"undone": ["sub/new.txt"]} == tools.undo(change=number)
    assert not (root / "sub" / "new.txt").exists()


def test_with_a_wrong_hash_only_exact_matches_count(tools: AgentTools, root: Path) -> None:
    (root / "prices.py").write_text("def f():\n        return 1\n")
    inexact = change("prices.py", "    return 1", "    return 2")
    right = hashlib.sha256((root / "prices.py").read_bytes()).hexdigest()
    assert "applied" == tools.check_edits(inexact, shown_sha256={"prices.py": right})["outcome"]
    for shown in ({"prices.py": "0" * 64}, {"prices.py": ""}, {}, {"other.py": right}):
        assert "refused" == tools.check_edits(inexact, shown_sha256=shown)["outcome"], shown
        assert False is tools.apply_edits(inexact, shown_sha256=shown)["applied"]


OUTSIDE = [
    "../outside.py",
    "sub/../../outside.py",
    "link.py",
    "linked/outside.py",
    "/etc/hostname",
    "C:\\outside.py",
    "..\\outside.py",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_of_the_root_is_read_or_changed(path: str, tools: AgentTools, root: Path) -> None:
    (root / "link.py").symlink_to(root.parent / "outside.py")
    (root / "linked").symlink_to(root.parent)
    before = tree(root.parent)
    for reply in (change(path, "RATE = 0.19", "RATE = 9"), whole(path, "RATE = 9")):
        for call in (tools.check_edits, tools.apply_edits):
            try:
                found = call(reply, whole_files=True)
            except BadInput:
                continue
            places = [(root / name).resolve() for name in found["files"]]
            assert found["outcome"] == "refused" or all(one.is_relative_to(root) for one in places), found
            assert "0.19" not in found["diff"]
    assert before == {name: text for name, text in tree(root.parent).items() if "\\" not in name}


@pytest.mark.parametrize(
    "path", [".git/config", ".GIT/hooks/pre-commit", "sub/.git/x", ".git/../.git/x", "git~1/x", ".git /x", ".hg/hgrc"]
)
def test_version_control_is_refused(path: str, tools: AgentTools, root: Path) -> None:
    (root / ".git").mkdir()
    before = tree(root)
    with suppress(BadInput):
        assert "refused" == tools.apply_edits(whole(path, "x"), whole_files=True)["outcome"]
    assert before == tree(root)
    with pytest.raises(BadInput):
        tools.show_run(path.partition("/")[0])


@pytest.mark.parametrize("place", [".git", ".git/hooks"])
def test_a_root_inside_of_version_control_is_refused(place: str, root: Path) -> None:
    (root / place).mkdir(parents=True)
    with pytest.raises(BadInput, match="cannot be a root"):
        AllowedRoots.of([root / place])


def test_a_root_that_became_a_link_is_refused(tools: AgentTools, root: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "prices.py").write_text(RATE)
    root.rename(root.parent / "moved")
    root.symlink_to(elsewhere)
    with pytest.raises(BadInput, match="moved or replaced"):
        tools.apply_edits(change("prices.py", "RATE = 0.19", "RATE = 9"))
    assert RATE == (elsewhere / "prices.py").read_text()


def test_only_roots_of_the_command_line_are_allowed(root: Path) -> None:
    other = root.parent / "other"
    other.mkdir()
    tools = AgentTools(roots=AllowedRoots.of([root, other]))
    with pytest.raises(BadInput, match="name one"):
        tools.runs()
    for wrong in (str(root.parent), f"{root}/..", "/", "project", f"{root}\0"):
        with pytest.raises((BadInput, ValueError)):
            tools.runs(root=wrong)
    assert [] == tools.runs(root=str(other))["runs"]


def test_files_that_run_by_themselves_need_the_permission_of_the_command_line(root: Path) -> None:
    reply = whole(".github/workflows/ci.yml", "on: push")
    tools = AgentTools(roots=AllowedRoots.of([root]))
    (warned,) = tools.check_edits(reply)["would_be_refused"]
    assert warned.startswith("'.github/workflows/ci.yml' would be refused")
    with pytest.raises(BadInput, match="is not written"):
        tools.apply_edits(reply)
    allowed = AgentTools(roots=AllowedRoots.of([root]), allow_executable=(".github/**",))
    assert True is allowed.apply_edits(reply)["applied"]


def test_huge_inputs_are_refused_before_they_are_read(tools: AgentTools, root: Path) -> None:
    with (root / "large.txt").open("wb") as file:
        file.truncate(2**35)  # sparse: it takes no space
    with pytest.raises(BadInput, match="bytes are allowed"):
        tools.check_edits(change("large.txt", "a", "b"))
    with pytest.raises(BadInput, match="bytes are allowed"):
        tools.check_edits(change("", "a", "b").lstrip(), target="large.txt")
    with pytest.raises(BadInput, match="are allowed"):
        tools.apply_edits("x" * 5_000_000)
    with pytest.raises(BadInput, match="are allowed"):
        tools.locate("x" * 5_000_000)
    os.mkfifo(root / "pipe")
    with pytest.raises(BadInput, match="not a regular file"):
        tools.check_edits(change("pipe", "a", "b"))


@pytest.fixture
def run(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(root)
    words = ["generate", "csharp", str(PETS), "GET /pets", "--compiler", "none", "-o", "out/pets"]
    done = CliRunner().invoke(command, words)
    assert 0 == done.exit_code, done.output
    return "out/pets"


@pytest.mark.slow
def test_runs_are_listed_shown_explained_and_validated(tools: AgentTools, run: str) -> None:
    (listed,) = tools.runs()["runs"]
    assert (run, "csharp", "unverified") == (listed["run"], listed["recipe"], listed["status"])
    shown = tools.show_run(run)
    assert ("unverified", 4) == (shown["status"], shown["calls"])
    unit = shown["units"][0]["unit"]
    explained = tools.explain_unit(run, unit)
    assert ["answer"] == list({one["why"] for one in explained["attempts"]})
    assert "pages" not in explained
    assert "class" in tools.explain_unit(run, unit, with_texts=True)["pages"][0]["answer"]
    with pytest.raises(BadInput, match="no unit"):
        tools.explain_unit(run, "Nothing")
    before = tree(tools.roots.paths[0])
    assert tools.validate_run(run)["status"] in ("verified", "unverified")
    assert before == tree(tools.roots.paths[0])


def test_an_edit_of_a_generated_file_is_seen_by_validate(tools: AgentTools, root: Path, run: str) -> None:
    (file,) = (root / run).glob("*.cs")
    file.write_text("nothing")
    assert "issues" == tools.validate_run(run)["status"]


@pytest.mark.parametrize("name", ["ledger.db", "ledger.db-wal", "ir.json", "prompts.json", "pages.json", "LEDGER.DB"])
def test_the_record_of_a_run_cannot_be_written(name: str, tools: AgentTools, root: Path, run: str) -> None:
    before = tree(root)
    if name != "ledger.db":  # edits refuse to read what is no text
        with pytest.raises(BadInput, match="record"):
            tools.apply_edits(whole(f"{run}/{name}", "{}"), whole_files=True)
    with suppress(BadInput):
        assert False is tools.apply_edits(whole(f"{run}/{name}", "forged"), whole_files=True)["applied"]
    assert before == tree(root)


def test_a_run_cannot_be_made_by_edits(tools: AgentTools, root: Path) -> None:
    for name in ("forged/ir.json", "forged/ledger.db"):
        with pytest.raises(BadInput, match="record"):
            tools.apply_edits(whole(name, "{}"))
    assert not (root / "forged").exists()


@pytest.fixture
def fleet(root: Path) -> Path:
    """A fleet with a cost limit, of which one record has issues."""
    schema: Any = {
        "type": "object",
        "properties": {"subject": {"type": "string", "minLength": 5}},
        "required": ["subject"],
    }
    records = [{"id": "T-1", "subject": "Printer"}, {"id": "T-2", "subject": "abc"}]
    assert (
        "issues"
        == run_fleet("extract", records, root / "fleet", shared={"schema": schema}, max_cost_usd=5.0).status.status
    )
    return root / "fleet"


def test_no_file_of_a_fleet_can_be_written_but_those_that_its_runs_generated(
    tools: AgentTools, root: Path, fleet: Path
) -> None:
    files = sorted(tree(root))
    assert {"commits", "out", "claims", "limits", "status", "inputs"} <= {one.name for one in fleet.iterdir()}
    new = [f"fleet/{name}/new.json" for name in ("limits", "aside", "leased", "bases", "trials", "runs", "log")]
    generated = [name for name in files if Path(name).name in ("values.jsonl", "report.html")]
    for name in sorted({*files, *new} - {"prices.py", *generated}):
        with pytest.raises(BadInput, match="record"):
            refuse_records(root, [name])
    refuse_records(root, [*generated, "fleet/notes.md", "prices.py"])
    (commit,) = (fleet / "commits").iterdir()
    forged = commit.read_text().replace('"status": "issues"', '"status": "verified"')
    with pytest.raises(BadInput, match="record"):
        tools.apply_edits(whole(f"fleet/commits/{commit.name}", forged), whole_files=True)


def test_a_fleet_cannot_be_made_by_edits(tools: AgentTools, root: Path) -> None:
    with pytest.raises(BadInput, match="record"):
        refuse_records(root, ["forged/fleet.json", "forged/commits/00000.json"])
    assert tools.apply_edits(whole("forged/commits/00000.json", "{}"))["applied"]
    with pytest.raises(BadInput, match="record"):
        tools.apply_edits(whole("forged/fleet.json", "{}"))


@pytest.mark.parametrize("name", ["evaluation.json", "result.json", "result.svg"])
def test_the_record_of_an_evaluation_cannot_be_written(name: str, root: Path) -> None:
    (root / "compared").mkdir()
    (root / "compared" / "evaluation.json").write_text('{"version": 1, "recipe": "csharp"}')
    with pytest.raises(BadInput, match="record"):
        refuse_records(root, [f"compared/{name}"])
    with pytest.raises(BadInput, match="record"):
        refuse_records(root / "compared", [name])


@pytest.mark.parametrize("name", ["job.json", "input.jsonl", ".input.jsonl.new", "keys/00000"])
def test_the_record_of_a_job_cannot_be_written(name: str, root: Path) -> None:
    (root / "job.json").write_text('{"version": 1, "recipe": "extract"}')
    with pytest.raises(BadInput, match="record"):
        refuse_records(root, [name])


@pytest.mark.parametrize("name", [".scrub.json", ".lock", ".holder.json", "../trials.jsonl"])
def test_what_can_replace_the_record_of_a_run_cannot_be_written(name: str, root: Path, run: str) -> None:
    with pytest.raises(BadInput, match="record"):
        refuse_records((root / run / name).parent, [Path(name).name])


def test_files_of_other_programs_can_be_written(tools: AgentTools, root: Path) -> None:
    for name in ("fleet.json", "job.json", "evaluation.json"):
        (root / name).write_text('{"trucks": 3}')
    for name in ("out/a.txt", "runs/b.txt", "keys/c.txt", "result.json", "status/d.txt", "trials.jsonl"):
        assert tools.apply_edits(whole(name, "{}"))["applied"], name


def test_a_run_is_not_read_through_links(tools: AgentTools, root: Path, run: str) -> None:
    shutil.move(root / run, root.parent / "secret")
    (root / run).symlink_to(root.parent / "secret")
    with pytest.raises(BadInput, match="symbolic link"):
        tools.show_run(run)
    assert [] == tools.runs()["runs"]
    (root / run).unlink()
    (root / run).mkdir()
    for file in (root.parent / "secret").iterdir():
        (root / run / file.name).symlink_to(file)
    with pytest.raises(BadInput, match="symbolic link"):
        tools.show_run(run)


def edit_run(*words: str) -> str:
    given = ["prices.py", "--request", "rename RATE to VAT", "-o", "renamed", "--quiet", *words]
    done = CliRunner().invoke(command, ["generate", "edit", *given])
    assert 0 == done.exit_code, done.output
    return "renamed"


def test_commands_of_a_run_are_not_run_without_permission(
    root: Path, tools: AgentTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    run = edit_run("--check", "grep -q VAT prices.py")
    with pytest.raises(BadInput, match="would run code"):
        tools.validate_run(run)


def test_a_run_of_an_unknown_recipe_is_not_checked(
    tools: AgentTools, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retouch.mcp.tools._CODE_OF", {})
    with pytest.raises(BadInput, match="the recipe 'csharp'"):
        tools.validate_run(run)


def test_what_a_run_has_written_is_undone_only_inside_of_the_roots(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from retouch.cli.mcp import undo_run

    monkeypatch.chdir(root)
    run = edit_run()
    assert "VAT = 0.19\n" == (root / "prices.py").read_text()
    (root / "inner").mkdir()
    shutil.copytree(root / run, root / "inner" / "renamed")
    narrow = AgentTools(roots=AllowedRoots.of([root / "inner"]), undo_run=undo_run)
    with pytest.raises(BadInput, match="outside of the allowed roots"):
        narrow.undo(run="renamed")
    wide: Any = AgentTools(roots=AllowedRoots.of([root]), undo_run=undo_run)
    assert {"undone": ["prices.py"]} == wide.undo(run=run)
    assert RATE == (root / "prices.py").read_text()


DIFF = """--- a/Adder.sv
+++ b/Adder.sv
@@ -1,4 +1,4 @@
 module Adder(input [7:0] a, b, output [7:0] sum);
-  assign sum = a + b;
+  assign sum = a - b;
 endmodule
"""
ADDER = "package calc\nimport chisel3._\nclass Adder extends Module {\n  val sum = IO(Output(UInt(8.W)))\n}\n"


def test_locate_searches_only_regular_files_of_the_root(
    tools: AgentTools, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tree_sitter_scala")
    monkeypatch.setenv("XDG_CACHE_HOME", str(root.parent / "cache"))
    (root / "src").mkdir()
    (root.parent / "Secret.scala").write_text(ADDER)
    (root / "src" / "Linked.scala").symlink_to(root.parent / "Secret.scala")
    assert {"candidates": [], "files": 0} == tools.locate(DIFF, source="src")
    (root / "src" / "Adder.scala").write_text(ADDER)
    found = tools.locate(DIFF, source="src")
    assert ["Adder.scala"] == [one["file"] for one in found["candidates"]]
    for wrong in ("../", "/", "docker:x:/", "nowhere"):
        with pytest.raises(BadInput):
            tools.locate(DIFF, source=wrong)

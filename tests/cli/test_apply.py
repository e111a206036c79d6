"""`retouch apply`: replies of any tool, applied to a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from retouch.cli.apply import command

if TYPE_CHECKING:
    from pathlib import Path

REPLY = "### CHANGE 1: one up\nFILE: a.py\nFIND:\n```\nx = 1\n```\n\nREPLACE WITH:\n```\nx = 2\n```\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    folder.mkdir()
    (folder / "a.py").write_bytes(b"head\nx = 1\ntail \xff\n")
    return folder


def run(root: Path, *words: str, reply: str | bytes = REPLY) -> Result:
    return CliRunner().invoke(command, ["--root", str(root), *words], input=reply)


def test_a_reply_from_standard_input_is_applied(root: Path):
    result = run(root)
    assert 0 == result.exit_code
    assert b"head\nx = 2\ntail \xff\n" == (root / "a.py").read_bytes()
    assert "applied: 1 edit in 1 file" in result.stderr
    assert "" == result.stdout


def test_a_reply_from_a_file_is_applied(root: Path, tmp_path: Path):
    (tmp_path / "reply.md").write_text(REPLY)
    assert 0 == run(root, "--response", str(tmp_path / "reply.md"), reply="").exit_code
    assert b"x = 2" in (root / "a.py").read_bytes()


def test_a_dry_run_changes_nothing_and_a_piped_diff_is_plain(root: Path):
    result = run(root, "--dry-run", "--diff")
    assert 0 == result.exit_code
    assert b"x = 1" in (root / "a.py").read_bytes()
    assert b"--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n head\n-x = 1\n+x = 2\n tail \xff\n" == result.stdout_bytes
    assert "would apply" in result.stderr


def test_a_refused_reply_has_status_one_and_says_why(root: Path):
    result = run(root, reply=REPLY.replace("x = 1", "x = 7"))
    assert 1 == result.exit_code
    assert "[not_found] Edit 1 (one up) in 'a.py'" in result.stderr
    assert "next: " in result.stderr
    assert b"x = 1" in (root / "a.py").read_bytes()


def test_json_has_its_keys_always(root: Path):
    keys = ["outcome", "error", "files", "edits", "issues", "unread", "dry_run"]
    good = json.loads(run(root, "--json", "--dry-run").stdout)
    assert keys == list(good)
    assert {"a.py": "head\nx = 2\ntail \udcff\n"} == good["files"]
    assert ("exact", [2, 2]) == (good["edits"][0]["tier"], good["edits"][0]["match_lines"])
    assert good["dry_run"]
    bad = run(root, "--json", reply="prose")
    assert 1 == bad.exit_code
    assert keys == list(json.loads(bad.stdout))
    assert ("refused", "no_blocks") == (json.loads(bad.stdout)["outcome"], json.loads(bad.stdout)["error"])


def test_a_stop_reason_that_says_cut_refuses(root: Path):
    result = run(root, "--stop-reason", "max_tokens", "--json")
    assert 1 == result.exit_code
    assert "truncated" == json.loads(result.stdout)["error"]


def test_the_target_is_the_file_of_blocks_without_a_path(root: Path):
    nameless = REPLY.replace("FILE: a.py\n", "")
    assert "no_target" in run(root, reply=nameless).stderr
    assert 0 == run(root, "--target", "./a.py", reply=nameless).exit_code
    assert b"x = 2" in (root / "a.py").read_bytes()


def test_an_absolute_target_inside_the_root_is_understood(root: Path):
    assert 0 == run(root, "--target", str(root / "a.py"), reply=REPLY.replace("FILE: a.py\n", "")).exit_code


@pytest.mark.parametrize("target", ["../b.py", "/etc/motd", "."])
def test_a_target_outside_the_root_is_misuse(root: Path, target: str):
    assert 2 == run(root, "--target", target).exit_code


def test_a_missing_root_a_missing_reply_and_two_outputs_are_misuse(root: Path):
    assert 2 == run(root / "nowhere").exit_code
    assert 2 == run(root, "--response", str(root / "none.md")).exit_code
    assert 2 == run(root, "--json", "--diff").exit_code
    assert 2 == CliRunner().invoke(command, [], input=REPLY).exit_code


def test_a_symbolic_link_is_refused_as_a_path(root: Path, tmp_path: Path):
    (tmp_path / "away.py").write_text("x = 1\n")
    (root / "link.py").symlink_to(tmp_path / "away.py")
    result = run(root, "--json", reply=REPLY.replace("a.py", "link.py"))
    assert 1 == result.exit_code
    assert "path" == json.loads(result.stdout)["error"]
    assert "x = 1\n" == (tmp_path / "away.py").read_text()


def test_a_loose_match_is_said(root: Path):
    (root / "a.py").write_text("def f():\n    first(step)\n    second(step)\n")
    reply = REPLY.replace("x = 1\n", "first(step)\nsecond(step)\n").replace("x = 2\n", "first(step)\n")
    assert "edit 1 matched by indent at a.py:2-3" in run(root, reply=reply).stderr


def test_escape_sequences_of_a_reply_do_not_reach_the_terminal(root: Path):
    result = run(root, reply=REPLY.replace("x = 1", "x = \x1b[2Jgone"))
    assert "\x1b[2J" not in result.stderr
    assert 1 == result.exit_code


DIFF = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -2 +2 @@\n-x = 1\n+x = 2\n```\n"


def test_json_names_the_format_of_each_edit_and_the_parts_that_were_not_understood(root: Path):
    good = json.loads(run(root, "--json", "--dry-run", reply=DIFF).stdout)
    assert ["unified_diff"] == [edit["format"] for edit in good["edits"]]
    assert [] == good["unread"]
    result = run(root, "--json", reply=DIFF + "\n>>>>>>> REPLACE\n")
    bad = json.loads(result.stdout)
    assert (1, "refused", {}) == (result.exit_code, bad["outcome"], bad["files"])
    assert [(9, ">>>>>>> REPLACE")] == [(one["line"], one["text"]) for one in bad["unread"]]
    assert b"x = 1" in (root / "a.py").read_bytes()


def test_a_tool_call_may_name_a_file_by_its_absolute_path(root: Path):
    call = {"command": "str_replace", "path": str(root / "a.py"), "old_str": "x = 1", "new_str": "x = 2"}
    assert 0 == run(root, reply=json.dumps(call)).exit_code
    assert b"head\nx = 2\n" in (root / "a.py").read_bytes()
    outside = {**call, "path": str(root.parent / "a.py"), "old_str": "x = 2"}
    assert "[path]" in run(root, reply=json.dumps(outside)).stderr


def test_a_whole_file_replaces_an_existing_one_only_if_that_is_allowed(root: Path):
    reply = "a.py\n```python\nx = 3\n```\n"
    result = run(root, reply=reply)
    assert 1 == result.exit_code
    assert "--whole-files" in result.stderr
    assert b"x = 1" in (root / "a.py").read_bytes()
    assert 0 == run(root, "--whole-files", reply=reply).exit_code
    assert b"x = 3\n" == (root / "a.py").read_bytes()


def test_a_file_that_would_not_parse_any_more_is_not_written(root: Path):
    (root / "b.py").write_text("x = 1\n")
    reply = REPLY.replace("a.py", "b.py").replace("x = 2", "x = (2")
    result = run(root, reply=reply)
    assert 1 == result.exit_code
    assert "'b.py' would not parse: line 1" in result.stderr
    assert "x = 1\n" == (root / "b.py").read_text()
    assert 0 == run(root, "--no-syntax-check", reply=reply).exit_code
    assert "x = (2\n" == (root / "b.py").read_text()

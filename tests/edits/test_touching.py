"""What a reply may touch: not version control, not what runs by itself, no text that hides what it is."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.edits import DirectoryError, EditResult, apply_reply, apply_to_folder, executable_surfaces, read_files
from retouch.edits.bidi import new_bidi_control
from retouch.edits.executable import matches_pattern
from retouch.edits.inside import JOURNAL, forbidden_part, safe_place
from tests.edits.blocks import change

if TYPE_CHECKING:
    from pathlib import Path

GIT = [
    ".git/config",
    ".GIT/config",
    ".Git/hooks/pre-commit",
    ".git",
    "sub/.git",
    "sub/deep/.gIt/hooks/x",
    "sub\\.git\\config",
    "GIT~1/config",
    "sub/git~12/hooks/x",
    ".git /config",
    ".git./config",
    ".git . ./config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    ".g\u200cit/config",
    "\ufeff.git/config",
    ".gi\u202et/config",
]
OTHERS = [".hg/hgrc", ".SVN/x", ".jj/repo/config.toml", "a/_darcs/prefs/defaults", JOURNAL, "... /x", "a/. ./b"]
FINE = [".github/x", ".gitignore", "git/config", "a.git/config", ".git-blame-ignore-revs", "x~1", "gitconfig", "hg/x"]
SURFACES = [
    ".github/workflows/ci.yml",
    ".GitHub/Workflows/deep/er.yaml",
    "GITHUB~1/WORKFL~1/ci.yml",
    ".gitlab-ci.yml",
    "packages/a/.envrc",
    ".envrc.",
    ".vscode/tasks.json",
    "sub/.vscode/settings.json",
    ".idea/runConfigurations/Run.xml",
    ".husky/pre-commit",
    ".pre-commit-config.yaml",
    ".githooks/pre-push",
    ".devcontainer/devcontainer.json",
    ".claude/settings.json",
    ".cursor/mcp.json",
    ".npmrc",
    "sitecustomize.py",
    "lib/evil.pth",
    "vendored/HEAD",
    "AGENTS.md",
]
ORDINARY = [
    "src/app.py",
    "README.md",
    "github/workflows/ci.yml",
    "vscode/tasks.json",
    "envrc",
    "docs/npmrc.md",
    ".vscode",
]


@pytest.mark.parametrize("name", [*GIT, *OTHERS])
def test_version_control_is_refused_however_it_is_spelled(tmp_path: Path, name: str):
    assert forbidden_part(name)
    with pytest.raises(DirectoryError, match="cannot be written"):
        safe_place(tmp_path, name)
    with pytest.raises(DirectoryError, match="cannot be written"):
        apply_to_folder(EditResult(outcome="applied", files={name: "x\n"}), tmp_path, allow_executable=["**"])
    result = apply_reply(change(("", "x\n"), path=f"{name}"), {})
    assert ("refused", "path") == (result.outcome, result.error)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("name", [*FINE, *ORDINARY])
def test_other_names_that_look_alike_are_written(tmp_path: Path, name: str):
    assert "" == forbidden_part(name)
    assert [name] == apply_to_folder(EditResult(outcome="applied", files={name: "x\n"}), tmp_path)


def test_git_runs_no_command_that_a_reply_has_named(tmp_path: Path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    before = (tmp_path / ".git" / "config").read_bytes()
    reply = change(("[core]\n", "[core]\n\tfsmonitor = touch ran\n"), path=".git/config")
    found = read_files(tmp_path, reply)
    assert ({}, "path") == (found, apply_reply(reply, found).error)
    assert "path" == apply_reply(reply, {".git/config": "[core]\n"}).error  # also where a caller offers the file
    subprocess.run(["git", "status"], cwd=tmp_path, check=True, capture_output=True)
    assert (before, False) == ((tmp_path / ".git" / "config").read_bytes(), (tmp_path / "ran").exists())


def test_a_move_into_version_control_is_refused(tmp_path: Path):
    (tmp_path / "a.py").write_text("a\n")
    reply = "*** Begin Patch\n*** Update File: a.py\n*** Move to: .Git/hooks/x\n@@\n-a\n+b\n*** End Patch\n"
    result = apply_reply(reply, read_files(tmp_path, reply))
    assert "path" == result.error
    assert "Git runs commands" in result.issues[0].message


def test_a_planted_journal_puts_nothing_into_version_control(tmp_path: Path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    token = "0" * 12
    (tmp_path / ".git" / f".config.{token}.old").write_text("[core]\n\tfsmonitor = touch ran\n")
    (tmp_path / JOURNAL).write_text(
        f'{{"steps": [[".git/config", "{token}", 420, null]], "folders": []}}\nprepared\n', encoding="utf-8"
    )
    with pytest.raises(DirectoryError, match="cannot be written"):
        apply_to_folder(EditResult(outcome="applied", files={"a": "x\n"}), tmp_path)
    assert "fsmonitor" not in (tmp_path / ".git" / "config").read_text()


@pytest.mark.parametrize("name", SURFACES)
def test_what_runs_by_itself_is_refused_unless_it_is_allowed(tmp_path: Path, name: str):
    result = EditResult(outcome="applied", files={name: "x\n", "a.py": "y\n"})
    with pytest.raises(DirectoryError) as caught:
        apply_to_folder(result, tmp_path)
    assert (repr(name), True) == (
        caught.value.message.split(" is not written")[0],
        "--allow-executable" in caught.value.hint,
    )
    assert [] == list(tmp_path.iterdir())
    assert sorted(["a.py", name]) == apply_to_folder(result, tmp_path, allow_executable=[name.rstrip(".")])


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_files_are_no_executable_surface(name: str):
    assert [] == executable_surfaces([name])


def test_deleting_what_runs_by_itself_is_refused_as_well(tmp_path: Path):
    (tmp_path / ".envrc").write_text("x")
    with pytest.raises(DirectoryError, match="a shell runs it"):
        apply_to_folder(EditResult(outcome="applied", files={".envrc": None}), tmp_path)
    assert (tmp_path / ".envrc").exists()


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("sub/.envrc", ".envrc", True),
        ("sub/.envrc", "/.envrc", False),
        (".envrc", "/.envrc", True),
        (".github/workflows/a/b.yml", ".github/workflows/*", False),
        (".github/workflows/b.yml", ".github/workflows/*", True),
        (".github/workflows/b.yml", ".github/workflows/*.yaml", False),
        (".github/workflows", ".github/workflows/**", False),
        ("x/.github/workflows/a/b.yml", ".github/workflows/**", True),
        ("anything", "**", True),
        ("a//./.ENVRC", ".envrc", True),
    ],
)
def test_a_pattern_matches_the_end_of_a_path(path: str, pattern: str, *, expected: bool):
    assert expected is matches_pattern(path, pattern)


@given(st.text(alphabet="aB./\\~1: \u200c*[]", max_size=12), st.text(alphabet="aB./*?[]1~", max_size=8))
def test_no_path_and_no_pattern_breaks_the_matching(path: str, pattern: str):
    assert matches_pattern(path, pattern) in {True, False}
    assert isinstance(forbidden_part(path), str)


@given(
    st.integers(0, 4), st.sampled_from(["a/", "b\\", ""]), st.sampled_from(["", ".", " ", ":x", ". ."]), st.booleans()
)
def test_git_is_seen_wherever_ignorable_characters_stand(at: int, before: str, after: str, large: bool):
    part = ".git"[:at] + "\u200d" + ".git"[at:]
    assert forbidden_part(before + (part.upper() if large else part) + after + "/config")


@pytest.mark.parametrize("char", list("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"))
def test_a_character_that_turns_the_direction_is_refused_unless_the_file_had_it(tmp_path: Path, char: str):
    reply = change(("a = 1\n", f"a = '{char}'\n"), path="a.py")
    result = apply_reply(reply, {"a.py": "# one\na = 1\n"})
    assert ("bidi", "a.py", (1,)) == (result.error, result.issues[-1].path, result.issues[-1].edits)
    assert (
        f"Line 2 of the new 'a.py' contains the bidirectional control character U+{ord(char):04X}"
        in result.issues[0].message
    )
    assert "applied" == apply_reply(reply, {"a.py": f"# {char}\na = 1\n"}).outcome
    assert "bidi" == apply_reply(change(("", f"{char}\n"), path="new.py"), {}).error
    (tmp_path / "a.py").write_text("a\n")
    with pytest.raises(DirectoryError, match="bidirectional"):
        apply_to_folder(EditResult(outcome="applied", files={"a.py": char}), tmp_path)
    assert "a\n" == (tmp_path / "a.py").read_text()


def test_the_first_new_character_is_named_with_its_line():
    assert (3, "U+2066") == new_bidi_control("a\n\u202e\n\u2066\n", "\u202e")
    assert None is new_bidi_control("plain \u200f text\n", None)


def test_a_control_character_in_a_path_is_shown_as_an_escape():
    result = apply_reply(change(("a\n", "b\n"), path="a\x1b[31m.py"), {"a.py": "a\n"})
    assert ("path", True) == (
        result.error,
        "'a\\x1b[31m.py', which contains a control character" in result.issues[0].message,
    )

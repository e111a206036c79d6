"""The user's editor, and its command line."""

from __future__ import annotations

import stat
import sys
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.rule.wizard.editor import command_of, find_editor, write_for_editing
from tests.recipes.rule.wizard.walk import read

if TYPE_CHECKING:
    from pathlib import Path


def programs(folder: Path, *names: str) -> dict[str, str]:
    """Return an environment in which only these programs are installed."""
    for name in names:
        (folder / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


@pytest.mark.skipif(sys.platform == "win32", reason="programs are told by their mode here")
def test_the_editor_is_visual_then_editor_then_an_installed_one(tmp_path: Path):
    here = programs(tmp_path, "nano", "ed", "code")
    assert ("code", "-r") == find_editor({**here, "VISUAL": "code -r", "EDITOR": "ed"})
    assert ("ed",) == find_editor({**here, "VISUAL": "", "EDITOR": "ed"})
    assert ("ed",) == find_editor({**here, "VISUAL": "not-installed --wait", "EDITOR": "ed"})
    assert ("nano",) == find_editor(here)
    assert () == find_editor({"PATH": str(tmp_path / "empty")})


@pytest.mark.skipif(sys.platform == "win32", reason="programs are told by their mode here")
def test_a_quote_that_is_not_closed_is_no_crash(tmp_path: Path):
    assert ("nano",) == find_editor({**programs(tmp_path, "nano"), "EDITOR": "it's"})


@pytest.mark.parametrize(
    ("editor", "line", "command"),
    [
        (["code"], None, ["code", "--wait", "F"]),
        (["/usr/bin/code", "--wait"], 7, ["/usr/bin/code", "--wait", "--goto", "F:7"]),
        (["code", "-w"], None, ["code", "-w", "F"]),
        (["subl"], 3, ["subl", "--wait", "F:3"]),
        (["gvim"], 3, ["gvim", "--nofork", "+3", "F"]),
        (["kate"], None, ["kate", "--block", "F"]),
        (["vim"], 12, ["vim", "+12", "F"]),
        (["vscode-like-encoder"], 2, ["vscode-like-encoder", "F"]),
        (["/opt/code/bin/ed"], 2, ["/opt/code/bin/ed", "F"]),
    ],
)
def test_an_editor_with_a_window_gets_its_wait_option_by_its_whole_name(
    tmp_path: Path, editor: list[str], line: int | None, command: list[str]
):
    file = tmp_path / "F"
    found = [word.replace(str(file), "F") for word in command_of(editor, file, line)]
    assert command == found


def test_a_text_is_put_down_beside_earlier_ones_and_for_its_owner_only(tmp_path: Path):
    first, second = write_for_editing(tmp_path, "one\n", ".yaml"), write_for_editing(tmp_path, "two\n", ".yaml")
    assert ("one\n", "two\n") == (read(first), read(second))
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(first.stat().st_mode)

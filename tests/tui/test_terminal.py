"""The wizard in a real terminal, with a real program as the editor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.recipes.rule.wizard.walk import read
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PATHS = [f"/srv/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 9)]
EDITOR = """#!/bin/sh
test -t 0 && stty -a | grep -q ' icanon' && echo yes > had_terminal
for file; do :; done
sed -i 's/^  mission:/  flight:/' "$file"
"""


class Terminal:
    """A terminal of 80 by 24 with the wizard in it."""

    def __init__(self, folder: Path) -> None:
        self._socket = str(folder / "tmux")

    def tmux(self, *words: str) -> str:
        """Return what tmux says."""
        command = ["tmux", "-S", self._socket, "-f", os.devnull, *words]
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout

    def until(self, words: str) -> str:
        """Return the screen as soon as it shows `words`."""
        ends = time.monotonic() + MOST_S
        while words not in (screen := self.tmux("capture-pane", "-p")):
            assert time.monotonic() < ends, f"no {words!r} on:\n{screen}"
            time.sleep(0.1)
        return screen

    def press(self, *keys: str) -> None:
        """Press keys."""
        self.tmux("send-keys", *keys)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal that ends with the test."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux, which is not on this machine")
    (tmp_path / "paths.txt").write_text("\n".join(PATHS), encoding="utf-8")
    (tmp_path / "editor.sh").write_text(EDITOR, encoding="utf-8")
    (tmp_path / "editor.sh").chmod(0o755)
    environment = {"XDG_DATA_HOME": "data", "VISUAL": "./editor.sh", "TERM": "screen-256color"}
    given = " ".join(f"{name}={value}" for name, value in environment.items())
    wizard = f"cd '{tmp_path}' && env {given} '{sys.executable}' -m retouch wizard @paths.txt; echo status $?; cat"
    made = Terminal(tmp_path)
    made.tmux("new-session", "-d", "-x", "80", "-y", "24", wizard)
    yield made
    made.tmux("kill-server")


@pytest.mark.slow
def test_a_rule_is_found_edited_in_the_users_editor_and_approved(terminal: Terminal, tmp_path: Path):
    terminal.until("8 of 8 paths complete")
    # the keys of the state before are still shown when the result is drawn
    shown = terminal.until("⏎ approve  h hint  e edit  r regenerate  c change  s sent  esc cancel")
    assert all(len(line) <= 80 for line in shown.splitlines())
    terminal.press("e")
    assert "flight" in terminal.until("edited by you")
    assert "yes\n" == read(tmp_path / "had_terminal")
    terminal.press("Enter")
    terminal.until("✓ writes rules/mission.yaml")
    terminal.press("Enter")
    shown = terminal.until("status 0")
    assert "approved: rules/mission.yaml" in shown
    assert "flight:" in read(tmp_path / "rules" / "mission.yaml")


def test_ctrl_c_leaves_a_draft_that_is_offered_again(terminal: Terminal):
    terminal.until("8 of 8 paths complete")
    terminal.press("C-c")
    assert "the wizard offers it again" in terminal.until("status 0")

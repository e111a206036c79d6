"""`retouch scrub`, as a user types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    Retouch = Callable[..., Result]

LEAK = "leaked-0123456789"


@pytest.fixture
def leaky(work_folder: Path, retouch: Retouch) -> Path:
    """A run whose source, answer and files hold a key, and whose report lies beside them."""
    (work_folder / "app.py").write_text(f'KEY = "{LEAK}"\nload = 1\n')
    words = ("generate", "edit", "app.py", "--request", "rename load to read", "-o", "run", "--no-apply")
    assert 0 == retouch(*words).exit_code
    assert 0 == retouch("report", "run").exit_code
    return work_folder / "run"


def holding(folder: Path) -> list[str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [path.relative_to(folder).as_posix() for path in files if LEAK.encode() in path.read_bytes()]


def test_a_text_is_removed_and_the_run_goes_on(leaky: Path, retouch: Retouch) -> None:
    assert {"ledger.db", "prompts.json", "pages.json", "ir.json", "report.html", "files/app.py"} <= set(holding(leaky))
    done = retouch("scrub", "run", "--text", LEAK)
    assert (0, []) == (done.exit_code, holding(leaky)), done.output
    assert LEAK not in done.output
    for words in (("show", "run"), ("validate", "run"), ("resume", "run"), ("report", "run", "-o", "-")):
        assert 0 == retouch(*words).exit_code, words
    assert 1 == json.loads(retouch("show", "run", "--json").stdout)["calls"]


@pytest.mark.parametrize("how", ["-", "@leak.txt"])
def test_a_text_need_not_stand_on_the_command_line(leaky: Path, retouch: Retouch, how: str) -> None:
    (leaky.parent / "leak.txt").write_text(f"{LEAK}\n")
    done = retouch("scrub", "run", "--text", how, input=f"{LEAK}\n")
    assert (0, []) == (done.exit_code, holding(leaky)), done.output


def test_a_dry_run_says_where_it_is(leaky: Path, retouch: Retouch) -> None:
    before = holding(leaky)
    found = json.loads(retouch("scrub", "run", "--pattern", "leaked-[0-9]+", "--dry-run", "--json").stdout)
    assert (sorted({*found["files"], "ledger.db"}), True, before) == (before, found["dry_run"], holding(leaky))


def test_a_file_of_the_user_is_named_and_left(leaky: Path, retouch: Retouch) -> None:
    (leaky / "notes.md").write_text(LEAK)
    done = retouch("scrub", "run", "--text", LEAK)
    assert (1, ["notes.md"]) == (done.exit_code, holding(leaky))
    assert "still there: notes.md" in done.stdout


def test_what_is_not_there_is_said(leaky: Path, retouch: Retouch) -> None:
    done = retouch("scrub", str(leaky), "--text", "nothing like it")
    assert (0, "not found: nothing was changed\n") == (done.exit_code, done.stdout)


@pytest.mark.parametrize(
    ("words", "message"),
    [((), "--text or --pattern"), (("--text", "@nowhere"), "cannot be read"), (("--pattern", "["), "no regular")],
)
def test_misuse_is_named_with_status_2(leaky: Path, retouch: Retouch, words: tuple[str, ...], message: str) -> None:
    done = retouch("scrub", str(leaky), *words)
    assert (2, True) == (done.exit_code, message in done.output)

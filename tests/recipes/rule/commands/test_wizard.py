"""`retouch wizard` without a screen, and its messages if there can be none."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pytest

from retouch.recipes.rule.commands.wizard import command_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

Retouch: TypeAlias = "Callable[..., Result]"
PATHS = [f"/srv/mission_{number:03}/2024-01-{number + 1:02}/r{number}_x.csv" for number in range(1, 9)]


@pytest.fixture(autouse=True)
def data_folder(work_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory for this test."""
    monkeypatch.setenv("XDG_DATA_HOME", str(work_folder / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(work_folder / "data"))
    monkeypatch.setenv("HOME", str(work_folder / "home"))
    return work_folder / "data"


def test_without_a_screen_it_prints_its_output(retouch: Retouch) -> None:
    done = retouch("wizard", *PATHS, "/srv/readme.txt", "--no-tui")
    assert 0 == done.exit_code, done.output
    for words in ("glob:", "mission (integer)", "✓  1 ", "8 of 9 paths give every field (89%)", "1 call, $0"):
        assert words in done.stdout, words
    assert "○ /srv/readme.txt: does not match: " in done.stdout
    assert "retouch rule drafts approve" in done.stdout


def test_a_pipe_needs_no_option_and_asks_nothing(retouch: Retouch) -> None:
    for _ in range(2):
        done = retouch("wizard", "-", input="\n".join(PATHS))
        assert 0 == done.exit_code, done.output
        assert "8 of 8 paths give every field (100%)" in done.stdout


def test_yes_approves_under_its_own_name_and_never_over_another_text(retouch: Retouch) -> None:
    done = retouch("wizard", *PATHS, "--yes", "--accept", "all", "-o", "mine")
    assert 0 == done.exit_code, done.output
    written = list(Path("mine").iterdir())
    assert [f"approved: {written[0]}"] == [line for line in done.stdout.splitlines() if "approved" in line]
    assert 0 == retouch("wizard", *PATHS, "--yes", "--accept", "all", "-o", "mine").exit_code
    written[0].write_text("name: other\nglob: '/elsewhere/*'\n", encoding="utf-8")
    again = retouch("wizard", *PATHS, "--yes", "--accept", "all", "-o", "mine")
    assert 1 == again.exit_code
    assert "A rule named" in again.stderr
    assert "/elsewhere/" in written[0].read_text(encoding="utf-8")


def test_a_conflict_that_only_the_name_decides_is_a_finding(retouch: Retouch) -> None:
    Path("rules").mkdir()
    Path("rules/a.yaml").write_text("name: a\nglob: '**/*.csv'\n", encoding="utf-8")
    done = retouch("wizard", *PATHS, "--no-tui")
    assert 1 == done.exit_code
    assert "conflict: a wins over mission by name; 8 in common" in done.stdout


def test_an_exhausted_budget_is_reported_with_its_failures_and_has_status_three(retouch: Retouch) -> None:
    done = retouch(
        "wizard",
        *PATHS,
        "--no-tui",
        "--model",
        "faulty:offline?rate=1&seed=1&kinds=empty&heal=0",
        "--total-retries",
        "0",
    )
    assert 3 == done.exit_code, done.output
    assert "✗ No answer passed the checks" in done.stdout


def test_json_has_the_result_like_generate_rule(retouch: Retouch) -> None:
    Path("rules").mkdir()
    Path("rules/a.yaml").write_text("name: a\ntag: a\nglob: '**/*.csv'\n", encoding="utf-8")
    done = retouch("wizard", *PATHS, "--json")
    assert ("", 1) == (done.stderr, done.exit_code)
    found = json.loads(done.stdout)
    assert ("unverified", "yaml", "passed", None) == tuple(
        found[key] for key in ("status", "kind", "ending", "approved")
    )
    assert [("a", "mission", "name", 8)] == [
        tuple(one[key] for key in ("winner", "loser", "decided_by", "common")) for one in found["conflicts"]
    ]
    alone = json.loads(retouch("wizard", *PATHS, "--json", "--yes", "--accept", "all", "-o", "mine").stdout)
    assert found["rule"] == Path(alone["approved"]).read_text(encoding="utf-8")
    assert {*found} - {"approved", "conflicts"} == {*json.loads(retouch("generate", "rule", *PATHS, "--json").stdout)}


def test_json_names_a_name_that_is_taken_and_a_model_that_is_down(retouch: Retouch) -> None:
    Path("mine").mkdir()
    Path("mine/mission.yaml").write_text("name: other\nglob: '/elsewhere/*'\n", encoding="utf-8")
    taken = retouch("wizard", *PATHS, "--json", "--yes", "--accept", "all", "-o", "mine")
    assert (1, None) == (taken.exit_code, json.loads(taken.stdout)["approved"])
    assert "A rule named" in taken.stderr
    (empty := Path("empty.json")).write_text("[]", encoding="utf-8")
    down = retouch("wizard", *PATHS, "--json", "--model", f"replay:{empty}")
    assert 2 == down.exit_code
    assert json.loads(down.stdout)["error"]["message"]


def test_noise_unwanted_paths_and_the_order_of_days_are_taken_as_generate_rule_takes_them(retouch: Retouch) -> None:
    found = json.loads(retouch("wizard", *PATHS, "/srv/notes.txt", "--noise", "notes.txt", "--json").stdout)
    assert PATHS == [row["path"] for row in found["paths"]]
    unwanted = retouch("wizard", *PATHS, "--unwanted", PATHS[0], "--json")
    assert (1, True) == (unwanted.exit_code, "OVERBROAD_GLOB" in unwanted.stdout)
    dates = ["/x/01-02-2024.csv", "/x/03-04-2024.csv", "/x/05-06-2024.csv"]
    read = json.loads(retouch("wizard", *dates, "--date-format", "day-first", "--json").stdout)
    assert "2024-02-01" in read["paths"][0]["values"].values()


def test_a_fallback_answers_where_the_first_model_makes_no_progress(retouch: Retouch) -> None:
    faulty = "faulty:offline?rate=1&seed=1&kinds=bad_syntax&heal=0"
    alone = retouch("wizard", *PATHS, "--json", "--model", faulty)
    helped = retouch("wizard", *PATHS, "--json", "--model", faulty, "--fallback", "offline", "--run", "other")
    assert [3, 0] == [alone.exit_code, helped.exit_code], helped.output


def test_what_is_sent_is_shown_before_it_goes(retouch: Retouch) -> None:
    done = retouch("wizard", *PATHS, "/home/maria/x.csv", "--no-tui", "--show-sent")
    assert "--- user" in done.stderr
    assert "SAMPLE PATHS" in done.stderr
    assert "maria" not in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "there is no sample path"),
        ([PATHS[0], "--hint", "x" * 501], "the hint has 501 characters"),
        ([PATHS[0], "--rules", __file__], "is a file"),
        ([PATHS[0], "--model", "nobody:x"], "nobody"),
        (["-", "--serve"], "cannot read paths from standard input"),
        ([PATHS[0], "--serve", "--json"], "--serve needs a screen"),
        ([PATHS[0], "--noise", "nowhere.txt"], "is not a sample"),
    ],
)
def test_misuse_is_reported_with_the_next_step(retouch: Retouch, words: list[str], said: str) -> None:
    done = retouch("wizard", *words)
    assert 2 == done.exit_code
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_a_rule_at_hand_that_is_broken_is_named(retouch: Retouch) -> None:
    Path("rules").mkdir()
    Path("rules/bad.yaml").write_text("name: 1\n", encoding="utf-8")
    done = retouch("wizard", *PATHS, "--no-tui")
    assert (2, True) == (done.exit_code, "rules/bad.yaml" in done.stderr)


def test_a_missing_extra_is_named_with_its_package(retouch: Retouch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retouch.recipes.rule.commands.wizard._is_terminal", lambda: True)
    monkeypatch.setitem(sys.modules, "textual", None)
    done = retouch("wizard", *PATHS)
    assert 2 == done.exit_code
    assert "pip install 'retouch[tui]'" in done.stderr
    assert 0 == retouch("wizard", *PATHS, "--no-tui").exit_code


def test_a_visitors_wizard_is_the_same_command_without_the_server() -> None:
    line = command_line(["wizard", "@my list.txt", "--serve", "--port", "9000", "--model", "offline"])
    assert line.endswith("-m retouch wizard '@my list.txt' --model offline")
    assert "--port" not in command_line(["wizard", "a", "--port=9000", "--serve"])

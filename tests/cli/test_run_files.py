"""What commands say of a run's files: every next step that they offer works, and a terminal asks before overwriting."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import serving
from tests.cli.test_terminals import RETOUCH, in_a_terminal

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    from retouch.testing import ModelServer

    Retouch = Callable[..., Result]
    Point = Callable[[ModelServer], None]

MODEL = ("--model", "anthropic:claude-haiku-4-5", "--compiler", "none")
COMMAND = re.compile(r"retouch (?:adopt|assemble|regenerate|resume|validate) .*?(?=$|[;,)]|: | \()", re.MULTILINE)


@pytest.fixture
def spaced(pets: Path) -> Path:
    """The run in a directory whose name has a space."""
    return Path(shutil.move(pets, pets.parent / "my pets"))


def rename_a_key(run: Path) -> None:
    code = run / "PetDataObject.cs"
    code.write_text(code.read_text().replace('[JsonPropertyName("weight")]', '[JsonPropertyName("wait")]'))


def add_a_header(run: Path) -> None:
    code = run / "PetDataObject.cs"
    code.write_text("// Copyright: ours\n" + code.read_text())


def remove(run: Path) -> None:
    (run / "PetDataObject.cs").unlink()


def overwrite(run: Path) -> None:
    (run / "PetDataObject.cs").write_text("garbage")


def overwrite_a_table(run: Path) -> None:
    (run / "schema.md").write_text("garbage")


CHANGES = (rename_a_key, add_a_header, remove, overwrite, overwrite_a_table)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("verb", ["validate", "resume", "assemble", "adopt"])
def test_every_next_step_that_is_offered_works(
    retouch: Retouch, spaced: Path, change: Callable[[Path], None], verb: str
) -> None:
    change(spaced)
    first = retouch(verb, str(spaced))
    offered = dict.fromkeys(found.group().rstrip(" .") for found in COMMAND.finditer(first.output))
    if first.exit_code == 1:
        assert offered, first.output
    for step in offered:
        if "TEXT" in step:
            continue
        copy = spaced.parent / "a copy"
        shutil.copytree(spaced, copy)
        words = [word.replace(str(spaced), str(copy)) for word in shlex.split(step)[1:]]
        done = retouch(*words)
        assert done.exit_code in ((0, 1) if words[0] in ("adopt", "validate") else (0,)), (step, done.output)
        shutil.rmtree(copy)


def test_errors_of_a_manual_edit_are_left_by_the_steps_that_are_offered(retouch: Retouch, pets: Path) -> None:
    rename_a_key(pets)
    shown = retouch("validate", str(pets), "--compiler", "none").output
    assert f"next    retouch adopt {pets}" in shown
    assert f"or      retouch regenerate {pets} --from-errors --force" in shown
    assert 1 == retouch("regenerate", str(pets), "--from-errors", "--compiler", "none").exit_code
    done = retouch("regenerate", str(pets), "--from-errors", "--force", "--compiler", "none")
    assert 0 == done.exit_code, done.output
    assert '"weight"' in (pets / "PetDataObject.cs").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "status"), [(b"n\n", 1), (b"y\n", 0)])
def test_a_terminal_asks_before_a_missing_file_is_written_again(
    pets: Path, spec: str, typed: bytes, status: int
) -> None:
    remove(pets)
    words = [*RETOUCH, "generate", "csharp", spec, "GET /pets", "--compiler", "none"]
    ended, shown = in_a_terminal(words, pets.parent.parent, typed=typed)
    assert "'PetDataObject.cs' is missing. Write it again" in shown
    assert (status, status == 0) == (ended, (pets / "PetDataObject.cs").exists())


def test_without_a_terminal_generate_exits_with_1_and_names_force(retouch: Retouch, pets: Path, spec: str) -> None:
    overwrite(pets)
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    done = retouch(*words)
    assert (1, "garbage") == (done.exit_code, (pets / "PetDataObject.cs").read_text())
    assert "--force" in done.output
    assert 0 == retouch(*words, "--force").exit_code
    assert "class" in (pets / "PetDataObject.cs").read_text()


def test_a_difference_without_a_comparison_asks_nothing(retouch: Retouch, pets: Path) -> None:
    before = {path.name: path.read_bytes() for path in pets.iterdir()}
    for more in ((), ("--dry-run",), ("--type", "Kind")):
        done = retouch("regenerate", str(pets), "--diff", *more)
        assert 2 == done.exit_code
        assert "Add --compare" in done.output
    assert before == {path.name: path.read_bytes() for path in pets.iterdir()}


@pytest.mark.slow
def test_every_command_says_that_the_ledger_was_deleted(retouch: Retouch, pets: Path, spec: str) -> None:
    for path in pets.glob("ledger.db*"):
        path.unlink()
    run, generate = str(pets), ("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    every = ("generate", "csharp", spec, "--match", "GET /pets", "-o", str(pets.parent), "--compiler", "none")
    commands: list[tuple[str, ...]] = [
        ("show", run), ("show", run, "--cost"), ("report", run), ("validate", run, "--no-write"),
        (*generate, "--dry-run"), ("regenerate", run, "--dry-run", "--model", "offline"),
        generate, ("validate", run), ("assemble", run), ("show", run, "--cost"), every,
        ("regenerate", run, "--type", "Kind", "--model", "offline", "--compiler", "none"),
        ("regenerate", run, "--compare", "--compiler", "none"), ("resume", run), ("report", run),
    ]  # fmt: skip
    for words in commands:
        done = retouch(*words)
        lines = [line for line in done.output.splitlines() if "ledger.db' " in line and "missing" in line]
        assert lines, (words, done.output)
        found: dict[str, Any] = json.loads(retouch(*words, "--json").stdout)
        notes: list[str] = found["runs"][0]["notes"] if "runs" in found else found["notes"]
        assert any("missing" in note for note in notes), words
        if words[0] == "show" and "--cost" in words:
            assert found["cost"]["total"]["cost"] is None
            assert done.output.splitlines()[-2].endswith("unknown")
    assert "<dt>cost so far</dt><dd>unknown</dd>" in (pets / "report.html").read_text()


def test_a_limit_of_a_run_without_its_ledger_is_refused(retouch: Retouch, pets: Path, spec: str) -> None:
    for path in pets.glob("ledger.db*"):
        path.unlink()
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none")
    refused = retouch(*words, "--max-cost", "1")
    assert 2 == refused.exit_code
    assert "has cost so far is unknown" in refused.output
    assert 0 == retouch(*words, "--max-cost-more", "1").exit_code


def test_a_limit_counts_what_earlier_commands_spent(retouch: Retouch, spec: str, point: Point) -> None:
    words = ("generate", "csharp", spec, "GET /pets", *MODEL)
    with serving() as server:
        point(server)
        assert 0 == retouch(*words).exit_code
        calls = len(server.calls)
        spent = json.loads(retouch("show", "output/GET_pets", "--cost", "--json").stdout)["cost"]["total"]["cost"]
        again = ("regenerate", "output/GET_pets", *MODEL)
        refused = retouch(*again, "--max-cost", str(spent))
        assert (3, calls) == (refused.exit_code, len(server.calls)), refused.output
        assert f"{spent:.4f} of {spent:.4f} dollars are spent" in refused.output
        more = retouch(*again, "--max-cost-more", "1", "--max-cost", "0")
        assert (0, 2 * calls) == (more.exit_code, len(server.calls)), more.output
        assert "  cost    $0." in more.output


def test_runs_of_one_command_share_the_limit_with_what_they_spent(
    retouch: Retouch, work_folder: Path, spec: str, point: Point
) -> None:
    words = ("generate", "csharp", spec, "--all", *MODEL, "--concurrency", "1")
    with serving() as server:
        point(server)
        assert 0 == retouch(*words).exit_code
        calls = len(server.calls)
        for run in (work_folder / "output").iterdir():
            (run / "pages.json").unlink()
        spent = 0.0
        for run in (work_folder / "output").iterdir():
            found = json.loads(retouch("show", str(run), "--cost", "--json").stdout)
            spent += found["cost"]["total"]["cost"]
        smaller = (*words, "--fields-per-page", "1")  # other prompts, so that all is asked again
        refused = retouch(*smaller, "--max-cost", str(spent))
        assert (3, calls) == (refused.exit_code, len(server.calls)), refused.output

"""`retouch generate edit`, as a user runs it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

BREAKING = 'replace "return path" with "return ("'
TEXT = "def load(path):\n    return path\n"


Retouch: TypeAlias = "Callable[..., Result]"


@pytest.fixture
def folder(work_folder: Path) -> Path:
    """The current directory with one file."""
    (work_folder / "app.py").write_text(TEXT, encoding="utf-8")
    return work_folder


def test_the_original_is_written_when_everything_holds(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename load to read", "--check", "python3 app.py")
    assert 0 == result.exit_code, result.output
    assert TEXT.replace("load", "read") == (folder / "app.py").read_text(encoding="utf-8")


def test_no_apply_leaves_the_original_and_keeps_the_patch(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename load to read", "--no-apply", "-o", "run")
    assert 0 == result.exit_code, result.output
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")
    assert "+def read(path):" in (folder / "run" / "changes.diff").read_text(encoding="utf-8")


def test_a_file_that_would_not_parse_is_reported_and_not_written(folder: Path, retouch: Retouch) -> None:
    result = retouch(
        "generate", "edit", "app.py", "--request", 'replace "return path" with "return ("', "--json", "-o", "run"
    )
    found = json.loads(result.stdout)
    assert (1, [], ["SYNTAX_ERROR"]) == (result.exit_code, found["applied"], [i["code"] for i in found["issues"]])
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")


def test_a_request_can_come_from_a_file(folder: Path, retouch: Retouch) -> None:
    (folder / "request.txt").write_text("rename load to read\n", encoding="utf-8")
    assert 0 == retouch("generate", "edit", "app.py", "--request", "@request.txt").exit_code
    assert "def read" in (folder / "app.py").read_text(encoding="utf-8")


def test_a_dry_run_asks_and_writes_nothing(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename load to read", "--dry-run", "--json")
    assert (0, 1) == (result.exit_code, json.loads(result.stdout)["calls"])
    assert ["app.py"] == [path.name for path in folder.iterdir()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("../app.py", "--request", "x"), "is outside of"),
        (("app.py", "--request", "@nowhere.txt"), "not a file"),
        (("app.py", "--request", " "), "request is empty"),
        (("app.py", "--request", "rename load to read", "--check", "pytest 'x"), "cannot be parsed"),
        (("app.py",), "--request"),
    ],
)
def test_misuse_is_named_with_the_next_step_and_status_2(
    folder: Path, retouch: Retouch, words: tuple[str, ...], message: str
) -> None:
    result = retouch("generate", "edit", *words)
    assert 2 == result.exit_code
    assert message in result.output
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("check", ["true && false", "echo ok; exit 3"])
def test_a_check_is_run_by_the_shell_and_nothing_is_written_if_it_fails(
    folder: Path, retouch: Retouch, check: str
) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename load to read", "--check", check)
    assert 1 == result.exit_code
    assert "CHECK_FAILED" in result.output
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")


def test_an_answer_that_changes_nothing_is_checked_as_well(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename nothing_like_it to read", "--check", "false")
    assert (1, TEXT) == (result.exit_code, (folder / "app.py").read_text(encoding="utf-8"))
    assert "CHECK_FAILED" in result.output


def test_a_check_whose_program_is_missing_ends_with_status_1_before_a_model_is_paid(
    folder: Path, retouch: Retouch
) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename load to read", "--check", "no-such-program")
    assert (1, TEXT) == (result.exit_code, (folder / "app.py").read_text(encoding="utf-8"))
    assert "no-such-program: not found" in result.output
    shown = json.loads(retouch("show", "output/edit-app.py", "--json").stdout)
    assert 0 == shown["calls"]


def test_tests_is_an_old_name_of_context_and_warns(folder: Path, retouch: Retouch) -> None:
    (folder / "t.py").write_text("def test_it(): ...\n")
    words = ("generate", "edit", "app.py", "--request", "rename load to read", "--dry-run", "--json")
    assert "Use --context instead" in retouch(*words, "--tests", "t.py").stderr
    assert "warning" not in retouch(*words, "--context", "t.py").stderr
    assert "--tests" not in retouch("generate", "edit", "--help").output


def test_a_check_in_place_sees_the_new_code_and_leaves_the_old(folder: Path, retouch: Retouch) -> None:
    words = ("generate", "edit", "app.py", "--request", "rename load to read", "--no-apply", "--in-place")
    result = retouch(*words, "--check", "grep -q read app.py")
    assert (0, TEXT) == (result.exit_code, (folder / "app.py").read_text(encoding="utf-8")), result.output


def test_a_failing_check_is_reported_with_the_output_of_its_program(folder: Path, retouch: Retouch) -> None:
    (folder / "check.py").write_text("print('expected 3, got 4'); raise SystemExit(1)", encoding="utf-8")
    words = ("generate", "edit", "app.py", "--request", "rename load to read", "--check", "python3 check.py")
    result = retouch(*words, "-o", "my run")
    assert (1, TEXT) == (result.exit_code, (folder / "app.py").read_text(encoding="utf-8"))
    assert "    | expected 3, got 4\n" in result.stdout
    assert "the same answer came twice" in result.stdout
    assert "  next    retouch regenerate 'my run' --from-errors --correction TEXT" in result.stdout
    report = retouch("report", "my run")
    assert ">expected 3, got 4</pre>" in (folder / "my run" / "report.html").read_text(encoding="utf-8"), report.output


def test_what_the_offline_model_does_not_understand_is_refused_and_not_called_clean(
    folder: Path, retouch: Retouch
) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "make it faster", "-o", "run")
    assert 2 == result.exit_code
    assert "the offline model does not understand the request 'make it faster'" in result.stderr
    assert "--model anthropic:" in result.stderr
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")


def test_a_request_that_changes_nothing_is_reported(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "app.py", "--request", "rename save to store", "-o", "run")
    assert 0 == result.exit_code
    assert "note: the model found nothing to change" in result.stdout
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")


def test_an_estimate_for_what_no_rule_answers_takes_an_answer_of_the_usual_length(
    folder: Path, retouch: Retouch
) -> None:
    words = ("generate", "edit", "app.py", "--request", "make it faster", "--model", "anthropic:claude-haiku-4-5")
    found = json.loads(retouch(*words, "-o", "run", "--dry-run", "--json").stdout)
    assert (1, 600) == (found["calls"], found["estimate"]["output_tokens"])
    assert ["app.py"] == [path.name for path in folder.iterdir()]


TWO = "def load(path):\n    return path\n\n\ndef save(path):\n    return path + path\n\n\nlimit = 3\n"
UNNAMED = 'delete lines with "path + path"\ndelete lines with "ave(path"'


@pytest.fixture
def removed(folder: Path, retouch: Retouch) -> Result:
    """The output of an edit that deletes a function which the request only describes."""
    (folder / "app.py").write_text(TWO, encoding="utf-8")
    words = ("generate", "edit", "app.py", "--request", UNNAMED, "-o", "run", "--json")
    return retouch(*words, "--check", "python3 app.py")


def test_a_removal_that_nobody_asked_for_ends_with_an_issue_and_without_a_retry(folder: Path, removed: Result) -> None:
    found = json.loads(removed.stdout)
    assert (1, "issues", 1, []) == (removed.exit_code, found["status"], found["calls"], found["applied"])
    assert ["REMOVED"] == [issue["code"] for issue in found["issues"]]
    assert found["issues"][0]["fix"].endswith("retouch resume run --allow-removal save")
    assert TWO == (folder / "app.py").read_text(encoding="utf-8")


@pytest.mark.usefixtures("removed")
def test_resume_accepts_the_stored_answer_without_a_call(folder: Path, retouch: Retouch) -> None:
    assert 1 == retouch("resume", "run").exit_code
    assert 1 == retouch("resume", "run", "--allow-removal", "load").exit_code
    assert "save" in (folder / "app.py").read_text(encoding="utf-8")
    accepted = retouch("resume", "run", "--allow-removal", "save", "--json")
    found = json.loads(accepted.stdout)
    assert (0, "verified", 0, ["app.py"]) == (accepted.exit_code, found["status"], found["calls"], found["applied"])
    assert "save" not in (folder / "app.py").read_text(encoding="utf-8")
    assert "verified, 1 removal waived  run" == retouch("resume", "run").stdout.splitlines()[0]


def test_a_removal_can_be_allowed_in_advance(folder: Path, retouch: Retouch) -> None:
    (folder / "app.py").write_text(TWO, encoding="utf-8")
    result = retouch("generate", "edit", "app.py", "--request", UNNAMED, "--allow-removal", "sa*", "-q")
    assert (0, False) == (result.exit_code, "save" in (folder / "app.py").read_text(encoding="utf-8"))


def test_files_that_match_are_changed_and_only_the_blamed_one_is_requested_again(
    folder: Path, retouch: Retouch
) -> None:
    for name in ("one", "two", "three"):
        (folder / "lib").mkdir(exist_ok=True)
        (folder / "lib" / f"{name}.py").write_text(TEXT, encoding="utf-8")
    (folder / "lib" / "two.py").write_text("x = 1\n", encoding="utf-8")
    words = ("generate", "edit", "--files", "lib/*.py", "--per-file", "--request", "rename load to read")
    check = "cat lib/*.py && ! grep load lib/*.py"
    result = retouch(*words, "-o", "run", "--check", check, "--json")
    found = json.loads(result.stdout)
    assert (0, "verified", ["lib/one.py", "lib/three.py"]) == (result.exit_code, found["status"], found["applied"])
    assert (3, ["2 of 3 files changed"]) == (found["calls"], found["notes"])
    assert "OTHER FILES" not in (folder / "run" / "prompts.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("words", [(), ("--files", "*.none")])
def test_a_command_without_files_is_refused(folder: Path, retouch: Retouch, words: tuple[str, ...]) -> None:
    result = retouch("generate", "edit", *words, "--request", "x", "-o", "run")
    assert (2, True) == (result.exit_code, "--files" in result.stderr), result.output
    assert ["app.py"] == [path.name for path in folder.iterdir()]


def test_the_files_that_a_text_is_about_are_located_and_changed(folder: Path, retouch: Retouch) -> None:
    (folder / "other.py").write_text("def save(path):\n    return path\n", encoding="utf-8")
    issue = "`load` crashes for a missing path"
    words = ("--locate", issue, "--locate-files", "1", "--request", "rename load to read", "--no-apply")
    result = retouch("generate", "edit", *words, "-o", "run")
    assert (0, True) == (result.exit_code, "located: app.py" in result.output), result.output
    assert "+def read(path):" in (folder / "run" / "changes.diff").read_text(encoding="utf-8")
    assert not (folder / "run" / "other.py").exists()


def test_a_text_without_a_known_word_locates_nothing_and_is_misuse(folder: Path, retouch: Retouch) -> None:
    result = retouch("generate", "edit", "--locate", "zzz", "--request", "rename load to read")
    assert (2, True) == (result.exit_code, "--locate finds no Python function" in result.output)
    assert TEXT == (folder / "app.py").read_text(encoding="utf-8")

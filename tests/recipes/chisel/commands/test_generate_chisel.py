"""`retouch generate chisel` and `retouch chisel trials`, as a person types them."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from retouch._lib.run_sync import run_sync
from retouch.engine.directory import open_run
from retouch.report.run_pages import RunPages
from tests.lib.process.scenes import living
from tests.recipes.chisel.scenes import COMPILER, LEC, NOT_HERE, OLD, OTHER, RIGHT, UNKNOWN, carry
from tests.waiting import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.recipes.chisel.chisel_desk import Desk

LOOKS_RIGHT = "grep -q 'adder_io_carryIn = isSub;' build/Alu.v"
KEYS = ("status", "proof")


def test_a_fix_is_one_patch_and_the_sources_stay_as_they_are(desk: Desk) -> None:
    before = desk.tree()
    result = desk.mend("--json", answers=[carry(UNKNOWN), carry(RIGHT)])
    found = json.loads(result.stdout)
    assert (0, "unverified", 2, []) == (result.exit_code, found["status"], found["calls"], found["applied"])
    assert "Alu.scala::Alu" == found["candidates"][0]
    assert before == desk.tree()
    assert f"+  {RIGHT}\n" in (desk.folder / "out/run/fix.patch").read_text()
    assert {"Alu": "success"} == desk.outcomes()


def test_the_patch_applies_where_the_commands_ran(desk: Desk) -> None:
    if shutil.which("patch") is None:
        pytest.skip("needs patch, which is not on this machine")
    desk.mend(answers=[carry(RIGHT)])
    patch = subprocess.run(["patch", "-s", "-p1", "-d", "alu", "-i", "../out/run/fix.patch"], check=False)
    assert 0 == patch.returncode
    assert RIGHT in (desk.folder / "alu/src/Alu.scala").read_text()


def test_apply_writes_the_fix_when_everything_holds(desk: Desk) -> None:
    before = desk.tree()
    unproved = desk.mend("--apply", "--json", answers=[carry(RIGHT)])
    assert (0, "unverified", []) == (
        unproved.exit_code,
        *(json.loads(unproved.stdout)[k] for k in ("status", "applied")),
    )
    assert before == desk.tree()
    result = desk.mend("--apply", "--unproved", "--json", answers=[carry(RIGHT)])
    assert ["src/Alu.scala"] == json.loads(result.stdout)["applied"]
    wanted = before["alu/src/Alu.scala"].replace(OLD.encode(), RIGHT.encode())
    assert {**before, "alu/src/Alu.scala": wanted} == desk.tree()
    undone = desk.retouch("undo", json.loads(result.stdout)["run"])
    assert (0, before) == (undone.exit_code, desk.tree()), undone.output


def test_apply_writes_nothing_when_something_does_not_hold(desk: Desk) -> None:
    before = desk.tree()
    result = desk.mend("--apply", "--candidates", "1", "--total-retries", "0", answers=[carry(UNKNOWN)])
    assert 3 == result.exit_code, result.output
    assert before == desk.tree()
    assert {"Alu": "compile_fail"} == desk.outcomes()


def test_sources_that_change_meanwhile_are_not_written_over(desk: Desk) -> None:
    file = desk.folder / "alu/src/Alu.scala"
    answer = {"append_to": str(file), "text": "// mine\n", "answer": carry(RIGHT)}
    result = desk.mend("--apply", answers=[answer])
    assert (2, True) == (result.exit_code, "has changed since it was shown to the model" in result.output)
    assert file.read_text().endswith("// mine\n")
    assert OLD in file.read_text()


@pytest.mark.parametrize("words", [("--compile", "no-such-compiler x"), ("--lec", "no-such-checker")])
def test_a_command_that_is_not_there_ends_with_status_1_before_a_model_is_paid(
    desk: Desk, words: tuple[str, ...]
) -> None:
    result = desk.mend(*words, answers=[carry(RIGHT)])
    assert (1, 0) == (result.exit_code, desk.calls())
    assert words[1].split()[0] in result.output
    assert "cannot judge" in result.output


def test_the_equivalence_is_proved_by_yosys_with_a_counterexample(desk: Desk) -> None:
    if shutil.which("yosys") is None or shutil.which("patch") is None:
        pytest.skip("needs yosys and patch (Debian: apt install yosys patch), which are not on this machine")
    result = desk.mend("--lec", LEC, "--candidates", "1", answers=[carry(OTHER), carry(RIGHT)])
    assert 0 == result.exit_code, result.output
    ledger = (desk.folder / "out/run/ledger.db").read_bytes()
    assert b"error: io_out is " in ledger


def test_a_dry_run_needs_no_model_and_writes_nothing(desk: Desk) -> None:
    result = desk.mend("--dry-run", "--json", "--model", "offline")
    assert (0, 1) == (result.exit_code, json.loads(result.stdout)["calls"])
    assert not (desk.folder / "out").exists()


def test_offline_is_refused_with_what_would_help(desk: Desk) -> None:
    result = desk.mend("--model", "offline")
    assert (2, True) == (result.exit_code, "'offline' cannot repair hardware" in result.output)
    assert "--model" in result.output


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on_and_the_tree_is_as_before(desk: Desk) -> None:
    before = desk.tree()
    command = [sys.executable, "-m", "retouch", *desk.words(answers=[carry(UNKNOWN), "KILL", carry(RIGHT)])]
    environment = {**os.environ, "PYTHONPATH": str(desk.package)}
    assert -9 == subprocess.run(command, env=environment, check=False, capture_output=True).returncode
    assert before == desk.tree()
    (record,) = next(iter(desk.trials()["cases"].values()))
    assert ("none", False, 2) == (record["outcome_last"], record["tried"], record["attempts"])
    assert 0 == desk.mend().exit_code
    assert (3, {"Alu": "success"}) == (desk.calls(), desk.outcomes())
    assert before == desk.tree()


@pytest.mark.slow
def test_a_run_that_is_killed_while_it_compiles_asks_for_nothing_again(desk: Desk) -> None:
    before = desk.tree()
    seconds = f"600.{secrets.randbelow(10**12):012}"  # no other process on the machine sleeps so long
    with_the_fix = f'[ -e {desk.folder}/slow ] && grep -q "{RIGHT}" src/Alu.scala'
    sleeping = f"sh -c 'if {with_the_fix}; then sleep {seconds}; fi; {COMPILER}'"
    (desk.folder / "slow").touch()
    words = desk.words(answers=[carry(RIGHT)], compiler=sleeping)
    environment = {**os.environ, "PYTHONPATH": str(desk.package)}
    process = subprocess.Popen([sys.executable, "-m", "retouch", *words], env=environment, stderr=subprocess.PIPE)
    wait_until(lambda: living(f"{seconds}\0") or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert before == desk.tree()
    assert {"Alu": "none"} == desk.outcomes()
    (desk.folder / "slow").unlink()
    assert 0 == desk.mend(compiler=sleeping).exit_code
    assert (1, {"Alu": "success"}) == (desk.calls(), desk.outcomes())


def test_the_ledger_of_trials_can_be_made_again_from_the_runs(desk: Desk) -> None:
    desk.mend("--candidates", "2", answers=[NOT_HERE] * 4)
    before = desk.trials()
    (desk.folder / "out/trials.jsonl").unlink()
    assert before == desk.trials()
    assert before == desk.trials("out/run")
    other = desk.mend("--candidates", "1", "-o", "out/other", "--dry-run", "--json", "--model", "offline")
    assert (3, True) == (other.exit_code, "every candidate" in other.output), "also when a candidate is chosen"
    assert 3 == desk.mend("--candidates", "2").exit_code
    assert before == desk.trials("out/trials.jsonl")


def test_what_was_rejected_is_not_tried_again_in_another_run(desk: Desk) -> None:
    desk.mend("--candidates", "1", answers=[NOT_HERE] * 2)
    result = desk.mend("--candidates", "1", "-o", "out/other", "--json", answers=[NOT_HERE] * 2)
    assert ["Alu.scala::Adder"] == json.loads(result.stdout)["candidates"]
    assert {"Alu": "rejected", "Adder": "rejected"} == desk.outcomes()


@pytest.mark.slow
def test_a_fix_that_was_only_compiled_is_proved_later_also_by_another_run(desk: Desk) -> None:
    first = desk.mend("--json", answers=[carry(RIGHT)])
    assert (0, "unverified", ["compiled"]) == (first.exit_code, *(json.loads(first.stdout)[key] for key in KEYS))
    again = desk.mend("--json", "--lec", LOOKS_RIGHT)
    assert (0, "verified", ["proved"]) == (again.exit_code, *(json.loads(again.stdout)[key] for key in KEYS))
    assert 1 == desk.calls(), "the run goes on from the fix that it has"
    assert {"Alu": "success"} == desk.outcomes()


@pytest.mark.slow
def test_another_run_with_a_proof_starts_with_the_module_that_was_fixed(desk: Desk) -> None:
    desk.mend(answers=[carry(RIGHT)])
    assert "--lec" in desk.mend("-o", "out/other").output
    found = desk.mend("-o", "out/other", "--json", "--lec", LOOKS_RIGHT, answers=[carry(RIGHT)])
    shown = json.loads(found.stdout)
    assert ("verified", "Alu.scala::Alu") == (shown["status"], shown["candidates"][0])
    solved = desk.mend("-o", "out/third", "--lec", LOOKS_RIGHT)
    assert (2, True) == (solved.exit_code, "already solved" in solved.output)


@pytest.mark.slow
def test_a_success_of_an_earlier_version_may_be_unproved_and_is_proved_by_another_run(desk: Desk) -> None:
    desk.mend(answers=[carry(RIGHT)])
    old = (desk.folder / "out/trials.jsonl").read_text().replace(', "proof": "compiled"', "")
    assert "proof" not in old
    (desk.folder / "old.jsonl").write_text(old)
    elsewhere = ("-o", "elsewhere/run", "--trials", "old.jsonl")
    assert "already solved" in desk.mend(*elsewhere).output
    found = desk.mend(*elsewhere, "--json", "--lec", LOOKS_RIGHT, answers=[carry(RIGHT)])
    shown = json.loads(found.stdout)
    assert ("verified", ["Alu.scala::Alu"]) == (shown["status"], shown["candidates"])
    assert "already solved" in desk.mend("-o", "elsewhere/third", "--trials", "old.jsonl", "--lec", LOOKS_RIGHT).output


@pytest.mark.slow
def test_apply_runs_the_proof_again_if_the_workspace_has_changed(desk: Desk) -> None:
    assert 0 == desk.mend("--lec", LOOKS_RIGHT, answers=[carry(RIGHT)]).exit_code
    (desk.folder / "alu/src/Broken.scala").write_text("nonsense\n")
    before = desk.tree()
    result = desk.mend("--lec", LOOKS_RIGHT, "--apply")
    assert (1, before) == (result.exit_code, desk.tree())


def adder_in_a_file_of_its_own(desk: Desk) -> Path:
    """Move the second candidate into another file, and return it."""
    alu, adder = (desk.folder / "alu/src" / name for name in ("Alu.scala", "Adder.scala"))
    lines = alu.read_text().splitlines(keepends=True)
    adder.write_text("".join(lines[:18]))
    alu.write_text("".join([*lines[:5], *lines[18:]]))
    return adder


@pytest.mark.slow
def test_a_solved_bug_is_proved_again_if_other_sources_have_changed(desk: Desk) -> None:
    adder = adder_in_a_file_of_its_own(desk)
    assert 0 == desk.mend("--lec", LOOKS_RIGHT, answers=[carry(RIGHT)]).exit_code
    adder.write_text(f"// shown to the model, but not changed by the fix\n{adder.read_text()}")
    for written in (["src/Alu.scala"], []):
        result = desk.mend("--lec", LOOKS_RIGHT, "--apply", "--json")
        assert (0, 1) == (result.exit_code, desk.calls()), result.output
        assert ("verified", written) == tuple(json.loads(result.stdout)[key] for key in ("status", "applied"))


@pytest.mark.slow
def test_a_solved_bug_that_fails_on_changed_sources_is_repaired_without_showing_their_old_text(desk: Desk) -> None:
    adder = adder_in_a_file_of_its_own(desk)
    lec = f"{LOOKS_RIGHT} && ! grep -q spoiled src/Adder.scala || exit 1"
    answers = [carry(RIGHT), "SHOW ALSO: Adder", *[NOT_HERE] * 4]
    assert 0 == desk.mend("--lec", lec, answers=answers).exit_code
    adder.write_text(f"{adder.read_text()}// spoiled\n")
    before = desk.tree()
    result = desk.mend("--lec", lec, "--apply")
    assert (3, before) == (result.exit_code, desk.tree()), result.output
    attempts = open_run(desk.folder / "out/run").history.attempts.values()
    shown = [message.text for attempt in attempts for message in attempt.request.messages]
    assert 2 < len(attempts) == desk.calls()
    assert [] == [text for text in shown if "val wide" in text]  # the body of Adder


@pytest.mark.slow
def test_progress_names_the_candidate_and_the_verdict(desk: Desk) -> None:
    answers = [carry(UNKNOWN), carry(RIGHT)]
    lines = desk.mend("--lec", LOOKS_RIGHT, answers=answers).stderr
    assert "Alu: [COMPILE_FAILED] the compile command failed" in lines
    assert "Alu: the edits match" in lines


def test_sources_that_changed_are_looked_at_anew(desk: Desk) -> None:
    assert 3 == desk.mend("--candidates", "1", "--asks-each", "1", answers=[carry(UNKNOWN)]).exit_code
    file = desk.folder / "alu/src/Alu.scala"
    file.write_text(file.read_text().replace("import chisel3._\n", "import chisel3._\nimport chisel3.util._\n"))
    result = desk.mend("--candidates", "1", "--asks-each", "1", answers=[carry(RIGHT)])
    assert (0, 1) == (result.exit_code, desk.calls()), result.output


def test_more_candidates_are_tried_where_the_run_gave_up(desk: Desk) -> None:
    assert 3 == desk.mend("--candidates", "1", answers=[NOT_HERE] * 2).exit_code
    assert 3 == desk.mend("--candidates", "1").exit_code
    result = desk.mend("--candidates", "2", "--json", answers=[NOT_HERE] * 2)
    assert (3, ["Alu.scala::Adder"]) == (result.exit_code, json.loads(result.stdout)["candidates"])
    assert {"Alu": "rejected", "Adder": "rejected"} == desk.outcomes()


def test_when_all_was_tried_the_budget_of_the_case_is_exhausted(desk: Desk) -> None:
    desk.mend(answers=[NOT_HERE] * 9)
    result = desk.mend("-o", "out/other")
    assert (3, True) == (result.exit_code, "every candidate for this diff was already tried" in result.output)
    assert "retouch chisel trials" in result.output


def test_a_case_that_was_solved_is_not_paid_for_again(desk: Desk) -> None:
    desk.mend(answers=[carry(RIGHT)])
    assert (2, 1) == (desk.mend("-o", "out/other").exit_code, desk.calls())
    assert (0, 1) == (desk.mend().exit_code, desk.calls()), "the same command shows the same result"


def test_validate_and_resume_work_on_the_run_folder(desk: Desk) -> None:
    desk.mend(answers=[carry(UNKNOWN), carry(RIGHT)])
    for verb in ("validate", "resume", "show", "report"):
        assert 0 == desk.retouch(verb, "out/run").exit_code, verb
    assert 2 == desk.calls()


def test_the_table_of_trials_tells_what_came_of_each(desk: Desk) -> None:
    desk.mend("--candidates", "1", "--total-retries", "0", answers=[carry(UNKNOWN)])
    result = desk.retouch("trials", "out")
    assert 0 == result.exit_code
    assert "compile_fail" in result.stdout
    assert "not found: value isSubtraction" in result.stdout


def test_one_case_is_chosen_by_the_beginning_of_its_id(desk: Desk) -> None:
    desk.mend("--candidates", "1", answers=[NOT_HERE] * 2)
    shown = desk.retouch("trials", "out").stdout.splitlines()[1].split()[0]
    (case,) = desk.trials()["cases"]
    assert f"sha256:{shown}" == case[:19]
    assert [1, 1, 0] == [len(desk.trials("out", "--case", one)["cases"]) for one in (shown, case, "nothing")]


def test_a_damaged_line_is_told_and_the_rest_is_shown(desk: Desk) -> None:
    desk.mend("--candidates", "1", answers=[NOT_HERE] * 2)
    path = desk.folder / "out/trials.jsonl"
    path.write_text("{broken\n" + path.read_text())
    assert ["1 damaged line of " in one for one in desk.trials()["warnings"]] == [True]
    assert {"Alu": "rejected"} == desk.outcomes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--diff", "alu/rtl/Alu.v"), "no changed line"),
        (("--diff", "nowhere.diff"), "nowhere.diff"),
        (("--compile", "make 'x"), "cannot be parsed"),
        (("--workspace", "alu/rtl"), "is not inside"),
        (("--source", "alu/rtl", "--workspace", "alu"), "no module"),
        (("--trials", "alu"), "--trials"),
    ],
)
def test_misuse_is_named_and_nothing_is_asked(desk: Desk, words: tuple[str, ...], message: str) -> None:
    result = desk.mend(*words, answers=[carry(RIGHT)])
    assert (2, 0) == (result.exit_code, desk.calls())
    assert message in result.output


def test_a_folder_without_trials_says_where_to_look(desk: Desk) -> None:
    result = desk.retouch("trials", "alu")
    assert (2, True) == (result.exit_code, "contains neither a ledger of trials" in result.output)


def test_the_report_has_the_candidates_with_evidence_and_every_answer_with_its_proof(desk: Desk) -> None:
    desk.mend(answers=[carry(UNKNOWN), carry(RIGHT)])
    pages = RunPages(open_run(desk.folder / "out/run"))
    sections, trouble = run_sync(pages.sections())
    assert "" == trouble
    _, candidates, trials = sections
    assert ("module", "file", "sure", "why", "evidence") == tuple(candidates.heads)
    (alu,) = [row for row in candidates.rows if row[0] == "Alu"]
    assert f"33: {OLD}" in alu[-1]
    assert [("1", "Alu", "does not compile", ""), ("2", "Alu", "passed", "compiled, not proved")] == [
        tuple(row[:4]) for row in trials.rows
    ]
    assert "not found: value isSubtraction" in trials.rows[0][4]


def test_the_report_calls_no_answer_passed_that_no_tool_has_judged(desk: Desk) -> None:
    judged_once = "if test -e ../judged; then kill -9 $$; fi; touch ../judged"
    desk.mend("--check-unconfined", "--retries", "0", answers=[carry(RIGHT)], compiler=judged_once)
    sections, _ = run_sync(RunPages(open_run(desk.folder / "out/run")).sections())
    assert [["no result"]] == [[row[2] for row in one.rows] for one in sections if one.title == "Trials"]

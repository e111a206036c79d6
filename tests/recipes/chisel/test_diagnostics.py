"""What is read out of the output of hardware tools."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch._lib.process.launch import CommandResult
from retouch._lib.process.output import MOST_CHARS
from retouch.recipes.chisel.diagnostics import (
    compile_doubt,
    diagnostics,
    equivalence_doubt,
    first_error,
    relevant_output,
)
from retouch.recipes.chisel.proofs import shown_by

NOISE = [f"[info] compiling ErrorHandler{number}.scala, no error so far" for number in range(200)]
SCALAC = "src/Alu.scala:33: error: not found: value isSubtraction\n  adder.io.carryIn := isSubtraction\n              ^"
SBT = "[error] /w/src/Alu.scala:33:23: not found: value isSubtraction\n[error]   adder.io.carryIn := isSubtraction"
MILL = "[24] [error] src/Alu.scala:33:23: error: not found: value isSubtraction\n[24]   adder.io.carryIn := x"
FIRTOOL = 'Alu.scala:33:5: error: sink "io.out" not fully initialized in module "Alu"'
VERILATOR = "%Error: rtl/Alu.v:12:3: Can't find definition of variable: 'isSub'"
YOSYS = "rtl/Alu.v:12: ERROR: syntax error, unexpected TOK_ID"
CHISEL = (
    "chisel3.internal.ChiselException: width mismatch\n\tat chisel3.Data.x(Data.scala:9)\n\tat Alu.<init>(Alu.scala:33)"
)


def ended(output: str, status: int | None = 1) -> CommandResult:
    return CommandResult(status=status, output=output, limit_s=60.0)


@pytest.mark.parametrize("report", [SCALAC, SBT, MILL, FIRTOOL, VERILATOR, YOSYS, CHISEL])
def test_the_real_error_is_kept_among_many_lines_that_contain_the_word(report: str) -> None:
    output = "\n".join([*NOISE[:100], report, "", *NOISE[100:]])
    kept = relevant_output(output)
    assert report.splitlines()[0] in kept
    assert 12 >= len(kept.splitlines())
    assert report.splitlines()[0].strip() == first_error(output)


def test_an_exception_keeps_the_lines_of_the_users_own_code() -> None:
    assert ["chisel3.internal.ChiselException: width mismatch\n\tat Alu.<init>(Alu.scala:33)"] == diagnostics(CHISEL)


def test_the_same_error_is_kept_once_and_many_are_counted() -> None:
    assert [SCALAC] == diagnostics("\n\n".join([SCALAC] * 3))
    many = "\n\n".join(SCALAC.replace(":33:", f":{number}:") for number in range(1, 300))
    assert "more errors" in relevant_output(many)
    assert relevant_output(many).startswith("src/Alu.scala:1: error")


@given(st.text(max_size=400), st.integers(1, 80))
def test_an_excerpt_is_never_longer_than_the_limit(text: str, times: int) -> None:
    assert MOST_CHARS + 20 >= len(relevant_output("\n".join([text] * times)))


@pytest.mark.parametrize(
    "output",
    [
        "There is insufficient memory for the Java Runtime Environment to continue.",
        'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
        "JAVA_HOME is not defined correctly.",
        "/bin/sh: 1: mill: not found",
        "[error] sbt.librarymanagement.ResolveException: Error downloading org.scala-lang:scala-library",
    ],
)
def test_a_compiler_that_could_not_work_is_no_verdict(output: str) -> None:
    assert compile_doubt(ended(output))
    assert not compile_doubt(ended(f"{output}\n{SCALAC}")), "an error in a source file is a verdict"
    assert not compile_doubt(ended(output, 0))


@pytest.mark.parametrize(
    ("output", "status", "is_verdict"),
    [
        ("error: io_out is 1 and should be 0", 1, True),
        ("the modules differ", 1, True),
        ("ERROR: Found 3 unproven $equiv cells in 'equiv_status -assert'.", 1, True),
        ("SAT proof finished - model found: FAIL!\nERROR: Called with -verify and proof did fail!", 1, True),
        ("SBY 12:00 [x] DONE (FAIL, rc=2)", 2, True),
        ("make: *** [Makefile:3: lec] Error 1", 2, True),
        ("SBY 12:00 [x] DONE (UNKNOWN, rc=4)", 4, False),
        ("SBY 12:00 [x] DONE (TIMEOUT, rc=8)", 8, False),
        ("make: *** [Makefile:3: lec] Error 3", 2, False),
        ("the diff does not apply", 2, False),
        ("UNKNOWN", 1, False),
        ("Interrupted SAT solver: TIMEOUT!", 1, False),
        ("Traceback (most recent call last):\n  File x\nKeyError: 'RETOUCH_DIFF'", 1, False),
        ("ERROR: Module `Alu' not found!", 1, False),
        ("rtl/Alu.v:12: ERROR: syntax error, unexpected TOK_ID", 1, False),
        ("scripts/lec.sh: line 3: yosys: command not found", 1, False),
        ("Reached maximum number of time steps -> proof failed.", 1, False),
    ],
)
def test_only_a_difference_is_a_verdict_of_an_equivalence_command(output: str, status: int, is_verdict: bool) -> None:
    assert is_verdict == (equivalence_doubt(ended(output, status)) == "")


@pytest.mark.parametrize(
    ("output", "is_believed"),
    [
        ("the modules are equivalent", True),
        ("no counterexample, timeout: 60", True),
        ("Found 3 unproven $equiv cells in alu:\n  Of those cells 3 are proven and 0 are unproven.", True),
        ("SBY 12:00 [x] DONE (UNKNOWN, rc=4)\nSBY 12:09 [x] DONE (PASS, rc=0)", True),
        ("SBY 12:00 [x] DONE (FAIL, rc=2)", False),
        ("SBY 12:00 [x] DONE (UNKNOWN, rc=4)", False),
        ("SAT proof finished - model found: FAIL!", False),
        ("Reached maximum number of time steps -> proof failed.", False),
        ("Interrupted SAT solver: TIMEOUT!", False),
        ("  Of those cells 3 are proven and 2 are unproven.", False),
        ("UNKNOWN", False),
    ],
)
def test_success_is_believed_unless_the_output_denies_it(output: str, is_believed: bool) -> None:
    assert is_believed == (equivalence_doubt(ended(output, 0)) == "")


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("", "proved"),
        ("Alu is equivalent to what is wanted", "proved"),
        ("Full command line: sat -prove-asserts -tempinduct -seq 1 both", "proved"),
        ("Full command line: sat -prove-asserts -seq 20 -verify both", "bounded"),
        ("Full command line: sat -prove-asserts -tempinduct-baseonly -maxsteps 20 both", "bounded"),
        ("SBY [x] summary: engine_0 (smtbmc) returned pass\nSBY [x] DONE (PASS, rc=0)", "bounded"),
        ("SBY [x] summary: successful proof by k-induction.\nSBY [x] DONE (PASS, rc=0)", "proved"),
        ("- S i m\n- Simulation Report: Verilator 5.0", "simulated"),
        ("[info] Tests: succeeded 4, failed 0", "simulated"),
    ],
)
def test_what_a_passing_command_has_shown_is_read_from_its_output(output: str, shown: str) -> None:
    assert shown == shown_by(output)

"""Ways in which a Chisel fix could be called proved, or refused, without a verdict. Each ended wrongly before."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

import pytest

from retouch._lib.process.launch import CommandResult
from retouch._lib.process.results import IN_THIS_PROCESS
from retouch.errors import CannotJudge
from retouch.locate.trial_events import TrialEvent
from retouch.locate.trials import TrialLedger
from retouch.recipes.chisel.diagnostics import compile_doubt
from retouch.recipes.chisel.proofs import shown_by_script
from tests.recipes.chisel.scenes import ALU, COMPILER, NOT_HERE, RIGHT, UNKNOWN, Project, carry

if TYPE_CHECKING:
    from pathlib import Path

HAS_FIX = "grep -q 'adder_io_carryIn = isSub;' build/Alu.v"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "broken",
    [
        "echo UNKNOWN; exit 1",
        "echo the diff does not apply; exit 2",
        f"{shlex.quote(sys.executable)} -c 'import nothing_like_this'",
        "echo \"ERROR: Module 'Alu' not found!\"; exit 1",
    ],
)
def test_an_equivalence_script_that_is_broken_ends_the_run_before_a_model_is_asked(
    project: Project, broken: str
) -> None:
    with pytest.raises(CannotJudge, match="the lec command cannot judge"):
        project.fix([carry(RIGHT)], project.job(ALU, lec=broken))
    assert not project.model.requests


def test_a_solver_that_gives_up_on_the_fix_is_neither_the_models_fault_nor_a_trial(project: Project) -> None:
    gives_up = f"if {HAS_FIX}; then echo UNKNOWN; fi; exit 1"
    result = project.fix([carry(RIGHT)], project.job(ALU, lec=gives_up))
    assert ("unverified", 1, 1) == (result.status, result.exit_status, result.calls)
    assert ["LEC_INCONCLUSIVE"] == [issue.code for issue in result.issues]
    assert [] == project.outcomes()
    assert project.patch.startswith("# retouch: NOT PROVED: with the change")


@pytest.mark.parametrize("shows", ["bounded", "simulated"])
def test_less_than_a_proof_is_never_verified(project: Project, shows: str) -> None:
    result = project.fix([carry(RIGHT)], project.job(ALU, lec=HAS_FIX, lec_shows=shows))
    assert ("unverified", 0) == (result.status, result.exit_status)
    assert "not" in result.reason
    assert project.patch.startswith("# retouch: NOT PROVED: ")


def test_a_simulation_that_is_declared_a_proof_is_not_believed(project: Project) -> None:
    simulates = f"echo '- Simulation Report: Verilator 5.0'; {HAS_FIX}"
    result = project.fix([carry(RIGHT)], project.job(ALU, lec=simulates))
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert "simulated, not proved" in result.reason
    assert "--lec-shows simulated" in result.issues[0].fix


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "shown"),
    [
        ('yosys -q -p "read_verilog build/Alu.v; sat -verify -prove-asserts -seq 20 both" || exit 1', "bounded"),
        ("yosys -p 'miter -equiv a b c; sat -set-init-zero -maxsteps 8 -prove trigger 0 c' > lec.log", "bounded"),
        ("iverilog -o sim tb.v build/Alu.v && vvp sim > sim.log", "simulated"),
        ("sby -f unit.sby > sby.log", "bounded"),
    ],
)
def test_a_script_that_hides_how_little_it_shows_is_not_believed(project: Project, script: str, shown: str) -> None:
    (project.root / "unit.sby").write_text("[options]\nmode bmc\ndepth 20\n")
    (project.root / "lec.sh").write_text(f"true || {{ {script}; }}\n{HAS_FIX}\n")
    result = project.fix([carry(RIGHT)], project.job(ALU, lec="sh lec.sh"))
    assert ("unverified", 1) == (result.status, result.exit_status)
    assert f"--lec-shows {shown}" in result.issues[0].fix


def test_a_script_that_also_proves_is_believed() -> None:
    refutes_first = "verilator --lint-only a.v; yosys -q -p 'sat -seq 20 m'"
    for proves in ("equiv_induct m; equiv_status -assert m", "sat -tempinduct -seq 1 m", "eqy unit.eqy"):
        assert "proved" == shown_by_script(f"{refutes_first}; {proves}")
    for proves in ("yosys -q -p 'sat -verify -prove trigger 0 m'", "verilator --lint-only build/Alu.v; our-prover a b"):
        assert "proved" == shown_by_script(proves)


PYTHON_CRASH = """Traceback (most recent call last):
  File "client.py", line 35, in main
    connection.connect(address)
{}
"""


@pytest.mark.parametrize(
    ("before", "error", "doubted"),
    [
        ("", "ConnectionRefusedError: [Errno 111] Connection refused", True),
        ("compiling\n", "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)", True),
        ("src/Alu.scala:33: error: not found: value x\n", "ValueError: it does not compile", False),
        ("", "subprocess.CalledProcessError: Command '['sbt', 'run']' returned non-zero exit status 1.", False),
        ('Exception in thread "main" chisel3.package$ChiselException: wrong width\n', "RuntimeError: no", False),
    ],
)
def test_a_build_script_that_crashed_itself_is_not_the_models_fault(before: str, error: str, *, doubted: bool) -> None:
    crashed = CommandResult(status=1, output=before + PYTHON_CRASH.format(error), limit_s=1)
    assert doubted == bool(compile_doubt(crashed))


LONG = "for i in $(seq 300); do echo Import set-constraint $i; done"


@pytest.mark.slow
@pytest.mark.parametrize("unconfined", [False, True])
@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("- Simulation Report: Verilator 5.0", "simulated"),
        (f"Full command line: sat {'-show sig ' * 30}-prove-asserts -seq 20 miter", "bounded"),
    ],
)
def test_a_long_output_does_not_hide_how_little_was_shown(
    project: Project, line: str, shown: str, *, unconfined: bool
) -> None:
    hidden = f"{LONG}; echo '{line}'; {LONG}; {HAS_FIX}"
    result = project.fix([carry(RIGHT)], project.job(ALU, lec=hidden), unconfined=unconfined)
    assert ("unverified", 1) == (result.status, result.exit_status)
    IN_THIS_PROCESS.clear()
    again = project.validate()  # in another process, of which only a part of the output is known
    assert ("unverified", [f"--lec-shows {shown}"]) == (
        again.status,
        [one.fix[-len(f"--lec-shows {shown}") :] for one in again.issues],
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "SBY 12:00:00 [alu] DONE (UNKNOWN, rc=4)",
        "SBY 12:00:00 [alu] DONE (TIMEOUT, rc=8)",
        "Result: UNKNOWN",
        "SAT proof finished - model found: FAIL!",
        "  Of those cells 3 are proven and 2 are unproven.",
    ],
)
def test_a_script_that_succeeds_although_nothing_was_proved_is_not_believed(project: Project, line: str) -> None:
    lies = f"{HAS_FIX} || exit 1; {LONG}; echo '{line}'; {LONG}; exit 0"
    result = project.fix([carry(RIGHT)], project.job(ALU, lec=lies))
    assert ("unverified", 1, 1) == (result.status, result.exit_status, result.calls)
    assert ["LEC_INCONCLUSIVE"] == [issue.code for issue in result.issues]
    assert [] == project.outcomes()


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "Found 12 unproven $equiv cells (3 groups) in equiv:",
        "Proved 12 previously unproven $equiv cells.",
        "  Of those cells 12 are proven and 0 are unproven.",
        "SBY 12:00:00 [alu] summary: successful proof by k-induction. DONE (PASS, rc=0)",
        "solver timeout: 60",
    ],
)
def test_a_proof_that_was_hard_is_believed(project: Project, line: str) -> None:
    proves = f"{HAS_FIX} || exit 1; echo '{line}'; {LONG}"
    assert "verified" == project.fix([carry(RIGHT)], project.job(ALU, lec=proves)).status


def test_a_compiler_whose_failure_is_hidden_by_a_pipe_proves_nothing(project: Project) -> None:
    job = project.job(ALU, lec=HAS_FIX, compile=f"({COMPILER}) 2>&1 | tee log")
    assert "verified" == project.fix([carry(RIGHT)], job).status  # what it compiled is still in the copy
    project.again([carry(UNKNOWN), NOT_HERE])
    assert "isSubtraction" not in project.patch or project.patch.startswith("# retouch: NOT PROVED")


def test_the_patch_of_a_run_that_found_no_fix_is_not_proved(project: Project) -> None:
    result = project.fix([carry("adder.io.carryIn := true.B"), NOT_HERE, NOT_HERE], project.job(ALU, lec=HAS_FIX))
    assert "exhausted" == result.status
    assert project.patch.startswith("# retouch: NOT PROVED: the equivalence command failed")


def test_the_patch_of_a_proved_fix_names_the_proof(project: Project) -> None:
    assert "verified" == project.fix([carry(RIGHT)], project.job(ALU, lec=HAS_FIX)).status
    assert project.patch.startswith(f"# retouch: proved by: {HAS_FIX}\n--- a/")


def event(kind: str, time: str, outcome: str = "none", **more: str) -> TrialEvent:
    data = {"event": kind, "case_id": "c", "module_id": "A.scala::A", "time": time, "iteration": int(time)}
    return TrialEvent(**data, outcome=outcome, id=f"{time} {kind} {outcome}", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("damaged", range(4))
def test_a_damaged_line_never_turns_a_success_back(tmp_path: Path, damaged: int) -> None:
    events = [
        event("attempt_started", "1"),
        event("outcome", "1", "lec_fail"),
        event("attempt_started", "2"),
        event("outcome", "2", "success", proof="proved"),
    ]
    path = tmp_path / "trials.jsonl"
    TrialLedger(path).append(events)
    lines = path.read_text().splitlines()
    lines[damaged] = lines[damaged][: len(lines[damaged]) // 2]
    path.write_text("".join(f"{line}\n" for line in lines))
    TrialLedger(path).append(events)  # the next command writes again what the runs still know
    (record,) = TrialLedger(path).of_case("c")
    assert ("success", True, "proved", 2) == (record.outcome_last, record.tried, record.proof, record.attempts)


def test_a_fix_that_only_compiled_is_no_solved_case(project: Project) -> None:
    project.fix([carry(RIGHT)], project.job(ALU))
    assert [("Alu", "success")] == project.outcomes()
    assert ["compiled"] == [one.proof for one in project.events() if one.event == "outcome"]


def test_an_edit_in_another_module_is_booked_to_that_module(project: Project) -> None:
    job = project.job(ALU)
    edit = "CHANGE 1: x\nFIND:\n```\n  io.overflow := wide(8)\n```\nREPLACE WITH:\n```\n  io.overflow := wide(7)\n```\n"
    project.fix([edit], job)
    assert [("Alu", "none"), ("Adder", "success")] == project.outcomes()


ABOVE = "above=..; n=$(cat $above/count 2>/dev/null || echo 0); echo $((n + 1)) > $above/count"  # outside the copy


@pytest.mark.slow
@pytest.mark.parametrize("succeeds", ["test $n -gt 0", "test $((n % 2)) -eq 1", "test $n -eq 1"])
def test_an_equivalence_script_that_fails_first_and_succeeds_second_has_proved_nothing(
    project: Project, succeeds: str
) -> None:
    result = project.fix([carry(RIGHT)], project.job(ALU, lec=f"{ABOVE}; {succeeds}"), unconfined=True)
    assert ("unverified", 1, 1) == (result.status, result.exit_status, result.calls)
    assert ["LEC_INCONCLUSIVE"] == [issue.code for issue in result.issues]
    assert "passed once and failed once on the same code" in result.issues[0].message
    assert [] == project.outcomes()
    assert project.patch.startswith("# retouch: NOT PROVED")


def test_a_proof_is_repeated_once_and_not_at_every_command(project: Project) -> None:
    job = project.job(ALU, lec=f"{ABOVE}; {HAS_FIX}")
    assert "verified" == project.fix([carry(RIGHT)], job, unconfined=True).status
    assert ["verified", "verified"] == [project.validate().status, project.fix([], job, unconfined=True).status]
    assert "4" == (project.root.parent / "count").read_text().strip()  # twice as it is, and twice with the fix

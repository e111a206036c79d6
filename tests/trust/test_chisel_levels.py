"""Equivalence commands that show less than a proof. Each was called a proof before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.recipes.chisel.proofs import shown
from tests.recipes.chisel.scenes import ALU, RIGHT, Project, carry

if TYPE_CHECKING:
    from pathlib import Path

HAS_FIX = "grep -q 'adder_io_carryIn = isSub;' build/Alu.v"
SMTBMC = "##   0:00:00  Checking assertions in step 19..\n##   0:00:00  Status: passed"
SAT = "sat -verify -prove-asserts"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.mark.parametrize(
    ("level", "script", "output"),
    [
        ("bounded", "yosys-smtbmc -t 20 both.smt2", ""),
        ("bounded", "make lec", SMTBMC),
        ("bounded", "circt-bmc -b 10 --module both both.mlir", ""),
        ("bounded", "make lec", "Bound reached with no violations!"),
        ("bounded", "ebmc --bound 10 both.sv", ""),
        ("bounded", "ebmc both.sv", "[both.a] always a == b: PROVED up to bound 10"),
        ("bounded", "yosys-abc -c 'read both.aig; bmc3 -F 20'", ""),
        ("bounded", "abc -c 'read both.aig; bmc -F 20'", ""),
        ("bounded", "abc -f both.abc", "No output asserted in 20 frames. Resource limit reached (conf = 0)."),
        ("bounded", "abc -c 'sec -F 20 a.blif b.blif'", "Networks are equivalent after unrolling"),
        ("bounded", "btormc -kmax 20 both.btor", ""),
        ("bounded", "aigbmc both.aig 20", ""),
        ("bounded", "pono -e bmc -k 20 both.btor2", ""),
        ("bounded", "pono -k 20 both.btor2", ""),
        ("bounded", "printf '[tasks]\\nfast\\n[options]\\nfast: mode bmc\\n' > a.sby; sby -f a.sby > log", ""),
        ("bounded", f"yosys -q -p '{SAT} -tempinduct -tempinduct-baseonly -maxsteps 20 both'", ""),
        ("bounded", f"yosys -q -p '{SAT} -tempinduct -tempinduct-skip 5 both'", ""),
        ("bounded", f"# sat -tempinduct is too slow here\nyosys -q -p '{SAT} -seq 20 both'", ""),
        ("bounded", "# eqy a.eqy would be better\nprintf '[options]\nmode bmc\n' > a.sby; sby -f a.sby > log", ""),
        ("bounded", f"yosys -q -p 'equiv_make a b e; equiv_simple; equiv_status; {SAT} -seq 20 both'", ""),
        ("bounded", f'yosys -q -p "{SAT} \\\n -seq 20 both"', ""),
        ("simulated", "make -C tb SIM=icarus", ""),
        ("simulated", "make lec", "** TESTS=1 PASS=1 FAIL=0 SKIP=0 **"),
        ("simulated", "iverilog -o t tb.v build/Alu.v && ./t", ""),
        ("simulated", "verilator --binary -j 0 tb.sv -o tb && ./obj_dir/tb", ""),
        ("simulated", "mill cpu.test", ""),
        ("simulated", 'sbt "testOnly AluSpec"', ""),
        ("simulated", "scala -cp scalatest.jar org.scalatest.tools.Runner", ""),
    ],
)
def test_a_bounded_check_or_a_simulation_is_no_proof_although_it_is_declared_one(
    level: str, script: str, output: str
) -> None:
    assert level == shown("proved", output, script, script)


@pytest.mark.parametrize(
    ("script", "output"),
    [
        (f"yosys -q -p '{SAT} -tempinduct -seq 1 both'", ""),
        ("yosys -q -p 'sat -verify -prove trigger 0 both'", ""),
        ("yosys -q -p 'equiv_make a b e; equiv_induct e; equiv_status -assert e'", ""),
        ("yosys lec.ys | tee log; grep 'Equivalence successfully proven' log", ""),
        ("eqy -f both.eqy > log", ""),
        ("printf '[options]\nmode prove\n[engines]\nabc pdr\n' > a.sby; sby -f a.sby > log", ""),
        ("make lec", "SBY [a] summary: engine_0 (abc pdr) returned pass\nSBY [a] DONE (PASS, rc=0)"),
        ("make lec", "SBY [a] summary: successful proof by k-induction.\nSBY [a] DONE (PASS, rc=0)"),
        ("make lec", "EQY 12:00:00 [both] DONE (PASS, rc=0)"),
        ("make lec", "Induction step proven: SUCCESS!"),
        ("make lec", "Equivalence successfully proven!"),
        ("make lec", "Full command line: sat -verify -prove trigger 0 both"),
        ("make lec", "Property proved.  Time = 0.02 sec"),
        ("yosys-abc -c 'cec a.blif b.blif' | grep 'are equivalent'", ""),
        ("yosys-abc -c 'read both.aig; pdr' | grep 'Property proved'", ""),
        ("ebmc --k-induction --bound 5 both.sv", ""),
        ("pono -e ic3ia both.btor2", ""),
        ("circt-lec -c1 a -c2 b both.mlir", ""),
    ],
)
def test_an_unbounded_proof_stays_what_it_is_declared_to_be(script: str, output: str) -> None:
    assert ["proved", "bounded"] == [shown(declared, output, script, script) for declared in ("proved", "bounded")]


def test_a_script_beside_or_in_a_comment_proves_nothing(project: Project) -> None:
    tools = project.root.parent / "tools"
    tools.mkdir()
    (tools / "full.sh").write_text("eqy -f both.eqy\n")
    (tools / "lec.sh").write_text(f"# full.sh proves it, slowly\n{HAS_FIX} && : yosys-smtbmc -t 20 both.smt2\n")
    result = project.fix([carry(RIGHT)], project.job(ALU, lec="sh ../tools/lec.sh"), unconfined=True)
    assert ("unverified", 1, ["bounded"]) == (result.status, result.exit_status, proofs_of(project))


def proofs_of(project: Project) -> list[str]:
    return [one.proof for one in project.events() if one.event == "outcome"]

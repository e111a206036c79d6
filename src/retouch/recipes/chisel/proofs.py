"""Determines what a passing equivalence command has shown, by its output and by the text of its scripts.

Bounded checkers and simulators are never proofs. For any other command, the user declares what it shows.
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Proof: TypeAlias = Literal["compiled", "simulated", "bounded", "proved"]
PROOFS: tuple[Proof, ...] = ("compiled", "simulated", "bounded", "proved")
"""What was shown for a fix, from least to most."""

DONE = re.compile(r"\bDONE \((\w+), rc=(\d+)\)")  # of SymbiYosys and EQY


def _either(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.MULTILINE)


# `sat` of Yosys: induction is a proof, unless a half of it is left out. Without a number of steps, it is combinational.
_INDUCTION = r"(?=[^;\n]*-tempinduct(?![-\w]))(?![^;\n]*-tempinduct-(?:skip|baseonly|inductonly))"
_PART_OF_INDUCTION = r"[^;\n]*-tempinduct-(?:skip|baseonly|inductonly)"
_STEPS = r"[^;\n]* -(?:seq|maxsteps) "

_SIMULATED_OUTPUT = _either(
    r"Simulation Report: Verilator|\$finish\b|^VCD info:|Tests: succeeded \d|Info: \[svsim\]",
    r"\bTESTS=\d+ PASS=\d+",  # cocotb
)
_SAT_BOUND = _either(rf"^Full command line: sat (?:(?!{_INDUCTION}){_STEPS}|{_PART_OF_INDUCTION})")
_BOUNDED_OUTPUT = _either(
    r"Bound reached with no violations",  # circt-bmc
    r"\bup to bound \d",  # EBMC
    r"No output (?:was )?(?:asserted|failed) in \d+ frames|are equivalent after unrolling",  # ABC
)
_STEPS_OF_SMTBMC = re.compile(r"Checking assertions in step \d")
_INDUCTION_OF_SMTBMC = re.compile(r"Temporal induction successful")
_SBY_PROOF = _either(
    r"successful proof", r"\((?:abc [^)\n]*\bpdr\b[^)\n]*|aiger (?:suprove|avy)[^)\n]*)\) returned pass"
)
_EQY_PROOF = _either(r"^EQY .*\bDONE \(PASS\b")

_UNBOUNDED_PONO = r"(?:-e|--engine)[ =](?:ind|interp|ismc|dar|mbic3|ic3\w*|msat-ic3ia|sygus-pdr)\b"
_UNBOUNDED_EBMC = r"--(?:k-induction|bdd|ic3)\b"
_MAY_PROVE = _either(
    rf"\bsat\b{_INDUCTION}",
    r"\bequiv_status\b[^;\n]* -assert\b|Equivalence successfully proven",  # without it, Yosys always succeeds
    r"\beqy\b[^;\n]*\.eqy\b",  # its strategies are inductions
    r"\bmode\s+prove\b",  # SymbiYosys
    r"\babc\b[^\n]*\b(?:&?cec|dsec|pdr|dprove)\b",  # not `sec`, which unrolls
    rf"\bebmc\b[^;\n]*{_UNBOUNDED_EBMC}|\bpono\b[^;\n]*{_UNBOUNDED_PONO}",
    r"\bcirct-lec\b",  # combinational, with registers as inputs and outputs
    r"\byosys-smtbmc\b[^;\n]* -i\b",  # the induction; its base is another command
)

_BOUNDED_SCRIPT = _either(
    rf"\bsat\b(?:(?!{_INDUCTION}){_STEPS}|{_PART_OF_INDUCTION})",
    r"\bmode\s+(?:bmc|cover|live)\b",  # SymbiYosys
    r"\byosys-smtbmc\b|\bcirct-bmc\b|\baigbmc\b|\bbtormc\b(?![^;\n]* -kind\b)",
    rf"\bebmc\b(?![^;\n]*{_UNBOUNDED_EBMC})[^;\n]* --bound\b|\bpono\b(?![^;\n]*{_UNBOUNDED_PONO}) ",
    r"\babc\b[^\n]*\b(?:bmc[23]?|sec)\b",
)
_RUNS_TESTS = r"\b(?:mill|sbt|scala-cli|gradlew?|mvn)\b[^;\n]*[\s.\"'/:]test(?:Only|Quick|Cached)?\b(?!\s*[:./]\s*run)"
_SIMULATOR = _either(
    r"\b(?:vvp|vsim|xsim|xrun|simv|cocotb|scalatest)\b|\bobj_dir/V\w+|\bSIM=\w+|" + _RUNS_TESTS,
    r"\biverilog\b(?![^;\n]*-t ?null)|\bverilator\b[^;\n]* --(?:binary|exe|build|main|timing)\b",
)
_PROVER = re.compile(
    r"\b(?:yosys|sby|eqy|abc|z3|boolector|bitwuzla|btormc|ebmc|cbmc|circt-\w+|jg|jaspergold|fm_shell|formality|lec|vcf"
    r"|onespin|hector)\b(?!\.)"
)

_CONTINUED = re.compile(r"\\\n\s*")
_COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//).*$", re.MULTILINE)
_LONE_TEXT = re.compile(r"^[ \t]*(\"\"\"|''')[\s\S]*?\1", re.MULTILINE)  # of Python: a docstring

REPORTS = (
    _SIMULATED_OUTPUT,
    _SAT_BOUND,
    _BOUNDED_OUTPUT,
    _STEPS_OF_SMTBMC,
    _INDUCTION_OF_SMTBMC,
    DONE,
    _SBY_PROOF,
    _EQY_PROOF,
)
"""The last line that each of these finds in an output is enough for what the output shows."""


def without_comments(script: str) -> str:
    """Return the text of a script without comments, with each command on one line."""
    return _COMMENT.sub("", _CONTINUED.sub(" ", script))


def shown(declared: Proof, output: str, scripts: str, named: str = "") -> Proof:
    """Return what a passing equivalence command has shown: no more than the user declares, and than it can show.

    `scripts` is its text with all scripts that it may use, `named` only with those that it names; "" for all.
    """
    return PROOFS[min(map(PROOFS.index, (declared, shown_by(output), shown_by_script(scripts, named))))]


def shown_by(output: str) -> Proof:
    """Return what a passing equivalence command has shown, according to its output: "proved" unless the output states
    less.

    For example, `sat -seq 20` of Yosys covers 20 cycles, and Verilator simulates.
    """
    if _SIMULATED_OUTPUT.search(output):
        return "simulated"
    if _SAT_BOUND.search(output) or _BOUNDED_OUTPUT.search(output):
        return "bounded"
    if DONE.search(output):
        return "proved" if _SBY_PROOF.search(output) or _EQY_PROOF.search(output) else "bounded"
    return "bounded" if _STEPS_OF_SMTBMC.search(output) and not _INDUCTION_OF_SMTBMC.search(output) else "proved"


def shown_by_script(text: str, named: str = "") -> Proof:
    """Return what the text of an equivalence command and its scripts can show at most: "proved" unless it is clear.

    For example, a script can hide what Yosys prints about its bound, with -q or in a file. Comments do not count, and a
    proof only if it is in `named`, the text of the scripts that the command names; "" for all of it.
    """
    code = _code_of(text)
    if _MAY_PROVE.search(_code_of(named) if named else code):
        return "proved"
    if _BOUNDED_SCRIPT.search(code):
        return "bounded"
    return "simulated" if _SIMULATOR.search(code) and not _PROVER.search(code) else "proved"


def _code_of(script: str) -> str:
    return _LONE_TEXT.sub("", without_comments(script))

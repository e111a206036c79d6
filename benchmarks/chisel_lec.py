"""Compares two directories of Verilog with Yosys: proved equal, different, or unknown.

    python chisel_lec.py --wanted DIRECTORY --build DIRECTORY [--kept DIRECTORY]

The module that no other one instantiates is compared. The exit status is 0 if all outputs are equal for all inputs,
forever: proved over matching registers, by induction.
It is 1 if inputs were found for which an output differs; they are printed. It is 3 if Yosys found neither. `--kept`
keeps proofs and counterexamples of the same two directories; a comparison without a result is always made again.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

READ = """
read_verilog {wanted}; hierarchy -auto-top; proc; flatten; memory -nomap; opt_clean; rename -top gold;
design -stash gold;
read_verilog {built}; hierarchy -auto-top; proc; flatten; memory -nomap; opt_clean; rename -top gate;
design -stash gate; design -copy-from gold gold; design -copy-from gate gate;
"""
PROVE = (
    "memory_map; equiv_make gold gate both; hierarchy -top both; opt -share_all both; equiv_struct -icells both; "
    "equiv_simple -undef both; {more}equiv_status -assert both"
)
INDUCTION = "equiv_induct -undef -seq 3 both; "
REFUTE = (
    "memory_map; miter -equiv -make_assert -make_outputs -flatten gold gate both; hierarchy -top both; "
    "opt -full; sat -prove-asserts -seq 1 {reset} -set-init-zero -maxsteps 5 -tempinduct-baseonly"
    " -show-inputs -show-outputs both"
)
ROW = re.compile(r"^ +(\d+) \\(in|gold|gate)_(\w+) +(\d+|--) ", re.MULTILINE)
TOP = re.compile(r"^Automatically selected (\S+) as design top module", re.MULTILINE)
PROVED, DIFFERENT, UNKNOWN = 0, 1, 3
PROVEN = "Equivalence successfully proven!"
REFUTED = "model found for base case: FAIL!"


def main() -> int:
    """Return the exit status."""
    parser = argparse.ArgumentParser(description="Compare two directories of Verilog.")
    for name in ("--wanted", "--build"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--kept", type=Path)
    arguments = parser.parse_args()
    status, printed = compared_once(arguments.wanted, arguments.build, arguments.kept)
    print(printed)
    return status


def compared_once(wanted: Path, build: Path, kept: Path | None) -> tuple[int, str]:
    """Return what `compared` returns. A result is kept in a directory, if there is one."""
    texts = [[path.read_text("utf-8") for path in sorted(folder.glob("*.v"))] for folder in (wanted, build)]
    place = kept / sha256(json.dumps(texts).encode()).hexdigest() if kept is not None else None
    if place is not None and place.exists():
        status, printed = json.loads(place.read_text("utf-8"))
        return status, printed
    status, printed = compared(wanted, build)
    if place is not None and status != UNKNOWN:
        place.parent.mkdir(exist_ok=True)
        fresh = place.with_suffix(".new")
        fresh.write_text(json.dumps([status, printed]), encoding="utf-8")
        fresh.replace(place)
    return status, printed


def compared(wanted: Path, build: Path, *, limit_s: int = 60) -> tuple[int, str]:
    """Return the exit status, and what to print."""
    files = [" ".join(str(path) for path in sorted(folder.glob("*.v"))) for folder in (wanted, build)]
    if not all(files):
        return UNKNOWN, "UNKNOWN: there is no Verilog to compare"
    read = READ.format(wanted=files[0], built=files[1]).replace("\n", " ")
    output = yosys(read + PROVE.format(more=""), limit_s // 4)  # enough for the same hardware
    tops = dict.fromkeys(TOP.findall(output))
    if len(tops) > 1:
        return UNKNOWN, f"UNKNOWN: the top modules are different ones: {', '.join(tops)}"
    if PROVEN in output:
        return PROVED, "proved: both are equal"
    reset = "-set-at 1 in_reset 1" if "\\reset" in output else ""
    found = counterexample(yosys(read + REFUTE.format(reset=reset), limit_s))
    if found:
        return DIFFERENT, "\n".join(found)
    if PROVEN in yosys(read + PROVE.format(more=INDUCTION), limit_s):
        return PROVED, "proved: both are equal"
    return UNKNOWN, "UNKNOWN: neither proved nor refuted"


def yosys(script: str, limit_s: int) -> str:
    """Return the output of a script. If it takes more CPU time, or cannot be parsed, it has no result."""
    words = ["sh", "-c", f'ulimit -t {limit_s}; exec yosys -p "$1"', "sh", script]
    return subprocess.run(words, capture_output=True, text=True, check=False).stdout


def counterexample(output: str) -> list[str]:
    """Return the inputs of the last cycle of a counterexample and the outputs that differ, or nothing."""
    rows = ROW.findall(output)
    if REFUTED not in output or not rows:
        return []
    last = [row[1:] for row in rows if row[0] == rows[-1][0]]
    sides = {side: {name: value for of, name, value in last if of == side} for side in ("in", "gold", "gate")}
    inputs = ", ".join(f"{name}={value}" for name, value in sides["in"].items() if name not in {"clock", "reset"})
    outputs = [
        f"error: {name} is {sides['gate'].get(name)} and should be {value}"
        for name, value in sides["gold"].items()
        if sides["gate"].get(name) != value
    ]
    return [*outputs, f"for the inputs {inputs}"] if outputs else []


if __name__ == "__main__":
    sys.exit(main())

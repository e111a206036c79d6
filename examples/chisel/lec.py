"""Proves with Yosys that the Verilog of a build is what a diff wants: the equivalence command of the example.

    python lec.py --rtl RTL_DIRECTORY --build BUILD_DIRECTORY --top MODULE

RTL_DIRECTORY has the Verilog that the diff applies to. The diff is the file in RETOUCH_DIFF, which `retouch generate
chisel` sets. Applied to a copy of RTL_DIRECTORY, it gives the wanted hardware. After one cycle of reset, the outputs
must be equal for all inputs, forever, by induction. The exit status is 0 if they are. Otherwise it prints inputs for
which they differ.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = """
read_verilog {wanted}; hierarchy -top {top}; proc; flatten; opt_clean; rename {top} wanted; design -stash wanted
read_verilog {built}; hierarchy -top {top}; proc; flatten; opt_clean; rename {top} built; design -stash built
design -copy-from wanted wanted; design -copy-from built built
miter -equiv -make_assert -make_outputs -flatten wanted built both; hierarchy -top both
sat -prove-asserts -tempinduct -seq 1 -set-at 1 in_reset 1 -maxsteps 20 -show-inputs -show-outputs both
"""
PROVEN = "Induction step proven: SUCCESS!"
ROW = re.compile(r"^ +(\d+) \\(in|gold|gate)_(\w+) +(\d+) ", re.MULTILINE)


def main() -> int:
    """Return 0 if the build is equivalent to the wanted hardware."""
    parser = argparse.ArgumentParser(description="Compare a build with what a diff wants.")
    for name in ("--rtl", "--build"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--top", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        wanted = Path(place) / "wanted"
        shutil.copytree(arguments.rtl, wanted)
        diff = Path(os.environ["RETOUCH_DIFF"]).resolve()
        patched = ran("patch", "-s", "-p1", "-d", str(wanted), "-i", str(diff))
        if patched.returncode != 0:
            print(f"the diff does not apply to {arguments.rtl}: {patched.stdout}{patched.stderr}", file=sys.stderr)
            return 2
        return compared(wanted, arguments.build, arguments.top)


def ran(*words: str) -> subprocess.CompletedProcess[str]:
    """Return the result of a finished program."""
    return subprocess.run(words, capture_output=True, text=True, check=False)


def compared(wanted: Path, build: Path, top: str) -> int:
    """Return 0 if the modules `top` of both directories are equivalent. Otherwise print the differences."""
    files = [" ".join(str(path) for path in sorted(folder.glob("*.v"))) for folder in (wanted, build)]
    script = SCRIPT.format(wanted=files[0], built=files[1], top=top).replace("\n", "; ")
    ended = ran("yosys", "-p", script)
    if ended.returncode == 0 and PROVEN in ended.stdout:
        print(f"{top} is equivalent to what is wanted")
        return 0
    found = counterexample(ended.stdout)
    print("\n".join(found) or ended.stderr.strip() or ended.stdout[-2000:], file=sys.stderr)
    return 1


def counterexample(output: str) -> list[str]:
    """Return the inputs in the cycle in which both differ, and the differing outputs."""
    rows = ROW.findall(output)
    last = [row[1:] for row in rows if row[0] == rows[-1][0]]
    sides = {side: {name: value for of, name, value in last if of == side} for side in ("in", "gold", "gate")}
    inputs = ", ".join(f"{name}={value}" for name, value in sides["in"].items() if name not in {"clock", "reset"})
    differing = [name for name, value in sides["gold"].items() if sides["gate"].get(name) != value]
    outputs = [f"error: {name} is {sides['gate'][name]} and should be {sides['gold'][name]}" for name in differing]
    return [*outputs, f"for the inputs {inputs}"] if outputs else []


if __name__ == "__main__":
    sys.exit(main())

"""A fix from a Verilog diff, step by step, with a scripted model that is wrong twice before it is right.

    python examples/chisel/demo.py [DIRECTORY]

The unit in `alu` adds and does not subtract. `wanted.diff` describes the wanted Verilog. The walk-through locates the
module, shows it to the model, and compiles its edits with the small compiler in this directory. If Yosys is installed,
it proves that the hardware is the wanted one. With `retouch generate chisel`, you use a real model.
"""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
from pathlib import Path

import retouch
from retouch.locate import TrialLedger, open_index
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.ranking import rank
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.building import Wanted, fix_job, ordered
from retouch.recipes.chisel.trials import events_of_run
from retouch.testing import scripted

HERE = Path(__file__).resolve().parent
PYTHON = shlex.quote(sys.executable)
OLD = "  adder.io.carryIn := false.B"
ANSWERS = ("  adder.io.carryIn := isSubtraction", "  adder.io.carryIn := true.B", "  adder.io.carryIn := isSub")


def answer(line: str) -> str:
    """Return a model's answer that puts `line` where the carry is driven."""
    return f"CHANGE 1: drive the carry\nFIND:\n```\n{OLD}\n```\nREPLACE WITH:\n```\n{line}\n```\n"


def main(folder: Path) -> int:
    """Walk through one fix in `folder`. Return 0 if it was found."""
    unit, run = folder / "alu", folder / "run"
    shutil.copytree(HERE / "alu", unit)
    text = (unit / "wanted.diff").read_text(encoding="utf-8")
    diff, index = DiffInfo.from_text(text), open_index(unit / "src", cache=folder / "index.json")
    print("1. Where may it come from?")
    ranked = rank(diff, index)
    for one in ranked[:3]:
        print(f"   {one.fused_score:.2f}  {one.module_id}, lines {one.span.start_line}-{one.span.end_line}")
    with_yosys = shutil.which("yosys") is not None and shutil.which("patch") is not None
    lec = f"{PYTHON} {HERE / 'lec.py'} --rtl rtl --build build --top Alu" if with_yosys else ""
    compile_ = f"{PYTHON} {HERE / 'small_chisel'} src -o build"
    wanted = Wanted(compile=compile_, lec=lec, inside="src", most=3)
    ledger = TrialLedger(folder / "trials.jsonl")
    chosen, _ = ordered(diff, ranked, index, ledger, wanted)
    job = fix_job(text, diff, chosen, index, wanted)
    lines = ANSWERS if with_yosys else (ANSWERS[0], ANSWERS[2])
    model = scripted([answer(line) for line in lines])
    options = retouch.RunOptions(workspace=str(unit))
    result = retouch.generate(recipe, job, run, model, options)
    print(
        "2. Which corrections did the model get?"
        + ("" if with_yosys else " (Yosys or patch is not installed, so nothing is proved)")
    )
    for request in model.requests[1:]:
        told = request.messages[-1].text.splitlines()
        print("\n".join(f"   | {line.strip()}" for line in told if "error: " in line or "for the inputs" in line))
    print("3. What was tried?")
    ledger.append(events_of_run(run))
    for record in ledger.of_case(job.case_id):
        print(f"   {record.module_id['name']}: {record.outcome_last} after {record.attempts} attempts")
    print("4. The fix:")
    print("".join(f"   {line}\n" for line in (run / "fix.patch").read_text(encoding="utf-8").splitlines()), end="")
    return result.exit_status


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(Path(sys.argv[1])))
    with tempfile.TemporaryDirectory() as place:
        sys.exit(main(Path(place)))

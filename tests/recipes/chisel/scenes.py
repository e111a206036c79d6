"""The example's unit, a job over it, and models that answer in words of the test's choosing."""

from __future__ import annotations

import asyncio
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.process.verdicts import CheckOptions
from retouch.engine.options import RunOptions
from retouch.engine.verbs import generate, regenerate, validate
from retouch.locate.diffs.info import DiffInfo
from retouch.recipes.chisel import FixJob, SourceText, Suspect, recipe
from retouch.recipes.chisel.trials import events_of_run
from retouch.testing import scripted
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from retouch.engine.overview import RunResult
    from retouch.locate.trial_events import TrialEvent
    from retouch.testing import Scripted

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "chisel"
COMPILER = f"{shlex.quote(sys.executable)} {EXAMPLE / 'small_chisel'} src -o build"
LEC = f"{shlex.quote(sys.executable)} {EXAMPLE / 'lec.py'} --rtl rtl --build build --top Alu"
ALU = Suspect(
    module_id="Alu.scala::Alu",
    file="Alu.scala",
    name="Alu",
    kind="class",
    regions=((20, 43),),
    evidence=(33,),
    why=("its name is that of the Verilog module Alu",),
    tier="medium",
    score=0.75,
    sources={"mf": 1.0},
    span_sha256="a" * 64,
)
ADDER = replace(ALU, module_id="Alu.scala::Adder", name="Adder", regions=((6, 18),), evidence=(15,), score=0.6)
COUNTER = replace(
    ALU,
    module_id="Counter.scala::StepCounter",
    file="Counter.scala",
    name="StepCounter",
    regions=((6, 24),),
    evidence=(),
    score=0.5,
)
OLD = "adder.io.carryIn := false.B"
RIGHT = "adder.io.carryIn := isSub"
OTHER = "adder.io.carryIn := true.B"
UNKNOWN = "adder.io.carryIn := isSubtraction"
NOT_HERE = "NOT HERE: it only passes the value on"


def change(find: str, replacement: str, *, file: str = "Alu.scala") -> str:
    """Return one block as a model writes it."""
    return f"CHANGE 1: as wanted\nFILE: {file}\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{replacement}\n```\n"


def carry(line: str) -> str:
    """Return the answer that puts `line` where the carry is driven."""
    return change(f"  {OLD}", f"  {line}")


class Project:
    """A copy of the example's unit, and a run over it."""

    def __init__(self, root: Path) -> None:
        self.root = root / "alu"
        self.run = root / "run"
        shutil.copytree(EXAMPLE / "alu", self.root)
        self.diff = (self.root / "wanted.diff").read_text(encoding="utf-8")
        self.model: Scripted = scripted([])

    def job(self, *suspects: Suspect, lec: str = "", **more: Any) -> FixJob:
        """Return a job over the unit; by default Alu, then Adder, then StepCounter."""
        names = ("Alu.scala", "Counter.scala")
        files = [SourceText(path=name, text=(self.root / "src" / name).read_text(encoding="utf-8")) for name in names]
        job = FixJob(
            case_id="bug",
            module="Alu",
            diff=self.diff,
            intent=DiffInfo.from_text(self.diff).unified_diff,
            suspects=suspects or (ALU, ADDER, COUNTER),
            files=tuple(files),
            compile=COMPILER,
            lec=lec,
            inside="src",
            commit="abc",
        )
        return replace(job, **more)

    def fix(self, answers: Any, job: FixJob | None = None, *, limit_s: float = MOST_S, **checks: Any) -> RunResult:
        """Run the recipe with a scripted model; `answers` is a list or a function of the request."""
        self.model = scripted(answers)
        way = RunOptions(workspace=str(self.root), check_timeout_s=limit_s, checks=CheckOptions(**checks))
        return asyncio.run(generate(recipe, job or self.job(), self.run, self.model, way))

    def again(self, answers: Any, *, hint: str = "") -> RunResult:
        """Ask again, as a command that does not know the workspace does."""
        self.model = scripted(answers)
        return asyncio.run(regenerate(recipe, self.run, self.model, hint=hint))

    def validate(self, *, write: bool = True) -> RunResult:
        """Check the run again, as a command that does not know the workspace does."""
        return asyncio.run(validate(recipe, self.run, write=write))

    def asked(self, call: int) -> str:
        """Return the last turn of a request."""
        return self.model.requests[call].messages[-1].text

    @property
    def patch(self) -> str:
        """The run's patch."""
        return (self.run / "fix.patch").read_text(encoding="utf-8")

    def events(self) -> list[TrialEvent]:
        """Return the events of trials that the run tells of."""
        return events_of_run(self.run)

    def outcomes(self) -> list[tuple[str, str]]:
        """Return the outcomes that the run tells of, by the name of the module."""
        events = [event for event in events_of_run(self.run) if event.event == "outcome"]
        return [(event.module_id.rpartition("::")[2], event.outcome) for event in events]

    def tree(self) -> dict[str, bytes]:
        """Every file of the unit with its bytes."""
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.read_bytes() for path in files}

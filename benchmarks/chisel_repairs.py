"""Repairs of the bugs of `chisel_real.py`, each in a project of its own, and whether the result is right."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
import socketserver
import sys
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import retouch
from chisel_lec import PROVED, compared
from chisel_models import answer, model_for
from chisel_mutants import Mutant, diff_of, stripped, with_line, write
from chisel_toolchain import HERE, Builds
from retouch._lib.process.verdicts import CheckOptions
from retouch.engine.directory import open_run
from retouch.engine.verbs import generate
from retouch.locate import TrialLedger
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.index import SpanIndex
from retouch.locate.ranking import rank
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.building import Wanted, fix_job, ordered
from retouch.recipes.chisel.trials import events_of_run

if TYPE_CHECKING:
    from collections.abc import Generator


@dataclass(frozen=True, kw_only=True)
class RepairOutcome:
    """How one repair ended: the run's status, its calls, whether the right module was a candidate, and the truth.

    `is_right` is whether the hardware of the final patch is proved to be the wanted one, by a build of its own.
    `refused_by_tool` counts the right answers that failed, or that a tool did not judge.
    """

    status: str
    calls: int
    was_shown: bool
    is_right: bool
    seconds: float
    refused_by_tool: int = 0
    codes: tuple[str, ...] = ()


@contextmanager
def serving(builds: Builds, address: Path) -> Generator[None]:
    """Answer compile commands on a socket."""

    class CompileRequest(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            asked = json.loads(self.rfile.readline())
            built = builds.build(asked["texts"], (asked["top"],))
            self.wfile.write(json.dumps(vars(built)).encode() + b"\n")

    address.unlink(missing_ok=True)
    with socketserver.ThreadingUnixStreamServer(str(address), CompileRequest) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()


def repaired_once(builds: Builds, mutant: Mutant, place: Path, *, kind: str) -> RepairOutcome:
    """Return the outcome of one repair. It is kept below `place`, and read from there the next time."""
    kept = place / "repairs" / kind.replace(", ", "-").replace(" ", "-") / f"{mutant.project}-{mutant.name}.json"
    if kept.exists():
        found: dict[str, Any] = json.loads(kept.read_text("utf-8"))
        found["codes"] = tuple(found["codes"])
        return RepairOutcome(**found)
    outcome = repaired(builds, mutant, place, kind=kind)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
    return outcome


def repaired(builds: Builds, mutant: Mutant, place: Path, *, kind: str) -> RepairOutcome:
    """Repair one bug in a project of its own, and find out whether the result is right."""
    case = place / "mutants" / mutant.project / mutant.name
    work = place / "work" / mutant.project / f"{mutant.name}-{kind.replace(', ', '-').replace(' ', '-')}"
    shutil.rmtree(work, ignore_errors=True)
    texts = dict(builds.originals)
    texts[mutant.path] = with_line(texts[mutant.path], mutant, mutant.wrong)
    for path, text in texts.items():
        write((work / "project" / "src" / path).parent, {Path(path).name: text})
    gold, wrong = (
        {path.name: path.read_text("utf-8") for path in (case / side).glob("*.v")} for side in ("gold", "mutant")
    )
    patch = diff_of(stripped(wrong), stripped(gold))
    diff, index = DiffInfo.from_text(patch), SpanIndex(work / "project" / "src")
    index.build()
    python = shlex.quote(sys.executable)
    wanted = Wanted(
        compile=f"{python} {HERE / 'chisel_client.py'} {place / (mutant.project + '.socket')} {mutant.top}",
        lec=f"{python} {HERE / 'chisel_lec.py'} --wanted {case / 'gold'} --build build --kept {place / 'lec'}",
        inside="src",
    )
    chosen, _ = ordered(diff, rank(diff, index), index, TrialLedger(work / "trials.jsonl"), wanted)
    job = fix_job(patch, diff, chosen, index, wanted)
    model, right = model_for(kind, texts, mutant), answer(texts[mutant.path], mutant.path, mutant.line, mutant.right)
    checks = CheckOptions(unconfined=True)
    options = retouch.RunOptions(workspace=str(work / "project"), check_timeout_s=3_600, checks=checks)
    began = monotonic()
    result = asyncio.run(generate(recipe, job, work / "run", model, options))
    outcome = RepairOutcome(
        status=result.status,
        calls=result.calls,
        was_shown=any(suspect.module_id == mutant.module_id for suspect in job.suspects),
        is_right=_is_right(builds, mutant, work, gold),
        seconds=round(monotonic() - began, 2),
        refused_by_tool=_right_answers_not_proved(work / "run", right),
        codes=tuple(issue.code for issue in result.issues),
    )
    shutil.rmtree(work)
    return outcome


def _right_answers_not_proved(run: Path, right: str) -> int:
    """Return how many replies of a run are exactly the right answer, but did not end as a proved trial."""
    replies = [attempt.reply.text for attempt in open_run(run).history.attempts.values() if attempt.reply is not None]
    proved = sum(event.outcome == "success" and event.proof == "proved" for event in events_of_run(run))
    return max(0, sum(reply.strip() == right.strip() for reply in replies) - proved)


def _is_right(builds: Builds, mutant: Mutant, work: Path, gold: dict[str, str]) -> bool:
    """Apply the patch of the run with another program, build it, and compare the hardware."""
    import subprocess

    patch = work / "run" / "fix.patch"
    if not patch.exists():
        return False
    words = ["patch", "-s", "-p1", "-d", str(work / "project"), "-i", str(patch)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        return False
    changed = (work / "project" / "src" / mutant.path).read_text("utf-8")
    built = builds.build({mutant.path: changed}, (mutant.top,))
    if not built.passed:
        return False
    write(work / "gold", gold)
    write(work / "built", built.verilog)
    return compared(work / "gold", work / "built")[0] == PROVED

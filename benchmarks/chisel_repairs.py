"""Repairs of the bugs of `chisel_real.py`, by models that know the right line and make typical mistakes first."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
import socketserver
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from threading import Thread
from typing import TYPE_CHECKING, Any

import retouch
from chisel_lec import PROVED, compared
from chisel_mutants import CHANGES, Mutant, diff_of, stripped, with_line, write
from chisel_toolchain import HERE, Builds
from retouch._lib.process.verdicts import CheckOptions
from retouch.engine.verbs import generate
from retouch.locate import TrialLedger
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.index import SpanIndex
from retouch.locate.ranking import rank
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.building import Wanted, fix_job, ordered
from retouch.recipes.chisel.faults import faults
from retouch.testing import scripted

if TYPE_CHECKING:
    import re
    from collections.abc import Generator

    from retouch.engine.types import Request

NOT_HERE = "NOT HERE: the line that makes this is not in the code that is shown"
MISTAKES = ("from_memory", "unbalanced", "unknown_name", "wrong_place", "wrong_hardware")


@dataclass(frozen=True, kw_only=True)
class RepairOutcome:
    """How one repair ended: the run's status, its calls, whether the right module was shown, and the truth.

    `is_right` is whether the hardware of the final patch is proved to be the wanted one, by a build of its own.
    """

    status: str
    calls: int
    was_shown: bool
    is_right: bool
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


def answer(text: str, mutant: Mutant, line: str) -> str:
    """Return the block that replaces the wrong line, with as many lines around it as make it unique."""
    lines = text.split("\n")
    first = last = mutant.line - 1
    while text.count("\n".join(lines[first : last + 1])) > 1:
        first, last = max(first - 1, 0), min(last + 1, len(lines) - 1)
    find = "\n".join(lines[first : last + 1])
    changed = "\n".join([*lines[first : mutant.line - 1], line, *lines[mutant.line : last + 1]])
    return f"CHANGE 1: as wanted\nFILE: {mutant.path}\nFIND:\n```\n{find}\n```\nREPLACE WITH:\n```\n{changed}\n```\n"


def other_mistake(mutant: Mutant) -> str:
    """Return another wrong version of the line, or the same one if no other change fits."""
    import re

    found: list[re.Match[str]]
    for kind, pattern, replacement in CHANGES:
        found = list(re.finditer(pattern, mutant.right))
        if kind != mutant.kind and found:
            return mutant.right[: found[0].start()] + replacement + mutant.right[found[0].end() :]
    return f"{mutant.wrong} // as wanted"


def model_for(text: str, mutant: Mutant, *, mistakes: int) -> Any:
    """Return a model that knows the bug. If it is shown the line, it makes `mistakes` mistakes before it is right."""
    random = Random(f"{mutant.project} {mutant.name}")
    chosen = [random.choice(MISTAKES) for _ in range(mistakes)]
    right = answer(text, mutant, mutant.right)
    marked = f"{mutant.line:5} | {mutant.wrong}".rstrip()

    def say(request: Request) -> str:
        if not any(marked in message.text and mutant.path in message.text for message in request.messages):
            return NOT_HERE
        if not chosen:
            return right
        mistake = chosen.pop(0)
        if mistake == "wrong_hardware":
            return answer(text, mutant, other_mistake(mutant))
        return faults[mistake](right, random)

    return scripted(say)


def repaired(builds: Builds, mutant: Mutant, case: Path, place: Path, *, mistakes: int) -> RepairOutcome:
    """Repair one bug in a project of its own, and find out whether the result is right."""
    work = place / "work" / mutant.project / f"{mutant.name}-{mistakes}"
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
        lec=f"{python} {HERE / 'chisel_lec.py'} --wanted {case / 'gold'} --build build",
        inside="src",
    )
    chosen, _ = ordered(diff, rank(diff, index), index, TrialLedger(work / "trials.jsonl"), wanted)
    job = fix_job(patch, diff, chosen, index, wanted)
    model = model_for(texts[mutant.path], mutant, mistakes=mistakes)
    options = retouch.RunOptions(
        workspace=str(work / "project"), check_timeout_s=300, checks=CheckOptions(unconfined=True)
    )
    result = asyncio.run(generate(recipe, job, work / "run", model, options))
    is_right = _is_right(builds, mutant, work, gold)
    shown = any(suspect.module_id == mutant.module_id for suspect in job.suspects)
    codes = tuple(issue.code for issue in result.issues)
    return RepairOutcome(status=result.status, calls=result.calls, was_shown=shown, is_right=is_right, codes=codes)


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

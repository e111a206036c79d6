"""Repairs of the bugs of `chisel_real.py`, by models that know the right line and make typical mistakes first."""

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
from random import Random
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any

import retouch
from chisel_lec import PROVED, compared
from chisel_mutants import CHANGES, Mutant, diff_of, stripped, with_line, write
from chisel_toolchain import HERE, Builds
from retouch._lib.process.verdicts import CheckOptions
from retouch.engine.directory import open_run
from retouch.engine.verbs import generate
from retouch.locate import TrialLedger
from retouch.locate.diffs.info import DiffInfo
from retouch.locate.index import SpanIndex
from retouch.locate.ranking import rank
from retouch.models.offline import offline
from retouch.recipes.chisel import recipe
from retouch.recipes.chisel.building import Wanted, fix_job, ordered
from retouch.recipes.chisel.faults import faults
from retouch.recipes.chisel.trials import events_of_run
from retouch.testing import faulty, scripted

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Generator

    from retouch.engine.types import Model, Prompt, Request

NOT_HERE = "NOT HERE: the line that makes this is not in the code that is shown"
MISTAKES = ("from_memory", "unbalanced", "unknown_name", "wrong_place", "wrong_hardware")
MODELS = ("offline", "faulty", "scripted, 1 mistake", "scripted, 2 mistakes")


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


def model_for(kind: str, text: str, mutant: Mutant) -> Model:
    """Return the model called `kind`. It knows the bug: if it is shown the line, it undoes the change.

    Otherwise it says NOT HERE. "offline" is right at once. "faulty" is "offline" with the failures that Retouch's
    faulty model injects. The scripted ones make mistakes before they are right.
    """
    marked = f"{mutant.line:5} | {mutant.wrong}".rstrip()
    right = answer(text, mutant, mutant.right)

    def sees(text: str) -> bool:
        return marked in text and mutant.path in text

    def known(prompt: Prompt) -> str:
        return right if sees(prompt.user) else NOT_HERE

    seed = f"{mutant.project} {mutant.name}"
    if kind == "offline":
        return offline(known)
    if kind == "faulty":
        return faulty(offline(known), rate=0.6, seed=sum(seed.encode()), heal=0.8, faults=recipe.faults)
    random = Random(seed)
    chosen = [random.choice(MISTAKES) for _ in range(int(kind.split()[1]))]
    return scripted(_after(chosen, text, mutant, random, sees))


def _after(
    chosen: list[str], text: str, mutant: Mutant, random: Random, sees: Callable[[str], bool]
) -> Callable[[Request], str]:
    right = answer(text, mutant, mutant.right)

    def say(request: Request) -> str:
        if not any(sees(message.text) for message in request.messages):
            return NOT_HERE
        if not chosen:
            return right
        mistake = chosen.pop(0)
        if mistake == "wrong_hardware":
            return answer(text, mutant, other_mistake(mutant))
        return faults[mistake](right, random)

    return say


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
    python, text = shlex.quote(sys.executable), texts[mutant.path]
    wanted = Wanted(
        compile=f"{python} {HERE / 'chisel_client.py'} {place / (mutant.project + '.socket')} {mutant.top}",
        lec=f"{python} {HERE / 'chisel_lec.py'} --wanted {case / 'gold'} --build build --kept {place / 'lec'}",
        inside="src",
    )
    chosen, _ = ordered(diff, rank(diff, index), index, TrialLedger(work / "trials.jsonl"), wanted)
    job = fix_job(patch, diff, chosen, index, wanted)
    model, right = model_for(kind, text, mutant), answer(text, mutant, mutant.right)
    options = retouch.RunOptions(
        workspace=str(work / "project"), check_timeout_s=300, checks=CheckOptions(unconfined=True)
    )
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

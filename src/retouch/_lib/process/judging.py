"""Checks new code with the user's own commands: `judge` after an answer, `preflight` before the first model call."""

from __future__ import annotations

import asyncio
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.process.places import UnsafePathError, held_place
from retouch._lib.process.results import ResultStore
from retouch._lib.process.running import Machine, Runner
from retouch._lib.process.trees import scan
from retouch._lib.process.verdicts import (
    CheckOptions,
    CheckStep,
    CommandVerdict,
    of_baseline,
    of_change,
    tampered,
)
from retouch._lib.process.writes import Written, united

_UNSEEN = "the check may not have seen the change: it ran in a copy, and no changed file was opened there"
_STALE = "the check may not have seen the change: it ran in a copy, and opened the old code in the workspace"
_MISSING_PROGRAM = frozenset({126, 127})

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence

    from retouch._lib.process.launch import CommandResult
    from retouch._lib.process.running import InPlace, Results
    from retouch._lib.process.trees import Tree

__all__ = ["CheckOptions", "CheckRequest", "CheckStep", "CommandVerdict", "judge", "preflight", "unreadable"]


@dataclass(frozen=True, kw_only=True)
class CheckRequest:
    """A check to run: the commands in order, the workspace, and how to run them.

    `files` are the paths that a change may touch. If a command that runs in place rewrites one, it is restored. `given`
    maps an environment variable to a text: the variable is set to the path of a file with this text. `in_place` applies
    changes to the workspace and reverts them. `options.in_place` needs it. `cache` is the directory of persistent
    copies, None for the user's cache directory. `fresh` ignores cached results of the untouched workspace. With
    `repeat`, all commands run again in a fresh copy, with the change first. One that ends otherwise than before is a
    failure of the tool. `recall` and `keep` are an additional result store, by key.

    `neutral` returns the text of a file with a change that has no effect, such as a comment. If it is given, new code
    cannot decide its own verdict: if a command passes after it used a file that an earlier command wrote only because
    of the change, it is inconclusive. The neutral change shows what the commands write because of any change.
    """

    steps: tuple[CheckStep, ...]
    workspace: Path
    files: tuple[str, ...] = ()
    limit_s: float = 120.0
    options: CheckOptions = CheckOptions()
    given: Mapping[str, str] = field(default_factory=dict[str, str])
    in_place: InPlace | None = None
    cache: Path | None = None
    fresh: bool = False
    repeat: bool = False
    recall: Callable[[str], Any] | None = None
    keep: Callable[[str, Any], None] | None = None
    neutral: Callable[[str], str] | None = None


def unreadable(command: str) -> str:
    """Return why the shell cannot parse a command, or "" if it can. Nothing is run.

    For example, `pytest 'x` has an unbalanced quote.
    """
    if not command.strip():
        return "it is empty"
    if "\0" in command:
        return "it contains a NUL character"
    done = subprocess.run(["/bin/sh", "-n", "-c", command], capture_output=True, text=True, check=False)
    return done.stderr.strip() if done.returncode else ""


async def judge(question: CheckRequest, texts: Mapping[str, str]) -> list[CommandVerdict]:
    """Run the commands on the workspace with `texts` and return their verdicts, up to the first that did not pass.

    The commands first run on the untouched workspace, unless their results are cached. If `texts` change nothing, only
    the untouched workspace is checked. A lone surrogate in a text is written as the byte it escapes.
    """
    changes = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
    try:
        with _runner(question) as runner:
            return await _Judge(question, runner).judge(changes)
    except UnsafePathError as error:
        first = question.steps[0]
        why = "Name files inside the workspace, not through links that lead out of it."
        return [CommandVerdict(step=first.name, command=first.command, outcome="not_run", why=str(error), next=why)]


async def preflight(question: CheckRequest) -> CommandVerdict | None:
    """Return a verdict if the commands cannot check any change of this workspace, or None if they can.

    For example, a missing program, or a compile command that fails before any change.
    """
    with _runner(question) as runner:
        return await _Judge(question, runner).preflight()


@contextmanager
def _runner(question: CheckRequest) -> Generator[Runner]:
    workspace = question.workspace.resolve()
    with held_place(workspace, question.cache) as place:
        for name, text in question.given.items():
            place.give(name, text)
        yield Runner(
            workspace=workspace,
            place=place,
            store=ResultStore(folder=place.results, recall=question.recall, keep=question.keep),
            options=question.options,
            limit_s=question.limit_s,
            given=question.given,
            in_place=question.in_place,
            guarded=question.neutral is not None,
        )


class _Judge:
    """Runs the commands, first on the untouched workspace."""

    def __init__(self, question: CheckRequest, runner: Runner) -> None:
        self.question, self.runner, self.steps = question, runner, question.steps

    async def preflight(self) -> CommandVerdict | None:
        tree, machine = await self._scan_workspace()
        return await self._refused_by_baseline(machine, tree, await self._baseline(machine, tree))

    async def judge(self, changes: Mapping[str, bytes]) -> list[CommandVerdict]:
        tree, machine = await self._scan_workspace()
        changes = {path: data for path, data in changes.items() if not _holds(self.runner.workspace / path, data)}
        if not changes:
            self.steps = tuple(replace(step, baseline="any") for step in self.steps)
        repeated: Results | None = None
        if changes and self.question.repeat:
            known = await self._baseline(machine, tree, changes)
            self.runner.place.start_anew()
            repeated = await self._with_change(machine, tree, changes, known)
        before = await self._baseline(machine, tree, changes, repeat=self.question.repeat)
        refused = await self._refused_by_baseline(machine, tree, before)
        if refused is not None:
            return [refused]
        after = repeated or (await self._with_change(machine, tree, changes, before) if changes else before)
        return [_with_place(verdict, machine) for verdict in self._compared(machine, before, after, changes)]

    async def _baseline(
        self, machine: Machine, tree: Tree, paths: Iterable[str] = (), *, repeat: bool = False
    ) -> Results:
        """Run the commands on the untouched workspace. In place, its files are restored afterwards."""
        held: dict[str, bytes] = {}
        if machine.kind == "in place":
            names = (name for name in {*self.question.files, *paths} if (self.runner.workspace / name).is_file())
            held = {name: (self.runner.workspace / name).read_bytes() for name in names}
        return await self.runner.run(machine, tree, held, self.steps, recall=not self.question.fresh, repeat=repeat)

    async def _with_change(
        self, machine: Machine, tree: Tree, changes: Mapping[str, bytes], before: Results
    ) -> Results:
        """Run the commands with the change. `before` are their results on the untouched workspace.

        If they pass without opening a changed file, they may have used build products of an earlier command from the
        same text. Then they run again in a copy without build products.
        """
        usual = [_written(result) for result in before] if self.runner.guarded else None
        after = await self.runner.run(machine, tree, changes, self.steps, repeat=self.question.repeat, usual=usual)
        unseen = all(result.good and result.opened == () for result in after)
        if unseen and machine.kind != "in place":
            self.runner.place.start_anew()
            after = await self.runner.run(machine, tree, changes, self.steps, recall=False, usual=usual)
        if usual is not None and after[-1].good and any(result.tampered for result in after):
            return await self._with_neutral_change(machine, tree, changes, usual)
        return after

    async def _with_neutral_change(
        self, machine: Machine, tree: Tree, changes: Mapping[str, bytes], usual: Sequence[Written]
    ) -> Results:
        """Run the commands again, after they have run with a neutral change of the same files.

        For example, `make` writes nothing on the untouched workspace if its products are there already, and all of them
        if a comment has changed.
        """
        assert self.question.neutral is not None  # noqa: S101 - the runner is guarded
        texts = {path: self.question.neutral(_text(self.runner.workspace / path)) for path in changes}
        neutral = {path: text.encode("utf-8", "surrogateescape") for path, text in texts.items()}
        self.runner.place.start_anew()
        control = await self.runner.run(machine, tree, neutral, self.steps)
        known = [united([one, _written(result)]) for one, result in zip(usual, control, strict=False)]
        self.runner.place.start_anew()
        return await self.runner.run(
            machine, tree, changes, self.steps, recall=False, usual=[*known, *usual[len(known) :]]
        )

    async def _scan_workspace(self) -> tuple[Tree, Machine]:
        """Return the workspace's content and how its commands can be run."""
        runner, options = self.runner, self.question.options
        if options.in_place and runner.in_place is not None:
            with runner.in_place(runner.workspace, {}):
                pass  # reverts the changes of an earlier process that was killed
        tree = await asyncio.to_thread(scan, runner.workspace, exclude=options.exclude, known=runner.place.known)
        runner.place.remember(tree)
        return tree, await runner.machine(tree)

    async def _refused_by_baseline(self, machine: Machine, tree: Tree, before: Results) -> CommandVerdict | None:
        """Return the verdict of the first command that cannot check any change, or None if all can."""
        for number, (step, result) in enumerate(zip(self.steps, before, strict=False)):
            refused = of_baseline(step, result)
            if (
                not result.good
                and step.baseline != "fail"
                and await self._works_unconfined(machine, tree, result, number)
            ):
                why = f"`{step.command}` fails before any change, but only when it is confined"
                what_next = "Allow it the network (--check-network), or all that you have (--check-unconfined)."
                refused = replace(
                    refused or of_change(step, result, result), outcome="inconclusive", why=why, next=what_next
                )
            if refused is not None:
                return _with_place(refused, machine)
        return None

    async def _works_unconfined(self, machine: Machine, tree: Tree, result: CommandResult, number: int) -> bool:
        """Return whether a command that fails on the untouched workspace succeeds there without confinement."""
        if not machine.confined or result.status in _MISSING_PROGRAM or machine.kind == "in place":
            return False
        free = replace(self.runner, options=replace(self.question.options, unconfined=True))
        results = await free.run(replace(machine, confined=False), tree, {}, self.steps[: number + 1])
        return len(results) == number + 1 and results[-1].good

    def _compared(
        self, machine: Machine, before: Results, after: Results, changes: Mapping[str, bytes]
    ) -> list[CommandVerdict]:
        """Return the verdicts on the change. In a copy, a verdict needs proof that the command opened the change."""
        verdicts: list[CommandVerdict] = []
        opened: set[str] | None = set()
        for number, (step, result) in enumerate(zip(self.steps, after, strict=False)):
            opened = None if opened is None or result.opened is None else opened | set(result.opened)
            verdict = of_change(step, before[min(number, len(before) - 1)], result)
            if result.tampered and verdict.outcome == "passed":
                verdict = tampered(verdict, result.tampered)
                self.runner.place.start_anew()  # nothing that the change wrote is used again
            if changes:
                verdict = self._proved(verdict, machine, opened, changes)
            verdicts.append(verdict)
        return verdicts

    def _proved(
        self, verdict: CommandVerdict, machine: Machine, opened: set[str] | None, changes: Mapping[str, bytes]
    ) -> CommandVerdict:
        in_copy = machine.kind == "copy"
        root = self.runner.place.copy if machine.kind in {"copy", "bubblewrap"} else self.runner.workspace
        new = None if opened is None else bool(opened & {f"{root}/{path}" for path in changes})
        old = in_copy and opened is not None and any(not Path(one).is_relative_to(root) for one in opened)
        verdict = replace(verdict, saw_change=new and not old if new is not None else None)
        told_apart = verdict.outcome == "inconclusive" or (verdict.outcome == "failed" and verdict.baseline == "passed")
        if not in_copy or verdict.saw_change or told_apart:
            return verdict
        return replace(verdict, outcome="not_run", why=_STALE if old else _UNSEEN, next="Run again with --in-place.")


def _written(result: CommandResult) -> Written:
    return Written(entries=frozenset(result.wrote or ()))


def _text(place: Path) -> str:
    """Return the text of a workspace file. Empty for a new file."""
    try:
        return place.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def _with_place(verdict: CommandVerdict, machine: Machine) -> CommandVerdict:
    return replace(verdict, where=machine.where, confined=machine.confined)


def _holds(place: Path, data: bytes) -> bool:
    """Return whether a workspace file contains exactly these bytes."""
    try:
        return place.read_bytes() == data and not place.is_symlink()
    except OSError:
        return False

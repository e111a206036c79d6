"""A scene, struck at a point: what happened then, and whether anything that must hold does not."""

from __future__ import annotations

import os
import shutil
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Timer
from typing import TYPE_CHECKING, Any, Protocol

from tests.durability import power
from tests.durability.judging import Course, bought_again, broken, differing, looked, said_badly, tree_of, without_ours
from tests.durability.template import Ended
from tests.durability.tracing import Tracer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.durability.points import Point
    from tests.durability.scenes import Scene
    from tests.durability.template import Template


class Way(Protocol):
    """How points are found and struck."""

    def points(self, run: Callable[..., Ended], folder: Path) -> list[Point]: ...
    def faults(self, point: Point) -> list[str]: ...
    def strike(
        self, run: Callable[..., Ended], folder: Path, point: Point, fault: str
    ) -> tuple[Ended, Point | None]: ...


@dataclass(frozen=True, kw_only=True)
class Strike:
    """One fault at one point: where it was meant to be and where it was put, and what was wrong afterwards."""

    point: Point
    fault: str
    hit: Point | None
    wrong: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.fault} at {self.point} ({self.point.number}): {'; '.join(self.wrong)}"


class Exploration:
    """One scene in a folder of its own that is made anew for every strike."""

    def __init__(self, template: Template, scene: Scene, folder: Path) -> None:
        self.scene = scene
        self._template = template
        self._work, self._base = folder / "work", folder / "base"
        self._work.mkdir(parents=True)
        scene.prepare(template, self._work)
        self._work.rename(self._base)
        self._anew()
        template.learn(scene.words, scene.setting(self._work))
        self.course = self._undisturbed()

    def strikes(self, way: Way) -> list[tuple[Point, str]]:
        """Return every point where the command can be struck, with every fault that makes sense there."""
        self._anew()
        points = way.points(self._run_words, self._work)
        assert not differing(self.course.after, tree_of(self._work)), "to look for points disturbs the command"
        return [(point, fault) for point in points for fault in way.faults(point)]

    def strike(self, way: Way, point: Point, fault: str) -> Strike:
        """Strike the command at a point, look, go on, and return what was wrong."""
        self._anew()
        ended, hit = way.strike(self._run_words, self._work, point, fault)
        is_there = fault == "kill" or (hit is not None and hit.path)
        return Strike(point=point, fault=fault, hit=hit, wrong=tuple(self.judged(ended, fault) if is_there else ()))

    def cuts(self, log: Path) -> list[tuple[dict[str, bytes], bytes]]:
        """Return what a cut of the power would leave after each sync, and the requests that were noted by then."""
        self._anew()
        disk, tracer = power.Disk(self._work), Tracer(log, whole=power.CALLS)
        plain = self.scene.setting(self._work)
        setting = replace(plain, environment={**plain.environment, "NOTED": str(self._work / "noted")})
        self._template.run(self.scene.words, setting, at_gate=tracer.attach)
        found = list(disk.cuts(tracer.trace(self._work).text))
        real = {path.relative_to(self._work).as_posix(): path for path in self._work.rglob("*") if path.is_file()}
        assert {name: path.read_bytes() for name, path in real.items()} == disk.seen(), "the trace tells another story"
        return found

    def cut(self, files: Mapping[str, bytes], noted: bytes) -> list[str]:
        """Return what is wrong with a folder that holds these files alone, and when the command is given again."""
        self._anew()
        shutil.rmtree(self._work)
        self._work.mkdir()
        for name, data in files.items():
            (self._work / name).parent.mkdir(parents=True, exist_ok=True)
            (self._work / name).write_bytes(data)
        self._template.noted.write_bytes(noted)
        return self.judged(Ended(status=0, out="", err=""), "kill")

    def limited(self, limit_bytes: int) -> list[str]:
        """Return what is wrong when no file may grow beyond a limit, as when a disk is full, and then may again."""
        self._anew()
        return self.judged(self._run_words(limit_bytes=limit_bytes), "ENOSPC")

    def signalled(self, name: str, share: float) -> list[str]:
        """Return what is wrong when a signal comes after a share of the time that the command takes."""
        self._anew()
        timers: list[Timer] = []

        def begin(pid: int) -> None:
            timers.append(Timer(self._takes_s * share, _send, [pid, getattr(signal, name)]))
            timers[0].start()

        ended = self._template.run(self.scene.words, self.scene.setting(self._work), at_gate=begin)
        timers[0].cancel()
        timers[0].join()
        return self.judged(ended, "SIGINT" if name == "SIGINT" else "kill")

    def judged(self, ended: Ended, fault: str) -> list[str]:
        """Return what is wrong after a command was struck, and after it was given again."""
        wrong: list[str] = []
        if fault != "kill":
            # a negative one: the interpreter itself was already shutting down, and says nothing then
            interrupted = {130, -signal.SIGINT} if fault == "SIGINT" else set[int]()
            wrong += said_badly("the command", ended, {self.course.ended.status, 2, *interrupted})
        tree = without_ours(tree_of(self._work))
        wrong += broken(self.scene, self.course, tree, self._work)
        is_excused = bool(self.scene.excuse) and self.scene.excuse in ended.out
        if fault != "kill" and ended.status == self.course.ended.status and not is_excused:
            wrong += [f"it ended well, but {each}" for each in differing(self.course.after, tree)]
        wrong += looked(self._template, self.scene, self._work)
        return wrong + self._settled(tree)

    def _settled(self, tree: dict[str, str]) -> list[str]:
        was_done = not differing(self.course.after, tree)
        settling = self._run(*(self.scene.settle or self.scene.words))
        end = tree_of(self._work)
        if was_done:
            statuses = {self.course.ended.status, self.course.settled.status}
            clean = without_ours(end)
            changed = differing(self.course.after, clean) if differing(self.course.again, clean) else []
            return [*said_badly("the next one", settling, statuses), *changed]
        wrong = said_badly("the next one", settling, {self.course.ended.status})
        return [*wrong, *bought_again(self._template, self.scene, self.course), *differing(self.course.after, end)]

    def _undisturbed(self) -> Course:
        self._anew()
        before = tree_of(self._work)
        began = time.monotonic()
        ended = self._run(*self.scene.words)
        self._takes_s = time.monotonic() - began
        after, requests = tree_of(self._work), tuple(self._template.requests())
        settled = self._run(*(self.scene.settle or self.scene.words))
        again = tree_of(self._work)
        return Course(before=before, after=after, again=again, ended=ended, settled=settled, requests=requests)

    def _anew(self) -> None:
        shutil.rmtree(self._work, ignore_errors=True)
        shutil.copytree(self._base, self._work)
        self._template.noted.unlink(missing_ok=True)

    def _run(self, *words: str) -> Ended:
        return self._template.run(words, self.scene.setting(self._work))

    def _run_words(self, **more: Any) -> Ended:
        return self._template.run(self.scene.words, self.scene.setting(self._work), **more)


def _send(pid: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, number)

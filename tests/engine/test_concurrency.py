"""Bounded workers, a warm-up for shared system texts, and cancelling that loses nothing."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.options import RunOptions
from retouch.engine.types import Event, Reply
from retouch.engine.verbs import generate
from retouch.errors import BadInput, ModelError, TransportError
from retouch.models.wrappers import retrying
from retouch.testing import scripted
from tests.engine import glossary
from tests.engine.conftest import asked, honest, run
from tests.engine.glossary import Glossary, answer
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from retouch.engine.options import Progress
    from retouch.engine.types import OnEvent, Request
    from tests.engine.conftest import Scene

pytestmark = pytest.mark.concurrency

MANY = Glossary(units={f"u{n}": (f"w{n}",) for n in range(20)})


class Busy:
    """A model that counts how many calls are under way at once, and when each began (`under_way`).

    `silent` gives no sign of life before it replies. Calls reply once `gate` of them are under way, except the first
    one if `first_is_free`.
    """

    name = "busy"

    def __init__(
        self, wait_s: float = 0.01, *, silent: bool = False, gate: int = 0, first_is_free: bool = False
    ) -> None:
        self.wait_s, self.silent, self.gate, self.first_is_free = wait_s, silent, gate, first_is_free
        self.now = self.most = self.calls = 0
        self.under_way: list[int] = []
        self._marks: dict[int, asyncio.Event] = {}

    async def reached(self, count: int) -> None:
        """Wait until so many calls are under way."""
        async with asyncio.timeout(MOST_S):
            await self._until(count).wait()

    def _until(self, count: int) -> asyncio.Event:
        self._marks.setdefault(count, asyncio.Event())
        return self._marks[count]

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        self.now += 1
        self.calls += 1
        self.most = max(self.most, self.now)
        self._until(self.now).set()
        self.under_way.append(self.now)
        if on_event is not None and not self.silent:
            on_event(Event(kind="first_byte"))
        if self.gate and not (self.first_is_free and self.calls == 1):
            await self.reached(self.gate)
        await asyncio.sleep(self.wait_s)
        self.now -= 1
        return Reply(text=answer(request.prompt), model="busy")


@pytest.mark.parametrize("concurrency", [1, 3, 8])
def test_so_many_calls_are_under_way_at_once_and_no_more(scene: Scene, concurrency: int) -> None:
    scene.source, model = MANY, Busy(gate=concurrency)
    scene.generate(model, options=RunOptions(concurrency=concurrency))
    assert (concurrency, 20) == (model.most, model.calls)


@pytest.mark.parametrize("concurrency", [0, -1])
def test_no_calls_at_once_is_refused(scene: Scene, concurrency: int) -> None:
    with pytest.raises(BadInput, match="concurrency"):
        scene.generate(options=RunOptions(concurrency=concurrency))


def test_workers_pull_from_a_queue_and_no_task_waits_per_page(scene: Scene) -> None:
    scene.source = Glossary(units={f"u{n}": (f"w{n}",) for n in range(300)})
    tasks: list[int] = []

    def script(request: Request) -> str:
        tasks.append(len(asyncio.all_tasks()))
        return answer(request.prompt)

    scene.generate(scripted(script), options=RunOptions(concurrency=4))
    assert max(tasks) <= 2 * 4 + 1


def test_the_first_request_of_a_shared_system_text_goes_alone(scene: Scene) -> None:
    scene.source, model = MANY, Busy(0.1, silent=True, gate=8, first_is_free=True)
    scene.generate(model, options=RunOptions(concurrency=8))
    assert [1, *range(1, 9)] == model.under_way[:9]


def test_the_rest_follows_at_the_first_sign_of_life(scene: Scene) -> None:
    scene.source, model = MANY, Busy(gate=20)  # the first one too waits for the rest
    scene.generate(model, options=RunOptions(concurrency=20))
    assert [*range(1, 21)] == model.under_way


def test_different_system_texts_do_not_wait_for_each_other(scene: Scene) -> None:
    def plan(source: Glossary) -> Any:
        return [replace(prompt, system=prompt.unit) for prompt in glossary.plan(source)]

    scene.use(plan=plan)
    scene.source, model = MANY, Busy(silent=True, gate=20)
    scene.generate(model, options=RunOptions(concurrency=20))
    assert 20 == model.most


def test_when_the_first_fails_the_next_goes_first(scene: Scene) -> None:
    begun: list[float] = []

    async def script(request: Request) -> Any:
        begun.append(time.monotonic())
        number = len(begun)
        await asyncio.sleep(0.05)
        return TransportError("reset") if number <= 2 else answer(request.prompt)

    scene.source = MANY
    result = scene.generate(scripted(script), options=RunOptions(concurrency=8))
    assert ("incomplete", 18) == (result.status, result.calls)
    assert begun[1] - begun[0] >= 0.05
    assert begun[2] - begun[1] >= 0.05


def test_a_time_limit_frees_all_that_wait_for_the_first(scene: Scene) -> None:
    scene.source, model = MANY, Busy(silent=True, gate=20)
    scene.generate(model, options=RunOptions(concurrency=20, warm_up_s=0.05))
    assert 20 == model.most


def test_a_cancelled_run_keeps_the_replies_that_come_within_the_time_of_grace(scene: Scene) -> None:
    async def cancelled(grace_s: float, model: Busy) -> float:
        options = RunOptions(concurrency=4, grace_s=grace_s)
        work = asyncio.ensure_future(generate(scene.recipe, MANY, scene.folder, model, options))
        await model.reached(4)
        began = time.monotonic()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        return time.monotonic() - began

    run(cancelled(60.0, Busy(0.2)))
    attempts = list(scene.history.attempts.values())
    assert (4, 4) == (len(attempts), len([a for a in attempts if a.reply is not None]))
    scene.source, model = MANY, Busy(0.0)
    assert "verified" == scene.generate(model).status
    assert 16 == model.calls


def test_a_reply_that_takes_too_long_after_a_cancel_is_given_up_in_words(scene: Scene) -> None:
    async def cancelled(model: Busy) -> float:
        options = RunOptions(concurrency=4, grace_s=0.1, warm_up_s=0.01)
        work = asyncio.ensure_future(generate(scene.recipe, MANY, scene.folder, model, options))
        await model.reached(4)
        began = time.monotonic()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert 1 == len(asyncio.all_tasks())
        return time.monotonic() - began

    assert run(cancelled(Busy(600.0))) < MOST_S
    assert ["CancelledError: "] * 4 == [attempt.error for attempt in scene.history.attempts.values()]


def test_two_models_failing_at_once_raise_one_error_and_leave_no_noise(
    scene: Scene, capsys: pytest.CaptureFixture[str]
) -> None:
    gate = asyncio.Event()

    async def script(request: Request) -> Any:
        if request.prompt.unit == "animals":
            gate.set()
        await gate.wait()
        return ModelError(f"no credit for {request.prompt.unit}")

    with pytest.raises(ModelError, match="no credit"):
        scene.generate(scripted(script), options=RunOptions(warm_up_s=0.001))
    assert "" == capsys.readouterr().err


def test_a_failing_model_ends_the_run_and_what_was_under_way_is_kept(scene: Scene) -> None:
    under_way: list[str] = []
    all_are, failed = asyncio.Event(), asyncio.Event()

    async def script(request: Request) -> Any:
        under_way.append(request.prompt.unit)
        if len(under_way) == 8:
            all_are.set()
        await all_are.wait()
        if request.prompt.unit == "u3":
            failed.set()
            return ModelError("no credit")
        await failed.wait()
        await asyncio.sleep(0.1)
        return answer(request.prompt)

    scene.source = MANY
    with pytest.raises(ModelError):
        scene.generate(scripted(script), options=RunOptions(concurrency=8, warm_up_s=0.001, grace_s=60.0))
    model = honest()
    assert "verified" == scene.generate(model).status
    assert len(asked(model)) <= 20 - 7


def test_progress_tells_how_much_is_done(scene: Scene) -> None:
    seen: list[tuple[str, int, int]] = []

    def watch(progress: Progress) -> None:
        seen.append((progress.kind, progress.done, progress.total))

    scene.generate(watch=watch)
    assert ("done", 3, 3) == seen[-1]
    assert {"asked", "answered", "settled", "checking", "checked", "text", "done"} == {kind for kind, _, _ in seen}
    assert sorted(done for _, done, _ in seen) == [done for _, done, _ in seen]


def test_progress_tells_of_each_wait_for_a_server_and_why(scene: Scene) -> None:
    waits: list[str] = []

    def watch(progress: Progress) -> None:
        if progress.kind == "waiting":
            waits.append(f"{progress.unit} {progress.page}: {progress.text}")

    async def at_once(_seconds: float) -> None:
        pass

    lost = [TransportError("HTTP 503", retry_after_s=7.0)]
    model = scripted(lambda request: lost.pop() if lost else answer(request.prompt))
    scene.generate(retrying(model, sleep=at_once), watch=watch)
    assert ["animals 1: HTTP 503 (try 1 failed, the next one in 7 s)"] == waits

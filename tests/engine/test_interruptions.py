"""Whatever is raised while a verb works, no task stays pending and no exception stays unretrieved."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch import aio
from retouch._lib.run_sync import run_sync
from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.types import Reply
from retouch.fleet import in_tasks
from tests.engine.conftest import Scene, answer
from tests.engine.glossary import RECIPE, SOURCE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from retouch.engine.options import Progress
    from retouch.engine.types import Model, OnEvent, Request

pytestmark = pytest.mark.concurrency

RAISED = [KeyboardInterrupt, SystemExit, GeneratorExit, RuntimeError, MemoryError]


def raising(error: type[BaseException], *, after: int = 1) -> Model:
    """A model that answers `after` requests, while others wait, and then raises."""
    begun = 0

    async def model(request: Request, *, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG001 - the protocol
        nonlocal begun
        begun += 1
        if begun == after + 1:
            await asyncio.sleep(0)
            raise error
        await asyncio.sleep(30 if begun > after and error is not asyncio.CancelledError else 0)
        return Reply(text=answer(request.prompt), model="raising")

    return model


def in_a_loop(folder: Path, model: Model) -> None:
    """Call the synchronous verb where a loop is running, as a notebook does."""

    async def notebook() -> None:
        retouch.generate(RECIPE, SOURCE, folder, model, WAY)

    asyncio.run(notebook())


def synchronously(folder: Path, model: Model) -> None:
    retouch.generate(RECIPE, SOURCE, folder, model, WAY)


def awaited(folder: Path, model: Model) -> None:
    asyncio.run(aio.generate(RECIPE, SOURCE, folder, model, WAY))


WAY = RunOptions(grace_s=0.05)


@pytest.mark.parametrize("verb", [synchronously, in_a_loop, awaited])
@pytest.mark.parametrize("error", RAISED)
def test_what_a_model_raises_ends_the_verb_and_leaves_no_task_behind(
    tmp_path: Path,
    verb: Callable[[Path, Model], None],
    error: type[BaseException],
    asyncio_errors: Callable[[], list[str]],
):
    with pytest.raises(error):
        verb(tmp_path / "run", raising(error))
    assert [] == asyncio_errors()
    in_flight = [one for one in open_run(tmp_path / "run").history.attempts.values() if one.reply is None]
    assert all(one.error is not None for one in in_flight)
    assert "verified" == retouch.generate(RECIPE, SOURCE, tmp_path / "run", raising(error, after=99)).status


def test_a_call_that_the_models_client_cancelled_is_a_failed_call_and_not_the_end(
    tmp_path: Path, asyncio_errors: Callable[[], list[str]]
):
    result = retouch.generate(RECIPE, SOURCE, tmp_path / "run", raising(asyncio.CancelledError, after=1), WAY)
    assert "incomplete" == result.status
    errors = [one.error for one in open_run(tmp_path / "run").history.attempts.values() if one.error is not None]
    assert ["TransportError: the model's client cancelled its own call"] == errors
    assert [] == asyncio_errors()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("function", ["read", "check", "assemble", "repair"])
def test_what_a_function_of_a_recipe_raises_leaves_no_task_behind(
    scene: Scene, error: type[BaseException], function: str, asyncio_errors: Callable[[], list[str]]
):
    def raises(*_: Any) -> Any:
        raise error

    scene.use(**{function: raises})
    with pytest.raises(error):
        scene.generate(raising(RuntimeError, after=99) if function != "repair" else broken())
    assert [] == asyncio_errors()


def broken() -> Model:
    """A model whose answers cannot be read."""

    async def model(request: Request, *, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG001 - the protocol
        return Reply(text=f"no equals sign for {request.prompt.unit}", model="broken")

    return model


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
@pytest.mark.parametrize("kind", ["asked", "answered", "settled", "done"])
def test_what_a_watcher_raises_leaves_no_task_behind(
    tmp_path: Path, error: type[BaseException], kind: str, asyncio_errors: Callable[[], list[str]]
):
    def watch(progress: Progress) -> None:
        if progress.kind == kind:
            raise error

    with pytest.raises(error):
        retouch.generate(RECIPE, SOURCE, tmp_path / "run", raising(error, after=99), RunOptions(watch=watch))
    assert [] == asyncio_errors()


def test_a_model_that_ignores_its_cancellation_does_not_hold_up_the_run(tmp_path: Path):
    ended: list[int] = []

    async def stubborn(request: Request, *, on_event: OnEvent | None = None) -> Reply:  # noqa: ARG001 - the protocol
        if request.prompt.page == 2:
            raise KeyboardInterrupt
        for _ in range(3):
            try:
                await asyncio.sleep(0.2)
            except asyncio.CancelledError:
                ended.append(request.prompt.page)
        return Reply(text=answer(request.prompt), model="stubborn")

    with pytest.raises(KeyboardInterrupt):
        retouch.generate(RECIPE, SOURCE, tmp_path / "run", stubborn, WAY)
    assert ended


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_in_one_of_many_tasks_ends_them_all(
    error: type[BaseException], asyncio_errors: Callable[[], list[str]]
):
    ended: list[int] = []

    async def work(task: int) -> None:
        try:
            await asyncio.sleep(0 if task == 1 else 30)
        finally:
            ended.append(task)
        raise error

    async def all_of_them() -> None:
        async for _ in in_tasks(work, range(5), at_once=3):
            pass

    with pytest.raises(error):
        run_sync(all_of_them())
    assert {0, 1, 2} == set(ended)
    assert [] == asyncio_errors()


def test_an_error_raised_synchronously_has_no_false_cause():
    async def fails() -> None:
        raise ValueError("from within")

    with pytest.raises(ValueError, match="from within") as caught:
        run_sync(fails())
    assert None is caught.value.__context__

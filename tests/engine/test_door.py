"""The synchronous door, and names of recipes and models."""

from __future__ import annotations

import asyncio
import threading

import pytest

from retouch._lib.run_sync import run_sync, synchronous
from retouch.engine.recipe import find_recipe, open_model, recipe_names
from retouch.errors import UnknownName
from tests.waiting import MOST_S


async def doubled(number: int) -> int:
    """Return twice the number."""
    await asyncio.sleep(0)
    return 2 * number


async def fails() -> None:
    await asyncio.sleep(0)
    raise ValueError("from within")


def test_work_is_waited_for_where_no_loop_runs() -> None:
    assert 42 == run_sync(doubled(21))


def test_work_is_waited_for_where_a_loop_is_running_already() -> None:
    async def notebook() -> int:
        return run_sync(doubled(21))

    assert 42 == asyncio.run(notebook())


def test_errors_come_through_both_ways() -> None:
    async def notebook() -> None:
        run_sync(fails())

    for work in (fails, notebook):
        with pytest.raises(ValueError, match="from within"):
            run_sync(work())


def test_an_interrupt_while_a_loop_is_running_ends_the_work_too() -> None:
    ended = threading.Event()

    async def long() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            ended.set()

    async def notebook() -> None:
        timer = threading.Timer(0.2, _interrupt)
        timer.start()
        run_sync(long())

    def _interrupt() -> None:
        import signal

        signal.raise_signal(signal.SIGINT)

    with pytest.raises((KeyboardInterrupt, asyncio.CancelledError)):
        asyncio.run(notebook())
    assert ended.wait(MOST_S)


def test_a_synchronous_verb_keeps_its_name_and_its_parameters() -> None:
    plain = synchronous(doubled)
    assert (42, "doubled", "Return twice the number.") == (plain(number=21), plain.__name__, plain.__doc__)


@pytest.mark.parametrize("name", ["glosary", "", "../csharp"])
def test_an_unknown_recipe_is_answered_with_those_that_are_there(name: str) -> None:
    with pytest.raises(UnknownName, match=", ".join(recipe_names())) as unknown:
        find_recipe(name)
    assert repr(name) in unknown.value.message


@pytest.mark.parametrize("spec", ["gpt", "gpt:4", ":", ""])
def test_an_unknown_model_is_answered_with_those_that_are_there(spec: str) -> None:
    with pytest.raises(UnknownName, match=r"faulty, .*offline"):
        open_model(spec)


def test_a_known_recipe_is_found_by_its_name() -> None:
    assert "csharp" == find_recipe("csharp").name

"""While a run is at work cycles are looked for less often, and afterwards as often as before."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

from retouch._lib.relaxed_gc import relaxed_gc
from retouch.testing import scripted
from tests.engine.glossary import answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.engine.types import Request
    from tests.engine.conftest import Scene

USUAL = (700, 10, 10)


@pytest.fixture(autouse=True)
def usual() -> Iterator[None]:
    """Let each test begin with what Python sets itself, and leave what was."""
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_a_run_looks_for_garbage_seldom_while_it_asks_and_as_before_afterwards(scene: Scene) -> None:
    seen: list[int] = []

    def script(request: Request) -> str:
        seen.append(gc.get_threshold()[0])
        return answer(request.prompt)

    scene.generate(scripted(script))
    assert {50_000} == set(seen)
    assert USUAL == gc.get_threshold()


def test_runs_side_by_side_put_back_what_was_before_the_first_in_any_order() -> None:
    first, second = relaxed_gc(), relaxed_gc()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert 50_000 == gc.get_threshold()[0]
    second.__exit__(None, None, None)
    assert USUAL == gc.get_threshold()


@pytest.mark.parametrize("own", [(0, 10, 10), (100_000, 5, 5)])
def test_who_looks_less_often_already_is_left_alone(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with relaxed_gc():
        assert own == gc.get_threshold()
    assert own == gc.get_threshold()


def test_what_somebody_sets_meanwhile_stays() -> None:
    with relaxed_gc():
        gc.set_threshold(2_000, 10, 10)
    assert (2_000, 10, 10) == gc.get_threshold()


def test_a_failure_puts_back_what_was_before() -> None:
    with pytest.raises(RuntimeError), relaxed_gc():
        raise RuntimeError
    assert USUAL == gc.get_threshold()

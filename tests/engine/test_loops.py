"""An answer that repeats itself without end is stopped, and its page is asked again in another way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.planned_calls import first_call, request_for
from retouch.engine.types import Event, Reply
from retouch.text import LoopDetector
from tests.engine.conftest import Scene, cut, honest, one_at_a_time, states, wrong_first

if TYPE_CHECKING:
    from retouch.engine.options import Progress
    from retouch.engine.types import OnEvent, Request

BLOCK = """public class Axe
{
    public string Handle { get; set; } = string.Empty;
    public int Edge { get; set; }
}

"""
LOOP = BLOCK * 60
CALM = Reply(text=LOOP, finish="length", model="m", output_tokens=8192)


class Looping:
    """A model whose first answer repeats a block until it is stopped, and then answers as `then`."""

    name = "looping"

    def __init__(self) -> None:
        self.sent = 0
        self.requests: list[Request] = []
        self._then = honest()

    async def __call__(self, request: Request, *, on_event: OnEvent | None = None) -> Reply:
        self.requests.append(request)
        if len(self.requests) > 1 or on_event is None:
            return await self._then(request, on_event=on_event)
        for _ in range(1_000):
            self.sent += 1
            on_event(Event(kind="text", text=BLOCK))
        return replace(CALM, text=BLOCK * 1_000)


def test_an_answer_that_repeats_itself_is_stopped_in_the_stream(scene: Scene) -> None:
    model = Looping()
    result = scene.generate(model)
    assert ("verified", True) == (result.status, model.sent < 12)
    first = min(scene.history.attempts.values(), key=lambda one: one.seq)
    assert first.reply is not None
    assert ("repeated", BLOCK * model.sent) == (first.reply.finish, first.reply.text)


def test_a_loop_is_not_a_truncation_so_the_cap_stays_and_the_temperature_changes(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [CALM]})
    result = scene.generate(model, options=RunOptions(temperature=0.0))
    tools = [request for request in model.requests if request.prompt.unit == "tools"]
    assert [(8192, 0.0), (8192, 1.0)] == [(one.max_output_tokens, one.temperature) for one in tools]
    assert "verified" == result.status


def test_the_correction_after_a_loop_holds_nothing_of_it(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [CALM]})
    scene.generate(model)
    again = [request for request in model.requests if request.prompt.unit == "tools"][1]
    assert not any("public class Axe" in message.text for message in again.messages)
    assert any("repeated itself without end" in message.text for message in again.messages)


def test_loops_use_the_retry_budget_and_end_exhausted(scene: Scene) -> None:
    result = scene.generate(wrong_first({("tools", 1): [CALM] * 9}))
    assert ("exhausted", "exhausted") == (result.status, states(result)["tools"])
    assert ["page 1 of 'tools' repeated itself without end and was stopped"] == [one.message for one in result.issues]


def test_without_the_guard_a_loop_is_cut_off_like_any_other_answer(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [CALM]})
    scene.generate(model, options=RunOptions(loop_guard=False))
    caps = [request.max_output_tokens for request in model.requests if request.prompt.unit == "tools"]
    assert [8192, 16384] == caps


def test_an_answer_that_was_cut_off_without_a_loop_is_a_truncation(scene: Scene) -> None:
    model = wrong_first({("tools", 1): [cut()]})
    scene.generate(model)
    assert [8192, 16384] == [one.max_output_tokens for one in model.requests if one.prompt.unit == "tools"]


def test_an_unchecked_loop_of_a_killed_run_is_used_and_not_bought_again(scene: Scene) -> None:
    """A changed temperature would be another request, so that the reply would not be found."""

    def killed(progress: Progress) -> None:
        if progress.kind == "answered":
            raise KeyboardInterrupt

    model = wrong_first({("animals", 1): [CALM]})
    with pytest.raises(KeyboardInterrupt):
        scene.generate(model, options=one_at_a_time(watch=killed))
    view = open_run(scene.folder)
    request = request_for(first_call(view.prompts[0], model), view.history, one_at_a_time())
    assert [(request, "scripted")] == list(view.history.unchecked)


def detected(text: str, *, known: tuple[str, ...] = (), step: int = 17) -> str | None:
    """Return the text that is kept of a loop, None if `text` is none."""
    detector = LoopDetector(known)
    for at in range(0, len(text), step):
        if detector.feed(text[at : at + step]):
            return detector.kept
    assert text == detector.text
    assert detector.is_loop() == LoopDetector(known, text=text).is_loop()
    return detector.kept if detector.is_loop() else None


@pytest.mark.slow
@given(head=st.text(max_size=300), block=st.text(min_size=150, max_size=900), step=st.integers(1, 3_000))
def test_every_endless_block_is_found_and_one_copy_is_kept(head: str, block: str, step: int) -> None:
    kept = detected(head + block * 40, step=step)
    assert kept is not None
    assert (head + block * 40).startswith(kept)
    assert len(kept) <= len(head) + 2 * len(block)


@given(lines=st.lists(st.text(min_size=1, max_size=80), unique=True, max_size=120), step=st.integers(1, 500))
def test_a_text_without_a_repeated_line_is_no_loop(lines: list[str], step: int) -> None:
    text = "".join(f"{number}: {line}\n" for number, line in enumerate(lines))
    assert None is detected(text, step=step)


ROW = '{"name": "' + "x" * 130 + '", "size": 1},\n'


@pytest.mark.parametrize(
    ("text", "is_loop"),
    [
        ("| a row of a table | with some cells | that are equal |\n" * 4, False),
        (BLOCK * 3, False),
        (BLOCK * 6, True),
        ("[\n" + ROW * 9, False),
        ("[\n" + ROW * 30, True),
        ("```json\n[\n" + ROW * 9, False),
        ("-" * 1_500, False),
        ("-" * 4_000, True),
        ("0, " * 500, False),
        ("no end " * 600, True),
    ],
)
def test_what_repeats_for_a_good_reason_is_no_loop(text: str, is_loop: bool) -> None:
    assert is_loop is (detected(text) is not None)


def test_a_copy_of_what_the_request_repeats_is_no_loop() -> None:
    assert None is detected(LOOP, known=(f"Keep this:\n{LOOP}",))
    assert None is not detected(LOOP, known=(f"Keep this:\n{BLOCK}",))

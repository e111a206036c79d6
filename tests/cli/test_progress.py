"""What a person is told of spending while a run works."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.cli.progress import Bar, Lines, Live, Meter
from retouch.engine.options import Progress
from retouch.engine.types import Reply

if TYPE_CHECKING:
    import pytest


def answered(done: int, *, cost: float | None = 0.01, total: int = 10) -> Progress:
    reply = Reply(text="", model="m", input_tokens=1_000, output_tokens=200, cached_tokens=250, cost=cost)
    return Progress(kind="answered", unit="Pet", page=1, done=done, total=total, reply=reply)


def metered(*events: Progress) -> Meter:
    meter = Meter()
    for event in events:
        meter = meter.after(event)
    return meter


def test_sums_and_what_is_left_are_told() -> None:
    asked = Progress(kind="asked", done=2, total=10)
    words = metered(asked, answered(2), answered(3), answered(4)).words
    assert "$0.0300, 3 calls, 3,600 tokens, 25% of input cached; about 9 calls, $0.0900 to go" == words


def test_nothing_is_told_before_the_first_call_and_no_rest_at_the_end() -> None:
    assert "" == metered(Progress(kind="checking", done=0, total=3)).words
    words = metered(Progress(kind="asked", done=0, total=1), answered(1, total=1)).words
    assert "$0.0100, 1 call, 1,200 tokens, 25% of input cached" == words


def test_an_unknown_price_is_never_zero() -> None:
    words = metered(Progress(kind="asked", done=0, total=9), answered(1), answered(2, cost=None)).words
    assert "cost unknown" in words
    assert "$" not in words


def test_piped_output_tells_the_sums_rarely(capsys: pytest.CaptureFixture[str]) -> None:
    often, rarely = Lines(every_s=0.0), Lines(every_s=60.0)
    for lines in (often, rarely):
        lines(Progress(kind="asked", done=0, total=10))
        lines(answered(1))
    assert 1 == capsys.readouterr().err.count("1 call, 1,200 tokens")


def test_waits_and_failures_for_one_reason_are_one_line_until_a_reply_arrives(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines(wait_s=0.0)
    waits = [
        Progress(kind="waiting", unit="Pet", page=n, text=f"refused (try {n} failed, the next one in 1 s)", total=9)
        for n in (1, 2)
    ]
    for event in (*waits, Progress(kind="failed", unit="Pet", page=1, text="TransportError: refused", total=9)):
        lines(event)
    assert ["[0/9] waiting Pet page 1: refused (try 1 failed, the next one in 1 s)"] == capsys.readouterr().err.split(
        "\n"
    )[:-1]
    lines(answered(1))
    lines(waits[0])
    assert 1 == capsys.readouterr().err.count("refused")


def test_of_many_waits_for_a_server_a_log_tells_a_few_and_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    texts = ("HTTP 503", "HTTP 429", "cut")
    waits = [Progress(kind="waiting", unit="Pet", page=n, text=text, total=9) for n, text in enumerate(texts, 1)]
    few, all_of_them = Lines(wait_s=60.0), Lines(wait_s=0.0)
    for event in waits:
        few(event)
    assert "[0/9] waiting Pet page 1: HTTP 503\n" == capsys.readouterr().err
    for event in waits:
        all_of_them(event)
    assert 3 == capsys.readouterr().err.count("waiting")


def test_the_live_line_tells_the_sums() -> None:
    shown: list[str] = []

    class Kept(Bar):
        def show(self, done: int, total: int, words: str) -> None:  # noqa: ARG002 - as the bar's
            shown.append(words)

    live = Live(Kept(None, None, room=lambda: 80))
    live(Progress(kind="asked", unit="Pet", done=0, total=10))
    live(answered(1))
    assert "waiting for 1 reply · Pet" == shown[0]
    assert "$0.0100 · Pet · about 9 calls, $0.0900 to go · 1 call, 1,200 tokens, 25% of input cached" == shown[1]

"""The calls of a run over time, in at most 96 equal steps, each with its tokens and the share that was cached."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from retouch.engine.usage import FIRST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.engine.types import Attempt

_STEPS = 96
HEIGHT = 100.0


@dataclass(frozen=True, kw_only=True)
class CallStep:
    """The calls that started within one step. Heights are in percent of the highest step."""

    at: str
    calls: int
    failed: int
    repairs: int
    input_tokens: int
    cached_tokens: int
    height: float
    cached_height: float


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """All steps, oldest first. `seconds` is the time between the first and the last call."""

    steps: Sequence[CallStep]
    seconds: float
    first: str
    last: str
    calls: int
    cached_share: float


def timeline_of(attempts: Sequence[Attempt]) -> Timeline:
    """Return the timeline of the attempts. Times without any call have no step."""
    timed = sorted(((_seconds(one.at), one) for one in attempts if one.at), key=lambda pair: pair[0])
    if not timed:
        return Timeline(steps=(), seconds=0.0, first="", last="", calls=0, cached_share=0.0)
    start, end = timed[0][0], timed[-1][0]
    span = max(end - start, 1e-6)
    steps: dict[int, list[Attempt]] = {}
    for at, one in timed:
        steps.setdefault(min(int((at - start) / span * _STEPS), _STEPS - 1), []).append(one)
    most = max(len(members) for members in steps.values())
    total = sum(one.reply.input_tokens for _, one in timed if one.reply)
    cached = sum(one.reply.cached_tokens for _, one in timed if one.reply)
    return Timeline(
        steps=[_step(steps.get(number, ()), most) for number in range(_STEPS)],
        seconds=end - start,
        first=timed[0][1].at,
        last=timed[-1][1].at,
        calls=len(timed),
        cached_share=cached / total if total else 0.0,
    )


def _step(members: Sequence[Attempt], most: int) -> CallStep:
    replies = [one.reply for one in members if one.reply is not None]
    tokens = sum(reply.input_tokens for reply in replies)
    cached = sum(reply.cached_tokens for reply in replies)
    height = len(members) / most * HEIGHT
    return CallStep(
        at=members[0].at if members else "",
        calls=len(members),
        failed=sum(bool(one.error) for one in members),
        repairs=sum(one.why != FIRST for one in members),
        input_tokens=tokens,
        cached_tokens=cached,
        height=height,
        cached_height=height * cached / tokens if tokens else 0.0,
    )


def _seconds(at: str) -> float:
    try:
        return datetime.fromisoformat(at).timestamp()
    except ValueError:
        return 0.0

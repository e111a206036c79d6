"""Transport faults between a model and its client, by name, by script or at a rate."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from random import Random
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from retouch.models.tokens import cut_to_tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from retouch.engine.types import Reply

Kind: TypeAlias = Literal[
    "status",
    "slow_head",
    "slow_body",
    "stall",
    "cut_head",
    "cut_body",
    "early_end",
    "error_event",
    "garbage",
    "wrong_shape",
    "wrong_type",
    "html",
    "truncation",
    "refusal",
    "duplicate_id",
]


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One fault of one response.

    kind          "status" responds with the error `status`, `headers` and `message` without calling a model; the
                  other kinds are described in `FAULTS`
    seconds       the delay of a slow head or body, or the longest duration of a stall
    after_events  the number of stream events before it stalls, ends, or is aborted
    """

    kind: Kind
    status: int = 500
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    message: str = "scripted failure"
    seconds: float = 0.0
    after_events: int = 6


def status(code: int, *, retry_after: str = "", retry_after_ms: str = "", message: str = "") -> Fault:
    """Return the fault that responds with `code`. `retry_after` is sent unchanged: seconds, or an HTTP date."""
    text = message or f"scripted failure {code}"
    headers = {"retry-after": retry_after, "retry-after-ms": retry_after_ms}
    given = {name: value for name, value in headers.items() if value}
    return Fault(kind="status", status=code, headers=given, message=text)


def retry_after_date(seconds: float, now: float) -> str:
    """Return the HTTP date `seconds` after `now` (seconds since 1970), for a Retry-After header."""
    return formatdate(now + seconds, usegmt=True)


FAULTS: Mapping[str, Fault] = {
    "429": status(429),
    "429_retry_after": status(429, retry_after="1"),
    "429_retry_after_ms": status(429, retry_after_ms="50"),
    "529": status(529),
    "500": status(500),
    "502": status(502),
    "503": status(503),
    "408": status(408),
    "409": status(409),
    "slow_head": Fault(kind="slow_head", seconds=0.2),  # nothing is sent for a while
    "slow_body": Fault(kind="slow_body", seconds=0.2),  # the response is sent slowly
    "stall": Fault(kind="stall", seconds=30.0),  # the response starts and stops, with an open connection
    "cut_head": Fault(kind="cut_head"),  # the connection is reset before any byte
    "cut_body": Fault(kind="cut_body"),  # the connection is reset within the response
    "early_end": Fault(kind="early_end"),  # the stream ends regularly but too early
    "error_event": Fault(kind="error_event"),  # the stream is aborted by an error event
    "garbage": Fault(kind="garbage"),  # a body that is not JSON
    "wrong_shape": Fault(kind="wrong_shape"),  # JSON with another structure
    "wrong_type": Fault(kind="wrong_type"),  # the right body, sent as text/plain
    "html": Fault(kind="html"),  # an HTML page with status 200
    "truncation": Fault(kind="truncation"),  # the answer is cut in half, with finish reason length
    "refusal": Fault(kind="refusal"),  # the model refuses
    "duplicate_id": Fault(kind="duplicate_id"),  # the id of the previous response
}

FaultScript: TypeAlias = "Callable[[int, Mapping[str, Any]], Fault | None] | Sequence[Fault | None]"


def at_rate(rate: float, *, seed: int = 0, kinds: Sequence[str] = tuple(FAULTS), most: int = 3) -> FaultScript:
    """Return a script with one of the faults called `kinds` on a share `rate` of calls.

    The result depends on the seed, on the body and on the number of times it was sent, never on the order of calls. A
    body that was sent more than `most` times is answered, so that a test ends.

    Raises:
        ValueError: `rate` is not between 0 and 1, or a kind is not in `FAULTS`.
    """
    unknown = [kind for kind in kinds if kind not in FAULTS]
    if unknown or not 0.0 <= rate <= 1.0 or not kinds:
        raise ValueError(f"rate {rate!r} must be from 0 to 1, kinds of {list(FAULTS)}; unknown: {unknown}")
    sent: Counter[str] = Counter()

    def script(_call: int, body: Mapping[str, Any]) -> Fault | None:
        key = repr(body)
        sent[key] += 1
        random = Random(f"{seed}|{sent[key]}|{key}")  # noqa: S311 - reproducible on purpose
        if sent[key] > most or random.random() >= rate:
            return None
        return FAULTS[random.choice(list(kinds))]

    return script


def fault_of(script: FaultScript, call: int, body: Mapping[str, Any]) -> Fault | None:
    """Return the fault of call number `call` (from 0), or None if there is none or the list has ended."""
    if callable(script):
        return script(call, body)
    return script[call] if call < len(script) else None


def with_model_fault(reply: Reply, fault: Fault | None) -> Reply:
    """Return `reply` changed by a fault of the model itself: half of it, or a refusal."""
    if fault is None or fault.kind not in {"truncation", "refusal"}:
        return reply
    if fault.kind == "refusal":
        return replace(reply, text="I can't help with that.", finish="refused", output_tokens=7)
    half = max(reply.output_tokens // 2, 1)
    return replace(reply, text=cut_to_tokens(reply.text, half), finish="length", output_tokens=half)

"""What stands behind the question mark of a model's spec: limits, sampling, prices."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

_EFFORT = re.compile(r"[a-z]{2,20}")
_FOR_EVER = 1e9  # seconds, calls or tokens: more is not a limit


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """Limits of one model; in a spec they stand behind the question mark by these names.

    tries                how often one request is sent in all while passing failures come back
    first_wait_s         the wait after the first failure; it doubles up to `max_wait_s`
    max_wait_s           a server that asks for a longer wait than this ends the tries
    first_byte_s         how long an answer may take to begin
    idle_s               how long it may then be silent
    call_s               how long it may take in all
    concurrency          the most calls under way at once; it halves when the server says 429, and grows back
    requests_per_minute  and tokens_per_minute (input and the output that was seen): 0 is no limit
    first_poll_s         when a batch is first looked at; the time between two looks grows up to `max_poll_s`
    cache                "auto" lets a plan place cache markers, "hour" lets entries live for an hour, at a higher
                         price, "none" sends none
    price_in, price_out  US dollars per million tokens, for a model whose price is not known
    temperature, top_p   sampling; a command's own temperature goes before
    seed                 the random seed, where the provider takes one
    effort               how much a model may reason before it answers, in the provider's words: minimal, low, ...
    """

    tries: int = 8
    first_wait_s: float = 1.0
    max_wait_s: float = 120.0
    first_byte_s: float = 300.0
    idle_s: float = 120.0
    call_s: float = 1_800.0
    concurrency: int = 64
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    first_poll_s: float = 5.0
    max_poll_s: float = 60.0
    cache: str = "auto"
    price_in: float | None = None
    price_out: float | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    effort: str | None = None


_OPTIONAL: Mapping[str, type] = {
    **dict.fromkeys(("price_in", "price_out", "temperature", "top_p"), float),
    "seed": int,
    "effort": str,
}
CHANGING = ("temperature", "top_p", "seed", "effort")
_MAY_BE_ZERO = frozenset({"price_in", "price_out", "temperature", "seed", "requests_per_minute", "tokens_per_minute"})


def tuning_of(query: str) -> Tuning:
    """Return what stands behind the question mark of a spec.

    Raises:
        BadInput: a name or value is not understood.
    """
    tuning = Tuning()
    kinds: dict[str, type] = {name: type(value) for name, value in asdict(tuning).items()}
    kinds.update(_OPTIONAL)
    for part in query.split("&") if query else ():
        name, _, value = part.partition("=")
        known = f"known are: {', '.join(kinds)}"
        if name not in kinds:
            raise BadInput(f"a model has no limit {name!r}; {known}", hint="Write them as '?tries=3&idle_s=60'.")
        try:
            given: str | float = kinds[name](value)
        except ValueError:
            raise BadInput(f"{name} is {value!r}, which is no number", hint="Give it a number.") from None
        if name == "cache" and value not in {"auto", "hour", "none"}:
            raise BadInput(f"cache is {value!r}", hint="It is 'auto', 'hour' or 'none'.")
        if name == "effort" and not _EFFORT.fullmatch(value):
            raise BadInput(f"effort is {value!r}", hint="It is one word, such as 'low', 'medium' or 'high'.")
        if not isinstance(given, str) and not 0 < given < _FOR_EVER and not (given == 0 and name in _MAY_BE_ZERO):
            raise BadInput(f"{name} is {value!r}, which no call can keep to", hint="Give it a number above 0.")
        tuning = replace(tuning, **{name: given})
    return tuning

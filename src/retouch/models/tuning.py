"""The parameters after the question mark of a model's spec: limits, sampling, prices."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from retouch.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

_EFFORT = re.compile(r"[a-z]{2,20}")
_FIRST_CALLS, _MOST_CALLS = 64, 256  # in parallel, if the user names no number
_FOR_EVER = 1e9  # seconds, calls or tokens; anything above is not a limit


@dataclass(frozen=True, kw_only=True)
class Tuning:
    """The limits and parameters of one model. A spec gives them after the question mark, by these names.

    tries                the largest number of attempts of a request with temporary failures
    first_wait_s         the wait after the first failure; it doubles up to `max_wait_s`
    max_wait_s           if a server requests a longer wait, the request fails
    first_byte_s         the time limit for the first byte of a response
    idle_s               the time limit between two bytes
    call_s               the time limit of a whole call
    concurrency          the number of concurrent calls, from the start; 429 halves it, successes raise it again.
                         None begins with 64, and up to 256 as calls succeed
    requests_per_minute  and tokens_per_minute (input and measured output): 0 means no limit
    first_poll_s         the first polling interval of a batch; intervals grow up to `max_poll_s`
    cache                "auto" plans cache markers, "hour" uses entries that live for an hour, at a higher price,
                         "none" sends no markers
    stream               "auto" streams answers of more than 1,024 tokens, "always" streams all, "library" streams all
                         with the provider's client library
    price_in, price_out  US dollars per million tokens, for a model with an unknown price
    temperature, top_p   sampling; a command's own temperature overrides it
    seed                 the random seed, if the provider supports one
    effort               how much a model may reason before it answers, in the provider's terms: minimal, low, ...
    thinking             the largest number of tokens that it may reason (Anthropic, Google), a part of the output cap
    """

    tries: int = 8
    first_wait_s: float = 1.0
    max_wait_s: float = 120.0
    first_byte_s: float = 300.0
    idle_s: float = 120.0
    call_s: float = 1_800.0
    concurrency: int | None = None
    requests_per_minute: float = 0.0
    tokens_per_minute: float = 0.0
    first_poll_s: float = 5.0
    max_poll_s: float = 60.0
    cache: str = "auto"
    stream: str = "auto"
    price_in: float | None = None
    price_out: float | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    effort: str | None = None
    thinking: int | None = None

    @property
    def first_calls(self) -> int:
        """The number of concurrent calls at the start of a run."""
        return self.concurrency or _FIRST_CALLS

    @property
    def most_calls(self) -> int:
        """The largest number of concurrent calls."""
        return self.concurrency or _MOST_CALLS


_OPTIONAL: Mapping[str, type] = {
    **dict.fromkeys(("price_in", "price_out", "temperature", "top_p"), float),
    **dict.fromkeys(("concurrency", "seed", "thinking"), int),
    "effort": str,
}
CHANGING = ("temperature", "top_p", "seed", "effort", "thinking")
_MAY_BE_ZERO = frozenset({"price_in", "price_out", "temperature", "seed", "requests_per_minute", "tokens_per_minute"})


def tuning_of(query: str) -> Tuning:
    """Return the parameters of the query of a spec.

    Raises:
        BadInput: a name or value is invalid.
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
            raise BadInput(f"{name} is {value!r}, which is not a number", hint="Give it a number.") from None
        if name == "cache" and value not in {"auto", "hour", "none"}:
            raise BadInput(f"cache is {value!r}", hint="It is 'auto', 'hour' or 'none'.")
        if name == "stream" and value not in {"auto", "always", "library"}:
            raise BadInput(f"stream is {value!r}", hint="It is 'auto', 'always' or 'library'.")
        if name == "effort" and not _EFFORT.fullmatch(value):
            raise BadInput(f"effort is {value!r}", hint="It is one word, such as 'low', 'medium' or 'high'.")
        if not isinstance(given, str) and not 0 < given < _FOR_EVER and not (given == 0 and name in _MAY_BE_ZERO):
            raise BadInput(f"{name} is {value!r}, which is out of range", hint="Give it a number above 0.")
        tuning = replace(tuning, **{name: given})
    return tuning

"""Sampling and reasoning of a model: the options of commands become a part of its spec, and misuse is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.models.endpoints import PROVIDERS
from retouch.models.tuning import CHANGING

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from retouch.models.endpoints import ModelEndpoint

_LARGEST_TEMPERATURE = {"anthropic": 1.0, "bedrock": 1.0}  # 2 elsewhere
_OFF = "none"  # an effort that turns reasoning off


def with_knobs(spec: str, knobs: Mapping[str, float | str | None], *, insisted: Collection[str] = ()) -> str:
    """Return the spec of a model with `knobs` (temperature, top_p, seed, effort, thinking) instead of its own ones.

    A model that calls no provider has none. If one of them was `insisted` on, this is an error, else it is left out.

    assert "openai:m?seed=3&tries=2&temperature=0.5" == with_knobs("openai:m?seed=3&tries=2", {"temperature": 0.5})

    Raises:
        BadInput: the model has no such knob.
    """
    given = {name: value for name, value in knobs.items() if value is not None}
    scheme, _, rest = spec.partition(":")
    if not given:
        return spec
    if scheme not in PROVIDERS:
        wrong = [name for name in given if name in insisted]
        if wrong:
            options = ", ".join(f"--{name.replace('_', '-')}" for name in wrong)
            hint = f"Leave {options} out, or name a provider's model with --model."
            raise BadInput(f"the model {spec!r} calls no provider by itself, so it has no {options}", hint=hint)
        return spec
    named, _, query = rest.partition("?")
    kept = [part for part in query.split("&") if part and part.partition("=")[0] not in given]
    added = [f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}" for name, value in given.items()]
    return f"{scheme}:{named}?{'&'.join([*kept, *added])}"


def expect_knobs(endpoint: ModelEndpoint) -> None:
    """Check that a model takes the sampling and reasoning of its spec.

    Models that are not known are assumed to take them: their server answers otherwise.

    Raises:
        BadInput: it is known that it does not.
    """
    tuning = endpoint.tuning
    given = {name: getattr(tuning, name) for name in CHANGING if getattr(tuning, name) is not None}
    if not given:
        return
    largest = _LARGEST_TEMPERATURE.get(endpoint.provider.dialect, 2.0)
    if (tuning.temperature or 0.0) > largest:
        raise _refused(endpoint, f"temperature {tuning.temperature:g}", f"Give a number from 0 to {largest:g}.")
    if (tuning.top_p or 0.0) > 1.0:
        raise _refused(endpoint, f"top_p {tuning.top_p:g}", "Give a number above 0, up to 1.")
    if tuning.seed is not None and endpoint.provider.dialect in {"anthropic", "bedrock"}:
        raise _refused(endpoint, "seed", "Leave 'seed' out.")
    claude = endpoint.provider.dialect == "bedrock" and "anthropic" in endpoint.model
    if tuning.thinking is not None and not (claude or endpoint.provider.dialect in {"anthropic", "google"}):
        raise _refused(endpoint, "thinking budget in tokens", "Give an effort instead, such as 'effort=low'.")
    if tuning.thinking is not None and tuning.effort is not None:
        raise BadInput("effort and thinking both limit the reasoning", hint="Give one of the two.")
    _expect_of_model(endpoint)


def _expect_of_model(endpoint: ModelEndpoint) -> None:
    from retouch.models.hosted.profiles import profile_of, takes_both_samplings, takes_sampling

    tuning, profile = endpoint.tuning, profile_of(endpoint)
    sampled = [name for name in ("temperature", "top_p") if getattr(tuning, name) is not None]
    if sampled and not takes_sampling(endpoint):
        raise _refused(endpoint, " and no ".join(sampled), f"Leave {' and '.join(sampled)} out.")
    if len(sampled) == 2 and not takes_both_samplings(endpoint):
        raise _refused(endpoint, "temperature together with top_p", "Leave one of the two out.")
    reasoning = tuning.thinking if tuning.thinking is not None else tuning.effort
    if reasoning is not None and profile.get("supports_thinking") is False and reasoning != _OFF:
        raise _refused(endpoint, "reasoning", "Leave 'effort' and 'thinking' out, or choose a model that reasons.")
    efforts: frozenset[str] = profile.get("openai_reasoning_efforts", frozenset())
    if tuning.effort is not None and efforts and tuning.effort not in efforts:
        raise _refused(endpoint, f"effort {tuning.effort!r}", f"It takes: {', '.join(sorted(efforts))}.")
    if tuning.thinking is not None and profile.get("anthropic_disallows_budget_thinking"):
        raise _refused(endpoint, "thinking budget in tokens", "Give an effort instead, such as 'effort=low'.")


def _refused(endpoint: ModelEndpoint, knob: str, hint: str) -> BadInput:
    return BadInput(f"{endpoint.provider.name}:{endpoint.model} takes no {knob}", hint=hint)

"""What pydantic-ai knows about single models."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.models.endpoints import ModelEndpoint

_EARLY_CLAUDE = re.compile(r"claude-(?:instant|v?[123]\b|(?:opus|sonnet)-4(?:-0\b|-2025\d{4}|@2025\d{4}|$))")


def profile_of(endpoint: ModelEndpoint) -> Mapping[str, Any]:
    """Return what is known about a model, {} if nothing is."""
    if endpoint.provider.name == "anthropic":
        from pydantic_ai.profiles.anthropic import anthropic_model_profile as profile_of_model
    elif endpoint.of_openai:
        from pydantic_ai.profiles.openai import openai_model_profile as profile_of_model
    elif endpoint.provider.name == "google":
        from pydantic_ai.profiles.google import google_model_profile as profile_of_model
    elif endpoint.provider.dialect == "bedrock":
        from pydantic_ai.providers.bedrock import BedrockProvider

        profile_of_model = BedrockProvider.model_profile
    else:
        return {}
    return dict(profile_of_model(endpoint.model) or {})


def takes_sampling(endpoint: ModelEndpoint) -> bool:
    """Return whether a model takes a temperature. A model of OpenAI that reasons first takes none."""
    profile, effort = profile_of(endpoint), endpoint.tuning.effort
    if profile.get("anthropic_disallows_sampling_settings"):
        return False
    reasons = profile.get("thinking_enabled_by_default") or effort
    return not (profile.get("openai_supports_reasoning") and effort != "none" and reasons)


def takes_both_samplings(endpoint: ModelEndpoint) -> bool:
    """Return whether a model takes a temperature together with top_p. Claude since Opus 4.1 refuses the two."""
    model = endpoint.model.lower()
    return "claude" not in model or _EARLY_CLAUDE.search(model) is not None


def anthropic_effort(endpoint: ModelEndpoint) -> str:
    """Return the effort as the client sends it in `output_config`, "" if the model takes none there.

    The schema of an answer is in the same object, so that both must be given together.
    """
    from pydantic_ai.profiles.anthropic import resolve_anthropic_effort

    effort, profile = endpoint.tuning.effort, profile_of(endpoint)
    if effort is None or not profile.get("anthropic_supports_effort"):
        return ""
    supports = {"supports_xhigh": bool(profile.get("anthropic_supports_xhigh_effort"))}
    supports["supports_max"] = bool(profile.get("anthropic_supports_max_effort", True))
    return resolve_anthropic_effort(effort, **supports)  # pyright: ignore[reportArgumentType] - a word of the user's

"""Sampling and reasoning: what becomes of the options of a command, and which model refuses what."""

from __future__ import annotations

import pytest

from retouch.errors import BadInput
from retouch.models.endpoints import endpoint_of
from retouch.models.hosted.call import sampling
from retouch.models.knobs import expect_knobs, with_knobs

LOCAL = "openai:some@http://127.0.0.1:8080/v1"


@pytest.mark.parametrize(
    ("spec", "knobs", "expected"),
    [
        ("openai:m", {"temperature": 0.5}, "openai:m?temperature=0.5"),
        ("openai:m?tries=2&seed=3", {"seed": 4}, "openai:m?tries=2&seed=4"),
        (LOCAL + "?cache=none", {"top_p": 0.9, "effort": "low"}, LOCAL + "?cache=none&top_p=0.9&effort=low"),
        ("openai:m?seed=3", {"seed": None}, "openai:m?seed=3"),
        ("openai:m", {"temperature": 0.0, "seed": 0}, "openai:m?temperature=0&seed=0"),
        ("offline", {"temperature": 0.5}, "offline"),
    ],
)
def test_an_option_takes_the_place_of_the_specs_own(spec: str, knobs: dict[str, float | str | None], expected: str):
    assert expected == with_knobs(spec, knobs)


@pytest.mark.parametrize("spec", ["offline", "replay:file.db", "faulty:openai:gpt-4o?rate=0.2"])
def test_a_model_without_a_provider_refuses_what_is_insisted_on(spec: str):
    with pytest.raises(BadInput, match="it has no --top-p") as caught:
        with_knobs(spec, {"top_p": 0.5, "seed": 1}, insisted=["top_p"])
    assert "--model" in caught.value.hint


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("anthropic:claude-sonnet-4-6?seed=7", "takes no seed"),
        ("anthropic:claude-sonnet-4-6?temperature=1.5", "takes no temperature 1.5"),
        ("anthropic:claude-opus-4-8?temperature=0.5", "takes no temperature"),
        ("anthropic:claude-sonnet-4-6?temperature=0.5&top_p=0.9", "takes no temperature together with top_p"),
        ("anthropic:claude-sonnet-4-5-20250929?temperature=1&top_p=1", "takes no temperature together with top_p"),
        ("anthropic:claude-opus-4-1?temperature=0.5&top_p=0.9", "takes no temperature together with top_p"),
        ("anthropic:claude-haiku-4-5?temperature=0.5&top_p=0.9", "takes no temperature together with top_p"),
        ("bedrock:eu.anthropic.claude-sonnet-4-5-20250929-v1:0?temperature=0.5&top_p=0.9", "together with top_p"),
        ("anthropic:claude-opus-4-8?thinking=2000", "takes no thinking budget"),
        ("anthropic:claude-sonnet-4-6?thinking=2000&effort=low", "both limit the reasoning"),
        ("openai:gpt-4o?top_p=1.5", "takes no top_p 1.5"),
        ("openai:gpt-5-mini?temperature=0.5&top_p=0.5", "takes no temperature and no top_p"),
        ("openai:gpt-5.6?temperature=0.5", "takes no temperature"),
        ("openai:gpt-4o?effort=low", "takes no reasoning"),
        ("openai:o3?effort=minimal", "takes no effort 'minimal'"),
        ("openai:gpt-5-mini?thinking=2000", "takes no thinking budget"),
        ("google:gemini-2.0-flash?effort=low", "takes no reasoning"),
        (LOCAL + "?temperature=2.5", "takes no temperature 2.5"),
    ],
)
def test_what_a_model_is_known_not_to_take_is_refused(spec: str, words: str):
    scheme, _, rest = spec.partition(":")
    with pytest.raises(BadInput, match=words) as caught:
        expect_knobs(endpoint_of(scheme, rest))
    assert caught.value.hint


@pytest.mark.parametrize(
    "spec",
    [
        "anthropic:claude-sonnet-4-6?temperature=0.5",
        "anthropic:claude-sonnet-4-6?top_p=0.9",
        "anthropic:claude-3-5-haiku-latest?temperature=0.5&top_p=0.9",
        "anthropic:claude-sonnet-4-20250514?temperature=0.5&top_p=0.9",
        "anthropic:claude-opus-4-0?temperature=0.5&top_p=0.9",
        "anthropic:claude-sonnet-4-6?thinking=2000",
        "anthropic:claude-opus-4-8?effort=high",
        "openai:gpt-4o?temperature=2&seed=7",
        "openai:gpt-5-mini?effort=minimal&seed=7",
        "openai:gpt-5.6?temperature=0.5&effort=none",
        "google:gemini-2.5-flash?thinking=500&temperature=0.5",
        LOCAL + "?temperature=0.5&top_p=1&seed=7&effort=low",
        "groq:some?temperature=0.5",
    ],
)
def test_everything_else_is_left_to_the_server(spec: str):
    scheme, _, rest = spec.partition(":")
    endpoint = endpoint_of(scheme, rest)
    expect_knobs(endpoint)
    assert endpoint.spec.startswith(scheme)


@pytest.mark.parametrize(
    ("model", "expected"), [("claude-sonnet-4-6", (1.0, None)), ("claude-3-5-haiku-latest", (1.0, 0.9))]
)
def test_a_retry_with_its_own_temperature_sends_no_pair_that_the_model_refuses(
    model: str, expected: tuple[float, float | None]
):
    endpoint = endpoint_of("anthropic", f"{model}?top_p=0.9")
    sent = sampling(endpoint, 1.0)
    assert expected == (sent.get("temperature"), sent.get("top_p"))
    assert 0.9 == sampling(endpoint, None)["top_p"]

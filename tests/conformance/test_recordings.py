"""Recorded responses of real providers, read as an independent reader of their bodies reads them.

The recordings are no part of the repository; `samples.py` holds a few of each protocol that we wrote ourselves.
"""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import ModelError, TransportError
from retouch.models.hosted.messages import one_line
from tests.conformance.serving import WAYS, Served, facts, outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RECORDED = ("anthropic", "openai", "google")
COMPLETE_WITHOUT_REASON = (
    "Snowflake gives no finish reason for an answer that is complete: the field is missing or empty, and usage and"
    " [DONE] follow. The expectation calls every unknown reason an error; the answer was bought and can be used."
)
MISTRAL_CACHE = (
    "Mistral's API reference has num_cached_tokens in usage: tokens that were read from its cache, at a tenth of the"
    " price. The expectation knows prompt_tokens_details.cached_tokens only."
)
MODEL_ARMOR = (
    "Google documents blockReason as why a prompt was blocked; Model Armor is one of its filters. Nothing failed, so"
    " asking again does not help."
)
_TOOLS = "test_multimodal_tool_returns/test_multimodal_tool_return_matrix"
_CHOICE = "test_tool_choice_matrix/test_tool_choice_matrix"
_END = {"finish": "end"}

JUSTIFIED: Mapping[tuple[str, int], tuple[dict[str, Any], str]] = {
    ("test_google/test_google_model_armor_prompt_template_text_gets_blocked", 1): ({"finish": "filtered"}, MODEL_ARMOR),
    **{
        (f"test_snowflake/test_snowflake_{name}", number): (_END, COMPLETE_WITHOUT_REASON)
        for name, number in (
            ("model_simple", 0),
            ("model_streaming", 0),
            ("native_output", 0),
            ("thinking", 1),
            ("thinking_streaming", 0),
            ("tool_calling", 1),
        )
    },
    **{
        (name, number): ({"cached_tokens": tokens}, MISTRAL_CACHE)
        for name, number, tokens in (
            (f"{_TOOLS}[direct-binary-audio-mistral]", 0, 32),
            (f"{_TOOLS}[direct-binary-image-mistral]", 0, 32),
            (f"{_TOOLS}[direct-url_force_download-document-mistral]", 0, 32),
            (f"{_TOOLS}[direct-url_force_download-document-mistral]", 2, 976),
            (f"{_TOOLS}[tool_return_content-binary-document-mistral]", 1, 48),
            (f"{_TOOLS}[tool_return_content-url-document-mistral]", 0, 32),
            (f"{_TOOLS}[tool_return_content-url-document-mistral]", 1, 32),
            (f"{_TOOLS}[tool_return_content-url-image-mistral]", 0, 32),
            (f"{_TOOLS}[tool_return_content-url-image-mistral]", 1, 48),
            (f"{_TOOLS}[tool_return_content-url-video-mistral]", 0, 32),
            (f"{_TOOLS}[tool_return_content-url_force_download-video-mistral]", 0, 32),
            (f"{_CHOICE}[auto-mistral]", 0, 76),
            (f"{_CHOICE}[auto-mistral]", 1, 99),
            (f"{_CHOICE}[list_single-mistral]", 0, 69),
            (f"{_CHOICE}[none-mistral]", 0, 9),
            (f"{_CHOICE}[none_with_output-mistral]", 0, 85),
            (f"{_CHOICE}[required-mistral]", 0, 69),
            (f"{_CHOICE}[tools_plus_output-mistral]", 0, 151),
            (f"{_CHOICE}[tools_plus_output-mistral]", 1, 174),
        )
    },
}
"""By recording, what we read differently and why we are right."""

EACH_WAY = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(scope="module")
def recordings(shared_data: Path) -> list[dict[str, Any]]:
    path = shared_data / "wire" / "recordings.jsonl.gz"
    if not path.is_file():
        pytest.skip("needs recordings of providers, which are not on this machine")
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]


def named(recording: Mapping[str, Any]) -> tuple[str, int]:
    """Return which recording it is."""
    *_, test, name = recording["from"].removesuffix(".yaml").split("/")
    return f"{test}/{name}", recording["interaction"]


def served(recording: Mapping[str, Any]) -> Served:
    """Return the response of a recording; waits that it asks for are left out."""
    content_type = recording["headers"]["content-type"]
    return Served(status=recording["status"], content_type=content_type, body=recording["body"].encode())


@pytest.mark.slow
@EACH_WAY
@pytest.mark.parametrize("dialect", RECORDED)
def test_each_recorded_answer_is_read_as_expected_or_for_a_reason_that_is_written_down(
    recordings: list[dict[str, Any]], dialect: str, way: str, monkeypatch: pytest.MonkeyPatch
):
    answers = [one for one in recordings if one["dialect"] == dialect and one["expected"] is not None]
    assert 32 <= len(answers)
    found = outcomes(dialect, way, [served(one) for one in answers], monkeypatch)
    expected = {named(one): one["expected"] | JUSTIFIED.get(named(one), ({}, ""))[0] for one in answers}
    assert expected == {named(one): facts(outcome) for one, outcome in zip(answers, found, strict=True)}


@pytest.mark.slow
@EACH_WAY
def test_each_recorded_error_is_told_in_the_providers_words(
    recordings: list[dict[str, Any]], way: str, monkeypatch: pytest.MonkeyPatch
):
    errors = [one for one in recordings if one["expected"] is None]
    assert 6 == len(errors)
    for one, error in zip(errors, outcomes("openai", way, [served(one) for one in errors], monkeypatch), strict=True):
        body = json.loads(one["body"])["error"]
        assert isinstance(error, ModelError)
        assert (one["status"] == 429) == isinstance(error, TransportError)
        assert one_line(body["message"]) in error.message
        assert body.get("metadata", {}).get("raw", "") in error.message


def test_only_recordings_that_differ_are_listed(recordings: list[dict[str, Any]]):
    assert JUSTIFIED.keys() <= {named(one) for one in recordings}
    by_name = {named(one): one["expected"] for one in recordings}
    for name, (ours, _) in JUSTIFIED.items():
        assert ours != {key: by_name[name][key] for key in ours}

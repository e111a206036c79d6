"""Responses that we wrote ourselves: read alike however their bytes arrive, by the readers and through the clients."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retouch.errors import ModelError, TransportError
from retouch.models.wire import response_reader
from tests.conformance.samples import SAMPLES
from tests.conformance.serving import SPECS, WAYS, Served, facts, outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.models.wire import ResponseReader
    from tests.conformance.sample import Sample

CAP = 500
SAMPLE = st.sampled_from(list(SAMPLES.values()))


def read(dialect: str, pieces: Sequence[bytes]) -> tuple[ResponseReader, str]:
    """Return a reader that was fed with `pieces`, and the text that was heard meanwhile."""
    reader = response_reader(dialect)
    heard = [reader.feed(piece) for piece in pieces]
    return reader, "".join([*heard, reader.close()])


def said(reader: ResponseReader) -> tuple[object, ...]:
    counts = reader.counts
    tokens = (counts.input_tokens, counts.output_tokens, counts.cached_tokens, counts.written_tokens)
    words = (reader.text, reader.finish(cap=CAP), reader.finish_raw, reader.reasoning, reader.parts, reader.id)
    return (*words, *tokens, counts.reasoning_tokens, reader.error, reader.unreadable, reader.usage, reader.model)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_says_what_its_author_says(name: str):
    sample = SAMPLES[name]
    reader, heard = read(sample.dialect, [sample.body])
    counts = reader.counts
    tokens = (counts.input_tokens, counts.output_tokens, counts.cached_tokens, counts.written_tokens)
    assert (sample.text, sample.finish) == (reader.text, reader.finish(cap=CAP))
    assert (sample.finish_raw, sample.reasoning) == (reader.finish_raw, reader.reasoning)
    assert (sample.tokens, sample.parts) == ((*tokens, counts.reasoning_tokens), len(reader.parts))
    assert heard == "".join(reader.parts)


@given(SAMPLE, st.data())
def test_any_split_into_chunks_reads_the_same(sample: Sample, data: st.DataObject):
    places = data.draw(st.lists(st.integers(0, len(sample.body)), max_size=40).map(sorted))
    pieces = [sample.body[start:end] for start, end in zip([0, *places], [*places, len(sample.body)], strict=True)]
    whole, heard = read(sample.dialect, [sample.body])
    split, heard_in_pieces = read(sample.dialect, pieces)
    assert said(whole) == said(split)
    assert heard == heard_in_pieces


@given(SAMPLE, st.sampled_from([b"\n", b"\r", b"\r\n"]))
def test_any_line_end_reads_the_same(sample: Sample, end: bytes):
    body = sample.body.replace(b"\r\n", b"\n")
    other = body.replace(b"\n", end)
    one_by_one = [other[at : at + 1] for at in range(len(other))]
    assert said(read(sample.dialect, [body])[0]) == said(read(sample.dialect, one_by_one)[0])


@given(SAMPLE, st.data())
def test_an_answer_that_is_cut_anywhere_is_never_taken_for_a_longer_or_another_one(sample: Sample, data: st.DataObject):
    place = data.draw(st.integers(0, len(sample.body)))
    reader, _ = read(sample.dialect, [sample.body[:place]])
    if reader.finish(cap=CAP) == "end":
        assert sample.text == reader.text
    assert sample.text.startswith(reader.text)


@given(
    st.sampled_from(["anthropic", "openai", "responses", "google", "ollama", "bedrock"]),
    st.lists(st.binary(max_size=30)),
)
@example("openai", [b"data: " + b"[" * 99_999])
@example("openai", [b"[" * 99_999])
@example("google", [b'data: 5\n\ndata: [1]\n\ndata: "x"\n\n'])
@example(
    "openai", [b'data: {"choices": [5, {"index": "x", "delta": [1], "message": 7}], "usage": [1], "error": [2]}\n\n']
)
def test_no_bytes_are_too_odd(dialect: str, pieces: list[bytes]):
    reader, heard = read(dialect, pieces)
    assert reader.finish(cap=CAP) is None
    assert heard == "".join(reader.parts)


KEYS = """choices delta message content text type usage index error candidates parts finish_reason stop_reason done
tool_calls reasoning_details prompt_tokens output_tokens x_groq promptFeedback output"""
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS.split()), inner, max_size=4),
    max_leaves=25,
)


@given(
    st.sampled_from(["anthropic", "openai", "responses", "google", "ollama", "bedrock"]),
    st.lists(JSON_VALUES, max_size=4),
)
def test_no_json_is_too_odd(dialect: str, values: list[object]):
    reader, heard = read(dialect, [f"data: {json.dumps(one)}\n\n".encode() for one in values])
    reader.finish(cap=CAP)
    assert heard == "".join(reader.parts)


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("dialect", SPECS)
def test_samples_are_read_alike_through_the_client_libraries(dialect: str, way: str, monkeypatch: pytest.MonkeyPatch):
    samples = {name: one for name, one in SAMPLES.items() if one.dialect == dialect}
    served = [Served(content_type=one.content_type, body=one.body) for one in samples.values()]
    found = outcomes(dialect, way, served, monkeypatch, cap=CAP)
    for (name, sample), outcome in zip(samples.items(), found, strict=True):
        read_as = facts(outcome)
        assert (name, sample.text, sample.finish or "error") == (name, read_as["text"], read_as["finish"])
        counted = tuple(read_as[f"{kind}_tokens"] for kind in ("input", "output", "cached", "written"))
        assert (name, sample.tokens[:4]) == (name, counted)
        assert (name, sample.finish is None) == (name, isinstance(outcome, ModelError))
        if isinstance(outcome, TransportError):
            assert (name, bool(sample.text)) == (name, outcome.received is not None)

"""Recorded replies, written and replayed."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.engine.recipe import open_model
from retouch.engine.types import Event, Message, Prompt, Reply, Request, request_hash
from retouch.errors import BadInput, BrokenFile, NoRecording
from retouch.models.recordings import read_recordings, recording
from retouch.models.replay import replay
from retouch.testing import scripted

if TYPE_CHECKING:
    from pathlib import Path

    from tests.models.conftest import MakeRequest

REPLY = Reply(
    text="class Pet {}\n\u2028 \u00e9",
    finish="length",
    model="claude",
    input_tokens=10,
    output_tokens=4,
    cached_tokens=3,
    written_tokens=2,
    cost=0.25,
)


def record(path: Path, *asked: tuple[Request, Reply | str]) -> None:
    model = recording(scripted([reply for _, reply in asked]), path)
    for request, _ in asked:
        asyncio.run(model(request))


def test_a_recorded_reply_comes_back_whole_and_free_of_charge(tmp_path: Path, make_request: MakeRequest):
    file = tmp_path / "replies.jsonl"
    record(file, (make_request("Pet"), REPLY), (make_request("Toy"), "class Toy {}"))
    expected = replace(REPLY, cost=0.0, usage={"recorded_cost": 0.25})
    assert expected == asyncio.run(open_model(f"replay:{file}")(make_request("Pet")))


def test_a_line_has_the_hash_the_place_and_the_reply(tmp_path: Path, make_request: MakeRequest):
    file = tmp_path / "replies.jsonl"
    record(file, (make_request("Pet", 2), REPLY))
    line = json.loads(file.read_text(encoding="utf-8"))
    assert ["request_hash", "unit", "page", "reply"] == list(line)
    assert (request_hash(make_request("Pet", 2)), "Pet", 2) == (line["request_hash"], line["unit"], line["page"])


def test_whoever_records_gets_the_reply_that_was_given(tmp_path: Path, make_request: MakeRequest):
    model = recording(scripted([REPLY]), tmp_path / "replies.jsonl")
    assert REPLY == asyncio.run(model(make_request()))


def test_replies_that_were_recorded_for_one_request_come_in_their_order_and_the_last_one_stays(
    tmp_path: Path, make_request: MakeRequest
):
    file = tmp_path / "replies.jsonl"
    record(file, (make_request(), "first"), (make_request(), "second"))
    model = replay(file)
    assert ["first", "second", "second"] == [asyncio.run(model(make_request())).text for _ in range(3)]


def test_whoever_listens_to_a_replay_hears_the_text(tmp_path: Path, make_request: MakeRequest):
    record(tmp_path / "replies.jsonl", (make_request(), "class"))
    heard: list[Event] = []
    asyncio.run(replay(tmp_path / "replies.jsonl")(make_request(), on_event=heard.append))
    assert [Event(kind="first_byte"), Event(kind="text", text="class")] == heard


def test_a_changed_prompt_is_reported_with_both_hashes(tmp_path: Path, make_request: MakeRequest):
    file = tmp_path / "replies.jsonl"
    record(file, (make_request("Pet", user="old"), "old"))
    new = make_request("Pet", user="new")
    with pytest.raises(NoRecording, match="the prompt has changed") as caught:
        asyncio.run(replay(file)(new))
    assert "page 1 of 'Pet'" in caught.value.message
    assert request_hash(new) in caught.value.message
    assert request_hash(make_request("Pet", user="old")) in caught.value.message


def test_an_unrecorded_page_is_reported_with_the_recorded_ones(tmp_path: Path, make_request: MakeRequest):
    file = tmp_path / "replies.jsonl"
    record(file, (make_request("Pet", 1), "one"), (make_request("Pet", 3), "three"))
    with pytest.raises(NoRecording, match=r"page 2 of 'Pet'.*it has the pages 1, 3"):
        asyncio.run(replay(file)(make_request("Pet", 2)))


def test_an_unrecorded_unit_is_reported_with_the_recorded_ones(tmp_path: Path, make_request: MakeRequest):
    file = tmp_path / "replies.jsonl"
    record(file, *((make_request(f"Unit{number:02}"), "text") for number in range(12)))
    with pytest.raises(NoRecording, match=r"it has 'Unit00', .*'Unit09' and 2 more"):
        asyncio.run(replay(file)(make_request("Pet")))


def test_an_empty_file_has_no_replies(tmp_path: Path, make_request: MakeRequest):
    (tmp_path / "replies.jsonl").write_text("\n\n", encoding="utf-8")
    with pytest.raises(NoRecording, match="it has no replies at all"):
        asyncio.run(replay(tmp_path / "replies.jsonl")(make_request()))


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("not json", "Invalid JSON"),
        ("[]", "Input should be an object"),
        ('{"unit": "Pet", "page": 1, "reply": {"text": "", "model": ""}}', "request_hash: Field required"),
        ('{"request_hash": "x", "unit": "Pet", "page": 1, "reply": {"model": ""}}', "reply.text: Field required"),
        (
            '{"request_hash": "x", "unit": "Pet", "page": 1, "reply": {"text": "", "model": "", "finish": "stop"}}',
            "finish",
        ),
        ('{"request_hash": "x", "unit": "Pet", "page": "one", "reply": {"text": "", "model": ""}}', "page"),
        ('{"request_hash": "x", "unit": "Pet", "page": 1, "reply": {"text": "", "model": ""}, "more": 1}', "more"),
        ('{"request_hash": "x", "unit"', "Invalid JSON"),
    ],
)
def test_a_broken_line_is_named_with_its_file_and_number(
    tmp_path: Path, make_request: MakeRequest, line: str, seen: str
):
    file = tmp_path / "replies.jsonl"
    record(file, (make_request(), "right"))
    broken = file.read_text(encoding="utf-8") + "\n" + line + "\n"
    file.write_text(broken, encoding="utf-8")
    with pytest.raises(BrokenFile, match=r"line 3 of '.*replies\.jsonl'") as caught:
        open_model(f"replay:{file}")
    assert seen in caught.value.message
    assert broken == file.read_text(encoding="utf-8")


def test_bytes_that_are_no_text_are_a_broken_line(tmp_path: Path):
    (tmp_path / "replies.jsonl").write_bytes(b'{"unit": "\xff\xfe"}')
    with pytest.raises(BrokenFile, match="line 1 of"):
        replay(tmp_path / "replies.jsonl")


def test_a_file_that_is_not_there_is_named(tmp_path: Path):
    with pytest.raises(BadInput, match=r"'.*missing.jsonl' cannot be read: No such file"):
        open_model(f"replay:{tmp_path / 'missing.jsonl'}")


def test_a_directory_is_not_a_file(tmp_path: Path):
    with pytest.raises(BadInput, match="is a directory"):
        open_model(f"replay:{tmp_path}")


def test_a_replay_without_a_file_shows_the_syntax():
    with pytest.raises(BadInput, match="needs a file") as caught:
        open_model("replay:")
    assert "replay:FILE" in caught.value.hint


def test_a_recording_that_cannot_be_written_is_reported(tmp_path: Path, make_request: MakeRequest):
    model = recording(scripted(["text"]), tmp_path / "no folder" / "replies.jsonl")
    with pytest.raises(BadInput, match="cannot be written: No such file"):
        asyncio.run(model(make_request()))


def test_a_text_without_utf8_is_recorded_with_marks_in_its_place(tmp_path: Path, make_request: MakeRequest):
    record(tmp_path / "replies.jsonl", (make_request(), "a\ud800b"))
    assert "a?b" == read_recordings(tmp_path / "replies.jsonl")[0].reply.text


@settings(max_examples=30, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), max_size=80))
def test_every_text_survives_the_file(tmp_path_factory: pytest.TempPathFactory, text: str):
    file = tmp_path_factory.mktemp("replay") / "replies.jsonl"
    prompt = Prompt(unit=text, system="", user=text)
    messages = (Message(role="user", text=text),)
    request = Request(prompt=prompt, system="", messages=messages, max_output_tokens=1)
    record(file, (request, text))
    assert text == asyncio.run(replay(file)(request)).text

"""First answers with batch APIs: the requests, the result of each entry, and the cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.errors import BadInput, ModelError
from retouch.models.batch.facts import VARIABLE
from retouch.models.providers import has_batches, open_batches
from retouch.testing import FAULTS, status
from tests.models.batch.conftest import BOTH, CLAUDE, CREATE, GPT, PAGES, Sent, bought, serving

if TYPE_CHECKING:
    from pathlib import Path

    from retouch.testing import Fault


@BOTH
def test_every_first_answer_is_bought_once_in_one_batch(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=3) as server:
        result = sent.run(server, spec)
        assert ("verified", expected) == (result.status, sent.text())
        assert (1, PAGES, PAGES) == (len(server.batches), bought(server), len(server.calls))


@BOTH
def test_entries_have_the_bodies_of_online_calls(sent: Sent, tmp_path: Path, spec: str) -> None:
    with serving() as server:
        sent.run(server, spec)
        entries = [body for job in server.batches.values() for _, body in job.entries]
        online = Sent(tmp_path / "online", sent.monkeypatch)
        online.run(server, spec, submit=False)
        streamed = [dict(call.body) for call in server.calls if call.body.get("stream")]
    for body in streamed:
        body.pop("stream")
        body.pop("stream_options", None)

    def in_order(bodies: list[Any]) -> list[str]:
        return sorted(json.dumps(body, sort_keys=True) for body in bodies)

    assert PAGES == len(streamed)
    assert in_order(streamed) == in_order(entries)


@BOTH
def test_a_batch_costs_half_and_its_usage_is_recorded_for_each_entry(sent: Sent, tmp_path: Path, spec: str) -> None:
    def replies(folder: Path) -> dict[Any, Any]:
        found = open_run(folder).history.attempts.values()
        return {(one.unit, one.page): one.reply for one in found if one.reply is not None}

    with serving() as server:
        sent.run(server, spec)
        online = Sent(tmp_path / "online", sent.monkeypatch)
        online.run(server, spec, submit=False)
    cheap, dear = replies(sent.folder), replies(online.folder)
    assert PAGES == len(cheap)
    for key, reply in cheap.items():
        assert 0 < reply.cost == pytest.approx(dear[key].cost / 2)
        assert 0 < reply.output_tokens == dear[key].output_tokens


@BOTH
def test_the_discount_is_a_fact_that_a_user_can_override(
    sent: Sent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    own = tmp_path / "facts.toml"
    own.write_text(f'[[model]]\nprovider = "{spec.partition(":")[0]}"\nname = ""\nprice = 0.0\nmax_requests = 3\n')
    monkeypatch.setenv(VARIABLE, str(own))
    with serving() as server:
        assert "verified" == sent.run(server, spec).status
        assert [3, 3, PAGES - 6] == [len(job.entries) for job in server.batches.values()]
    costs = {one.reply.cost for one in open_run(sent.folder).history.attempts.values() if one.reply is not None}
    assert {0.0} == costs


@BOTH
def test_a_batch_that_would_hold_too_many_bytes_is_cut(
    sent: Sent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str
) -> None:
    own = tmp_path / "facts.toml"
    own.write_text(f'[[model]]\nprovider = "{spec.partition(":")[0]}"\nname = ""\nmax_bytes = 7_000\n')
    monkeypatch.setenv(VARIABLE, str(own))
    with serving() as server:
        assert "verified" == sent.run(server, spec).status
        sizes = [len(json.dumps(job.entries)) for job in server.batches.values()]
    assert len(sizes) > 1
    assert max(sizes) < 7_000


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("name", ["500", "429", "stall"])
def test_failed_and_expired_entries_are_requested_online(sent: Sent, spec: str, name: str, expected: str) -> None:
    faults: list[Fault | None] = [None, FAULTS[name], None, FAULTS[name]]
    with serving(faults=faults) as server:
        result = sent.run(server, spec)
        streamed = sum(bool(call.body.get("stream")) for call in server.calls)
    assert ("verified", expected, 2) == (result.status, sent.text(), streamed)
    errors = [one.error for one in open_run(sent.folder).history.attempts.values() if one.error]
    assert 2 == len(errors)
    assert all("in the batch" in error for error in errors)
    assert all("CORRECTION" not in str(call.body) for call in server.calls)


@BOTH
def test_a_repeated_entry_is_used_once(sent: Sent, spec: str, expected: str) -> None:
    with serving(faults=[None, FAULTS["duplicate_id"]]) as server:
        result = sent.run(server, spec)
    assert ("verified", expected, PAGES) == (result.status, sent.text(), sent.replies)
    assert {"succeeded": PAGES, "doubled": 1} == sent.notes("batch_ended")[0]["outcomes"]


@BOTH
def test_truncated_and_refused_entries_are_repaired_online(sent: Sent, spec: str, expected: str) -> None:
    with serving(faults=[FAULTS["truncation"], FAULTS["refusal"]]) as server:
        result = sent.run(server, spec)
    assert ("verified", expected) == (result.status, sent.text())
    assert 1 == len(server.batches)


@BOTH
def test_results_that_break_off_are_read_again(sent: Sent, spec: str, expected: str) -> None:
    cuts = [FAULTS["cut_body"]]

    def faults(what: str, done: bool) -> Fault | None:
        return cuts.pop() if done and cuts and what.endswith(("/results", "/content")) else None

    with serving() as server:
        server.break_batches(faults)
        result = sent.run(server, spec)
        assert ("verified", expected, PAGES, PAGES) == (result.status, sent.text(), sent.replies, len(server.calls))
    assert [] == cuts


@BOTH
def test_failures_while_it_waits_are_waited_out(sent: Sent, spec: str, expected: str) -> None:
    wrong = [status(529), status(500), FAULTS["cut_head"], status(429, retry_after="0")]

    def faults(what: str, done: bool) -> Fault | None:
        if not what.startswith("GET ") or not wrong or done != (wrong[-1].kind == "cut_head"):
            return None
        return wrong.pop()

    with serving(batch_polls=2) as server:
        server.break_batches(faults)
        result = sent.run(server, spec)
        assert ("verified", expected, PAGES) == (result.status, sent.text(), bought(server))
    assert [] == wrong


@BOTH
def test_a_creation_whose_answer_is_lost_is_found_again_and_not_bought_twice(
    sent: Sent, spec: str, expected: str
) -> None:
    lost = [FAULTS["cut_head"]]

    def faults(what: str, done: bool) -> Fault | None:
        return lost.pop() if lost and done and what == CREATE[spec] else None

    with serving(batch_polls=2) as server:
        server.break_batches(faults)
        result = sent.run(server, spec)
        assert ("verified", expected, PAGES) == (result.status, sent.text(), bought(server))
    assert 1 == len(sent.notes("batch_found"))


@BOTH
def test_a_creation_that_was_refused_for_now_is_tried_again(sent: Sent, spec: str, expected: str) -> None:
    refusals = [status(429), status(503)]

    def faults(what: str, done: bool) -> Fault | None:
        return refusals.pop() if refusals and not done and what == CREATE[spec] else None

    with serving() as server:
        server.break_batches(faults)
        assert ("verified", expected) == (sent.run(server, spec).status, sent.text())
        assert PAGES == bought(server)


@BOTH
def test_a_creation_that_is_refused_for_good_ends_the_run_before_anything_is_spent(sent: Sent, spec: str) -> None:
    with serving(api_key="right") as server:
        with pytest.raises(ModelError, match="does not accept the key"):
            sent.run(server, spec, key="wrong-key")
        assert (0, 0) == (bought(server), len(server.calls))
        assert "verified" == sent.run(server, spec).status
        assert PAGES == bought(server)


def test_a_rejected_batch_is_reported_and_sent_again_by_the_next_command(sent: Sent, expected: str) -> None:
    with serving() as server:

        def refuse(what: str, done: bool) -> None:
            if done and what == CREATE[GPT] and len(server.batches) == 1:
                next(iter(server.batches.values())).refused = "Enqueued token limit reached"

        server.break_batches(refuse)
        with pytest.raises(ModelError, match="Enqueued token limit reached"):
            sent.run(server, GPT)
        assert [] == server.calls
        assert ("verified", expected) == (sent.run(server, GPT).status, sent.text())
        assert 2 == len(server.batches)


def test_line_ends_of_other_kinds_in_a_result_do_not_cut_it(sent: Sent) -> None:
    from retouch.testing import model_server, scripted
    from tests.engine.glossary import plan
    from tests.models.batch.conftest import WORDS

    def odd(request: Any) -> str:
        words = request.prompt.user.rpartition("WORDS: ")[2].split()
        return "\n".join(f"{word}={word.upper()}\u2028\u0085 end" for word in words)

    for spec in (CLAUDE, GPT):
        with model_server(scripted(odd), prompts=list(plan(WORDS))) as server:
            one = Sent(sent.folder.with_name(spec[:6]), sent.monkeypatch)
            one.run(server, spec)
        attempts = open_run(one.folder).history.attempts.values()
        replies = [attempt.reply for attempt in attempts if attempt.why == "answer"]
        assert [True] * PAGES == [reply is not None and reply.text.endswith("\u2028\u0085 end") for reply in replies]


@pytest.mark.parametrize(
    "spec", ["offline", "ollama:llama3.2", "google:gemini-2.5-flash", "openai:x@http://127.0.0.1:9"]
)
def test_a_model_without_a_batch_api_is_refused(spec: str) -> None:
    assert not has_batches(spec)
    with pytest.raises(BadInput, match="has no known batch API"):
        open_batches(spec)

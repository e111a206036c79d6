"""A batch's results besides answers: each entry that cannot be read is requested online, and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.testing import status
from retouch.testing.batch_api import BatchEntryResult
from tests.models.batch.conftest import BOTH, PAGES, Sent, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.testing import Fault, ModelServer
    from retouch.testing.batch_api import ServedBatch


def strange(job: ServedBatch, *lines: str) -> None:
    """Let the results of a batch begin with these lines, and omit the first entry."""
    job.besides = "".join(f"{line}\n" for line in lines).encode()
    name, outcome = next(iter(job.outcomes.items()))
    job.outcomes[name] = replace(outcome, times=0)


def when_read(server: ModelServer, change: Callable[[ServedBatch], None]) -> None:
    """Change each batch once, before its results are read."""
    changed: set[str] = set()

    def faults(what: str, done: bool) -> None:
        for name, job in server.batches.items():
            if job.ended and not done and name not in changed and what.endswith(("results", name)):
                changed.add(name)
                change(job)

    server.break_batches(faults)


UNREADABLE = ['{"custom_id": "unit', "null", "12", '"text"', "[1]", "\x00", '{"custom_id": null, "response": 3}']


@BOTH
def test_results_that_cannot_be_read_cost_their_own_entries_only(sent: Sent, spec: str, expected: str) -> None:
    with serving() as server:
        when_read(server, lambda job: strange(job, *UNREADABLE))
        result = sent.run(server, spec)
        streamed = sum(bool(call.body.get("stream")) for call in server.calls)
    assert ("verified", expected, 1) == (result.status, sent.text(), streamed)
    (outcomes,) = [note["outcomes"] for note in sent.notes("batch_ended")]
    assert PAGES - 1 == outcomes["succeeded"]


@BOTH
def test_results_of_unknown_entries_are_ignored(sent: Sent, spec: str, expected: str) -> None:
    other = '{"custom_id": "somebody-else", "result": {"type": "expired"}, "error": {"code": "batch_expired"}}'
    with serving() as server:
        when_read(server, lambda job: setattr(job, "besides", f"{other}\n{other}\n".encode()))
        result = sent.run(server, spec)
        assert ("verified", expected, PAGES) == (result.status, sent.text(), len(server.calls))
    assert [2] == [note["outcomes"]["strange"] for note in sent.notes("batch_ended")]


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("body", [None, {}, [], "text", {"content": 3, "choices": 3}], ids=str)
def test_an_answer_of_an_unknown_form_is_requested_online(sent: Sent, spec: str, expected: str, body: Any) -> None:
    def spoil(job: ServedBatch) -> None:
        name = next(iter(job.outcomes))
        job.outcomes[name] = BatchEntryResult(kind="succeeded", body=body)

    with serving() as server:
        when_read(server, spoil)
        result = sent.run(server, spec)
        streamed = sum(bool(call.body.get("stream")) for call in server.calls)
    assert ("verified", expected, 1) == (result.status, sent.text(), streamed)


@BOTH
def test_deleted_results_are_requested_online(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=4) as server:
        sent.run(server, spec, wait_s=0)
        server.break_batches(lambda what, _: status(404) if what.endswith(("/results", "/content")) else None)
        result = sent.run(server, spec, submit=False)
        assert ("verified", expected, 2 * PAGES) == (result.status, sent.text(), len(server.calls))
    assert any("results" in told and "were deleted" in told for told in sent.told)


@BOTH
def test_a_batch_that_ended_meanwhile_can_be_given_up_and_is_collected(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=2) as server:
        sent.run(server, spec, wait_s=0)
        for job in server.batches.values():
            job.polls = 10
        result = sent.run(server, spec, submit=False, give_up=True)
        assert ("verified", expected, PAGES) == (result.status, sent.text(), len(server.calls))


@BOTH
def test_a_server_that_fails_for_a_while_when_results_are_read_is_waited_for(
    sent: Sent, spec: str, expected: str
) -> None:
    left = [status(500)] * 12

    def faults(what: str, done: bool) -> Fault | None:
        return left.pop() if left and not done and what.endswith(("/results", "/content")) else None

    with serving() as server:
        server.break_batches(faults)
        result = sent.run(server, spec)
        assert ("verified", expected, PAGES, []) == (result.status, sent.text(), len(server.calls), left)

"""A program that is killed, closed or stopped during a batch: nothing is paid for twice, nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import retouch
from retouch.engine.directory import open_run
from retouch.engine.verbs import validate
from retouch.models.offline import offline
from retouch.testing import FAULTS
from tests.engine.conftest import run
from tests.engine.glossary import RECIPE, answer
from tests.models.batch.conftest import BOTH, CREATE, PAGES, WORDS, Sent, bought, kills, serving
from tests.waiting import MOST_S

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


def before_it_is_created(spec: str) -> Callable[[str, bool], bool]:
    return lambda what, done: what == CREATE[spec] and not done


def created_and_not_recorded(spec: str) -> Callable[[str, bool], bool]:
    return lambda what, done: what == CREATE[spec] and done


def while_it_is_waited_for(_spec: str) -> Callable[[str, bool], bool]:
    return lambda what, done: what.startswith("GET ") and done and not what.endswith(("results", "content"))


def while_results_are_read(_spec: str) -> Callable[[str, bool], bool]:
    return lambda what, done: what.endswith(("results", "content")) and done


STAGES = [before_it_is_created, created_and_not_recorded, while_it_is_waited_for, while_results_are_read]


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_program_picks_its_batch_up_again(sent: Sent, spec: str, stage: Any, expected: str) -> None:
    with serving(batch_polls=2) as server:
        running: list[subprocess.Popen[bytes]] = []
        server.break_batches(kills(stage(spec), running))
        process = sent.start(server, spec)
        running.append(process)
        said = process.communicate(timeout=MOST_S)
        assert -9 == process.returncode, said
        came_before = sent.replies
        result = sent.run(server, spec)
        assert ("verified", expected) == (result.status, sent.text())
        assert (PAGES - came_before, PAGES) == (result.calls, sent.replies)
        assert (PAGES, PAGES, PAGES) == (bought(server), len(server.calls), sent.replies)


@BOTH
def test_results_that_were_half_recorded_are_completed(sent: Sent, spec: str, expected: str) -> None:
    cuts = [FAULTS["cut_body"]] * 50

    def faults(what: str, done: bool) -> Any:
        return cuts.pop() if cuts and done and what.endswith(("results", "content")) else None

    with serving() as server:
        server.break_batches(faults)
        assert "incomplete" == sent.run(server, spec, wait_s=0.2).status
        cuts.clear()
        assert "verified" == sent.run(server, spec, submit=False).status
        assert (expected, PAGES, PAGES) == (sent.text(), bought(server), sent.replies)


@BOTH
def test_a_limit_of_waiting_leaves_the_batch_pending_in_batches(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=10_000) as server:
        left = sent.run(server, spec, wait_s=0.05)
        assert ("incomplete", 0) == (left.status, len(server.calls))
        assert any(f"{PAGES} pages are pending in a batch" in note for note in left.notes)
        checked = run(validate(RECIPE, sent.folder))
        assert ("incomplete", left.notes) == (checked.status, checked.notes)
        still = sent.run(server, spec, wait_s=0)
        assert ("incomplete", 1) == (still.status, len(server.batches))
        for job in server.batches.values():
            job.polls = 10_000
        done = sent.run(server, spec)
        assert ("verified", expected, PAGES, PAGES) == (done.status, sent.text(), bought(server), done.calls)
        replies = [one.reply for one in open_run(sent.folder).history.attempts.values()]
        assert sum(one.output_tokens for one in replies if one is not None) == done.usage.output_tokens > 0
        assert 0 == sent.run(server, spec).calls
    assert any("of 8 done" in line for line in sent.told)


@pytest.mark.slow
@BOTH
def test_without_batches_a_later_run_still_collects_the_sent_ones(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=40) as server:
        sent.run(server, spec, wait_s=0.01)
        other = spec.replace("max_poll_s=0.02", "max_poll_s=0.03")
        result = sent.run(server, other, submit=False)
        assert ("verified", expected, PAGES, PAGES) == (result.status, sent.text(), bought(server), len(server.calls))


@BOTH
def test_another_model_does_not_wait_for_the_batch_and_says_that_there_is_one(sent: Sent, spec: str) -> None:
    with serving(batch_polls=10_000) as server:
        sent.run(server, spec, wait_s=0)
    result = retouch.generate(RECIPE, WORDS, sent.folder, offline(answer))
    assert "verified" == result.status
    assert any("pending in a batch of" in note for note in result.notes)


@BOTH
def test_an_abandoned_batch_is_cancelled_and_its_pages_are_requested_online(
    sent: Sent, spec: str, expected: str
) -> None:
    with serving(batch_polls=10_000) as server:
        sent.run(server, spec, wait_s=0)
        result = sent.run(server, spec, submit=False, give_up=True)
        assert ("verified", expected, [True]) == (
            result.status,
            sent.text(),
            [job.cancelled for job in server.batches.values()],
        )
        assert PAGES == len(server.calls)


@BOTH
def test_an_unknown_batch_is_reported_and_can_be_abandoned(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=10_000) as server:
        sent.run(server, spec, wait_s=0)
    with serving() as server:
        with pytest.raises(retouch.RetouchError, match="has no batch") as caught:
            sent.run(server, spec)
        assert "--online" in caught.value.hint
        result = sent.run(server, spec, submit=False, give_up=True)
        assert ("verified", expected, 0) == (result.status, sent.text(), len(server.batches))


@BOTH
def test_a_moved_directory_can_be_resumed_with_another_key(sent: Sent, spec: str, expected: str) -> None:
    with serving(batch_polls=3) as server:
        sent.run(server, spec, wait_s=0)
        elsewhere = Sent(sent.folder.with_name("elsewhere"), sent.monkeypatch)
        sent.folder.rename(elsewhere.folder)
        assert "verified" == elsewhere.run(server, spec, key="another-key").status
        assert (expected, PAGES) == (elsewhere.text(), bought(server))


@BOTH
def test_batches_of_others_are_not_taken_for_ours(sent: Sent, spec: str, expected: str) -> None:
    """The same pages in another directory, sent a moment before, have the same size but are not ours."""
    with serving(batch_polls=2) as server:
        theirs = Sent(sent.folder.with_name("theirs"), sent.monkeypatch)
        theirs.run(server, spec, wait_s=0)
        lost = [FAULTS["cut_head"]]

        def faults(what: str, done: bool) -> Any:
            return lost.pop() if lost and not done and what == CREATE[spec] else None

        server.break_batches(faults)
        assert ("verified", expected) == (sent.run(server, spec).status, sent.text())
        assert (2, 2 * PAGES) == (len(server.batches), bought(server))
        assert [] == sent.notes("batch_found")
        assert "verified" == theirs.run(server, spec).status
        assert 2 * PAGES == bought(server) == len(server.calls)


def test_no_key_is_in_the_directory(sent: Sent) -> None:
    from tests.models.batch.conftest import CLAUDE

    with serving(api_key="sk-very-secret") as server:
        sent.run(server, CLAUDE)
    assert b"sk-very-secret" not in b"".join(path.read_bytes() for path in sent.folder.iterdir() if path.is_file())


def test_attempts_of_a_batch_that_ended_are_no_longer_on_their_way(sent: Sent) -> None:
    from retouch.engine.batches import pending_in_batches
    from tests.models.batch.conftest import CLAUDE

    with serving(faults=[FAULTS["stall"]]) as server:
        sent.run(server, CLAUDE)
    assert {} == pending_in_batches(open_run(sent.folder).history)

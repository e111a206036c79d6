"""A session with a generator: what is sent in every turn, and what a failure leaves behind. S1 to S10."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.types import Reply
from retouch.errors import BadInput, Invalid, LimitReached, TransportError
from retouch.models.tokens import estimate_tokens
from retouch.recipes.policy import (
    ScenarioFeedback,
    ScenarioGeneratorSession,
    SessionLimits,
    format_feedback_message,
    measure_coverage,
)
from retouch.recipes.policy.making.asking.pages import plan
from retouch.recipes.policy.making.rules.compiled import policy_of, rules_in
from retouch.recipes.policy.making.session.merging import Refused, ScenarioCorrection
from retouch.testing import scripted
from tests.recipes.policy.making.scenes import COVERING, READS, WRITES, blocks, item, items, job, rules, tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.policy import Gap, Scenario
    from retouch.recipes.policy.making.asking.source import PolicyJob
    from retouch.testing import Scripted

FIRST = items(item("read", "~/notes/a", "allow"), item("read", "~/.ssh/key", "allow"))
GAPS = measure_coverage(policy_of(job(), rules_in("notes", rules(READS, WRITES))), []).gaps


def gap(tool_name: str, rule: str) -> Gap:
    return next(one for one in GAPS if (one.tool, one.rule) == (tool_name, rule))


def session(script: Any, job_: PolicyJob | None = None, **more: Any) -> tuple[ScenarioGeneratorSession, Scripted]:
    model = scripted(script)
    return ScenarioGeneratorSession(job_ or job(), "notes", model, **more), model


def one_by_one(*answers: Any) -> Callable[[Any], Any]:
    """Return a script that gives one answer after the other, and raises those that are exceptions of any kind."""
    waiting = list(answers)

    def answer(_request: Any) -> Any:
        found = waiting.pop(0)
        if isinstance(found, BaseException):
            raise found
        return found

    return answer


def begun(*later: Any, **more: Any) -> tuple[ScenarioGeneratorSession, Scripted]:
    one, model = session([FIRST, *later], **more)
    asyncio.run(one.generate())
    return one, model


def again(one: ScenarioGeneratorSession, *gaps: Gap) -> list[Scenario]:
    return asyncio.run(one.regenerate(ScenarioFeedback(discards=one.page.open, gaps=gaps, refused=one.page.refused)))


def test_the_first_turn_gives_handwritten_scenarios_and_new_ones():
    handwritten_scenarios = [{**item("delete", "~/notes/a", "deny"), "source": "generated"}]
    one, _ = session([FIRST], job(handwritten=handwritten_scenarios))
    found = asyncio.run(one.generate())
    assert [("delete", "handwritten"), ("read", "generated")] == [(s.request.tool, s.source) for s in found]
    assert 1 == one.turn_count


def test_a_later_turn_gives_only_what_is_new():
    one, _ = begun(items(item("read", "~/x", "deny"), item("read", "~/notes/a", "allow")))
    assert ["read ~/x"] == [found.description for found in again(one, gap("read", "default-deny"))]
    assert ["read ~/notes/a", "read ~/x"] == [found.description for found in one.page.scenarios]
    assert 2 == one.turn_count


def test_s1_the_system_text_is_the_same_in_every_request_and_on_every_page():
    many = [tool(f"tool{number}", "read-path") for number in range(60)]
    large = job(servers={"notes": {"tools": many}, "other": {"tools": [tool("x", "read-path", "other")]}})
    assert 1 == len({prompt.system for prompt in plan(large)})
    assert 3 + 1 + 2 == len(list(plan(large)))
    one, model = begun(items(), items())
    again(one)
    again(one)
    assert 1 == len({request.system for request in model.requests})


def test_s2_an_exchange_is_committed_whole_after_it_was_read():
    one, _ = begun(items())
    assert ["user", "assistant"] == [message.role for message in one.history]
    before = one.history
    again(one)
    assert before == one.history[:2]
    assert ["user", "assistant"] * 2 == [message.role for message in one.history]


FAILURES: list[Any] = [
    "no JSON at all",
    '{"scenarios": [{"request": 1}]}',
    items(item("fly", "~/notes/a", "allow")),
    Reply(text=items(), finish="length", model="m"),
    Reply(text=items(), finish="refused", model="m"),
    TransportError("the line is cut"),
    asyncio.CancelledError(),
]


@pytest.mark.parametrize("failure", FAILURES[:2] + FAILURES[3:])
def test_s3_a_failed_turn_leaves_no_trace(failure: Any):
    one, model = session(one_by_one(FIRST, failure, failure, items(item("read", "~/x", "deny"))))
    asyncio.run(one.generate())
    before = (one.history, one.turn_count, one.key, one.page)
    with pytest.raises((Invalid, TransportError, asyncio.CancelledError)):
        again(one, gap("read", "default-deny"))
    assert before == (one.history, one.turn_count, one.key, one.page)
    if len(model.requests) == 2:
        with pytest.raises((TransportError, asyncio.CancelledError)):
            again(one, gap("read", "default-deny"))
    assert ["read ~/x"] == [found.description for found in again(one, gap("read", "default-deny"))]
    assert before[0] == model.requests[-1].messages[:2]
    assert 3 == len(model.requests[-1].messages)


@pytest.mark.parametrize("failure", FAILURES[:5])
def test_s3_a_failed_first_turn_can_be_taken_again(failure: Any):
    one, _ = session([failure, failure, FIRST])
    with pytest.raises(Invalid):
        asyncio.run(one.generate())
    assert ((), 0) == (one.history, one.turn_count)
    with pytest.raises(BadInput, match="nothing has been generated"):
        again(one)
    asyncio.run(one.generate())
    assert 1 == one.turn_count


def test_s4_every_request_begins_with_the_messages_of_the_last_committed_one():
    one, model = begun("not JSON", items(), items())
    again(one)
    again(one)
    first, _, retried, second = (request.messages for request in model.requests)
    assert first == retried[:1] == second[:1]
    assert (*first, one.history[1]) == second[:2]
    assert retried[2] == second[2]
    assert [1, 3, 5, 5] == [len(messages) for messages in (first, model.requests[1].messages, retried, second)]


def test_every_turn_marks_what_the_next_one_reads_again_and_the_last_one_only_reads():
    one, model = begun(items(), items(), limits=SessionLimits(max_turns=3))
    again(one)
    again(one)
    found = [(len(request.messages), request.breakpoints) for request in model.requests]
    assert [(1, (-1, 0)), (3, (-1, 0, 2)), (5, (-1, 2))] == found


def test_s5_what_an_answer_looks_like_is_said_once():
    one, model = begun(items())
    again(one, gap("read", "default-deny"))
    schema = '"expectedDecision": "allow" | "escalate" | "deny"'
    assert [1, 0] == [message.text.count(schema) for message in model.requests[-1].messages if message.role == "user"]


def test_s6_a_turn_holds_only_what_is_new():
    growth: list[int] = []
    for count in (1, 11):
        refused = [Refused(id=f"{number:012x}", why="duplicate of 'read a'") for number in range(count)]
        growth.append(estimate_tokens(format_feedback_message(ScenarioFeedback(refused=refused))))
    assert (growth[1] - growth[0]) / 10 <= 30
    one, model = begun(items(), items())
    again(one)
    again(one)
    sizes = [len(request.messages[-1].text) for request in model.requests]
    assert sizes[1] == sizes[2] < sizes[0] / 2


def test_s7_what_was_cut_off_is_asked_once_with_a_higher_limit_and_never_unchanged():
    cut = Reply(text=FIRST[:20], finish="length", model="m")
    one, model = session([cut, FIRST])
    asyncio.run(one.generate())
    assert [8_192, 16_384] == [request.max_output_tokens for request in model.requests]
    assert model.requests[0].messages == model.requests[1].messages
    other, model = session([cut, cut, cut, cut], limits=SessionLimits(max_attempts=4))
    with pytest.raises(Invalid, match="cut off"):
        asyncio.run(other.generate())
    assert 2 == len(model.requests)


@pytest.mark.parametrize(
    ("limits", "words", "calls"),
    [
        (SessionLimits(max_turns=1), "1 turns", 1),
        (SessionLimits(max_input_tokens=1), "1 input tokens", 1),
        (SessionLimits(max_cost=0.0), "0.0 US dollars", 0),
    ],
)
def test_s8_a_limit_ends_the_session_and_is_named(limits: SessionLimits, words: str, calls: int):
    one, model = session([FIRST, items()], limits=limits)

    def both() -> None:
        asyncio.run(one.generate())
        again(one)

    with pytest.raises(LimitReached, match=words):
        both()
    assert calls == len(model.requests)


def test_s8_a_turn_takes_no_more_attempts_than_allowed():
    one, model = session(["no"] * 9)
    with pytest.raises(Invalid):
        asyncio.run(one.generate())
    assert 2 == len(model.requests)


def test_s9_a_session_is_rebuilt_from_its_messages():
    one, _ = begun(items(item("read", "~/x", "deny"), item("read", "~/y", "deny")), items(item("write", "~/x", "deny")))
    again(one, gap("read", "default-deny"))
    same, model = session([items(item("write", "~/x", "deny"))], history=one.history)
    assert (one.key, one.page, one.turn_count) == (same.key, same.page, same.turn_count)
    again(one, gap("write", "default-deny"))
    again(same, gap("write", "default-deny"))
    assert (one.key, one.page) == (same.key, same.page)
    assert one.history[:5] == model.requests[0].messages


def test_s10_there_is_a_session_for_each_page():
    many = [tool(f"tool{number}", "read-path") for number in range(60)]
    large = job(servers={"notes": {"tools": many}})
    pages = [ScenarioGeneratorSession(large, "notes", scripted([]), page=page).prompt for page in (1, 2, 3)]
    assert [("scenarios/notes", page) for page in (1, 2, 3)] == [prompt.key for prompt in pages]
    assert [25, 25, 10] == [len(blocks(prompt.user)["tools"]) for prompt in pages]


def test_feedback_says_nothing_where_there_is_nothing_to_say():
    assert "Answer with an empty list" in format_feedback_message(ScenarioFeedback())
    assert "```" not in format_feedback_message(ScenarioFeedback())


def test_feedback_has_its_parts_in_a_fixed_order_sorted_by_id():
    one, _ = begun()
    feedback = ScenarioFeedback(
        discards=one.page.open,
        gaps=[gap("write", "ask-to-write")],
        refused=[Refused(id="b", why="duplicate"), Refused(id="a", why="contradicts")],
        corrections=[ScenarioCorrection(id="c", expected="deny", reasoning="", quote="never")],
    )
    text = format_feedback_message(feedback)
    found = blocks(text)
    assert ["removed", "uncovered", "refused", "corrected"] == list(found)
    assert "always deny, by structural-protected-path" == found["removed"][0]["why"]
    assert ["a", "b"] == [row["id"] for row in found["refused"]]
    assert [{"id": "c", "is": "deny", "quote": "never"}] == found["corrected"]
    assert "2 in all" in text


def test_a_gap_is_told_without_what_would_be_right():
    found = blocks(format_feedback_message(ScenarioFeedback(gaps=[gap("write", "ask-to-write")])))["uncovered"]
    assert [{"rule", "example"}] == [set(row) for row in found]
    assert len(COVERING) == 5

"""The fold of events: what it makes of any history."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.locate.trial_events import OUTCOMES, TrialEvent, Trials, event_from

MODULES = st.sampled_from(["A.scala::A", "B.scala::B.C"])
EVENTS = st.builds(
    TrialEvent,
    event=st.sampled_from(["attempt_started", "outcome", "invalidated"]),
    case_id=st.sampled_from(["one", "two"]),
    module_id=MODULES,
    time=st.just("2026-01-01T00:00:00Z"),
    iteration=st.integers(1, 3),
    outcome=st.sampled_from(OUTCOMES),
    score=st.floats(0, 1),
    id=st.sampled_from(["", "", "a", "b"]),
    notes=st.text(max_size=5),
)


@given(st.lists(EVENTS, max_size=20))
@settings(max_examples=60, deadline=None)
def test_the_fold_of_a_snapshot_is_the_fold_of_its_events(events: list[TrialEvent]) -> None:
    whole = Trials(events)
    again = Trials(event_from(event.as_json()) for event in whole.snapshot("2026-01-01T00:00:00Z"))
    assert whole.records == again.records
    assert whole.seen == again.seen


@given(st.lists(EVENTS, max_size=20))
@settings(max_examples=60, deadline=None)
def test_attempts_never_shrink_and_tried_means_an_outcome(events: list[TrialEvent]) -> None:
    trials, before = Trials(), Counter[tuple[str, str]]()
    for event in events:
        trials.apply(event)
        now = Counter({key: record.attempts for key, record in trials.records.items()})
        assert all(now[key] >= count for key, count in before.items())
        before = now
    for record in trials.records.values():
        assert record.tried == (record.outcome_last != "none")
        assert record.attempts_here <= record.attempts == len(record.timestamps)


@given(EVENTS)
@settings(max_examples=30, deadline=None)
def test_an_event_survives_its_line_in_the_file(event: TrialEvent) -> None:
    assert event == event_from(event.as_json())

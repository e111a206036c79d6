"""A noun that names a server stands for what its tools act on, and not for everything that the server has."""

from __future__ import annotations

from tests.recipes.policy.english.meanings import TEXT, frame_of, meaning_of

PAYMENTS = frame_of(
    "payments",
    {"cancel_payment": ("", {"payment_id": TEXT}), "delete_recipient": ("", {"name": TEXT})},
)
CALENDAR = frame_of(
    "calendar",
    {"delete_calendar": ("", {"calendar_id": TEXT}), "delete_event": ("", {"event_id": TEXT})},
)


def test_a_prohibition_about_payments_is_not_about_the_recipients_of_the_server_payments():
    assert {"deny cancel_payment"} == meaning_of("In no case may you cancel a payment.", PAYMENTS)


def test_a_prohibition_about_the_calendar_is_about_its_events_too():
    assert {"deny delete_calendar delete_event"} == meaning_of("Never delete my calendar.", CALENDAR)

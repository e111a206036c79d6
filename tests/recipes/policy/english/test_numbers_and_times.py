"""Bounds of one call, limits per period and times of calls, as people write them, and sentences that look like them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

PRICE = told("Price in euros", {"type": "number"})
AMOUNT: dict[str, Any] = {"type": "number"}
WHEN = told("Start, ISO 8601 with offset")
ROOMS = frame_of(
    "rooms",
    {
        "book_room": ("Book a room.", {"room_id": TEXT, "start": WHEN, "end": told("End, ISO 8601 with offset")}),
        "move_booking": ("Move a booking to another time.", {"booking_id": TEXT, "new_start": WHEN}),
        "cancel_booking": ("Cancel a booking.", {"booking_id": TEXT}),
        "list_bookings": ("List the bookings of a day.", {"day": told("Day, YYYY-MM-DD")}),
    },
)
COURSES = frame_of(
    "courses",
    {
        "create_lesson": ("Create a lesson.", {"title": TEXT, "start": WHEN, "end": told("End, ISO 8601")}),
        "update_lesson": ("Change a lesson.", {"lesson_id": TEXT, "title": TEXT, "start": WHEN}),
        "delete_lesson": ("Delete a lesson.", {"lesson_id": TEXT}),
    },
    required={
        "create_lesson": ["title", "start", "end"],
        "update_lesson": ["lesson_id"],
        "delete_lesson": ["lesson_id"],
    },
)
SUPPORT: dict[str, tuple[str, dict[str, Any]]] = {
    "create_case": ("Create a support case.", {"title": TEXT, "priority": TEXT}),
    "get_case": ("Get a case.", {"case_id": TEXT}),
    "update_case": ("Update a case.", {"case_id": TEXT, "title": TEXT}),
    "close_case": ("Close a case.", {"case_id": TEXT}),
    "add_timelog": ("Log time spent on a case.", {"case_id": TEXT, "minutes": told("Time in minutes", NUMBER)}),
    "remind_customer": ("Send a reminder to a customer.", {"customer_id": TEXT, "text": TEXT}),
    "search_archive": ("Search the archive.", {"query": TEXT, "count": told("Number of results", NUMBER)}),
}
DESK = frame_of("desk", SUPPORT)
CASES = frame_of("case_desk", SUPPORT)  # its name says "case", too, as what all of its tools are about
BANK = frame_of(
    "bank",
    {
        "send_money": ("Send money to a payee.", {"payee": TEXT, "amount": AMOUNT, "currency": told("Currency code")}),
        "schedule_payment": (
            "Schedule a payment for later.",
            {"payee": TEXT, "amount": AMOUNT, "currency": told("Currency code"), "date": told("YYYY-MM-DD")},
        ),
        "set_voucher_limit": ("Set the weekly limit of a voucher.", {"voucher_id": TEXT, "weekly_limit": AMOUNT}),
        "pay_bonus": ("Pay a bonus to an employee.", {"employee": TEXT, "amount": AMOUNT}),
    },
)
REFUNDS = frame_of(
    "refunds", {"create_refund": ("Refund a payment.", {"order_id": TEXT, "amount": AMOUNT, "currency": TEXT})}
)
TRIPS = frame_of(
    "trips",
    {
        "book_train": ("Book a train.", {"train": TEXT, "price_eur": PRICE}),
        "book_hotel": ("Book a hotel.", {"hotel": TEXT, "total_price_eur": PRICE}),
        "search_trains": ("Search trains.", {"query": TEXT, "limit": told("Most results", NUMBER)}),
    },
)
CHAT = frame_of(
    "chat",
    {
        "post_message": ("Post a message to a channel.", {"channel": told("Channel, such as #dev"), "text": TEXT}),
        "reply_in_thread": (
            "Reply in a thread of messages.",
            {"channel": told("Channel, such as #dev"), "thread": TEXT, "text": TEXT},
        ),
        "send_note": ("Send a direct message to a member.", {"member": told("Name, such as @kim"), "text": TEXT}),
    },
)
TEAM = frame_of(
    "team",
    {
        "post_message": ("Post a message to a channel.", {"channel": told("Channel, such as #dev"), "text": TEXT}),
        "send_direct_message": ("Send a direct message to a user.", {"user": told("Name, @kim"), "text": TEXT}),
    },
)
SITE = {"type": "string", "enum": ["blog", "x"]}
SOCIAL = frame_of(
    "social",
    {
        "create_post": ("Publish a post.", {"platform": SITE, "text": TEXT}),
        "schedule_post": ("Schedule a post for later.", {"platform": SITE, "text": TEXT, "publish_at": WHEN}),
        "delete_post": ("Delete a post.", {"platform": SITE, "post_id": TEXT}),
        "reply_to_comment": ("Reply to a comment under a post.", {"platform": SITE, "comment": TEXT, "text": TEXT}),
        "send_direct_message": ("Send a direct message to a user.", {"platform": SITE, "user": TEXT, "text": TEXT}),
    },
)
ADS = frame_of(
    "ads",
    {
        "buy_ad": ("Buy an ad.", {"amount": AMOUNT, "text": TEXT}),
        "set_campaign_budget": ("Set the weekly budget of a campaign.", {"campaign": TEXT, "weekly_budget": AMOUNT}),
    },
)
CLOUD = frame_of(
    "cloud",
    {
        "deploy_app": ("Deploy an app.", {"app": TEXT, "environment": TEXT, "force": FLAG}),
        "undo_deployment": ("Roll an app back.", {"app": TEXT, "environment": TEXT}),
        "stop_server": ("Stop a server.", {"server_id": TEXT}),
    },
)


def over(number: int, tool: str, period: str = "24 hours", tests: str = "", verb: str = "deny") -> str:
    """Return the rule for more calls of a tool than a number in a period."""
    same, _, where = tests.partition(";")
    return f"{verb} {tool} {where}the number of such calls{same} in any {period} > {number}"


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (DESK, over(3, "create_case"), "Create no more than three cases a day."),
        (CASES, over(3, "create_case"), "Create no more than three cases a day."),
        (DESK, over(3, "create_case"), "Please create at most 3 cases per day."),
        (DESK, over(3, "create_case"), "Create three cases per day at most."),
        (DESK, over(3, "create_case"), "Always create at most three cases a day."),
        (DESK, over(10, "create_case"), "The bot shouldn't open more than 10 cases a day."),
        (DESK, over(3, "create_case", "60 minutes"), "You must not open more than three new cases per hour."),
        (DESK, over(3, "create_case"), "At most three cases a day."),
        (DESK, over(3, "create_case"), "Limit yourself to three cases a day."),
        (DESK, over(3, "create_case"), "Never exceed three cases a day."),
        (DESK, over(3, "create_case", verb="escalate"), "Create at most three cases per day unless I agree."),
        (DESK, over(3, "get_case", "60 minutes"), "Never view more than three cases per hour."),
        (DESK, over(5, "close_case", "60 minutes"), "Close at most five cases within one hour."),
        (DESK, over(4, "search_archive", "60 minutes"), "Do not run more than four archive searches per hour."),
        (DESK, over(2, "remind_customer"), "Send at most two reminders a day."),
        (SOCIAL, over(3, "create_post schedule_post"), "No more than three posts per day."),
        (SOCIAL, over(3, "create_post schedule_post", tests=";platform is x "), "Stick to three posts per day on X."),
        (
            TEAM,
            over(3, "post_message", "60 minutes", ";channel is #general or general "),
            "Post at most three messages per hour in #general.",
        ),
        (CLOUD, over(2, "stop_server", "60 minutes"), "You should stop no more than two servers per hour."),
        (
            CHAT,
            over(3, "post_message reply_in_thread", "60 minutes", ";channel is #general or general "),
            "Post at most three messages per hour in #general.",
        ),
    ],
)
def test_a_limit_per_period_is_a_restriction_only(frame: Any, wanted: str, text: str) -> None:
    assert {wanted} == meaning_of(text, frame)


@pytest.mark.parametrize(
    "text",
    [
        "Send each customer at most two reminders a day.",
        "Never send a customer more than two reminders a day.",
        "Never send reminders to a customer more than twice a day.",
        "No customer may get more than two reminders a day.",
        "Each customer gets at most two reminders a day.",
    ],
)
def test_a_limit_for_each_of_some_people_is_one_for_each_value(text: str) -> None:
    assert {over(2, "remind_customer", tests=" with the same customer_id")} == meaning_of(text, DESK)


@pytest.mark.parametrize("text", ["You may create at most three cases a day.", "Create up to three cases a day."])
def test_what_says_may_or_up_to_permits_as_well(text: str) -> None:
    assert {"allow create_case", over(3, "create_case")} == meaning_of(text, DESK)


TOTAL = "currency is EUR or eur the total amount of such calls in any 24 hours > 500"
OTHER = "currency like * unless currency is EUR or eur"
PAID = "schedule_payment send_money"


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (BANK, {f"deny {PAID} {TOTAL}", f"deny {PAID} {OTHER}"}, "Never send more than 500 euros in total in one day."),
        (BANK, {f"deny {PAID} {TOTAL}", f"deny {PAID} {OTHER}"}, "Send no more than 500 euros a day altogether."),
        (
            REFUNDS,
            {f"deny create_refund {TOTAL}", f"deny create_refund {OTHER}"},
            "Refund no more than 500 euros a day.",
        ),
        (
            BANK,
            {f"deny {PAID} {TOTAL.replace('24 hours', '7 days')}", f"deny {PAID} {OTHER}"},
            "Never send more than 500 euros a week.",
        ),
        (
            ADS,
            {"deny buy_ad the total amount of such calls in any 24 hours > 50"},
            "Spend no more than 50 euros a day.",
        ),
        (
            BANK,
            {"deny pay_bonus the total amount of such calls in any 24 hours > 2000"},
            "Pay out no more than 2,000 euros in bonuses per day.",
        ),
        (BANK, {f"deny {PAID} amount > 500", f"deny {PAID} {OTHER}"}, "Never send more than 500 euros in one go."),
        (BANK, {"escalate pay_bonus amount > 1000"}, "Bonuses over 1,000 euros need my approval."),
        (
            BANK,
            {"deny set_voucher_limit weekly_limit > 50"},
            "A voucher's weekly limit must not be set above 50 euros.",
        ),
        (TRIPS, {"deny book_train price_eur > 90"}, "Never spend more than 90 euros on a single train."),
        (TRIPS, {"deny book_train price_eur > 90"}, "No train may cost more than 90 euros."),
        (TRIPS, {"escalate book_hotel total_price_eur > 400"}, "Check with me if a hotel stay costs over 400 euros."),
        (TRIPS, {"deny search_trains limit > 20"}, "When you search trains, the limit must never exceed 20."),
        (TRIPS, {"deny search_trains limit < 5"}, "The limit must be at least 5 whenever you search trains."),
        (DESK, {"deny add_timelog minutes > 120"}, "Never log more than two hours in one entry."),
        (
            REFUNDS,
            {
                "allow create_refund amount >= 0 and <= 50 currency is EUR or eur",
                "escalate create_refund amount > 50",
                "escalate create_refund currency like * unless currency is EUR or eur",
            },
            "Refunds up to 50 euros are fine; anything bigger needs my go-ahead.",
        ),
    ],
)
def test_a_bound_is_one_of_each_call_and_a_total_one_of_a_currency(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)


NIGHT = "the time is between 20:00 and 07:00"
EARLY = {
    "deny book_room end is between 00:01 and 08:01",
    "deny book_room start is between 00:00 and 08:00",
    "deny move_booking new_start is between 00:00 and 08:00",
}
NEW_ON_WEEKENDS = {
    "deny create_lesson start is on sat or sun",
    "deny create_lesson end is on sat or sun",
}
WEEKEND = {
    *NEW_ON_WEEKENDS,
    "deny update_lesson start is given start is on sat or sun",
}


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (ROOMS, EARLY, "Nothing may be booked before 8 a.m."),
        (
            ROOMS,
            {
                "deny book_room start is on sun",
                "deny book_room end like *T* or *:* end is on sun",
                "deny move_booking new_start is on sun",
            },
            "Book nothing on Sundays.",
        ),
        (
            ROOMS,
            {
                "escalate book_room start is on sun",
                "escalate book_room end like *T* or *:* end is on sun",
                "escalate move_booking new_start is on sun",
            },
            "Nothing may be booked on Sundays except with my approval.",
        ),
        (ROOMS, {"deny book_room"}, "Nothing may be booked."),
        (COURSES, WEEKEND, "No lessons on Saturdays or Sundays."),
        (COURSES, NEW_ON_WEEKENDS, "No new lessons on Saturdays or Sundays."),
        (
            COURSES,
            {
                "deny create_lesson start is between 00:00 and 09:00",
                "deny update_lesson start is given start is between 00:00 and 09:00",
            },
            "No lesson may start before nine in the morning.",
        ),
        (
            CHAT,
            {f"deny post_message reply_in_thread {NIGHT}"},
            "Post nothing between 8 in the evening and 7 in the morning.",
        ),
        (CHAT, {f"deny post_message reply_in_thread {NIGHT}"}, "Between 8 p.m. and 7 a.m. no message may be posted."),
        (CHAT, {"deny post_message reply_in_thread channel is #general or general"}, "Post no messages in #general."),
        (
            CLOUD,
            {"deny deploy_app environment is production or prod the time is between 18:00 and 00:00"},
            "No deployments to production after 18:00.",
        ),
        (CLOUD, {"deny stop_server the time is on mon or sun"}, "On Sundays and Mondays no server may be stopped."),
        (CLOUD, {"deny stop_server the time is on sat or sun"}, "Stop no servers on weekends."),
        (DESK, {"escalate create_case"}, "Create no cases before I agree."),
        (DESK, {"deny create_case unless priority like *"}, "Create no case without a priority."),
    ],
)
def test_a_time_is_that_of_the_call_or_of_what_is_planned(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        # A command with a limit, and more that the limit may or may not be about
        (DESK, "Create at most three cases a day and close them."),
        (DESK, "Create at most three cases, and close one per day."),
        (DESK, "Create at most three cases per day, but close as many as you like."),
        (DESK, "Create at most three cases per day, except urgent ones."),
        (DESK, "Create at most three cases per day per customer."),
        (DESK, "Create at most three cases per day with the priority high."),
        (DESK, "Send reminders to at most three customers per day."),
        (CHAT, "Post at most three messages per hour in #general and #dev."),  # in each, or in both?
        (CLOUD, "Stop at most two servers a day before 9:00 or after 17:00."),
        (CLOUD, "Stop at most two servers per day on weekdays only."),
        (CLOUD, "Never stop more than two servers per day on weekdays only."),
        # No limit per period, or another one
        (DESK, "Create at most three cases."),
        (DESK, "Create no fewer than three cases a day."),
        (DESK, "Each customer gets two reminders a day."),
        (DESK, "Limit yourself to three hours a day."),
        (DESK, "Never log more than two hours a day."),
        (CHAT, "Never post more than 5 messages per hour."),  # a reply may be a message, too
        # No sum, or one of several things
        (BANK, "Never send more than 500 a day."),
        (BANK, "Send no more than 500 euros or 3 payments a day."),
        (BANK, "Pay each employee at most 500 euros a day."),
        (ADS, "Never spend more than 50 euros a week."),  # it may be the budget of a campaign
        (BANK, "A voucher's monthly limit must not be set above 50 euros."),
        (REFUNDS, "Refund no more than 300 a day."),
        # No bound of one call of one tool
        (TRIPS, "Never spend more than 90 euros on a single day."),
        (TRIPS, "Ask me if a hotel stay costs over 400 euros or a train over 90."),
        (TRIPS, "When you search or book trains, the limit must never exceed 20."),
        (TRIPS, "When you book trains, the limit must never exceed 20."),
        (TRIPS, "When you don't search trains, the limit must never exceed 20."),
        (TRIPS, "Trains up to 50 euros are fine; anything else needs my approval."),
        (TRIPS, "No train and no hotel may cost more than 90 euros."),
        (COURSES, "No lesson may be longer than two hours."),  # no argument has its length
        # No time of one action
        (ROOMS, "Nothing may be booked in B7 before 8 a.m."),
        (ROOMS, "Nothing may be cancelled before 8 a.m."),  # the time of the call, or that of the booking?
        (COURSES, "No lessons on Sundays or with beginners."),
        (CLOUD, "Between 2 and 3 servers may be stopped."),
        (CLOUD, "Before 8 never stop a server."),
        (CHAT, "Post no messages in #general and no notes to members."),
        (CHAT, "Post nothing."),
        (DESK, "Close no case that is urgent."),
    ],
)
def test_what_only_looks_like_a_limit_or_a_time_is_refused(frame: Any, text: str) -> None:
    assert set() == meaning_of(text, frame)

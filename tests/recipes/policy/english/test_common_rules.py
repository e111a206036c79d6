"""Rules that people write for the most common servers: mail, chat, calendars, databases, repositories, browsers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.common_tools import CALENDARS, CHAT, CODE, DATABASE, DRIVE, MAIL, WEB
from tests.recipes.policy.english.meanings import meaning_of


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (MAIL, {"allow read_email search_emails"}, "You may search and read all of my mail."),
        (
            MAIL,
            {"escalate send_email attachments is given the number of items of attachments > 0"},
            "Check with me before you send anything that has an attachment.",
        ),
        (
            MAIL,
            {"escalate send_email attachments is given the number of items of attachments > 0"},
            "E-mails with an attachment need my approval before they go out.",
        ),
        (MAIL, {"deny send_email email-address to bob@acme.example"}, "Never email bob@acme.example."),
        (
            MAIL,
            {"deny send_email email-address to bob@acme.example"},
            "Do not e-mail my boss, bob@acme.example, under any circumstances.",
        ),
        (MAIL, {"deny delete_email trash_email"}, "Never delete an email."),
        (
            MAIL,
            {"deny delete_email"},
            "Never delete an email for good, but moving it to the trash is fine.",
        ),
        (
            MAIL,
            {"deny send_email the number of such calls in any 24 hours > 6"},
            "Six sent emails a day is the maximum.",
        ),
        (MAIL, {"deny delete_filter"}, "Never delete a filter for good."),
        (
            CHAT,
            {
                "allow conversations_add_message channel_id is #standup or standup or #build-alerts or build-alerts",
                (
                    "deny conversations_add_message unless channel_id is #standup or standup or #build-alerts or "
                    "build-alerts"
                ),
            },
            "Post messages only in #standup and #build-alerts.",
        ),
        (
            CHAT,
            {"escalate conversations_add_message payload like *@channel* or *@here* or *<!channel* or *<!here*"},
            "Ask me first if a message contains @channel or @here.",
        ),
        (
            CHAT,
            {"deny conversations_add_message payload like *@everyone* or *<!everyone*"},
            "Never use @everyone in a message.",
        ),
        (CHAT, {"allow reactions_add"}, "Emoji reactions are always okay."),
        (CHAT, {"deny create_channel unless name like proj-*"}, "Names of new channels have to begin with proj-."),
        (
            CHAT,
            {"escalate invite_to_channel unless channel_id is #social or social"},
            "Ask me before inviting people to a channel except #social.",
        ),
        (
            CALENDARS,
            {
                (
                    "escalate create_event attendees is given the number of items of attendees > 0 "
                    "unless email-address to *@acme.example"
                ),
            },
            "Ask me before inviting anyone who is not at acme.example.",
        ),
        (
            CALENDARS,
            {
                "allow create_event email-address to *@acme.example",
                (
                    "deny create_event attendees is given the number of items of attendees > 0 "
                    "unless email-address to *@acme.example"
                ),
            },
            "Only invite people at acme.example.",
        ),
        (CALENDARS, {"allow create_event calendarId is Personal"}, "You may add events to my Personal calendar."),
        (
            CALENDARS,
            {"deny create_event the number of items of attendees > 8 attendees is given"},
            "Don't invite more than eight people to one event.",
        ),
        (CALENDARS, {"allow list_calendars list_events"}, "Look at any of my calendars whenever you need to."),
        (
            CALENDARS,
            {
                "deny delete_event calendarId is Family",
                f"deny delete_event calendarId like {' or '.join(f'*{digit}*' for digit in range(10))}",
            },
            "Never delete events from my Family calendar.",
        ),
        (
            DATABASE,
            {
                (
                    "deny delete_rows describe_table drop_table insert_rows select_rows update_rows "
                    "table is payment_methods"
                ),
                "deny delete_rows describe_table drop_table insert_rows select_rows update_rows table is users",
            },
            "Stay away from the users and payment_methods tables.",
        ),
        (
            DATABASE,
            {
                "deny delete_rows drop_table insert_rows update_rows table is orders",
                "deny delete_rows drop_table insert_rows update_rows table is users",
            },
            "Never change the tables users and orders.",
        ),
        (DATABASE, {"deny update_rows where is left out"}, "Never update rows without a where condition."),
        (DATABASE, {"allow insert_rows table is daily_summary"}, "You may insert rows into the daily_summary table."),
        (DATABASE, {"deny update_rows table is users"}, "Never update the users table."),
        (DATABASE, {"allow describe_table select_rows"}, "You may read any table."),
        (CODE, {"deny push_files branch-name is release"}, "Never push to the release branch."),
        (CODE, {"deny push_files branch-name is main or release"}, "Never push to main or to the release branch."),
        (
            CODE,
            {"deny create_branch unless branch-name like bot/*"},
            "Branches you create should start with bot/, otherwise don't create them.",
        ),
        (
            CODE,
            {
                "allow merge_pull_request merge_method is squash",
                "deny merge_pull_request unless merge_method is squash",
            },
            "You may merge pull requests only by squashing.",
        ),
        (
            CODE,
            {"allow create_issue", "deny create_issue the number of such calls in any 24 hours > 20"},
            "Up to twenty new issues a day are okay.",
        ),
        (CODE, {"allow create_issue"}, "You may create issues."),
        (
            WEB,
            {"deny browser_navigate fetch-url on *.bank.example"},
            "Keep away from my bank, bank.example, including its subdomains.",
        ),
        (
            WEB,
            {"allow browser_navigate fetch-url on *.bank.example"},
            "You may visit bank.example and all of its subdomains.",
        ),
        (WEB, {"deny browser_navigate fetch-url on *.bank.example"}, "Never open anything on bank.example."),
        (DRIVE, {"deny create_share_link access is anyone"}, "Never make a link that anyone on the internet can open."),
        (DRIVE, {"deny create_share_link access is anyone"}, "Public links are forbidden."),
    ],
)
def test_a_common_rule_is_read(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (MAIL, "Never delete all of my mail."),
        (MAIL, "You may read sent emails."),
        (MAIL, "Drafted emails may be sent."),
        (MAIL, "Emails are yours to read, send and delete."),
        (MAIL, "Ask me before you send emails with a picture."),
        (CHAT, "You may read every channel apart from #hr."),
        (CHAT, "Never write to @channel."),
        (CHAT, "Send nothing."),
        (CHAT, "Leave the posting to me."),
        (CHAT, "You may message Bob Smith (@bob) and nobody else."),
        (DATABASE, "Never read the old and new tables."),
        (DATABASE, "The orders table is yours to read, update and drop."),
        (WEB, "You may visit bank.example but not its subdomains."),
        (WEB, "Bank.example is off limits, its subdomains are fine."),
        (WEB, "Never visit subdomains of bank.example."),
    ],
)
def test_what_only_looks_like_a_common_rule_is_refused(frame: Any, text: str) -> None:
    assert set() == meaning_of(text, frame)

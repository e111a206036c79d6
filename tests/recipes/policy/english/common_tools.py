"""Tools as common servers have them, for sentences that people write for them."""

from __future__ import annotations

from typing import Any

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, told

MANY: dict[str, Any] = {"type": "array", "items": TEXT}
CHANNEL = told("Channel ID (C...), #channel-name, or @username for a direct message")
CALENDAR = told("ID or name of the calendar")
MAIL = frame_of(
    "gmail",
    {
        "search_emails": ("Search e-mails.", {"query": TEXT}),
        "read_email": ("Retrieve the content of an e-mail.", {"messageId": TEXT}),
        "send_email": (
            "Send a new e-mail.",
            {"to": MANY, "subject": TEXT, "body": TEXT, "attachments": told("Paths of files to attach", MANY)},
        ),
        "draft_email": ("Save an e-mail as a draft without sending it.", {"to": MANY, "subject": TEXT}),
        "trash_email": ("Move a message to the trash.", {"messageId": TEXT}),
        "delete_email": ("Permanently delete a message, bypassing the trash.", {"messageId": TEXT}),
        "list_filters": ("List the mail filters.", {}),
        "delete_filter": ("Delete a mail filter.", {"filterId": TEXT}),
    },
    required={
        "search_emails": ["query"],
        "read_email": ["messageId"],
        "send_email": ["to", "subject", "body"],
        "draft_email": ["to", "subject"],
        "trash_email": ["messageId"],
        "delete_email": ["messageId"],
        "list_filters": [],
        "delete_filter": ["filterId"],
    },
    roles={"to": "email-address"},
)
CHAT = frame_of(
    "slack",
    {
        "channels_list": ("List the channels of the workspace.", {"channel_types": MANY}),
        "conversations_history": ("Get messages from a channel or direct message.", {"channel_id": CHANNEL}),
        "conversations_add_message": (
            "Post a message to a channel, thread or direct message.",
            {"channel_id": CHANNEL, "payload": told("Text of the message")},
        ),
        "reactions_add": ("Add an emoji reaction to a message.", {"channel_id": CHANNEL, "emoji": TEXT}),
        "create_channel": ("Create a channel.", {"name": told("Name of the channel, without #")}),
        "invite_to_channel": ("Invite users to a channel.", {"channel_id": CHANNEL, "users": MANY}),
    },
)
EVENT: dict[str, Any] = {
    "calendarId": CALENDAR,
    "summary": TEXT,
    "start": told("Start time, ISO 8601 with offset"),
    "attendees": told("E-mail addresses of the attendees", MANY),
}
CALENDARS = frame_of(
    "calendar",
    {
        "list_calendars": ("List all available calendars.", {}),
        "list_events": ("List events from a calendar.", {"calendarId": CALENDAR}),
        "create_event": ("Create a new calendar event.", EVENT),
        "delete_event": ("Delete a calendar event.", {"calendarId": CALENDAR, "eventId": TEXT}),
    },
    required={
        "list_calendars": [],
        "list_events": ["calendarId"],
        "create_event": ["calendarId", "summary", "start"],
        "delete_event": ["calendarId", "eventId"],
    },
    roles={"attendees": "email-address"},
)
ROWS: dict[str, Any] = {"table": told("Table name"), "where": told("SQL condition; all rows if omitted")}
DATABASE = frame_of(
    "postgres",
    {
        "describe_table": ("Show columns of a table.", {"table": told("Table name")}),
        "select_rows": ("Read rows from a table.", {"table": told("Table name")}),
        "insert_rows": ("Insert rows into a table.", {"table": told("Table name"), "rows": TEXT}),
        "update_rows": ("Update rows of a table.", {**ROWS, "set": TEXT}),
        "delete_rows": ("Delete rows from a table.", ROWS),
        "drop_table": ("Drop a table.", {"table": told("Table name")}),
    },
    required={
        "describe_table": ["table"],
        "select_rows": ["table"],
        "insert_rows": ["table", "rows"],
        "update_rows": ["table", "set"],
        "delete_rows": ["table"],
        "drop_table": ["table"],
    },
)
METHOD: dict[str, Any] = {"type": "string", "enum": ["merge", "squash", "rebase"]}
CODE = frame_of(
    "github",
    {
        "create_branch": ("Create a new branch.", {"owner": TEXT, "repo": TEXT, "branch": TEXT}),
        "push_files": ("Push files to a branch in a single commit.", {"owner": TEXT, "repo": TEXT, "branch": TEXT}),
        "create_issue": ("Open a new issue.", {"owner": TEXT, "repo": TEXT, "title": TEXT}),
        "link_issues": ("Create a link between two issues.", {"from_key": TEXT, "to_key": TEXT}),
        "merge_pull_request": (
            "Merge a pull request.",
            {"owner": TEXT, "repo": TEXT, "pullNumber": NUMBER, "merge_method": METHOD},
        ),
    },
    roles={"owner": "github-owner", "repo": "github-repo", "branch": "branch-name"},
)
WEB = frame_of(
    "browser",
    {
        "browser_navigate": ("Navigate to a URL.", {"url": told("The URL to navigate to")}),
        "browser_click": ("Perform a click on an element.", {"element": TEXT}),
    },
    roles={"url": "fetch-url"},
)
AUDIENCE: dict[str, Any] = {"type": "string", "enum": ["anyone", "organization", "specific_people"]}
DRIVE = frame_of(
    "drive",
    {
        "create_share_link": ("Create a link to a file.", {"path": TEXT, "access": AUDIENCE, "expires": FLAG}),
        "read_file": ("Read the text of a file.", {"path": TEXT}),
    },
)

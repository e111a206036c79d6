"""Sentences about the servers that most people have: a coding agent, a browser, mail, calendars, a house."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.listed_servers import listed_frame
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, told

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy

TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
WEB = listed_frame(
    "browser",
    {
        "browser_navigate": ("Navigate to a URL", {"url": told("The URL to navigate to")}),
        "browser_snapshot": ("Capture accessibility snapshot of the current page", {}),
        "browser_click": (
            "Perform click on a web page",
            {"element": told("Human-readable element description"), "ref": told("Exact target element reference")},
        ),
        "browser_evaluate": (
            "Evaluate JavaScript expression on page or element",
            {"function": told("() => { /* code */ }")},
        ),
        "browser_file_upload": ("Upload one or multiple files", {"paths?": told("The absolute paths", TEXTS)}),
        "browser_take_screenshot": (
            "Take a screenshot of the current page",
            {
                "filename?": told(
                    "File name to save the screenshot to. Defaults to `page-{timestamp}.png` if not specified. Prefer "
                    "relative file names to stay within the output directory."
                )
            },
        ),
        "browser_console_messages": ("Returns all console messages", {"onlyErrors?": FLAG}),
    },
)
CODE = listed_frame(
    "code",
    {
        "Bash": ("Executes a given bash command.", {"command": told("The command to execute")}),
        "BashOutput": (
            "Retrieves output from a running or completed background bash shell.",
            {"bash_id": told("The ID of the background shell"), "filter?": told("Regular expression")},
        ),
        "KillShell": ("Kills a running background bash shell by its ID.", {"shell_id": told("The ID of the shell")}),
        "Read": ("Reads a file from the local filesystem.", {"file_path": told("The absolute path to the file")}),
        "Write": (
            "Writes a file to the local filesystem.",
            {"file_path": told("The absolute path to the file to write"), "content": TEXT},
        ),
        "Glob": (
            "Fast file pattern matching tool. Returns matching file paths.",
            {"pattern": told("The glob pattern to match files against"), "path?": told("The directory to search in")},
        ),
        "Grep": (
            "A powerful search tool built on ripgrep. Searches file contents.",
            {"pattern": told("The regular expression"), "path?": told("File or directory to search in")},
        ),
    },
)
ROLE: dict[str, Any] = {"type": "string", "enum": ["end-user", "agent", "admin"]}
DESK = listed_frame(
    "desk",
    {
        "get_ticket": ("Get a ticket", {"id": NUMBER}),
        "create_ticket": (
            "Create a new ticket",
            {"subject": TEXT, "group_id?": told("Group ID for the ticket", NUMBER)},
        ),
        "update_ticket": (
            "Update an existing ticket",
            {
                "id": NUMBER,
                "comment?": told("New comment to add"),
                "group_id?": told("Group ID for the ticket", NUMBER),
            },
        ),
        "create_ticket_comment": (
            "Create a new comment on an existing ticket",
            {"ticket_id": NUMBER, "comment": TEXT, "public?": told("Whether the comment should be public", FLAG)},
        ),
        "create_user": ("Create a new user", {"name": TEXT, "role?": ROLE}),
        "update_user": ("Update a user", {"id": NUMBER, "role?": ROLE}),
        "list_users": ("List users", {"role?": ROLE}),
    },
)
ADDRESSES = told("List of recipient addresses", TEXTS)
MAIL = listed_frame(
    "mail",
    {
        "send_email": (
            "Sends a new email",
            {"to": ADDRESSES, "cc?": ADDRESSES, "bcc?": ADDRESSES, "threadId?": told("Thread ID to reply to")},
        ),
        "draft_email": ("Draft a new email", {"to": ADDRESSES, "cc?": ADDRESSES, "bcc?": ADDRESSES}),
        "read_email": ("Retrieves an email", {"messageId": TEXT}),
    },
)
CALENDAR_ID = told("ID of the calendar (use 'primary' for the main calendar)")
MOMENT = told("Event time: '2025-01-01T10:00:00'")
CALENDAR = listed_frame(
    "calendar",
    {
        "list-events": ("List events from a calendar.", {"calendarId": CALENDAR_ID}),
        "create-event": (
            "Create a new calendar event.",
            {"calendarId": CALENDAR_ID, "start": MOMENT, "end": MOMENT, "recurrence?": TEXTS},
        ),
        "update-event": (
            "Update an existing calendar event with recurring event modification scope support.",
            {
                "calendarId": CALENDAR_ID,
                "eventId": TEXT,
                "start?": MOMENT,
                "end?": MOMENT,
                "location?": TEXT,
                "recurrence?": TEXTS,
                "originalStartTime?": told("Original start time of the specific instance"),
            },
        ),
    },
)
SHOP = "/home/ada/shop"
SEARCHING = "You may read and search files under ~/shop."
NOT_SSH = "Never search files in ~/.ssh."
GOV = "Only go to websites that end in .gov."
DECIDED: tuple[tuple[Policy, str, str, dict[str, Any], str], ...] = (
    # The end of a site is the end of its host.
    (WEB, GOV, "browser_navigate", {"url": "https://www.irs.gov/refunds"}, "allow"),
    (WEB, GOV, "browser_navigate", {"url": "https://example.com/page.gov"}, "deny"),
    (WEB, GOV, "browser_navigate", {"url": "https://irs.gov.refund-help.com/"}, "deny"),
    (WEB, GOV, "browser_navigate", {"url": "https://evil.com/?x=.gov"}, "deny"),
    (WEB, "Never visit sites ending in .ru.", "browser_navigate", {"url": "https://a.ru/index.html"}, "deny"),
    (WEB, "Never visit sites ending in .ru.", "browser_navigate", {"url": "https://a.com/b.ru"}, "allow"),
    (WEB, "Never open sites other than acme.example.", "browser_navigate", {"url": "https://b.example"}, "deny"),
    (WEB, "Only open pages that end in .pdf.", "browser_navigate", {"url": "https://a.com/b.pdf"}, "refused"),
    (WEB, "Never open pages that end in .zip.", "browser_navigate", {"url": "https://a.com/b.zip"}, "refused"),
    # Messages of a console are no code, and the name of a screenshot is no path.
    (WEB, "No running JavaScript without my okay.", "browser_console_messages", {}, "allow"),
    (WEB, "No running JavaScript without my okay.", "browser_evaluate", {"function": "() => 1"}, "escalate"),
    (WEB, "Don't upload any of my files.", "browser_take_screenshot", {"filename": "page.png"}, "allow"),
    (WEB, "Don't upload any of my files.", "browser_take_screenshot", {"filename": "/home/ada/.bashrc"}, "deny"),
    (WEB, "Don't upload any of my files.", "browser_take_screenshot", {"filename": "../x"}, "deny"),
    # Who may search in a directory may do so with each tool, and not by a pattern for another directory.
    (CODE, SEARCHING, "Grep", {"pattern": "TODO", "path": SHOP}, "allow"),
    (CODE, SEARCHING, "Grep", {"pattern": "TODO", "path": "/home/ada"}, "deny"),
    (CODE, SEARCHING, "Grep", {"pattern": "TODO"}, "deny"),
    (CODE, SEARCHING, "Glob", {"pattern": "**/*.ts", "path": f"{SHOP}/src"}, "allow"),
    (CODE, SEARCHING, "Glob", {"pattern": "/etc/*", "path": SHOP}, "deny"),
    (CODE, SEARCHING, "Glob", {"pattern": "~/.ssh/*", "path": SHOP}, "deny"),
    (CODE, SEARCHING, "Glob", {"pattern": "../bank/*", "path": SHOP}, "deny"),
    (CODE, SEARCHING, "Write", {"file_path": f"{SHOP}/a", "content": "x"}, "deny"),
    (CODE, SEARCHING, "Bash", {"command": "cat ~/shop/a"}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": "/home/ada/.ssh/*", "path": SHOP}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": "~/.ssh/*", "path": SHOP}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": ".ssh/*", "path": "/home/ada"}, "deny"),
    (CODE, NOT_SSH, "Glob", {"pattern": "*.py", "path": SHOP}, "allow"),
    (CODE, NOT_SSH, "BashOutput", {"bash_id": "1"}, "allow"),
    (CODE, NOT_SSH, "KillShell", {"shell_id": "1"}, "allow"),
    (CODE, NOT_SSH, "Bash", {"command": "ls"}, "deny"),
    # Who is made an admin, by each tool that has such a role.
    (DESK, "Don't make anyone an admin.", "update_user", {"id": 1, "role": "admin"}, "deny"),
    (DESK, "Don't make anyone an admin.", "create_user", {"name": "J", "role": "admin"}, "deny"),
    (DESK, "Don't make anyone an admin.", "create_user", {"name": "J"}, "allow"),
    (DESK, "Don't make anyone an admin.", "list_users", {"role": "admin"}, "allow"),
    # A reply is a comment that the customer sees, by whatever tool. A note for the team is none.
    (DESK, "Never reply to a ticket.", "create_ticket_comment", {"ticket_id": 1, "comment": "x"}, "deny"),
    (DESK, "Never reply to a ticket.", "update_ticket", {"id": 1, "comment": "x"}, "deny"),
    (DESK, "Never reply to a ticket.", "update_ticket", {"id": 1, "group_id": 2}, "allow"),
    (
        DESK,
        "Never reply to a ticket.",
        "create_ticket_comment",
        {"ticket_id": 1, "comment": "x", "public": False},
        "allow",
    ),
    # A number in a sentence is an id, and a word is none.
    (DESK, "Only hand tickets over to the billing group, which is number 4410.", "update_ticket",
     {"id": 1, "group_id": 4410}, "allow"),
    (DESK, "Only hand tickets over to the billing group, which is number 4410.", "update_ticket",
     {"id": 1, "group_id": 441}, "deny"),
    (DESK, "Only hand tickets over to the billing group, which is number 4410.", "create_ticket",
     {"subject": "x", "group_id": 441}, "deny"),
    (DESK, "Only hand tickets over to the billing group.", "update_ticket", {"id": 1, "group_id": 441}, "refused"),
    # Copies, also in drafts, and replies by a tool that sends other messages too.
    (MAIL, "Never cc or bcc anyone outside a.example.", "send_email", {"to": ["x@b.example"]}, "allow"),
    (MAIL, "Never cc or bcc anyone outside a.example.", "send_email", {"to": [], "cc": ["x@b.example"]}, "deny"),
    (MAIL, "Never cc or bcc anyone outside a.example.", "draft_email", {"to": [], "bcc": ["x@b.example"]}, "deny"),
    (MAIL, "Never cc or bcc anyone outside a.example.", "send_email",
     {"to": [], "cc": ["x@a.example", "y@a.example.evil.example"]}, "deny"),
    (MAIL, "Never cc or bcc anyone outside a.example.", "send_email", {"to": [], "cc": ["x@a.example"]}, "allow"),
    (MAIL, "Never cc anyone unless they are at a.example.", "send_email", {"to": [], "bcc": ["x@b.example"]}, "allow"),
    (MAIL, "Never reply to emails.", "send_email", {"to": ["x@b.example"], "threadId": "1"}, "deny"),
    (MAIL, "Never reply to emails.", "send_email", {"to": ["x@b.example"]}, "allow"),
    (MAIL, "Never send or reply to emails.", "send_email", {"to": ["x@b.example"]}, "deny"),
    (MAIL, "You may read email but not send any.", "send_email", {"to": ["x@b.example"]}, "deny"),
    # Times of events: not the time that an event had before, and each tool that gives another one.
    (CALENDAR, "Don't book anything that starts before 9 in the morning.", "update-event",
     {"calendarId": "a", "eventId": "1", "start": "2026-03-11T07:00:00"}, "deny"),
    (CALENDAR, "Don't book anything that starts before 9 in the morning.", "update-event",
     {"calendarId": "a", "eventId": "1", "location": "x", "originalStartTime": "2026-03-11T07:00:00"}, "allow"),
    (CALENDAR, "Never move meetings.", "update-event", {"calendarId": "a", "eventId": "1", "location": "x"}, "allow"),
    (CALENDAR, "Never move meetings.", "update-event",
     {"calendarId": "a", "eventId": "1", "end": "2026-03-11T07:00:00"}, "deny"),
    (CALENDAR, "Fridays are off limits for new meetings.", "create-event",
     {"calendarId": "a", "start": "2026-03-13T10:00:00", "end": "2026-03-13T11:00:00"}, "deny"),
    (CALENDAR, "Fridays are off limits for new meetings.", "create-event",
     {"calendarId": "a", "start": "2026-03-12T10:00:00", "end": "2026-03-12T11:00:00"}, "allow"),
    (CALENDAR, "Don't create recurring events.", "update-event",
     {"calendarId": "a", "eventId": "1", "recurrence": ["RRULE:FREQ=DAILY"]}, "deny"),
    (CALENDAR, "Don't create recurring events.", "update-event",
     {"calendarId": "a", "eventId": "1", "location": "x"}, "allow"),
    (CALENDAR, "My family calendar (f1@group.example.com) is read-only for you.", "update-event",
     {"calendarId": "f1@group.example.com", "eventId": "1"}, "deny"),
    (CALENDAR, "My family calendar (f1@group.example.com) is read-only for you.", "list-events",
     {"calendarId": "f1@group.example.com"}, "allow"),
    (CALENDAR, "My family calendar (f1@group.example.com) is read-only for you.", "update-event",
     {"calendarId": "primary", "eventId": "1"}, "allow"),
    # Texts of buttons, and pages without https.
    (WEB, "Never click anything that says buy or pay.", "browser_click", {"element": "Buy now", "ref": "e"}, "deny"),
    (WEB, "Never click anything that says buy or pay.", "browser_click", {"element": "Back", "ref": "e"}, "allow"),
    (WEB, "You may click buttons that say next.", "browser_click", {"element": "Buy", "ref": "e"}, "refused"),
    (WEB, "Don't open pages that aren't https.", "browser_navigate", {"url": "HTTP://a.example/"}, "deny"),
    (WEB, "Don't open pages that aren't https.", "browser_navigate", {"url": "https://a.example/"}, "allow"),
)  # fmt: skip


def _decided(frame: Policy, text: str, tool: str, arguments: dict[str, Any]) -> str:
    """Return the decision about a call by a sentence: next to a permission of all tools, if it permits nothing."""
    (server,) = {one.server for one in frame.tools.values()}
    made = compile_clauses(text, frame)
    if not made.refused and not any(one.then == "allow" for one in made.rules):
        made = compile_clauses(f"{text}\n\nAllow using any tool of {server}.", frame)
    if made.refused:
        return "refused"
    call = ToolCall(server=server, tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=made.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(("frame", "text", "tool", "arguments", "wanted"), DECIDED)
def test_a_sentence_decides_calls_of_common_servers(
    frame: Policy, text: str, tool: str, arguments: dict[str, Any], wanted: str
) -> None:
    assert wanted == _decided(frame, text, tool, arguments)

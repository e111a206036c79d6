"""Names, values and places of arguments as people write them: which are read, and which look-alikes are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.recipes.policy.english.rewriting.bracketed import with_explained
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

LIST = {"type": "array", "items": TEXT}
PATH = told("Absolute path of the file")
SERVERS = frame_of(
    "cloud",
    {
        "create_server": (
            "Create a server.",
            {
                "name": told("Server name"),
                "region": told("fra1 (Frankfurt), ams3 (Amsterdam)", {"enum": ["fra1", "ams3"]}),
            },
        ),
        "delete_server": ("Delete a server.", {"server": told("Server name, e.g. 'web-1'")}),
        "reboot_server": ("Reboot a server.", {"server": told("Server name, e.g. 'web-1'")}),
    },
)
CHAT = frame_of(
    "chat",
    {
        "create_channel": ("Create a channel.", {"name": told("Name without #")}),
        "post_message": ("Post a message to a channel.", {"channel": told("Name with a leading #"), "text": TEXT}),
    },
)
TICKETS = frame_of(
    "tracker",
    {
        "create_ticket": (
            "Create a ticket.",
            {"title": TEXT, "priority": told("1 = urgent, 2 = high, 3 = low", {"type": "integer", "enum": [1, 2, 3]})},
        ),
        "update_ticket": (
            "Update a ticket.",
            {
                "ticket_id": told("Ticket identifier, e.g. OPS-12"),
                "priority": told("1 = urgent, 2 = high, 3 = low", {"type": "integer", "enum": [1, 2, 3]}),
            },
        ),
        "create_comment": ("Add a comment to a ticket.", {"ticketId": told("Ticket identifier"), "body": TEXT}),
    },
    required={"create_ticket": ["title"], "update_ticket": ["ticket_id"], "create_comment": ["ticketId", "body"]},
)
FILES = frame_of(
    "disk",
    {
        "read_file": ("Read a file.", {"path": PATH}),
        "edit_file": ("Edit a text file.", {"path": PATH}),
        "move_file": (
            "Move or rename a file or directory.",
            {"source": told("Absolute path"), "destination": told("Absolute path")},
        ),
        "list_directory": ("List a directory.", {"path": told("Absolute path of the directory")}),
    },
    roles={"source": "read-path", "destination": "write-path", "path": "read-path"},
)
MAIL = frame_of(
    "mail",
    {
        "send_email": (
            "Send an email.",
            {"to": LIST, "bcc": LIST, "subject": TEXT, "body": TEXT, "attachments": LIST},
        ),
        "draft_email": (
            "Save a draft without sending it.",
            {"to": LIST, "bcc": LIST, "subject": TEXT, "body": TEXT, "attachments": LIST},
        ),
        "forward_email": ("Forward an email.", {"message_id": TEXT, "to": LIST}),
    },
    required={
        "send_email": ["to", "subject", "body"],
        "draft_email": ["to", "subject", "body"],
        "forward_email": ["message_id", "to"],
    },
    roles={"to": "email-address", "bcc": "email-address"},
)
PAGES = frame_of(
    "browser",
    {"open_page": ("Open a page.", {"url": told("Address")}), "search": ("Search the web.", {"query": TEXT})},
    roles={"url": "fetch-url"},
)
PAYMENTS = frame_of(
    "books",
    {
        "pay_supplier": (
            "Pay a supplier.",
            {"payee_id": told("Payee ID, e.g. 'payee_helio'"), "amount": told("Amount in euros", NUMBER)},
        ),
        "update_payee": ("Change a payee.", {"payee_id": told("Payee ID, e.g. 'payee_helio'"), "name": TEXT}),
    },
)
CODE = frame_of(
    "github",
    {
        "delete_branch": ("Delete a branch.", {"branch": told("Branch name")}),
        "create_pull_request": (
            "Open a pull request.",
            {"title": TEXT, "base": told("Branch to merge into"), "draft": FLAG},
        ),
    },
    required={"delete_branch": ["branch"], "create_pull_request": ["title", "base"]},
    roles={"branch": "branch-name", "base": "branch-name"},
)
EVENTS = frame_of(
    "calendar",
    {"create_event": ("Create an event.", {"title": TEXT, "recurrence": told("Recurrence rule")})},
    required={"create_event": ["title"]},
)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny delete_server server like db-*"}, "Never delete a server whose name starts with db-."),
        ({"deny delete_server server like db-*"}, "Never delete servers that start with db-."),
        ({"deny delete_server server like *-db"}, "Never delete servers ending in -db."),
        ({"deny delete_server server like *db*"}, "Never delete servers with db in their name."),
        ({"deny delete_server server like prod-*"}, "Never delete the prod- servers."),
        ({"deny delete_server unless server like test-*"}, "Never delete servers unless their names start with test-."),
        ({"deny delete_server unless server like test-*"}, "Never delete servers whose names don't start with test-."),
        (
            {"deny delete_server unless server like test-*"},
            "Never delete servers except those whose names start with test-.",
        ),
        (
            {"escalate reboot_server server like db-*"},
            "Ask me before rebooting a database server (their names start with db-).",
        ),
        ({"allow reboot_server server like web-*"}, "You may reboot the web servers (web-1, web-2, ...)."),
        ({"allow create_server name like ada-*"}, "You may create servers whose names start with ada-."),
        (
            {"allow delete_server", "deny delete_server server like prod-*"},
            "You may delete servers, but not the prod- ones.",
        ),
    ],
)
def test_names_of_servers_by_a_pattern_are_read(wanted: set[str], text: str):
    assert wanted == meaning_of(text, SERVERS)


@pytest.mark.parametrize(
    "text",
    [
        "Never delete servers whose names start with a digit.",
        "Never delete servers whose names contain db and test.",
        "Never delete servers whose tags start with db-.",
        "Never delete old servers (their names start with db-).",
        "Never delete servers whose names start with db- and end with -old.",
        "Never delete servers (they cannot be restored).",
        "Never delete servers starting with prod.",
    ],
)
def test_what_is_no_pattern_of_names_is_refused(text: str):
    assert set() == meaning_of(text, SERVERS)


def test_a_channel_is_written_with_and_without_its_mark():
    assert {"allow create_channel name like proj-*"} == meaning_of(
        "You may create channels if their names start with proj-.", CHAT
    )
    assert {"deny post_message channel like hr-* or #hr-*"} == meaning_of("Never post in hr- channels.", CHAT)


def test_the_number_of_a_ticket_is_its_id():
    text = "You may comment on tickets whose number starts with FAC or OIT."
    assert {"allow create_comment ticketId like FAC* or OIT*"} == meaning_of(text, TICKETS)
    assert set() == meaning_of("You may comment on tickets whose name starts with FAC-.", TICKETS)


def test_a_description_explains_the_values_of_an_argument():
    assert {"deny create_ticket update_ticket priority is given priority is 1"} == meaning_of(
        "Never mark a ticket as urgent.", TICKETS
    )
    assert {"allow create_server region is fra1"} == meaning_of("You may create servers in Frankfurt.", SERVERS)
    assert set() == meaning_of("You may create servers in Oslo.", SERVERS)


def test_a_value_before_the_change_is_not_the_explained_one():
    assert set() == meaning_of("Never update urgent tickets.", TICKETS)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {
                "deny edit_file read_file path like *.pem or *.key",
                "deny move_file source like *.pem or *.key unless destination like *.pem or *.key",
            },
            "Never read files ending in .pem or .key.",
        ),
        (
            {"deny edit_file read_file path like */.*", "deny move_file source like */.* unless destination like */.*"},
            "Never read hidden files, the ones whose names start with a dot.",
        ),
        (
            {"allow list_directory read_file read-path within ~/Downloads or ~/Desktop"},
            "You may read everything in my Downloads and Desktop folders.",
        ),
        (
            {"deny edit_file list_directory move_file read_file read-path within ~/Documents/Taxes"},
            "Never read anything in the Taxes folder inside Documents.",
        ),
        (
            {"allow move_file read-path within ~/Downloads write-path within ~/Documents"},
            "You may move files from Downloads into Documents.",
        ),
    ],
)
def test_files_and_folders_are_named_without_a_path(wanted: set[str], text: str):
    assert wanted == meaning_of(text, FILES)


@pytest.mark.parametrize(
    "text",
    [
        "You may read files in the Taxes folder.",
        "Never read files with secret in the name.",
        "Never move .pem files.",
        "You may read files in Documents Archive.",
    ],
)
def test_files_that_no_path_shows_are_refused(text: str):
    assert set() == meaning_of(text, FILES)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny forward_email email-address to *@gmail.com or *@googlemail.com"},
            "Never forward mail to a gmail address.",
        ),
        (
            {"deny forward_email email-address to *@gmail.com or *@yahoo.com"},
            "Never forward anything to private accounts such as gmail.com or yahoo.com addresses.",
        ),
        (
            {"allow send_email email-address to *@acme.example"},
            "You may send mail to people inside the company (addresses ending in @acme.example).",
        ),
        (
            {"escalate send_email attachments is given the number of items of attachments > 0"},
            "Ask me before sending an email with an attachment.",
        ),
        (
            {"escalate send_email attachments is given the number of items of attachments > 0"},
            "Ask me before attaching a file to an email.",
        ),
        ({"deny draft_email send_email bcc is given the number of items of bcc > 0"}, "Never put anyone in bcc."),
        ({"allow send_email attachments is left out"}, "You may send emails without attachments."),
    ],
)
def test_addresses_and_given_arguments_are_read(wanted: set[str], text: str):
    assert wanted == meaning_of(text, MAIL)


@pytest.mark.parametrize(
    "text",
    [
        "Never send mail from a gmail address.",
        "Never forward mail to gmail.",
        "You may forward mail to private accounts such as gmail.com addresses.",
        "You may send emails with attachments.",
        "You may email colleagues (except lee@acme.example).",
    ],
)
def test_addresses_that_are_only_like_those_are_refused(text: str):
    assert set() == meaning_of(text, MAIL)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"allow open_page fetch-url like https://*", "deny open_page unless fetch-url like https://*"},
            "Only open https pages.",
        ),
        ({"deny open_page fetch-url like http://*"}, "Never open pages over plain http."),
        (
            {"allow open_page fetch-url on a.example or *.gov or www.a.example"},
            "You may read pages on a.example and any .gov site.",
        ),
    ],
)
def test_pages_by_scheme_and_ending_are_read(wanted: set[str], text: str):
    assert wanted == meaning_of(text, PAGES)


def test_an_id_is_known_by_the_ids_of_a_description():
    assert {"deny pay_supplier payee_id is payee_landlord"} == meaning_of(
        "Never pay the landlord (payee_landlord).", PAYMENTS
    )
    assert {"deny update_payee payee_id is payee_landlord"} == meaning_of("Never change payee_landlord.", PAYMENTS)
    assert set() == meaning_of("Never pay everyone (except payee_landlord).", PAYMENTS)


def test_branches_are_excepted_by_names_and_beginnings():
    text = "You may delete branches except main, develop and anything that starts with release/."
    wanted = {"allow delete_branch", "deny delete_branch branch-name like main or develop or release/*"}
    assert wanted == meaning_of(text, CODE)


def test_a_pull_request_is_opened_as_a_draft():
    assert {"allow create_pull_request draft is True"} == meaning_of("You may open pull requests as drafts.", CODE)
    assert {"deny create_pull_request unless draft is True"} == meaning_of(
        "Never open a pull request that is not a draft.", CODE
    )


def test_a_recurring_event_has_a_recurrence():
    assert {"deny create_event recurrence is given"} == meaning_of("Never create recurring events.", EVENTS)
    assert set() == meaning_of("Never create non-recurring events.", EVENTS)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("Pay payee_1.", "Pay the landlord (payee_1)."),
        ("Copy to /media/ada/Backup.", "Copy to my backup drive (/media/ada/Backup)."),
        ("Delete files (a_b).", "Delete files (a_b)."),
        ("Ask before deleting a server (web_1).", "Ask before deleting a server (web_1)."),
        ("Read and delete notes (n_1).", "Read and delete notes (n_1)."),
        ("Never push to main or release/.", "Never push to main or to any release/ branch."),
        ("Trash files ending in .exe, .msi.", "Trash installer files (.exe, .msi)."),
        ("Never assign to adalovett.", "Never assign to me (I'm adalovett there)."),
    ],
)
def test_a_parenthesis_stands_for_what_it_explains(wanted: str, text: str):
    assert wanted == with_explained(text)


def test_an_id_may_stand_before_its_verb():
    wanted = {"allow pay_supplier payee_id is payee_a or payee_b"}
    assert wanted == meaning_of("The landlord (payee_a) and the baker (payee_b) may be paid.", PAYMENTS)
    assert {"deny pay_supplier payee_id is payee_a"} == meaning_of(
        "The landlord (payee_a) must never be paid.", PAYMENTS
    )


def test_who_must_not_delete_a_folder_may_delete_what_is_in_it():
    assert set() == meaning_of("Never move my Downloads folder.", FILES)
    wanted = {"deny move_file write-path within ~/Downloads"}
    assert wanted == meaning_of("Never move files into my Downloads folder.", FILES)


def test_ids_that_a_call_may_leave_out_are_named_by_their_noun():
    posts = frame_of(
        "social",
        {"publish_post": ("Publish a post.", {"text": TEXT, "media_ids": told("IDs of uploaded media", LIST)})},
        required={"publish_post": ["text"]},
    )
    assert {"deny publish_post media_ids is given the number of items of media_ids > 0"} == meaning_of(
        "Never publish posts with media.", posts
    )


def test_what_is_downloaded_is_named_by_its_url_too():
    web = frame_of(
        "web",
        {"download_file": ("Download a file.", {"url": told("Address"), "path": told("Absolute path to save to")})},
        roles={"url": "fetch-url", "path": "write-path"},
    )
    wanted = {"deny download_file path like *.exe", "deny download_file url like *.exe or *.exe?* or *.exe#*"}
    assert wanted == meaning_of("Never download files ending in .exe.", web)


def test_a_calendar_is_called_by_its_id_where_a_description_shows_that_ids_are_words():
    def calendar(text: str) -> Policy:
        return frame_of("agenda", {"create_event": ("Create an event.", {"calendar_id": told(text), "title": TEXT})})

    text = "Never create events in the calendar called team-planning."
    wanted = {"deny create_event calendar_id is team-planning"}
    assert wanted == meaning_of(text, calendar("ID of the calendar ('primary' for the main one)"))
    assert set() == meaning_of(text, calendar("ID of the calendar"))

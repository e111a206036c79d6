"""Restrictions of files, of all changes and of whole servers, which must reach every tool that does it."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.standing import APPLIES_TO_NONE
from tests.recipes.policy.english.listed_servers import MAIN, TEXTS, listed_frame
from tests.recipes.policy.english.meanings import FLAG, TEXT, frame_of, told

FORGE = listed_frame(
    "forge",
    {
        "get_file_contents": ("Get the contents of a file in a repository.", {**MAIN, "path": TEXT}),
        "save_file": ("Create or update a file in a repository.", {**MAIN, "path": TEXT, "content": TEXT}),
        "push_files": ("Push several files in a single commit.", {**MAIN, "files": TEXTS, "message": TEXT}),
        "delete_file": ("Delete a file from a repository.", {**MAIN, "path": TEXT}),
        "delete_repository": ("Delete a repository.", MAIN),
        "list_issues": ("List the issues of a repository.", MAIN),
    },
)
DRIVE = listed_frame(
    "drive",
    {
        "search": ("Search for files in the drive", {"query": TEXT}),
        "listFolder": ("List contents of a folder", {"folderId": TEXT}),
        "createTextFile": ("Create a new text file", {"name": TEXT, "content": TEXT}),
        "uploadFile": ("Upload a local file to the drive", {"localPath": TEXT}),
        "copyFile": ("Creates a copy of a file or document", {"fileId": TEXT, "newName": TEXT}),
        "createDoc": ("Create a new document", {"name": TEXT, "content": TEXT}),
        "updateSheet": ("Update an existing sheet", {"sheetId": TEXT, "data": TEXTS}),
        "getDocContent": ("Get content of a document", {"docId": TEXT}),
        "downloadFile": ("Download a file to a local path", {"fileId": TEXT, "localPath": TEXT}),
        "deleteItem": ("Move a file or folder to trash", {"itemId": TEXT}),
    },
)
CHAT = listed_frame(
    "chat",
    {
        "send_message": ("Send a message to a person.", {"recipient": TEXT, "text": TEXT}),
        "send_picture": ("Send a picture to a person.", {"recipient": TEXT, "media": TEXT}),
        "attachment_get_data": ("Download an attachment's content by file ID.", {"file_id": TEXT}),
    },
)
BASE = listed_frame(
    "mongodb",
    {
        "connect": ("Connect to a MongoDB instance", {"connectionString": TEXT}),
        "find": ("Run a find query against a collection", {"database": TEXT, "collection": TEXT}),
        "insert-many": ("Insert documents into a collection", {"database": TEXT, "documents": TEXTS}),
        "drop-database": ("Removes the specified database", {"database": TEXT}),
        "create-access-list": ("Allow addresses to connect", {"addresses": TEXTS}),
    },
)
TABLES = listed_frame(
    "tables",
    {
        "list_records": ("List the records of a table.", {"baseId": TEXT, "tableId": TEXT}),
        "create_record": ("Create a record in a table.", {"baseId": TEXT, "tableId": TEXT, "fields": told("Fields")}),
        "update_records": ("Update records.", {"baseId": TEXT, "tableId": TEXT, "records": TEXTS}),
        "delete_records": ("Delete records.", {"baseId": TEXT, "tableId": TEXT, "ids": TEXTS}),
    },
)
PLACES = listed_frame(
    "places",
    {
        "create_place": ("Create a place.", {"name": TEXT, "public?": FLAG}),
    },
)


def _outcomes(text: str, frame: Any, then: str) -> set[str] | None:
    """Return the tools of which all calls have an outcome by a text. None if it is refused."""
    made = compile_clauses(text, frame)
    rules = [one for one in made.rules if one.then == then and not any(limit.arg for limit in one.when.where)]
    kept = [tool.name for tool in frame.tools.values()]
    found = {tool for one in rules for tool in one.when.tool or kept if not one.when.roles}
    by_role = [one.when.roles for one in rules if one.when.roles]
    roles = {tool.name: {role for arg in tool.args.values() for role in arg.all_roles} for tool in frame.tools.values()}
    found |= {name for name, own in roles.items() for some in by_role if own & set(some)}
    return None if made.refused else found


@pytest.mark.parametrize(
    ("text", "frame", "tools"),
    [
        ("Never delete files.", FORGE, {"delete_file"}),
        ("Never remove any files.", FORGE, {"delete_file"}),
        ("Never read files.", FORGE, {"get_file_contents"}),
        ("Never write files.", FORGE, {"save_file", "push_files"}),
        ("Never change files.", FORGE, {"save_file", "push_files", "delete_file"}),
        ("Never touch files.", FORGE, {"get_file_contents", "save_file", "push_files", "delete_file"}),
        ("Never overwrite files.", FORGE, {"save_file", "push_files"}),
        ("Never delete repositories.", FORGE, {"delete_repository"}),
        ("Never read anything.", FORGE, {"get_file_contents", "list_issues"}),
        ("Never read files.", CHAT, {"attachment_get_data"}),
        ("Never read files.", DRIVE, {"downloadFile", "getDocContent"}),
        ("Never list files.", DRIVE, {"listFolder", "search"}),
        ("Never write files.", DRIVE, {"createTextFile", "createDoc", "updateSheet", "uploadFile", "copyFile"}),
        ("Never create files.", DRIVE, {"createTextFile", "createDoc", "uploadFile", "copyFile"}),
        ("Don't create files.", DRIVE, {"createTextFile", "createDoc", "uploadFile", "copyFile"}),
        ("Never create anything.", DRIVE, {"createTextFile", "createDoc", "uploadFile", "copyFile"}),
        ("Never write to MongoDB.", BASE, {"insert-many", "drop-database", "create-access-list"}),
        ("Don't modify MongoDB.", BASE, {"insert-many", "drop-database", "create-access-list"}),
        ("MongoDB is read-only.", BASE, {"insert-many", "drop-database", "create-access-list"}),
    ],
)
def test_a_prohibition_reaches_every_tool_that_does_it(text: str, frame: Any, tools: set[str]) -> None:
    found = _outcomes(text, frame, "deny")
    assert found is None or tools <= found


@pytest.mark.parametrize(
    ("text", "frame", "tools"),
    [
        ("Ask before deleting files.", FORGE, {"delete_file"}),
        ("Ask before reading files.", CHAT, {"attachment_get_data"}),
        ("Ask before creating files.", DRIVE, {"createTextFile", "createDoc", "uploadFile", "copyFile"}),
        ("Ask before creating anything.", DRIVE, {"createTextFile", "createDoc", "uploadFile", "copyFile"}),
        ("Ask before any change.", TABLES, {"create_record", "update_records", "delete_records"}),
        (
            "You may read everything, but ask before any change.",
            TABLES,
            {"create_record", "update_records", "delete_records"},
        ),
        (
            "Ask before writing to any base other than appTEST.",
            TABLES,
            {"create_record", "update_records", "delete_records"},
        ),
        ("Ask before writing to MongoDB.", BASE, {"insert-many", "drop-database"}),
        ("No changes to MongoDB without asking.", BASE, {"insert-many", "drop-database"}),
    ],
)
def test_a_question_reaches_every_tool_that_does_it(text: str, frame: Any, tools: set[str]) -> None:
    found = _outcomes(text, frame, "escalate")
    assert found is None or tools <= found


@pytest.mark.parametrize(
    ("text", "frame", "limited"),
    [
        ("Create at most 5 files per day.", DRIVE, {"createTextFile", "createDoc", "uploadFile", "copyFile"}),
        ("Send at most 5 messages per hour.", CHAT, {"send_message", "send_picture"}),
    ],
)
def test_a_limit_counts_every_tool_that_does_it(text: str, frame: Any, limited: set[str]) -> None:
    found = _outcomes(text, frame, "deny")
    assert found is None or limited <= found


@pytest.mark.parametrize(
    ("text", "frame", "left"),
    [
        ("Never delete files.", FORGE, {"get_file_contents", "save_file", "list_issues", "delete_repository"}),
        ("Never write files.", FORGE, {"get_file_contents", "delete_file", "list_issues"}),
        ("Never write to MongoDB.", BASE, {"find"}),
        ("Ask before any change.", TABLES, {"list_records"}),
        ("Never create anything.", DRIVE, {"search", "getDocContent", "deleteItem", "updateSheet"}),
    ],
)
def test_it_leaves_the_tools_that_do_not(text: str, frame: Any, left: set[str]) -> None:
    found = (_outcomes(text, frame, "deny") or set()) | (_outcomes(text, frame, "escalate") or set())
    assert found
    assert not found & left


@pytest.mark.parametrize("text", ["Never delete files.", "Never delete repositories.", "Never fetch pages."])
def test_a_prohibition_needs_no_rule_where_no_tool_has_such_things(text: str) -> None:
    assert set(compile_clauses(text, PLACES).silent.values()) == {APPLIES_TO_NONE}


def test_a_prohibition_in_a_place_of_this_machine_is_not_about_files_elsewhere() -> None:
    assert not compile_clauses("Never touch files inside ~/Documents/private.", FORGE).refused


def test_a_tool_that_alters_a_table_in_any_way_may_drop_its_columns() -> None:
    operation = {"type": "string", "enum": ["get_info", "create_table", "alter_table"]}
    frame = frame_of(
        "postgres",
        {
            "manage_schema": ("Manage the schema", {"operation": operation, "operations": {"type": "array"}}),
            "drop_column": ("Drop a column of a table", {"table": TEXT, "column": TEXT}),
            "drop_table": ("Drop a table", {"table": TEXT}),
        },
    )
    refused = compile_clauses("Never drop a table or a column.", frame).refused
    assert ["manage_schema" in why for why in refused.values()] == [True]

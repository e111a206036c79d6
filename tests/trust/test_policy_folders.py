"""What is permitted for directories is not permitted for the files in them, and what is left is not what stays."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.listed_servers import FILES
from tests.recipes.policy.english.meanings import meaning_of

ARCHIVE = "write-path within /home/ada/archive"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {f"allow create_directory move_file {ARCHIVE}"},
            "You may make new folders in /home/ada/archive and move files there.",
        ),
        ({f"allow create_directory {ARCHIVE}"}, "You may make new folders in /home/ada/archive."),
        ({f"allow create_directory {ARCHIVE}"}, "You can create new folders anywhere under /home/ada/archive."),
        (
            {f"allow create_directory {ARCHIVE}", "allow delete_file delete-path within /home/ada/archive"},
            "You may create folders in /home/ada/archive and delete files there.",
        ),
        ({f"escalate create_directory {ARCHIVE}"}, "Ask me before you create a new folder in /home/ada/archive."),
    ],
)
def test_leave_to_create_folders_is_no_leave_to_write_files_in_them(wanted: set[str], text: str):
    assert wanted == meaning_of(text, FILES)


@pytest.mark.parametrize("text", ["You may create files in /home/ada/x.", "You may create new files in /home/ada/x."])
def test_leave_to_create_files_is_no_leave_to_edit_those_that_are_there(text: str):
    assert {"allow write_file write-path within /home/ada/x"} == meaning_of(text, FILES)


@pytest.mark.parametrize("text", ["You may delete folders in /home/ada/x.", "You may edit folders in /home/ada/x."])
def test_no_tool_for_files_is_permitted_for_folders(text: str):
    assert set() == meaning_of(text, FILES)


def test_who_must_not_move_files_out_of_two_folders_must_not_move_them_from_one_to_the_other():
    assert {
        "deny move_file delete-path within /home/ada/a unless write-path within /home/ada/a",
        "deny move_file delete-path within /home/ada/b unless write-path within /home/ada/b",
    } == meaning_of("Never move files out of /home/ada/a or /home/ada/b.", FILES)


def test_a_file_that_must_not_be_read_keeps_the_end_of_its_name():
    assert {
        "deny edit_file read_file path like *.pem",
        "deny read_multiple_files paths like *.pem",
        "deny move_file source like *.pem unless destination like *.pem",
    } == meaning_of("Don't read any file ending in .pem.", FILES)

"""Sentences about files for a server that lists them, searches them by name, and reads several at once."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.listed_servers import FILE_TOOLS, FILES, TEXT, TEXTS, listed_frame
from tests.recipes.policy.english.meanings import meaning_of, told

EDITED = {"escalate edit_file write_file path like *.csv or *.xlsx"}
PLACE = "write-path within /home/ada/Photos"


@pytest.mark.parametrize(
    "text",
    [
        "Ask me before you edit a .csv or .xlsx file.",
        "Any edit to a .csv or .xlsx file needs my approval.",
        "Edits to .csv or .xlsx files need my approval first.",
    ],
)
def test_an_edit_of_a_file_type_is_no_move_of_such_a_file(text: str):
    assert EDITED == meaning_of(text, FILES)


def test_a_change_of_a_file_type_is_a_move_too():
    assert {
        "escalate delete_file edit_file write_file path like *.csv",
        "escalate move_file source like *.csv",
        "escalate move_file destination like *.csv",
    } == meaning_of("Any change to a .csv file needs my approval.", FILES)


@pytest.mark.parametrize("text", ["You may read files ending in .md or .txt.", "You may read .md or .txt files."])
def test_files_of_a_type_may_be_read_wherever_they_are(text: str):
    assert {
        "allow read_file path like *.md or *.txt read-path within /",
        "allow read_multiple_files paths like *.md or *.txt read-path within /",
    } == meaning_of(text, FILES)


@pytest.mark.parametrize("text", ["You may delete .tmp files.", "You may move .csv files.", "Only delete .tmp files."])
def test_files_of_a_type_are_deleted_and_moved_only_in_a_place_that_is_named(text: str):
    assert set() == meaning_of(text, FILES)


def test_only_files_of_a_type_are_written_and_directories_are_still_made():
    assert {
        "allow edit_file path like *.md read-path within / write-path within /",
        "allow write_file path like *.md write-path within /",
        "deny edit_file write_file unless path like *.md",
        "deny move_file unless destination like *.md",
    } == meaning_of("Only write files whose name ends in .md.", FILES)


@pytest.mark.parametrize(
    "text",
    [
        "You may read files in /home/ada/x and do nothing more.",
        "You may read files in /home/ada/x, but do nothing else.",
        "You may read files in /home/ada/x and nothing else.",
        "You may read files in /home/ada/x, nothing else.",
    ],
)
def test_who_may_do_nothing_else_may_not_read_elsewhere_either(text: str):
    read = "list_directory read_file read_multiple_files search_files"
    assert {
        f"allow {read} read-path within /home/ada/x",
        f"deny {read} unless read-path within /home/ada/x",
        "deny create_directory delete_file edit_file move_file write_file",
    } == meaning_of(text, FILES)


@pytest.mark.parametrize(
    "text",
    [
        "You may read files in /home/ada/x and do nothing else there.",
        "You may read files in /home/ada/x and do nothing more with them.",
    ],
)
def test_nothing_else_with_a_place_is_refused(text: str):
    assert set() == meaning_of(text, FILES)


@pytest.mark.parametrize(
    "text",
    [
        "Read at most five files in one go.",
        "Don't read more than five files at once.",
        "Never read more than five files at a time.",
    ],
)
def test_a_number_of_files_at_once_is_that_of_the_tool_that_takes_several(text: str):
    assert {"deny read_multiple_files the number of items of paths > 5"} == meaning_of(text, FILES)


@pytest.mark.parametrize(
    "text",
    [
        "Don't read more than five files.",  # one after the other?
        "Don't list more than five files at once.",
        "Never delete more than five files at once.",  # no tool deletes several
        "You may read at most five files at once.",
    ],
)
def test_a_number_of_files_that_no_call_shows_is_refused(text: str):
    assert set() == meaning_of(text, FILES)


def test_a_directory_has_several_files_that_may_be_deleted_at_once():
    more = {
        "delete_files": ("Delete several files.", {"paths": TEXTS}),
        "delete_directory": ("Delete a directory with all that is in it.", {"path": told("Path of the directory")}),
    }
    assert set() == meaning_of(
        "Never delete more than five files at once.", listed_frame("files", {**FILE_TOOLS, **more})
    )


def test_a_search_in_the_contents_of_files_is_no_search_by_name():
    grep = {"search_files": ("Search for text in files. Returns paths and matching lines.", {"path": TEXT})}
    assert set() == meaning_of("Don't read .pem files.", listed_frame("files", {**FILE_TOOLS, **grep}))


@pytest.mark.parametrize("text", ["Nothing may be moved out of {}.", "Never move anything out of {}."])
def test_what_is_moved_inside_of_a_folder_is_not_moved_out_of_it(text: str):
    assert {f"deny move_file delete-path within /home/ada/Photos unless {PLACE}"} == meaning_of(
        text.format("/home/ada/Photos"), FILES
    )


def test_what_is_moved_from_a_folder_may_stay_in_it():
    assert {"deny move_file delete-path within /home/ada/Photos"} == meaning_of(
        "Never move files from /home/ada/Photos.", FILES
    )


READ = "list_directory read_file read_multiple_files search_files"
ALL_MOVES = "delete-path within {0} read-path within {0} write-path within {0}"


@pytest.mark.parametrize(
    "text",
    [
        "You can create subfolders in /home/ada/in and move files around inside it.",
        "You may create folders in /home/ada/in and move files around in there.",
    ],
)
def test_files_are_moved_around_inside_of_the_folder_that_is_named(text: str):
    assert {
        "allow create_directory write-path within /home/ada/in",
        f"allow move_file {ALL_MOVES.format('/home/ada/in')}",
    } == meaning_of(text, FILES)


@pytest.mark.parametrize(
    "text",
    [
        "You may create a folder in /home/ada/in and move files around inside it.",  # inside of the new one?
        "You may create a folder in /home/ada/in and move files into it.",
        "You may read files in /home/ada/in except subfolders.",
    ],
)
def test_a_folder_that_may_be_another_one_is_refused(text: str):
    assert set() == meaning_of(text, FILES)


def test_who_must_not_move_files_into_a_folder_may_write_new_ones():
    assert {"deny move_file write-path within /home/ada/in"} == meaning_of("Never move files into /home/ada/in.", FILES)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"allow {READ} read-path within /home/ada/Invoices"}, "You may read my invoices in /home/ada/Invoices."),
        (
            {"deny delete_file move_file delete-path within /home/ada/Photos"},
            "Never delete my photos in /home/ada/Photos.",
        ),
        (set[str](), "You may read my keys in /home/ada/.ssh."),
        (set[str](), "My keys in /home/ada/Documents are off limits."),
        (set[str](), "You may delete the screenshots in /home/ada/Downloads."),
        (set[str](), "Never delete my old invoices in /home/ada/Invoices."),
    ],
)
def test_a_folder_that_is_called_after_what_is_in_it_has_nothing_else(wanted: set[str], text: str):
    assert wanted == meaning_of(text, FILES)


def test_keys_that_are_off_limits_are_all_that_is_in_their_folder():
    assert meaning_of("/home/ada/.ssh is off limits.", FILES) == meaning_of(
        "My keys in /home/ada/.ssh are off limits.", FILES
    )

"""Words of written English: what a flag is not, hosts, people at a domain, asides, described folders, synonyms."""

from __future__ import annotations

from typing import Any

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

TEXTS: dict[str, Any] = {"type": "array", "items": TEXT}
WAYS: dict[str, Any] = {"type": "string", "enum": ["public", "private"]}
LISTS = frame_of(
    "desk",
    {
        "create_repository": ("Create a repository.", {"name": TEXT, "private": FLAG}),
        "create_list": ("Create a list.", {"name": TEXT, "is_public": FLAG}),
        "share_list": ("Share a list.", {"list": TEXT, "visibility": WAYS}),
        "update_user": ("Change a user.", {"user": TEXT, "suspended": FLAG, "phone": TEXT}),
        "clear_cart": ("Remove all items.", {"cart_id": TEXT}),
        "create_index": ("Create an index.", {"table": TEXT}),
        "trigger_build": ("Start a build.", {"branch": TEXT}),
        "terminate_session": ("Terminate a session.", {"pid": NUMBER}),
        "create_backup": ("Make a backup of a database.", {"database": told("Name of the database")}),
        "restore_backup": ("Restore a database.", {"database": told("Name of the database"), "backup_id": TEXT}),
        "create_filter": ("Create a filter.", {"criteria": TEXT}),
    },
    required={
        "create_repository": ["name"],
        "create_list": ["name"],
        "share_list": ["list"],
        "update_user": ["user"],
        "clear_cart": ["cart_id"],
        "create_index": ["table"],
        "trigger_build": ["branch"],
        "terminate_session": ["pid"],
        "create_backup": ["database"],
        "restore_backup": ["database", "backup_id"],
        "create_filter": ["criteria"],
    },
)
MAIL = frame_of(
    "mail",
    {
        "send_message": ("Send a message to people.", {"to": TEXTS, "text": TEXT}),
        "delete_message": ("Delete a message permanently.", {"message_id": TEXT}),
        "trash_message": ("Move a message to the trash.", {"message_id": TEXT}),
        "create_filter": ("Create a filter.", {"criteria": TEXT}),
        "create_rule": ("Create a rule.", {"action": TEXT}),
    },
    roles={"to": "email-address"},
)
SERVERS = frame_of(
    "servers",
    {
        "restart_service": ("Restart a service.", {"host": told("Host name of the server"), "service": TEXT}),
        "copy_between": ("Copy a file between hosts.", {"source_host": TEXT, "dest_host": TEXT, "name": TEXT}),
        "reboot_machine": ("Reboot a machine.", {"server": told("Server id")}),
    },
)
FILES = frame_of(
    "files",
    {
        "read_file": ("Read a file.", {"path": told("Absolute path")}),
        "delete_file": ("Delete a file.", {"target": told("Absolute path")}),
    },
    roles={"path": "read-path", "target": "delete-path"},
)
PROJECTS = frame_of(
    "git",
    {
        "create_issue": (
            "Create an issue.",
            {"project": told("Path of the project, e.g. acme/website"), "title": TEXT},
        ),
        "close_issue": (
            "Close an issue.",
            {"project_id": told("Project ID or path, e.g. acme/website"), "issue": NUMBER},
        ),
        "write_file": ("Write a file.", {"file": TEXT, "commit_message": TEXT, "branch": TEXT}),
        "create_merge_request": ("Open a merge request.", {"source_branch": TEXT, "target_branch": TEXT}),
    },
)


def test_the_opposite_of_a_flag_is_that_it_is_false_or_left_out() -> None:
    expected = {"deny create_repository private is False", "deny create_repository private is left out"}
    assert expected == meaning_of("Never create public repositories.", LISTS)
    assert {"allow create_repository private is False"} == meaning_of("You may create public repositories.", LISTS)


def test_a_flag_may_be_called_is_something() -> None:
    assert {"deny create_list is_public is True"} == meaning_of("Never create public lists.", LISTS)


def test_what_is_made_must_be_so() -> None:
    expected = {"deny create_repository unless private is True"}
    assert expected == meaning_of("Every repository that you create has to be private.", LISTS)
    assert expected == meaning_of("Any repository that you set up must be a private one.", LISTS)


def test_a_thing_that_has_no_such_flag_is_refused() -> None:
    assert set() == meaning_of("Never clear public carts.", LISTS)


def test_what_two_tools_can_make_public_is_refused() -> None:
    assert set() == meaning_of("Never make a list public.", LISTS)


def test_a_verb_sets_the_flag_of_its_participle() -> None:
    assert {"deny update_user suspended is given suspended is True"} == meaning_of("Never suspend a user.", LISTS)


def test_a_permission_to_set_a_flag_is_none_for_other_changes() -> None:
    assert set() == meaning_of("You may suspend users.", LISTS)


def test_verbs_of_written_english_are_those_of_the_tools() -> None:
    assert {"deny clear_cart"} == meaning_of("Never empty a cart.", LISTS)
    assert {"allow create_index"} == meaning_of("You may build an index.", LISTS)
    assert {"escalate terminate_session"} == meaning_of("Ask me before you end a session.", LISTS)
    assert {"deny create_filter"} == meaning_of("Never set up a rule.", LISTS)


def test_a_build_is_a_thing() -> None:
    assert {"deny trigger_build"} == meaning_of("Never start a build.", LISTS)


def test_a_backup_is_made_and_not_restored() -> None:
    assert {"allow create_backup database is orders"} == meaning_of("You may back up the orders database.", LISTS)
    assert {"escalate create_backup"} == meaning_of("Backups need my approval.", LISTS)
    assert {"deny restore_backup"} == meaning_of("Never restore a backup.", LISTS)


def test_a_synonym_stays_if_a_tool_says_the_word() -> None:
    assert {"deny create_rule"} == meaning_of("Never create rules.", MAIL)


def test_for_good_is_permanently_where_things_can_be_thrown_away() -> None:
    assert {"deny delete_message"} == meaning_of("Never delete a message for good.", MAIL)


def test_people_at_a_domain_have_many_names() -> None:
    expected = {"allow send_message email-address to *@a.example"}
    assert expected == meaning_of("You may send messages to our staff at a.example.", MAIL)
    assert expected == meaning_of("You may send messages to coworkers with an a.example address.", MAIL)
    assert expected == meaning_of("You may message people whose address ends in @a.example.", MAIL)
    expected = {"escalate send_message unless email-address to *@a.example"}
    assert expected == meaning_of(
        "Ask me before you send a message to a person whose address does not end in @a.example.", MAIL
    )


def test_who_somebody_is_says_nothing_beside_the_address() -> None:
    expected = {"allow send_message email-address to *@a.example or max@law.example"}
    text = "You may send messages to people at a.example and to our tax adviser, max@law.example."
    assert expected == meaning_of(text, MAIL)


def test_people_inside_one_domain_and_outside_another_are_refused() -> None:
    assert set() == meaning_of("Never send messages to people at a.example and people outside b.example.", MAIL)


def test_a_host_is_the_value_of_an_argument() -> None:
    expected = {"allow restart_service host is web1.example.com"}
    assert expected == meaning_of("You may restart services on web1.example.com.", SERVERS)
    expected = {"deny restart_service host like web1.example.com or *.web1.example.com"}
    assert expected == meaning_of("Never restart services on the live server, web1.example.com.", SERVERS)


def test_a_host_for_several_arguments_or_an_id_is_refused() -> None:
    assert set() == meaning_of("Never copy files on web1.example.com.", SERVERS)
    assert set() == meaning_of("Never reboot machines on web1.example.com.", SERVERS)


def test_a_list_of_hosts_is_no_aside() -> None:
    assert set() == meaning_of("Never restart the service, web1.example.com or web2.example.com.", SERVERS)


def test_a_number_alone_is_no_host() -> None:
    assert set() == meaning_of("Never set services to 777.", SERVERS)


def test_folders_of_the_home_directory_are_described_in_many_ways() -> None:
    texts = (
        "Never read anything in the folder called Private in my home directory.",
        "Never read anything in Private, which is in my home directory.",
        "Never read anything in the Private folder of my home directory.",
        "Never read anything in ~/Private or any folder below it.",
    )
    for text in texts:
        assert {"deny read_file read-path within ~/Private"} == meaning_of(text, FILES), text
    assert {"deny read_file read-path within ~/.ssh or ~/.gnupg"} == meaning_of(
        "Never read my .ssh and .gnupg directories.", FILES
    )


def test_a_folder_that_may_be_anywhere_is_refused() -> None:
    assert set() == meaning_of("Never read anything in the folder called Private.", FILES)


def test_a_repository_is_the_path_in_one_argument() -> None:
    expected = {"deny create_issue project is acme/website or acme/docs"}
    assert expected == meaning_of("Never create issues in acme/website and acme/docs.", PROJECTS)
    assert {"allow close_issue project_id is acme/website"} == meaning_of(
        "You may close issues in acme/website.", PROJECTS
    )


def test_a_prohibition_is_about_all_numbers_if_one_can_name_the_repository() -> None:
    expected = {
        "deny close_issue project_id is acme/website or acme%2Fwebsite or acme%2fwebsite",
        "deny close_issue unless project_id like */* or *%2F* or *%2f*",
    }
    assert expected == meaning_of("Never close issues in acme/website.", PROJECTS)


def test_a_tool_with_a_commit_message_commits() -> None:
    assert {"deny write_file branch is main or refs/heads/main"} == meaning_of("Never commit to main.", PROJECTS)


def test_a_merge_request_goes_into_its_target() -> None:
    expected = {"allow create_merge_request target_branch is develop or refs/heads/develop"}
    assert expected == meaning_of("You may open merge requests into the develop branch.", PROJECTS)
    assert expected == meaning_of("You may open merge requests against develop.", PROJECTS)

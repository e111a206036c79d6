"""Sentences about repositories and web pages, for servers as they list their tools."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.listed_servers import BROWSER, BROWSER_TOOLS, CODE, CODE_TOOLS, TEXT, listed_frame
from tests.recipes.policy.english.meanings import meaning_of, told

PUBLIC = ("deny create_repository private is left out", "deny create_repository private is False")
LOOKED = "allow browser_navigate browser_snapshot browser_take_screenshot fetch"
SHELL = {"run_command": ("Run a command in a bash shell.", {"command": told("The shell command to run", TEXT)})}
OTHERS = "browser_click browser_file_upload browser_navigate browser_snapshot browser_take_screenshot browser_type"
FETCHED = {"deny fetch max_length is given max_length > 10000"}


@pytest.mark.parametrize(
    "text",
    [
        "New repositories must never be public.",
        "Any new repository must be private.",
        "Never create public repositories.",
    ],
)
def test_a_new_repository_is_public_if_it_is_not_said_to_be_private(text: str):
    assert {*PUBLIC} == meaning_of(text, CODE)


def test_who_wants_to_make_a_public_repository_asks_first():
    wanted = meaning_of("Ask me before you create public repositories.", CODE)
    assert wanted
    assert wanted == meaning_of("Check with me first if a new repository is going to be public.", CODE)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"allow create_pull_request draft is True"}, "You may open pull requests as long as they are drafts."),
        ({"allow create_repository private is True"}, "You may create repositories as long as they are private."),
        (set[str](), "You may open pull requests as long as they are not drafts."),
        (set[str](), "You may open pull requests as long as they are small."),
        (set[str](), "You may open issues as long as they are drafts."),
        (set[str](), "New issues must never be public."),
    ],
)
def test_what_is_made_is_so_by_a_flag_of_the_tool_that_makes_it(wanted: set[str], text: str):
    assert wanted == meaning_of(text, CODE)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"allow add_issue_comment create_issue github-owner is acme github-repo is webshop"},
            "You may open issues and comment on them in the acme/webshop repository.",
        ),
        (
            {"allow create_branch create_issue github-owner is acme github-repo is webshop"},
            "You may open issues and create branches in acme/webshop.",
        ),
        (
            {"allow add_issue_comment create_issue repo is webshop"},
            "You may open issues and comment on them in the webshop repository.",
        ),
        (set[str](), "Never open issues or comment on them in acme/webshop."),
    ],
)
def test_a_repository_at_the_end_of_a_permission_is_that_of_all_actions(wanted: set[str], text: str):
    assert wanted == meaning_of(text, CODE)


@pytest.mark.parametrize(
    "text", ["The payroll repository is off limits for you.", "Leave the payroll repository alone."]
)
def test_who_makes_a_repository_does_nothing_to_the_one_that_is_off_limits(text: str):
    tools = (
        "add_issue_comment create_branch create_issue create_or_update_file create_pull_request delete_file "
        "fork_repository get_file_contents list_issues push_files"
    )
    searches = {
        "deny search_code q is given q like */payroll* or *-repo:* or *NOT repo:*",
        "deny search_code q is given unless q like *repo:*",
    }
    assert {f"deny {tools} repo is payroll", *searches} == meaning_of(text, CODE)


@pytest.mark.parametrize("place", ["in", "from"])
def test_a_repository_that_is_excepted_is_named_by_a_word_that_nothing_knows(place: str):
    text = f"Don't delete files {place} any repository except sandbox."
    assert {"deny delete_file unless repo is sandbox"} == meaning_of(text, CODE)
    assert {
        "deny delete_file unless repo is sandbox",
        "deny run_command unless command runs only what reads",
    } == meaning_of(text, listed_frame("coding", {**CODE_TOOLS, **SHELL}))


@pytest.mark.parametrize("others", ["forks", "mine", "public ones"])
def test_other_words_after_except_are_no_names_of_repositories(others: str):
    assert set() == meaning_of(f"Never delete files in any repository except {others}.", CODE)


def test_one_stands_for_a_thing_that_is_not_new():
    assert {"escalate create_repository fork_repository"} == meaning_of(
        "Check with me first if you want to create a new repository or fork one.", CODE
    )


@pytest.mark.parametrize("text", ["You may look at web pages.", "You may view pages."])
def test_who_may_look_at_pages_may_see_the_one_that_is_open(text: str):
    assert {LOOKED} == meaning_of(text, BROWSER)


def test_who_must_not_look_at_pages_of_a_site_may_see_the_one_that_is_open():
    assert {"deny browser_navigate fetch fetch-url on *.facebook.com"} == meaning_of(
        "Never look at pages on facebook.com.", BROWSER
    )


def test_to_upload_files_to_websites_is_to_upload_them():
    assert {"deny browser_file_upload"} == meaning_of("Don't upload any files to websites.", BROWSER)


@pytest.mark.parametrize(
    "text", ["Never upload files to wetransfer.com.", "Never upload files to websites other than example.com."]
)
def test_where_files_are_uploaded_is_not_tested(text: str):
    assert set() == meaning_of(text, BROWSER)


@pytest.mark.parametrize("text", ["You can only use the fetch tool.", "Use only the fetch tool."])
def test_only_one_tool_is_permitted_by_its_name(text: str):
    assert {"allow fetch", f"deny {OTHERS}"} == meaning_of(text, BROWSER)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"allow fetch"}, "You may use the fetch tool."),
        ({"deny fetch"}, "Never use the fetch tool."),
        (set[str](), "Only use the scraping tool."),
        (set[str](), "You can only use the fetch tool for wikipedia.org."),
    ],
)
def test_a_tool_of_one_word_is_called_by_its_name(wanted: set[str], text: str):
    assert wanted == meaning_of(text, BROWSER)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"allow browser_navigate fetch", "deny browser_navigate fetch fetch-url on *.nordbank.com"},
            "You may open any website except nordbank.com, which is my bank.",
        ),
        ({"deny browser_navigate fetch fetch-url on *.nordbank.com"}, "Never open nordbank.com, which is our bank."),
        (set[str](), "You may open nordbank.com, which is not my bank."),
        (set[str](), "You may open any website except nordbank.com, which is only for me."),
    ],
)
def test_a_clause_that_only_says_what_a_site_is_limits_nothing(wanted: set[str], text: str):
    assert wanted == meaning_of(text, BROWSER)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (FETCHED, "Each fetch may return 10,000 characters at most."),
        (FETCHED, "Every fetch must return at most 10,000 characters."),
        (set[str](), "Each fetch may return 10,000 characters."),
        (set[str](), "Each click may return 10,000 characters at most."),
        (set[str](), "Each fetch may return 5 pages at most."),
    ],
)
def test_what_each_call_may_return_is_a_limit_of_the_argument_for_it(wanted: set[str], text: str):
    assert wanted == meaning_of(text, BROWSER)


def test_a_tool_without_the_word_page_shows_none():
    disks = {"take_snapshot": ("Take a snapshot of a disk.", {"disk_id": TEXT})}
    assert {"allow browser_navigate fetch"} == meaning_of(
        "You may view pages.",
        listed_frame("browser", {**{one: BROWSER_TOOLS[one] for one in ("browser_navigate", "fetch")}, **disks}),
    )


WORKFLOWS = "like .github/workflows or .github/workflows/* or /.github/workflows or /.github/workflows/*"
INFRA = "like infra or infra/* or /infra or /infra/*"
WEBSHOP = "github-owner is acme github-repo is webshop"


@pytest.mark.parametrize(
    "text", ["Nothing under .github/workflows may be changed.", "Never change anything in .github/workflows/."]
)
def test_files_in_a_folder_of_a_repository_are_changed_by_the_tools_that_take_their_paths(text: str):
    assert {
        f"deny create_or_update_file delete_file path {WORKFLOWS} or *./*",
        f"deny push_files files {WORKFLOWS}",
    } == meaning_of(text, CODE)


def test_a_folder_that_is_left_alone_with_reading_included_is_not_read_either():
    text = "Leave everything under the infra folder of acme/webshop alone, reading included."
    assert {
        f"deny create_or_update_file delete_file get_file_contents path {INFRA} or *./* {WEBSHOP}",
        f"deny push_files files {INFRA} {WEBSHOP}",
    } == meaning_of(text, CODE)


@pytest.mark.parametrize(
    "text",
    [
        "You may edit files under docs/.",  # `docs/../x` is no file under docs
        "Only change files under docs/.",
        "Never edit files in the docs folder.",  # `push_files` does it as well
        "Never open issues in the docs folder.",
        "Nothing under acme/webshop may be changed.",  # a folder, or a repository?
    ],
)
def test_what_no_path_in_a_repository_shows_for_certain_is_refused(text: str):
    assert set() == meaning_of(text, CODE)


def test_beside_files_of_a_disk_a_folder_may_be_one_of_them():
    disk = {
        "write_text": ("Write a text to a file on the disk.", {"path": told("Absolute path of the file"), "text": TEXT})
    }
    assert set() == meaning_of(
        "Never change anything in the docs folder.", listed_frame("coding", {**CODE_TOOLS, **disk})
    )

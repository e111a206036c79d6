"""Sentences that restrict a tool, while another one does the same in another way: refused, or read for both."""

from __future__ import annotations

from typing import Any

import pytest

from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, meaning_of, told

EVENT: dict[str, Any] = {"type": "string", "enum": ["APPROVE", "REQUEST_CHANGES", "COMMENT"]}
CHANNEL = told("The ID of the channel to post to")
SITE = frame_of(
    "web",
    {
        "open_page": ("Navigate to a URL", {"url": told("The URL to navigate to")}),
        "tabs": ("List, create, close, or select a tab.", {"action": TEXT, "url": told("URL to navigate to in it")}),
        "press_key": ("Press a key on the keyboard", {"key": told("Name of the key to press, such as ArrowLeft")}),
        "type_text": ("Type text", {"text": TEXT, "submit": {**FLAG, "description": "Submit it (press Enter after)"}}),
        "upload_file": ("Upload a file", {"paths": told("The absolute paths of the files to upload")}),
        "drop": ("Drop files or data onto an element", {"target": TEXT, "paths": told("Paths of files to drop")}),
    },
    roles={"url": "fetch-url", "paths": "read-path"},
)
CURRENCY: dict[str, Any] = {"type": "string", "enum": ["EUR", "USD"]}
BANK = frame_of(
    "bank",
    {
        "create_payment": (
            "Pay a payee from an account.",
            {"from_account": TEXT, "payee": TEXT, "amount": NUMBER, "currency": CURRENCY},
        ),
        "create_standing_order": (
            "Set up a repeating payment.",
            {"from_account": TEXT, "payee": TEXT, "amount": NUMBER, "first_date": TEXT},
        ),
        "set_card_limit": ("Change the daily limit of a card.", {"card_id": TEXT, "daily_limit": NUMBER}),
    },
)
STORE = frame_of(
    "store",
    {
        "insert_rows": ("Insert rows into a table.", {"database": TEXT, "table": TEXT, "rows": TEXT}),
        "delete_rows": ("Delete rows from a table.", {"database": TEXT, "table": TEXT, "where": TEXT}),
        "list_tables": ("List the tables of a database.", {"database": TEXT}),
    },
)
LEVEL: dict[str, Any] = {"type": "string", "enum": ["reader", "writer", "owner"]}
DRIVE = frame_of(
    "drive",
    {
        "create_file": ("Create a new document from text.", {"path": TEXT, "content": TEXT}),
        "update_file": ("Replace the content of an existing file.", {"path": TEXT, "content": TEXT}),
        "share_file": ("Give a person access.", {"file": TEXT, "email": TEXT, "role": LEVEL}),
    },
    roles={"path": "write-path", "email": "email-address"},
)
KIND = {"apiVersion": TEXT, "kind": TEXT, "name": TEXT, "namespace": TEXT}
CLUSTER_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "pods_list_in_namespace": ("List all the pods in the specified namespace", {"namespace": TEXT}),
    "pods_delete": ("Delete a pod in the current or provided namespace", {"name": TEXT, "namespace": TEXT}),
    "resources_get": ("Get a resource by its apiVersion, kind and name", KIND),
    "resources_delete": ("Delete a resource by its apiVersion, kind and name", KIND),
    "resources_scale": ("Scale a resource", {**KIND, "scale": NUMBER}),
    "helm_install": ("Install (deploy) a Helm chart", {"chart": TEXT, "namespace": TEXT}),
    "helm_list": ("List all the Helm releases", {"namespace": TEXT}),
    "helm_uninstall": ("Uninstall a Helm release", {"name": TEXT, "namespace": TEXT}),
}
CLUSTER = frame_of("cluster", CLUSTER_TOOLS)
EVICTING = frame_of("cluster", CLUSTER_TOOLS | {"pods_evict": ("Evict a pod", {"name": TEXT, "namespace": TEXT})})
WHOLE_CLUSTER = frame_of(
    "cluster",
    CLUSTER_TOOLS | {"resources_create_or_update": ("Create or update a resource from YAML", {"resource": TEXT})},
)
WRITER = frame_of(
    "drive",
    {"write_file": ("Create a file, or overwrite an existing one.", {"path": TEXT, "content": TEXT})},
    roles={"path": "write-path"},
)
CHAT = frame_of(
    "chat",
    {
        "post_message": ("Post a new message to a channel", {"channel_id": CHANNEL, "text": TEXT}),
        "reply_to_thread": ("Reply to a thread", {"channel_id": CHANNEL, "thread_ts": TEXT, "text": TEXT}),
        "add_reaction": ("Add a reaction emoji", {"channel_id": CHANNEL, "timestamp": TEXT, "reaction": TEXT}),
    },
)
CODE = frame_of(
    "github",
    {
        "create_or_update_file": (
            "Create or update a single file",
            {"owner": TEXT, "repo": TEXT, "path": TEXT, "message": told("Commit message"), "branch": TEXT},
        ),
        "push_files": (
            "Push multiple files in a single commit",
            {"owner": TEXT, "repo": TEXT, "branch": TEXT, "files": TEXT, "message": told("Commit message")},
        ),
        "create_issue": ("Create a new issue", {"owner": TEXT, "repo": TEXT, "title": TEXT}),
        "add_issue_comment": ("Add a comment to an issue", {"owner": TEXT, "repo": TEXT, "body": TEXT}),
        "create_pull_request": ("Create a new pull request", {"owner": TEXT, "repo": TEXT, "head": TEXT}),
        "create_pull_request_review": (
            "Create a review on a pull request",
            {"owner": TEXT, "repo": TEXT, "event": EVENT, "comments": TEXT},
        ),
    },
    roles={"owner": "github-owner", "repo": "github-repo", "branch": "branch-name", "head": "branch-name"},
)
LABELS = frame_of(
    "gmail",
    {
        "create_label": ("Creates a new label", {"name": TEXT}),
        "get_or_create_label": ("Gets a label by name or creates it if it does not exist", {"name": TEXT}),
        "delete_label": ("Deletes a label", {"id": TEXT}),
    },
)
DESK = frame_of(
    "desk",
    {
        "reply_to_customer": (
            "Send a public reply to the customer",
            {"ticket_id": {"type": "integer"}, "body": TEXT},
        ),
        "add_internal_note": ("Add a note that only the team sees", {"ticket_id": {"type": "integer"}, "body": TEXT}),
    },
)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (SITE, "Don't press Enter."),
        (SITE, "Never upload files."),
        (SITE, "Ask me before you upload files."),
        (CHAT, "Never post in #general."),
        (CHAT, "Never post to the general channel."),
        (CHAT, "You may only post in #team."),
        (CHAT, "Never write in #general."),
        (CHAT, "Never post more than 5 messages per hour."),
        (CODE, "Don't comment on pull requests."),
        (CODE, "Never create files in acme/website."),
        (DRIVE, "Never give anyone write access."),
    ],
)
def test_a_restriction_is_refused_if_another_tool_does_the_same_in_another_way(frame: Any, text: str) -> None:
    assert set() == meaning_of(text, frame)


@pytest.mark.parametrize(
    ("frame", "wanted", "text"),
    [
        (SITE, {"deny press_key"}, "Never press keys."),
        (
            CHAT,
            {"deny post_message reply_to_thread channel_id is C024BE91L"},
            "Never post in the channel C024BE91L.",
        ),
        (
            CODE,
            {"deny create_or_update_file push_files branch-name is main"},
            "Never push or commit to main.",
        ),
        (CODE, {"deny create_or_update_file push_files branch-name is main"}, "Never push to main."),
        (LABELS, {"deny create_label get_or_create_label"}, "Don't create labels."),
        (LABELS, {"deny delete_label"}, "Never delete labels."),
        (DRIVE, {"deny share_file role is owner"}, "Never give anyone owner access."),
        (DRIVE, {"allow update_file write-path within /drafts"}, "You may edit files in /drafts."),
        (DRIVE, {"allow update_file write-path within /drafts"}, "You may overwrite files in /drafts."),
        (WRITER, {"allow write_file write-path within /drafts"}, "You may overwrite files in /drafts."),
        (BANK, {"escalate create_standing_order"}, "Standing orders need my approval."),
        (SITE, {"deny open_page tabs fetch-url on *.facebook.com"}, "Never visit facebook.com."),
        (
            SITE,
            {
                "deny open_page tabs unless fetch-url on wikipedia.org or www.wikipedia.org",
                "allow open_page fetch-url on wikipedia.org or www.wikipedia.org",
            },
            "Only browse wikipedia.org.",
        ),
        (
            CHAT,
            {"deny post_message reply_to_thread the number of characters of text > 500"},
            "Messages must not be longer than 500 characters.",
        ),
        (
            CODE,
            {
                (
                    "deny add_issue_comment create_issue create_or_update_file create_pull_request "
                    "create_pull_request_review push_files github-owner is acme github-repo is billing"
                )
            },
            "Never write to acme/billing.",
        ),
        (
            BANK,
            {
                "deny create_payment create_standing_order amount > 500",
                "deny create_payment currency like * unless currency is EUR",
            },
            "Never pay more than 500 EUR.",
        ),
        (STORE, {"deny delete_rows insert_rows database is production"}, "Do not write to the database production."),
        (
            BANK,
            {"deny create_payment create_standing_order from_account is savings"},
            "Never move money out of savings.",
        ),
        (DESK, {"escalate reply_to_customer"}, "Ask me before you send a reply to a customer."),
    ],
)
def test_a_restriction_that_covers_all_of_them_is_read(frame: Any, wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, frame)


NAMESPACE_KINDS = "namespace or Namespace or NAMESPACE or namespaces or Namespaces or NAMESPACES or ns"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny pods_delete", "deny resources_delete kind is Pod"}, "Never delete pods."),
        ({"allow pods_list_in_namespace namespace is staging"}, "You may list pods in the staging namespace."),
        (
            {
                "deny helm_uninstall pods_delete resources_delete namespace is production",
                f"deny resources_delete name is production kind is {NAMESPACE_KINDS}",
            },
            "Don't delete anything in the production namespace.",
        ),
        ({"deny resources_get kind is Secret"}, "Secrets must not be read."),
    ],
)
def test_a_kind_of_resources_is_restricted_whatever_tool_is_for_it(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, CLUSTER)


def test_the_things_that_names_begin_with_are_no_verb() -> None:
    assert meaning_of("You may list pods in the staging namespace.", EVICTING) == {
        "allow pods_list_in_namespace namespace is staging"
    }


@pytest.mark.parametrize(
    "text",
    [
        "Never change secrets.",
        "Never scale deployments in the production namespace.",
        "Never change anything in the production namespace.",
        "Delete no more than three pods per day.",
        "Never create secrets.",
    ],
)
def test_a_tool_that_takes_the_whole_text_of_a_resource_may_change_any(text: str) -> None:
    assert meaning_of(text, WHOLE_CLUSTER) == set()


STATE_EVENT: dict[str, Any] = {"type": "string", "enum": ["close", "reopen"]}
DUE: dict[str, Any] = {"type": ["string", "null"], "description": "The due date in ISO format"}


def test_an_update_without_a_state_event_closes_nothing() -> None:
    lab = frame_of(
        "gitlab",
        {"update_issue": ("Update an issue", {"issue_iid": NUMBER, "title": TEXT, "state_event": STATE_EVENT})},
        required={"update_issue": ["issue_iid"]},
    )
    expected = {"deny update_issue state_event is given state_event is close"}
    assert expected == meaning_of("Never close issues.", lab)


def test_a_value_that_null_removes_is_not_said_to_be_changed_only_if_it_is_given() -> None:
    tools = {"update_issue": ("Update an issue", {"id": TEXT, "title": TEXT, "dueDate": DUE})}
    required = {"update_issue": ["id"]}
    assert set() == meaning_of(
        "Ask me before changing the due date of an issue.", frame_of("linear", tools, required=required)
    )
    tools["update_issue"][1]["dueDate"] = {**DUE, "default": None}
    frame = frame_of("linear", tools, required=required)
    expected = {"escalate update_issue dueDate is given dueDate like *"}
    assert expected == meaning_of("Ask me before changing the due date of an issue.", frame)


def test_a_limit_on_replicas_is_not_read_beside_a_patch_that_may_set_them() -> None:
    scale = {"kubectl_scale": ("Scale a deployment", {"name": TEXT, "replicas": NUMBER})}
    patch = {"kubectl_patch": ("Update fields of a resource", {"name": TEXT, "patchData": {"type": "object"}})}
    text = "Ask me before scaling a deployment above 5 replicas."
    assert {"escalate kubectl_scale replicas > 5"} == meaning_of(text, frame_of("kubernetes", scale))
    assert set() == meaning_of(text, frame_of("kubernetes", {**scale, **patch}))


LAB = frame_of(
    "gitlab",
    {
        "merge_merge_request": ("Merge a merge request", {"merge_request_iid": NUMBER}),
        "update_merge_request": ("Update a merge request", {"merge_request_iid": NUMBER, "state_event": STATE_EVENT}),
        "create_note": (
            "Create a note",
            {"noteable_type": {"type": "string", "enum": ["issue", "merge_request"]}, "body": TEXT},
        ),
    },
    required={
        "merge_merge_request": ["merge_request_iid"],
        "update_merge_request": ["merge_request_iid"],
        "create_note": ["noteable_type", "body"],
    },
)


def test_a_note_on_a_merge_request_merges_nothing_and_who_closes_one_does_not_merge_it() -> None:
    assert {"escalate merge_merge_request"} == meaning_of("Ask me before merging any merge request.", LAB)
    assert not any("merge_merge_request" in one for one in meaning_of("Never close merge requests.", LAB))


def test_a_message_to_somebody_is_no_message_with_the_text_of_his_name() -> None:
    chat = frame_of("whatsapp", {"send_message": ("Send a message to a person", {"recipient": TEXT, "message": TEXT})})
    for text in ("You may message Priya.", "You may message 447700900456.", "Never message Priya."):
        assert not any("message is" in one for one in meaning_of(text, chat))


def test_a_filter_from_a_template_is_a_filter() -> None:
    tools = {
        "create_filter": ("Create a filter", {"criteria": TEXT}),
        "create_filter_from_template": ("Create a filter from a template", {"template": TEXT}),
    }
    expected = {"escalate create_filter create_filter_from_template"}
    assert expected == meaning_of("Ask me before creating a filter.", frame_of("gmail", tools))
    tools = {
        "delete_template": ("Delete a template", {"template": TEXT}),
        "create_filter_from_template": ("Create a filter from a template", {"template": TEXT}),
    }
    assert {"deny delete_template"} == meaning_of("Never delete templates.", frame_of("gmail", tools))

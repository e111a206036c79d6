"""To put a label on an e-mail is not to make a label, and who may put labels on e-mails may not take any off."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.gmail_tools import GMAIL
from tests.recipes.policy.english.meanings import meaning_of

BOTH = "batch_modify_emails modify_email"
HIDDEN = "unless addLabelIds is TRASH or SPAM"
LABELS = f"allow {BOTH} addLabelIds is given removeLabelIds is left out {HIDDEN}"
TRASH = f"{BOTH} addLabelIds is given addLabelIds is TRASH"
FILTER = "create_filter action is addLabelIds"
INBOX = f"{BOTH} removeLabelIds is given removeLabelIds is INBOX"
ARCHIVING = f"allow {BOTH} removeLabelIds is given addLabelIds is left out removeLabelIds is INBOX"
READ = f"{BOTH} removeLabelIds is given addLabelIds is left out removeLabelIds is UNREAD"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate {BOTH} addLabelIds is given", f"escalate {FILTER}"}, "Ask me before you add a label to an email."),
        ({f"deny {BOTH} addLabelIds is given", f"deny {FILTER}"}, "Never put labels on emails."),
        ({f"deny {BOTH} removeLabelIds is given", "deny delete_label"}, "Never remove labels from emails."),
        ({f"deny {BOTH}"}, "Never change the labels of emails."),
        (
            {f"deny {BOTH} addLabelIds is given", f"deny {FILTER}", "deny create_label"},
            "Never create labels or put labels on messages.",
        ),
        (set[str](), "Add at most five labels a day to messages."),
        (set[str](), "Never put the label Urgent on emails."),
        (set[str](), "You may add labels to messages, but never remove any."),
    ],
)
def test_a_label_that_is_put_on_an_email_is_not_made(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({LABELS}, "You may put labels on messages."),
        ({LABELS}, "You may label emails."),
        ({f"allow {BOTH} removeLabelIds is given addLabelIds is left out"}, "You may remove labels from messages."),
        ({"allow create_label"}, "You may create labels."),
        ({f"allow {BOTH}"}, "You may move emails between labels."),
        (set[str](), "You may put labels on emails from Bob."),
        (set[str](), "You may put labels on messages only on weekdays."),
    ],
)
def test_who_may_label_emails_may_not_take_labels_off(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({"deny delete_email", f"deny {TRASH}", f"deny {FILTER} action is TRASH"}, "Never delete my email."),
        ({f"deny {TRASH}", f"deny {FILTER} action is TRASH"}, "Never move messages to the trash."),
        (
            {"deny delete_email delete_label", f"deny {TRASH}", f"deny {FILTER} action is TRASH"},
            "Never delete anything.",
        ),
        (
            {"escalate delete_email", f"escalate {TRASH}", f"escalate {FILTER} action is TRASH"},
            "Ask before you delete messages.",
        ),
        (
            {"escalate delete_email delete_label", f"escalate {TRASH}", f"escalate {FILTER} action is TRASH"},
            "Ask before deleting anything.",
        ),
        ({f"deny {INBOX}"}, "Never archive emails."),
        (
            {"escalate delete_email", f"escalate {TRASH}", f"escalate {FILTER} action is TRASH", f"escalate {INBOX}"},
            "Ask me before you delete or archive mail.",
        ),
        ({f"deny {BOTH} removeLabelIds is given removeLabelIds is UNREAD"}, "Don't mark emails as read."),
        (
            {f"deny {BOTH} addLabelIds is given addLabelIds is SPAM", f"deny {FILTER} action is SPAM"},
            "Never mark mail as spam.",
        ),
        (
            {f"deny {BOTH} addLabelIds is given addLabelIds is STARRED", f"deny {FILTER} action is STARRED"},
            "Never star messages.",
        ),
        ({"deny delete_label"}, "Never delete labels."),
    ],
)
def test_a_label_that_is_a_state_is_reached_by_what_forbids_that_state(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"allow {READ}"}, "You may mark emails as read."),
        ({"allow delete_email"}, "You may delete emails."),
        (
            {LABELS, ARCHIVING, "deny delete_email", f"deny {TRASH}", f"deny {FILTER} action is TRASH"},
            "You may label and archive email, but never delete it.",
        ),
        (set[str](), "You may archive emails from Bob."),
    ],
)
def test_a_permission_for_a_state_is_one_for_no_other_label(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)

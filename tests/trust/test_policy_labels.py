"""To put a label on an e-mail is not to make a label, and who may put labels on e-mails may not take any off."""

from __future__ import annotations

import pytest

from tests.recipes.policy.english.gmail_tools import GMAIL
from tests.recipes.policy.english.meanings import meaning_of

BOTH = "batch_modify_emails modify_email"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ({f"escalate {BOTH} addLabelIds is given"}, "Ask me before you add a label to an email."),
        ({f"deny {BOTH} addLabelIds is given"}, "Never put labels on emails."),
        ({f"deny {BOTH} removeLabelIds is given"}, "Never remove labels from emails."),
        ({f"deny {BOTH}"}, "Never change the labels of emails."),
        ({f"deny {BOTH} addLabelIds is given", "deny create_label"}, "Never create labels or put labels on messages."),
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
        ({f"allow {BOTH} addLabelIds is given removeLabelIds is left out"}, "You may put labels on messages."),
        ({f"allow {BOTH} addLabelIds is given removeLabelIds is left out"}, "You may label emails."),
        ({f"allow {BOTH} removeLabelIds is given addLabelIds is left out"}, "You may remove labels from messages."),
        ({"allow create_label"}, "You may create labels."),
        ({f"allow {BOTH}"}, "You may move emails between labels."),
        (set[str](), "You may put labels on emails from Bob."),
        (set[str](), "You may put labels on messages only on weekdays."),
    ],
)
def test_who_may_label_emails_may_not_take_labels_off(wanted: set[str], text: str) -> None:
    assert wanted == meaning_of(text, GMAIL)

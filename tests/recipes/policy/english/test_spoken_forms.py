"""Facts, limits and second sentences beside a rule belong to it. What may be a rule of its own stays."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.english.rewriting.reasons import without_reason
from retouch.recipes.policy.english.rewriting.spoken_forms import in_plain_rules
from tests.recipes.policy.english.meanings import TEXT, frame_of

MAIL = frame_of(
    "mail",
    {"send_email": ("Send an email", {"to": TEXT, "body": TEXT}), "delete_email": ("Delete an email", {"id": TEXT})},
)


@pytest.mark.parametrize(
    ("rule", "fact"),
    [
        ("Don't open anything that ends in .pem", "those are our certificates"),
        ("Don't write files between 22:00 and 6:00", "the backup runs then"),
        ("Stay out of ~/taxes", "my accountant looks after it"),
        ("~/taxes is read-only", "Dee looks after it"),
        ("Never make a task p1", "that's my call"),
        ("Never push to main", "that's the release branch"),
        ("Never delete tickets", "our auditors want them"),
        ("Never delete tickets", "we have to keep them for ten years"),
        ("No voice messages", "nobody listens to those"),
        ("Stay out of #hr", "it's none of your business"),
        ("Disputes are off limits", "I answer the bank myself"),
        ("No commits on main", "use another branch"),
        ("Never delete events", "no exceptions"),
    ],
)
def test_a_fact_after_a_restriction_is_left_out_in_its_clause_or_sentence(rule: str, fact: str) -> None:
    assert f"{rule}." == without_reason(f"{rule}, {fact}.")
    second = f"{rule}. {fact[0].upper()}{fact[1:]}."
    assert [second] == [one.text for one in clauses_of(second)]
    assert f"{rule}." == without_reason(second)


@pytest.mark.parametrize(
    "text",
    [
        "Never share files, my wife gets them.",
        "Never delete mails, those in ~/tmp are junk.",
        "Never delete mails, drafts are fine.",
        "Don't open contracts, those are the PDF files.",
        "Don't touch the live project, it's the shop.",
        "Don't touch the live project, that's shop-prod.",
        "Never send mails, I send them at night.",
        "Never send mails, Tom may send them.",
        "Never delete events, the others are not mine.",
        "You may delete files, that's my job.",
        "Ask me before posting in #hr, it's off limits.",
        "Ask me before deleting mails, archive them instead.",
        'Never write "it is mine", that\'s my call.',
    ],
)
def test_what_may_permit_except_or_identify_stays(text: str) -> None:
    assert text == without_reason(text)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("Never delete anything.", "Nothing gets deleted."),
        ("Never send anything without my okay.", "Nothing is sent without my okay."),
        ("No more than five mails a day.", "Five mails a day, not more."),
        ("No more than five mails a day.", "Five mails a day, and that's it."),
        ("No more than 5 mails a day.", "More than 5 mails a day is too much."),
        ("No more than 5 mails a day.", "Never over 5 mails a day."),
        ("Never open more than three pull requests a day.", "Three pull requests a day is plenty. Don't open more."),
        ("No more than three refunds a day.", "Refunds: three a day at most."),
        ("Never send more than 5 mails per day.", "Sending mails: max 5 per day."),
        ("Never merge pull requests.", "Only I merge pull requests."),
        ("You may read mails, but never delete one.", "You may read mails. Never delete one."),
        ("You may post in #bots, nowhere else.", "You may post in #bots. Nowhere else."),
        (
            "Ask me before you cancel an order unless it is fraud.",
            "Cancel an order yourself only if it is fraud, otherwise ask me.",
        ),
    ],
)
def test_what_is_said_in_passing_is_the_plain_rule(rule: str, text: str) -> None:
    assert [text] == [one.text for one in clauses_of(text)]
    assert rule == in_plain_rules(text, None)


@pytest.mark.parametrize(
    "text",
    [
        "Nothing is allowed except reading.",
        "Refunds: three a day.",
        "Only I trust the mails of Tom.",
        "Only Tom merges pull requests.",
        "You may not read mails. Never delete one.",
        'Nothing "gets deleted".',
    ],
)
def test_what_is_another_rule_stays(text: str) -> None:
    assert text == in_plain_rules(text, None)


def test_nothing_else_is_said_of_all_sentences_before_it() -> None:
    text = "You may read mails. You may send mails. Nothing else."
    assert ["You may read mails.", "You may send mails.", "Nothing else."] == [one.text for one in clauses_of(text)]


def test_the_rules_quote_both_sentences() -> None:
    text = "Never delete emails. We have to keep them."
    made = compile_clauses(text, MAIL)
    assert [(("delete_email",), "deny", text)] == [(one.when.tool, one.then, one.principle) for one in made.rules]

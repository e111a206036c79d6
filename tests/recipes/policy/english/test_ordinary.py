"""Ordinary sentences: most are read as they are meant, and none is misread."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.policy import evaluate
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.ordinary_sentences import (
    SENTENCES,
    call_of,
    frame,
    is_refused,
    outcome_of,
    policy_of,
)

AGENT_BRANCHES = "You can push to branches that start with agent/."
ACME = "You may send emails only to addresses at acme.example."
PROJECTS = "Only write inside ~/projects."
LEAST_READ = 80  # in hundred of the sentences that a rule can enforce
ALL = [(agent, one) for agent, sentences in SENTENCES.items() for one in sentences]


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "sentence"), ALL, ids=[one["text"] for _, one in ALL])
def test_no_ordinary_sentence_is_misread(agent: str, sentence: dict[str, Any]):
    assert () == outcome_of(agent, sentence).wrong


@pytest.mark.slow
def test_most_ordinary_sentences_are_read():
    enforceable = [(agent, one["text"]) for agent, one in ALL if not one.get("refuse") and not one.get("background")]
    read = [text for agent, text in enforceable if not is_refused(agent, text)]
    assert LEAST_READ * len(enforceable) <= 100 * len(read)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("coding", "Never delete all files in ~/projects."),
        ("coding", "Do not delete every file."),
        ("coding", "You may delete old files in ~/projects."),
        ("coding", "You may read files in ~/projects that are not secret."),
        ("coding", "You may read files in ~/projects most of the time."),
        ("coding", "You may not only read but also write files in ~/projects."),
        ("coding", "You may delete files in ~/projects if they are older than 30 days."),
        ("coding", "You may read files outside ~/projects."),
        ("coding", "You may read files."),
        ("coding", "You may push to main after the tests passed."),
        ("coding", "Nothing but reading is allowed."),
        ("coding", "You may read files and not write them in ~/projects or delete them."),
        ("coding", "Never push to evil.example."),
        ("coding", "Only you may push."),
        ("coding", "You may only read files."),
        ("assistant", "You may send emails to my colleagues."),
        ("assistant", "You may read emails from bob@acme.example."),
        ("assistant", "You may send at most 3 emails per customer."),
        ("assistant", "Never send emails to strangers."),
        ("assistant", "Do not delete emails unless they are spam."),
        ("assistant", "You may read emails, except private ones."),
        ("assistant", "Emails are fine."),
        ("support", "You may cancel some orders."),
        ("support", "Refunds under 50 percent are fine."),
        ("support", "You may update tickets of your own team."),
        ("analyst", "You may read any table except those with personal data."),
        ("devops", "You may restart deployments that hang."),
        ("finance", "You may transfer money to known payees."),
        ("finance", "Transfers are fine during the day."),
        ("repository", "You may merge pull requests with two approvals."),
    ],
)
def test_a_condition_that_no_rule_can_test_is_refused(agent: str, text: str):
    assert is_refused(agent, text)


@pytest.mark.parametrize(
    ("agent", "text", "call", "decision"),
    [
        ("support", "Refunds under 50 are fine.", "shop/issue_refund order_id=1 amount=-900", "deny"),
        ("support", "Refunds under 50 are fine.", "shop/issue_refund order_id=1 amount=50", "deny"),
        ("support", "Refunds up to 50 are fine.", "shop/issue_refund order_id=1 amount=50", "allow"),
        ("support", "Refunds under 50 are fine.", "shop/issue_refund order_id=1", "deny"),
        ("repository", AGENT_BRANCHES, "github/push_files branch=agent/../main", "deny"),
        ("repository", AGENT_BRANCHES, "github/push_files branch=agent/x:main", "deny"),
        ("repository", AGENT_BRANCHES, "github/push_files branch=agents", "deny"),
        ("assistant", ACME, "gmail/send_email to=a@evil-acme.example", "deny"),
        (
            "assistant",
            ACME,
            "gmail/send_email to=a@acme.example cc=eve@evil.example",
            "deny",
        ),
        ("research", "You may visit https://arxiv.org.", "browser/browser_navigate url=http://arxiv.org/", "deny"),
        ("coding", "You may read files in ~/a and its subfolders.", "filesystem/read_text_file path=~/a/b/c", "allow"),
        ("research", "You may visit arxiv.org.", "browser/browser_navigate url=https://www.arxiv.org/", "allow"),
        ("research", "You may visit arxiv.org.", "browser/browser_navigate url=https://x.arxiv.org/", "deny"),
        ("coding", "Reading is fine everywhere except in ~/.ssh.", "filesystem/read_text_file path=~/.SSH/id", "deny"),
        ("coding", PROJECTS, "filesystem/write_file path=~/projects/../.ssh/x content=x", "deny"),
        ("coding", "You may read files in ~/projects.", "filesystem/search_files path=~/projects", "allow"),
        ("coding", "You may read files in ~/projects.", "filesystem/search_files path=~", "deny"),
    ],
)  # fmt: skip
def test_a_value_that_only_resembles_a_permitted_one_is_not_allowed(agent: str, text: str, call: str, decision: str):
    assert decision == evaluate(policy_of(agent, text), call_of(call)).decision


@pytest.mark.parametrize(
    ("text", "branch"),
    [
        ("Never push to the main branch.", "refs/heads/main"),
        ("Never push to the main branch.", "HEAD:main"),
        ("Never push to the main branch.", "+main"),
        ("Never push to the main branch.", "MAIN"),
        ("Never push to the main branch.", "HEAD"),
        ("Never push to the main branch.", "origin/main"),
        ("Do not push to main or master.", "master"),
    ],
)
def test_a_forbidden_branch_is_denied_in_any_notation(text: str, branch: str):
    policy = policy_of("coding", text, "Allow using any tool of git.")
    call = call_of(f"git/git_push repo_path=~/p remote=origin branch={branch}")
    assert "deny" == evaluate(policy, call).decision
    harmless = call_of("git/git_push repo_path=~/p remote=origin branch=feature/maintenance")
    assert "allow" == evaluate(policy, harmless).decision


@pytest.mark.parametrize("lead", ["Never:", "You must not do any of this:", "## Forbidden", "Not on weekends:"])
def test_a_command_below_a_heading_or_a_colon_is_no_permission(lead: str):
    known = frame("coding")
    made = compile_clauses(f"{lead}\n\n- Delete files in ~/projects.\n- Run shell commands.\n", known)
    assert () == made.rules
    assert 3 == len(made.refused)
    alone = compile_clauses("- Delete files in ~/projects.\n", known)
    assert ["allow"] == [rule.then for rule in alone.rules]


@pytest.mark.parametrize("word", ["push", "delete", "email", "Search", "move"])
def test_a_single_word_in_a_list_is_no_permission(word: str):
    assert is_refused("coding", f"- {word}")
    assert is_refused("assistant", f"- {word}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("repository", "Protected branches must never be deleted."),
        ("repository", "Never delete the protected branch."),
        ("repository", "Never delete a protected branch."),
        ("repository", "Do not push to the protected branch."),
        ("repository", "Do not push to protected branches."),
        ("repository", "You may not push to repositories of strangers."),
        ("repository", "Do not push to repositories of others."),
        ("repository", "Only work in private repositories owned by acme."),
        ("analyst", "Never drop an old table."),
        ("analyst", "Never read the confidential table."),
        ("analyst", "Never delete important rows."),
        ("devops", "Don't delete healthy pods in the production namespace."),
        ("devops", "Don't delete pods in the live namespace."),
        ("devops", "Scaling large deployments requires my approval."),
        ("research", "You may visit any trusted website."),
        ("research", "Don't click or type anything except in the browser."),
        ("coding", "You can not edit and create files in ~/projects/app, but nowhere else."),
        ("coding", "You can never edit files in ~/projects/app, but nowhere else."),
    ],
)
def test_an_adjective_is_never_a_name_and_an_exception_is_never_lost(agent: str, text: str):
    assert is_refused(agent, text)


ADVERBS = ("hardly", "old", "protected", "mostly", "zebra", "almost", "if", "when", "unless", "during", "before")
READ = [(agent, one["text"]) for agent, one in ALL if not one.get("refuse") and not one.get("background")]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(READ), st.sampled_from(ADVERBS), st.integers(min_value=0, max_value=20))
def test_no_word_is_ignored(sentence: tuple[str, str], word: str, at: int):
    agent, text = sentence
    words = text.rstrip(".").split()
    place = min(at, len(words))
    more = " ".join([*words[:place], word, *words[place:]])
    assert is_refused(agent, f"{more}.")


FORBIDS = ("Never {}.", "Do not {}.", "Don't {}!", "You must not {}.", "You may never {}.", "The agent cannot {}.")
ASKS = (
    "Ask before you {}.",
    "Never {} without asking me.",
    "You may {} only after I confirmed.",
    "Don't {} unless I agree.",
)
DOINGS = (
    ("coding", "delete anything"),
    ("coding", "write files in ~/projects"),
    ("coding", "read and write files in ~/projects and ~/notes"),
    ("coding", "push"),
    ("support", "cancel or refund orders"),
    ("devops", "delete pods and restart deployments"),
    ("finance", "pay or void invoices"),
    ("repository", "merge pull requests in repositories of acme"),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("agent", "doing"), DOINGS)
def test_the_frame_decides_what_a_sentence_does(agent: str, doing: str):
    for frame_text in FORBIDS:
        assert {"deny"} >= {rule.then for rule in policy_of(agent, frame_text.format(doing)).rules}
    for frame_text in ASKS:
        assert {"escalate"} >= {rule.then for rule in policy_of(agent, frame_text.format(doing)).rules}
    for frame_text in ("You may {}.", "It is fine to {}."):
        assert {"allow"} >= {rule.then for rule in policy_of(agent, frame_text.format(doing)).rules}

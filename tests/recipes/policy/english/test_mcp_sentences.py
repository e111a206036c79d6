"""Sentences about tools as MCP servers list them: most are read, none is misread, no word is ignored."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.recipes.policy.english.ignored_words import ignored, rules_or_none, sentences
from tests.recipes.policy.english.mcp_sentences import Expected, compiled, expected, frame, read_as

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy

LEAST_READ = 75  # in hundred of the sentences that a rule can enforce
SENTENCES = list(expected())


@pytest.mark.slow
@pytest.mark.parametrize("sentence", SENTENCES, ids=lambda one: one.text)
def test_no_sentence_is_misread(sentence: Expected):
    assert () == read_as(sentence).wrong


@pytest.mark.slow
def test_most_sentences_are_read():
    enforceable = [one for one in SENTENCES if not one.unenforceable]
    read = [one for one in enforceable if read_as(one).status == "read"]
    assert LEAST_READ * len(enforceable) <= 100 * len(read)


@pytest.mark.slow
@pytest.mark.parametrize(("text", "known"), Random(20).sample(list(sentences()), 40), ids=lambda one: str(one)[:40])
def test_no_reading_ignores_a_word(text: str, known: Policy):
    assert [] == list(ignored(text, known, sample=4))


@pytest.mark.parametrize(
    ("agent", "text"),
    [
        ("mail", "Never email anyone outside acme.example."),  # a reply has no recipient that could be tested
        ("calendar", "Don't schedule meetings on weekends."),  # the time of the meeting, or of the call?
        ("calendar", "You can create events, but don't invite anyone without asking."),
        ("support", "You may refund up to 30 dollars per order."),  # an order can be refunded twice
        ("devops", "Never delete the production namespace."),  # no tool deletes a namespace
        ("support", "You may add notes to internal tickets."),
        ("files", "Never push files to the drive."),
        ("calendar", "Never archive or delete events."),  # a verb without a tool is not dropped
    ],
)
def test_a_sentence_that_only_resembles_one_that_a_rule_can_enforce_is_refused(agent: str, text: str):
    assert rules_or_none(text, frame(agent)) is None


@pytest.mark.parametrize("text", ["You can read and label emails.", "Read my inbox."])
def test_the_mails_of_a_server_are_not_its_contacts(text: str):
    made, _ = compiled("mail", text)
    tools = {tool for rule in made.rules for tool in rule.when.tool or ()}
    assert ("read_message" in tools, False) == (True, "list_contacts" in tools)


@pytest.mark.parametrize("text", ["Don't send money to anyone.", "Never transfer money."])
def test_money_is_also_sent_later(text: str):
    made, _ = compiled("shopping", text)
    tools = {tool for rule in made.rules for tool in rule.when.tool or ()}
    assert {"send_payment", "schedule_payment"} <= tools


def test_an_amount_of_a_currency_is_allowed_in_that_currency():
    made, _ = compiled("shopping", "You may send payments up to 20 EUR.")
    (rule,) = [one for one in made.rules if "send_payment" in (one.when.tool or ())]
    assert ["amount >= 0 and <= 20", "currency is EUR or eur"] == [one.words for one in rule.when.where]

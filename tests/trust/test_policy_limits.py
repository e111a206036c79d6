"""A limit or a time in the text must be in the rules: otherwise the policy is not verified."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.language.values import Limit, Rule, When
from retouch.recipes.policy.making.judging.clause_state import missing_state

COUNTED = Limit(count="calls", per="day", above=3)
TIMED = Limit(days=("mon",))
HOURS = Limit(hours=("09:00-17:00",))


@pytest.mark.parametrize(
    ("text", "test", "settled"),
    [
        ("You may send at most 3 emails per day.", None, False),
        ("You may send at most 3 emails per day.", TIMED, False),
        ("You may send at most 3 emails per day.", COUNTED, True),
        ("Refund once a week.", None, False),
        ("Refund once a week.", Limit(count="calls", per="week", above=1), True),
        ("You may send at most 30 emails per day.", COUNTED, False),
        ("You may send at most 3 emails per week.", COUNTED, False),
        ("You may send at most 3 emails per day and at most 10 per week.", COUNTED, False),
        ("You may send fewer than 3 emails per day.", Limit(count="calls", per="day", above=2), True),
        ("You may send at most 3 emails per year.", COUNTED, False),
        ("You may send at most 3 emails per session.", COUNTED, False),
        ("You may send at most 3 emails in 2 days.", COUNTED, False),
        ("You may send at most 3 emails in 24 hours.", COUNTED, True),
        ("You may send at most 3 emails in total.", COUNTED, False),
        ("Per day, you may send at most 3 emails.", None, False),
        ("Refunds have a daily limit of 3.", None, False),
        ("Refunds have a daily limit of 3.", COUNTED, True),
        ("Spend at most 1,000 EUR per day.", Limit(sum="amount", per="day", above=1000), True),
        ("Spend at most ten thousand EUR per day.", Limit(sum="amount", per="day", above=10000), True),
        ("Never spend more than 100 EUR within 24 hours.", None, False),
        ("Deploy between 9:00 and 17:00.", COUNTED, False),
        ("Deploy between 9:00 and 17:00.", TIMED, False),
        ("Deploy between 9:00 and 17:00.", HOURS, True),
        ("Deploy between 9:00 and 18:00.", HOURS, False),
        ("Deploy only before noon.", None, False),
        ("Never deploy overnight.", None, False),
        ("Deploy on Mondays between 9:00 and 5:00 pm.", HOURS, False),
        ("Never deploy on weekends or holidays.", TIMED, False),
        ("Never deploy in December.", TIMED, False),
        ("Never deploy on Fridays.", None, False),
        ("Deploy only in business hours.", None, False),
        ("You may read my daily notes.", None, True),
        ("You may read 3 files.", None, True),
    ],
)
def test_a_clause_with_a_limit_needs_a_rule_that_counts(text: str, test: Limit | None, *, settled: bool):
    where = () if test is None else (test,)
    rule = Rule(name="r", then="allow", when=When(where=where), principle=text)
    (clause,) = clauses_of(text)
    assert settled is (missing_state(clause.text, [rule]) == "")

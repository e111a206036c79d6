"""A limit or a time in the text must be in the rules: otherwise the policy is not verified."""

from __future__ import annotations

import pytest

from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.language.values import Limit, Rule, When
from retouch.recipes.policy.making.judging.ledger import _missing_state  # pyright: ignore[reportPrivateUsage]

COUNTED = Limit(count="calls", per="day", above=3)
TIMED = Limit(days=("mon",))


@pytest.mark.parametrize(
    ("text", "test", "settled"),
    [
        ("You may send at most 3 emails per day.", None, False),
        ("You may send at most 3 emails per day.", TIMED, False),
        ("You may send at most 3 emails per day.", COUNTED, True),
        ("Refund once a week.", None, False),
        ("Never spend more than 100 EUR within 24 hours.", None, False),
        ("Deploy between 9:00 and 17:00.", COUNTED, False),
        ("Deploy between 9:00 and 17:00.", TIMED, True),
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
    assert settled is (_missing_state(clause, [rule]) == "")

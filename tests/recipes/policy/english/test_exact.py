"""Exact sentences say everything that a rule about named tools can say, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses, understood
from retouch.recipes.policy.english.exact import exact_text
from retouch.recipes.policy.english.tools.toolbox import Toolbox
from retouch.recipes.policy.english.words.sentences import CallAction, Sentence, ToolPart
from retouch.recipes.policy.language.conversion import limit_of
from retouch.recipes.policy.language.forms import RuleForm
from retouch.recipes.policy.language.values import PERIOD_S, RoleSpec
from tests.recipes.policy.english.common_tools import CALENDARS, CHAT, MAIL
from tests.recipes.policy.english.joined_tools import DEPOT, DESK


def rules_of(text: str, frame: Any) -> set[str]:
    """Return the rules of a text, one line for each. The text must be read."""
    made = compile_clauses(text, frame)
    assert {} == made.refused
    found: set[str] = set()
    for one in made.rules:
        tests = [*(test.words for test in one.when.where), *(f"unless {test.words}" for test in one.when.unless)]
        found.add(" ".join((one.then, *(one.when.tool or ()), *tests)))
    return found


# --- every rule has an exact sentence, which is read as that rule ---

TEXTS = st.text(
    alphabet=st.characters(codec="utf-8", exclude_characters='"`\\', exclude_categories=("C", "Z")),
    min_size=1,
    max_size=9,
)
NUMBERS = st.one_of(
    st.integers(-1000, 10**9),
    st.floats(-1e6, 1e6, allow_nan=False),
    st.integers(-9999, 9999).map(lambda one: one / 1000),
)
VALUES = st.lists(st.one_of(TEXTS, NUMBERS, st.booleans()), min_size=1, max_size=3)
Json = dict[str, Any]
Jsons = st.SearchStrategy[Json]


def made(**fields: st.SearchStrategy[Any]) -> Jsons:
    """Return a strategy for objects with these fields."""
    return st.fixed_dictionaries({key.removesuffix("_"): one for key, one in fields.items()})


def joined(*several: Jsons) -> Jsons:
    """Return a strategy for objects with the fields of several others."""

    def merged(found: tuple[Json, ...]) -> Json:
        return {key: value for one in found for key, value in one.items()}

    return st.tuples(*several).map(merged)


def bounds(numbers: st.SearchStrategy[Any]) -> Jsons:
    """Return bounds on one or on both sides."""
    low = st.one_of(made(atLeast=numbers), made(above=numbers))
    high = st.one_of(made(atMost=numbers), made(below=numbers))
    return st.one_of(low, high, joined(low, high))


def clock(found: tuple[int, int]) -> str:
    return f"{found[0]:02}:00-{found[1]:02}:30"


ARGS = made(arg=st.sampled_from(["title", "queue", "priority"]))
SUBJECTS = st.one_of(ARGS, made(role=st.sampled_from(["email-address", "write-path"])))
HOURS = st.lists(st.tuples(st.integers(0, 22), st.integers(0, 22)).map(clock), min_size=1, max_size=2)
DAYS = st.lists(st.sampled_from(["mon", "wed", "sat", "sun"]), min_size=1, max_size=3, unique=True)
PERIODS = st.sampled_from(list(PERIOD_S))
ABOUT_VALUES = st.one_of(
    joined(SUBJECTS, made(in_=VALUES)),
    joined(SUBJECTS, made(like=st.lists(TEXTS, min_size=1, max_size=2))),
    joined(ARGS, made(domains=st.sampled_from([["*.a.example"], ["b-c.example", "d.example"]]))),
    joined(ARGS, made(emails=st.just(["*@acme.example", "bob@acme.example"]))),
    joined(SUBJECTS, made(within=st.sampled_from([["~/work"], ["~/a b", "/srv"]]))),
    joined(SUBJECTS, bounds(NUMBERS)),
    joined(ARGS, made(count=st.sampled_from(["characters", "items"])), bounds(st.integers(0, 9_000))),
    joined(ARGS, made(is_=st.sampled_from(["present", "absent"]))),
    joined(ARGS, made(days=DAYS, hours=HOURS)),
)
COUNTED = joined(
    made(per=PERIODS),
    st.one_of(made(above=st.integers(0, 99)), made(atLeast=st.integers(0, 99))),
    st.sampled_from([Json(), Json(same="title")]),
)
SAME = st.sampled_from([["title"], {"title": "queue", "priority": "priority"}])
BEFORE = made(
    after=st.lists(st.sampled_from(["create_ticket", "close_ticket"]), min_size=1, max_size=2, unique=True),
    where=st.lists(ABOUT_VALUES, max_size=2),
)
ABOUT_STATE = st.one_of(
    made(days=DAYS),
    made(hours=HOURS),
    joined(made(count=st.just("calls")), COUNTED),
    joined(made(sum=st.just("priority")), COUNTED),
    BEFORE,
    joined(BEFORE, made(per=PERIODS)),
    joined(BEFORE, made(same=SAME)),
)
TESTS = st.lists(st.one_of(ABOUT_VALUES, ABOUT_STATE), min_size=1, max_size=3)
ROLES = {one: RoleSpec(default=(one,)) for one in ("email-address", "write-path")}
WIDE = replace(
    DESK,
    tools={
        key: replace(tool, args={**DESK.tools["desk", "create_ticket"].args, **ROLES}, input_schema=None)
        for key, tool in DESK.tools.items()
    },
)


@given(
    where=TESTS,
    unless=st.lists(ABOUT_VALUES, max_size=2),
    mood=st.sampled_from(["ask", "never"]),
    excepted=st.booleans(),
)
def test_each_rule_is_read_again_from_its_exact_sentence(
    where: list[dict[str, Any]], unless: list[dict[str, Any]], mood: Any, excepted: bool
):
    when = {"server": ["desk"], "tool": ["create_ticket"], "where": where, "unless": unless}
    form = RuleForm.model_validate({"name": "r", "if": when, "then": "escalate" if mood == "ask" else "deny"})
    limits, spared = tuple(map(limit_of, form.when.where)), tuple(map(limit_of, form.when.unless))
    part = ToolPart(server="desk", tool="create_ticket", where=limits, unless=spared)
    sentence = Sentence(
        number=1,
        line=1,
        quote="",
        mood=mood,
        excepted=excepted and mood == "never",
        action=CallAction(parts=(part,)),
    )
    text = exact_text([sentence])
    (again,), refused = understood(text, Toolbox(WIDE))
    assert ({}, replace(sentence, quote=text)) == (refused, again)


# --- what they mean ---


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (
            {"deny pay_bill amount > 500 unless category is rent"},
            'Never use the tool pay_bill of desk if amount is more than 500 unless category is "rent".',
        ),
        (
            {"allow create_ticket queue is network or billing priority is low"},
            'Allow using the tool create_ticket of desk if queue is "network" or "billing" and priority is "low".',
        ),
        (
            {"escalate pay_bill issue_credit amount >= 10 and < 90"},
            "Ask before using the tools pay_bill and issue_credit of desk if amount is at least 10 and less than 90.",
        ),
        (
            {"deny close_ticket the time is between 18:00 and 08:00"},
            "do not use the tool close_ticket of the server desk if the time is between 18:00 and 08:00",
        ),
        (
            {"deny pay_bill the total amount of such calls in any 24 hours > 99"},
            "Never use the tool pay_bill of desk if the total of amount of such calls in any 24 hours is more than 99.",
        ),
        (
            {
                (
                    "deny close_ticket create_ticket was called before with the same ticket_id (as title) "
                    "close_ticket or suspend_line was called before"
                )
            },
            (
                "Never use the tool close_ticket of desk if the tool create_ticket was called before with the same "
                "ticket_id as title and one of the tools close_ticket and suspend_line was called before."
            ),
        ),
        (
            {"deny close_ticket unless create_ticket (queue is network) was called before in the last 24 hours"},
            (
                "Never use the tool close_ticket of desk unless the tool create_ticket was called before in the last "
                '24 hours and (queue is "network").'
            ),
        ),
    ],
)
def test_an_exact_sentence_means_what_it_says(wanted: set[str], text: str):
    assert wanted == rules_of(text, DESK)


def test_an_exception_of_a_permission_still_asks_where_another_sentence_asks():
    text = (
        "Allow using the tool pay_bill of desk. "
        "Do not allow using the tool pay_bill of desk if amount is more than 100. "
        "Ask before using the tool pay_bill of desk if amount is more than 100."
    )
    made = compile_clauses(text, DESK)
    policy = replace(DESK, rules=made.rules)

    def decided(amount: int) -> str:
        given: Any = {"bill_id": "b1", "category": "rent", "amount": amount}
        return evaluate(
            policy, ToolCall(server="desk", tool="pay_bill", arguments=given), surroundings=LEXICAL
        ).decision

    assert ({}, "allow", "escalate") == (made.refused, decided(100), decided(101))


def test_spaces_in_a_value_are_kept():
    (rule,) = compile_clauses('Never use the tool pay_bill of desk\n  if bill_id is "a  b".', DESK).rules
    assert ("a  b",) == rule.when.where[0].among


def test_a_sentence_about_another_server_is_left_to_that():
    made = compile_clauses(
        'Never use the tool send_email of gmail if subject is "x".', DEPOT, elsewhere=["gmail"], lenient=True
    )
    assert ({}, ()) == (made.refused, made.rules)


def test_texts_may_have_the_quotes_of_a_word_processor():
    wanted = {"deny pay_bill category is rent or water"}
    assert wanted == rules_of('Never use the tool pay_bill of desk if category is "rent" or "water".', DESK)
    for text in ("\u201crent\u201d or \u201cwater\u201d", "\u201erent\u201c or \u201ewater\u201c"):
        assert wanted == rules_of(f"Never use the tool pay_bill of desk if category is {text}.", DESK)


def test_typographic_quotes_within_a_text_belong_to_it():
    rule = next(iter(rules_of('Never use the tool pay_bill of desk if bill_id is "a \u201cb\u201d c".', DESK)))
    assert "a \u201cb\u201d c" in rule


# --- what is wrong in one is named ---


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("'desk' has no tool 'pay_bil'", 'Never use the tool pay_bil of desk if category is "rent".'),
        (
            "there is no server 'dask'; known servers: desk",
            'Never use the tool pay_bill of dask if category is "rent".',
        ),
        (
            "'pay_bill' has no argument 'sum'; it has bill_id",
            "Never use the tool pay_bill of desk if sum is more than 5.",
        ),
        ("expected a text in double quotes", "Never use the tool pay_bill of desk if category is rent."),
        ("expected 'is'", 'Never use the tool pay_bill of desk if category equals "rent".'),
        (
            "at 'or': expected 'and'",
            "Never use the tool pay_bill of desk if amount is more than 5 or bill_id is given.",
        ),
        ("a quote is not closed", 'Never use the tool pay_bill of desk if category is "rent.'),
        ("put texts in double quotes", "Never use the tool pay_bill of desk if category is \u201crent."),
        ('double quotes ("...")', "Never use the tool pay_bill of desk if category is \u2018rent\u2019."),
        ("expected 'is'", "Never use the tool pay_bill of desk if amount is at least 7 and at least 5."),
        (
            "no argument of 'pay_bill' has the role",
            'Never use the tool pay_bill of desk if any write-path is like "*".',
        ),
        (
            '\'category\' of \'pay_bill\' is never "Rent"; its values are "power", "rent", "water"',
            'Never use the tool pay_bill of desk if category is "Rent".',
        ),
        ("another type", 'Never use the tool pay_bill of desk if amount is "500".'),
        ("another type", "Never use the tool pay_bill of desk if bill_id is 500."),
        ("a thousand as 1000", "Never use the tool pay_bill of desk if amount is more than 1.000."),
        ("a thousand as 1000", "Never use the tool pay_bill of desk if amount is Infinity."),
        (
            "'after' names 'nope', which is no tool of 'desk'",
            "Allow using the tool pay_bill of desk unless the tool nope was called before.",
        ),
        (
            "the earlier tool 'close_ticket' has no argument 'x'",
            "Never use the tool pay_bill of desk if the tool close_ticket was called before with the same amount as x.",
        ),
        (
            "an argument is compared twice",
            (
                "Never use the tool pay_bill of desk unless the tool issue_credit was called before with the same "
                "bill_id as customer_id and bill_id as amount."
            ),
        ),
        (
            "expected 'the tool' or 'one of the tools'",
            "Never use the tool pay_bill of desk unless the tools close_ticket and suspend_line was called before.",
        ),
        ("expected a text in double quotes", f"Never use the tool pay_bill of desk if amount is {'9' * 5000}."),
        ("no day 'friday'", "Never use the tool pay_bill of desk if the time is on friday."),
        (
            "a test with 'is' needs 'arg'",
            "Never use the tool pay_bill of desk if any email-address is given.",
        ),
        (
            "less strict with every call",
            "Never use the tool pay_bill of desk if the number of such calls in any 24 hours is at most 3.",
        ),
        (
            "has no argument 'node'",
            "Never use the tool pay_bill of desk unless the tool close_ticket was called before with the same node.",
        ),
    ],
)
def test_an_error_in_an_exact_sentence_is_named(why: str, text: str):
    ((_, found),) = compile_clauses(text, DESK).refused.items()
    assert why in found


@pytest.mark.parametrize("frame", [CALENDARS, CHAT, DEPOT, DESK, MAIL])
def test_an_exact_sentence_of_each_tool_is_read(frame: Any):
    for (server, name), tool in frame.tools.items():
        for arg in tool.args:
            text = f"Never use the tool {name} of {server} if {arg} is given."
            assert {f"deny {name} {arg} is given"} == rules_of(text, frame)

"""What code comes to, the same in every engine."""

from __future__ import annotations

import textwrap
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from retouch.sandbox import Limits, open_sandbox
from tests.sandbox.conftest import LIMITS

if TYPE_CHECKING:
    from collections.abc import Generator

    from retouch.sandbox import Box, Failure, SandboxResult


def called(box: Box, body: str, argument: str = "2021/a.csv") -> SandboxResult:
    (outcome,) = box.run(extracting(body), arguments=[argument])
    return outcome


def extracting(body: str) -> str:
    return "def extract(path):\n" + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")


def failed(box: Box, code: str) -> Failure:
    first, second = box.run(code, arguments=["a", "b"])
    assert first.error is not None
    assert second.error is not None
    assert first.error.kind == second.error.kind
    return first.error


def test_a_function_is_called_for_each_argument_in_their_order(box: Box):
    outcomes = box.run(extracting("return {'path': path}"), arguments=[f"{number}" for number in range(3000)])
    assert [{"path": f"{number}"} for number in range(3000)] == [outcome.value for outcome in outcomes]


def test_no_arguments_come_to_no_outcomes(box: Box):
    assert [] == box.run("this is never looked at", arguments=[])


def test_another_function_can_be_named(box: Box):
    assert 7 == box.run("def weigh(x):\n    return len(x)", function="weigh", arguments=["seven.."])[0].value


@pytest.mark.parametrize("name", ["", "a b", "x()", "lambda", "\uff45xtract", "a;b"])
def test_what_is_no_name_is_never_called(box: Box, name: str):
    with pytest.raises(ValueError, match="is not a valid function name"):
        box.run("def extract(path): pass", function=name, arguments=["a"])


VALUES: list[tuple[str, object]] = [
    ("return None", None),
    ("return (1, 2.5, True, 'é', [])", [1, 2.5, True, "é", []]),
    ("return {1: 'a'}", {"1": "a"}),
    ("return 2 ** 80", 2**80),
    ("import re\nreturn re.match(r'(?P<year>\\d+)/', path).groupdict()", {"year": "2021"}),
    (
        "from datetime import datetime\nreturn datetime.strptime('3 Jan 2021', '%d %b %Y').isoformat()",
        "2021-01-03T00:00:00",
    ),
    ("from pathlib import Path\nreturn Path(path).stem", "a"),
]


@pytest.mark.parametrize(("body", "value"), VALUES)
def test_values_arrive_as_plain_json(box: Box, body: str, value: object):
    outcome = called(box, body)
    assert outcome.error is None
    assert value == outcome.value


def test_an_error_of_the_code_has_its_name_and_its_line(box: Box):
    outcomes = box.run("def extract(path):\n    x = path\n    return 1 / len(x)\n", arguments=["ab", "", "b"])
    assert [0.5, None, 1.0] == [outcome.value for outcome in outcomes]
    error = outcomes[1].error
    assert error is not None
    assert ("runtime", "ZeroDivisionError: division by zero", 3) == (error.kind, error.message, error.line)


@contextmanager
def limited(box: Box, kind: str) -> Generator[Box]:
    """Yield `box`, or for a time-out one of its engine with so little time that the test is short."""
    if kind != "timeout":
        yield box
        return
    with open_sandbox(engine=box.engine, limits=replace(LIMITS, call_s=0.4)) as found:
        yield found


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("syntax", "def extract(path:\n    pass"),
        ("missing_function", "def other(path):\n    return 1"),
        ("runtime", "x = {}['a']\ndef extract(path):\n    return 1"),
        ("timeout", "while True:\n    pass\ndef extract(path):\n    return 1"),
        ("unsupported", "import asyncio.subprocess\ndef extract(path):\n    return 1"),
    ],
)
def test_what_is_wrong_with_the_whole_code_stands_on_every_outcome(box: Box, kind: str, code: str):
    with limited(box, kind) as found:
        assert kind == failed(found, code).kind


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("timeout", "while True:\n    pass"),
        ("memory", "return len('x' * 10**10)"),
        ("not_serializable", "import datetime\nreturn datetime.date(2021, 1, 3)"),
        ("not_serializable", "return {1, 2}"),
        ("not_serializable", "return float('nan')"),
        ("not_serializable", "return {1: 'a', '1': 'b'}"),
        ("output_too_large", "return 'x' * 10_001"),
        ("output_too_large", "return [[[[[[[[['x']]]]]]]]]"),
        ("runtime", "return path.nothing"),
        ("runtime", "return open('/etc/passwd').read()"),
    ],
)
def test_every_way_to_fail_has_its_kind(box: Box, kind: str, body: str):
    with limited(box, kind) as found:
        error = called(found, body).error
    assert error is not None
    assert kind == error.kind
    assert error.message


@pytest.mark.slow
def test_a_call_that_hangs_or_grows_costs_the_others_nothing(box: Box):
    body = """
        if path == '7':
            while True:
                pass
        if path == '11':
            return len('x' * 10**10)
        return path
        """
    with open_sandbox(engine=box.engine, limits=replace(LIMITS, call_s=8.0)) as found:
        outcomes = found.run(extracting(body), arguments=[str(number) for number in range(300)])
    errors = {number: outcome.error.kind for number, outcome in enumerate(outcomes) if outcome.error}
    assert {7: "timeout", 11: "memory"} == errors
    assert [str(number) for number in range(300) if number not in errors] == [
        outcome.value for outcome in outcomes if outcome.error is None
    ]


def test_a_whole_run_ends_in_time_and_says_what_was_not_run(box: Box):
    with open_sandbox(engine=box.engine, limits=Limits(call_s=0.25, batch_s=0.7)) as short:
        outcomes = short.run(extracting("while True:\n    pass"), arguments=[str(number) for number in range(1000)])
    kinds = {outcome.error.kind for outcome in outcomes if outcome.error}
    assert {"timeout"} == kinds
    last = outcomes[-1].error
    assert last is not None
    assert last.message.startswith("not run: ")


def test_what_is_printed_is_kept_up_to_its_limit_and_cleaned(box: Box):
    box.run(extracting("print('\\x1b[31mred\\x07', path)\nreturn 1"), arguments=["a", "b"])
    assert "red a\nred b" == box.printed
    called(box, "print('x' * 5000)")
    assert "x" * 1000 == box.printed
    called(box, "return 1")
    assert "" == box.printed


def test_messages_are_one_line_of_bounded_length(box: Box):
    error = called(box, "raise ValueError('a\\nb' + 'x' * 100_000)").error
    assert error is not None
    assert error.message.startswith("ValueError: a b")
    assert 300 == len(error.message)


def test_runs_know_nothing_of_each_other(box: Box):
    code = "seen = []\ndef extract(path):\n    seen.append(path)\n    return len(seen)"
    assert [1, 1] == [box.run(code, arguments=["a"])[0].value for _ in range(2)]

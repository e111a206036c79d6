"""What comes out of a sandbox is read as an attacker's words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.sandbox import Limits
from retouch.sandbox.answers import plain_line, plain_text, read_answer, read_failure

LIMITS = Limits(output_bytes=2000, depth=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60)
@given(VALUES)
def test_what_json_can_say_arrives_unchanged(value: object):
    limits = Limits(output_bytes=100_000, depth=64)
    assert value == read_answer(json.dumps(value), limits).value
    assert value == read_answer(json.dumps(value).encode(), limits).value


@settings(max_examples=60)
@given(st.binary(max_size=60) | st.text(alphabet='[]{}":,\\u0d819eE-+.', max_size=40).map(str.encode))
def test_whatever_arrives_there_is_a_value_or_a_reason(raw: bytes):
    outcome = read_answer(raw, LIMITS)
    assert outcome.error is None or outcome.error.kind in {"not_serializable", "output_too_large"}
    json.dumps(outcome.value, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("raw", "kind", "said"),
    [
        (b"NaN", "not_serializable", "NaN"),
        (b"[-Infinity]", "not_serializable", "-Infinity"),
        (b"1e999", "not_serializable", "1e999"),
        (b"1" * 1999, "", ""),
        (b'"' + b"x" * 1999 + b'"', "output_too_large", "2,000 bytes"),
        (b'{"a": 1, "a": 2}', "not_serializable", "duplicate key: 'a'"),
        (b'{"x": [{"b": 1, "b": 1}]}', "not_serializable", "duplicate key: 'b'"),
        (b"[[[[1]]]]", "", ""),
        (b"[[[[[1]]]]]", "output_too_large", "4 levels"),
        (b'{"a":{"a":{"a":{"a":{"a":1}}}}}', "output_too_large", "4 levels"),
        (b"[" * 1999, "output_too_large", "4 levels"),
        (b'"\\ud800"', "not_serializable", "surrogate"),
        (b'{"\\udfff": 1}', "not_serializable", "surrogate"),
        (b'"\\ud83d\\ude00"', "", ""),
        (b"\xff\xfe[\x00]\x00", "not_serializable", "is not JSON"),
        (b"", "not_serializable", "is not JSON"),
        (b"1 2", "not_serializable", "is not JSON"),
    ],
)
def test_answers_that_would_hurt_later_are_refused(raw: bytes, kind: str, said: str):
    error = read_answer(raw, LIMITS).error
    assert kind == (error.kind if error else "")
    assert said in (error.message if error else "")


def test_more_levels_than_python_can_read_are_refused_although_the_limit_allows_them():
    limits = Limits(depth=1_000_000)
    error = read_answer("[" * 200_000 + "]" * 200_000, limits).error
    assert "output_too_large" == (error.kind if error else "")


def test_a_number_with_too_many_digits_is_refused():
    error = read_answer(b"1" * 5000, Limits()).error
    assert error is not None
    assert "not_serializable" == error.kind


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x9b31mred", "red"),
        ("\x1bcreset", "reset"),
        ("a\nb\tc\rd", "a b c d"),
        ("\u202egnp.exe", "gnp.exe"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("\x00\x07\x7f", ""),
        ("é漢😀", "é漢😀"),
        ("\ud800", ""),
        ("a\x1b[", "a"),
    ],
)
def test_messages_cannot_steer_a_terminal(raw: str, clean: str):
    assert clean == plain_line(raw)


@settings(max_examples=80)
@given(st.text(st.characters(codec=None), max_size=400))
def test_every_message_is_one_printable_line(raw: str):
    line = plain_line("\x1b" + raw)
    assert line.isprintable()
    assert len(line) <= 300


def test_printed_text_keeps_its_lines():
    assert "a\nb c\n�" == plain_text(b"a\n\x1b[2Jb\tc\n\xff\x1b]0;x")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b"\xff",
        b"[" * 100_000,
        b'{"kind": "owned", "message": "x"}',
        b'{"kind": "timeout", "message": "x"}',
        b'{"kind": "runtime"}',
        b'{"kind": ["runtime"], "message": "x"}',
        b'{"kind": "runtime", "message": 1}',
    ],
)
def test_a_failure_that_is_none_is_a_crash(raw: bytes):
    assert "crashed" == read_failure(raw).kind


def test_a_failure_says_what_it_may_and_no_more():
    told = {"kind": "runtime", "message": "\x1b[31mx", "line": 10**30, "feature": ["a"], "more": 1}
    found = read_failure(json.dumps(told).encode())
    assert ("runtime", "x", None, None) == (found.kind, found.message, found.line, found.feature)
    assert 3 == read_failure(b'{"kind": "syntax", "message": "x", "line": 3}').line

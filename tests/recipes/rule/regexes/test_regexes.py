"""Regular expressions: which are accepted, what they find, and that none can hang."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.regexes.cost import longest_safe
from retouch.recipes.rule.regexes.linear import linear_search
from retouch.recipes.rule.regexes.parsing import parse_regex
from retouch.recipes.rule.regexes.search import regex_find

FINDS = [
    ("b", "abc", "b"),
    ("a(b)c", "abc", "b"),
    ("(a)(b)", "ab", "a"),
    ("(?:a)(b)", "ab", "b"),
    ("(a)?b", "b", None),
    ("()b", "b", ""),
    ("^a$", "a\n", None),
    ("(?m)^b$", "a\nb\nc", "b"),
    ("a.c", "a\nc", None),
    ("(?s)a.c", "a\nc", "a\nc"),
    (r"\d+", "x42", "42"),
    (r"\d", "\u0663", None),
    (r"\w+", "été_1", "t"),
    (r"\bé", " é", None),
    ("(?i)ABC", "xabcx", "abc"),
    ("a(?i:B)C", "abC", "abC"),
    ("(?i)[^a]", "Ab", "b"),
    ("(?i)a(?-i)b", "AB", None),
    ("(?U)a+", "aaa", "a"),
    ("a+?", "aaa", "a"),
    ("a{2}", "aaa", "aa"),
    ("a{2,}?", "aaa", "aa"),
    ("a{,x", "a{,x", "a{,x"),
    ("a{1,2", "a{1,2", "a{1,2"),
    ("[]a]+", "a]", "a]"),
    ("[^]a]", "]b", "b"),
    ("[a-]+", "-a", "-a"),
    (r"[\d-]+", "1-2", "1-2"),
    ("[[:alpha:]]+", "1ab2", "ab"),
    ("[[:^digit:]]", "1a", "a"),
    (r"\x41\x{1F600}", "A\U0001f600", "A\U0001f600"),
    (r"(?P<id>\d)", "7", "7"),
    (r"(?<id>\d)", "7", "7"),
    (r"\z", "x", ""),
    ("a|b|", "c", ""),
    (r"\.\-\/", ".-/", ".-/"),
    (r"\s", "\v", None),
]


@pytest.mark.parametrize(("pattern", "text", "found"), FINDS)
def test_a_pattern_finds_its_first_group_or_the_whole_match(pattern: str, text: str, found: str | None):
    assert found == regex_find(pattern)(text)
    assert found == by_lines(pattern, text)


def by_lines(pattern: str, text: str) -> str | None:
    """Find with the linear engine alone."""
    regex = parse_regex(pattern)
    spans = linear_search(regex.tree)(text)
    span = spans and spans[min(regex.groups, 1)]
    return text[span[0] : span[1]] if span else None


@pytest.mark.parametrize(
    ("pattern", "code", "position"),
    [
        ("a(?=b)", "UNSUPPORTED_REGEX", 1),
        ("(?!b)", "UNSUPPORTED_REGEX", 0),
        ("(?<=b)", "UNSUPPORTED_REGEX", 0),
        ("(?<!b)", "UNSUPPORTED_REGEX", 0),
        (r"(a)\1", "UNSUPPORTED_REGEX", 3),
        ("(?P<x>a)(?P=x)", "UNSUPPORTED_REGEX", 8),
        ("(?>a)", "UNSUPPORTED_REGEX", 0),
        ("a++", "UNSUPPORTED_REGEX", 2),
        ("(a)(?(1)b)", "UNSUPPORTED_REGEX", 3),
        ("(?#x)", "UNSUPPORTED_REGEX", 0),
        ("(?x)a b", "UNSUPPORTED_REGEX", 0),
        (r"a\Z", "UNSUPPORTED_REGEX", 1),
        (r"\pL", "UNSUPPORTED_REGEX", 0),
        (r"\Qa\E", "UNSUPPORTED_REGEX", 0),
        ("a(b", "INVALID_REGEX", 1),
        ("a)b", "INVALID_REGEX", 1),
        ("*a", "INVALID_REGEX", 0),
        ("a**", "INVALID_REGEX", 2),
        ("^*", "INVALID_REGEX", 0),
        ("[a", "INVALID_REGEX", 0),
        ("[b-a]", "INVALID_REGEX", 1),
        (r"[a-\d]", "INVALID_REGEX", 3),
        ("[[:nix:]]", "INVALID_REGEX", 1),
        ("a\\", "INVALID_REGEX", 1),
        (r"\y", "INVALID_REGEX", 0),
        ("a{2,1}", "INVALID_REGEX", 1),
        ("a{1001}", "INVALID_REGEX", 1),
        ("(?:a{100}){100}", "INVALID_REGEX", 0),
        ("a{,3}", "INVALID_REGEX", 1),
        ("(?P<x>a)(?P<x>b)", "INVALID_REGEX", 8),
        ("(?)", "INVALID_REGEX", 0),
        (r"\x{110000}", "INVALID_REGEX", 0),
        ("\x08", "INVALID_REGEX", 0),
        ("(" * 200 + ")" * 200, "INVALID_REGEX", 100),
        ("a" * 2_001, "INVALID_REGEX", 0),
        ("(?:[a-z]?){900}" * 10, "INVALID_REGEX", 0),
    ],
)
def test_what_is_outside_of_the_subset_is_refused_at_its_place(pattern: str, code: str, position: int):
    with pytest.raises(PartError) as caught:
        regex_find(pattern)
    assert (code, position) == (caught.value.code, caught.value.position)


MARKS = ["a", "b", "A", "(", "(?:", ")", "|", "*", "+", "?", "*?", "{2}", "{1,2}", ".", "[ab]", "[^a]", "\\d", "\\w"]
PIECES = [
    *MARKS,
    "^",
    "$",
    "\\b",
    "(?i)",
    "\\.",
    "-",
    "1",
    "[[:alpha:]]",
    "(?=",
    "\\1",
    "]",
    "(?P<x>",
    "\\s",
    "(?s)",
    "(?m)",
]
patterns = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join)
texts = st.text("abA1-.\n _", max_size=9)


@settings(max_examples=400, deadline=None)
@given(patterns, texts)
def test_both_engines_find_the_same(pattern: str, text: str):
    try:
        find = regex_find(pattern)
    except PartError:
        return
    assume(not repeats_nothing(pattern))
    assert find(text) == by_lines(pattern, text)


@settings(max_examples=400, deadline=None)
@given(patterns, texts)
def test_re2_agrees_on_what_is_valid_and_what_is_found(pattern: str, text: str):
    re2: Any = pytest.importorskip("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        find = regex_find(pattern)
    except PartError:
        return
    found = re2.compile(pattern, options).search(text)
    assume(not repeats_nothing(pattern))
    assert find(text) == (found and found.group(min(found.re.groups, 1)))


def repeats_nothing(pattern: str) -> bool:
    """Return whether a group can be repeated with an empty match, whose capture differs between engines."""
    return any(f"){mark}" in pattern for mark in "*+?{")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a+)+$", "a" * 3_000 + "b"),
        ("^(a|a)*$", "a" * 3_000 + "b"),
        ("(.*)(.*)(.*)(.*)(.*)x", "a" * 1_000),
        ("(?:a?){40}a{40}$", "a" * 40 + "b"),
        ("(x+x+)+y", "x" * 2_000),
        ("(?i)(k|K)*$", "k" * 2_000 + "!"),
    ],
)
def test_no_pattern_hangs(pattern: str, text: str):
    find = regex_find(pattern)
    started = time.process_time()
    find(text)
    assert time.process_time() - started < 5


def test_usual_patterns_are_searched_by_the_fast_engine():
    for pattern in (
        "^client_(.+)$",
        r"^([^_]+)_([^_]+)_",
        r"_task-([^_]+)",
        r"^(.+?)\.json",
        r"--([0-9a-f-]{36})\.json$",
    ):
        assert longest_safe(parse_regex(pattern).tree) >= 255
    assert 0 == longest_safe(parse_regex("(a+)+$").tree)

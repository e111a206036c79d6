"""Globs: which paths they match, which globs are refused, and that no glob can hang."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.recipes.rule.errors import PartError
from retouch.recipes.rule.globs.matching import glob_test
from retouch.recipes.rule.globs.overlap import common_path
from retouch.recipes.rule.globs.parsing import Glob, escaped, parse_glob

FITS = [
    ("*.csv", "a.csv"),
    ("*.csv", ".csv"),
    ("**/*.csv", "a.csv"),
    ("**/*.csv", "a/b/.c.csv"),
    ("a/**", "a/b"),
    ("a/**", "a/b/c"),
    ("a/**/b", "a/b"),
    ("a/**/b", "a/x/y/b"),
    ("**", ".hidden/x"),
    ("**/**/x", "x"),
    ("a/***", "a/b"),
    ("?", "\n"),
    ("[ab]x", "bx"),
    ("[!ab]x", "cx"),
    ("[^ab]x", "cx"),
    ("[]a]", "]"),
    ("[!]]", "a"),
    ("[a-]", "-"),
    ("[\\]]", "]"),
    ("[.-0]", "."),
    ("\\*", "*"),
    ("\\[a\\]", "[a]"),
    ("{a,b}/c", "b/c"),
    ("{a/b,c}/x", "a/b/x"),
    ("x.json{,.gz}", "x.json"),
    ("x.json{,.gz}", "x.json.gz"),
    ("{{a,b},c}d", "bd"),
    ("{a\\,b,c}", "a,b"),
    ("a,b}", "a,b}"),
    ("./a//b", "a/b"),
    ("*a*b*c", "xaxbabc"),
    ("*a*b*", "abxa"),
    ("**/a/**/b/**", "a/b/x/a"),
    ("é*", "été"),
]
FITS_NOT = [
    ("*.csv", "a/b.csv"),
    ("a/*/b", "a/b"),
    ("a/*/b", "a/x/y/b"),
    ("a/**", "a"),
    ("a**b", "a/b"),
    ("?", "/"),
    ("a?b", "a/b"),
    ("a[/]b", "a/b"),
    ("a[!x]b", "a/b"),
    ("a[.-0]b", "a/b"),
    ("*.CSV", "a.csv"),
    ("*.csv", "a.csv\n"),
    ("[a-c]", "d"),
    ("*a", "b"),
    ("**/a", "ba"),
]


def fits(glob: str, path: str) -> bool:
    return glob_test(parse_glob(glob))(path, f"/{path}")


@pytest.mark.parametrize(("glob", "path"), [pair for pair in FITS if pair[0] != "a[/]b"])
def test_a_glob_matches_the_paths_that_it_describes(glob: str, path: str):
    assert fits(glob, path)


@pytest.mark.parametrize(("glob", "path"), [pair for pair in FITS_NOT if pair[0] != "a[/]b"])
def test_a_glob_fits_nothing_else(glob: str, path: str):
    assert not fits(glob, path)


def test_a_leading_slash_means_the_absolute_path():
    test = glob_test(parse_glob("/data/*.csv"))
    assert test("x.csv", "/data/x.csv")
    assert not test("data/x.csv", "/srv/data/x.csv")
    assert glob_test(parse_glob("{/a,b}/c"))("b/c", "/z/b/c")


def test_a_path_outside_of_the_root_is_matched_by_absolute_globs_only():
    assert not glob_test(parse_glob("**"))(None, "/a/b")
    assert glob_test(parse_glob("/**"))(None, "/a/b")


@pytest.mark.parametrize(
    ("glob", "position", "hint"),
    [
        ("", 0, "**"),
        ("/", 0, "**"),
        ("data/", 4, "data/**"),
        ("a/[bc", 2, "\\["),
        ("a[/]b", 1, "\\["),
        ("a{b,c", 1, "\\{"),
        ("a/{year}/b", 2, "*"),
        ("a{1..3}", 1, "[1-3]"),
        ("[z-a]", 0, "a-z"),
        ("[[:alpha:]]", 0, "A-Za-z"),
        ("a\\", 1, "\\\\"),
        ("{a,b}" * 10, 0, ""),
        ("{" * 1_500, 32, ""),
        ("a" * 2_001, 0, ""),
    ],
)
def test_what_is_no_glob_is_refused_at_its_place_with_the_next_step(glob: str, position: int, hint: str):
    with pytest.raises(PartError) as caught:
        parse_glob(glob)
    assert "INVALID_GLOB" == caught.value.code
    assert hint in caught.value.hint
    assert position == caught.value.position


def test_what_is_seldom_meant_is_doubted():
    assert ["GLOB_AT_TOP_ONLY"] == [one.code for one in parse_glob("*.csv").warnings]
    assert "'**/*.csv'" in parse_glob("*.csv").warnings[0].hint
    assert ["GLOB_STARS"] == [one.code for one in parse_glob("a/b**c").warnings]
    assert () == parse_glob("a/**/c").warnings


PIECES = ["a", "b", "*", "**/", "/", "?", "[ab]", "[!a]", "{a,b}", "{a/b,}", "-", "."]
globs = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
paths = st.lists(st.text("ab.-", min_size=1, max_size=3).filter(lambda one: one != "."), min_size=1, max_size=4).map(
    "/".join
)


def parsed(text: str) -> Glob | None:
    try:
        return parse_glob(text)
    except PartError:
        return None


def slowly_fits(segments: list[Any], parts: list[str]) -> bool:
    """Return whether parsed segments match the parts of a path, by trying everything."""
    if not segments:
        return not parts
    if segments[0].tokens is None:
        if len(segments) == 1:
            return bool(parts)
        return any(slowly_fits(segments[1:], parts[at:]) for at in range(len(parts) + 1))
    return bool(parts) and slowly_inside(segments[0].tokens, parts[0]) and slowly_fits(segments[1:], parts[1:])


def slowly_inside(tokens: Any, text: str) -> bool:
    if not tokens:
        return not text
    if tokens[0] == "*":
        return any(slowly_inside(tokens[1:], text[at:]) for at in range(len(text) + 1))
    return bool(text) and tokens[0].matches(text[0]) and slowly_inside(tokens[1:], text[1:])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(globs, paths)
@example("/**", "a")
def test_matching_without_going_back_finds_what_trying_everything_finds(text: str, path: str):
    glob = parsed(text)
    if glob is not None:
        elsewhere = "nowhere/at/all\0"
        expected = any(
            slowly_fits(list(one.segments), (elsewhere if one.absolute else path).split("/"))
            for one in glob.alternatives
        )
        assert expected == glob_test(glob)(path, f"/{elsewhere}")


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(globs, paths)
def test_wcmatch_agrees_with_our_globs(text: str, path: str):
    wcmatch: Any = pytest.importorskip("wcmatch.glob")
    glob = parsed(text)
    if glob is None or text.startswith(("/", "{a/b,}/")) or "." in text or {".", ".."} & set(path.split("/")):
        return  # a glob with a leading '/' is matched with another path; the oracle has no names '.' and '..'
    flags = wcmatch.GLOBSTAR | wcmatch.BRACE | wcmatch.DOTGLOB | wcmatch.FORCEUNIX | wcmatch.CASE
    assert wcmatch.globmatch(path, text, flags=flags) == glob_test(glob)(path, "\0")


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1))
def test_an_escaped_text_fits_itself(text: str):
    if text != ".":
        assert fits(escaped(text), text)


@settings(max_examples=200, deadline=None)
@given(globs, globs)
def test_two_globs_overlap_when_a_path_shows_it(one: str, other: str):
    first, second = parsed(one), parsed(other)
    if first is None or second is None:
        return
    both = glob_test(first), glob_test(second)
    common = common_path(first, second)
    if common is not None:
        assert all(test(common, f"/{common}") for test in both)
    else:
        words = ("a", "b", "ab", "-", ".a")
        tried = ("/".join(parts) for depth in (1, 2, 3) for parts in itertools.product(words, repeat=depth))
        assert [] == [path for path in tried if all(test(path, f"/{path}") for test in both)]


@pytest.mark.parametrize(
    ("glob", "path"),
    [
        ("*a" * 30 + "*b", "a" * 4_000),
        ("**/a*/" * 12 + "c", "a/" * 2_000 + "b"),
        ("?*" * 100 + "!", "a" * 4_000),
    ],
)
def test_no_glob_hangs(glob: str, path: str):
    test = glob_test(parse_glob(glob))
    started = time.process_time()
    assert not test(path, f"/{path}")
    assert time.process_time() - started < 1

"""Rules in texts of models and users: small automatic fixes are made and named, and written rules parse again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.rule import ExtractionRule, Field, InvalidRule, load_rule, read_text
from retouch.recipes.rule.globs.parsing import escaped, parse_glob
from retouch.recipes.rule.language.load import decoded
from retouch.recipes.rule.language.render import render_rule
from retouch.recipes.rule.language.values import NORMALIZERS

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "version: 1\nname: a\nglob: '**/x'\nextract:\n  f: {from: filename, pattern: '^(.)'}\n"


def wrong(text: str) -> list[tuple[str, int]]:
    """The errors of a text: code and line."""
    return [(one.code, one.line) for one in read_text(text).errors]


def one_field(entry: str) -> str:
    return f"name: a\nglob: x/y\nextract:\n  f:\n    from: filename\n    {entry}\n"


@pytest.mark.parametrize(
    ("text", "glob", "repaired"),
    [
        ("name: a\ntag: t\nglob: **/x/*.csv  # all", "**/x/*.csv", "quotes around a bare glob or pattern"),
        ("name: a\ntag: t\nglob: {a,b}/*", "{a,b}/*", "quotes around a bare glob or pattern"),
        ("name: a\ntag: t\nglob: {a,b}", "{a,b}", "quotes around a bare glob or pattern"),
        ("name: a\ntag: t\nglob: [ab]/x", "[ab]/x", "quotes around a bare glob or pattern"),
        ("name: a\ntag: t\nglob: it's: x/*", "it's: x/*", "quotes around a bare glob or pattern"),
        ("name: a\ntag: t\nglob: \u201ca/*\u201d", "a/*", "smart quotes"),
        ("name: a\n\ttag: t\nglob: a/x".replace("\n\t", "\n"), "a/x", ""),
        ("name: a\nextract:\n\tf:\n\t\tfrom: filename\nglob: a/x", "a/x", "tabs"),
        ("name: a\ntag: t\nglob: a/x\n---\n", "a/x", "document marker at the end"),
        ("```yaml\nname: a\ntag: t\nglob: a/x\n```", "a/x", "fence"),
        ("Draft:\n```\nname: z\n```\nFinal:\n```yml\nname: a\ntag: t\nglob: a/x\n```\nDone.", "a/x", "fence"),
        ("<think>\n```\nx\n```\n</think>\n```yaml\nname: a\ntag: t\nglob: a/x\n```", "a/x", "fence"),
        ("Sure! Here it is\nname: a\ntag: t\nglob: a/x\n\nIt takes all.\n", "a/x", "prose"),
        ("\ufeffname: a\ntag: t\nglob: a/x", "a/x", ""),
    ],
)
def test_what_needs_no_thought_is_repaired_and_named(text: str, glob: str, repaired: str):
    rule = load_rule(text)
    assert glob == rule.glob.text
    assert ((repaired,) if repaired else ()) == rule.repaired


def test_backslashes_in_double_quotes_are_taken_as_they_are_when_yaml_knows_one_of_them_not():
    (field,) = load_rule(one_field(r'pattern: "^(\d+)\.\"x\b"')).fields
    assert r'^(\d+)\."x\b' == field.pattern
    assert [("YAML_SYNTAX_ERROR", 6)] == wrong(one_field(r'pattern: "\\d\."'))


@pytest.mark.parametrize(
    "text", [GOOD, "name: a\ntag: t\nglob: '**/x'\n", one_field("pattern: -M(\\d)"), "---\n" + GOOD]
)
def test_what_can_be_read_is_not_repaired(text: str):
    assert () == load_rule(text).repaired


def test_places_point_into_the_text_that_came():
    text = "Here:\n\n```yaml\nname: a\ntag: t\nglob: **/[x\n```\n"
    (problem,) = read_text(text).errors
    assert ("INVALID_GLOB", 6) == (problem.code, problem.line)
    assert "   6 | glob: **/[x" in problem.snippet


def test_bytes_that_are_not_utf8_are_reported_with_their_place():
    with pytest.raises(InvalidRule) as caught:
        decoded(b"name: a\nglob: x\xff")
    (problem,) = caught.value.problems
    assert ("ENCODING_ERROR", 2, 8) == (problem.code, problem.line, problem.column)


names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
defaults = {
    "string": words,
    "integer": st.integers(),
    "date": st.dates().map(str),
    "uuid": st.uuids().map(str),
}


@st.composite
def fields(draw: st.DrawFn) -> Field:
    kind: Any = draw(st.sampled_from(sorted(defaults)))
    optional = draw(st.booleans())
    return Field(
        name=draw(names),
        source=draw(st.one_of(st.integers(-9, 9), st.sampled_from(["filename", "full_path", "rel_path"]))),
        pattern=draw(
            st.none() | st.sampled_from(["^a'(.*)$", "\\d+", '"', "#x: y", "a\\tb", "é\u2028", "-(x)", "[ab]"])
        ),
        type=kind,
        format=draw(st.none() | st.sampled_from(["%m-%d-%Y", "%Y'%j"])) if kind == "date" else None,
        normalize=draw(st.none() | st.sampled_from(NORMALIZERS)),
        optional=optional,
        default=draw(st.none() | defaults[kind]) if optional else None,
    )


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(
    names,
    words.map(escaped).filter(lambda one: one.strip("/.")).filter(lambda one: not one.endswith("/")),
    st.lists(fields(), max_size=4, unique_by=lambda one: one.name),
    st.none() | names,
    st.integers(0, 1_000),
)
def test_a_rule_that_is_written_reads_back_the_same(
    name: str, glob: str, parts: list[Field], tag: str | None, priority: int
):
    rule = ExtractionRule(name=name, glob=parse_glob(glob), fields=tuple(parts), tag=tag, priority=priority)
    read = load_rule(render_rule(rule))
    assert rule == read
    assert () == read.repaired


def test_names_that_yaml_takes_for_values_are_quoted():
    rule = ExtractionRule(name="null", glob=parse_glob("a/b"), fields=(Field(name="false", source=-1),), tag="true")
    assert rule == load_rule(render_rule(rule))


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=80), st.text("name:glb-*'\"{}[]|>&!#\n\t `x", max_size=60)))
def test_no_text_breaks_the_reader(text: str):
    reading = read_text(text)
    assert bool(reading.rules) != bool(reading.errors)
    assert all(1 <= one.line and 1 <= one.column and one.message for one in reading.problems)


def test_the_rules_of_all_corpora_are_read_without_an_error(shared_data: Path):
    yaml: Any = pytest.importorskip("yaml")
    files = sorted((shared_data / "paths").glob("*.yaml"))
    assert files
    for file in files:
        rule = load_rule(yaml.safe_dump(yaml.safe_load(file.read_text(encoding="utf-8"))["rule"]))
        assert rule == load_rule(render_rule(rule))

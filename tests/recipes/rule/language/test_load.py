"""Rules are read from text: every error is reported at once with its place, without YAML's traps."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.engine.types import Tier
from retouch.recipes.rule import Field, InvalidRule, load_rule, load_rules, read_text

GOOD = """\
version: 1
name: mission_data
glob: "**/mission_*/????-??-??/*.csv"
extract:
  mission_id:
    from: segment(-3)
    pattern: ^mission_(\\d+)$
    type: integer
  date: {from: segment(-2), type: date, format: iso8601}
  kind:
    from: filename
    normalize: lowercase
    default: null
tag: mission_data
priority: 7
"""
BROKEN = """\
name: Client Reports
glob: "**/client_*/????/[Q/*.csv"
version: 1.0
extarct: {}
extract:
  client:
    from: folder(-4)
    pattern: "client_(.*"
    tpye: strng
  Year:
    from: segment(-3)
    type: int
    normalize: lower
  day:
    type: date
    format: '%m-%d'
  x: filename
priority: 2000
tag: Client-X
"""


def wrong(text: str) -> list[tuple[str, int, int, str]]:
    """The errors of a text: code, line, column, path."""
    return [(one.code, one.line, one.column, one.path) for one in read_text(text).errors]


def test_a_rule_is_read_whole():
    rule = load_rule(GOOD)
    assert ("mission_data", "mission_data", 7) == (rule.name, rule.tag, rule.priority)
    assert (
        Field(name="mission_id", source=-3, pattern=r"^mission_(\d+)$", type="integer"),
        Field(name="date", source=-2, type="date"),
        Field(name="kind", source="filename", normalize="lowercase", optional=True),
    ) == rule.fields
    assert () == rule.repaired


def test_every_error_is_reported_at_once_with_its_place():
    assert [
        ("SCHEMA_VIOLATION", 1, 7, "name"),
        ("INVALID_GLOB", 2, 7, "glob"),
        ("SCHEMA_VIOLATION", 3, 10, "version"),
        ("UNKNOWN_KEY", 4, 1, "extarct"),
        ("SCHEMA_VIOLATION", 7, 11, "extract.client.from"),
        ("INVALID_REGEX", 8, 14, "extract.client.pattern"),
        ("UNKNOWN_KEY", 9, 5, "extract.client.tpye"),
        ("SCHEMA_VIOLATION", 10, 3, "extract.Year"),
        ("SCHEMA_VIOLATION", 12, 11, "extract.Year.type"),
        ("SCHEMA_VIOLATION", 13, 16, "extract.Year.normalize"),
        ("SCHEMA_VIOLATION", 14, 3, "extract.day"),
        ("SCHEMA_VIOLATION", 16, 14, "extract.day.format"),
        ("SCHEMA_VIOLATION", 17, 6, "extract.x"),
        ("SCHEMA_VIOLATION", 18, 11, "priority"),
        ("SCHEMA_VIOLATION", 19, 6, "tag"),
    ] == wrong(BROKEN)


def test_every_error_shows_the_correction():
    said = {one.path: one.suggestion for one in read_text(BROKEN).errors}
    assert "Write 'client_reports'." == said["name"]
    assert "Write 'extract'." == said["extarct"]
    assert "Write 'segment(-4)'." == said["extract.client.from"]
    assert "Write 'type'." == said["extract.client.tpye"]
    assert said["extract.Year.type"].startswith("Write 'integer'.")
    assert said["extract.Year.normalize"].startswith("Write 'lowercase'.")
    assert "segment(-1) (the file name)" in said["extract.day"]
    assert "Write 'x: {from: filename}'." == said["extract.x"]
    assert all(said.values())


def test_an_error_shows_its_line_between_its_neighbours_with_a_caret():
    (problem,) = read_text("name: a\ntag: t\nglob: 'a[b'\npriority: 1\n").errors
    assert "   2 | tag: t\n   3 | glob: 'a[b'\n     |         ^\n   4 | priority: 1" == problem.snippet


def test_loading_raises_all_that_is_wrong():
    with pytest.raises(InvalidRule) as caught:
        load_rule(BROKEN)
    assert 15 == len(caught.value.problems)
    assert "15 errors" in caught.value.message
    assert "line 7, column 11, extract.client.from: [SCHEMA_VIOLATION] 'folder(-4)'" in caught.value.message
    assert "Write 'segment(-4)'." in caught.value.hint


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "EMPTY_OUTPUT", 1),
        ("# nothing\n", "EMPTY_OUTPUT", 1),
        ("name: a\nname: b\nglob: x", "YAML_DUPLICATE_KEY", 2),
        ("name: a\nglob: x\n---\nname: b\nglob: y", "YAML_MULTIPLE_DOCUMENTS", 3),
        ("name: !!str a\nglob: x", "YAML_FORBIDDEN_TAG", 1),
        ("name: !!python/object:os.system a\nglob: x", "YAML_FORBIDDEN_TAG", 1),
        ("name: &a b\nglob: x", "YAML_TOO_LARGE", 1),
        ("a: " + "[" * 20 + "]" * 20, "YAML_TOO_LARGE", 1),
        ("a: " + "x" * 70_000, "YAML_TOO_LARGE", 1),
        ("name: a\nextract:\n  b\n    from: filename", "YAML_SYNTAX_ERROR", 4),
        ("name: 'a\n", "YAML_SYNTAX_ERROR", 2),
        ("? [a]\n: b", "YAML_SYNTAX_ERROR", 1),
        ("name: .nan", "YAML_SYNTAX_ERROR", 1),
        ("```yaml\nname: a\nglob: b", "OUTPUT_TRUNCATED", 1),
        ("```yaml\nname: a\n```\n```yaml\nname: b\n```", "AMBIGUOUS_OUTPUT", 1),
    ],
)
def test_invalid_yaml_is_reported_by_the_first_tier(text: str, code: str, line: int):
    first = read_text(text).errors[0]
    assert (code, Tier.SYNTAX, line) == (first.code, first.tier, first.line)


def test_all_yaml_errors_are_reported_at_once():
    codes = [one[0] for one in wrong("name: &x a\nname: b\ntag: !!str c\n---\nname: d")]
    assert ["YAML_TOO_LARGE", "YAML_DUPLICATE_KEY", "YAML_FORBIDDEN_TAG", "YAML_MULTIPLE_DOCUMENTS"] == codes


@pytest.mark.parametrize("text", ["- a", "42", "null", "just words"])
def test_what_is_no_mapping_is_no_rule(text: str):
    assert ["NOT_A_MAPPING"] == [one[0] for one in wrong(text)]


def test_a_missing_colon_is_named():
    (problem,) = read_text("name: a\nglob: b\nextract:\n  mission_id\n    from: filename\n").errors
    assert "Write 'mission_id:' in the line before." == problem.suggestion


def one_field(entry: str) -> str:
    return f"name: a\nglob: x/y\nextract:\n  f:\n    from: filename\n    {entry}\n"


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("default: 007", "BAD_DEFAULT"),
        ("default: true", "BAD_DEFAULT"),
        ("default: [a]", "BAD_DEFAULT"),
        ("type: integer\n    default: '7'", "BAD_DEFAULT"),
        ("type: integer\n    default: 7.0", "BAD_DEFAULT"),
        ("type: integer\n    default: true", "BAD_DEFAULT"),
        ("type: date\n    default: 2023-02-29", "BAD_DEFAULT"),
        ("type: uuid\n    default: 12", "BAD_DEFAULT"),
        ("pattern: 12", "SCHEMA_VIOLATION"),
        ("pattern: true", "SCHEMA_VIOLATION"),
        ("pattern:", "SCHEMA_VIOLATION"),
        ("pattern:\n      - a", "SCHEMA_VIOLATION"),
        ('pattern: "\\b"', "INVALID_REGEX"),
        ("pattern: (?=a)", "UNSUPPORTED_REGEX"),
        ("format: '%Y-%m-%d'", "SCHEMA_VIOLATION"),
        ("type: Date", "SCHEMA_VIOLATION"),
        ("capture: 2", "UNKNOWN_KEY"),
    ],
)
def test_an_entry_of_a_field_that_cannot_be_used_is_an_error(entry: str, code: str):
    assert [code] == [one[0] for one in wrong(one_field(entry))]


@pytest.mark.parametrize(
    ("entry", "default"),
    [
        ("default: no", "no"),
        ("default: 12:30:00", "12:30:00"),
        ("default: '007'", "007"),
        ("type: integer\n    default: 007", 7),
        ("type: date\n    default: 2024-01-15", "2024-01-15"),
        ("type: date\n    default: 20240115", None),
        ("type: uuid\n    default: 0DF05477C5724ED688A947C581F548F7", "0df05477-c572-4ed6-88a9-47c581f548f7"),
        ("default: ~", None),
    ],
)
def test_the_traps_of_older_yaml_are_closed(entry: str, default: Any):
    if default is None and "20240115" in entry:
        assert ["BAD_DEFAULT"] == [one[0] for one in wrong(one_field(entry))]
        return
    (field,) = load_rule(one_field(entry)).fields
    assert (True, default) == (field.optional, field.default)


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ("capture: 1", "UNKNOWN_KEY"),
        ('validate: "1..12"', "UNKNOWN_KEY"),
        ("pattern: (a)(b)", "REGEX_MANY_GROUPS"),
        ("pattern: ab", "REGEX_NO_GROUP"),
    ],
)
def test_what_is_understood_but_doubted_is_a_warning(entry: str, code: str):
    assert [code] == [one.code for one in load_rule(one_field(entry)).warnings]


def test_a_segment_that_counts_from_the_start_is_doubted():
    rule = load_rule("name: a\nglob: x/y\nextract: {f: {from: segment(0)}}")
    assert ["SEGMENT_FROM_START"] == [one.code for one in rule.warnings]


@pytest.mark.parametrize(
    ("name", "version"), [("a\n", "1"), ("1a", "1"), ("A", "1"), ("é", "1"), ("a", "'1'"), ("a", "true"), ("a", "3")]
)
def test_names_and_versions_are_taken_exactly(name: str, version: str):
    text = f'version: {version}\nname: "{name}"\nglob: x/y\ntag: t'.replace('\n"', '\\n"')
    assert ["SCHEMA_VIOLATION"] == [one[0] for one in wrong(text)]


def test_a_list_of_rules_is_read_and_equal_names_are_refused():
    rules = load_rules("version: 1\nrules:\n- {name: a, glob: x/y, tag: t}\n- {name: b, glob: x/z, tag: t}\n")
    assert ["a", "b"] == [rule.name for rule in rules]
    text = "version: 1\nrules:\n- {name: a, glob: x/y, tag: t}\n- {name: a, glob: 'x[', tag: t}\n- 5\n"
    assert [
        ("DUPLICATE_RULE_NAME", 4, 3, "rules[1].name"),
        ("INVALID_GLOB", 4, 21, "rules[1].glob"),
        ("NOT_A_MAPPING", 5, 3, "rules[2]"),
    ] == wrong(text)


def test_one_rule_is_wanted_and_several_are_refused():
    with pytest.raises(InvalidRule, match="there are 2 rules"):
        load_rule("version: 1\nrules:\n- {name: a, glob: x/y, tag: t}\n- {name: b, glob: x/z, tag: t}\n")
    assert "a" == load_rule("version: 1\nrules: [{name: a, glob: x/y, tag: t}]").name


def test_a_mapping_that_was_read_elsewhere_is_read_as_well():
    assert load_rule(GOOD) == load_rule({**BASE, "extract": FIELDS})


BASE: dict[str, Any] = {
    "version": 1,
    "name": "mission_data",
    "glob": "**/mission_*/????-??-??/*.csv",
    "tag": "mission_data",
    "priority": 7,
}
FIELDS = {
    "mission_id": {"from": "segment(-3)", "pattern": "^mission_(\\d+)$", "type": "integer"},
    "date": {"from": "segment(-2)", "type": "date"},
    "kind": {"from": "filename", "normalize": "lowercase", "default": None},
}

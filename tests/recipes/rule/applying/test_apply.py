"""The values that rules extract from paths, and the reasons for missing ones."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.applying.near import near_miss
from retouch.recipes.rule.applying.places import locate

if TYPE_CHECKING:
    from pathlib import Path

MISSION = "/data/mission_042/2024-01-15/x.csv"


def taken(entries: str, path: str = MISSION, glob: str = "**", root: str = "/") -> Any:
    """The value of a field `f` with `entries` for a path, or the code of the reason."""
    found = apply_rule(load_rule(f"name: r\nglob: '{glob}'\nextract: {{f: {{{entries}}}}}"), path, root=root)
    reason = found.reasons.get("f")
    return reason.code if reason and not reason.defaulted else found.values["f"]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("segment(-1)", "x.csv"),
        ("segment(-2)", "2024-01-15"),
        ("segment(-3)", "mission_042"),
        ("segment(-4)", "data"),
        ("segment(-5)", "SEGMENT_OUT_OF_RANGE"),
        ("segment(0)", "data"),
        ("segment(3)", "x.csv"),
        ("segment(4)", "SEGMENT_OUT_OF_RANGE"),
        ("filename", "x.csv"),
        ("full_path", MISSION),
        ("rel_path", MISSION[1:]),
    ],
)
def test_sources_are_counted_from_the_file_name(source: str, value: str):
    assert value == taken(f"from: {source}")


def test_a_changed_copy_of_a_rule_that_was_applied_reads_by_its_own_fields():
    rule, other = (load_rule(f"name: r\nglob: '**'\nextract: {{f: {{from: segment({at})}}}}") for at in (0, 1))
    assert "data" == apply_rule(rule, MISSION).values["f"]
    assert "mission_042" == apply_rule(replace(rule, fields=other.fields), MISSION).values["f"]


def test_the_root_affects_only_relative_globs():
    path, root = "/srv/in/a/b.csv", "/srv/in"
    assert "a/b.csv" == taken("from: rel_path", path, root=root)
    assert path == taken("from: full_path", path, root=root)
    assert "a" == taken("from: segment(0)", path, root=root)
    assert "in" == taken("from: segment(-3)", path, root=root)
    assert path == taken("from: full_path", "a/b.csv", root=root)
    assert "SEGMENT_OUT_OF_RANGE" == taken("from: rel_path", "/other/b.csv", glob="/**", root=root)


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("a//b/./c.csv", "a/b/c.csv"),
        ("a\\b\\c.csv", "a/b/c.csv"),
        ("./a/b", "a/b"),
        ("/a/b/", "a/b"),
        ("a/.b/c", "a/.b/c"),
        ("a/../b", "a/../b"),
        ("C:\\a\\b", "C:/a/b"),
    ],
)
def test_paths_are_normalised_before_anything_else(path: str, below: str):
    place = locate(path)
    assert (below, f"/{below}") == (place.below_root, place.absolute)


def test_a_path_outside_of_the_root_has_no_place_below_it():
    assert None is locate("/srv/input/a", root="/srv/in").below_root
    assert "a" == locate("/srv/in/a", root="/srv/in/").below_root
    assert "a" == locate("c:/in/a", root="c:\\in").below_root


@pytest.mark.parametrize(
    ("entries", "value"),
    [
        ("from: segment(-3), pattern: '_(.+)', type: integer", 42),
        ("from: segment(-3), pattern: '_(.+)'", "042"),
        ("from: segment(-3), pattern: '_(.+)', normalize: strip_leading_zeros", "42"),
        ("from: segment(-3), pattern: 'mission', normalize: uppercase", "MISSION"),
        ("from: segment(-3), pattern: 'nothing'", "PATTERN_NO_MATCH"),
        ("from: segment(-3), pattern: '(x)?mission'", "PATTERN_NO_MATCH"),
        ("from: segment(-3), type: integer", "TYPE_COERCION_FAILED"),
        ("from: segment(-2), type: date", "2024-01-15"),
        ("from: segment(-2), type: date, format: '%Y-%d-%m'", "TYPE_COERCION_FAILED"),
        ("from: segment(-3), type: integer, default: 5", 5),
        ("from: segment(-9), default: null", None),
    ],
)
def test_a_value_is_found_normalised_typed_and_else_its_default(entries: str, value: Any):
    assert value == taken(entries)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "+042", 42),
        ("integer", "-7", -7),
        ("integer", "4_2", "TYPE_COERCION_FAILED"),
        ("integer", " 42", "TYPE_COERCION_FAILED"),
        ("integer", "\u0664\u0662", "TYPE_COERCION_FAILED"),
        ("integer", "9" * 5_000, "TYPE_COERCION_FAILED"),
        ("uuid", "0DF05477-c572-4ed6-88a9-47c581f548f7", "0df05477-c572-4ed6-88a9-47c581f548f7"),
        ("uuid", "0df05477c5724ed688a947c581f548f7", "0df05477-c572-4ed6-88a9-47c581f548f7"),
        ("uuid", "0df05477-c5724ed6-88a9-47c581f548f7", "TYPE_COERCION_FAILED"),
    ],
)
def test_types_are_strict(kind: str, text: str, value: Any):
    assert value == taken(f"from: filename, type: {kind}", f"/a/{text}")


def test_zeros_are_stripped_down_to_one():
    entries = "from: filename, pattern: '^([^.]*)', normalize: strip_leading_zeros"
    assert ["0", "7", ""] == [taken(entries, f"/a/{name}") for name in ("000", "007", ".x")]


TWO = "name: r\nglob: '**/*.csv'\nextract: {a: {from: segment(-3)}, b: {from: filename, pattern: '^(\\d+)'}}"


@pytest.mark.parametrize(
    ("path", "status", "missing"),
    [
        ("/x/y/1.csv", "COMPLETE", set[str]()),
        ("/x/y/a.csv", "PARTIAL", {"b"}),
        ("/y/a.csv", "FAILED", {"a", "b"}),
        ("/x/y/1.txt", "UNMATCHED", set[str]()),
        ("", "UNMATCHED", set[str]()),
        ("/", "UNMATCHED", set[str]()),
    ],
)
def test_the_status_depends_on_the_number_of_extracted_fields(path: str, status: str, missing: set[str]):
    found = apply_rule(load_rule(TWO), path)
    assert (status, missing) == (found.status, set(found.reasons))
    assert all(reason.message for reason in found.reasons.values())


def test_a_default_makes_a_field_optional_and_is_reported():
    rule = load_rule("name: r\nglob: '**'\nextract: {a: {from: segment(-9), default: none}, b: {from: filename}}")
    found = apply_rule(rule, "/x/y")
    assert ("COMPLETE", {"a": "none", "b": "y"}) == (found.status, found.values)
    assert found.reasons["a"].defaulted
    assert "the path has 2 segments" in found.reasons["a"].message
    only = load_rule("name: r\nglob: '**'\nextract: {a: {from: segment(-9), default: x}, b: {from: segment(-8)}}")
    assert "FAILED" == apply_rule(only, "/x/y").status


def test_a_rule_without_fields_is_complete_where_it_fits():
    rule = load_rule("name: r\nglob: 'a/*'\nextract: null\ntag: t")
    assert "COMPLETE" == apply_rule(rule, "a/b").status
    assert "UNMATCHED" == apply_rule(rule, "b/b").status


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=30), st.sampled_from(["/", "/a", "a\\b", ""]))
def test_any_text_is_a_path_and_what_is_taken_fits_json(path: str, root: str):
    rule = load_rule(
        "name: r\nglob: '**'\nextract:\n"
        "  {a: {from: filename}, b: {from: segment(-2), type: integer}, c: {from: segment(0)}}"
    )
    found = apply_rule(rule, path, root=root)
    assert dict(found.values) == json.loads(json.dumps(found.values))
    assert set(found.values) | set(found.reasons) == (set() if found.status == "UNMATCHED" else {"a", "b", "c"})
    assert found == apply_rule(rule, path, root=root)


def test_all_corpora_give_their_truth(shared_data: Path):
    yaml: Any = pytest.importorskip("yaml")
    differing: list[str] = []
    paths = 0
    for file in sorted((shared_data / "paths").glob("*.yaml")):
        rule = load_rule(yaml.safe_load(file.read_text(encoding="utf-8"))["rule"])
        for line in file.with_suffix(".truth.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            found = apply_rule(rule, row["path"])
            got = dict(found.values) if found.status == "COMPLETE" else None
            paths += 1
            differing += [row["path"]] if got != row["fields"] else []
    assert [] == differing
    assert paths > 3_000


DAILY = "name: r\nglob: '**/mission_*/????-??-??/*.csv'\ntag: t"


@pytest.mark.parametrize(
    ("path", "distance", "why"),
    [
        ("/d/mission_1/2024-01-05/x.csv", 0, ""),
        ("/d/Mission_1/2024-01-05/x.csv", 1, "the folder 'Mission_1' fits 'mission_*' except for its case"),
        ("/d/mission_1/2024-1-5/x.csv", 2, "the folder '2024-1-5' does not fit '????-??-??'"),
        ("/d/mission_1/2024-01-05/x.txt", 2, "the file name 'x.txt' does not fit '*.csv'"),
        ("/d/mission_1/2024-01-05/raw/x.csv", 3, "there is no place in the glob for the folder 'raw'"),
        ("/d/mission_1/x.csv", 3, "nothing in the path stands for '????-??-??'"),
    ],
)
def test_a_near_miss_explains_why_a_glob_does_not_match(path: str, distance: int, why: str):
    miss = near_miss(load_rule(DAILY), path)
    assert (distance, why) == (miss.distance, miss.why)


def test_the_nearest_of_several_alternatives_is_explained():
    rule = load_rule("name: r\nglob: '{/far/away/**,here/[A-z]*.csv}'\ntag: t")
    assert "the file name '1.csv' does not fit '[A-z]*.csv'" == near_miss(rule, "here/1.csv").why
    assert "the path does not lie below the root" in near_miss(load_rule(DAILY), "/x/y", root="/z").why


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["**/a/*", "a/**", "a/**/b", "{a,b}/?", "/a/*", "**"]), st.text("ab/.", min_size=1, max_size=8))
def test_a_miss_is_at_a_distance_exactly_when_there_is_one(glob: str, path: str):
    rule = load_rule(f"name: r\nglob: '{glob}'\ntag: t")
    if locate(path).below_root:
        assert ("UNMATCHED" == apply_rule(rule, path).status) == (near_miss(rule, path).distance > 0)


def test_the_rule_in_the_reference_extracts_the_values_that_it_shows(project: Path):
    page = (project / "docs" / "reference" / "rule.md").read_text(encoding="utf-8")
    rule = load_rule(page.partition("```yaml\n")[2].partition("```")[0])
    found = apply_rule(rule, "/data/mission_042/2024-01-15/Telemetry.csv")
    assert ("mission_data", "COMPLETE") == (rule.name, found.status)
    assert {"mission_id": 42, "date": "2024-01-15", "kind": "telemetry"} == found.values

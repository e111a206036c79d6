"""An export gives what the rule gives, also for paths that nobody passed to it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from retouch.errors import BadInput
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.exporting.code import exported
from retouch.recipes.rule.exporting.running import differences
from retouch.recipes.rule.language.load import load_rule

if TYPE_CHECKING:
    from retouch.recipes.rule.language.model import ExtractionRule


def needs(package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")


def rule(glob: str, pattern: str) -> ExtractionRule:
    return load_rule(f"name: r\nglob: '{glob}'\nextract: {{x: {{from: filename, pattern: '{pattern}'}}}}")


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (r"^(\S+)\.csv$", "d/a/b.csv"),
        (r"^(\D{3})\.csv$", "d/a/b.csv"),
        (r"^(.{3})\.csv$", "d/a/b.csv"),
        (r"^([^_]+)\.csv$", "d/a/b.csv"),
        (r"^([^]_]+)\.csv$", "d/a/b.csv"),
        (r"^(\d+)\.csv$", "d/\u0663.csv"),
        (r"^([\w-]+)\.csv$", "d/\u00e9.csv"),
        (r"^(\d+)\.csv$", "d/1.csv\n"),
    ],
)
def test_a_field_of_an_export_stays_in_its_segment_and_its_alphabet(pattern: str, path: str) -> None:
    one = rule("d/*.csv", pattern)
    module: dict[str, Any] = {}
    exec(exported(one, "python"), module)
    assert "COMPLETE" != apply_rule(one, path).status
    assert None is module["extract"](path)


@pytest.mark.parametrize("target", [pytest.param("pandas", marks=needs("pandas")), "python", "regex"])
def test_a_path_that_ends_with_a_line_break_is_another_path(target: Any) -> None:
    one = rule("d/*.csv", r"^([a-z]+)\.csv$")
    assert "UNMATCHED" == apply_rule(one, "d/a.csv\n").status
    assert [] == differences(one, target, ["d/a.csv", "d/a.csv\n"])


@pytest.mark.parametrize("target", [pytest.param("duckdb", marks=needs("duckdb")), "python", "regex"])
def test_a_value_that_is_empty_is_not_missing(target: Any) -> None:
    one = rule("d/*.csv", r"^a([0-9]*)\.csv$")
    assert {"x": ""} == apply_rule(one, "d/a.csv").values
    assert [] == differences(one, target, ["d/a.csv", "d/a1.csv"])


def test_duckdb_cannot_tell_an_empty_value_from_a_missing_one() -> None:
    text = r"name: r\nglob: 'd/*.csv'\nextract: {x: {from: filename, pattern: '^(?:a([0-9]*))?b\.csv$', default: null}}"
    one = load_rule(text.replace("\\n", "\n"))
    with pytest.raises(BadInput, match="'x' may be empty or missing"):
        exported(one, "duckdb")


def test_a_value_that_must_be_there_is_not_null_in_an_export() -> None:
    one = rule("d/*.csv", r"^(?:a([0-9]+))?b\.csv$")
    assert "FAILED" == apply_rule(one, "d/b.csv").status
    with pytest.raises(BadInput, match="'x' is not in every path that its pattern matches"):
        exported(one, "python")


def test_a_glob_that_asks_for_more_than_the_patterns_is_seen_as_a_difference() -> None:
    one = rule("d/data_*.csv", r"^[a-z]+_(\d+)\.csv$")
    assert "COMPLETE" != apply_rule(one, "d/other_1.csv").status
    assert [] != differences(one, "python", ["d/data_1.csv"])
    assert [] == differences(rule("d/data_*.csv", r"^data_(\d+)\.csv$"), "python", ["d/data_1.csv"])


@pytest.mark.parametrize("target", ["python", "regex"])
def test_a_field_that_is_a_whole_segment_takes_what_the_glob_takes(target: Any) -> None:
    one = load_rule("name: r\nglob: 'd/[0-9][0-9]-[a-z]/*.csv'\nextract: {x: {from: segment(-2)}}")
    assert "COMPLETE" != apply_rule(one, "d/x1-a/b.csv").status
    assert [] == differences(one, target, ["d/01-a/b.csv", "d/x1-a/b.csv"])

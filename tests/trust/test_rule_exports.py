"""An export gives what the rule gives, also for paths that nobody passed to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.exporting.code import exported
from retouch.recipes.rule.exporting.running import differences
from retouch.recipes.rule.language.load import load_rule

if TYPE_CHECKING:
    from retouch.recipes.rule.language.model import ExtractionRule


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

"""Tier 3: every code, when it is raised, its severity, and its evidence."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from retouch.engine.options import RunOptions
from retouch.errors import MissingTool
from retouch.recipes.rule import RuleJob
from retouch.recipes.rule.asking.source import checked
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.editing import renamed
from retouch.recipes.rule.judging.artifact import Heading
from retouch.recipes.rule.judging.checks import check
from retouch.recipes.rule.judging.python_run import expect_sandbox
from retouch.recipes.rule.judging.reading import read_answer
from retouch.recipes.rule.language.render import render_rule
from tests.recipes.rule.rounds_scene import PATHS, codes, job

DATES = ("/x/01-02-2024.csv", "/x/03-04-2024.csv", "/x/05-06-2024.csv")


def found(text: str, of: RuleJob | None = None, *, reported_issue: str = "") -> list[Any]:
    """Return the errors and warnings of tier 3 of a rule, or of a function."""
    given = of or job(form="either")
    read = read_answer(given, text, Heading(requested_form="any", reported_issue=reported_issue))
    assert read.value is not None, read.issues
    issues = asyncio.run(check(given, {"rule": read.value}, RunOptions()))  # type: ignore[arg-type]
    return [one for one in issues if one.severity != "info"]


def rule(extract: str, glob: str = "**/mission_*/*/*.csv") -> str:
    return f"name: x\nglob: '{glob}'\nextract: {{{extract}}}\ntag: x\n"


def function(body: str) -> str:
    return f"import re\n\ndef extract(path):\n    parts = path.split('/')\n    {body}\n"


def test_a_rule_that_takes_everything_has_no_issue() -> None:
    assert [] == found(rule("mission: {from: segment(-3)}"))


def test_a_glob_that_fits_no_sample_is_an_error_that_shows_the_nearest_paths() -> None:
    [issue] = found(rule("m: {from: filename}", "**/flight_*/*.csv"))
    assert ("GLOB_MISMATCH", "error", 3) == (issue.code, issue.severity, int(issue.tier))
    assert {PATHS[0]} <= {one["path"] for one in issue.detail["evidence"]}
    assert "flight_*" in issue.detail["evidence"][0]["why"]


def test_a_glob_that_fits_too_few_fails_once_and_is_then_only_warned_of() -> None:
    text = rule("m: {from: segment(-3)}", "**/mission_00[1-5]/*/*.csv")
    assert ["LOW_COVERAGE"] == codes(found(text), "error")
    assert ["LOW_COVERAGE"] == codes(found(text, reported_issue="LOW_COVERAGE"), "warning")


def test_noise_is_not_counted_and_the_least_coverage_can_be_chosen() -> None:
    text = rule("m: {from: segment(-3)}", "**/mission_00[1-9]/*/*.csv")
    assert ["LOW_COVERAGE"] == codes(found(text))
    assert [] == codes(found(text, job(noise=PATHS[9:])))
    assert [] == codes(found(text, job(min_coverage=0.7)))


def test_of_three_samples_or_fewer_all_must_be_taken() -> None:
    text = rule("m: {from: segment(-3)}", "**/mission_00[12]/*/*.csv")
    assert ["LOW_COVERAGE"] == codes(found(text, job(*PATHS[:3])))


def test_a_path_that_must_not_be_taken_makes_the_glob_too_broad() -> None:
    [issue] = found(rule("m: {from: segment(-3)}", "**/*.csv"), job(unwanted=("/srv/data/other/list.csv",)))
    assert ("OVERBROAD_GLOB", "error") == (issue.code, issue.severity)
    assert "/srv/data/other/list.csv" == issue.detail["evidence"][0]["path"]


def test_taking_most_of_the_other_files_of_a_tree_is_warned_of() -> None:
    others = (*tuple(f"/srv/data/mission_{n:03}/2024-02-01/z{n}.csv" for n in range(6)), "/srv/readme.md")
    text = rule("m: {from: segment(-3)}")
    assert ["OVERBROAD_GLOB"] == codes(found(text, job(others=others)), "warning")
    assert [] == codes(found(text, job(others=(*others[5:], "/srv/a.md", "/srv/b.md"))))


def test_a_rule_that_takes_nothing_at_all_is_an_error() -> None:
    assert ["EMPTY_EXTRACTION"] == codes(found(rule("m: {from: segment(-3), pattern: '^flight_(.+)$'}")))


def test_defaults_alone_do_not_count_as_values() -> None:
    text = rule("m: {from: segment(-3), pattern: '^flight_(.+)$', default: none}")
    assert ["EMPTY_EXTRACTION"] == codes(found(text), "error")


def test_a_rule_that_only_sets_its_tag_takes_no_field_and_is_right() -> None:
    assert [] == found("name: x\nglob: '**/mission_*/*/*.csv'\ntag: missions\n")


def test_a_field_that_is_never_taken_is_an_error_with_its_reason() -> None:
    [issue] = codes_of(found(rule("m: {from: segment(-3)}, d: {from: segment(-9)}")), "FIELD_NEVER_EXTRACTED")
    assert "SEGMENT_OUT_OF_RANGE" in issue.message
    assert "extract.d" == issue.path
    assert "SEGMENT_OUT_OF_RANGE" == issue.detail["evidence"][0]["reason"]


def codes_of(issues: list[Any], code: str) -> list[Any]:
    return [issue for issue in issues if code == issue.code]


@pytest.mark.parametrize(("bad", "severity"), [(1, []), (2, ["TYPE_COERCION_FAILED"])])
def test_a_value_of_another_type_is_an_error_on_more_than_one_path_in_twenty(bad: int, severity: list[str]) -> None:
    paths = [f"/x/a_{'z' * (number + 1) if number < bad else number}.csv" for number in range(30)]
    text = rule("m: {from: filename, pattern: 'a_(.+)[.]csv', type: integer}", "**/*.csv")
    assert severity == codes(found(text, job(*paths)), "error")


def test_of_ten_paths_or_fewer_a_single_value_of_another_type_is_an_error() -> None:
    paths = [f"/x/a_{number or 'zz'}.csv" for number in range(10)]
    text = rule("m: {from: filename, pattern: 'a_(.+)[.]csv', type: integer}", "**/*.csv")
    assert ["TYPE_COERCION_FAILED"] == codes(found(text, job(*paths)), "error")


def test_what_is_missing_on_some_paths_is_warned_of_with_the_list() -> None:
    [issue] = codes_of(
        found(rule("m: {from: segment(-3)}, n: {from: filename, pattern: 'r([0-9])_'}")), "PARTIAL_EXTRACTION"
    )
    assert "warning" == issue.severity
    assert "n on 3" in issue.message


def test_the_same_value_everywhere_and_the_same_values_twice_are_warned_of() -> None:
    text = rule("a: {from: segment(-4)}, b: {from: segment(-3)}, c: {from: segment(-3)}")
    assert ["CONSTANT_FIELD", "SAME_VALUES"] == codes(found(text), "warning")


def test_of_two_paths_the_same_value_says_nothing() -> None:
    assert [] == found(rule("a: {from: segment(-4)}, b: {from: segment(-3)}"), job(*PATHS[:2]))


def test_an_ambiguous_date_becomes_a_question_and_is_not_guessed() -> None:
    text = rule("d: {from: filename, pattern: '(.+)[.]csv', type: date, format: '%d-%m-%Y'}", "**/*.csv")
    assert ["AMBIGUOUS_DATE"] == codes(found(text, job(*DATES)), "warning")
    assert [] == found(text, job(*DATES, dates=("day-first",)))
    assert [] == found(text, job(*DATES, dates=("%d-%m-%Y",)))
    assert [] == found(text, job(*DATES, "/x/25-12-2024.csv"))


@pytest.fixture(scope="module")
def sandbox() -> str:
    """The engine that runs functions on this machine."""
    try:
        return expect_sandbox()
    except MissingTool as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("sandbox")
class TestFunctions:
    """The failures of a function on samples."""

    def test_a_function_that_takes_everything_has_no_issue(self) -> None:
        assert [] == found(function("return {'mission': parts[3]}"))

    @pytest.mark.parametrize(
        ("body", "code", "tier"),
        [
            ("return [][0]", "RUNTIME_ERROR", 3),
            ("return parts", "NOT_A_DICT", 3),
            ("return None", "NOT_A_DICT", 3),
            ("return {'Not A Name': 1}", "BAD_FIELD_NAME", 3),
            ("return {'a': {1, 2}}", "NOT_SERIALIZABLE", 3),
            ("return {'a': 'x' * 2_000_000}", "OUTPUT_TOO_LARGE", 3),
            ("return {}", "EMPTY_EXTRACTION", 3),
            ("return {'a': None}", "EMPTY_EXTRACTION", 3),
            ("return {'a': parts[3], 'b': None}", "FIELD_NEVER_EXTRACTED", 3),
        ],
    )
    def test_a_failure_has_its_code_and_tier(self, body: str, code: str, tier: int) -> None:
        issues = [one for one in found(function(body)) if "error" == one.severity]
        assert [code] == codes(issues)
        assert [tier] == [int(one.tier) for one in issues]
        assert issues[0].detail["evidence"]

    def test_a_loop_without_end_is_stopped(self) -> None:
        text = function("while True: pass")
        assert ["TIMEOUT"] == codes(found(text, job(*PATHS[:1], form="python")), "error")

    def test_an_exception_on_few_samples_is_only_warned_of(self) -> None:
        text = function("return {'mission': parts[3], 'n': 1 // (int(parts[3][8:]) - 7)}")
        assert "RUNTIME_ERROR" in codes(found(text), "warning")

    def test_values_that_change_from_call_to_call_are_an_error(self) -> None:
        text = "SEEN = []\n\ndef extract(path):\n    SEEN.append(1)\n    return {'n': len(SEEN), 'm': path}\n"
        assert ["NON_DETERMINISTIC"] == codes(found(text), "error")

    def test_what_the_sandbox_cannot_run_is_an_error_of_tier_two_that_names_it(self) -> None:
        text = "import re\n\ndef extract(path):\n    t = str.maketrans('a', 'b')\n    return {'m': path.translate(t)}\n"
        issues = found(text)
        if not issues:
            pytest.skip("the sandbox here runs this")
        assert ("UNSUPPORTED_PYTHON", 2) == (issues[0].code, int(issues[0].tier))
        assert "maketrans" in str(issues[0].detail["evidence"])


def test_a_label_that_is_not_met_is_named_with_both_values_and_types() -> None:
    labelled = replace(job(), examples=((PATHS[0], (("mission", "042"), ("kind", "x"))),))
    [issue] = found(rule("mission: {from: segment(-3), pattern: '([0-9]+)', type: integer}"), labelled)
    number = int(PATHS[0].split("/")[-3].rpartition("_")[2])
    wanted = f'mission of {PATHS[0]!r} is the number {number}, but its label is the text "042"; kind differ too'
    assert ("EXAMPLE_NOT_MET", wanted) == (issue.code, issue.message)


def test_the_run_and_its_questions_have_one_figure_of_how_specific_the_rule_is() -> None:
    towns = ("visby", "kalmar", "lund", "falun")
    paths = [f"b/{towns[n % 4]}/{'x' * (n * 5 % 17 + 1)} {n * 7}{towns[n % 3]}.txt" for n in range(331)]
    given = checked(RuleJob(paths=tuple(paths)))
    candidate = table_of(given).candidate
    text = render_rule(renamed(candidate.rule, candidate.columns[0].name, "other"))
    read = read_answer(given, text, Heading(requested_form="any"))
    assert read.value is not None, read.issues
    [issue] = [one for one in asyncio.run(check(given, {"rule": read.value}, RunOptions())) if "not_run" in one.detail]
    [question] = [one.question for one in candidate.assumptions if one.kind == "loose"]
    assert question.split(":")[0].removeprefix("the rule ") == issue.message.partition("it ")[2]
    assert "questions of the run" not in issue.fix

"""`show` and `validate` with `--format`: what programs read."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from retouch.cli.reporting.findings import PlacedIssue
from retouch.cli.reporting.formats import render
from retouch.cli.reporting.reports import Reports, RunReport
from retouch.engine.tiers import TierSummary
from retouch.engine.types import Issue, Tier
from tests.cli.conftest import PETS

if TYPE_CHECKING:
    from retouch.cli.reporting.formats import Format
    from retouch.engine.tiers import Status
    from tests.cli.conftest import Retouch

WRONG_TYPES = "faulty:offline?rate=1&seed=1&heal=0&kinds=wrong_type"
SCHEMA = json.loads((Path(__file__).parent / "fixtures" / "sarif-2.1.0.json").read_text())
VALIDATOR: Any = jsonschema.Draft4Validator(SCHEMA)
PROGRAMS = ("github", "sarif", "junit")


@pytest.fixture
def broken(retouch: Retouch, work_folder: Path) -> Path:
    """A run whose answers all have a wrong type, and no retry."""
    words = ("--model", WRONG_TYPES, "--retries", "0", "--no-offline", "--compiler", "none", "-o", "bad")
    assert 3 == retouch("generate", "csharp", str(PETS), "GET /pets", *words).exit_code
    return work_folder / "bad"


def parsed_junit(text: str) -> Any:
    reader: Any = JUnitXml
    return reader.fromstring(text.encode())


def outcomes(text: str) -> dict[str, list[type]]:
    return {str(case.name): [type(one) for one in case.result] for suite in parsed_junit(text) for case in suite}


def unescaped(text: str) -> str:
    for code, char in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


COMMAND = re.compile(r"::(error|warning|notice) ([^\n]*?)::([^\n]*)")


@pytest.mark.parametrize("verb", ["show", "validate"])
def test_an_issue_is_at_the_line_of_the_file_that_has_it(verb: str, retouch: Retouch, broken: Path) -> None:
    lines = retouch(verb, "bad").stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if " WRONG_TYPE " in line)
    place = re.fullmatch(r"bad/(\w+\.cs):(\d+):(\d+) WRONG_TYPE (.*)", lines[at])
    assert place is not None, lines[at]
    text = (broken / place[1]).read_text().splitlines()[int(place[2]) - 1]
    name = re.search(r"The property '(\w+)' of", place[4])
    assert name is not None
    assert f" {name[1]} " in text
    assert f"{place[2]:>5} | {text}" == lines[at + 1]
    assert lines[at + 2].index("^") - len("      | ") == int(place[3]) - 1


@pytest.mark.parametrize("verb", ["show", "validate"])
def test_a_summary_ends_with_the_cost_and_the_next_command(verb: str, retouch: Retouch, broken: Path) -> None:
    cost, step = retouch(verb, str(broken)).stdout.splitlines()[-2:]
    assert cost.startswith("  cost    $0.0000")
    assert f"  next    retouch regenerate {broken} --from-errors --correction TEXT" == step
    worked = retouch(*step.split()[2:-1], "Ids are long.", "--dry-run")
    assert 0 == worked.exit_code, worked.output


def test_every_status_has_a_next_command_that_exists(retouch: Retouch, pets: Path) -> None:
    step = retouch("show", str(pets)).stdout.splitlines()[-1]
    assert step.startswith("  next    retouch "), step
    (pets / "PetDataObject.cs").unlink()
    step = retouch("validate", str(pets)).stdout.splitlines()[-1]
    assert f"  next    retouch assemble {pets} --force" == step
    assert 0 == retouch(*step.split()[2:]).exit_code
    assert "FILE_MISSING" not in retouch("validate", str(pets)).stdout


@pytest.mark.parametrize("verb", ["show", "validate"])
def test_sarif_is_valid_and_names_existing_lines(verb: str, retouch: Retouch, broken: Path) -> None:
    log = json.loads(retouch(verb, "bad", "--format", "sarif").stdout)
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    results = run["results"]
    assert 3 == len([one for one in results if one["level"] == "error"])
    assert {one["id"] for one in run["tool"]["driver"]["rules"]} == {one["ruleId"] for one in results}
    for one in results:
        place = one["locations"][0]["physicalLocation"]
        text = (broken.parent / place["artifactLocation"]["uri"]).read_text().splitlines()
        assert place["region"]["snippet"]["text"] == text[place["region"]["startLine"] - 1]
    fingerprints = [one["partialFingerprints"]["retouch/v1"] for one in results]
    assert len(set(fingerprints)) == len(fingerprints)


def test_the_schema_refuses_a_wrong_log(retouch: Retouch, broken: Path) -> None:
    log = json.loads(retouch("show", str(broken), "--format", "sarif").stdout)
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        VALIDATOR.validate(log)


def test_junit_has_a_case_for_each_unit_and_tier(retouch: Retouch, broken: Path) -> None:
    found = outcomes(retouch("validate", str(broken), "--format", "junit", "--compiler", "none").stdout)
    assert [Failure] == found["unit PetDataObject"] == found["unit Owner"] == found["status"] == found["tier 2 schema"]
    assert [] == found["unit Kind"] == found["tier 1 syntax"]
    assert [Skipped] == found["tier 3 compiler"]


def test_github_commands_name_file_and_line(retouch: Retouch, broken: Path) -> None:
    printed = retouch("validate", broken.name, "--format", "github")
    assert 3 == printed.exit_code
    found = [COMMAND.fullmatch(line) for line in printed.stdout.splitlines()]
    assert all(found), printed.stdout
    errors = [one for one in found if one is not None and one[1] == "error"]
    assert 3 == len(errors)
    assert all(re.match(r"file=bad/PetDataObject\.cs,line=\d+,col=\d+,title=[A-Z_]+$", one[2]) for one in errors)
    assert "notice" == found[-1][1] if found[-1] is not None else False


@pytest.mark.parametrize("kind", PROGRAMS)
def test_strict_is_an_error_in_every_format(kind: str, retouch: Retouch, pets: Path) -> None:
    words = ("validate", str(pets), "--compiler", "none", "--format", kind)
    loose, strict = (retouch(*words, *more) for more in ((), ("--strict",)))
    assert (0, 1) == (loose.exit_code, strict.exit_code)
    assert "UNVERIFIED" not in loose.stdout
    assert "UNVERIFIED" in strict.stdout
    assert "not compiled" in strict.stdout


def test_a_directory_of_runs_is_one_report_with_a_part_for_each(retouch: Retouch, broken: Path, pets: Path) -> None:
    assert broken.parent in pets.parents
    done = retouch("validate", ".", "--format", "sarif")
    log = json.loads(done.stdout)
    VALIDATOR.validate(log)
    assert 3 == done.exit_code == log["runs"][0]["invocations"][0]["exitCode"]
    runs = {one["properties"]["run"] for one in log["runs"][0]["results"] if "properties" in one}
    assert {"bad"} <= runs
    suites = [suite.name for suite in parsed_junit(retouch("show", ".", "--format", "junit").stdout)]
    assert [".", "bad", "output/GET_pets"] == suites


def test_json_is_what_the_older_option_prints(retouch: Retouch, pets: Path) -> None:
    for verb in ("show", "validate"):
        assert retouch(verb, str(pets), "--json").stdout == retouch(verb, str(pets), "--format", "json").stdout
    refused = retouch("show", str(pets), "--json", "--format", "sarif")
    assert (2, True) == (refused.exit_code, "exclude each other" in refused.stderr)
    refused = retouch("show", "nowhere", "--format", "json")
    assert "not a run directory" in json.loads(refused.stdout)["error"]["message"]


def test_an_edited_file_is_named_without_a_line_of_it(retouch: Retouch, pets: Path) -> None:
    path = pets / "PetDataObject.cs"
    path.write_text(path.read_text().replace("public class Owner", "public sealed class Owner"))
    printed = retouch("validate", str(pets)).stdout
    assert "PetDataObject.cs:1:1 MANUAL_EDIT warning: " in printed
    assert " | namespace" not in printed


def report(status: Status, *issues: Issue, passed: bool = False, file: str = "a.cs") -> Reports:
    tiers = [TierSummary(tier=3, name="compiler", passed=0, failed=0, not_run=1, why="no compiler")]
    findings = [PlacedIssue(issue=one, file=Path(file), line=3, column=2, snippet=one.message) for one in issues]
    states = [(one.unit, "failing") for one in issues]
    made = RunReport(
        run=Path("out"),
        recipe="x",
        status=status,
        reason="",
        passed=passed,
        tiers=tiers,
        states=states,
        findings=findings,
    )
    return Reports(runs=[made], exit_status=0 if passed else 1)


@settings(deadline=None, max_examples=50)
@given(st.text(), st.text(min_size=1), st.sampled_from(["error", "warning", "info"]))
def test_any_text_stays_inside_its_place(message: str, unit: str, severity: Any) -> None:
    issue = Issue(code="ODD", message=message, tier=Tier.SCHEMA, unit=unit, severity=severity)
    reports = report("issues", issue, file="odd, dir:x%/ü<&.cs")
    lines = render(reports, "github").removesuffix("\n").split("\n")
    assert (3 if severity != "error" else 2) == len(lines)
    found = COMMAND.fullmatch(lines[0])
    assert found is not None
    assert "odd, dir:x%/ü<&.cs" in unescaped(found[2])
    log = json.loads(render(reports, "sarif"))
    VALIDATOR.validate(log)
    assert (
        "odd%2C%20dir%3Ax%25"
        in log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    )
    assert 3 == parsed_junit(render(reports, "junit")).tests


def test_lines_that_look_like_commands_are_data() -> None:
    issue = Issue(
        code="X", message="a\n::error::fake\r\n::add-mask::b", tier=Tier.SCHEMA, unit="u", fix="c\n::stop-commands::d"
    )
    lines = render(report("issues", issue), "github").splitlines()
    assert 2 == len(lines)
    assert lines[0].startswith(
        "::error file=a.cs,line=3,col=2,title=X::u: a ::error::fake ::add-mask::b%0Anext: c%0A::"
    )


@pytest.mark.parametrize("kind", PROGRAMS)
def test_keys_do_not_reach_a_report(kind: Format) -> None:
    key = "sk-ant-api03-" + "aB3dE5gH7jK9" * 8
    issue = Issue(code="X", message=f"the command printed {key}", tier=Tier.SCHEMA, unit="u", fix=f"remove {key}")
    assert key not in render(report("issues", issue), kind)


def test_a_unit_without_an_answer_is_an_error_and_not_skipped() -> None:
    made = report("incomplete").runs[0]
    made = replace(made, states=[("late", "unanswered")])
    found = outcomes(render(Reports(runs=[made], exit_status=1), "junit"))
    assert [Error] == found["unit late"]
    assert [Failure] == found["status"]


@pytest.mark.parametrize("verb", ["show", "validate"])
@pytest.mark.parametrize("place", ["missing", "broken", "."])
def test_a_run_that_cannot_be_read_is_an_error_in_every_format(
    verb: str, place: str, retouch: Retouch, work_folder: Path
) -> None:
    (work_folder / "broken").mkdir()
    (work_folder / "broken" / "ir.json").write_text("{", encoding="utf-8")
    done = {kind: retouch(verb, place, "--format", kind) for kind in PROGRAMS}
    assert {2} == {one.exit_code for one in done.values()}
    assert done["github"].stdout.startswith("::error ")
    log = json.loads(done["sarif"].stdout)
    VALIDATOR.validate(log)
    assert ["error"] == [one["level"] for one in log["runs"][0]["results"]]
    assert not log["runs"][0]["invocations"][0]["executionSuccessful"]
    assert {"status": [Failure]} == outcomes(done["junit"].stdout)
    assert all("error: " in one.stderr for one in done.values())

"""Answers in each form: how they are read, and their issues in tiers 1 and 2."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from retouch.recipes.rule import apply_rule, load_rule, recipe
from retouch.recipes.rule.asking.offline import answer as offline_answer
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.detecting.columns import Column, Slot
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.judging.artifact import Heading, kind_of
from retouch.recipes.rule.judging.reading import read_answer
from retouch.recipes.rule.judging.recut import ColumnChange, Part, fields_of
from retouch.recipes.rule.language.render import render_rule
from tests.recipes.rule.rounds_scene import FUNCTION, RIGHT, codes, job

MATTERS = tuple(
    f"/x/{year}-{number:03}_{court}/v{number}.pdf"
    for year, number, court in [(2021, 17, "NY"), (2022, 4, "LA"), (2020, 8, "SF")]
)
TABLE = job(*MATTERS)


def columns(*entries: dict[str, Any], **more: Any) -> str:
    """Return an answer about columns."""
    return "```json\n" + json.dumps({"columns": list(entries), **more}) + "\n```"


def fields(answer: str, path: str = MATTERS[0]) -> Any:
    """Return the values that the rule of an answer extracts from a path."""
    read = read_answer(TABLE, answer, Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    return dict(apply_rule(read.value.rule, path).values)


def wrong(answer: str, form: Any = "columns", requested_form: str = "") -> list[str]:
    """Return the codes of the issues of an answer."""
    read = read_answer(job(*MATTERS, form=form), answer, Heading(requested_form=requested_form))
    assert read.value is None
    return codes(read.issues, "error")


def test_the_detectors_own_answer_takes_every_column_as_it_was_found() -> None:
    prompt = next(iter(recipe.plan(TABLE)))
    found = fields(offline_answer(prompt))
    assert "2021" in str(found.values())
    assert "NY" in found.values()


def test_unmentioned_columns_stay_and_dropped_ones_go() -> None:
    kept, dropped = fields(columns({"of": ["c1"], "name": "year"})), fields(columns({"of": ["c1"], "drop": True}))
    assert 2021 == kept["year"]
    assert len(kept) - 1 == len(dropped)


def test_neighbours_become_one_value_with_what_stands_between_them() -> None:
    assert "2021-017" == fields(columns({"of": ["c1", "c2"], "name": "matter"}))["matter"]


def test_a_merged_value_can_be_cut_in_other_places() -> None:
    found = columns({"of": ["c1"], "parts": [{"name": "century", "chars": 2, "type": "integer"}, {"name": "rest"}]})
    assert {"century": 20, "rest": 21} == {name: fields(found)[name] for name in ("century", "rest")}


def test_an_optional_part_comes_and_goes_with_its_separator() -> None:
    values = ("matches_1999", "matches_qual_chall_2003")
    column = Column(name="name", source="filename", pattern=None, values=values, pieces=(Slot(values=values),))
    kind = Part(name="kind", before="_", optional=True)
    parts = ("matches", kind, "_", Part(name="year", type="integer"))
    found = fields_of(ColumnChange(of=("c1",), parts=parts), [column])
    rule = write_rule("**", [], name="x")
    rule = replace(rule, fields=tuple(found))
    assert {"kind": None, "year": 1999} == dict(apply_rule(rule, values[0]).values)
    assert {"kind": "qual_chall", "year": 2003} == dict(apply_rule(rule, values[1]).values)


def test_a_column_that_some_paths_lack_keeps_what_comes_with_it_when_it_is_cut() -> None:
    table = job("/t/atp_1999.csv", "/t/atp_qual_a1_2003.csv", "/t/atp_qual_b7_2001.csv")
    lacking = next(key for key, column in table_of(table).columns.items() if column.optional)
    answer = columns({"of": [lacking], "parts": [{"name": "letter", "chars": 1}, {"name": "rest"}]})
    read = read_answer(table, answer, Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    statuses = {apply_rule(read.value.rule, path).status for path in table.paths}
    assert {"COMPLETE"} == statuses


@pytest.mark.parametrize(
    ("entry", "path"),
    [
        ({"of": ["c9"], "name": "x"}, "columns[0].of"),
        ({"of": [], "name": "x"}, "columns[0].of"),
        ({"of": ["c1"], "nmae": "x"}, "columns[0].nmae"),
        ({"of": ["c1"], "name": "Not A Name"}, "columns[0].name"),
        ({"of": ["c1"], "type": "money"}, "columns[0].type"),
        ({"of": ["c1"], "normalize": "trim"}, "columns[0].normalize"),
        ({"of": ["c1"], "format": "%Q"}, "columns[0].format"),
        ({"of": ["c1"], "optional": "perhaps"}, "columns[0].optional"),
        ({"of": ["c1", "c4"], "name": "x"}, "columns[0]"),
        ({"of": ["c1"], "parts": ["no field"]}, "columns[0]"),
        ({"of": ["c1"], "parts": [{"name": "x", "chars": 0}]}, "columns[0].parts[0].chars"),
        ({"of": ["c1"], "parts": ["zz", {"name": "x"}]}, "columns[0]"),
    ],
)
def test_what_is_wrong_with_an_answer_about_columns_names_its_place(entry: dict[str, Any], path: str) -> None:
    read = read_answer(TABLE, columns(entry), Heading())
    assert read.value is None
    assert path in [issue.path for issue in read.issues]
    assert {2} == {int(issue.tier) for issue in read.issues}
    assert all(issue.line and "snippet" in issue.detail and issue.fix for issue in read.issues)


def test_all_errors_of_an_answer_are_reported_at_once() -> None:
    answer = columns({"of": ["c1"], "type": "money"}, {"of": ["c2"], "nmae": "x"}, {"of": ["c7"]})
    assert ["SCHEMA_VIOLATION", "UNKNOWN_KEY", "SCHEMA_VIOLATION"] == wrong(answer)


def test_two_fields_cannot_have_one_name() -> None:
    assert ["SCHEMA_VIOLATION"] == wrong(columns({"of": ["c1"], "name": "a"}, {"of": ["c2"], "name": "a"}))


@pytest.mark.parametrize(
    ("answer", "form", "code"),
    [
        ("", "columns", "EMPTY_OUTPUT"),
        ("  \n", "yaml", "EMPTY_OUTPUT"),
        ("", "python", "EMPTY_OUTPUT"),
        ("name: caf\udce9\nglob: '**'", "yaml", "ENCODING_ERROR"),
        ("```yaml\nname: x\nglob: '**'", "yaml", "OUTPUT_TRUNCATED"),
        ("```python\ndef extract(path):\n", "python", "OUTPUT_TRUNCATED"),
        ("```yaml\nname: a\n```\n\n```yaml\nname: b\n```", "yaml", "AMBIGUOUS_OUTPUT"),
        (columns({"of": ["c1"]}) + "\n" + columns({"of": ["c2"]}), "columns", "AMBIGUOUS_OUTPUT"),
        (FUNCTION + "\n" + FUNCTION.replace("3", "2"), "python", "AMBIGUOUS_OUTPUT"),
        ("```yaml\nname: x\n  glob: y\n```", "yaml", "YAML_SYNTAX_ERROR"),
        ("```yaml\nname: x\nname: y\nglob: '**'\n```", "yaml", "YAML_DUPLICATE_KEY"),
        ("name: x\nglob: '**'\n---\nname: y\n", "yaml", "YAML_MULTIPLE_DOCUMENTS"),
        ("name: !!python/object:os.system x\nglob: '**'", "yaml", "YAML_FORBIDDEN_TAG"),
        ("name: &a x\nglob: *a", "yaml", "YAML_TOO_LARGE"),
        ("```python\ndef extract(path:\n```", "python", "PYTHON_SYNTAX_ERROR"),
        ("```python\nimport re\n" + "# long\n" * 10_000 + "```", "python", "PYTHON_SYNTAX_ERROR"),
        (FUNCTION, "columns", "WRONG_LANGUAGE"),
        (FUNCTION, "yaml", "WRONG_LANGUAGE"),
        (RIGHT, "python", "WRONG_LANGUAGE"),
        (columns({"of": ["c1"]}), "python", "WRONG_LANGUAGE"),
    ],
)
def test_what_cannot_be_parsed_is_an_error_of_tier_one(answer: str, form: Any, code: str) -> None:
    assert code in wrong(answer, form)
    read = read_answer(job(*MATTERS, form=form), answer, Heading())
    assert {1} == {int(issue.tier) for issue in read.issues if issue.severity == "error"}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("- a\n- b", "NOT_A_MAPPING"),
        ("name: x\nglob: '**'\nextarct: {}", "UNKNOWN_KEY"),
        ("name: x\nglob: '[a'", "INVALID_GLOB"),
        ("name: x\nglob: '**'\nextract: {a: {from: filename, pattern: '(a'}}", "INVALID_REGEX"),
        ("name: x\nglob: '**'\nextract: {a: {from: filename, pattern: '(?=a)'}}", "UNSUPPORTED_REGEX"),
        ("name: x\nglob: '**'\nextract: {a: {from: filename, type: integer, default: no}}", "BAD_DEFAULT"),
        ("version: 1\nrules: [{name: a, glob: '**', tag: a}, {name: a, glob: '**', tag: a}]", "DUPLICATE_RULE_NAME"),
        ("version: 1\nrules: [{name: a, glob: '**', tag: a}, {name: b, glob: '**', tag: a}]", "SCHEMA_VIOLATION"),
    ],
)
def test_what_is_no_rule_is_an_error_of_tier_two(answer: str, code: str) -> None:
    assert code in wrong(answer, "yaml")


@pytest.mark.parametrize(
    ("code", "body"),
    [
        ("MISSING_EXTRACT", "def values(path):\n    return {}"),
        ("BAD_SIGNATURE", "def extract(path, root):\n    return {}"),
        ("BAD_SIGNATURE", "async def extract(path):\n    return {}"),
        ("BAD_SIGNATURE", "def extract(path):\n    yield {}"),
        ("FORBIDDEN_IMPORT", "import subprocess\ndef extract(path):\n    return {}"),
        ("FORBIDDEN_CALL", "def extract(path):\n    return eval(path)"),
        ("TOP_LEVEL_SIDE_EFFECT", "print('x')\ndef extract(path):\n    return {}"),
    ],
)
def test_what_a_look_at_a_function_shows_is_an_error_of_tier_two(code: str, body: str) -> None:
    found = read_answer(job(*MATTERS, form="python"), f"Here:\n```python\n{body}\n```", Heading())
    assert code in codes(found.issues)
    assert {2} == {int(issue.tier) for issue in found.issues}
    lines = [issue.line for issue in found.issues if issue.line]
    assert all(line > 2 for line in lines)


def test_a_line_of_a_function_is_counted_in_the_whole_answer() -> None:
    found = read_answer(job(*MATTERS, form="python"), "Here:\n\n```python\nimport re\nx = (\n```", Heading())
    assert [5] == [issue.line for issue in found.issues]
    assert "   5 | x = (" in str(found.issues[0].detail["snippet"])


def test_slips_that_need_no_thought_cost_no_retry_and_are_named() -> None:
    found = read_answer(job(form="yaml"), "Sure!\n```yaml\nname: x\nglob: **/*.csv\ntag: x\n```\nBye.", Heading())
    assert found.value is not None
    assert {"fence", "quotes around a bare glob or pattern"} <= set(found.value.repaired)


def test_where_python_is_only_proposed_a_rule_is_welcome_too() -> None:
    found = [read_answer(job(form="either"), answer, Heading()).value for answer in (RIGHT, FUNCTION)]
    assert ["yaml", "python"] == [one.kind for one in found if one is not None]


def test_fields_that_no_rule_can_express_are_reported_to_the_user() -> None:
    found = read_answer(TABLE, columns(beyond=["the court's name needs a look-up"]), Heading())
    assert ["NEEDS_PYTHON"] == codes(found.issues, "warning")
    assert "--python" in found.issues[0].fix


@pytest.mark.parametrize(("text", "kind"), [(RIGHT, "yaml"), (FUNCTION, "python"), ("import re\n", "python")])
def test_the_kind_of_a_text_follows_its_content(text: str, kind: str) -> None:
    assert kind == kind_of(text)


def test_the_name_of_an_answer_is_the_models() -> None:
    read = read_answer(TABLE, columns(name="court_filings"), Heading())
    assert read.value is not None
    assert read.value.text.startswith("version: 1\nname: court_filings\n")
    assert "tag: court_filings\n" in read.value.text


DAYS = tuple(
    f"lake/main/{year}/{month:02}/{day:02}/x{day}.csv" for year in (2023, 2024) for month in (1, 7) for day in (3, 21)
)


def test_columns_of_several_segments_are_joined_to_one_value() -> None:
    table = job(*DAYS)
    joined = {"of": ["c1", "c2", "c3"], "with": "-", "name": "day_of_data", "type": "date"}
    read = read_answer(table, columns(joined=[joined]), Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    assert "2024-07-03" == apply_rule(read.value.rule, "lake/main/2024/07/03/x9.csv").values["day_of_data"]
    assert read.value.text.startswith("version: 2")


def test_a_constant_becomes_a_field_and_may_vary() -> None:
    read = read_answer(job(*DAYS), columns(constants=[{"text": "main", "name": "branch"}]), Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    assert "dev" == apply_rule(read.value.rule, "lake/dev/2024/07/03/x9.csv").values["branch"]


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"constants": [{"text": "nowhere", "name": "branch"}]}, "constants[0]"),
        ({"joined": [{"of": ["c1"], "name": "x"}]}, "joined[0].of"),
        ({"joined": [{"of": ["c1", "c9"], "name": "x"}]}, "joined[0].of"),
        ({"joined": ["c1"]}, "joined[0]"),
        ({"shapes": [{"of": "no_shape", "drop": True}]}, "shapes[0]"),
    ],
)
def test_what_a_model_adds_is_checked_against_the_samples(more: dict[str, Any], path: str) -> None:
    read = read_answer(job(*DAYS), columns(**more), Heading())
    assert read.value is None
    assert [path] == [one.path for one in read.issues if one.severity == "error"]


def test_a_joined_value_that_is_no_date_fails_on_the_samples() -> None:
    joined = {"of": ["c3", "c2", "c1"], "with": "-", "name": "day_of_data", "type": "date"}
    read = read_answer(job(*DAYS), columns(joined=[joined]), Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    assert "TYPE_COERCION_FAILED" == apply_rule(read.value.rule, DAYS[0]).reasons["day_of_data"].code


def test_a_second_shape_is_renamed_or_dropped() -> None:
    second = tuple(f"logs/host-{n}/boot.txt" for n in range(1, 7))
    table = job(*(f"lake/main/2024/{n:02}/{n:02}/x{n}.csv" for n in range(1, 10)), *second)
    (shape,) = table_of(table).candidate.rule.others
    renamed = read_answer(table, columns(shapes=[{"of": shape.name, "name": "boots"}]), Heading())
    dropped = read_answer(table, columns(shapes=[{"of": shape.name, "drop": True}]), Heading())
    assert renamed.value is not None, renamed.issues
    assert renamed.value.rule is not None
    assert ["boots"] == [one.name for one in renamed.value.rule.others]
    assert dropped.value is not None, dropped.issues
    assert dropped.value.rule is not None
    assert () == dropped.value.rule.others


def test_what_is_said_of_a_column_also_holds_for_the_shapes_that_share_it() -> None:
    names = ("Ann_Lee", "Bob_Roe", "Eva_Poe", "Kim_Fox")
    tests = [f"lab/{who}/ecg_{number:02}_250Hz.edf" for who in names for number in range(1, 6)]
    table = job(*tests, *(f"lab/{who}/spiro-{number:02}.csv" for who in names for number in range(1, 6)))
    ids = {column.name: key for key, column in table_of(table).columns.items()}
    (number,) = (key for key, column in table_of(table).columns.items() if column.source == "filename")
    people = [key for key in ids.values() if key != number]
    (shape,) = table_of(table).candidate.rule.others
    said = columns(
        {"of": people, "name": "person"},
        {"of": [number], "name": "recording"},
        shapes=[{"of": shape.name, "name": "breathing"}],
        about=[{"field": "person", "description": "who was measured", "unit": ""}],
    )
    read = read_answer(table, said, Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    (other,) = read.value.rule.others
    assert ("breathing", "breathing") == (other.name, other.tag)
    assert ["person", "recording"] == [field.name for field in other.fields]
    assert "who was measured" == other.fields[0].description
    values = apply_rule(read.value.rule, "lab/Bob_Roe/spiro-03.csv").values
    assert {"person": "Bob_Roe", "recording": 3} == values


def about(description: str = "", unit: str = "", field: str = "number", **column: Any) -> str:
    entry = {"field": field, "description": description, "unit": unit}
    return columns({"of": ["c2"], "name": "number", "type": "integer", **column}, about=[entry])


def test_a_description_and_a_unit_are_written_into_the_rule() -> None:
    read = read_answer(TABLE, about("case within the year, as '017'", "cases"), Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    field = next(one for one in read.value.rule.fields if one.name == "number")
    assert ("case within the year, as '017'", "cases") == (field.description, field.unit)
    text = render_rule(read.value.rule)
    assert text.startswith("version: 2\n")
    assert read.value.rule == load_rule(text)


def test_the_unit_of_a_text_is_told_in_its_description_because_no_new_answer_is_worth_it() -> None:
    read = read_answer(TABLE, about("length of the case", "km", type="string"), Heading())
    assert read.value is not None, read.issues
    assert read.value.rule is not None
    field = next(one for one in read.value.rule.fields if one.name == "number")
    assert ("length of the case (km)", "") == (field.description, field.unit)


@pytest.mark.parametrize(
    ("answer", "path"),
    [
        (about("the port of Rotterdam, 'RTM'"), "about[0].description"),
        (about("two\nlines"), "about[0].description"),
        (about("x" * 201), "about[0].description"),
        (about(unit="k" * 21), "about[0].unit"),
        (about("number", field="nothing"), "about[0]"),
    ],
)
def test_a_description_or_unit_that_the_samples_do_not_bear_out_is_an_error(answer: str, path: str) -> None:
    read = read_answer(TABLE, answer, Heading())
    assert read.value is None
    assert [path] == [one.path for one in read.issues if one.severity == "error"]

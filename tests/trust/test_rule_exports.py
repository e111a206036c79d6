"""An export gives what the rule gives, also for paths that nobody passed to it."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.errors import BadInput
from retouch.recipes.rule.applying.evaluation import apply_rule
from retouch.recipes.rule.exporting.code import exported
from retouch.recipes.rule.exporting.running import differences, values_given
from retouch.recipes.rule.language.load import load_rule
from retouch.recipes.rule.language.model import Field, FieldPart

if TYPE_CHECKING:
    from retouch.recipes.rule.language.model import ExtractionRule


def needs(package: str) -> pytest.MarkDecorator:
    reason = f"{package} is not installed: the lock leaves it out for its size; 'pip install {package}' runs this"
    return pytest.mark.skipif(find_spec(package) is None, reason=reason)


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


def test_an_export_is_not_equal_to_a_rule_that_takes_none_of_the_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "name: r\nglob: 'data/*.csv'\nextract: {x: {from: filename, pattern: '^(.+)\\.csv$'}}"
    Path("rule.yaml").write_text(text, encoding="utf-8")
    words = ["rule", "export", "rule.yaml", "other/a.csv", "data/b.txt", "--to", "python"]
    done = CliRunner().invoke(command, [*words, "-o", "rule.py"])
    assert (2, False) == (done.exit_code, Path("rule.py").exists())
    assert "the rule takes none of the 2 paths" in done.stderr
    assert 0 == CliRunner().invoke(command, [*words, "data/a.csv"]).exit_code


def test_a_value_that_must_be_there_is_not_null_in_an_export() -> None:
    one = rule("d/*.csv", r"^(?:a([0-9]+))?b\.csv$")
    assert "FAILED" == apply_rule(one, "d/b.csv").status
    assert {} == values_given(one, "python", ["d/b.csv"])
    with pytest.raises(BadInput, match="'x' is not in every path that its pattern matches"):
        exported(one, "regex")


def test_a_glob_that_asks_for_more_than_the_patterns_is_seen_as_a_difference() -> None:
    one = rule("d/data_*.csv", r"^[a-z]+_(\d+)\.csv$")
    assert "COMPLETE" != apply_rule(one, "d/other_1.csv").status
    assert [] != differences(one, "regex", ["d/data_1.csv"])
    assert [] == differences(one, "python", ["d/data_1.csv"])
    assert [] == differences(rule("d/data_*.csv", r"^data_(\d+)\.csv$"), "regex", ["d/data_1.csv"])


@pytest.mark.parametrize("target", ["python", "regex"])
def test_a_field_that_is_a_whole_segment_takes_what_the_glob_takes(target: Any) -> None:
    one = load_rule("name: r\nglob: 'd/[0-9][0-9]-[a-z]/*.csv'\nextract: {x: {from: segment(-2)}}")
    assert "COMPLETE" != apply_rule(one, "d/x1-a/b.csv").status
    assert [] == differences(one, target, ["d/01-a/b.csv", "d/x1-a/b.csv"])


EVERY = [
    pytest.param("polars", marks=needs("polars")),
    pytest.param("pandas", marks=needs("pandas")),
    pytest.param("duckdb", marks=needs("duckdb")),
    "python",
]
PARTS = "".join(f"  {name}: {{from: segment({at}), type: integer}}\n" for name, at in (("y", -4), ("m", -3), ("d", -2)))
JOINED = "  date: {parts: [{from: segment(-4)}, {from: segment(-3)}, {from: segment(-2)}], join: '-', type: date}\n"


@pytest.mark.parametrize("target", EVERY)
def test_a_date_of_several_directories_is_exported_with_its_parts(target: Any) -> None:
    one = load_rule(f"version: 2\nname: r\nglob: 'in/*/*/*/x.csv'\nextract:\n{PARTS}{JOINED}")
    days = ["in/2024/03/05/x.csv", "in/2024/12/31/x.csv", "in/2023/1/9/x.csv"]
    assert "2023-01-09" == apply_rule(one, days[2]).values["date"]
    assert [] == differences(one, target, days)


@pytest.mark.parametrize("target", EVERY)
def test_a_joined_value_is_exported_without_its_parts_but_not_as_one_expression(target: Any) -> None:
    one = load_rule(f"version: 2\nname: r\nglob: 'in/*/*/*/x.csv'\nextract:\n{JOINED}")
    assert [] == differences(one, target, ["in/2024/03/05/x.csv", "in/2024/12/31/x.csv"])
    whole = load_rule(f"version: 2\nname: r\nglob: 'in/*/*/*/x.csv'\nextract:\n{PARTS}{JOINED}")
    with pytest.raises(BadInput, match="'date' is joined from several parts"):
        exported(whole, "regex")


def of_parts(mark: str, form: str | None, count: int = 3) -> ExtractionRule:
    names = "abc"[:count]
    fields = "".join(f"  {name}: {{from: segment({at - 4}), pattern: '^([^/]+)$'}}\n" for at, name in enumerate(names))
    base = load_rule(f"name: r\nglob: 'd/*/*/*/f.csv'\nextract:\n{fields}")
    first, *others = base.fields
    parts = tuple(FieldPart(source=one.source, pattern=one.pattern) for one in others)
    day = Field(name="day", source=first.source, pattern=first.pattern, rest=parts, join=mark, type="date", format=form)
    return replace(base, fields=(*base.fields, day))


TOOLS = [
    pytest.param("duckdb", "Error", marks=needs("duckdb")),
    pytest.param("pandas", "errors.OutOfBoundsDatetime.__base__", marks=needs("pandas")),  # ValueError
    pytest.param("polars", "exceptions.PolarsError", marks=needs("polars")),
    ("python", "ValueError"),
]


@pytest.mark.parametrize(("target", "error"), TOOLS)
@pytest.mark.parametrize(
    ("mark", "form", "path"),
    [
        ("", None, "2024/1/11"),
        ("", None, "2024/11/1"),
        ("", "%Y%m%d", "2024/1/11"),
        ("", "%d%m%Y", "1/11/2024"),
        ("-", None, "24/03/05"),
        ("-", None, "2023/02/30"),
        ("-", "%d-%m-%Y", "5/3/24"),
        ("-", "%Y-%m-%d", "2024/03/ 5"),
        ("-", "%Y-%B-%d", "2024/mar/05"),
    ],
)
def test_an_export_fails_on_parts_that_the_rule_reads_as_no_date(
    target: Any, error: str, mark: str, form: str | None, path: str
) -> None:
    one = of_parts(mark, form)
    assert "PARTIAL" == apply_rule(one, f"d/{path}/f.csv").status
    kind = attrgetter(error)(import_module("builtins" if target == "python" else target))
    with pytest.raises(kind):
        differences(one, target, [f"d/{path}/f.csv"])


@pytest.mark.parametrize("target", ["duckdb", "pandas", "polars", "python"])
def test_a_format_that_a_tool_reads_otherwise_is_not_exported_to_it(target: Any) -> None:
    for rule_, path, other in (
        (of_parts("-", "%y-%m-%d"), "69/01/31", {"polars"}),
        (of_parts("-", "%Y-%j", 2), "2024/366/x", {"duckdb"}),
    ):
        if target in other:
            with pytest.raises(BadInput, match="as another day than the rule"):
                exported(rule_, target)
        elif find_spec(target) or target == "python":
            assert [] == differences(rule_, target, [f"d/{path}/f.csv"])
    if target == "python" or (target == "pandas" and find_spec(target)):
        with pytest.raises(ValueError, match="no date"):
            differences(of_parts("-", "%Y-%j", 2), target, ["d/2023/366/x/f.csv"])


@pytest.mark.parametrize("target", [*EVERY, "regex"])
@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("float", ["0.5", "12", "-3.25", "1e-3", ".5", "5."], "nan"),
        ("timestamp, format: epoch", ["1700000000", "0", "12345678901"], "999999999999"),
        ("timestamp, format: epoch_ms", ["1700000000123", "1700000000000"], "1.5"),
        ("timestamp, format: epoch_ms_naive", ["1700000000123", "1700000000000"], "1.5"),
    ],
)
def test_numbers_and_times_since_1970_are_exported(target: Any, kind: str, good: list[str], bad: str) -> None:
    take = f"{{from: filename, pattern: '^(.+)\\.csv$', type: {kind}}}"
    one = load_rule(f"version: 2\nname: r\nglob: 'd/*.csv'\nextract: {{x: {take}}}")
    assert {"COMPLETE"} == {apply_rule(one, f"d/{text}.csv").status for text in good}
    paths = [f"d/{text}.csv" for text in good]
    given = _values_of(one, target, paths)
    assert [json.dumps(apply_rule(one, path).values["x"]) for path in paths] == given
    assert "COMPLETE" != apply_rule(one, f"d/{bad}.csv").status
    if target != "regex":
        with pytest.raises(Exception, match=r"(?i)no number|no timestamp|conversion|parse"):
            _values_of(one, target, [f"d/{bad}.csv"])


def _values_of(one: ExtractionRule, target: Any, paths: list[str]) -> list[str]:
    rows = values_given(one, target, paths)
    return [json.dumps(rows[path]["x"]) for path in paths]


UUID = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"


@pytest.mark.parametrize("target", EVERY)
@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("integer", ["1", "007", "+5"], "1.5"),
        ("integer", ["1"], "1_000"),
        ("integer", ["1"], "1e3"),
        ("integer", ["1"], "\u0661"),
        ("decimal", ["1.50", "+2", "0.0000001"], "1e3"),
        ("decimal", ["1"], "1."),
        ("uuid", [UUID, UUID.replace("-", "")], f"{{{UUID}}}"),
        ("uuid", [UUID], UUID[:-1]),
        ("date", ["2024-1-5", "20240105"], "0000-02-20"),
        ("timestamp", ["20240305T0930", "2024-03-05_09.30.15.25"], "2024-03-05T24:00"),
        ("timestamp", ["2024-03-05 09:30:15"], "2023-02-30T09:30"),
        ("timestamp, format: '%d.%m.%Y %H-%M'", ["05.03.2024 09-30"], "05.03.2024 24-30"),
    ],
)
def test_an_export_gives_no_value_that_the_rule_does_not_read(
    target: Any, kind: str, good: list[str], bad: str
) -> None:
    take = f"{{from: filename, pattern: '^(.+)[.]x$', type: {kind}}}"
    one = load_rule(f"version: 2\nname: r\nglob: 'd/*.x'\nextract: {{x: {take}}}")
    paths = [f"d/{text}.x" for text in good]
    assert ["COMPLETE"] * len(good) == [apply_rule(one, path).status for path in paths]
    assert [] == differences(one, target, paths)
    assert "FAILED" == apply_rule(one, f"d/{bad}.x").status
    with pytest.raises(
        Exception, match=r"(?i)no integer|no decimal|no uuid|no date|no timestamp|conversion|parse|strict"
    ):
        values_given(one, target, [f"d/{bad}.x"])


@pytest.mark.parametrize("target", [*EVERY, "regex"])
@pytest.mark.parametrize(
    ("normalize", "text"),
    [
        ("strip_leading_zeros", "007"),
        ("strip_leading_zeros", "000"),
        ("lowercase", "ABC"),
        ("uppercase", "abc"),
        ("percent_decode", "a%20b%C3%A9%zz"),
    ],
)
def test_an_export_changes_a_text_as_the_rule_does_or_is_refused(target: Any, normalize: str, text: str) -> None:
    take = f"{{from: filename, pattern: '^(.+)[.]x$', normalize: {normalize}}}"
    one = load_rule(f"version: 2\nname: r\nglob: 'd/*.x'\nextract: {{x: {take}}}")
    if target == "regex":
        with pytest.raises(BadInput, match=f"normalize: {normalize}"):
            exported(one, target)
        return
    path = f"d/{text}.x"
    assert text != apply_rule(one, path).values["x"]
    assert [dict(apply_rule(one, path).values)] == [*values_given(one, target, [path]).values()]


SET = r"""
version: 2
rules:
- name: days
  glob: 'in/*/*_*.csv'
  extract:
    day: {from: segment(-2), type: date}
    order: {from: filename, pattern: '^([0-9]+)_', type: integer}
- name: others
  glob: 'in/**/*.csv'
  extract:
    site: {from: filename, pattern: '(?:^|_)([a-z]{2})', default: null}
    price: {from: filename, pattern: '([0-9.]+)[.]csv$', type: decimal, default: '0.0'}
    order: {from: filename, pattern: 'n([0-9]+|none)', type: integer, null: [none], default: -1}
    at: {parts: [{from: segment(-2)}, {from: filename, pattern: '@([0-9]+)'}], join: T, type: timestamp, default: null}
"""
OF_SET = [
    "in/2024-01-05/7_a.csv",
    "in/20240106/8_b.csv",
    "in/2024-01-07/x_de_n5_1.50.csv",  # of the first glob, so that the second rule does not get it
    "in/de-n5-1.50.csv",
    "in/a/b/nnone-2.csv",
    "in/20240305/de@0930-n12.csv",
    "in/x.csv",
    "in/a/@0930-n3.csv",
    "out/x.csv",
]


@pytest.mark.parametrize("target", EVERY)
def test_a_rule_of_several_shapes_is_exported_with_the_first_shape_that_takes_a_path(target: Any) -> None:
    one = load_rule(SET)
    assert ["COMPLETE"] * 2 + ["FAILED"] + ["COMPLETE"] * 5 + ["UNMATCHED"] == [
        "FAILED" if (status := apply_rule(one, path).status) == "PARTIAL" else status for path in OF_SET
    ]
    assert [] == differences(one, target, OF_SET)
    given = values_given(one, target, OF_SET)
    assert [path for path in OF_SET if path in given] == [*OF_SET[:2], *OF_SET[3:8]]
    assert ("2024-03-05T09:30:00", "12", 12) == tuple(given[OF_SET[5]][name] for name in ("at", "price", "order"))


def test_shapes_with_common_paths_are_not_exported_as_expressions() -> None:
    with pytest.raises(BadInput, match="the globs of 'days' and 'others' have common paths, such as"):
        exported(load_rule(SET), "regex")
    apart = load_rule(
        "version: 2\nrules:\n- {name: a, glob: 'a/*.csv', extract: {x: {from: filename, pattern: '^(.+)[.]csv$'}}}\n"
        "- {name: b, glob: 'b/*/*.txt', extract: {x: {from: segment(-2)}}}"
    )
    assert 2 == len(exported(apart, "regex").splitlines())
    assert [] == differences(apart, "regex", ["a/1.csv", "b/2/x.txt", "b/2/x.csv"])


@pytest.mark.parametrize("target", ["duckdb", "pandas", "polars"])
def test_a_field_of_two_types_is_no_column(target: Any) -> None:
    two = load_rule(
        "version: 2\nrules:\n- {name: a, glob: 'a/*', extract: {x: {from: filename}}}\n"
        "- {name: b, glob: 'b/*', extract: {x: {from: filename, type: date}}}"
    )
    with pytest.raises(
        BadInput, match=f"'x' cannot be a column of {target}: it is string in one shape, and date in 'b'"
    ):
        exported(two, target)
    assert [] == differences(two, "python", ["a/x", "b/2024-01-05"])


@pytest.mark.parametrize("target", EVERY)
def test_an_absolute_glob_and_words_of_sql_are_exported(target: Any) -> None:
    one = load_rule(
        "name: r\nglob: '/d/*/*.csv'\nextract: {select: {from: segment(-2)}, end: {from: segment(-9), default: x}}"
    )
    assert [] == differences(one, target, ["/d/a/b.csv", "/e/a/b.csv"])
    far = "first: {from: segment(0)}, far: {from: segment(3), default: null}"
    whole = f"extract: {{x: {{from: rel_path, pattern: '^(.+)/'}}, {far}}}"
    assert [] == differences(load_rule(f"name: r\nglob: 'd/**/*.csv'\n{whole}"), target, ["d/a/b/e.csv", "d/a.csv"])
    for text in (f"name: r\nglob: '/d/**/*.csv'\n{whole}", "name: r\nglob: 'd/*'\nextract: {x: {from: full_path}}"):
        with pytest.raises(
            BadInput, match=r"'x' cannot be exported: it is from (rel|full)_path, which depends on the root"
        ):
            exported(load_rule(text), target)
    both = load_rule("name: r\nglob: '{/d,e}/*.csv'\nextract: {x: {from: segment(-2)}}")
    with pytest.raises(BadInput, match="some of its globs are absolute"):
        exported(both, target)


DAYS = r"name: r\nglob: '{}'\nextract: {{x: {{from: segment(-2)}}, n: {{from: filename, pattern: '^([0-9]+)[.]csv$'}}}}"


@pytest.mark.slow
@pytest.mark.parametrize("target", [*EVERY, "regex"])
@pytest.mark.parametrize("glob", ["**/d/*/*.csv", "lake/d/*/*.csv", "/lake/d/*/*.csv", "s3://lake/d/*/*.csv"])
@pytest.mark.parametrize("start", ["", "/", "//", "./", "s3://", "s3a+x://", "file:///"])
def test_an_export_takes_the_paths_that_the_rule_takes_as_they_were_given(target: Any, glob: str, start: str) -> None:
    one = load_rule(DAYS.format(glob).replace("\\n", "\n"))
    paths = [f"{start}lake/d/a/1.csv", f"{start}lake/d/b/x.csv", f"{start}lake/e/b/2.csv"]
    assert ["COMPLETE", "PARTIAL", "UNMATCHED"] == [apply_rule(one, path).status for path in paths]
    assert {paths[0]: {"x": "a", "n": "1"}} == values_given(one, target, paths)
    assert [] == differences(one, target, paths)


@pytest.mark.parametrize("target", EVERY)
@pytest.mark.parametrize(
    "path", ["lake//d/./a/1.csv", "lake\\d\\a\\1.csv", ".//lake/d/a/1.csv", "C:/lake/d/a/1.csv", "./lake/d/a/1.csv/./"]
)
def test_an_export_normalises_paths_as_the_rule_does(target: Any, path: str) -> None:
    one = load_rule(DAYS.format("**/d/*/*.csv").replace("\\n", "\n"))
    assert {path: {"x": "a", "n": "1"}} == values_given(one, target, [path, "./d/1.csv", "d//1.csv", "s3://d/1.csv"])
    assert [] == differences(one, target, [path])


def test_an_expression_is_not_equal_to_the_rule_for_a_form_of_path_that_it_cannot_take() -> None:
    one = load_rule(DAYS.format("**/d/*/*.csv").replace("\\n", "\n"))
    assert "lake\\d\\a\\1.csv" == differences(one, "regex", ["lake\\d\\a\\1.csv"])[0]
    anywhere = load_rule(DAYS.format("*/*.csv").replace("\\n", "\n"))
    assert "UNMATCHED" == apply_rule(anywhere, "./1.csv").status
    assert "./1.csv" in differences(anywhere, "regex", ["a/1.csv", "./1.csv"])
    assert {} == values_given(anywhere, "regex", ["s3://1.csv", "/1.csv"])


def test_the_suggested_listing_begins_where_the_glob_begins() -> None:
    suggested = {"lake/d/*/*.csv": "lake/d/**", "/lake/d/*/*.csv": "/lake/d/**", "*/*.csv": "**"}
    suggested |= {"**/d/*/*.csv": "DIRECTORY/**", "s3://lake/*/*.csv": "/lake/**"}
    for glob, wanted in suggested.items():
        one = load_rule(DAYS.format(glob).replace("\\n", "\n"))
        assert f"FROM glob('{wanted}');" in exported(one, "duckdb")

"""`retouch rule edit`, `retouch rule export`, and lists of paths that tools write."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.errors import BadInput
from retouch.recipes.rule import ExtractionRule, apply_rule, load_rule
from retouch.recipes.rule.commands.listings import read_listing
from retouch.recipes.rule.editing import merged
from retouch.recipes.rule.exporting.code import TARGETS, exported
from retouch.recipes.rule.exporting.running import differences

if TYPE_CHECKING:
    from click.testing import Result

RULE = r"""version: 2
name: adv
glob: '**/day=*/ADV-[0-9]*-[0-9]*_*.csv'
extract:
  day: {from: segment(-2), pattern: '^day=(.+)$', type: date, null: [none]}
  year: {from: filename, pattern: '^ADV-([0-9]{4})-[0-9]+_.+?\.csv$', type: integer}
  number: {from: filename, pattern: '^ADV-[0-9]{4}-([0-9]+)_.+?\.csv$', type: integer}
  site: {from: filename, pattern: '^ADV-[0-9]{4}-[0-9]+_(.+?)\.csv$'}
tag: adv
"""
PATHS = [f"x/day=2024-0{n}-11/ADV-202{n}-{n * 31:03}_a{n}-b{n * 7}.csv" for n in range(1, 7)]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RULE, encoding="utf-8")
    Path("p.txt").write_text("\n".join([*PATHS, "x/day=none/ADV-2020-7_q-r.csv"]), encoding="utf-8")


def run(*words: str) -> Result:
    return CliRunner().invoke(command, ["rule", *words])


def edited(*words: str) -> dict[str, Any]:
    """The values of the first path after an edit."""
    done = run("edit", "r.yaml", "@p.txt", *words)
    assert 0 == done.exit_code, done.output
    return dict(apply_rule(load_rule(Path("r.yaml").read_text(encoding="utf-8")), PATHS[0]).values)


def test_fields_are_renamed_dropped_and_retyped():
    values = edited("--rename", "year=y", "--drop", "site", "--retype", "number=string")
    assert {"day": "2024-01-11", "y": 2021, "number": "031"} == values


def test_neighbours_are_merged_in_every_shape_that_has_them():
    shape = r"""version: 2
rules:
  - name: plain
    glob: 'a/*.csv'
    extract:
      site: {from: filename, pattern: '^(.+)\.csv$'}
    tag: plain
  - name: adv
    glob: 'b/*-*.csv'
    extract:
      year: {from: filename, pattern: '^([0-9]{4})-[0-9]+\.csv$', type: integer}
      number: {from: filename, pattern: '^[0-9]{4}-([0-9]+)\.csv$', type: integer}
    tag: adv
"""
    merged_once = merged(load_rule(shape), ["year", "number"], "id")
    assert {"id": "2021-031"} == dict(apply_rule(merged_once, "b/2021-031.csv").values)
    assert {"site": "q"} == dict(apply_rule(merged_once, "a/q.csv").values)
    with pytest.raises(BadInput, match="no shape has all of year, site"):
        merged(load_rule(shape), ["year", "site"], "id")


def test_neighbours_are_merged_with_the_text_between_them():
    assert {"day": "2024-01-11", "id": "2021-031", "site": "a1-b7"} == edited("--merge", "year+number=id")


def test_a_field_is_cut_at_a_mark():
    values = edited("--split", "site=-:place,part")
    assert {"place": "a1", "part": "b7"}.items() <= values.items()
    assert "site" not in values


def test_a_labelled_path_adds_its_fields():
    values = edited("--example", PATHS[2], "room=b21", "lot=93")
    assert {"room": "b7", "lot": 31}.items() <= values.items()


def test_a_labelled_path_leaves_a_field_as_it_is_that_has_the_value():
    edited("--example", PATHS[2], "room=b21", "year=2023")
    fields = {one.name: one for one in load_rule(Path("r.yaml").read_text(encoding="utf-8")).fields}
    assert {one.name: one for one in load_rule(RULE).fields}["year"] == fields["year"]
    assert "room" in fields


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--rename", "yaer=y"], "there is no field 'yaer'"),
        (["--rename", "year=site"], "already is a field 'site'"),
        (["--rename", "year=Year"], "no name of a field"),
        (["--merge", "day+year=x"], "not neighbours"),
        (["--merge", "number+year=x"], "not neighbours"),
        (["--merge", "year+site=x"], "not neighbours"),
        (["--split", "site=%:a,b"], "cannot be cut at '%'"),
        (["--retype", "site=integer"], "gives no site"),
        (["--retype", "site=number"], "there is no type"),
        (["--retype", "day=date:%Q"], "the format '%Q' cannot be used"),
        (["--example", PATHS[0], "x=nowhere"], "no pattern finds x='nowhere'"),
        ([], "nothing to change"),
    ],
)
def test_an_edit_that_would_lose_something_writes_nothing(words: list[str], why: str):
    done = run("edit", "r.yaml", "@p.txt", *words)
    assert 2 == done.exit_code
    assert why in done.output
    assert RULE == Path("r.yaml").read_text(encoding="utf-8")


def test_a_dry_run_prints_the_difference_only():
    done = run("edit", "r.yaml", "--drop", "site", "--dry-run", "--json")
    assert "-  site:" in json.loads(done.stdout)["diff"]
    assert RULE == Path("r.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", ["regex", "python", "duckdb"])
def test_an_export_gives_the_same_values_as_the_rule(target: str):
    pytest.importorskip("duckdb") if target == "duckdb" else None
    done = run("export", "r.yaml", "@p.txt", "--to", target, "-o", "out.txt")
    assert 0 == done.exit_code, done.output
    assert "equal to the rule on 7 paths" in done.stderr
    assert exported(load_rule(RULE), target) == Path("out.txt").read_text(encoding="utf-8")  # pyright: ignore[reportArgumentType]


def test_an_export_that_differs_from_the_rule_is_refused():
    narrow = load_rule(RULE.replace("[0-9]*-[0-9]*_*.csv", "[0-9]*-[0-9]*_a*.csv"))
    assert ["x/day=none/ADV-2020-7_q-r.csv"] == differences(narrow, "regex", ["x/day=none/ADV-2020-7_q-r.csv"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("^day=(.+)$", "day=(.+)"),
        ("segment(-2)", "full_path"),
        ("**/day=*/", "{a/c,b}/day=*/"),
        ("null: [none]", "default: 2024-01-01"),
    ],
)
def test_what_one_expression_cannot_say_is_refused(old: str, new: str):
    Path("r.yaml").write_text(RULE.replace(old, new), encoding="utf-8")
    done = run("export", "r.yaml", "@p.txt", "--to", "regex")
    assert (2, True) == (done.exit_code, "cannot be one regular expression" in done.output)


def test_every_target_is_written():
    rule: ExtractionRule = load_rule(RULE)
    assert all("number" in exported(rule, target) for target in TARGETS)


@pytest.mark.parametrize(
    ("text", "form", "paths"),
    [
        ("a/b.csv\nc d.csv\n", "", ["a/b.csv", "c d.csv"]),
        ("2024-01-05 10:11:12   123 a/b c.csv\n2024-01-05 10:11:12  1 d/\n   PRE e/\n", "aws s3 ls", ["a/b c.csv"]),
        (
            "total 8\ndrwxr-xr-x 2 u g 40 Nov  4 10:11 d\n-rw-r--r-- 1 u g 5 Nov  4  2023 a b.csv\n",
            "ls -l",
            ["a b.csv"],
        ),
        ("./x:\ntotal 4\nlrwxrwxrwx 1 u g 5 Nov  4 10:11 l -> /t\n", "ls -l", ["./x/l"]),
        ("  12  4 -rw-r--r--  1 u  g   5 Nov  4 10:11 ./a/b.csv\n", "find -ls", ["./a/b.csv"]),
        (
            "  12  2024-01-05T10:11:12Z  gs://b/k.csv\nTOTAL: 1 objects, 12 bytes (12 B)\n",
            "gsutil ls -l",
            ["gs://b/k.csv"],
        ),
        (
            "2024-01-05 10:11:12  1.2 KiB a/b c.csv\n2024-01-05 10:11:12  0 Bytes d.csv\n",
            "aws s3 ls",
            ["a/b c.csv", "d.csv"],
        ),
        (" 1.2 KiB  2024-01-05T10:11:12Z  gs://b/k.csv\n", "gsutil ls -l", ["gs://b/k.csv"]),
        ("     12 2024-01-05 10:11:12.000000000 a/b c.csv\n", "rclone lsl", ["a/b c.csv"]),
        (
            "Found 2 items\ndrwxr-xr-x   - u g  0 2024-01-05 10:11 /a\n-rw-r--r--   3 u g 12 2024-01-05 10:11 /b c\n",
            "ls -l",
            ["/b c"],
        ),
        ('{"Contents": [{"Key": "a/1.csv", "Size": 3}]}', "JSON", ["a/1.csv"]),
        ('["a", "b/c"]', "JSON", ["a", "b/c"]),
        ('{"path": "a"}\n{"path": "b"}\n', "JSON", ["a", "b"]),
        ('"bucket","a%20b/c.csv","12"\n"bucket","d+e.csv","3"\n', "S3 inventory", ["a b/c.csv", "d e.csv"]),
        ("bucket,name,size\nb,x/y.csv,3\n", "CSV inventory", ["x/y.csv"]),
        (
            "project;bucket;name;timeCreated;storageClass\n12;b;x/y,z.csv;2024-05-01T10:00:00Z;STANDARD\n",
            "CSV inventory",
            ["x/y,z.csv"],
        ),
    ],
)
def test_lists_that_tools_write_are_recognised(text: str, form: str, paths: list[str]):
    assert (paths, form) == tuple(read_listing(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<!DOCTYPE html>\n<html>", "an HTML page"),
        ('<?xml version="1.0"?><ListBucketResult>', "an XML listing"),
        (".\n├── a\n└── b\n", "`tree`"),
        ('[{"size": 3}]', "JSON whose entries have no path"),
        (r'["a/\ud800.csv"]', r"half of a character, in 'a/\\ud800.csv'"),
        ("bucket,size\nb,3\n", "CSV table without a column of paths"),
        ("12,b,x/y.csv,2024-05-01T10:00:00Z\n12,b,z.csv,2024-05-02T10:00:00Z\n", "CSV table without a header"),
        ('"12","b","x/y.csv"\n"12","b","z.csv"\n', "CSV table without a header"),
        ("PAR1\x15\x04", "a Parquet file"),
        ("-rw-r--r-- u/g 12 2024-01-05 10:11 a/b.csv\n", "a table of sizes or times that is not read\n"),  # tar -tv
        ("2024-01-05  10:11    <DIR>  a\n2024-01-05  10:11   1,234 b.csv\n", "a table of sizes or times"),
        (
            "2024-01-05 10:11:12   123 a/b.csv\n" * 9 + "a key\n",
            "a table of sizes or times that is not read; the line 'a key' is none of it",
        ),
    ],
)
def test_lists_without_paths_are_refused_by_name(text: str, name: str):
    with pytest.raises(BadInput, match=name):
        read_listing(text)


def test_a_line_that_does_not_fit_makes_all_lines_paths():
    lines = ["2024-01-05 10:11:12   123 a/b.csv", "plain/path.csv"]
    assert (lines, "") == tuple(read_listing("\n".join(lines)))


@pytest.mark.parametrize("text", ["[" * 100_000, f'"a","{"b" * 200_000}"'])
def test_what_no_tool_writes_is_a_path(text: str):
    limit = csv.field_size_limit(1_000_000)  # as reading tables in the same process raises it
    try:
        assert ([text], "") == tuple(read_listing(text))
    finally:
        csv.field_size_limit(limit)


def test_unmatched_paths_make_apply_fail_unless_they_are_allowed():
    def status(*words: str) -> int:
        return run("apply", "r.yaml", *PATHS, "x/other.csv", "x/_SUCCESS", *words).exit_code

    assert [1, 0, 0, 1] == [
        status(),
        status("--max-unmatched", "1"),
        status("--max-unmatched", "20%"),
        status("--max-unmatched", "5%"),
    ]
    assert "1 more are noise" in run("apply", "r.yaml", *PATHS, "x/_SUCCESS").stderr
    assert 0 == run("apply", "r.yaml", *PATHS, "x/_SUCCESS").exit_code
    assert 2 == status("--max-unmatched", "few")


def test_a_second_file_of_rules_is_not_taken_for_a_path():
    Path("s.yaml").write_text(RULE, encoding="utf-8")
    done = run("apply", "r.yaml", "s.yaml", *PATHS, "--max-unmatched", "9")
    assert (2, "") == (done.exit_code, done.stdout)
    assert "'s.yaml' is a second file of rules, and only the first is applied" in done.stderr


def test_fields_of_several_segments_are_joined_to_a_date_and_stay():
    days = [f"in/{year}/{month:02}/{day:02}/x.csv" for year in (2023, 2024) for month, day in ((1, 31), (2, 9))]
    text = "name: days\nglob: '**/*/*/*/x.csv'\nextract:\n" + "".join(
        f"  {name}: {{from: segment({at}), type: integer}}\n" for name, at in (("year", -4), ("month", -3), ("day", -2))
    )
    Path("d.yaml").write_text(text, encoding="utf-8")
    done = run("edit", "d.yaml", *days, "--join", "year+month+day=date")
    assert 0 == done.exit_code, done.output
    rule = load_rule(Path("d.yaml").read_text(encoding="utf-8"))
    assert {"year": 2025, "month": 3, "day": 5, "date": "2025-03-05"} == apply_rule(rule, "in/2025/03/05/x.csv").values
    assert 0 == run("edit", "d.yaml", *days, "--join", "day+month=pair:_").exit_code
    rule = load_rule(Path("d.yaml").read_text(encoding="utf-8"))
    assert "05_03" == apply_rule(rule, "in/2025/03/05/x.csv").values["pair"]
    for wrong in ("year=only", "year+nothing=x", "year+month=day", "date+day=x"):
        assert 2 == run("edit", "d.yaml", *days, "--join", wrong).exit_code, wrong


def test_a_join_never_reads_a_day_as_a_month():
    days = [f"in/{year}/{month:02}/{day:02}/x.csv" for year in (2023, 2024) for month, day in ((1, 3), (2, 9))]
    for names in (("year", "month", "day"), ("year", "number", "number_2")):
        places = zip(names, (-4, -3, -2), strict=True)
        fields = "".join(f"  {one}: {{from: segment({at}), type: integer}}\n" for one, at in places)
        Path(f"{names[1]}.yaml").write_text(f"name: d\nglob: '**/*/*/*/x.csv'\nextract:\n{fields}", encoding="utf-8")
    swapped = run("edit", "month.yaml", *days, "--join", "year+day+month=date")
    assert (2, True) == (swapped.exit_code, "year+month+day" in swapped.output)
    either = run("edit", "number.yaml", *days, "--join", "year+number_2+number=date")
    assert (2, True) == (either.exit_code, "the month?" in either.output)
    assert (
        0 == run("edit", "number.yaml", *days, "in/2024/02/29/x.csv", "--join", "year+number+number_2=date").exit_code
    )
    joined_without_mark = run("edit", "number.yaml", "in/2024/02/11/x.csv", "--join", "year+number_2+number=other:")
    assert (2, True) == (joined_without_mark.exit_code, "the month?" in joined_without_mark.output)
    for names in (("year", "day", "number"), ("year", "number", "month")):
        places = zip(names, (-4, -3, -2), strict=True)
        fields = "".join(f"  {one}: {{from: segment({at}), type: integer}}\n" for one, at in places)
        Path("named.yaml").write_text(f"name: d\nglob: '**/*/*/*/x.csv'\nextract:\n{fields}", encoding="utf-8")
        named = run("edit", "named.yaml", "in/2024/12/25/x.csv", "--join", f"{'+'.join(names)}=date")
        assert (2, True) == (named.exit_code, "read as the month" in named.output), names
    assert 0 == run("edit", "month.yaml", *days, "--join", "day+month+year=date").exit_code
    rule = load_rule(Path("month.yaml").read_text(encoding="utf-8"))
    assert "2025-03-05" == apply_rule(rule, "in/2025/03/05/x.csv").values["date"]


def test_a_number_becomes_a_time_since_1970():
    rule = "name: ev\nglob: '**/*.json'\nextract: {at: {from: filename, pattern: '^([0-9]+)'}}\n"
    Path("e.yaml").write_text(rule, encoding="utf-8")
    assert 0 == run("edit", "e.yaml", "in/1720000000.json", "--retype", "at=timestamp:epoch").exit_code
    found = apply_rule(load_rule(Path("e.yaml").read_text(encoding="utf-8")), "in/1720000000.json")
    assert "2024-07-03T09:46:40Z" == found.values["at"]


PADDED = r"""version: 2
name: codes
glob: '**/day=*/*_*.csv'
extract:
  code:
    {from: filename, pattern: '^([^_]+)_[^_]*\.csv$', normalize: uppercase, null: [none], description: a code}
  level: {from: filename, pattern: '_([0-9]+)\.csv$', type: integer, default: 0}
  note: {from: filename, pattern: '_([a-z]+)\.csv$', default: null}
  day: {from: segment(-2), pattern: '^day=(.+)$'}
tag: codes
"""
CODED = ("x/day=2024-01-05/ab-cd_7.csv", "x/day=2024-01-06/ef-gh_9.csv", "x/day=2024-01-07/none_.csv")


def coded(*words: str) -> Result:
    Path("c.yaml").write_text(PADDED, encoding="utf-8")
    return run("edit", "c.yaml", *CODED, *words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--split", "code=-:level,part"), "already is a field 'level'"),
        (("--split", "code=-:part,part"), "'part' is given twice"),
        (("--retype", "level=uuid"), "level"),
        (("--rename", "level=day"), "already is a field 'day'"),
        (("--join", "code+day=key"), "'none' means null"),
    ],
)
def test_an_edit_that_makes_an_invalid_rule_leaves_the_file_as_it_was(words: tuple[str, ...], said: str):
    done = coded(*words)
    assert (2, True) == (done.exit_code, said in done.output)
    assert PADDED == Path("c.yaml").read_text(encoding="utf-8")


def test_the_parts_of_a_split_field_keep_what_is_said_of_it():
    assert 0 == coded("--split", "code=-:first,second").exit_code
    rule = load_rule(Path("c.yaml").read_text(encoding="utf-8"))
    assert [("uppercase", "a code")] * 2 == [(one.normalize, one.description) for one in rule.fields[:2]]
    values = [apply_rule(rule, path).values for path in CODED]
    assert [("AB", "CD"), ("EF", "GH"), (None, None)] == [(one["first"], one["second"]) for one in values]


def test_a_field_whose_null_text_has_the_mark_is_not_split():
    Path("c.yaml").write_text(PADDED.replace("[none]", "[n-a]"), encoding="utf-8")
    done = run("edit", "c.yaml", "--split", "code=-:first,second")
    assert (2, True) == (done.exit_code, "'n-a'" in done.output)


def test_a_join_of_a_field_that_may_be_missing_has_the_type_of_the_samples_that_have_it():
    assert 0 == coded("--join", "day+level=key").exit_code
    rule = load_rule(Path("c.yaml").read_text(encoding="utf-8"))
    assert "string" == rule.fields[-1].type
    assert ["2024-01-05-7", "2024-01-06-9", None] == [apply_rule(rule, path).values["key"] for path in CODED]


def test_a_joined_field_is_normalised_as_its_parts_are():
    Path("c.yaml").write_text(PADDED.replace(", null: [none]", ""), encoding="utf-8")
    run("edit", "c.yaml", "--split", "code=-:first,second")
    assert 0 == run("edit", "c.yaml", *CODED[:2], "--join", "first+second=key:/").exit_code
    rule = load_rule(Path("c.yaml").read_text(encoding="utf-8"))
    assert "AB/CD" == apply_rule(rule, CODED[0]).values["key"]
    refused = run("edit", "c.yaml", *CODED[:2], "--join", "first+level=other")
    assert (2, True) == (refused.exit_code, "uppercase" in refused.output)

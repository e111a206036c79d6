"""`retouch rule apply`, `retouch rule test`, `retouch rule conflicts`: through the real command line."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from retouch.cli.root import command

RULE = """\
name: daily
glob: "**/m_*/*/*.csv"
extract:
  number: {from: segment(-3), pattern: ^m_(\\d+)$, type: integer}
  day: {from: segment(-2), type: date}
  kind: {from: filename, pattern: ^(.+)\\.csv$}
tag: daily
"""
GOOD, HALF, OFF = "/d/m_1/2024-01-05/a.csv", "/d/m_x/2024-01-06/b.csv", "/d/m_1/x.csv"

Retouch = Callable[..., Result]


@pytest.fixture(autouse=True)
def work_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new current directory with a rule."""
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RULE, encoding="utf-8")
    return tmp_path


@pytest.fixture
def retouch() -> Retouch:
    """Run `retouch rule` with further arguments."""

    def run(*words: str, given: str | None = None) -> Result:
        return CliRunner().invoke(command, ["rule", *words], input=given)

    return run


def rows(done: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_values_are_written_as_json_lines(retouch: Retouch):
    done = retouch("apply", "r.yaml", GOOD, OFF, "--max-unmatched", "1")
    assert 0 == done.exit_code
    values = {"number": 1, "day": "2024-01-05", "kind": "a"}
    assert [{"path": GOOD, "rule": "daily", "status": "COMPLETE", "values": values, "reasons": {}}] == rows(done)
    assert "1 complete, 0 partial, 0 failed, 1 unmatched" in done.stderr


def test_missing_fields_are_reported_and_give_status_one(retouch: Retouch):
    done = retouch("apply", "r.yaml", HALF)
    assert 1 == done.exit_code
    (row,) = rows(done)
    assert ("PARTIAL", "PATTERN_NO_MATCH") == (row["status"], row["reasons"]["number"]["code"])
    assert "number: PATTERN_NO_MATCH on 1 path" in done.stderr


def test_unmatched_paths_come_nearest_first_with_the_reason(retouch: Retouch):
    done = retouch("apply", "r.yaml", "/y/z", OFF, GOOD, "--unmatched")
    assert 0 == done.exit_code
    assert [OFF, "/y/z"] == [row["path"] for row in rows(done)]
    assert rows(done)[0]["why"].startswith(("the folder 'd'", "nothing in the path"))


def test_a_directory_means_its_files_and_a_list_its_lines(retouch: Retouch):
    place = Path("in/m_7/2024-02-01")
    place.mkdir(parents=True)
    (place / "k.csv").touch()
    Path("list.txt").write_text(f"{GOOD}\r\n\n{GOOD}\n", encoding="utf-8")
    done = retouch("apply", "r.yaml", "in", "@list.txt", "-", given="m_8/2024-02-01/z.csv")
    assert 0 == done.exit_code
    assert ["in/m_7/2024-02-01/k.csv", GOOD, GOOD, "m_8/2024-02-01/z.csv"] == [row["path"] for row in rows(done)]


def test_the_root_is_what_relative_globs_start_from(retouch: Retouch, work_folder: Path):
    Path("r.yaml").write_text("name: a\nglob: 'in/*.csv'\nextract: {f: {from: rel_path}}", encoding="utf-8")
    Path("in").mkdir()
    Path("in/k.csv").touch()
    assert 1 == retouch("apply", "r.yaml", "in").exit_code
    done = retouch("apply", "r.yaml", "in", str(work_folder / "in" / "k.csv"), "in/k.csv", "--root", ".")
    assert ["in/k.csv"] * 3 == [row["values"]["f"] for row in rows(done)]


def test_csv_has_a_column_for_each_field(retouch: Retouch):
    done = retouch("apply", "r.yaml", GOOD, HALF, "-o", "out.csv")
    assert (1, "") == (done.exit_code, done.stdout)
    with Path("out.csv").open(newline="", encoding="utf-8") as stream:
        table = list(csv.reader(stream))
    assert ["path", "rule", "status", "number", "day", "kind"] == table[0]
    assert [GOOD, "daily", "COMPLETE", "1", "2024-01-05", "a"] == table[1]
    assert [HALF, "daily", "PARTIAL", "", "2024-01-06", "b"] == table[2]
    assert ["out.csv", "r.yaml"] == sorted(path.name for path in Path().iterdir())


def test_parquet_is_typed_or_names_the_missing_package(retouch: Retouch):
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError:
        done = retouch("apply", "r.yaml", GOOD, "-o", "out.parquet")
        assert 2 == done.exit_code
        assert "pip install pyarrow" in done.stderr
        return
    retouch("apply", "r.yaml", GOOD, HALF, "-o", "out.parquet")
    table = parquet.read_table("out.parquet")
    assert ["string", "string", "string", "int64", "date32[day]", "string"] == [str(one) for one in table.schema.types]
    assert [1, None] == table.column("number").to_pylist()


def test_of_several_rules_the_lowest_priority_number_takes_a_path(retouch: Retouch):
    other = "{name: other, glob: '**/*.csv', tag: t, priority: 5}"
    Path("r.yaml").write_text(f"version: 1\nrules:\n- {{name: all, glob: '**', tag: t}}\n- {other}\n", encoding="utf-8")
    done = retouch("apply", "r.yaml", GOOD, "/x.txt", "--json")
    assert ["other", "all"] == [row["rule"] for row in json.loads(done.stdout)["rows"]]
    assert 2 == json.loads(done.stdout)["counts"]["COMPLETE"]


@pytest.mark.parametrize("words", [["--json", "-o", "x"], ["--unmatched", "--format", "csv"], ["--format", "parquet"]])
def test_what_does_not_go_together_is_misuse(retouch: Retouch, words: list[str]):
    assert 2 == retouch("apply", "r.yaml", GOOD, *words).exit_code


def test_an_invalid_rule_is_reported_with_all_errors_and_its_file(retouch: Retouch):
    Path("r.yaml").write_text("name: A\nglob: 'x['\nextarct: {}\n", encoding="utf-8")
    done = retouch("apply", "r.yaml", GOOD)
    assert 2 == done.exit_code
    for said in (
        "'r.yaml'",
        "line 1, column 7",
        "line 2, column 9",
        "[UNKNOWN_KEY]",
        "     |       ^",
        "next: Write 'a'.",
    ):
        assert said in done.stderr
    Path("r.yaml").write_bytes(b"name: \xff")
    assert "[ENCODING_ERROR]" in retouch("apply", "r.yaml", GOOD).stderr


def test_repairs_and_warnings_are_shown(retouch: Retouch):
    Path("r.yaml").write_text("name: a\nglob: *.csv\ntag: t\n", encoding="utf-8")
    done = retouch("apply", "r.yaml", "x.csv")
    assert "repaired: quotes around a bare glob or pattern" in done.stderr
    assert "[GLOB_AT_TOP_ONLY]" in done.stderr


def test_escape_sequences_of_a_path_do_not_reach_the_terminal(retouch: Retouch):
    assert "\x1b" not in retouch("apply", "r.yaml", "/d/m_1/2024-01-05/\x1b[2J.csv").stdout
    assert "\x1b" not in retouch("apply", "r.yaml", "/d/m_1/\x1b[2J.csv", "--unmatched").stdout


def expect(*lines: Any) -> None:
    Path("expect.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_what_is_as_expected_gives_status_nought(retouch: Retouch):
    fields = {"number": 1, "day": "2024-01-05", "kind": "a"}
    expect({"path": GOOD, "fields": fields}, {"path": OFF, "fields": None}, {"path": HALF, "fields": None})
    done = retouch("test", "r.yaml", "--expect", "expect.jsonl")
    assert (0, "3 paths: all as expected\n") == (done.exit_code, done.stdout)


def test_each_difference_is_shown_with_its_reason(retouch: Retouch):
    expect(
        {"path": GOOD, "fields": {"number": True, "day": "2024-01-05", "other": 1}},
        {"path": GOOD, "fields": None},
        {"path": OFF, "fields": {"kind": "x"}},
        {"path": HALF, "fields": {"number": 1, "day": "2024-01-06", "kind": "b"}},
    )
    done = retouch("test", "r.yaml", "--expect", "expect.jsonl", "--json")
    assert 1 == done.exit_code
    found = json.loads(done.stdout)
    assert (4, 3) == (found["paths"], found["differing"])
    assert ["number", "other", "kind", None, None, "number"] == [one["field"] for one in found["differences"]]
    said = retouch("test", "r.yaml", "--expect", "expect.jsonl").stdout
    for words in (
        "expected true, got 1",
        "has no such field",
        "not expected",
        "but must not",
        "does not match:",
        "finds nothing",
    ):
        assert words in said


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"path": 1}', '{"path": "a", "fields": 3}', '{"path": "a"}'])
def test_expectations_that_cannot_be_read_are_named_by_line(retouch: Retouch, text: str):
    Path("expect.jsonl").write_text(text, encoding="utf-8")
    done = retouch("test", "r.yaml", "--expect", "expect.jsonl")
    assert 2 == done.exit_code
    assert "'expect.jsonl'" in done.stderr
    assert "next: " in done.stderr


def test_conflicts_are_shown_by_a_possible_path_and_counted_over_given_ones(retouch: Retouch):
    Path("s.yaml").write_text("name: a_all\nglob: '**/*.csv'\ntag: t\npriority: 200", encoding="utf-8")
    Path("t.yaml").write_text("name: text\nglob: '**/*.txt'\ntag: t", encoding="utf-8")
    done = retouch("conflicts", "r.yaml", "s.yaml", "t.yaml", "--json")
    (one,) = json.loads(done.stdout)["conflicts"]
    assert (0, "daily", "a_all", "priority", None) == (
        done.exit_code,
        one["winner"],
        one["loser"],
        one["decided_by"],
        one["common"],
    )
    assert 0 == retouch("apply", "s.yaml", one["example"]).exit_code
    counted = retouch("conflicts", "r.yaml", "s.yaml", "--paths", GOOD, "--paths", HALF, "--paths", "/x.csv", "--json")
    assert (2, GOOD) == tuple(json.loads(counted.stdout)["conflicts"][0][key] for key in ("common", "example"))


def test_a_conflict_that_only_the_name_decides_gives_status_one(retouch: Retouch):
    Path("s.yaml").write_text("name: a_all\nglob: '**/*.csv'\ntag: t", encoding="utf-8")
    done = retouch("conflicts", "r.yaml", "s.yaml")
    assert 1 == done.exit_code
    assert "a_all" in done.stdout.splitlines()[1]
    assert "no conflicts\n" == retouch("conflicts", "r.yaml").stdout
    assert "nothing" in retouch("conflicts", "r.yaml", "r.yaml").stdout

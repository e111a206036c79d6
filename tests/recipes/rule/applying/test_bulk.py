"""Many paths at once: the same results as one by one, in order, before the list ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.cli.root import command
from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.applying.bulk import bulk_reader

RULES = {
    "ends": """\
glob: '**/pool/*/????-??-??/*_*.{deb,rpm}'
extract:
  arch: {from: filename, pattern: '^[^_]+_([^_]+)\\.(?:deb|rpm)$'}
  package: {from: filename, pattern: '^([^_]+)_[^_]+\\.(?:deb|rpm)$'}
  day: {from: segment(-2), type: date}
  part: {from: segment(-3), normalize: lowercase}
""",
    "optional": """\
glob: '*/m*'
extract:
  number: {from: filename, pattern: '^m([0-9]+)?', type: integer, default: null}
  above: {from: segment(-2), pattern: 'a(.*)$'}
""",
    "from the top": "glob: '/a/**'\nextract: {whole: {from: filename}, third: {from: segment(-3)}}\n",
    "a class with a bracket": "glob: '**'\nextract: {a: {from: filename, pattern: '^[(]([a-z]+)x'}}\n",
}
PARTS = st.sampled_from(
    ["a", "pool", "Main", "2024-01-05", "2024-13-05", "x_y.deb", "x_é.rpm", "m7", "m", "(ax", ".", "", "\\", "b\n"]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=6), st.booleans(), st.sampled_from(sorted(RULES)))
@example(["pool", "Main", "2024-01-05", "x_y.deb"], False, "ends")
@example(["a", "m7"], False, "optional")
@example(["a", "b", "c"], True, "from the top")
@example(["(ax"], False, "a class with a bracket")
def test_what_the_fast_way_is_certain_of_is_what_the_rule_gives(parts: list[str], absolute: bool, name: str) -> None:
    rule = load_rule(f"name: r\n{RULES[name]}")
    read = bulk_reader(rule)
    assert read is not None
    path = f"{'/' if absolute else ''}{'/'.join(parts)}"
    values = read(path)
    if values is not None:
        one = apply_rule(rule, path)
        assert ("COMPLETE", {}) == (one.status, one.reasons)
        assert list(one.values.items()) == list(zip([field.name for field in rule.fields], values, strict=True))


@pytest.mark.parametrize(
    ("name", "path"),
    [("ends", "/s/pool/Main/2024-01-05/x_y.deb"), ("optional", "ab/m7"), ("from the top", "/a/b/c")],
)
def test_usual_paths_are_read_in_the_fast_way(name: str, path: str) -> None:
    read = bulk_reader(load_rule(f"name: r\n{RULES[name]}"))
    assert read is not None
    assert read(path) is not None


TYPED = """\
version: 2
name: typed
glob: '**/*/*/*_*_*.csv'
extract:
  at: {parts: [{from: segment(-3)}, {from: segment(-2), pattern: '^t(.+)$'}], join: ' ', type: timestamp}
  price: {from: filename, pattern: '^([^_]+)_', type: decimal}
  share: {from: filename, pattern: '_([^_]+)_', type: float}
  epoch: {from: filename, pattern: '_([0-9]+)\\.csv$', type: timestamp, format: epoch_ms, default: null}
tag: typed
"""


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A current directory with a rule of all types, and paths."""
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(TYPED, encoding="utf-8")
    Path("paths.txt").write_text("d/2024-03-05/t0930/1.50_2.5e-1_1700000000123.csv\nd/2024-03-06/t2359/7_1_x.csv\n")


@pytest.mark.usefixtures("paths")
def test_times_and_numbers_have_their_types_in_every_output() -> None:
    found = CliRunner().invoke(command, ["rule", "apply", "r.yaml", "@paths.txt"])
    first, second = (json.loads(line)["values"] for line in found.stdout.splitlines())
    expected = {"at": "2024-03-05T09:30:00", "price": "1.50", "share": 0.25, "epoch": "2023-11-14T22:13:20.123Z"}
    assert expected == first
    assert {"at": "2024-03-06T23:59:00", "price": "7", "share": 1.0, "epoch": None} == second
    assert 0 == CliRunner().invoke(command, ["rule", "apply", "r.yaml", "@paths.txt", "-o", "o.parquet"]).exit_code
    table: Any = import_module("pyarrow.parquet").read_table("o.parquet")
    assert [datetime(2024, 3, 5, 9, 30), datetime(2024, 3, 6, 23, 59)] == table["at"].to_pylist()
    assert ["1.50", "7"] == table["price"].to_pylist()
    assert [0.25, 1.0] == table["share"].to_pylist()
    assert [datetime(2023, 11, 14, 22, 13, 20, 123000), None] == table["epoch"].to_pylist()


@pytest.mark.usefixtures("paths")
def test_a_number_of_more_than_64_bits_is_refused_in_parquet() -> None:
    Path("n.yaml").write_text("name: n\nglob: '**'\nextract: {n: {from: filename, type: integer}}\n", encoding="utf-8")
    found = CliRunner().invoke(command, ["rule", "apply", "n.yaml", f"a/{1 << 70}", "-o", "o.parquet"])
    assert "more than 64 bits" in found.stderr
    assert not Path("o.parquet").exists()


@pytest.mark.usefixtures("paths")
def test_days_are_days_in_parquet() -> None:
    Path("d.yaml").write_text("name: d\nglob: '**'\nextract: {day: {from: filename, type: date}}\n", encoding="utf-8")
    assert 0 == CliRunner().invoke(command, ["rule", "apply", "d.yaml", "a/2024-02-29", "-o", "o.parquet"]).exit_code
    table: Any = import_module("pyarrow.parquet").read_table("o.parquet")
    assert [date(2024, 2, 29)] == table["day"].to_pylist()


@pytest.mark.usefixtures("paths")
def test_rows_are_written_before_the_list_ends() -> None:
    Path("d.yaml").write_text("name: d\nglob: '**'\nextract: {day: {from: filename, type: date}}\n", encoding="utf-8")
    arguments = [sys.executable, "-m", "retouch", "rule", "apply", "d.yaml", "-"]
    lines = "".join(f"a/2024-01-{day:02}\n" for day in range(1, 31))
    with subprocess.Popen(
        arguments,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ},
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines)
        process.stdin.flush()
        assert "2024-01-01" == json.loads(process.stdout.readline())["values"]["day"]
        process.stdin.write("a/2024-02-29")
        process.stdin.close()
        rest = process.stdout.read().splitlines()
    assert "2024-02-29" == json.loads(rest[-1])["values"]["day"]
    assert 30 == len(rest)


def test_lists_of_tools_are_recognised_also_if_they_are_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("d.yaml").write_text("name: d\nglob: '**'\nextract: {day: {from: filename, type: date}}\n", encoding="utf-8")
    listed = "".join(f"2024-03-05 03:00:00 {n} a/2024-01-{n % 28 + 1:02}\n" for n in range(5000))
    Path("s3.txt").write_text(listed, encoding="utf-8")
    Path("all.json").write_text(
        json.dumps([f"a/2024-01-{n % 28 + 1:02}" for n in range(5000)], indent=1), encoding="utf-8"
    )
    for file, form in (("s3.txt", "aws s3 ls"), ("all.json", "JSON")):
        found = CliRunner().invoke(command, ["rule", "apply", "d.yaml", f"@{file}"])
        assert f"read as {form}: 5,000 paths" in found.stderr
        assert 5000 == len(found.stdout.splitlines())


def test_files_of_a_url_are_listed_through_fsspec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    memory: Any = import_module("fsspec").filesystem("memory")
    for n in (1, 2):
        memory.pipe(f"/lake/d/2024-01-0{n}", b"")
    memory.pipe("/lake/list.txt", b"d/2024-05-06\n")
    Path("d.yaml").write_text("name: d\nglob: '**'\nextract: {day: {from: filename, type: date}}\n", encoding="utf-8")
    found = CliRunner().invoke(command, ["rule", "apply", "d.yaml", "memory://lake/d/"])
    rows = [json.loads(line) for line in found.stdout.splitlines()]
    assert [("memory://lake/d/2024-01-01", "2024-01-01"), ("memory://lake/d/2024-01-02", "2024-01-02")] == [
        (row["path"], row["values"]["day"]) for row in rows
    ]
    read = CliRunner().invoke(command, ["rule", "apply", "d.yaml", "@memory://lake/list.txt"])
    assert "2024-05-06" == json.loads(read.stdout)["values"]["day"]
    for url, message in (("memory://none/", "has no files"), ("nosuch://x/", "no URL that can be listed")):
        refused = CliRunner().invoke(command, ["rule", "apply", "d.yaml", url])
        assert 2 == refused.exit_code
        assert message in refused.stderr

"""Values of rules that a file format cannot hold as they are: the command fails, and writes no file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from retouch.cli.root import command

RULE = """version: 2
name: t
glob: '**/*.csv'
extract:
  at:
    from: filename
    pattern: '^(.+)\\.csv$'
    type: timestamp
"""


def test_parquet_never_mixes_utc_with_times_of_no_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(RULE, encoding="utf-8")
    plain, utc = "/d/2024-01-05T10:00:00.csv", "/d/2024-01-05T10:00:00Z.csv"

    def applied(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(command, ["rule", "apply", "t.yaml", *words])
        return done.exit_code, done.output

    status, output = applied(plain, utc, "-o", "mixed.parquet")
    assert (2, True) == (status, "some timestamps of at end with Z" in output)
    assert not Path("mixed.parquet").exists()
    assert [0, 0] == [applied(plain, plain, "-o", "a.parquet")[0], applied(utc, utc, "-o", "b.parquet")[0]]
    rows = CliRunner().invoke(command, ["rule", "apply", "t.yaml", plain, utc]).stdout.splitlines()
    assert ["2024-01-05T10:00:00", "2024-01-05T10:00:00Z"] == [json.loads(one)["values"]["at"] for one in rows]

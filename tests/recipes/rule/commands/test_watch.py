"""`retouch rule watch`: only new paths, drift, limits, and a state that forgets nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command

RULE = """name: r
glob: 'in/*/site_*/*.csv'
extract:
  day: {from: segment(-3), type: date}
  site: {from: segment(-2), pattern: '^site_(.+)$'}
"""
FIRST = [f"in/2024-01-0{n}/site_a/x.csv" for n in range(1, 7)]
MAPS = [f"in/2024-03-0{n}/maps/m{n}.png" for n in range(1, 7)]


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RULE, encoding="utf-8")


def watch(*paths: str, more: tuple[str, ...] = ()) -> tuple[int, dict[str, Any]]:
    Path("l.txt").write_text("\n".join(paths), encoding="utf-8")
    words = ["rule", "watch", "@l.txt", "--rule", "r.yaml", "--state", "s.json", "--json", *more]
    done = CliRunner().invoke(command, words)
    return done.exit_code, json.loads(done.stdout)


def test_only_new_paths_are_read() -> None:
    assert 6 == watch(*FIRST)[1]["new"]
    status, found = watch(*FIRST, "in/2024-01-07/site_a/x.csv")
    assert (0, 1, {"COMPLETE": 1}) == (status, found["new"], found["counts"])


def test_unmatched_paths_are_grouped_and_an_extension_is_proposed() -> None:
    watch(*FIRST)
    status, found = watch(*FIRST, *MAPS, "in/x.csv", "in/_SUCCESS")
    assert (1, ["unmatched"]) == (status, found["exceeded"])
    shapes = [(one["shape"], one["count"]) for one in found["unmatched"]]
    assert [("4 segments, .png", 6), ("2 segments, .csv", 1)] == shapes
    assert 1 == found["counts"]["noise"]
    assert "+  - name: maps" in found["extension"]


def test_the_fields_of_an_extension_are_called_like_those_of_the_rule() -> None:
    Path("r.yaml").write_text(RULE.replace("day:", "at:").replace("site:", "place:"), encoding="utf-8")
    watch(*FIRST)
    found = watch(*FIRST, *(f"in/2024-03-0{n}/site_{site}/plots/m{n}.png" for n, site in enumerate("abcabc", 1)))[1]
    assert {"+      at:", "+      place:"} <= {*found["extension"].splitlines()}
    assert "+        type: date" in found["extension"]


def test_what_exceeds_a_limit_is_reported_until_it_is_accepted() -> None:
    watch(*FIRST)
    before = Path("s.json").read_bytes()
    assert [1, 1] == [watch(*FIRST, *MAPS)[0] for _ in range(2)]
    assert before == Path("s.json").read_bytes()
    status, found = watch(*FIRST, *MAPS, more=("--accept",))
    assert (0, True, ["unmatched"]) == (status, found["recorded"], found["exceeded"])
    assert (0, 0) == (watch(*FIRST, *MAPS)[0], watch(*FIRST, *MAPS)[1]["new"])


def test_a_field_that_breaks_and_a_value_never_seen_are_reported() -> None:
    assert {} == watch(*FIRST)[1]["values"]
    status, found = watch("in/2024-13-01/site_b/x.csv", more=("--max-broken", "1"))
    assert (0, {"site": ["b"]}) == (status, found["values"])
    assert {"day: TYPE_COERCION_FAILED"} == set(found["broken"])
    assert 1 == watch("in/2024-02-01/site_c/x.csv", more=("--max-new-values", "0"))[0]


def test_a_share_is_a_limit_of_the_new_paths() -> None:
    assert [1, 0] == [watch(*FIRST, MAPS[0], more=("--max-unmatched", share))[0] for share in ("14%", "15%")]


def test_after_a_change_of_the_rule_all_paths_are_new() -> None:
    watch(*FIRST)
    Path("r.yaml").write_text(RULE.replace("site_*", "site_b*"), encoding="utf-8")
    status, found = watch(*FIRST)
    assert (1, {"UNMATCHED": 6}) == (status, found["counts"])


@pytest.mark.parametrize("text", ["[]", "{}", '{"version": 2}', "no json"])
def test_a_file_that_is_no_state_is_refused_and_kept(text: str) -> None:
    Path("s.json").write_text(text, encoding="utf-8")
    Path("l.txt").write_text(FIRST[0], encoding="utf-8")
    done = CliRunner().invoke(command, ["rule", "watch", "@l.txt", "--rule", "r.yaml", "--state", "s.json"])
    assert 0 != done.exit_code
    assert text == Path("s.json").read_text(encoding="utf-8")

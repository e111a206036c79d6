"""`retouch rule watch` never exits with 0 for paths that it did not compare with what was seen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from filelock import FileLock

from retouch.cli.root import command
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Callable

RULE = """name: r
glob: 'in/*/site_*/*.csv'
extract:
  day: {from: segment(-3), type: date}
  site: {from: segment(-2), pattern: '^site_(.+)$'}
  flag: {from: filename, pattern: '_([a-z]+)[.]csv$'}
"""
FIRST = ("in/2024-01-01/site_a/x.csv", "in/2024-01-02/site_a/x.csv")


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("r.yaml").write_text(RULE, encoding="utf-8")


def watch(*paths: str, rule: str = "r.yaml") -> tuple[int, str]:
    Path("l.txt").write_text("\n".join(paths), encoding="utf-8")
    words = [
        "rule",
        "watch",
        "@l.txt",
        "--rule",
        rule,
        "--state",
        "s.json",
        "--max-new-values",
        "0",
        "--max-broken",
        "9",
    ]
    done = CliRunner().invoke(command, words)
    return done.exit_code, done.output


def test_an_optional_field_whose_text_cannot_be_read_is_broken() -> None:
    Path("o.yaml").write_text(RULE.replace("type: date", "type: date, default: null"), encoding="utf-8")
    Path("l.txt").write_text("in/2024-13-01/site_a/x_q.csv\nin/2024-01-01/site_a/x_q.csv", encoding="utf-8")
    words = ["rule", "watch", "@l.txt", "--rule", "o.yaml", "--state", "o.json", "--json"]
    done = CliRunner().invoke(command, words)
    found = json.loads(done.stdout)
    assert (1, ["broken"]) == (done.exit_code, found["exceeded"])
    assert {"day: TYPE_COERCION_FAILED": {"count": 1, "example": "in/2024-13-01/site_a/x_q.csv"}} == found["broken"]


@pytest.mark.parametrize("listing", [(), ("",), ("", " ", "")])
def test_an_empty_listing_is_an_error(listing: tuple[str, ...]) -> None:
    assert 0 == watch(*FIRST)[0]
    status, output = watch(*listing)
    assert (2, True) == (status, "no paths" in output)


def with_values(value: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda state: {**state, "values": {"site": value}}


def with_seen(*more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda state: {**state, "seen": [*state["seen"], *more]}


@pytest.mark.parametrize(
    "damage",
    [
        with_values(7),
        with_values({"a": 1}),
        with_values("ab"),
        with_values(["a", 1]),
        with_seen(1),
        with_seen(None),
    ],
)
def test_a_damaged_state_hides_no_new_value(damage: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    watch(*FIRST)
    damaged = json.dumps(damage(json.loads(Path("s.json").read_text(encoding="utf-8"))))
    Path("s.json").write_text(damaged, encoding="utf-8")
    status, output = watch("in/2024-01-03/site_b/x.csv")
    assert (2, True) == (status, "damaged" in output)
    assert damaged == Path("s.json").read_text(encoding="utf-8")


def test_a_state_of_another_rule_is_not_overwritten() -> None:
    watch(*FIRST)
    before = Path("s.json").read_bytes()
    Path("o.yaml").write_text(RULE.replace("name: r", "name: other"), encoding="utf-8")
    status, output = watch(*FIRST, rule="o.yaml")
    assert (2, True) == (status, "'other'" in output)
    assert before == Path("s.json").read_bytes()


def test_a_state_of_an_earlier_version_without_a_name_is_read() -> None:
    watch(*FIRST)
    state = json.loads(Path("s.json").read_text(encoding="utf-8"))
    del state["name"]
    Path("s.json").write_text(json.dumps(state), encoding="utf-8")
    assert 1 == watch("in/2024-01-03/site_b/x.csv")[0]


def test_the_first_value_of_a_field_that_no_path_had_before_is_new() -> None:
    watch(*FIRST)
    status, output = watch("in/2024-01-03/site_a/x_late.csv")
    assert (1, True) == (status, "new values of flag: late" in output)


WORDS = [sys.executable, "-m", "retouch", "rule", "watch", "@l.txt", "--rule", "r.yaml", "--state", "s.json"]


def test_what_could_not_be_reported_is_reported_by_the_next_run() -> None:
    watch(*FIRST)
    Path("l.txt").write_text("in/2024-01-03/site_mars/x_a.csv", encoding="utf-8")
    with Path("/dev/full").open("wb") as full:
        lost = subprocess.run(WORDS, stdout=full, stderr=subprocess.DEVNULL, check=False)
    assert 0 != lost.returncode
    assert "new values of site: mars" in subprocess.run(WORDS, capture_output=True, text=True, check=False).stdout


def test_runs_with_one_state_wait_for_each_other_and_forget_nothing() -> None:
    watch(FIRST[0])
    seen = Path("s.json").read_bytes()
    watch(*FIRST)
    later = Path("s.json").read_bytes()
    Path("s.json").write_bytes(seen)
    many = [f"in/2024-01-03/site_a/{number:04}_a.csv" for number in range(5_000)]  # more than a pipe holds
    with FileLock("s.json.lock"):
        other = subprocess.Popen([*WORDS, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        assert other.stdin is not None
        other.stdin.write("\n".join(many).encode())
        other.stdin.close()
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(timeout=2)
        Path("s.json").write_bytes(later)
    assert 0 == other.wait(timeout=MOST_S)
    assert "0 new paths" in watch(*FIRST, *many)[1]


def test_a_state_with_a_name_that_is_not_utf_8_can_be_read_again() -> None:
    Path("l.txt").write_bytes(b"in/2024-01-03/site_K\xfcche/x_a.csv")
    runs = [subprocess.run(WORDS, capture_output=True, check=False) for _ in range(2)]
    assert [b"1 new path: 1 complete\n", b"0 new paths\n"] == [one.stdout for one in runs]
    text = Path("s.json").read_text(encoding="utf-8")
    Path("s.json").write_bytes(text.replace("\\udcfc", "\udcfc").encode("utf-8", "surrogateescape"))  # as 0.1 wrote it
    assert 0 == subprocess.run(WORDS, capture_output=True, check=False).returncode

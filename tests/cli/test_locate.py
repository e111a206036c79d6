"""`retouch locate`: candidates as a table, as JSON, and as marked source."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.locate.chisel_tree import IN_CALLEE, NAMED, write_tree

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Retouch

KEYS = [
    "module_id",
    "file",
    "name",
    "qualified_name",
    "kind",
    "start_line",
    "end_line",
    "score",
    "probability",
    "scores",
    "why",
]


@pytest.fixture(autouse=True)
def design(work_folder: Path) -> Path:
    """A design, and two diffs of its Verilog, in the current folder; the index is kept there too."""
    (work_folder / "named.diff").write_text(NAMED)
    (work_folder / "callee.diff").write_text(IN_CALLEE)
    return write_tree(work_folder / "design")


def locate(retouch: Retouch, *words: str, text: str | None = None) -> str:
    result = retouch("locate", *words, "--source", "design", "--cache", "index.json", input=text)
    assert (0, "") == (result.exit_code, result.stderr)
    return result.stdout


def test_json_has_the_shape_that_others_rely_on(retouch: Retouch):
    found = json.loads(locate(retouch, "callee.diff", "--json"))
    assert ["candidates"] == list(found)
    first = found["candidates"][0]
    assert KEYS == list(first)
    assert ["mf", "sl", "fg", "nb"] == list(first["scores"])
    assert ("src/main/scala/util/ByteLanes.scala", "ByteLanes", "object") == (
        first["file"],
        first["name"],
        first["kind"],
    )
    assert (3, 11) == (first["start_line"], first["end_line"])
    assert "gives the names: laneBits" in first["why"]
    scores = [one["score"] for one in found["candidates"]]
    assert sorted(scores, reverse=True) == scores


def test_the_table_says_where_how_likely_and_why(retouch: Retouch):
    head, first, *_ = locate(retouch, "named.diff").splitlines()
    assert ["rank", "name", "place", "chance", "why"] == head.split()
    assert first.startswith("1     Cache")
    assert "src/main/scala/core/Cache.scala:3-10" in first
    assert "%" in first
    assert "same name as Verilog module Cache" in first


def test_only_as_many_are_printed_as_wanted(retouch: Retouch):
    assert 2 == len(json.loads(locate(retouch, "named.diff", "--json", "--top", "2"))["candidates"])
    assert 2 == len(locate(retouch, "named.diff", "--top", "1").splitlines())


def test_a_diff_comes_from_standard_input(retouch: Retouch):
    assert locate(retouch, "named.diff") == locate(retouch, "-", text=NAMED)


def test_the_source_is_printed_with_its_evidence_marked(retouch: Retouch):
    lines = locate(retouch, "callee.diff", "--show", "1").splitlines()
    assert "src/main/scala/util/ByteLanes.scala: object ByteLanes" == lines[0]
    marked = [line for line in lines if line.startswith(">")]
    assert any("5  " in line and line.endswith("<- gives laneBits") for line in marked)
    assert 9 == sum(line[:8].strip(" >").isdigit() for line in lines)


def test_a_number_that_is_not_there_is_misuse(retouch: Retouch):
    result = retouch("locate", "named.diff", "--source", "design", "--cache", "index.json", "--show", "99")
    assert 2 == result.exit_code
    assert "no number 99" in result.stderr


def test_no_candidate_is_an_empty_list_and_no_error(retouch: Retouch, work_folder: Path):
    (work_folder / "empty").mkdir()
    for words in (["--json"], []):
        result = retouch("locate", "named.diff", "--source", "empty", "--cache", "other.json", *words)
        assert 0 == result.exit_code
        assert ({"candidates": []} == json.loads(result.stdout)) if words else "nothing found" in result.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere.diff", "--source", "design"], "nowhere.diff"),
        (["named.diff", "--source", "nowhere"], "nowhere"),
        (["named.diff", "--source", "design", "--rtl", "nowhere"], "nowhere"),
        (["design/words.txt", "--source", "design"], "no changed line"),
        (["named.diff"], "--source"),
        (["named.diff", "--source", "design", "--show", "1", "--json"], "--show"),
        (["named.diff", "--source", "design", "--top", "0"], "--top"),
    ],
)
def test_bad_input_is_named_with_status_two(retouch: Retouch, design: Path, words: list[str], said: str):
    (design / "words.txt").write_text("only words\n")
    result = retouch("locate", *words, "--cache", "index.json")
    assert 2 == result.exit_code
    assert said in result.stderr
    assert "Traceback" not in result.output


def test_the_verilog_folder_is_used_and_its_lack_of_the_module_is_told(retouch: Retouch, work_folder: Path):
    rtl = work_folder / "rtl"
    rtl.mkdir()
    words = ("locate", "callee.diff", "--source", "design", "--cache", "index.json", "--rtl", "rtl", "--json")
    result = retouch(*words)
    assert (0, "note: no Verilog file in 'rtl' has the module 'Cache'\n") == (result.exit_code, result.stderr)
    line = "  wire [7:0] merged_laneBits_2 = io_mask[2] ? io_fresh : io_old; // @[ByteLanes.scala 7:22]"
    (rtl / "Cache.sv").write_text("\n" * 39 + line + "\nendmodule\n")
    result = retouch(*words)
    assert (0, "") == (result.exit_code, result.stderr)
    assert "locators: ByteLanes.scala:7" in json.loads(result.stdout)["candidates"][0]["why"]


@pytest.mark.parametrize("formula", ["max-plus-bonus", "seed"])
def test_prefixes_and_a_formula_can_be_given_and_its_former_name_too(retouch: Retouch, formula: str):
    diff = NAMED.replace("Cache_3", "soc_Cache")
    found = json.loads(locate(retouch, "-", "--json", "--prefix", "soc_", "--fusion", formula, text=diff))
    first = found["candidates"][0]
    assert ("Cache", 1.0, 1.0) == (first["name"], first["scores"]["mf"], first["score"])


def test_the_help_speaks_of_the_index_and_reaches_it(retouch: Retouch):
    assert "retouch locate index DIR" in " ".join(retouch("locate", "--help").stdout.split())
    assert "Usage: retouch locate index" in retouch("locate", "index", "--help").stdout.replace("root", "retouch")


def test_the_python_functions_that_a_text_is_about_are_ranked(work_folder: Path, retouch: Retouch) -> None:
    (work_folder / "shop").mkdir()
    (work_folder / "shop/prices.py").write_text(
        "def bulk_discount(pieces):\n    return 10\n\n\ndef other():\n    return 1\n"
    )
    (work_folder / "issue.txt").write_text("The bulk discount of 48 pieces is missing\n")
    result = retouch("locate", "--language", "python", "--text", "issue.txt", "--source", ".", "--json")
    first = json.loads(result.stdout)["candidates"][0]
    assert ("shop/prices.py::bulk_discount", None, [1, 2]) == (
        first["module_id"],
        first["probability"],
        [first["start_line"], first["end_line"]],
    )
    shown = retouch("locate", "--text", "-", "--show", "1", input="bulk_discount fails")
    assert "return 10" in shown.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("locate",),
        ("locate", "fix.diff"),
        ("locate", "fix.diff", "--text", "fix.diff"),
        ("locate", "--text", "fix.diff", "--language", "scala"),
        ("locate", "fix.diff", "--source", ".", "--language", "python"),
    ],
)
def test_a_diff_with_scala_or_a_text_with_python_is_required(
    work_folder: Path, retouch: Retouch, words: tuple[str, ...]
) -> None:
    (work_folder / "fix.diff").write_text("--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n")
    assert 2 == retouch(*words).exit_code

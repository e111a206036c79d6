"""Rules that are inferred from sample paths without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.writing import write_rule
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Sequence


def taken(samples: Sequence[str], path: str) -> dict[str, Any]:
    """The values that the best rule for some samples extracts from a path."""
    found = apply_rule(detect(samples)[0].rule, path)
    assert "COMPLETE" == found.status, found.reasons
    return dict(found.values)


MISSION = ["/d/mission_001/2024-01-05/a.csv", "/d/mission_042/2024-02-05/b.csv", "/d/mission_007/2023-12-31/c_d.csv"]


def test_folders_numbers_dates_and_names_become_columns():
    values = taken(MISSION, "/elsewhere/mission_123/2020-02-29/xyz.csv")
    assert {"mission": 123, "date": "2020-02-29", "name": "xyz"} == values


def test_a_rule_is_no_wider_than_its_samples_suggest():
    rule = detect(MISSION)[0].rule
    for path in ("/d/mission_1/2024-01-05/a.csv", "/d/mission_001/latest/a.csv", "/d/mission_001/2024-01-05/a.txt"):
        assert "UNMATCHED" == apply_rule(rule, path).status


def test_keys_that_may_be_missing_become_optional_fields():
    samples = ["x/sub-01/sub-01_task-rest_run-2_bold.nii.gz", "x/sub-02/sub-02_task-go_bold.nii.gz"]
    columns = {column.name: column for column in detect(samples)[0].columns}
    assert (True, "integer") == (columns["run"].optional, columns["run"].type)
    assert {"sub": "07", "task": "rest", "run": None} == taken(samples, "x/sub-07/sub-07_task-rest_bold.nii.gz")


def test_keys_and_values_of_directories_give_their_names():
    samples = [
        "t/part=a/day=2024-01-05/0.parquet",
        "t/part=b/day=2024-01-06/1.parquet",
        "t/part=c/day=2024-02-01/2.parquet",
    ]
    assert {"part": "z", "day": "2024-05-06", "name": 9} == taken(samples, "t/part=z/day=2024-05-06/9.parquet")


def test_a_value_that_a_file_repeats_from_its_directory_is_extracted_once():
    samples = [f"t/{name}/{name}_{number}.csv" for name, number in (("ab", 1), ("cd", 22), ("ef", 3))]
    assert 2 == len(detect(samples)[0].columns)


def test_uuids_and_endings_are_seen():
    ids = ["0df05477-c572-4ed6-88a9-47c581f548f7", "128c55d3-aeba-469f-bd3e-c8996ab4112a"]
    assert ["uuid"] == [column.type for column in detect([f"t/object--{one}.json" for one in ids])[0].columns]
    endings = detect(["t/2024-01-05-some-post.md", "t/2024-01-06-other.html", "t/2024-02-06-third-post.md"])[0]
    assert ["date", "name", "ext"] == [column.name for column in endings.columns]


def test_what_stands_before_a_date_in_some_names_only_does_not_hide_the_date():
    samples = ["t/2024-01-05.csv", "t/x2024-01-06.csv", "t/2024-01-07.csv"]
    assert {"date": "2020-01-01"} == taken(samples, "t/yz2020-01-01.csv")


def test_a_packed_file_may_be_unpacked():
    samples = ["/log/access.log.1", "/log/error.log.2.gz", "/log/access.log.12.gz"]
    assert {"name": "error", "log": 7, "compression": None} == taken(samples, "/log/error.log.7")
    assert {"name": "error", "log": 7, "compression": "gz"} == taken(samples, "/log/error.log.7.gz")


def test_the_number_of_the_month_is_a_question_and_never_guessed():
    unclear = detect(["t/01-02-2024.csv", "t/03-04-2024.csv"])[0]
    assert ["string"] == [column.type for column in unclear.columns]
    assert ("Is '01-02-2024' day first (%d-%m-%Y) or month first (%m-%d-%Y)?",) == unclear.questions
    clear = detect(["t/01-02-2024.csv", "t/13-04-2024.csv"])[0]
    assert [("date", "%d-%m-%Y")] == [(column.type, column.format) for column in clear.columns]
    assert () == clear.questions


def test_files_below_a_directory_at_any_depth_share_a_rule():
    samples = ["docs/_posts/2024-01-05-a.md", "a/b/_posts/2024-01-06-b.md", "c/_posts/de/2024-02-06-c.md"]
    values = taken(samples, "q/r/s/_posts/fr/2020-01-01-x.md")
    assert {"below": "q/r/s", "date": "2020-01-01", "name": "x", "posts_folder": "fr"} == values
    assert taken(samples, "q/_posts/2020-01-01-x.md")["posts_folder"] is None


def test_a_number_of_one_width_is_cut_off_whatever_else_differs():
    first = ["text/0001-private-fields.md", "text/0012-loops.md", "text/1300-a-b-c-d.md"]
    assert {"number": 7, "name": "x-y"} == taken(first, "text/0007-x-y.md")
    last = ["r/atp-qual-1999.csv", "r/atp-futures-of-men-2001.csv", "r/atp-2010.csv"]
    assert 2020 == taken(last, "r/atp-a-b-2020.csv")["year"]


def test_the_last_word_and_the_extension_after_keys_are_fields_if_they_differ():
    ends = ("bold.nii.gz", "events.tsv", "sbref.nii.gz")
    samples = [f"ds{n % 4}/sub-{n:02}/func/sub-{n:02}_task-rest_run-{n % 3}_{ends[n % 3]}" for n in range(20)]
    values = taken(samples, "ds1/sub-07/func/sub-07_task-rest_run-1_physio.tsv.gz")
    assert {"suffix": "physio", "ext": "tsv.gz"}.items() <= values.items()


def test_a_number_after_a_word_is_a_year_if_all_of_them_are():
    samples = [f"v/p{n}/CVES-{2014 + n % 9}-{n * 7 + 1}.yaml" for n in range(20)]
    assert {"year": 2030, "number": 5}.items() <= taken(samples, "v/p3/CVES-2030-5.yaml").items()


def test_a_word_that_all_names_hold_parts_them():
    samples = ["l/libEGL.so.1.1.0", "l/libEGL_mesa.so.0", "l/libz-ng.so.2.1"]
    assert {"name": "libxy", "so": "3"} == taken(samples, "l/libxy.so.3")


def test_words_that_all_names_begin_or_end_with_are_no_part_of_a_value():
    samples = ["s/asttokens-3.0.dist-info/RECORD", "s/a_b-0.7.1.dist-info/METADATA", "s/x-1.dist-info/INSTALLER"]
    values = taken(samples, "s/y_z-4.5.6.dist-info/RECORD")
    assert {"word": "y_z", "word_2": "4.5.6", "name": "RECORD"} == values


def test_what_only_some_names_end_with_may_be_missing():
    samples = ["i/bash.list", "i/libc6:amd64.list", "i/zlib1g:i386.list"]
    assert {"name": "tar", "architecture": None} == taken(samples, "i/tar.list")
    assert {"name": "x", "architecture": "arm64"} == taken(samples, "i/x:arm64.list")
    levels = ["c/a.cpython-311.pyc", "c/b.cpython-311.opt-1.pyc", "c/d.cpython-311.opt-2.pyc"]
    assert [None, 2] == [taken(levels, f"c/q.cpython-311{end}.pyc")["opt"] for end in ("", ".opt-2")]


def test_letters_that_many_different_names_begin_with_are_cut_off():
    samples = [f"l/lib{name}.a" for name in ("core", "std", "gimli", "alloc", "panic", "unwind", "memchr", "hash")]
    assert {"lib": "xyz"} == taken(samples, "l/libxyz.a")
    assert {"name": "libxyz"} == taken(samples[:3], "l/libxyz.a")


def test_the_directory_that_many_samples_share_is_part_of_the_glob():
    samples = [f"/usr/share/man/man{n}/page{n}.{n}.gz" for n in range(1, 9)]
    assert "UNMATCHED" == apply_rule(detect(samples)[0].rule, "/usr/share/man/cs/man1/page.1.gz").status
    assert "UNMATCHED" != apply_rule(detect(samples[:3])[0].rule, "/usr/share/man/cs/man1/page.1.gz").status


def test_columns_that_are_renamed_and_left_out_are_written_again():
    best = detect(MISSION)[0]
    rule = write_rule(best.rule.glob.text, best.columns[:1], name="My Missions")
    assert ("my_missions", ["mission"]) == (rule.name, [field.name for field in rule.fields])


@pytest.mark.parametrize("samples", [[], ["", "/", "."]])
def test_without_a_path_there_is_no_rule(samples: list[str]):
    assert () == detect(samples)


words = st.text("ab01-_.= é{[*\\", min_size=1, max_size=8)


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(words, min_size=1, max_size=4).map("/".join), min_size=1, max_size=6))
@example(["*0", "*="])
def test_whatever_the_paths_the_rules_can_be_read_and_are_the_same_again(paths: list[str]):
    candidates = detect(paths)
    assert candidates == detect(paths)
    for one in candidates:
        assert one.rule == load_rule(render_rule(one.rule))
        assert 0 <= one.coverage <= 1
    if candidates:
        matched = [path for path in paths if apply_rule(candidates[0].rule, path).status != "UNMATCHED"]
        assert matched or not any(path.strip("/\\.") for path in paths)


@pytest.mark.parametrize("char", ["\x01", "\x1b", "\n", "\t", "\x7f", "\x85", "\u202e"])
def test_paths_with_control_characters_get_a_rule_that_takes_them(char: str):
    paths = [f"/a/m_{number:03}{char}/x{number}.csv" for number in (1, 2, 3)]
    assert {"month": 7, "x": 9} == taken(paths, f"/a/m_007{char}/x9.csv")

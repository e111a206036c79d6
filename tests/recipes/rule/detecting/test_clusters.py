"""What the detector does with listings of several shapes, of several depths, and with labelled times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.clusters import clusters_of
from retouch.recipes.rule.language.render import render_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.rule.detecting.candidates import RuleCandidate

TABLES = [f"gfs.202401{day:02}/{hour:02}/t{hour:02}z.f{day * 3:03}.nc" for day in range(1, 11) for hour in (0, 6)]
WAVES = [f"wave/2024/{day:02}/region-{'ab'[day % 2]}_{day * 7919}.grib" for day in range(1, 11)]


def values(found: RuleCandidate, path: str) -> Mapping[str, Any]:
    return apply_rule(found.rule, path).values


def test_paths_are_clustered_by_shape():
    rows = [path.split("/") for path in (*TABLES, *WAVES)]
    assert [20, 10] == [len(one) for one in clusters_of(rows, absolute=False)]


def test_the_same_values_have_the_same_name_in_each_shape():
    logs = [f"logs/{['eu', 'us', 'ap'][n % 3]}/{n}.log" for n in range(15)]
    states = [f"state/{['eu', 'us', 'ap'][n % 3]}/{n}/{n * 7919:08x}-x.json" for n in range(15)]
    found = detect([*logs, *states])[0]
    assert 1 == len(found.rule.others)
    named = {name for name, value in values(found, "logs/eu/3.log").items() if value == "eu"}
    assert named == {name for name, value in values(found, "state/eu/3/00005ccd-x.json").items() if value == "eu"}
    assert "shape:2" in {one.key for one in found.assumptions if one.open}


def test_directories_of_several_depths_are_one_value():
    above = ("docs", "site/a", "test/source/deep")
    paths = [f"{above[n % 3]}/_posts/2024-01-{n + 1:02}-title.md" for n in range(24)]
    assert {"test/source/deep"} <= set(values(detect(paths)[0], paths[2]).values())


def test_a_group_has_all_paths_that_its_glob_matches():
    paths = [f"v/{2021 + n % 3}/pageviews-{2021 + n % 3}{n % 12 + 1:02}15-{n * 7 % 24:02}0000.gz" for n in range(30)]
    assert values(detect(paths)[0], paths[3])["time"] == "210000"


def test_a_labelled_time_is_read_from_a_stamp_or_from_several_parts():
    stamps = [f"c/IMG_2024{n % 12 + 1:02}15_{n % 24:02}30{n:02}.jpg" for n in range(24)]
    found = detect(stamps, examples={stamps[5]: {"taken": "2024-06-15T05:30:05"}})[0]
    assert "2024-09-15T08:30:08" == values(found, stamps[8])["taken"]
    found = detect(TABLES, examples={TABLES[5]: {"cycle": "2024-01-03T06:00:00"}})[0]
    assert () == found.unlabelled
    assert "2024-01-10T00:00:00" == values(found, TABLES[18])["cycle"]
    assert render_rule(found.rule).startswith("version: 2\n")


def test_an_end_that_only_some_numbers_of_a_key_have_is_a_field_of_its_own():
    paths = [f"m/epoch={n}-step={n * 100 + 7}{f'-v{n % 3 + 1}' if n % 4 == 1 else ''}.ckpt" for n in range(24)]
    got = [values(detect(paths)[0], path) for path in paths[:2]]
    assert [7, 107] == [one["step"] for one in got]
    assert [None, 2] == [one["version"] for one in got]


def test_words_for_directories_may_differ_in_later_lines_of_a_sorted_list():
    paths = sorted(f"corpus/dev-{'co'[n % 2]}/{n * 7 + 90}/{n * 7 + 90}-{n:04}.flac" for n in range(30))
    assert "COMPLETE" == apply_rule(detect(paths)[0].rule, "corpus/train/77/77-0012.flac").status


def test_shapes_beside_a_labelled_one_have_its_names_and_types():
    logs = [
        f"trail/{n % 3 + 1:012}/log/{n % 3 + 1:012}_202401{n % 28 + 1:02}T{n % 24:02}30Z_{n * 7919:x}.gz"
        for n in range(20)
    ]
    digests = [
        f"trail/{n % 3 + 1:012}/digest/{n % 3 + 1:012}_d_202401{n % 28 + 1:02}T{n % 24:02}3015Z.json" for n in range(10)
    ]
    labels = {"account": "000000000002", "at": "2024-01-05T04:30:00"}
    found = detect([*logs, *digests], examples={logs[4]: labels})[0]
    assert () == found.unlabelled
    assert {"account": "000000000001", "at": "2024-01-04T03:30:15"}.items() <= values(found, digests[3]).items()
    assert "shape:2" in {one.key for one in found.assumptions if one.open}

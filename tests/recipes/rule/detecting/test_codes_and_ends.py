"""Codes that are not cut, extensions of several words, and values that are empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect

if TYPE_CHECKING:
    from collections.abc import Sequence

STUDIES = [f"a/{n % 3 + 2019}/QTX{n * 7919 % 90000:06}/run{n}.{('dat', 'idx.gz')[n % 2]}" for n in range(30)]
KINDS = ("page", "page.index", "page.links")
PAGES = [f"c/{n * 37:04}/v{n % 5}/part-{n * 13:05}.{KINDS[n % 3]}.gz" for n in range(30)]
PACKED = [f"t/sheet_{n * 7}_{'abc'[n % 3]}.{('csv', 'shp.zip')[n % 2]}" for n in range(30)]
LINES = ("Night_Bus", "TRAM", "Ferry_To_Harbour", "MetroRail_North")
REPORTS = [
    f"CUR/{LINES[n % 4]}/PUB_2023{n % 12 + 1:02}{n % 28 + 1:02}1{n % 10}05_{n * 104729:016}.zip" for n in range(30)
]
HOURS = [f"z/{n * 7 % 24:02}.{n * 2654435761 % 2**32:08x}.gz" for n in range(1, 31)]
PARTS = [f"q/K{n * n * 37}V{n * 131}.bin" for n in range(1, 30)]
SHARDS = [f"v/00{n % 10}/QX81{n * 7 % 90 + 10}{n % 10}/{n}.bin" for n in range(30)]
CLOUDS = ("eu-west-1", "us-east-2", "ca-central-1")
PLACES = [f"k/{CLOUDS[n % 3]}/{n * 37}/host{n * 7 % 10}_{CLOUDS[n // 2 % 3]}.log" for n in range(30)]
FRAMES = [
    f"f/{one}_{n % 3:02}_202{n % 4}{n % 12 + 1:02}{n % 28 + 1:02}1{n % 10}2233.jpg"
    for n, one in enumerate(("Barn 1", "Yard-2", "Gate") * 10)
]
TWINS = [
    f"d/{'abc'[n % 3]}-{n * 2999 % 90000:05}/{'xyz'[n // 3 % 3]}-{n * 3571 % 80000 + 10000}/{n}.dcm" for n in range(30)
]
HOURLY = [
    f"f/QX{n * 7919 % 9000 + 1000}.2023-{n % 12 + 1:02}-{n % 28 + 1:02}-{n * 7 % 24:02}.{n * 2654435761 % 2**32:08x}.gz"
    for n in range(30)
]
POINTS = [f"q/v{n}.{n * 7 % 13}/{n}.bin" for n in range(1, 30)]
FREE = [f"w/{n % 9 + 10}/{one}{n}.{'pqrstuvw'[n % 8]}a" for n, one in enumerate(("a_b", "cD-", "x y") * 10)]
FLAGS = [f"m/{n * 131}:2,{('', 'S', 'RS', 'FRS')[n % 4]}" for n in range(1, 30)]


def taken(samples: Sequence[str], path: str, **more: Any) -> list[Any]:
    found = apply_rule(detect(samples, **more)[0].rule, path)
    return ["UNMATCHED"] if found.status == "UNMATCHED" else [*found.values.values()]


@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (STUDIES, "a/2020/QTX001234/run5.dat", [2020, "QTX001234", 5, "dat"]),
        (PAGES, "c/0042/v1/part-00001.page.index.gz", ["0042", 42, 1, 1, "page.index.gz"]),
        (PAGES, "c/0042/v1/part-00001.page.gz", ["0042", 42, 1, 1, "page.gz"]),
        (PACKED, "t/sheet_9_a.shp.zip", [9, "a", "shp.zip"]),
        (PACKED, "t/sheet_9_b.csv", [9, "b", "csv"]),
        (HOURS, "z/08.00ff00aa.gz", [8, "00ff00aa"]),
        (SHARDS, "v/005/QX81335/7.bin", ["005", 5, "QX81335", 7]),
        (PLACES, "k/us-west-1/5/host3_eu-north-1.log", ["us-west-1", 5, 3, "eu-north-1"]),
        (
            FRAMES,
            "f/Shed 9_01_20230405102233.jpg",
            ["Shed 9", "01", 1, "2023-04-05T10:22:33", "20230405102233", "2023-04-05"],
        ),
        (TWINS, "d/b-00042/z-23456/5.dcm", ["b", "00042", "z", "23456", 5]),
        (HOURLY, "f/QX1234.2023-05-06-07.00ff00aa.gz", ["QX1234", "2023-05-06", 7, "00ff00aa"]),
        (POINTS, "q/v12.4/3.bin", ["12.4", 3]),
        (PARTS, "q/K70001V5.bin", [70001, 5]),
    ],
    ids=[
        "an accession",
        "an extension of more words",
        "the same of fewer words",
        "an extension that is always packed",
        "one that is never packed",
        "an hour and a hexadecimal code",
        "a number that ends the name below",
        "regions, which look like hosts",
        "a channel before a time",
        "a number as long as a code",
        "an hour after a date",
        "a version after a letter",
        "numbers after letters, of any width",
    ],
)
def test_values_are_cut_where_their_form_says(samples: list[str], path: str, values: list[Any]):
    assert values == taken(samples, path)


def test_directories_of_words_that_are_uneven_are_one_value_and_long_padded_digits_are_text():
    found = taken(REPORTS, "CUR/Late_Bus_Line/PUB_202305061105_0000000000000042.zip")
    assert ["Late_Bus_Line", "2023-05-06T11:05:00", "202305061105", "2023-05-06", "0000000000000042", 42] == found


def test_a_name_of_which_nothing_is_known_has_a_digit_if_all_samples_have_one():
    assert [["UNMATCHED"], [15, "new-file_7", "xyz"]] == [
        taken(FREE, "w/15/notes.txt"),
        taken(FREE, "w/15/new-file_7.xyz"),
    ]


@pytest.mark.parametrize(("at", "wanted"), [(2, "FRS"), (1, "RS"), (3, "")])
def test_a_labelled_value_is_empty_where_its_separator_ends_the_name(at: int, wanted: str):
    rule = detect(FLAGS, examples={FLAGS[at]: {"flags": wanted}})[0].rule
    assert ["", "S"] == [apply_rule(rule, path).values["flags"] for path in ("m/77:2,", "m/77:2,S")]


def test_a_label_without_the_extension_keeps_it_in_the_rule_if_a_directory_says_the_same():
    kinds = ("page", "links", "robots")
    paths = [f"c/{n % 4}/{kinds[n % 3]}/{n * 13:05}.{('page', 'page.links', 'page')[n % 3]}.gz" for n in range(30)]
    found = detect(paths, examples={paths[1]: {"kind": "links", "number": "00013"}})[0]
    assert ["page", "00026"] == [
        apply_rule(found.rule, "c/0/page/00026.page.gz").values[name] for name in ("kind", "number")
    ]


def test_a_directory_that_tells_the_shapes_apart_is_a_field_of_each():
    orders = [f"s/orders/{n * 37:05}_eu_{n * 7919 % 100000:05}.csv" for n in range(18)]
    events = [f"s/events/{n * 131}-{n % 7}.{n % 5}+{n:08x}.parquet" for n in range(18)]
    rule = detect([*orders, *events])[0].rule
    found = [apply_rule(rule, path).values for path in (orders[3], events[3])]
    assert [True, True] == ["orders" in found[0].values(), "events" in found[1].values()]


def test_an_audit_log_has_its_time():
    token = "psI5Pp5ltf6Hmj2"
    logs = [
        f"{n:012}_CloudTrail_{CLOUDS[n % 3]}_202401{n % 28 + 1:02}T{n % 24:02}05Z_{token}{n % 10}.json.gz"
        for n in range(30)
    ]
    assert "2024-01-08T07:05:00" in taken(logs, logs[7])


@pytest.mark.parametrize(("ending", "other", "found"), [(".lz4", ".zst", True), (".dat", ".zst", False)])
def test_the_first_lines_of_a_list_may_be_packed_in_another_way_than_later_ones(ending: str, other: str, found: bool):
    lines = [f"wal/a{n // 10}/{n * 37:08}-{n:040x}{ending}" for n in range(30)]
    assert found is (["UNMATCHED"] != taken(lines, f"wal/a7/00012345-{99:040x}{other}"))

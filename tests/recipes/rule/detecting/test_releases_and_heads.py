"""Names of releases, months, optional dates and extensions, and what the first lines of a sorted list leave open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.exporting.running import differences

if TYPE_CHECKING:
    from collections.abc import Sequence

TOOLS = ("tar", "lib-xyz", "ca-roots", "make") * 8
GEMS = [f"g/{one}-{n % 4}.{n % 7}{('', '.2')[n % 3 == 0]}-b{n * 31:x}_{n % 2}.pkg" for n, one in enumerate(TOOLS)]
POOL = [
    f"pool/{one}/{one}_{n % 9}.{n * 37 % 90}{('', f'-{n % 4}')[n % 5 > 1]}{end}"
    for n, one in enumerate(TOOLS)
    for end in ("_amd64.deb", "_all.deb", ".dsc", ".orig.tar.gz")[n % 3 :: 2]
]
FEEDS = [f"f/feed.{n * 3}.{('csv', 'json')[n % 2]}{('', '.zst')[n // 2 % 2]}" for n in range(32)]
DAYS = [f"_19{n + 50}0101_20{n:02}1231" if n % 3 else "" for n in range(32)]
STATIONS = [f"s/{('TX', 'RR')[n % 2]}_{n * 37:05}{days}_{'old' if days else 'new'}.zip" for n, days in enumerate(DAYS)]
SCANS = [
    f"q/{n % 9 + 1}.000000-{one} {n % 3}-w-{n * 13}/{n}.dcm" for n, one in enumerate(("HEAD", "T2 AX", "LUNG") * 11)
]
MONTHS = [f"m/20{n % 20 + 1:02}{n % 12 + 1:02}/{('a', 'b')[n % 2]}.csv" for n in range(24)]
VENUES = ("alpha-one", "beta-two3", "gamma-four", "delta-six") * 8
TICKS = [f"t/{one}-2024{n % 12 + 1:02}{n % 28 + 1:02}.{n * 7}.csv" for n, one in enumerate(VENUES)]
PATIENTS = [f"{one}/{n * 131:05}/{n % 7}.dcm" for n, one in enumerate(("AB-CDE", "XYZW-KL", "MN-OP") * 11)]


def taken(samples: Sequence[str], path: str, **more: Any) -> list[Any]:
    found = apply_rule(detect(samples, **more)[0].rule, path)
    return ["UNMATCHED"] if found.status == "UNMATCHED" else [*found.values.values()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (GEMS, "g/py-ca-roots-2024a-h1_105.pkg", ["py-ca-roots", "2024a", "h1_105"]),
        (POOL, "pool/vim/vim_9.0-2_all.deb", ["vim", "9.0-2", "all", "deb"]),
        (POOL, "pool/vim/vim_9.0-2.orig.tar.gz", ["vim", "9.0-2", None, "orig.tar.gz"]),
        (FEEDS, "f/feed.8.csv.zst", [8, "csv.zst"]),
        (FEEDS, "f/feed.8.json", [8, "json"]),
        (
            STATIONS,
            "s/RR_00007_19500101_20101231_old.zip",
            ["RR", "00007", 7, "1950-01-01", "19500101", "2010-12-31", "20101231", "old"],
        ),
        (STATIONS, "s/TX_00008_new.zip", ["TX", "00008", 8, None, None, None, None, "new"]),
        (MONTHS, "m/201507/a.csv", ["201507", "2015-07", "a"]),
        (TICKS, "t/eps-seven-20230405.9.csv", ["eps-seven", "2023-04-05", "20230405", 9]),
        (PATIENTS, "QRS-TUV/00042/3.dcm", ["QRS-TUV", "00042", 42, 3]),
    ],
    ids=[
        "a release",
        "an architecture",
        "a release without one",
        "a packed file",
        "a file that is not packed",
        "dates",
        "no dates",
        "a month",
        "a name of two words",
        "a name in capitals",
    ],
)
def test_names_are_cut_where_their_writers_put_the_values(samples: list[str], path: str, values: list[Any]) -> None:
    assert values == taken(samples, path)
    assert [] == differences(detect(samples)[0].rule, "python", samples)


def test_a_number_with_zeros_as_decimals_is_an_integer() -> None:
    assert 12 in taken(SCANS, "q/12.000000-T2 AX 1-w-40/7.dcm")


def test_a_label_is_all_that_varies_between_what_all_texts_share() -> None:
    paths = [f"z/core.set.{('an.ab', 'an.cd', 'fc.cd.sum')[n % 3]}/{n * 3}.nc" for n in range(30)]
    values = taken(paths, "z/core.set.fc.cd.sum/9.nc", examples={paths[0]: {"kind": "an.ab"}})
    assert "fc.cd.sum" in values


@pytest.mark.parametrize(
    ("lines", "later"),
    [
        ([f"prod/web/{n:03}/{n * 7}.log" for n in range(99)], "dev/web/004/9.log"),
        ([f"QX-{n:02}/qx-{n * 7:03}.log" for n in range(99)], "RT-04/qx-009.log"),
        ([f"in/Order 2024-{n // 28 + 1:02}-{n % 28 + 1:02}/{n}.pdf" for n in range(99)], "in/Bill 2024-01-09/4.pdf"),
        ([f"songs/{n + 50} - {'ab'[n % 2]}/{n:02}.mp3" for n in range(40)], "tunes/71 - c d/09.mp3"),
        ([f"shots/IMG_{n:04}.JPG" for n in range(60)], "shots/DSC_0044.JPG"),
        ([f"wal/13-1/{n:08}-{n * 7919:08}.z" for n in range(60)], "wal/15-2/00000004-00000009.z"),
    ],
    ids=["an environment", "the first word", "a word before a date", "a number first", "a camera", "numbers"],
)
def test_the_head_of_a_list_leaves_open_what_later_lines_have(lines: list[str], later: str) -> None:
    best = detect(sorted(lines)[:30])[0]
    assert "UNMATCHED" != apply_rule(best.rule, later).status
    assert any(one.key == "head" and one.open for one in best.assumptions)


def test_files_that_are_no_data_fix_no_word_in_the_head_of_a_list() -> None:
    lines = [f"c/h/stat_TU_{n * 13:05}_hist.zip" for n in range(60)]
    head = ["c/h/ABOUT_tu_en.pdf", *sorted(lines)[:29]]
    assert ["UNMATCHED"] != taken(head, "c/h/stat_RR_00077_hist.zip")


def test_the_only_directory_of_a_short_list_and_one_that_is_no_word_stay() -> None:
    assert ["UNMATCHED"] == taken([f"shots/{n:03}.tif" for n in range(30)], "other/005.tif")
    assert ["UNMATCHED"] == taken([f"q/run{n:03}/{n}.tif" for n in range(30)], "r/run005/5.tif")

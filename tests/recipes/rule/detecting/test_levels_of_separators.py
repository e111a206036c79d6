"""Doubled separators, separators within a value, times in other forms, and parts that only some names have."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.columns import Fixed, Slot
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.doubled import as_written, with_doubled
from retouch.recipes.rule.detecting.endings import listed, without_ending
from retouch.recipes.rule.detecting.later import opened_for_later
from retouch.recipes.rule.detecting.layout import by_their_ends
from retouch.recipes.rule.exporting.running import differences

TOWNS = ("bern", "st_gallen", "zug", "thun", "biel", "chur", "wil")
TURNS = ("first", "second", "runoff_only")
VOTES = [f"v/2019{n % 12 + 1:02}{n % 28 + 1:02}__{TURNS[n % 3]}__{TOWNS[n % 5]}__final.csv" for n in range(30)]
PARTIES = [
    f"v/2019{n % 12 + 1:02}{n % 28 + 1:02}__{('', 'green__', 'blue__')[n % 3]}"
    f"{('main', 'by')[n % 2]}__{TOWNS[n % 5]}.csv"
    for n in range(30)
]
SETS = ("cam_3d", "kitti", "two_words_more", "plain_x")
BENCH = [f"b/{('AI', 'QC')[n % 2]}-{('gap', 'mass')[n // 2 % 2]}-{SETS[n % 4]}-test.csv" for n in range(32)]
STAMPS = [f"d/db-{n % 3}-2023_{n % 12 + 1:02}_{n % 28 + 1:02}-{n % 24:02}_{n * 7 % 60:02}_09.tar" for n in range(30)]
MINUTES = [f"d/feed_2023{n % 12 + 1:02}{n % 28 + 1:02}{n % 24:02}{n * 7 % 60:02}.csv" for n in range(30)]
KEYS = [f"k/{n * 37 % 24:08X}-00AB-4CDE-8F01-{n * 7919:012X}/x.json" for n in range(24)]
NAMES = ("resources", "wl-scripts", "plotext", "swift-bin")
BUILDS = [
    f"{('dev-lang', 'x11-misc', 'dev-ml', 'gui-apps', 'app-text')[n % 5]}/{NAMES[n % 4]}/"
    f"{NAMES[n % 4]}-{n % 7}.{n % 11}{('', '-r1', '-r2')[n % 3]}.recipe"
    for n in range(30)
]
GNSS = [
    f"g/ST{n % 7}0{('AAA', 'BBB')[n % 2]}_{'RS'[n // 2 % 2]}_{2020000 + n * 7}0000_01D_"
    f"{('MN', '30S_MO', '30S_MM')[n % 3]}.gz"
    for n in range(30)
]


def taken(samples: list[str], path: str, **more: Any) -> list[Any]:
    found = apply_rule(detect(samples, **more)[0].rule, path)
    return ["UNMATCHED"] if found.status == "UNMATCHED" else [*found.values.values()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (VOTES, "v/20201105__runoff_only__san_remo__final.csv", ["2020-11-05", "20201105", "runoff_only", "san_remo"]),
        (PARTIES, "v/20201105__red__main__san_remo.csv", ["2020-11-05", "20201105", "red", "main", "san_remo"]),
        (PARTIES, "v/20201105__main__ulm.csv", ["2020-11-05", "20201105", "main", "ulm"]),
        (BENCH, "b/ES-gap-dft_3d_more-test.csv", ["ES", "gap", "dft_3d_more"]),
        (KEYS, "k/017F9EE6-725E-409D-BA05-62D56ABD685A/x.json", ["017F9EE6-725E-409D-BA05-62D56ABD685A"]),
        (BUILDS, "sci-ml/new-name/new-name-1.2.3-r4.recipe", ["sci-ml", "new-name", "1.2.3", 4]),
        (BUILDS, "sci-ml/new-name/new-name-1.2.3.recipe", ["sci-ml", "new-name", "1.2.3", None]),
        (GNSS, "g/ST50CCC_R_20230010000_01H_01S_MO.gz", ["ST50CCC", "R", "20230010000", "01H", "01S", "MO"]),
        (GNSS, "g/ST50CCC_R_20230010000_01H_GN.gz", ["ST50CCC", "R", "20230010000", "01H", None, "GN"]),
    ],
    ids=[
        "words between doubled separators",
        "an optional part between doubled separators",
        "the same without it",
        "underscores of a value between dashes",
        "a UUID in capitals",
        "a revision after a version",
        "a version without one",
        "an optional rate",
        "no rate",
    ],
)
def test_names_are_cut_at_their_strongest_separators(samples: list[str], path: str, values: list[Any]) -> None:
    assert values == taken(samples, path)
    assert [] == differences(detect(samples)[0].rule, "python", samples)


@pytest.mark.parametrize(
    ("samples", "path", "written"),
    [
        (STAMPS, "d/db-7-2024_02_24-02_52_25.tar", "2024_02_24-02_52_25"),
        (MINUTES, "d/feed_202402240252.csv", "202402240252"),
    ],
)
def test_a_time_is_kept_also_as_it_is_written(samples: list[str], path: str, written: str) -> None:
    values = taken(samples, path)
    assert written in values
    assert any(str(one).startswith("2024-02-24T02:52") for one in values)


def test_a_doubled_separator_is_only_taken_for_one_of_its_own_inside_of_all_values() -> None:
    assert ("a__b", "a_b") == with_doubled(("a__b", "a_b"))
    assert ("__init__", "a__b") == with_doubled(("__init__", "a__b"))
    assert ("a___b", "a__b") == with_doubled(("a___b", "a__b"))
    assert Fixed(text="a__b") == as_written(Fixed(text=with_doubled(("a__b",))[0]))


def test_no_value_begins_with_a_separator_that_is_doubled() -> None:
    slots = [one for one in cut(("x__a__bc_d", "x__b_b__e", "y__cc__f_")) if isinstance(one, Slot)]
    assert [("x", "x", "y"), ("a", "b_b", "cc"), ("bc_d", "e", "f_")] == [one.values for one in slots]


def test_a_unit_that_all_samples_have_stays_with_its_number() -> None:
    found = [one.values for one in cut(("a_01D", "b_01D", "c_01D")) if isinstance(one, Slot)]
    assert [("a", "b", "c"), ("01D", "01D", "01D")] == found


def test_kinds_of_files_that_are_packed_in_two_ways_may_be_packed_in_a_third() -> None:
    endings = ("tar.zst", "vma.lzo", "vma.zst") * 6
    assert "tar.gz" in listed(endings)
    assert ("csv.gz", "json.gz") == listed(("csv.gz", "json.gz") * 9)


def test_extensions_of_several_words_begin_after_the_last_digit() -> None:
    bodies, _, endings = without_ending(("a-1.vma.zst.notes", "a-2.tar.zst", "b-3.log"))
    assert (("a-1", "a-2", "b-3"), ("vma.zst.notes", "tar.zst", "log")) == (bodies, endings)


def test_later_names_may_have_fewer_of_many_parts_and_other_letters_in_their_directories() -> None:
    rows = [["s", f"phi{n:04}", f"{TOWNS[n % 7][:3]}_{n * 7:05}_{n}_{'xyz'[n % 3]}.zip"] for n in range(10, 30)]
    assert "s/*/*_[0-9]*_*.zip" == opened_for_later(by_their_ends(rows, absolute=False, finely=True)).glob

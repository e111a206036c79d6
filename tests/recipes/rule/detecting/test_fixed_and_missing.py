"""Fields of fixed width, fields that some names lack or leave empty, and names that repeat a directory."""

from __future__ import annotations

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.patterns import glob_of

KINDS = ("ABCDEF", "GHIJKL", "MNOPQR")
DAYS = [f"20{n % 20 + 10}{n % 12 + 1:02}{n * 7 % 28 + 1:02}" for n in range(30)]
ENDS = ("", "_X", "_Y", "_Z")
PARTS = [f"f/{KINDS[n % 3]}{ENDS[n % 4]}_{DAYS[n]}_{n % 4 + 1:02}of{n % 4 + 3:02}.zip" for n in range(30)]
SLICES = [f"KX{n % 7 + 10}_{'' if n % 3 else f'Z{n:02}_'}{'bcd'[n % 3]}b{n % 4}_Q_{DAYS[n]}" for n in range(30)]
ISSUES = [f"p/{1880 + n}{n % 12 + 1:02}{n % 28 + 1:02}0{n % 2 + 1}/{n * 31:04}.tif" for n in range(28)]
WAVES = [
    f"w/AB.ST{'KLMNO'[n % 5]}.{'' if n % 3 else '0' + str(n % 2)}.HZ.D.{2020 + n % 3}.{n * 11 + 1:03}"
    for n in range(30)
]
RELEASES = [
    f"r/{('lib-x', 'tool', 'a-b-c')[n % 3]}-{n}.{n % 7}-{n}.el{n % 2 + 8}{'.1' if n % 4 else ''}."
    f"{('noarch', 'x86_64', 'i686')[n * 7 % 3]}.rpm"
    for n in range(30)
]
SHOTS = [
    f"s/{'ABC'[n % 3]}U_{n % 4}0/v{n % 6:03}/{'ABC'[n % 3]}U_{n % 4}0_v{n % 6:03}.{n * 7 + 1000}.exr" for n in range(30)
]


def slots(values: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [one.values for one in cut(values) if isinstance(one, Slot)]


@pytest.mark.parametrize(
    ("samples", "path", "values"),
    [
        (PARTS, "f/STUVWX_Y_20240102_01of09.zip", ["STUVWX", "Y", "2024-01-02", "20240102", 1, 9]),
        (PARTS, "f/STUVWX_20240102_01of09.zip", ["STUVWX", None, "2024-01-02", "20240102", 1, 9]),
        (ISSUES, "p/1901020302/0007.tif", ["1901-02-03", "19010203", 2, "0007", 7]),
        (WAVES, "w/AB.STX..HZ.D.2021.077", ["STX", None, 2021, 77]),
        (WAVES, "w/AB.STX.01.HZ.D.2021.077", ["STX", 1, 2021, 77]),
        (RELEASES, "r/new-lib-2.0-7.el9.noarch.rpm", ["new-lib", "2.0", "7.el9", "noarch"]),
    ],
    ids=["a part", "no part", "issues", "empty", "not empty", "releases"],
)
def test_fields_of_fixed_width_and_missing_ones_are_values(samples: list[str], path: str, values: list[object]) -> None:
    assert values == [*apply_rule(detect(samples)[0].rule, path).values.values()]


def test_a_part_in_the_middle_that_some_names_lack_is_optional():
    found = [one for one in cut(tuple(SLICES)) if isinstance(one, Slot) and one.optional]
    assert ["_Z"] == [one.lead for one in found]
    assert ("00", "", "", "03") == found[0].values[:4]


def test_seconds_since_1970_are_no_days_and_days_are_no_seconds():
    assert ["timestamp"] == [
        one.type for one in detect([f"e/{1700000000 + n * 98765}.log" for n in range(30)])[0].columns
    ]
    assert "date" in [one.type for one in detect(ISSUES)[0].columns]


def test_counters_after_a_year_are_no_days_of_it():
    names = tuple(f"in_{2019 + n % 4}-{n + 1:03}" for n in range(30))
    assert "day_of_year" not in [getattr(one, "kind", "") for one in cut(names)]


def test_numbers_around_different_words_stay_one_value():
    assert 1 == len(slots(tuple(f"{n:02}{'abc'[n % 3]}x{n:02}" for n in range(12))))


def test_an_index_that_is_named_like_its_directory_is_no_data():
    index = "p/1880010101/1880010101.tif"
    found = detect([*ISSUES, index])[0]
    assert (f"/{index}",) == found.noise
    assert "UNMATCHED" == apply_rule(found.rule, index).status


def test_a_padded_version_before_a_number_is_a_value_of_its_own():
    assert "v[0-9]" in detect(SHOTS)[0].rule.glob.text
    assert {"integer"} == {one.type for one in detect(SHOTS)[0].columns if one.name == "version"}


def test_archives_beside_texts_are_told_apart_by_their_extension():
    names = [f"z/{'abc'[n % 3]}_{DAYS[n]}.zip" for n in range(20)] + [f"z/notes_on_{one}.txt" for one in "xyz"]
    assert detect(names)[0].rule.glob.text.endswith(".zip")


def test_a_long_stamp_is_given_as_written_too():
    paths = [f"t/x_{day}{n % 24:02}0102.log" for n, day in enumerate(DAYS)]
    assert "20240102030405" in apply_rule(detect(paths)[0].rule, "t/x_20240102030405.log").values.values()


def test_capitals_that_begin_the_first_lines_may_be_others_later():
    head = sorted(f"f/ABCDEF_{day}.zip" for day in DAYS)
    assert "COMPLETE" == apply_rule(detect(head)[0].rule, "f/GHIJKL_20240102.zip").status


def test_two_separators_that_touch_in_all_names_stay_text():
    assert "*..*" == glob_of(cut(tuple(f"{'abc'[n % 3]}..{'xyz'[n % 3]}{n}" for n in range(12))))

"""Files beside the data that are left out and asked about, codes that are not cut, and ends that are named."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect

ALBUMS = ("1991 - Blue", "2004 - Low Tide", "1969 - 1969")
TITLES = ("Dr. Road", "Up", "Into the Garden", "Mirror-Season", "Train No. 3")
SONGS = [f"Music/{ALBUMS[n % 3]}/{n % 14 + 1:02} - {TITLES[n % 5]}.{('mp3', 'flac')[n % 2]}" for n in range(27)]
SIDE = [f"Music/{ALBUMS[0]}/playlist.m3u", f"Music/{ALBUMS[1]}/album.nfo", f"Music/{ALBUMS[2]}/album.nfo"]
MEMBERS = [f"x/tas_r{n % 12 + 1}i1p1f{n % 2 + 1}_{('gn', 'gr')[n % 2]}_{n * 37}.nc" for n in range(30)]
VERSIONS = (8, 11, 12)
ENDS = ("", ".opt-1", ".opt-2")
CACHED = [
    f"lib/python3.{one}/{'abc'[n % 3]}/mod_{'pqrstu'[n % 6]}.cpython-3{one}{ENDS[n // 3 % 3]}.pyc"
    for n, one in enumerate(VERSIONS * 10)
]
RADAR = [f"r/K{'ABC'[n % 3]}LT/K{'ABC'[n % 3]}LT2022{n % 12 + 1:02}05_{n % 24:02}3015_V06" for n in range(28)]
ICONS = [f"i/{size}x{size}/{'abc'[n % 3]}/n{n}.png" for n, size in enumerate((16, 22, 32, 48, 64) * 5)]
PRODUCTS = [
    f"S2{'AB'[n % 2]}_MSIL1C_202001{n + 1:02}T100011_N0214_R{n * 3 + 10:03}_T18TWL_202001{n + 1:02}T200011.zip"
    for n in range(24)
]


def taken(samples: list[str], path: str, **more: Any) -> list[Any]:
    found = apply_rule(detect(samples, **more)[0].rule, path)
    return ["UNMATCHED"] if found.status == "UNMATCHED" else [*found.values.values()]


def test_files_of_one_word_and_an_extension_of_their_own_are_left_out_and_asked_about():
    found = detect([*SONGS, *SIDE])[0]
    assert [1991, "Blue", 7, "Silent Road"] == taken([*SONGS, *SIDE], "Music/1991 - Blue/07 - Silent Road.mp3")[:4]
    assert "left" in {one.key for one in found.assumptions if one.open}


def test_a_name_of_several_words_is_beside_the_data_if_several_directories_have_it():
    runs = [f"r/job-{n % 9}/part-{n * 37:05}.{('csv', 'tsv')[n % 2]}" for n in range(27)]
    side = [f"r/job-{n}/run-summary.json" for n in range(3)]
    assert {f"/{one}" for one in side} == {*detect([*runs, *side])[0].noise}
    assert () == detect([*runs, side[0]])[0].noise


def test_a_word_with_the_extension_of_the_data_is_no_file_beside_it():
    assert () == detect([*SONGS, "Music/1991 - Blue/intro.mp3"])[0].noise


def test_a_file_with_the_name_that_numbered_files_begin_with_is_none_beside_them():
    logs = [f"l/h{n % 9}/{('access', 'error')[n % 2]}.log-202401{n + 1:02}" for n in range(27)]
    assert () == detect([*logs, "l/h0/access.log", "l/h3/error.log"])[0].noise


def test_a_word_without_an_extension_is_beside_files_that_all_have_one():
    assert ("/Music/1991 - Blue/Contents",) == detect([*SONGS, "Music/1991 - Blue/Contents"])[0].noise


def test_numbers_of_one_width_next_to_a_padded_code_are_codes_too_and_asked_about():
    stations = [f"y/{n * 7919 % 900000:06}-{n * 3571 % 80000 + 10000}-{1980 + n}.gz" for n in range(30)]
    found = detect(stations)[0]
    assert ["007001", "10025"] == [*apply_rule(found.rule, "y/007001-10025-1999.gz").values.values()][:2]
    assert 2 == sum(one.kind == "zeros" and one.open for one in found.assumptions)


def test_a_code_of_three_letters_with_a_number_each_is_one_value():
    assert ["r12i1p1f2", "gn", 5] == taken(MEMBERS, "x/tas_r12i1p1f2_gn_5.nc")


def test_a_version_is_not_cut_at_the_number_that_all_share():
    found = taken(CACHED, "lib/python3.13/b/mod_x.cpython-313.pyc")
    assert ["3.13", "b"] == found[:2]


@pytest.mark.parametrize(("ending", "number"), [(".opt-3", 3), ("", None)])
def test_a_word_and_a_number_that_only_some_names_end_with_are_a_field(ending: str, number: int | None):
    assert number == taken(CACHED, f"lib/python3.12/a/mod_q.cpython-312{ending}.pyc")[-1]


def test_a_null_label_is_the_field_that_other_paths_name():
    found = detect(CACHED, examples={CACHED[0]: {"python": "3.8", "opt": None}})[0].rule
    assert 1 == apply_rule(found, "lib/python3.8/a/mod_q.cpython-38.opt-1.pyc").values["opt"]


def test_few_files_with_one_word_more_are_of_another_kind():
    others = [f"{RADAR[5]}_MDM", f"{RADAR[8]}_MDM"]
    found = detect([*RADAR, *others])[0]
    assert {f"/{one}" for one in others} == {*found.left}
    assert "left" in {one.key for one in found.assumptions if one.open}
    assert ["UNMATCHED"] == taken([*RADAR, *others], f"{RADAR[7]}_MDM")


def test_a_word_that_a_fifth_of_the_names_end_with_is_a_field():
    others = [f"{one}_MDM" for one in RADAR[1:25:4]]
    assert "MDM" in taken([*RADAR, *others], f"{RADAR[7]}_MDM")


def test_two_numbers_that_are_always_equal_are_one_value():
    assert "96x96" == taken(ICONS, "i/96x96/b/n7.png")[0]


def test_words_of_titles_are_no_optional_parts():
    two = ("computer-fail", "mail-unread", "window-new", "call-start", "view-pin", "weather-showers", "emoji-body")
    three = ("battery-empty-charging", "media-skip-backward", "computer-apple-ipad", "address-book-new", "a-b-fail")
    names = [f"t/{n % 4}/{one}-symbolic.png" for n, one in enumerate((*two, *three) * 2)]
    assert "view-list-end" in taken(names, "t/2/view-list-end-symbolic.png")


def test_the_extension_that_a_published_form_allows_is_not_allowed_twice():
    patterns = [str(one.pattern) for one in detect(PRODUCTS)[0].rule.fields]
    assert [] == [one for one in patterns if "SAFE" in one]

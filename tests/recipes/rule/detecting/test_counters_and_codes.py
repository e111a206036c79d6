"""Numbers that count files, and numbers that are one code."""

from __future__ import annotations

import random

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect


def taken(paths: list[str], path: str) -> list[object]:
    """Return the values of a path with the rule of samples in no order."""
    rule = detect(random.Random(7).sample(paths, len(paths)))[0].rule
    return [*apply_rule(rule, path).values.values()]


@pytest.mark.parametrize("mark", "-_")
def test_a_padded_number_after_a_time_of_day_counts_files(mark: str):
    paths = [
        f"in/run_20240{n % 9 + 1}{n % 28 + 1:02}{n % 24:02}{n * 7 % 60:02}30{mark}{n * 97:05}.csv" for n in range(28)
    ]
    assert 17 in taken(paths, f"in/run_20240302112230{mark}00017.csv")


def test_a_padded_number_after_the_directories_of_a_name_counts_the_files_there():
    places = [(n * 37 + 3, n * 7919 % 9000 + 12) for n in range(28)]
    paths = [f"talk/{one}/{two}/{one}-{two}-{one * two % 90:04}.wav" for one, two in places]
    assert [3, 12, 17] == taken(paths, "talk/3/12/3-12-0017.wav")


def test_a_padded_number_after_other_parts_stays_a_code():
    paths = [f"talk/{n * 37 + 3}/{n * 37 + 3}-{n * 7919 % 9000 + 12}-{n * 83 % 90:04}.wav" for n in range(28)]
    assert "0017" in taken(paths, "talk/3/3-12-0017.wav")


def test_minutes_and_seconds_of_a_file_name_are_two_numbers():
    paths = [f"cam/2024-05-0{n % 9 + 1}/{n % 24:02}/{n * 7 % 60:02}.{n * 23 % 60:02}.mp4" for n in range(28)]
    assert [5, 22] == taken(paths, "cam/2024-05-01/13/05.22.mp4")[-2:]


def test_releases_of_a_year_and_a_month_are_not_cut():
    paths = [f"iso/{n % 20 + 4:02}.{(4, 10)[n % 2]:02}.iso" for n in range(28)]
    assert ["08.04"] == taken(paths, "iso/08.04.iso")


def test_long_padded_numbers_that_one_mark_joins_are_one_code():
    paths = [f"f/{n * 91}/{n * 7919:010}-{n % 12 + 10}-{n * 3571:06}.txt" for n in range(1, 29)]
    assert [91, "0001628280-20-028587"] == taken(paths, "f/91/0001628280-20-028587.txt")


def test_a_version_has_its_build_with_it():
    builds = ("", "+ent", "", "+ent.hsm")
    paths = [f"t/app_{n % 3}.{n % 7}.{n % 5}{builds[n % 4]}_{('linux', 'darwin')[n % 2]}.zip" for n in range(28)]
    assert ["1.2.3+ent", "linux"] == taken(paths, "t/app_1.2.3+ent_linux.zip")


def test_directories_above_one_that_the_name_repeats_are_a_field():
    groups = ("org/acme/core", "com/foo", "org/acme/tools/web", "net/bar")
    names = ("alpha-one", "beta-two", "gamma", "delta-io")
    paths = [
        f"repo/{groups[n % 4]}/{name}/1.{n}.{n % 3}/{name}-1.{n}.{n % 3}.jar"
        for n, name in enumerate(names[n * 5 % 7 % 4] for n in range(28))
    ]
    found = taken(paths, "repo/org/acme/core/alpha-one/1.4.2/alpha-one-1.4.2.jar")
    assert "org/acme/core" in found
    assert "alpha-one" in found

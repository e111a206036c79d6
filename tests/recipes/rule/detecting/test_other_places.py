"""Files that are deeper than others, later lines of other directories and kinds, and days of a year."""

from __future__ import annotations

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect

RATES = [f"g/slow/{2019 + n % 4}/{n * 7 % 90 + 10}/{'abcd'[n % 4]}_R{n % 3}_{n * 31:05}.gz" for n in range(27)]
DEEPER = [f"g/fast/{2019 + n}/{n + 11}/0{n}/{'abcd'[n]}_R{n % 3}_{n * 37:05}.gz" for n in range(3)]
DAYS = [f"w/{2016 + n % 5}/ab-{16 + n % 5}-{n * 53 % 366 + 1:03}-0{n % 4 + 1}.json" for n in range(30)]
SCORES = [f"old_scores/K{n + 270}-{n % 3 + 1}.score" for n in range(12)]
VOTES = [
    f"{2000 + n}/{2000 + n}1107__xx__{('main', 'by')[n % 2]}__{('ulm', 'wil', 'zug')[n % 3]}.csv" for n in range(12)
]


def test_files_one_directory_deeper_have_the_fields_of_others_if_they_are_named_alike() -> None:
    found = detect([one for pair in zip(DEEPER, RATES[:3], strict=True) for one in pair] + RATES[3:])[0]
    deep = apply_rule(found.rule, "g/fast/2021/14/22/b_R7_00042.gz").values
    flat = apply_rule(found.rule, "g/slow/2021/14/b_R7_00042.gz").values
    assert (2021, 14, "b") == tuple(deep.values())[:3]
    assert flat == deep
    assert "shape:2" in [one.key for one in found.assumptions if one.open]


def test_three_digits_after_the_end_of_the_year_of_a_directory_are_a_day_of_it() -> None:
    assert [2019, 19, 44, 2] == [*apply_rule(detect(DAYS)[0].rule, "w/2019/ab-19-044-02.json").values.values()]
    counters = [one.replace(one[-11:-8], f"{n:03}") for n, one in enumerate(DAYS)]
    assert "044" in apply_rule(detect(counters)[0].rule, "w/2019/ab-19-044-02.json").values.values()


@pytest.mark.parametrize(
    ("lines", "later"),
    [
        (SCORES, "chords/K280-3_all.chords.tsv"),
        (VOTES, "2018/counties/20181106__xx__primary__st_clair__town.csv"),
    ],
)
def test_later_lines_of_other_kinds_and_depths_are_reported_and_not_left_out(lines: list[str], later: str) -> None:
    found = detect(lines)[0]
    assert "UNMATCHED" != apply_rule(found.rule, later).status
    assert "head" in [one.key for one in found.assumptions if one.open]


def test_later_lines_are_of_the_same_kind_if_other_files_are_called_like_them() -> None:
    lines = sorted([*SCORES, *(f"{one}.md5" for one in SCORES[:4])])
    assert "UNMATCHED" == apply_rule(detect(lines)[0].rule, "chords/K280-3.md5").status

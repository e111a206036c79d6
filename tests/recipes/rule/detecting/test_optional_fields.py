"""Fields that only some paths have, codes that names begin with, and files that a label tells apart."""

from __future__ import annotations

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from retouch.recipes.rule.detecting.cut import cut
from retouch.recipes.rule.detecting.patterns import glob_of

SUITES = ("unit", "smoke", "soak", "load")
REPORTS = [f"out/{SUITES[n % 4]}{f'.lane-{n % 5 + 1}-of-{n % 3 + 5}' if n % 4 else ''}.xml" for n in range(24)]
RUNS = [f"{'abc'[n % 3]}x_g{'rn'[n % 2]}{f'_20{n:02}01-20{n:02}12' if n % 9 else ''}" for n in range(24)]
LEAGUES = ("tig", "oks", "ruf")
TABLES = [f"t/{2001 + n % 7}/{LEAGUES[n % 3]}.{'cup' if n % 10 == 9 else n % 4 + 1}.json" for n in range(30)]
COUNTRIES = ("us", "fr", "tw", "gr", "mx", "cz")
FEEDS = tuple(f"{COUNTRIES[n % 6]}-{('blue-bus', 'metro', 'old-town-tram')[n % 3]}{n}" for n in range(24))


def values(found: RuleCandidate, path: str) -> list[object]:
    return [*apply_rule(found.rule, path).values.values()]


def test_numbers_that_words_name_are_fields_which_some_files_lack():
    found = detect(REPORTS)[0]
    assert ["smoke", 2, 6] == values(found, REPORTS[1])
    assert ["unit", None, None] == values(found, REPORTS[0])


def test_the_bounds_of_a_period_are_text_that_some_names_lack():
    pieces = cut(tuple(RUNS))
    assert ["", "bound", "bound"] == [getattr(one, "kind", "") for one in pieces][-3:]


def test_numbers_of_which_all_names_have_some_are_no_optional_fields():
    pieces = cut(tuple(f"{word}_{n}01-{n}12" for n in range(2001, 2020) for word in ("abc", "defg")))
    assert not any(getattr(one, "optional", False) for one in pieces)


def test_a_label_that_is_a_number_leaves_out_files_with_a_word_in_its_place_and_asks():
    found = detect(TABLES, examples={TABLES[0]: {"year": 2001, "league": "tig", "level": 1}})[0]
    assert "UNMATCHED" == apply_rule(found.rule, "t/2003/oks.cup.json").status
    assert "COMPLETE" == apply_rule(found.rule, "t/2009/oks.2.json").status
    assert any(one.key == "left" and one.open for one in found.assumptions)


def test_a_labelled_number_that_some_files_lack_leaves_out_none_of_them():
    found = detect(REPORTS, examples={REPORTS[1]: {"suite": "smoke", "lane": 2, "lanes": 6}})[0]
    assert ["unit", None, None] == values(found, REPORTS[0])


def test_a_label_without_a_separator_leaves_out_files_whose_value_goes_on_after_one():
    paths = [f"s/Q{n * 7919 % 90000 + 10000}_R{n % 2 + 4:02}{'_AUX' if n % 10 == 9 else ''}" for n in range(30)]
    found = detect(paths, examples={paths[0]: {"release": "R04"}})[0]
    assert "UNMATCHED" == apply_rule(found.rule, paths[9]).status
    assert "COMPLETE" == apply_rule(found.rule, paths[1]).status


def test_the_code_of_a_country_that_names_begin_with_is_a_value_of_its_own():
    assert "[a-z][a-z]-*" == glob_of(cut(FEEDS))


def test_words_of_two_letters_of_which_few_differ_are_no_countries():
    assert "*-*" == glob_of(cut(tuple(f"{('us', 'gr')[n % 2]}-{'abc'[n % 3]}x{n}" for n in range(24))))


def test_seasons_are_one_value_also_beside_years():
    seasons = tuple(f"{n}-{(n + 1) % 100:02}" if n % 4 else str(n) for n in range(2001, 2020))
    assert [seasons] == [getattr(one, "values", ()) for one in cut(seasons)]


def test_years_and_months_are_no_seasons():
    assert ["month"] == [getattr(one, "kind", "") for one in cut(tuple(f"2010-{n:02}" for n in range(1, 13)))]


def test_times_that_a_label_takes_as_text_are_text_in_each_shape():
    paths = [
        f"b/{('pg', 'my')[n % 2]}/{'xyz'[n % 3]}-202403{n % 28 + 1:02}T01{n:02}{n:02}Z.{('dump.zst', 'sql.gz')[n % 2]}"
        for n in range(30)
    ]
    found = detect(paths, examples={paths[0]: {"engine": "pg", "base": "x", "stamp": "20240301T010000Z"}})[0]
    assert "20240302T010101Z" == apply_rule(found.rule, paths[1]).values["stamp"]

"""Paths that lack a part of others, or are of another kind, and what a label says about the parts of a word."""

from __future__ import annotations

from typing import Any

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect

COUNTIES = ["adams", "berks", "bucks", "erie", "juniata", "mercer", "pike", "tioga", "warren", "york"]
KINDS = ["general", "primary"]
WORDS = ["hawaii", "saskatoon", "city_of_bend", "countrywide", "kent", "north_york", "lee", "statewide"]


def results(paths: list[str]) -> list[str]:
    """Return files of counties, in the order of their counties, and a file of all counties."""
    found: list[str] = []
    for n, county in enumerate(COUNTIES * 2):
        year, level = 2018 + n % 3, "county" if n % 3 == 0 else "precinct"
        found.append(f"{year}/counties/{year}1106__{KINDS[n % 2]}__{county}__{level}.csv")
    return [*found, *paths]


def fitted(paths: list[str], label: dict[str, Any]) -> RuleCandidate:
    return detect(paths, examples={paths[0]: label})[0]


def values(found: RuleCandidate, path: str, *names: str) -> list[Any]:
    result = apply_rule(found.rule, path)
    return [result.values.get(name) for name in names]


LABEL = {"date": "2018-11-06", "kind": "general", "county": "adams", "level": "county"}


def test_one_path_without_a_directory_and_a_field_is_read_like_the_labelled_one():
    found = fitted(results(["2012/20121106__general__precinct.csv"]), LABEL)
    wanted = ["2004-11-02", "primary", None, "county"]
    assert wanted == values(found, "2004/20041102__primary__county.csv", *LABEL)
    assert "shape:2" in {one.key for one in found.assumptions if one.open}


def test_a_path_that_lacks_a_part_is_left_out_if_its_words_are_not_known():
    found = fitted(results(["2012/20121106__special__senate.csv"]), LABEL)
    assert ("/2012/20121106__special__senate.csv",) == found.left


def test_a_shape_of_one_sample_takes_only_known_words():
    found = fitted(results(["2012/20121106__general__precinct.csv"]), LABEL)
    assert "UNMATCHED" == apply_rule(found.rule, "2012/20121106__special__senate.csv").status


def test_of_two_directories_the_one_next_to_the_file_is_missing():
    paths = [
        f"sources/{('us', 'ca', 'de')[n % 3]}/{('ab', 'tx', 'by', 'nv')[n % 4]}/{WORDS[n % 8]}{'abc'[n // 8]}.json"
        for n in range(24)
    ]
    found = detect([*paths, "sources/at/31255.json"])[0]
    assert [None, "31255"] == values(found, "sources/fi/31255.json", "directory", "name")


def test_few_files_that_differ_in_a_word_without_a_label_are_left_out():
    paths = [f"in/camt.{('053', '052')[n % 10 == 9]}_DE{n * 37 % 1000:03}_EUR_{n:05}.xml" for n in range(30)]
    found = fitted(paths, {"iban": "DE000", "currency": "EUR", "number": 0})
    assert {f"/{paths[n]}" for n in (9, 19, 29)} == {*found.left}
    assert "left" in {one.key for one in found.assumptions if one.open}


def test_a_value_is_not_shorter_because_short_values_cost_less():
    words = ["api-unions", "dual-stack", "less-object-serializations", "manifest-based-admission-webhooks"]
    paths = [f"keps/sig-{('node', 'apps')[n % 2]}/{n * 7 + 100}-{words[n % 4]}/kep.yaml" for n in range(24)]
    found = fitted(paths, {"sig": "node", "number": 100, "slug": "api-unions"})
    assert ["manifest-based-admission-webhooks"] == values(found, paths[3], "slug")


def test_a_separator_of_several_characters_ends_no_value_at_one_of_them():
    titles = ["Cold Gate", "Winter", "Day 6 - Red House", "The Long Promise"]
    shows = ["24", "Mr. Robot", "Dark"]
    paths = [f"TV/{shows[n % 3]}/{shows[n % 3]} - s01e{n + 10} - {titles[n % 4]}.mkv" for n in range(24)]
    found = fitted(paths, {"show": "24", "episode": 10, "title": "Cold Gate"})
    assert ["Day 6 - Red House"] == values(found, paths[2], "title")


def test_a_label_is_the_directories_below_those_that_all_share():
    apps = ["admin", "contrib/forms", "contrib/table_block", "users", "images"]
    paths = [f"wagtail/{apps[n % 5]}/locale/{('af', 'de', 'pt_BR')[n % 3]}/LC/django.po" for n in range(1, 31)]
    found = fitted([*paths, "wagtail/locale/de/LC/django.po"], {"app": "contrib/forms", "lang": "de"})
    assert ["contrib/table_block", "af"] == values(
        found, "wagtail/contrib/table_block/locale/af/LC/django.po", "app", "lang"
    )


def test_fixed_letters_inside_of_a_labelled_value_may_be_others():
    paths = [f"data/{n:04}Name.Sham{n * 31:07}-ara{n % 2 + 1}" for n in range(24)]
    found = fitted(paths, {"died": 0, "version": "Sham0000000", "lang": "ara", "edition": 1})
    assert ["JK0091713", "per", 3] == values(found, "data/0264Name.JK0091713-per3", "version", "lang", "edition")


def test_a_label_that_is_a_whole_file_name_says_nothing_about_its_extension():
    names = ["kep.yaml", "README.md"]
    paths = [f"keps/{n * 7 + 100}-some-{'-'.join('word' * (n % 3))}/{names[n % 2]}" for n in range(24)]
    found = fitted(paths, {"number": 100, "file": "kep.yaml"})
    assert [107, "graph.png"] == values(found, "keps/107-some-w/graph.png", "number", "file")


def test_a_number_before_names_of_words_is_cut_off():
    words = ["api-unions", "dual-stack", "less-object-serializations", "kyaml"]
    found = detect([f"docs/{n * 7 + 100}-{words[n % 4]}/index.md" for n in range(24)])[0]
    assert [870, "some-other-thing-again"] == [
        *apply_rule(found.rule, "docs/870-some-other-thing-again/index.md").values.values()
    ][:2]


def test_units_are_cut_off_each_of_several_numbers():
    found = detect([f"b/db_{n % 24:02}h{n * 7 % 60:02}m.sql" for n in range(30)])[0]
    assert [6, 25] == [*apply_rule(found.rule, "b/db_06h25m.sql").values.values()]


def test_the_months_of_a_period_are_no_amounts():
    found = detect([f"cmip/tas_{1850 + n}01-{1859 + n}12.nc" for n in range(0, 100, 5)])[0]
    assert ["190001", "194912"] == [*apply_rule(found.rule, "cmip/tas_190001-194912.nc").values.values()]


def test_a_document_that_many_directories_have_is_no_noise():
    paths = [f"keps/{n * 7 + 100}-thing/{('kep.yaml', 'README.md')[n % 3 == 0]}" for n in range(24)]
    assert () == detect(paths)[0].noise


def test_a_directory_that_its_files_repeat_may_have_fewer_separators_later():
    teams = ["CADPH-FluCAT_Ensemble", "CEPH-Rtrend_fluH", "CFA_Pyrenew-Pyrenew_HE_Flu"]
    paths = sorted(f"out/{team}/2024-0{n + 1}-10-{team}.csv" for team in teams for n in range(9))
    found = detect(paths)[0]
    assert "UNMATCHED" != apply_rule(found.rule, "out/UM-DeepOutbreak/2024-03-10-UM-DeepOutbreak.csv").status


def test_files_after_a_head_of_packed_ones_may_not_be_packed():
    paths = [f"20{10 + n // 10}/0{n % 9 + 1}/KAMX20{10 + n // 10}_V03.gz" for n in range(30)]
    found = detect(sorted(paths))[0]
    assert "UNMATCHED" != apply_rule(found.rule, "2022/08/KAMX2022_V06").status
    assert "head" in {one.key for one in found.assumptions if one.open}


def test_another_extension_of_left_files_of_the_same_form_is_asked_about():
    paths = [f"out/team{n}-model/2024-03-{n + 1:02}-forecast.csv" for n in range(24)]
    found = detect([*paths, "out/team24-model/2024-03-25-forecast.parquet"])[0]
    ext = [one for one in apply_rule(found.rule, paths[0]).values if one == "ext"]
    assert ext or "ending" in {one.key for one in found.assumptions if one.open}


def test_a_directory_after_a_head_may_lack_the_suffix_of_the_first_ones():
    paths = sorted(
        f"pages.{('ar', 'bn')[n % 2]}/{('common', 'linux')[n % 3 == 0]}/{WORDS[n % 8]}{n}.md" for n in range(30)
    )
    assert "UNMATCHED" != apply_rule(detect(paths)[0].rule, "pages/osx/grep.md").status

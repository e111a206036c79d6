"""A labelled path as a template: its values are found in the other samples all together."""

from __future__ import annotations

from typing import Any

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from retouch.recipes.rule.detecting.template import MOST_READ, template_of
from retouch.recipes.rule.detecting.template_columns import columns_of, glob_of_template, other_shapes

NAMES = ("oak", "red-fir", "ash", "blue-gum-tree", "elm", "lime-2")
VERSIONS = ("1.0.4", "0.8", "2024.05.1", "3.2.0")
SIZES = ("full", "half", "tiny")


def fitted(paths: list[str], label: dict[str, Any]) -> RuleCandidate:
    return detect(paths, examples={paths[0]: label})[0]


def values(found: RuleCandidate, path: str, *names: str) -> list[Any]:
    result = apply_rule(found.rule, path)
    return [result.values.get(name) for name in names]


def releases() -> list[str]:
    """Files called like their directory, with a version, and every third with a revision."""
    ends = [f"{VERSIONS[n % 4]}{f'-r{n % 5 + 1}' if n % 3 == 2 else ''}" for n in range(24)]
    return [f"app/{NAMES[n % 6]}/{NAMES[n % 6]}-{end}.build" for n, end in enumerate(ends)]


def test_a_null_label_is_what_other_names_have_after_a_further_separator():
    found = fitted(releases(), {"package": "oak", "version": "1.0.4", "revision": None})
    wanted = ["blue-gum-tree", "2024.05.1", 7]
    assert wanted == values(
        found, "app/blue-gum-tree/blue-gum-tree-2024.05.1-r7.build", "package", "version", "revision"
    )
    assert ["red-fir", "9", None] == values(found, "app/red-fir/red-fir-9.build", "package", "version", "revision")


def test_values_that_hold_their_separator_are_found_by_the_directory_that_repeats_them():
    teams = ("ab_lab-base", "xy-flat_mean", "ab_lab-flat_mean", "uni-trend")
    paths = [f"out/{teams[n % 4]}/2024-01-{n + 1:02}-{teams[n % 4]}.csv" for n in range(24)]
    found = fitted(paths, {"date": "2024-01-01", "team": "ab_lab", "model": "base"})
    path = "out/my_uni-last_year/2025-02-03-my_uni-last_year.csv"
    assert ["2025-02-03", "my_uni", "last_year"] == values(found, path, "date", "team", "model")


def test_a_labelled_value_that_other_names_lack_leaves_the_values_beside_it_in_place():
    ends = [("15M_30S_MO", "01D_MN", "01H_01S_MO")[n % 3] for n in range(24)]
    paths = [f"obs/2023/ST{n % 7:02}_R_{n + 100:03}_{end}.rnx" for n, end in enumerate(ends)]
    found = fitted(paths, {"station": "ST00", "period": "15M", "interval": "30S", "type": "MO"})
    assert ["01D", None, "MN"] == values(found, paths[1], "period", "interval", "type")
    assert ["01H", "01S", "MO"] == values(found, paths[2], "period", "interval", "type")


def test_paths_lack_a_directory_together_with_the_part_of_the_name_that_repeats_it():
    whole = [f"d/run{n % 5}/lane{n % 4}/a{n % 5}_lane{n % 4}_{n}.fq" for n in range(18)]
    fewer = [f"d/run{n % 5}/a{n % 5}_{n}.fq" for n in range(8)]
    found = fitted([*whole, *fewer], {"run": "run0", "lane": "lane0", "count": 0})
    assert ["run3", "lane2", 77] == values(found, "d/run3/lane2/a3_lane2_77.fq", "run", "lane", "count")
    assert ["run3", None, 77] == values(found, "d/run3/a3_77.fq", "run", "lane", "count")


def test_the_few_files_without_a_labelled_value_are_no_reason_to_make_it_optional():
    paths = [f"minutes/2024-{n % 9 + 1:02}/day-{n + 1}.md" for n in range(24)]
    found = fitted([*paths, "minutes/2024-01/README.md", "minutes/2024-02/toc.md"], {"month": "2024-01", "day": 1})
    assert "UNMATCHED" == apply_rule(found.rule, "minutes/2024-03/README.md").status


def test_a_template_without_a_place_for_a_label_reads_nothing():
    rows = [["a", f"b{n}.txt"] for n in range(8)]
    assert template_of(rows, rows[0], {"a": "a", "other": "missing"}) is None


def test_the_search_ends_soon_if_a_name_has_many_separators():
    words = [f"{n}_" + "_".join(f"w{n * at % 7}" for at in range(30)) for n in range(30)]
    rows = [["x", f"{word}.log"] for word in words]
    label = {f"f{at}": f"w{at}" for at in range(1, 7)}
    rows[0] = ["x", "0_" + "_".join(f"w{at}" for at in range(31)) + ".log"]
    found = template_of(rows, rows[0], label)
    assert found is not None
    assert MOST_READ > len(found.values)


def test_a_directory_of_a_null_label_has_a_template_of_its_own():
    rows = [["k", f"sig-{name}", f"{n}-{name}", "plan.md"] for n, name in enumerate(NAMES * 4)]
    more = [["k", f"sig-{name}", "tools", f"{n}-{name}", "plan.md"] for n, name in enumerate(NAMES)]
    wanted = {"sig": "sig-oak", "sub": None, "number": 0}
    main = template_of(rows, rows[0], wanted)
    assert main is not None
    (other, own), *rest = other_shapes(main, [*rows, *more], wanted)
    assert (more, []) == (own, rest)
    columns = {one.name: one for one in columns_of(other, own)}
    assert ("k/sig-*/tools/*/*.md", ("tools",) * 6) != (glob_of_template(other, own), columns["sig"].values)
    assert ("tools",) * 6 == columns["sub"].values


def test_a_day_of_three_directories_stays_a_field_where_the_template_reads_the_name():
    days = [f"2024/{n % 12 + 1:02}/{n % 28 + 1:02}" for n in range(24)]
    paths = [f"edi/{NAMES[n % 3]}/{one}/ORD_{n * 71:06}{'_R1' if n % 9 == 4 else ''}.edi" for n, one in enumerate(days)]
    label = {"partner": "oak", "date": "2024-01-01", "number": 0, "again": None}
    found = fitted(paths, label)
    assert ["ash", "2025-11-30", 42, 7] == values(found, "edi/ash/2025/11/30/ORD_000042_R7.edi", *label)


def test_an_address_is_no_value_of_another_form_where_some_paths_have_none():
    tokens = [f"{n * 7919 + 10_000_000:08x}" for n in range(24)]
    paths = [f"log/{NAMES[n % 3]}_{f'10.0.{n}.7_' if n % 3 != 2 else ''}{one}.log" for n, one in enumerate(tokens)]
    label = {"name": "oak", "address": "10.0.0.7", "token": tokens[0]}
    found = fitted(paths, label)
    assert ["elm", "192.168.1.20", "00c0ffee"] == values(found, "log/elm_192.168.1.20_00c0ffee.log", *label)
    assert ["elm", None, "00c0ffee"] == values(found, "log/elm_00c0ffee.log", *label)

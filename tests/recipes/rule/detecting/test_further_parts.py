"""What the names of other files have more than a labelled one, lack, or have in place of its number."""

from __future__ import annotations

from typing import Any

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from retouch.recipes.rule.detecting.template import template_of
from retouch.recipes.rule.detecting.template_columns import columns_of

DISHES = ("bread-with-seeds", "soup", "pie-of-4-apples", "hot-salad")


def fitted(paths: list[str], label: dict[str, Any]) -> RuleCandidate:
    return detect(paths, examples={paths[0]: label})[0]


def values(found: RuleCandidate, path: str, *names: str) -> list[Any]:
    result = apply_rule(found.rule, path)
    return [result.values.get(name) for name in names]


def test_letters_with_a_number_that_only_other_names_begin_with_are_no_value():
    revised = [f"menu/day{n % 5}/{'r2-' if n % 3 == 2 else ''}{n + 1:03}-{DISHES[n % 4]}.rst" for n in range(27)]
    found = fitted(revised, {"number": 1, "dish": "bread-with-seeds"})
    assert [77, "cold-soup"] == values(found, "menu/day9/r3-077-cold-soup.rst", "number", "dish")
    assert [78, "cold-soup"] == values(found, "menu/day9/078-cold-soup.rst", "number", "dish")


def test_letters_with_a_number_and_a_word_before_the_extension_of_a_labelled_name_may_be_missing():
    label = {"number": 1, "dish": "soup0"}
    for start, end in (("r2-", ""), ("", ".old")):
        rows = [["menu", f"{start * (n % 6 < 5)}{n + 1:03}-soup{n}{end * (n % 6 < 5)}.rst"] for n in range(27)]
        found = template_of(rows, rows[0], label)
        assert found is not None
        assert [f"soup{n}" for n in range(27)] == [
            *next(one for one in columns_of(found, rows) if one.name == "dish").values
        ]


def test_a_word_before_the_extension_that_many_names_have_is_no_part_of_the_value():
    paths = [f"web/{'abc'[n % 3]}/wid-{DISHES[n % 4]}{'.min' if n % 4 else ''}.js" for n in range(28)]
    for labelled in (paths[0], paths[1]):
        name = labelled.rpartition("/")[2].partition(".")[0]
        found = fitted([labelled, *paths], {"folder": labelled[4], "name": name})
        assert ["z", "wid-new-one"] == values(found, "web/z/wid-new-one.min.js", "folder", "name")
        assert ["z", "wid-new-one"] == values(found, "web/z/wid-new-one.js", "folder", "name")


def grids() -> list[str]:
    """Files of a model run, of which some are of its start and have a further index."""
    ends = [f"h{n % 9 * 12:03}" if n % 5 else "start" for n in range(30)]
    return [f"run/{20240101 + n}/mod.{'pq'[n % 2]}{n % 3}.grid.{end}" for n, end in enumerate(ends)]


def test_a_word_may_be_in_place_of_a_labelled_number_with_its_letter():
    paths = grids()
    found = fitted([paths[1], *paths], {"product": "q1", "hour": 12})
    assert ["p7", 240] == values(found, "run/20250101/mod.p7.grid.h240", "product", "hour")
    assert ["p7", None] == values(found, "run/20250101/mod.p7.grid.start", "product", "hour")


def test_the_numbers_in_place_of_the_word_of_a_labelled_name_are_the_label_that_is_null():
    found = fitted(grids(), {"product": "p0", "hour": None})
    assert ["p7", 240] == values(found, "run/20250101/mod.p7.grid.h240", "product", "hour")
    assert ["p7", None] == values(found, "run/20250101/mod.p7.grid.start", "product", "hour")


def test_a_file_called_like_another_with_a_further_extension_belongs_to_it():
    index = "/run/20240107/mod.q1.grid.h024.inv"
    found = fitted([*grids(), index, index.replace("07", "08")], {"product": "p0", "hour": None})
    assert index in found.noise
    assert "UNMATCHED" == apply_rule(found.rule, "run/20250101/mod.p7.grid.h240.inv").status


def test_a_packed_file_belongs_to_no_other():
    packed = "/run/20240107/mod.q1.grid.h024.gz"
    assert packed not in detect([*grids(), packed])[0].noise


def test_a_padded_number_that_another_value_holds_is_not_missing():
    paths = grids()
    surfaces = [f"run/{20240101 + n}/mod.{'pq'[n % 2]}{n % 3}.sfch{n * 12:03}.nc" for n in range(5)]
    rows = [path.split("/") for path in (paths[1], *paths, *surfaces)]
    found = template_of(rows, rows[0], {"product": "q1", "hour": 12})
    assert found is not None
    assert [None] * 5 == list(found.values[-5:])

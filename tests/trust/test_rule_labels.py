"""One labelled path never settles what it does not show: the rule asks, and does not take the likelier reading."""

from __future__ import annotations

import random
from datetime import date, timedelta
from typing import TYPE_CHECKING

import pytest

from retouch.recipes.rule import RuleJob, apply_rule
from retouch.recipes.rule.asking.source import checked
from retouch.recipes.rule.asking.table import table_of
from retouch.recipes.rule.detecting.candidates import detect

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.recipes.rule.detecting.candidate import RuleCandidate

TOWNS = ("visby", "kalmar", "lund", "falun", "ystad")


def found(paths: Sequence[str], *labelled: tuple[str, Mapping[str, JSON]]) -> RuleCandidate:
    shuffled = random.Random(5).sample(paths, len(paths))
    return detect(shuffled, examples=dict(labelled))[0]


def asked(one: RuleCandidate) -> set[str]:
    return {each.key for each in one.assumptions if each.open}


def low_days(form: str, *, above: str = "wells/depth") -> list[str]:
    """Paths whose days and months are all below 13, and which vary."""
    days = [date(2019 + n % 5, n * 7 % 12 + 1, n * 5 % 12 + 1) for n in range(36)]
    return [f"{above}/{day.strftime(form)}/depths.csv" for day in days]


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d/%m/%Y", "%d%m%Y"])
def test_a_label_whose_day_is_its_month_leaves_the_order_open(form: str):
    paths = low_days(form)
    same, other = date(2022, 3, 3), date(2021, 8, 5)
    labelled = (f"wells/depth/{same.strftime(form)}/depths.csv", {"taken": f"{same}"})
    best = found([*paths, labelled[0]], labelled)
    assert "date:taken" in asked(best)
    taken = apply_rule(best.rule, f"wells/depth/{other.strftime(form)}/depths.csv").values["taken"]
    assert "2021-08-05" == taken


def test_a_label_whose_day_is_no_month_settles_the_order():
    paths = low_days("%m.%d.%Y")
    labelled = ("wells/depth/03.17.2022/depths.csv", {"taken": "2022-03-17"})
    assert "date:taken" not in asked(found([*paths, labelled[0]], labelled))


def test_a_second_label_settles_the_order():
    paths = low_days("%m.%d.%Y")
    first = ("wells/depth/03.03.2022/depths.csv", {"taken": "2022-03-03"})
    second = ("wells/depth/08.05.2021/depths.csv", {"taken": "2021-08-05"})
    best = found([*paths, first[0], second[0]], first, second)
    assert "date:taken" not in asked(best)
    assert "2021-08-05" == apply_rule(best.rule, second[0]).values["taken"]


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%d/%m/%Y"])
def test_an_order_that_the_user_gives_is_the_order_of_an_ambiguous_label(form: str):
    path = f"wells/depth/{date(2022, 3, 3).strftime(form)}/depths.csv"
    samples = (*low_days(form), path)
    job = checked(RuleJob(paths=samples, examples=((path, (("taken", "2022-03-03"),)),), dates=("month-first",)))
    table = table_of(job)
    other = f"wells/depth/{date(2021, 8, 5).strftime(form)}/depths.csv"
    assert "2021-05-08" == apply_rule(table.candidate.rule, other).values["taken"]
    assert "date:taken" not in {one.key for one in table.open_assumptions(())}


def some(text: str, n: int, every: int) -> str:
    """The text in all samples but every n-th."""
    return text if n % every else ""


SHEETS = [f"plans/K{n * 7}/K{n * 7}_sheet{n % 8 + 1}{some(f'_rev{n % 3 + 1}', n, 2)}.dwg" for n in range(10, 42)]
TILES = [f"in/{TOWNS[n % 5]}/202301{n % 18 + 10}_cell{n * 7 % 40}{some(f'_v{n % 3 + 1}', n, 5)}.tif" for n in range(32)]
STAGES = [f"lake/raw/{some(('dev_', 'qa_')[n % 2], n, 9)}tas_{n * 3 + 10}.tar.gz" for n in range(30)]


@pytest.mark.parametrize(
    ("paths", "labels", "name", "other"),
    [
        (SHEETS, {"part": "K147", "rev": "rev1"}, "rev", SHEETS[0]),
        (TILES, {"version": "v2"}, "version", TILES[0]),
        (STAGES, {"stage": "dev"}, "stage", STAGES[0]),
    ],
)
def test_the_word_beside_a_missing_value_is_not_the_value(
    paths: Sequence[str], labels: Mapping[str, JSON], name: str, other: str
):
    wanted = [str(one) for one in labels.values()]
    path = next(one for one in paths if all(part in one for part in wanted))
    best = found(paths, (path, labels))
    given = apply_rule(best.rule, other).values.get(name)
    assert given is None or f"apart:{name}" in asked(best)


def test_a_number_without_zeros_does_not_say_that_others_lose_theirs():
    codes = ("02134", "30301", "01001", "94103", "00606", "60601")
    paths = [f"shops/{codes[n % 6]}/2021-{n % 12 + 1:02}-{n % 27 + 1:02}/sales.csv" for n in range(30)]
    number, text, zeros = (
        found(paths, (paths[at], {"zip": wanted})) for at, wanted in ((3, 94103), (3, "94103"), (0, 2134))
    )
    assert [True, False, False] == ["zeros:zip" in asked(one) for one in (number, text, zeros)]
    assert "02134" == apply_rule(text.rule, paths[0]).values["zip"]


DAYS = [date(2023, 1, 5) + timedelta(9 * n) for n in range(30)]


def test_a_label_that_two_places_have_is_asked_about():
    paths = [f"feed/hourly/{day}/out_{day - timedelta(n % 3):%Y%m%d}.csv" for n, day in enumerate(DAYS)]
    assert "apart:made" in asked(found(paths, (paths[0], {"made": f"{DAYS[0]}"})))
    names = [f"feed/{n * 7 % 9}/site_{n * 5 % 9}.csv" for n in range(30)]
    assert "apart:box" in asked(found(names, (names[0], {"box": 0})))


def test_places_that_always_have_the_same_value_are_not_asked_about():
    paths = [f"feed/hourly/{day}/out_{day:%Y%m%d}_{TOWNS[n % 5]}.csv" for n, day in enumerate(DAYS)]
    assert "apart:made" not in asked(found(paths, (paths[0], {"made": f"{DAYS[0]}", "town": "visby"})))


def test_a_place_that_the_letters_before_it_name_is_not_asked_about():
    paths = [f"feed/cam{n * 7 % 9 + 1}/clip_lens{n * 5 % 9 + 1}.mp4" for n in range(30)]
    assert "apart:lens" not in asked(found(paths, (paths[0], {"lens": 1, "cam": 1})))


def test_files_below_a_directory_that_the_labelled_path_lacks_are_asked_about():
    paths = [f"box/files/{'old/' if n % 8 == 5 else ''}tas-leaf{n % 3 + 1}-X{n * 37 + 200}.jpg" for n in range(32)]
    shallow, deep = (paths[0], {"leaf": 1, "id": "X200"}), (paths[5], {"leaf": 3, "id": "X385"})
    best = found(paths, shallow)
    taken = apply_rule(best.rule, paths[5]).status
    assert taken == "UNMATCHED" or {"above", "left"} & asked(best)
    assert taken == "UNMATCHED" or "above" not in asked(found(paths, shallow, deep))


GROUPS = ("org/alder/birch", "com/cedar", "elm", "net/fir/oak", "io/pine")


def test_a_group_that_takes_a_further_directory_is_asked_about():
    rows = [(GROUPS[n % 5], TOWNS[n % 3], "/partial" if n % 9 == 4 else "", n) for n in range(40)]
    paths = [f"hub/sets/{group}/{town}{more}/layer_{n * 7 + 100}.zip" for group, town, more, n in rows]
    best = found(paths, (paths[0], {"group": "org/alder/birch"}))
    assert {"above", "left"} & asked(best)


def test_a_group_below_which_some_names_lie_deeper_is_asked_about():
    paths = [f"hub/sets/{GROUPS[n % 5]}{'/stale' if n % 7 == 4 else ''}/layer_{n * 7 + 100}.zip" for n in range(40)]
    best = found(paths, (paths[0], {"group": "org/alder/birch"}))
    assert {"above", "left"} & asked(best)


def test_groups_of_several_depths_alone_are_not_asked_about():
    paths = [f"hub/sets/{GROUPS[n % 5]}/{TOWNS[n % 3]}/layer_{n * 7 + 100}.zip" for n in range(40)]
    assert "above" not in asked(found(paths, (paths[0], {"group": "org/alder/birch"})))


def test_neighbours_with_the_separator_inside_are_asked_about():
    words = ("Birch", "Cedar", "Elm", "Fir", "Oak", "Pine")
    titles = [" ".join(words[(n + at) % 6] for at in range(n % 3 + 1)) for n in range(30)]
    paths = [f"raw/{n * 7 + 100}/tas {titles[n]} {titles[n // 3]}.tar" for n in range(30)]
    best = found(paths, (paths[4], {"first": titles[4], "second": titles[1]}))
    assert ("Oak Pine", "Cedar Elm") == (titles[4], titles[1])
    assert {"apart:first", "apart:second"} & asked(best)


def test_a_number_with_a_point_is_taken_whole():
    paths = [f"runs/set_re{n % 9 + 1}.{(0, 5, 25)[n % 3]}_{TOWNS[n % 5]}.nc" for n in range(30)]
    for at, wanted in ((0, 1.0), (1, 2.5)):
        values = apply_rule(found(paths, (paths[at], {"re": wanted})).rule, paths[2]).values
        assert 3.25 == values["re"]


def test_a_labelled_day_that_does_not_exist_is_only_text():
    paths = [f"a/2024/0{n % 9 + 1}/1{n % 9}/x{n * 7}.csv" for n in range(30)]
    assert any("taken" in one for one in asked(found(paths, (paths[0], {"taken": "2024-02-30"}))))

"""One labelled path: which piece of it has each value, and which pattern finds it in the other samples."""

from __future__ import annotations

from typing import Any

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from retouch.recipes.rule.detecting.programs import programs_of


def fitted(paths: list[str], label: dict[str, Any]) -> RuleCandidate:
    return detect(paths, examples={paths[0]: label})[0]


def values(found: RuleCandidate, path: str, *names: str) -> list[Any]:
    result = apply_rule(found.rule, path)
    return [result.values.get(name) for name in names]


def test_a_value_that_stands_twice_is_taken_where_the_order_of_the_labels_says():
    paths = [f"m/{kind}-{n}/{other}-u{n}.rrd" for n in range(6) for kind, other in (("cpu", "cpu"), ("df", "disk"))]
    found = fitted(paths, {"plugin": "cpu", "instance": "0", "type": "cpu", "detail": "u0"})
    assert ["df", "3", "disk", "u3"] == values(found, "m/df-3/disk-u3.rrd", "plugin", "instance", "type", "detail")


def test_a_value_ends_where_the_field_after_it_begins_also_if_it_has_separators():
    names = ["LUNG", "DWI-b1000", "T2", "T1-post-2"]
    paths = [f"s/{n % 4 + 1}.0-{names[n % 4]}-{20_000 + n}/{n}.dcm" for n in range(24)]
    found = fitted(paths, {"series": 1, "description": "LUNG", "uid": "20000"})
    assert "DWI-b1000" == values(found, paths[1], "description")[0]


def test_a_part_that_some_paths_lack_is_optional_and_asked_about():
    paths = [f"h/{name}/v.rrd" for n in range(8) for name in (f"cpu-{n}", f"disk-x{n}", "load")]
    found = fitted(paths, {"plugin": "cpu", "instance": "0"})
    assert ["load", None] == values(found, "h/load/v.rrd", "plugin", "instance")
    assert "apart:instance" in {one.key for one in found.assumptions if one.open}


def test_a_null_label_is_what_other_paths_have_between_two_separators():
    paths = [f"a/{n}/GE.K{n}.{('', '00', '10')[n % 3]}.LHZ.2024.{n + 100}" for n in range(24)]
    found = fitted(paths, {"station": "K0", "location": None, "day": "2024-04-09"})
    assert ["K1", "00", "2024-04-10"] == values(found, paths[1], "station", "location", "day")


def test_a_labelled_value_that_the_glob_fixes_may_be_another_one():
    paths = [f"era/{n + 100}/era.sfc.{n:03}_p{n * 7}.nc" for n in range(30)]
    found = fitted(paths, {"level": "sfc", "param": "000"})
    assert ["pl", "017"] == values(found, "era/120/era.pl.017_p2.nc", "level", "param")


def test_a_further_shape_reads_labelled_values_by_the_same_pattern():
    runs = [f"x/m{n % 3}/lr0.{n + 1}_bs{2 ** (n % 5)}/checkpoints/epoch_{n:03}.pt" for n in range(20)]
    more = [f"x/m{n % 3}/lr0.{n + 1}_bs{2 ** (n % 5)}/predictions_{('test', 'val')[n % 2]}.csv" for n in range(12)]
    found = fitted([*runs, *more], {"model": "m0", "lr": 0.1, "bs": 1, "epoch": 0})
    assert ["m1", 0.2, 2] == values(found, more[1], "model", "lr", "bs")


def test_a_time_down_to_the_second_is_joined_of_six_parts():
    paths = [f"c/2024/05/{n + 1:02}/{n % 24:02}/{n * 7 % 60:02}/{n * 11 % 60:02}.avro" for n in range(5, 28)]
    found = fitted(paths, {"at": "2024-05-06T05:35:55"})
    assert ["2024-05-11T10:10:50"] == values(found, paths[5], "at")


@pytest.mark.parametrize(("texts", "wanted"), [(["a-7.csv", "b-8.csv"], "12"), (["a-17.csv", "b-18.csv"], "3")])
def test_numbers_of_one_width_may_have_others(texts: list[str], wanted: str):
    span = texts[0].index("-") + 1, texts[0].index(".")
    best = programs_of(texts, 0, span, str.isdigit)[0]
    assert "([0-9]+)" in best.pattern
    assert wanted in programs_of([*texts, f"c-{wanted}.csv"], 0, span, str.isdigit)[0].values


def test_numbers_below_zero_are_told_by_the_sign_that_some_have() -> None:
    paths = [f"s/{'abc'[n % 3]}/world/r.{n * 7 % 23 - 9}.{n * 5 % 31 - 20}.mca" for n in range(30)]
    plain = apply_rule(detect(paths)[0].rule, "s/a/world/r.-12.30.mca").values
    assert all(number in plain.values() for number in (-12, 30))
    labelled = detect(paths, examples={paths[0]: {"server": "a", "x": -9, "z": -20}})[0].rule
    assert {"server": "b", "x": 3, "z": -1} == dict(apply_rule(labelled, "s/b/world/r.3.-1.mca").values)


def test_files_with_a_word_instead_of_the_labelled_number_are_of_another_kind() -> None:
    dumps = [f"b/h{n % 2}/2024-03-{n + 1:02}/shop.{'abc'[n % 3]}_x.{n * 7:05}.sql.zst" for n in range(24)]
    schemas = [f"b/h{n}/2024-03-0{n + 1}/{'shop.a_x-schema' if n else 'shop-schema-create'}.sql.zst" for n in range(3)]
    wanted = {"host": "h0", "date": "2024-03-01", "table": "a_x", "chunk": 0}
    best = detect([*dumps, *schemas], examples={dumps[0]: wanted})[0]
    assert {*schemas} == {one.lstrip("/") for one in best.left}
    assert 7 == apply_rule(best.rule, dumps[1]).values["chunk"]


def test_packed_files_are_of_the_kind_whose_extension_is_a_label() -> None:
    ends = ("conda", "conda", "conda", "conda", "tar.bz2")
    paths = [
        f"m/c{n % 3}/linux/{('numpy', 'ca-certs', 'xz')[n % 3]}-1.{n}.2-h{n * 104729 + 7919:07x}_{n % 4}.{ends[n % 5]}"
        for n in range(30)
    ]
    wanted = {"name": "numpy", "version": "1.0.2", "ext": "conda"}
    assert "tar.bz2" == apply_rule(detect(paths, examples={paths[0]: wanted})[0].rule, paths[4]).values["ext"]

"""Rules from listings: noise, several shapes, constants, keys, codes, and labelled paths."""

from __future__ import annotations

import random
from typing import Any

import pytest

from retouch.recipes.rule import apply_rule, load_rule
from retouch.recipes.rule.detecting.candidates import RuleCandidate, detect
from retouch.recipes.rule.detecting.specificity import specificity_of
from retouch.recipes.rule.language.model import version_of
from retouch.recipes.rule.language.render import render_rule

DAYS = [f"2024-{month:02}-{day:02}" for month in (1, 3, 7, 12) for day in (2, 9, 14, 23, 28)]


def best(*paths: str, **examples: Any) -> RuleCandidate:
    return detect(random.Random(1).sample(paths, len(paths)), **examples)[0]


def values(found: RuleCandidate, path: str) -> dict[str, Any]:
    result = apply_rule(found.rule, path)
    assert "COMPLETE" == result.status, (found.rule, result.reasons)
    return dict(result.values)


def test_files_of_another_kind_do_not_coarsen_the_rule():
    data = [f"lake/events/{day}/part-{n:05}.parquet" for n, day in enumerate(DAYS)]
    found = best(*data, "lake/docs/read me.txt", "lake/tools/x/y.py", "lake/events/latest")
    assert {"lake/docs/read me.txt", "lake/tools/x/y.py", "lake/events/latest"} == {
        p[1:] for p in (*found.left, *found.noise)
    }
    assert {"date": "2025-01-01", "part": 7} == values(found, "lake/events/2025-01-01/part-00007.parquet")
    assert "left" in {one.key for one in found.assumptions if one.open}


def test_noise_by_name_is_named_and_left_out():
    data = [f"lake/{day}/data.csv" for day in DAYS]
    noise = ["lake/2024-01-02/_SUCCESS", "lake/2024-01-02/.data.csv.crc", "lake/2024-01-09/data.csv.tmp"]
    found = best(*data, *noise)
    assert ({f"/{one}" for one in noise}, ()) == (set(found.noise), found.left)


def test_two_shapes_of_about_the_same_size_become_a_rule_set():
    days = [f"in/{day}/readings.csv" for day in DAYS]
    lots = [f"images/cam{n % 4}/IMG_{n * 37:04}.jpg" for n in range(12)]
    found = best(*days, *lots)
    text = render_rule(found.rule)
    assert text.startswith("version: 2\nrules:\n")
    again = load_rule(text)
    assert found.rule == again
    assert ["COMPLETE"] * 32 == [apply_rule(again, path).status for path in (*days, *lots)]
    assert "shape:2" in {one.key for one in found.assumptions if one.open}


@pytest.mark.parametrize(
    ("constant", "other", "wanted"),
    [
        ("2024-03-05", "2025-11-30", "2025-11-30"),
        ("20240305", "20251130", "2025-11-30"),
        ("2024", "2031", 2031),
        ("year=2024", "year=2031", 2031),
        ("customer=acme", "customer=globex", "globex"),
        ("run_007", "run_123", 123),
    ],
)
def test_what_does_not_vary_is_a_field_if_its_form_says_so(constant: str, other: str, wanted: Any):
    found = best(*(f"lake/{constant}/{name}/data.csv" for name in ("north", "south", "east", "west", "up", "down")))
    assert wanted in values(found, f"lake/{other}/north/data.csv").values()


def test_the_scheme_of_an_address_is_no_value():
    path = "s3://lake/raw/2024/hum_v1.csv"
    assert {"year": 2024, "version": 1} == values(best(path), path)


@pytest.mark.parametrize("scheme", ["s3://", "gs://", "hdfs://", ""])
def test_the_first_lines_of_a_sorted_list_of_addresses_give_the_fields_of_their_paths(scheme: str):
    paths = [f"{scheme}lake-prod/wh/orders/dt=2024-01-{day:02}/part-{day * 37:05}.parquet" for day in range(1, 29)]
    found = best(*paths)
    assert {"dt": "2024-01-05", "part": 185} == {name: values(found, paths[4])[name] for name in ("dt", "part")}
    assert values(found, paths[4]) == values(found, paths[4].removeprefix(scheme))
    assert not any(name in found.rule.glob.text for name in ("s3", "s*", ":"))


def test_one_sample_is_one_sample():
    assert "there is only 1 sample of this shape; do other files look the same?" in {
        one.question for one in best("lake/raw/2024/hum_v1.csv").assumptions
    }


def test_a_constant_without_such_a_form_is_stated():
    found = best(*(f"lake/orders/{day}/data.csv" for day in DAYS))
    stated = {one.key: one.open for one in found.assumptions}
    assert stated["fixed:data"] is False
    few = best(*(f"lake/orders/{day}/data.csv" for day in DAYS[:6]))
    assert {one.key: one.open for one in few.assumptions}["fixed:data"] is True


def test_keys_of_directories_are_names_and_their_values_are_whole():
    paths = [f"w/tenant_id=t-{n}/user_id={n * 7}/region=eu-west-{n % 3}/f.parquet" for n in range(1, 25)]
    got = values(best(*paths), "w/tenant_id=x_y-9/user_id=5/region=us/f.parquet")
    assert {"tenant_id": "x_y-9", "user_id": 5, "region": "us"} == got


def test_the_null_partition_is_null_and_escaped_values_are_decoded():
    names = ["a%2Fb", "c d", "__HIVE_DEFAULT_PARTITION__", "e"] * 6
    found = best(*(f"w/dt={day}/name={name}/0.parquet" for day, name in zip(DAYS, names, strict=False)))
    assert 2 == version_of(found.rule)
    assert load_rule(render_rule(found.rule)) == found.rule
    given = [values(found, f"w/dt=2024-01-01/name={name}/0.parquet")["name"] for name in ("x%2Fy", names[2])]
    assert ["x/y", None] == given


def test_rules_that_version_1_can_express_are_written_in_it():
    assert render_rule(best(*(f"in/{day}/a.csv" for day in DAYS)).rule).startswith("version: 1\n")


@pytest.mark.parametrize(
    ("paths", "path", "wanted"),
    [
        (
            [f"MOD{n % 9}9GA.A20{n % 20:02}{n * 11 % 365 + 1:03}.h{n:02}v{n % 18:02}.006.hdf" for n in range(10, 34)],
            "MOD09GA.A2008057.h12v13.006.hdf",
            {"year": 2008, "day_of_year": 57, "h": 12, "version": 13},
        ),
        (
            [f"s/{day.replace('-', '')}T{n:02}3000_x{n}.nc" for n, day in enumerate(DAYS)],
            "s/20250203T040506_x7.nc",
            {"timestamp": "2025-02-03T04:05:06", "date": "2025-02-03"},
        ),
        (
            [f"c/web-{n}_prod_{n * 7919:064x}.log" for n in range(1, 25)],
            f"c/web-1_prod_{255:064x}.log",
            {"prod": f"{255:064x}"},
        ),
        ([f"d/{n % 3 + 100}CANON/IMG_{n:04}.JPG" for n in range(24)], "d/105CANON/IMG_0007.JPG", {"img": 7}),
        ([f"t/{(n % 2 and 1067) or 36061:05}/{day}.csv" for n, day in enumerate(DAYS)], "t/00501/2024-01-01.csv", {}),
    ],
    ids=["points and ordinal dates", "timestamps", "hashes", "numbers before words", "padded codes"],
)
def test_forms_of_values_are_seen(paths: list[str], path: str, wanted: dict[str, Any]):
    got = values(best(*paths), path)
    assert wanted.items() <= got.items(), got


def test_a_labelled_path_gives_names_types_and_cuts():
    paths = [f"k/web-{n % 5}a{n}-x{n * 3}_ns{n % 3}_app-{n}.log" for n in range(30)]
    found = best(*paths, examples={"k/web-2a7-x21_ns1_app-7.log": {"pod": "web-2a7-x21", "app": "app", "number": 7}})
    got = values(found, "k/web-4a9-x27_ns0_app-9.log")
    assert {"pod": "web-4a9-x27", "app": "app", "number": 9}.items() <= got.items()
    assert () == found.unlabelled


def test_a_label_decides_between_a_number_and_a_code():
    paths = [f"run/{n:04}.csv" for n in range(3, 40)]
    for wanted in (7, "0007"):
        found = best(*paths, examples={"run/0007.csv": {"run": wanted}})
        assert {"run": wanted} == values(found, "run/0007.csv")


def test_a_label_that_is_not_in_the_path_is_reported():
    found = best(*(f"in/{day}/a.csv" for day in DAYS), examples={f"in/{DAYS[0]}/a.csv": {"site": "nowhere"}})
    assert (f"/in/{DAYS[0]}/a.csv: site",) == found.unlabelled
    assert any("example" == one.kind and not one.acceptable for one in found.assumptions)


def test_a_rule_that_takes_any_name_is_not_specific():
    paths = [f"in/{n}-{'ab' * n}.hdf" for n in range(1, 20)]
    loose = load_rule("name: a\nglob: '**/*.hdf'\nextract: {name: {from: filename, pattern: '^(.+?)\\.hdf$'}}")
    assert not specificity_of(loose, paths).is_specific
    rule = load_rule(
        "name: a\nglob: 'in/*.csv'\nextract: {day: {from: filename, pattern: '^([0-9-]+)\\.csv$', type: date}}"
    )
    assert specificity_of(rule, [f"in/{day}.csv" for day in DAYS]).is_specific


def test_codes_that_the_first_lines_of_a_sorted_list_share_vary_in_the_others():
    paths = sorted(f"in/client_ABC/{day}/MOD{n:02}XA.csv" for n, day in enumerate(DAYS))
    assert "COMPLETE" == apply_rule(detect(paths)[0].rule, "in/client_ACME/2025-01-01/MOD77XB.csv").status
    at_random = best(*paths)
    assert "UNMATCHED" == apply_rule(at_random.rule, "in/client_ACME/2025-01-01/MOD77XB.csv").status
    assert "fixed:ABC" in {one.key for one in at_random.assumptions if one.open}


def test_a_few_files_of_another_form_do_not_coarsen_the_rule_of_nearly_all_others() -> None:
    tables = ("auth.users_2023", "auth.users", "shop.stock_moves", "wikidb.text", "wikidb.page")
    dumps = [f"b/my/db-{'abc'[n % 3]}/2024-02-{n + 1:02}/{tables[n % 5]}.{n * 37 % 140:05}.sql.zst" for n in range(26)]
    schemas = ("auth-schema-create", "auth-schema-create", "auth.users_2023-schema", "shop.orders-schema")
    others = [f"b/my/db-a/2024-03-0{n + 1}/{one}.sql.zst" for n, one in enumerate(schemas)]
    best = detect([*dumps[13:], *others, *dumps[:13]])[0]
    assert 37 in apply_rule(best.rule, dumps[1]).values.values()
    assert {*others} == {one.lstrip("/") for one in best.left}

"""Lines after the head of a sorted list, codes at the end of names, and directories that labels tell."""

from __future__ import annotations

import pytest

from retouch.recipes.rule import apply_rule
from retouch.recipes.rule.detecting.candidates import detect
from retouch.recipes.rule.detecting.columns import Slot
from retouch.recipes.rule.detecting.cut import cut

WORDS = [f"{a}{b}" for a in "bdfgk" for b in ("a_o", "ab", "e-u_i_o", "ile", "ora_a", "umi")]
OTHERS = [f"/u/share/man/{'cs' if n % 2 else 'de'}/man{n % 8 + 1}/k{n}.{n % 8 + 1}.gz" for n in range(12)]
PAGES = [*OTHERS, *(f"/u/share/man/man1/zcloud_alpha_{one}.1.gz" for one in WORDS[:18])]
DAYS = [f"d/x/daily/{a}USD/1h/{a}USD-1h-2023-0{n}-1{n}.zip" for a in ("AB", "CD", "EF") for n in range(1, 9)]
RUNS = [f"c/CMP/r{n}i1p1f1/pr_r{n}i1p1f1_{1900 + n}01.nc" for n in range(11, 35)]
GUIDES = [f"docs/guide_{one}.pdf" for one in "abcdefghij"]
TRIPS = [f"trips/bus_rides_{2015 + n // 12}-{n % 12 + 1:02}.parquet" for n in range(18)]
WALS = [f"logs/{one}/{n}/log" for one in ("acks", "bills", "carts") for n in range(4)]
PARTS = [f"topics/acks/partition=0/acks+0+{n * 7919:010}+{n * 7919 + 99:010}.avro" for n in range(9)]
UNFINISHED = [f"topics/+tmp/{one}/partition=1/{n:08x}_tmp.avro" for n, one in enumerate(("acks", "bills", "carts"))]
TEXTS = ("box-add", "box-add-all", "car-x-go", "dog-go", "egg-on", "fog-at-sea", "go-up", "hut-by-the-sea")
ICONS = [f"i/{size}/{kind}/{one}.png" for size in ("8x8", "9x9") for kind in ("acts", "emos") for one in TEXTS]
READS = [f"q/P{n // 8:03}/ab{n % 4}_S{n % 7}_R{n % 2 + 1}_{n:03}.fq" for n in range(30)]
MACHINES = ("aix-ppc", "dar-xx", "lin-arm", "lin-ppc", "lin-sss", "lin-xx", "win-xx", "win-yy")
BUILDS = [
    f"d/v{release}/tool-v{release}-{one}.tar.{packing}"
    for release in ("12.22.12", "14.17.0")
    for one in MACHINES
    for packing in ("gz", "xz")
]
PLAIN = [one.replace("_", "").replace("-", "") for one in WORDS]
LIBRARIES = [f"u/lib/i6/lib{one}.so.{n % 4}{'' if n % 3 else '.2.1'}" for n, one in enumerate(PLAIN)]
TABLES = [
    f"/u/lib/kdb/data/shop/order_items-{5:032x}/{one}-{n * 37 + 4}-big-{part}.db"
    for one, part in (("md", "Data"), ("me", "Index"))
    for n in range(14)
]
HOSTS = [f"/srv/sys/ber/fw-edge-0{n // 14 + 1}/2023/{n % 2 + 11}/{n % 14 + 3:02}/cron.log.gz" for n in range(28)]
TILES = [f"maps/base/{n // 10 + 8}/{n * 31 + 250}/{n * 17 + 90}.png" for n in range(30)]
DUMPED = ("auth.users_2023", "auth.users", "crm_v2.mail")
DUMPS = [f"/b/my/db-crm-0{n % 2 + 1}/2024-02-{n // 3 + 10}/{DUMPED[n % 3]}.{n:05}.sql.zst" for n in range(30)]
PODS = [f"/v/log/pods/core-{n * 7919 % 99991:05x}-{n:03}ab_sys_core-{n * 104729:064x}.log" for n in range(20, 45)]


@pytest.mark.parametrize(
    ("lines", "later"),
    [
        (PAGES, "/u/share/man/man1/ls.1.gz"),
        (DAYS, "d/x/monthly/ABUSD/1h/ABUSD-1h-2023-05.zip"),
        (RUNS, "c/CMP/r1i1p1f2/pr_r1i1p1f2_200001.nc"),
        ([*GUIDES, *TRIPS], "trips/car_rides_2009-02.parquet"),
        ([*WALS, *PARTS], "topics/bills.paid/partition=3/bills.paid+3+0000000001+0000000005.avro"),
        ([*UNFINISHED, *PARTS], "topics/bills.paid/partition=3/bills.paid+3+0000000001+0000000005.avro"),
        (ICONS, "i/scalable/acts/folder.svg"),
        (READS, "q/P000/ab1_S1_I1_001.fq"),
        (sorted(TABLES), f"/u/lib/kdb/data/sys/roles-{7:032x}/nb-12-big-Data.db"),
        (sorted(HOSTS), "/srv/sys/office/nas/2024/01/23/cron.log.gz"),
        (sorted(TILES), "maps/streets-vector/9/269/180.pbf"),
        (sorted(DUMPS), "/b/my/wiki/2024-03-13/wikidb.page.00117.sql.zst"),
        (PODS, f"/v/log/pods/pg-0_data_pg-{7:064x}.log"),
    ],
)
def test_lines_after_the_head_of_a_list_have_other_words_and_numbers(lines: list[str], later: str) -> None:
    assert "UNMATCHED" != apply_rule(detect(sorted(lines))[0].rule, later).status


def test_a_directory_at_the_top_of_a_kind_of_its_own_stays() -> None:
    for lines, later in (([*GUIDES, *TRIPS], "docs/car_2009-02.parquet"), ([*WALS, *PARTS], WALS[0])):
        assert "UNMATCHED" == apply_rule(detect(lines)[0].rule, later).status


def test_a_number_that_the_first_names_repeat_from_a_partition_is_one_value() -> None:
    rule = detect([*WALS, *PARTS])[0].rule
    later = "topics/bills.paid/partition=3/bills.paid+3+0000000001+0000000005.avro"
    assert ["bills.paid", 3, 1, 5] == [*apply_rule(rule, later).values.values()]


def test_an_image_of_another_format_than_the_first_ones_is_asked_about() -> None:
    best = detect(sorted(ICONS))[0]
    asked = [one.question for one in best.assumptions if one.key == "endings" and one.open]
    assert ["the rule also takes files with '.svg', which no sample has: are they of the same kind?"] == asked
    assert ["scalable", "acts", "folder-x", "svg"] == [
        *apply_rule(best.rule, "i/scalable/acts/folder-x.svg").values.values()
    ]
    assert "UNMATCHED" == apply_rule(best.rule, "i/scalable/acts/folder.txt").status
    numbered = detect([f"shots/s{n:02}/page_{n:04}.png" for n in range(30)])[0].rule
    assert "UNMATCHED" == apply_rule(numbered, "shots/s03/page_0003.svg").status


def test_a_later_code_of_another_letter_is_reported_and_not_left_out() -> None:
    rule = detect(sorted(READS))[0].rule
    first, later = (apply_rule(rule, one) for one in (READS[0], READS[0].replace("_R1", "_I1")))
    assert ["r"] == [*later.reasons]
    assert {name: value for name, value in first.values.items() if name != "r"} == {
        name: value for name, value in later.values.items() if name != "r"
    }


def test_words_that_the_first_lines_combine_in_few_ways_are_values_of_their_own() -> None:
    later = apply_rule(detect(sorted(BUILDS)[:30])[0].rule, "d/v20.1.0/tool-v20.1.0-sun-arm.tar.gz").values
    assert all(one in later.values() for one in ("sun", "arm"))


def test_a_part_that_nearly_all_names_have_is_not_ignored_because_of_a_few_that_lack_it() -> None:
    few = ["d/v12.22.12/tool-v12.22.12.tar.gz", "d/v14.17.0/tool-v14.17.0-headers.tar.gz"]
    rule = detect(sorted([*BUILDS[:28], *few]))[0].rule
    assert any("lin" in str(one) for one in apply_rule(rule, BUILDS[4]).values.values())


def test_an_extension_before_the_numbers_of_a_version_stays_and_later_names_may_hold_its_mark() -> None:
    rule = detect(sorted(LIBRARIES))[0].rule
    assert ["i7", "py3.11", "1.0"] == [*apply_rule(rule, "u/lib/i7/libpy3.11.so.1.0").values.values()]
    assert "UNMATCHED" == apply_rule(rule, "u/lib/i7/libpy3.11.la").status


def test_files_below_a_directory_of_unfinished_ones_are_noise() -> None:
    best = detect([*PARTS, *UNFINISHED])[0]
    assert {*UNFINISHED} == {one.lstrip("/") for one in best.noise}
    assert () == detect(UNFINISHED)[0].noise


def test_a_name_that_holds_the_separator_is_cut_from_its_end() -> None:
    names = ("Soil_A1", "NA12878", "KO12-d0", "Soil_B2", "mESC")
    values = tuple(f"{names[n % 5]}_S{n % 7}_L00{n % 4 + 1}_R{n % 2 + 1}_001" for n in range(30))
    slots = [one.values for one in cut(values) if isinstance(one, Slot)]
    assert tuple(names[n % 5] for n in range(30)) == slots[0]
    assert tuple(str(n % 7) for n in range(30)) == slots[1]


def test_a_labelled_null_is_a_directory_that_only_longer_paths_have() -> None:
    paths = [
        f"k/sig-{('net', 'node', 'apps')[n % 3]}/{n * 37 + 100}-plan{'abcdefg'[n % 7]}/kep.yaml" for n in range(28)
    ]
    deeper = ["k/sig-cloud/azure/586-zones/kep.yaml", "k/sig-life/kubeadm/1381-config/kep.yaml"]
    wanted = {"sig": "sig-net", "sub": None, "number": 100, "slug": "plana", "file": "kep.yaml"}
    rule = detect([*paths, *deeper], examples={paths[0]: wanted})[0].rule
    assert ("sig-cloud", "azure", 586) == tuple(
        apply_rule(rule, deeper[0]).values[one] for one in ("sig", "sub", "number")
    )
    assert "sub" not in apply_rule(rule, paths[1]).values


def test_labels_are_read_in_files_of_another_extension() -> None:
    dumps = [
        f"b/h{n % 3}/pg/{('ev', 'le', 're_dw')[n % 3]}-incr-2024{n % 12 + 1:02}01T0{n % 9}0000Z.dump.zst"
        for n in range(15)
    ]
    tables = [
        f"b/h{n % 2}/my/{('au', 'ca', 'or')[n % 3]}-full-2024{n % 12 + 1:02}02T0{n % 9}0000Z.sql.gz" for n in range(15)
    ]
    wanted = {"host": "h0", "database": "au", "kind": "full", "stamp": "20240102T000000Z"}
    rule = detect([*dumps, *tables], examples={tables[0]: wanted})[0].rule
    assert "re_dw" == apply_rule(rule, dumps[2]).values["database"]
